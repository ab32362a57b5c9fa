"""Replays the pad of one row of the demo."""

from ....playback.pads.pad import PULLED
from ..agent_context import PlaythroughAgentContext
from ..observation_view import ObservationView
from .button_presser import TRIGGER, bits_of

SHOWN = 0.25
"""How far a stick must be pushed to be corrected: a player that does not move is left alone."""


def replay_walk(
    context: PlaythroughAgentContext, view: ObservationView, row: int, first: int
) -> None:
    """The row's sticks and buttons, the sticks turned to where the player looks now.

    Args:
        first: The row in which the replay began, perhaps beside its place in the demo.
    """
    route, settings, geometry = context.route, context.settings, context.geometry
    x, y = route.direction(row)
    gain = settings.pad_replay.correction
    if gain and x * x + y * y > SHOWN * SHOWN:
        there = route.point_before(row)
        dx, dy = context.memory.shifts.get(first, (0.0, 0.0))
        left = max(0.0, 1.0 - (row - first) / (2 * settings.pad_replay.frames))
        x += gain * (there[0] + left * dx - view.point[0])
        y += gain * (there[1] + left * dy - view.point[1])
    context.presser.walk(geometry.stick((x, y), view.heading, view.camera))
    if settings.engine.facing != "walk":
        context.walker.face(view, route.heading(row))
    _buttons(context, row, _as_it_was(context, view, row))
    if x or y:
        context.presser.hold(bits_of(settings.keys.run))


def replay_menu(context: PlaythroughAgentContext, row: int) -> None:
    """The row's stick and buttons as they were: a menu has no directions on the plan."""
    context.presser.walk(context.route.stick(row))
    _buttons(context, row)


def _as_it_was(context: PlaythroughAgentContext, view: ObservationView, row: int) -> int:
    """The buttons that would switch what is already as it was after this row."""
    route, spared = context.route, 0
    for start in context.settings.pad_replay.starts:
        column = start.switches
        if column in route.own and route.value(row, column) == view.seen.extras.get(column):
            for key in start.pressed:
                spared |= bits_of(key)
    return spared


def _buttons(context: PlaythroughAgentContext, row: int, spared: int = 0) -> None:
    route = context.route
    held, pull, presser = route.held_buttons(row), route.pull(row), context.presser
    if spared & TRIGGER and not presser.pulled and pull > PULLED:
        pull = 0.0
    presser.pull(pull)
    if held is None:
        presser.press(route.pressed[row] & ~(TRIGGER | spared))
    else:
        presser.hold(held & ~(spared & ~presser.held))
        # What was let go again within the row is not among what was held at its end.
        presser.press(route.pressed[row] & ~(held | TRIGGER | spared))
