"""The base class of the agent's states."""

from abc import ABC, abstractmethod
from typing import ClassVar

from ..agent_context import PlaythroughAgentContext
from ..observation_view import ObservationView
from ..route.route_follower import step_normal_move


class PlaythroughAgentState(ABC):
    """One state of the playthrough agent; each time that it is entered a new object is made.

    Derive from it for a state of your own, and add that to `PlaythroughAgentStates`. `__init__` is
    called when the state is entered, `step` in each communication frame, the first one too. A state
    goes over to another one by `context.leave` or `context.change`.
    """

    name: ClassVar[str] = ""
    """What transitions, reports and recordings call it."""
    leaves_route: ClassVar[bool] = False
    """Whether it acts by rules alone, whatever the demo did: from where the route was left, the
    agent goes back to that place then."""

    def __init__(self, context: PlaythroughAgentContext, view: ObservationView) -> None:
        self.frames = 0
        """A count for the state's own use, 0 when it is entered."""

    def follow_route(self, context: PlaythroughAgentContext, view: ObservationView) -> None:
        """Walk on along the demo's route for a frame, as `move_checkpoint` does."""
        step_normal_move(context, view)

    @abstractmethod
    def step(self, context: PlaythroughAgentContext, view: ObservationView) -> bool:
        """Press what this frame needs; True if the transitions are to be checked again at once."""
