"""Where to stand, and where to look, for what is to be done in a row of the demo."""

import math
from typing import NamedTuple

from ..agent_context import PlaythroughAgentContext
from ..engine_axes import PlanPoint, Stick, bearing, plan_distance, turn_to
from ..observation_view import ObservationView

ASIDE = 0.7
"""Radians: a partner farther off the demo's direction has moved."""
AROUND = (0.5 * math.pi, -0.5 * math.pi, math.pi)
"""Radians from the demo's place, around whom or what is meant: where else one may stand."""
NEARER = 0.6
"""The share of the reach by which it steps nearer while nothing comes of it."""


class InteractionPose(NamedTuple):
    """Where to stand and look."""

    point: PlanPoint
    heading: float
    moved: Stick = (0.0, 0.0)
    """How far that is from the demo's place, on the plan."""


def interaction_pose(
    context: PlaythroughAgentContext, view: ObservationView, row: int
) -> InteractionPose:
    """The player's place and view in the demo before the row; or in front of whom it talked to, or
    what it used there, if that has moved."""
    route, memory, talking = context.route, context.memory, context.settings.talking
    x, y, z = route.point_before(row)
    dx, dy = memory.shifts.get(row, (0.0, 0.0))
    point = x + dx, y + dy, z
    opens = row in route.openings
    heading = route.heading(row if opens else max(0, row - 1))
    name = route.partners.get(row)
    there = [
        found.point for found in view.around(view.seen.people) if found.thing.label == name
    ]  # fmt: skip
    who = min(there, key=lambda one: plan_distance(one, point), default=None)
    if who is None:
        return InteractionPose(point, heading)
    away = plan_distance(who, point)
    ahead = abs(turn_to(heading, bearing(point, who))) <= ASIDE
    as_before = talking.distance < away <= talking.reach + talking.distance and ahead
    side = memory.sides.get(row, 0)
    if (as_before and not side) or away > talking.search:
        return InteractionPose(point, heading)
    if side:
        towards = bearing(point, who) + AROUND[side - 1]
    elif plan_distance(view.point, who) <= talking.distance:
        towards = heading
    else:  # from where it comes: that way is free
        towards = bearing(view.point, who)
    # How near is near enough is not known.
    tries = context.settings.recovery.attempts
    share = memory.talking / talking.patience if opens else memory.attempts / max(1, tries)
    reach = talking.reach * (1.0 - NEARER * min(1.0, share))
    x, y = who[0] - reach * math.cos(towards), who[1] - reach * math.sin(towards)
    return InteractionPose((x, y, who[2]), towards, (x - point[0], y - point[1]))


def stand_elsewhere(context: PlaythroughAgentContext, view: ObservationView) -> bool:
    """The place at which something is to be done next can't be reached: choose another side of whom
    or what is meant there; False if there is none left, or nothing of that name is in view."""
    route, memory = context.route, context.memory
    row = memory.target_row if memory.target_row in route.exact else route.next_exact(memory.row)
    side, name = memory.sides.get(row, 0), route.partners.get(row)
    search = context.settings.talking.search
    around = (found for found in view.around(view.seen.people) if found.thing.label == name)
    if (
        name is None
        or row <= memory.row
        or side >= len(AROUND)
        or not any(plan_distance(one.point, route.point_before(row)) <= search for one in around)
    ):
        return False
    memory.sides[row] = side + 1
    memory.detours = 0
    context.walker.forget()
    return True
