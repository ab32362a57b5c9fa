"""Starts a conversation: stand and look as the demo did, then confirm again and again."""

import math
from typing import NamedTuple

from ..agent_context import PlaythroughAgentContext
from ..engine_axes import PlanPoint, bearing, plan_distance, turn_to
from ..observation_view import ObservationView
from ..route.demo_route import RouteStart
from ..route.recovery import move_recovery

ASIDE = 0.7
"""Radians: a partner farther off the demo's direction has moved."""


class TalkingPlace(NamedTuple):
    """Where to stand and look for a conversation."""

    point: PlanPoint
    heading: float


def talking_place(
    context: PlaythroughAgentContext, view: ObservationView, opening: RouteStart
) -> TalkingPlace:
    """The player's place and view in the demo; or in front of its partner, if that has moved."""
    row, talking = opening.press, context.settings.talking
    point, heading = context.route.point_before(row), context.route.heading(row)
    name = context.route.spoken_to.get(row)
    there = [
        found.point for found in view.around(view.seen.people) if found.thing.label == name
    ]  # fmt: skip
    who = min(there, key=lambda one: plan_distance(one, point), default=None)
    if who is None:
        return TalkingPlace(point, heading)
    away = plan_distance(who, point)
    ahead = abs(turn_to(heading, bearing(point, who))) <= ASIDE
    as_before = talking.distance < away <= talking.reach + talking.distance and ahead
    if as_before or away > talking.search:
        return TalkingPlace(point, heading)
    # From where it comes: that way is free.
    towards = bearing(view.point, who)
    if plan_distance(view.point, who) <= talking.distance:
        towards = heading
    # Nobody knows how near is near enough: if nothing comes of it, it steps nearer.
    reach = talking.reach * (1.0 - 0.6 * context.memory.talking / talking.patience)
    x, y = who[0] - reach * math.cos(towards), who[1] - reach * math.sin(towards)
    return TalkingPlace((x, y, who[2]), towards)


def preprocess_npctalk(
    context: PlaythroughAgentContext, view: ObservationView, opening: RouteStart
) -> None:
    """One frame of it. What ends it is that the event, or the screen, is there."""
    memory = context.memory
    talking, row = context.settings.talking, opening.press
    point, heading = talking_place(context, view, opening)
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
