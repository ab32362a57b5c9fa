"""move_checkpoint: walk along the demo's route. All other states return to it."""

from ..agent_context import PlaythroughAgentContext
from ..observation_view import ObservationView
from ..route.route_follower import step_normal_move
from ..route.row_tasks import ready_start
from ..state_names import MOVE
from .agent_state import PlaythroughAgentState


class MoveCheckpoint(PlaythroughAgentState):
    """Walks, talks to people where the demo did, and goes back where it is stuck."""

    name = MOVE

    def __init__(self, context: PlaythroughAgentContext, view: ObservationView) -> None:
        super().__init__(context, view)
        context.memory.ruled = False
        context.walker.forget()

    def step(self, context: PlaythroughAgentContext, view: ObservationView) -> bool:
        step_normal_move(context, view)
        # A replay begins in the very frame, still in the swing of walking.
        return ready_start(context, view) is not None
