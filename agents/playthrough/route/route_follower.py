"""Follows the demo's route: way point after way point, with the task at each."""

import math

from ..agent_context import PlaythroughAgentContext
from ..dialogue.conversation_start import preprocess_npctalk
from ..engine_axes import Stick, line_distance, plan_distance
from ..observation_view import ObservationView
from ..pad.button_presser import bits_of
from .blocked_path_recovery import find_way_on, move_recovery, walk_back
from .interaction_pose import interaction_pose
from .row_tasks import next_row, opening_here, ready_start, start_here, why_not_ready

STRAYING = 0.4
"""How fast it goes at most while it is beside its line and pads are late."""
LOOK_BACK = 15
"""Rows in which the direction is looked for in which the demo went on."""


def step_normal_move(context: PlaythroughAgentContext, view: ObservationView) -> None:
    """One frame along the route: way point after way point, each in a straight line."""
    memory = context.memory
    memory.last_checkpoint = view.point
    _push_periodically(context)
    walker = context.walker
    if memory.wiggling > 0:
        memory.wiggling -= 1
        walker.walk(view, memory.wiggle)
        return
    if memory.returning is not None:
        row = memory.returning
        moving, exact = context.settings.moving, row in context.route.exact
        point = interaction_pose(context, view, row).point if exact else context.route.point(row)
        radius = moving.exact if exact else moving.arrival
        if not walk_back(context, view, point, radius, exact=exact):
            _recover_if_stuck(context, view, f"the way back to row {row} is blocked")
            return
        memory.row, memory.returning = row, None
        if ready_start(context, view) is not None:
            return
    _align_modes(context, view)
    if not _do_here(context, view):
        _walk_on(context, view)


def _align_modes(context: PlaythroughAgentContext, view: ObservationView) -> None:
    """Switch what is not as it was in the demo: a blow may have done it, here or in the demo.

    Only what has differed for a while is switched, for the last press may not be seen yet.
    """
    memory = context.memory
    talking, settle = context.settings.talking, context.settings.events.settle
    for start in context.settings.pad_replay.starts:
        column = start.switches
        if column not in context.route.own or view.seen.in_air:
            continue
        differs = context.route.value(memory.row, column) != view.seen.extras.get(column)
        frames = memory.differing[column] = memory.differing.get(column, 0) + 1 if differs else 0
        if frames > settle and (frames - settle) % talking.period == 1:
            for key in start.pressed[:1]:
                context.presser.press(bits_of(key))


def _walk_on(context: PlaythroughAgentContext, view: ObservationView) -> None:
    """Go to the next way point, past all those that have been reached."""
    memory = context.memory
    route, moving = context.route, context.settings.moving
    while (row := next_row(context)) > memory.row:
        memory.target_row = row
        exact = row in route.exact
        point = interaction_pose(context, view, row).point if exact else route.point(row)
        # Beside its line at a ledge, with late pads: a fast player falls.
        strays = view.late and line_distance(
            view.point, route.point(memory.row), point
        ) > moving.exact  # fmt: skip
        if not context.walker.approach(
            view, point, ("row", row), radius=moving.exact if exact else moving.arrival,
            exact=exact, passing=not exact, speed=route.speed(row),
            most=max(STRAYING, moving.cautious) if strays else 1.0,
        ):  # fmt: skip
            _recover_if_stuck(context, view, f"no way to row {row}")
            return
        memory.reach(row)
        if exact or row == route.part_end(row):
            # What is to be done here is done first; whether a state follows is asked once a frame.
            context.walker.forget()
            if ready_start(context, view) is None:
                _do_here(context, view)
            return


def _do_here(context: PlaythroughAgentContext, view: ObservationView) -> bool:
    """What the row asks for before the route goes on; True if that takes the pad."""
    memory = context.memory
    route, gate = context.route, context.events.gate
    opening = opening_here(context)
    if opening is not None:
        preprocess_npctalk(context, view, opening)
        return True
    if gate is not None and memory.row >= gate.start:
        _await_event(context, view)
        return True
    start = start_here(context)
    if start is not None and opening is None and (unready := why_not_ready(context, start, view)):
        context.walker.idle()
        if context.walker.stalled_frames > context.settings.pad_replay.wait:
            move_recovery(context, view, f"{start.name} at row {memory.row}: {unready}")
        elif start.face:
            context.walker.face(view, interaction_pose(context, view, memory.row).heading)
        return True
    if memory.row == route.part_end(memory.row) and memory.row < route.count - 1:
        _cross(context, view)
        return True
    return False


def _await_event(context: PlaythroughAgentContext, view: ObservationView) -> None:
    """The demo was in an event here: walk on a little, in case it has to be walked into."""
    gate = context.events.gate
    assert gate is not None
    opening = context.route.openings_by_start.get(gate.start)
    if opening is not None and opening.press < context.memory.row:
        context.memory.row = opening.press  # it was the demo that began it
        return
    context.walker.idle()
    if context.walker.stalled_frames > context.settings.events.expected:
        if context.events.is_brief(gate):
            context.events.give_up(gate)
            return
        move_recovery(
            context, view, f"event {gate.id} has not begun", kind="event",
        )  # fmt: skip
        return
    if context.walker.stalled_frames > context.settings.events.settle:
        context.walker.walk(view, point_ahead(context, gate.start))


def _cross(context: PlaythroughAgentContext, view: ObservationView) -> None:
    """The route goes on in another level, or far away: do what the demo did to get there."""
    route, row = context.route, context.memory.row
    ahead = row + 1
    if route.levels[ahead] == route.levels[row]:
        there = plan_distance(view.point, route.point(ahead))
        if (
            there < plan_distance(view.point, route.point(row))
            and there <= context.settings.events.near
        ):
            context.memory.reach(ahead)
            return
    context.walker.idle()
    if context.walker.stalled_frames % context.settings.talking.period == 1:
        context.presser.press(route.pressed[ahead])
    context.walker.walk(view, point_ahead(context, ahead))
    if context.walker.stuck:
        move_recovery(context, view, f"the way on to row {ahead} did not open")


def point_ahead(context: PlaythroughAgentContext, row: int) -> Stick:
    """Where the demo was walking when it came to a row."""
    for at in range(row, max(-1, row - LOOK_BACK), -1):
        direction = context.route.direction(at)
        if math.hypot(*direction) > 0.3:
            return direction
    return 0.0, 0.0


def _push_periodically(context: PlaythroughAgentContext) -> None:
    """Keep the present row as a point of return, but not while nothing comes of walking."""
    memory = context.memory
    if (
        context.report.frames % context.settings.recovery.period == 0
        and context.walker.stalled_frames == 0
        and memory.returning is None
        and memory.row >= memory.furthest
    ):
        memory.push(memory.row)


def _recover_if_stuck(context: PlaythroughAgentContext, view: ObservationView, reason: str) -> None:
    if context.walker.stuck:
        find_way_on(context, view, reason)
