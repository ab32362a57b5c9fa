"""back_to_demoroute: walk back to where the demo was left."""

from typing import TYPE_CHECKING

from ..route_follower import move_recovery, walk_back
from ..state_transitions import BACK, MOVE
from .state import State

if TYPE_CHECKING:
    from ..observation_view import ObservationView
    from ..playthrough_agent import PlaythroughAgent


class BackToDemoroute(State):
    """Ends at `last_checkpoint`, or where the way there is blocked."""

    name = BACK

    def __init__(self, agent: "PlaythroughAgent", sight: "ObservationView") -> None:
        super().__init__(agent, sight)
        agent.walker.forget()
        agent.retraced = None

    def step(self, agent: "PlaythroughAgent", sight: "ObservationView") -> bool:
        self.frames += 1
        place = agent.last_checkpoint
        if place is None or walk_back(agent, sight, place, agent.settings.route):
            agent.change(MOVE, sight, won="arrived")
            return True
        if agent.walker.stuck:
            agent.change(MOVE, sight, won="blocked")
            move_recovery(agent, sight, "the way back to the route is blocked")
        return False
