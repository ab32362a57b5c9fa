"""The task of the demo's current row: a conversation, a pad replay, or the next way point."""

import math

from ..agent_context import PlaythroughAgentContext
from ..engine_axes import turn_to
from ..observation_view import ObservationView
from ..playthrough_settings import StartSettings
from .demo_route import RouteStart
from .interaction_pose import interaction_pose


def next_row(context: PlaythroughAgentContext) -> int:
    """The row of the way point to go to; the present one if none can be walked to."""
    route, memory = context.route, context.memory
    row = route.next_move_checkpoint_data(memory.row, fine=memory.row < memory.fine_until)
    gate = context.events.gate
    if gate is not None:
        row = min(row, max(gate.start, memory.row))
    return min(row, route.part_end(memory.row))


def opening_here(context: PlaythroughAgentContext) -> RouteStart | None:
    """The conversation that is to be begun at the present row."""
    route, memory = context.route, context.memory
    opening = route.openings.get(memory.row)
    if opening is None:
        return None
    gate = context.events.gate
    if gate is not None and gate.start == opening.start:
        return opening
    stay = route.screen_starts.get(opening.start)
    return opening if stay is not None and opening.start >= memory.screens_until else None


def start_here(context: PlaythroughAgentContext) -> StartSettings | None:
    """What the pad is to be replayed for at the present row, and was not yet."""
    memory = context.memory
    if memory.replayed == memory.row or memory.row in memory.deeds_done:
        return None
    return context.route.starts.get(memory.row)


def ready_start(context: PlaythroughAgentContext, view: ObservationView) -> str | None:
    """What the pad's replay begins for at the present row, if the game is ready."""
    start, memory = start_here(context), context.memory
    if start is None or memory.returning is not None or memory.wiggling or not context.free(view):
        return None
    if opening_here(context) is not None or why_not_ready(context, start, view):
        return None
    return start.name


def why_not_ready(
    context: PlaythroughAgentContext, start: StartSettings, view: ObservationView
) -> str:
    """What is not as it was in the demo before the present row; empty if all is."""
    route, extras = context.route, view.seen.extras
    before = max(0, context.memory.row - 1)
    if route.can_jump[before] and not view.seen.can_jump:
        return "no jump is available"
    if start.where in route.own and not extras.get(start.where):
        return f"{start.where} is {extras.get(start.where)!r}"
    if start.face:
        off = turn_to(view.heading, interaction_pose(context, view, context.memory.row).heading)
        if abs(off) > context.settings.turning.still:
            return f"it faces {math.degrees(off):+.0f}° off where it did"
    for column in start.ready:
        if column in route.own:
            expected, actual = route.value(before, column), extras.get(column)
            if actual != expected:
                return f"{column} is {actual!r}, in the demo's row {before} it was {expected!r}"
    return ""
