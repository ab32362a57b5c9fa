"""back_to_demoroute: walk back to where the demo was left."""

from ..agent_context import PlaythroughAgentContext
from ..observation_view import ObservationView
from ..route.blocked_path_recovery import find_way_on, walk_back
from ..state_names import BACK, MOVE
from .agent_state import PlaythroughAgentState


class BackToDemoroute(PlaythroughAgentState):
    """Ends at `last_checkpoint`, or where the way there is blocked."""

    name = BACK

    def __init__(self, context: PlaythroughAgentContext, view: ObservationView) -> None:
        super().__init__(context, view)
        context.walker.forget()
        context.memory.retraced = None

    def step(self, context: PlaythroughAgentContext, view: ObservationView) -> bool:
        self.frames += 1
        point = context.memory.last_checkpoint
        if point is None or walk_back(context, view, point, context.settings.route):
            context.change(MOVE, view, won="arrived")
            return True
        if context.walker.stuck:
            context.change(MOVE, view, won="blocked")
            find_way_on(context, view, "the way back to the route is blocked")
        return False
