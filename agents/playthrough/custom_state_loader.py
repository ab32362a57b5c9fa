"""Loads a user's own agent states from the module or file that `--agent` names."""

from ...errors import AgentError, GameError
from ...games.user_code_loader import user_object
from .ordered_agent_states import PlaythroughAgentStates

FACTORY = "agent"
"""What makes the states in a file, where only the file is named."""


def load_states(name: str) -> PlaythroughAgentStates | None:
    """What a factory makes: `package.module:factory`, `file.py:factory` or `file.py`.

    Returns None, for the usual states, if there is no name.

    Raises:
        AgentError: there is no such factory, it raised, or returned something else.
    """
    if not name:
        return None
    try:
        factory = user_object(name, "agent", FACTORY)
    except GameError as error:
        raise AgentError(str(error)) from error
    if not callable(factory):
        raise AgentError(
            f"agent {name}: {factory!r:.80} is no function that returns PlaythroughAgentStates"
        )
    try:
        states = factory()
    except AgentError as error:
        raise AgentError(f"agent {name}: {error}") from error
    except Exception as error:
        raise AgentError(f"agent {name} raised {error!r}") from error
    if not isinstance(states, PlaythroughAgentStates):
        raise AgentError(
            f"agent {name} returned {states!r:.80}: it has to return a ph.PlaythroughAgentStates"
        )
    try:
        states.table  # noqa: B018  # mistakes are reported before anything is played
    except AgentError as error:
        raise AgentError(f"agent {name}: {error}") from error
    return states
