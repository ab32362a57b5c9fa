"""move_checkpoint: walk along the demo's route. The state that all others come back to."""

from typing import TYPE_CHECKING

from ..route_follower import step_normal_move
from ..state_transitions import MOVE
from .state import State

if TYPE_CHECKING:
    from ..observation_view import ObservationView
    from ..playthrough_agent import PlaythroughAgent


class MoveCheckpoint(State):
    """Walks, talks to people where the demo did, and goes back where it is stuck."""

    name = MOVE

    def __init__(self, agent: "PlaythroughAgent", sight: "ObservationView") -> None:
        super().__init__(agent, sight)
        agent.ruled = False
        agent.walker.forget()

    def step(self, agent: "PlaythroughAgent", sight: "ObservationView") -> bool:
        step_normal_move(agent, sight)
        # A replay begins in the very frame, still in the swing of walking.
        return agent.starting(sight) is not None
