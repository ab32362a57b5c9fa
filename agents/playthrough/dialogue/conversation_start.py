"""Starts a conversation: stand and look as the demo did, then confirm again and again."""

from ..agent_context import PlaythroughAgentContext
from ..engine_axes import plan_distance, turn_to
from ..observation_view import ObservationView
from ..route.blocked_path_recovery import move_recovery
from ..route.demo_route import RouteStart
from ..route.interaction_pose import interaction_pose


def preprocess_npctalk(
    context: PlaythroughAgentContext, view: ObservationView, opening: RouteStart
) -> None:
    """One frame of it. What ends it is that the event, or the screen, is there."""
    memory = context.memory
    talking, row = context.settings.talking, opening.press
    point, heading, _ = interaction_pose(context, view, row)
    memory.talking += 1
    if memory.talking > talking.patience:
        memory.talking = 0
        move_recovery(context, view, f"nothing came of talking at row {row}", kind="event")
        return
    if plan_distance(view.point, point) > talking.distance:
        context.walker.approach(view, point, ("talk", row), radius=talking.distance / 2, exact=True)
        return
    if (
        context.settings.engine.facing == "aim"
        or abs(turn_to(view.heading, heading)) > talking.angle
    ):
        context.walker.face(view, heading)
    if abs(turn_to(view.heading, heading)) <= talking.angle:
        context.presser.mash(context.settings.keys.confirm, talking.period)
