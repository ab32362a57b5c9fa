"""Recovers when the path is blocked: back to a point of return, or on from a later row."""

import math

from ..agent_context import PlaythroughAgentContext
from ..engine_axes import PlanPoint, plan_distance
from ..observation_view import ObservationView
from ..replay_report import Kind
from ..state_names import DETOUR
from .interaction_pose import stand_elsewhere
from .redo_missed_events import can_redo, redo_from
from .row_tasks import opening_here

PLACE = 2.0
"""Metres of the route: farther on it is another place."""
SHUT = 4.0
"""Metres from the place of a press within which a door may have shut again …"""
BEHIND = 12.0
"""… and metres of the route that it may be behind."""
DETOURS = 2
"""So often a way round is looked for at one place; then it goes back to a point of return."""


def walk_back(
    context: PlaythroughAgentContext,
    view: ObservationView,
    point: PlanPoint,
    radius: float,
    *,
    exact: bool = False,
) -> bool:
    """Walk straight to a place, or on the agent's own trail if that is blocked; True if there."""
    memory = context.memory
    walker, near = context.walker, context.settings.moving.exact
    if memory.retraced is None:
        there = walker.approach(view, point, ("back", point), radius=radius, exact=exact)
        if there or not walker.stuck:
            return there
        memory.retraced = memory.trail.back_to(point)
    while len(memory.retraced) > 1:
        crumb = memory.retraced[-1]
        if not walker.approach(
            view, crumb, ("trail", len(memory.retraced)), radius=near, passing=True
        ):
            return False
        memory.retraced.pop()
    return walker.approach(view, point, ("end", point), radius=radius, exact=exact)


def find_way_on(context: PlaythroughAgentContext, view: ObservationView, reason: str) -> None:
    """Walking leads nowhere: look for a way round, or else go back and try again."""
    memory = context.memory
    if context.route.length(memory.furthest) > memory.detoured_at:
        memory.detours = 0
    memory.detoured_at = context.route.length(memory.furthest) + PLACE
    wanted = context.settings.recovery.detour and memory.detours < DETOURS
    if (
        not wanted
        or can_redo(context, view)
        or _jump_again(context, view) is not None
        or _press_again(context, view) is not None
        or _row_here(context, view) is not None
    ):
        move_recovery(context, view, reason)
        return
    memory.detours += 1
    memory.blocked_by = reason
    context.report.recoveries += 1
    context.trace.detoured(reason)
    context.change(DETOUR, view, won="blocked")


def move_recovery(
    context: PlaythroughAgentContext, view: ObservationView, reason: str, *, kind: Kind = "stuck",
    here: bool = False,
) -> None:  # fmt: skip
    """Go back to the newest point of return and try again from there; fail if there is none left.

    Who was drawn farther along the route, by a fight through a door for instance, goes on from
    there. Who fell from where a jump had led goes back to that jump. Where an outcome is not as in
    the demo, it goes back to the row that brought it about; before a door that has shut again,
    after a fight for instance, to the press that opened it. Points of return in another part of the
    route are of no use: they can't be walked to.

    Args:
        here: Whether trying again from where it is may help: not where it is stuck in walking.
    """
    memory = context.memory
    if redo_from(context, view, reason):
        return
    if not here and kind == "stuck" and stand_elsewhere(context, view):
        context.report.recoveries += 1
        context.trace.stands_elsewhere(reason, memory.target_row)
        return
    ahead = None if here else _row_here(context, view)
    if ahead is not None:
        context.report.recoveries += 1
        context.trace.recovered(reason, ahead)
        memory.advance(ahead)
        memory.retraced = None
        context.walker.forget()
        return
    counted = _count(context, kind, reason)
    # A failure names the first reason, not only the last one.
    kind, first = memory.stuck_by
    cause = first if reason == first else f"{first}; then: {reason}"
    if not counted:
        context.fail(
            kind,
            f"stuck for good after {memory.attempts - 1} recoveries at one place: {cause}",
        )
        return
    row, part = _jump_again(context, view), context.route.part(memory.row)
    if row is None:
        row = _press_again(context, view)
        memory.pressed_at = memory.furthest
    arrival = context.settings.moving.arrival
    while row is None and memory.event_buffer:
        entry = memory.event_buffer.pop()
        if isinstance(entry, str):
            continue  # says only what happened between two points of return
        if context.route.part(entry) != part:
            memory.event_buffer.clear()
            break
        near = plan_distance(context.route.point(entry), view.point) <= arrival
        if entry > memory.row or (entry == memory.row and near and not here):
            continue
        row = entry
    if row is None:
        context.fail(kind, f"stuck, and no point of return is left: {cause}")
        return
    memory.returning, memory.retraced, memory.replayed = row, None, None
    memory.fine_until = max(memory.fine_until, memory.target_row + 1)
    context.walker.forget()
    if memory.attempts > 1:
        _start_wiggle(context)
    context.trace.recovered(reason, row)


def _count(context: PlaythroughAgentContext, kind: Kind, reason: str) -> bool:
    """A recovery is due; False if there were too many without a new row."""
    memory = context.memory
    if memory.furthest > memory.stuck_at:
        memory.stuck_at, memory.attempts, memory.stuck_by = memory.furthest, 0, (kind, reason)
    memory.attempts += 1
    if memory.attempts > context.settings.recovery.attempts:
        return False
    context.report.recoveries += 1
    return True


def _jump_again(context: PlaythroughAgentContext, view: ObservationView) -> int | None:
    """The row at which the jump begins that led up to the present row, if the player is down where
    that jump began."""
    route, row, height = context.route, context.memory.row, context.settings.moving.height
    if route.point(row)[2] - view.point[2] <= height:
        return None
    jumps = (
        at for at, start in route.starts.items()
        if start.column == "in_air" and at < row and route.part(at) == route.part(row)
    )  # fmt: skip
    newest = max(jumps, default=None)
    is_below = newest is not None and abs(route.point(newest)[2] - view.point[2]) <= height
    return newest if is_below else None


def _press_again(context: PlaythroughAgentContext, view: ObservationView) -> int | None:
    """The row of a press near the player that may have opened the way on from here; not twice at
    one place.

    Presses that change what the game tells are left alone: a second one might undo the first.
    """
    route, memory = context.route, context.memory
    if memory.pressed_at == memory.furthest:
        return None
    near = (
        at for at, start in route.starts.items()
        if start.pressed and not (start.column or start.outcome or start.switches)
        and at < memory.row and route.part(at) == route.part(memory.row)
        and route.length(memory.row) - route.length(at) <= BEHIND
        and plan_distance(route.point(at), view.point) <= SHUT
    )  # fmt: skip
    return max(near, default=None)


def _start_wiggle(context: PlaythroughAgentContext) -> None:
    """Walk anywhere for some frames."""
    context.memory.wiggling = context.settings.recovery.wiggle
    angle = context.rng.uniform(-math.pi, math.pi)
    context.memory.wiggle = math.cos(angle), math.sin(angle)


def _row_here(context: PlaythroughAgentContext, view: ObservationView) -> int | None:
    """The row ahead at whose place the player is, if nothing is to be done on the way there.

    Ahead is after the row that it goes to: a player before a wall is no farther than the wall.
    """
    route, row = context.route, context.memory.row
    if opening_here(context) is not None or row in route.starts:
        return None
    gate, end = context.events.gate, min(route.next_exact(row), route.part_end(row))
    if gate is not None:
        end = min(end, gate.start)
    moving = context.settings.moving
    found = route.at(view.point, range(row, end), moving.arrival, moving.height)
    return found if found is not None and found > max(row, context.memory.target_row) else None
