"""One row of the demo's pad, given to the hands."""

from typing import TYPE_CHECKING

from ...playback.pad import PULLED
from .button_presses import TRIGGER, bits_of
from .observation_view import ObservationView

if TYPE_CHECKING:
    from .playthrough_agent import PlaythroughAgent

SHOWN = 0.25
"""How far a stick must be pushed for a correction to be worth while: who stands, stands."""


def replay_walk(agent: "PlaythroughAgent", sight: ObservationView, row: int) -> None:
    """The row's sticks and buttons, the sticks turned to where the player looks now."""
    route, settings, geometry = agent.route, agent.settings, agent.geometry
    x, y = route.direction(row)
    gain = settings.pad_replay.correction
    if gain and x * x + y * y > SHOWN * SHOWN:
        there = route.stand(row)
        x += gain * (there[0] - sight.place[0])
        y += gain * (there[1] - sight.place[1])
    agent.hands.walk(geometry.stick((x, y), sight.heading, sight.camera))
    if settings.engine.facing != "walk":
        agent.walker.face(sight, route.heading(row))
    _buttons(agent, row, _as_it_was(agent, sight, row))
    if x or y:
        agent.hands.hold(bits_of(settings.keys.run))


def replay_menu(agent: "PlaythroughAgent", row: int) -> None:
    """The row's stick and buttons as they were: a menu has no directions on the plan."""
    agent.hands.walk(agent.route.stick(row))
    _buttons(agent, row)


def _as_it_was(agent: "PlaythroughAgent", sight: ObservationView, row: int) -> int:
    """The buttons that would switch what is already as it was after this row."""
    route, spared = agent.route, 0
    for start in agent.settings.pad_replay.starts:
        column = start.switches
        if column in route.own and route.told(row, column) == sight.seen.extras.get(column):
            for key in start.pressed:
                spared |= bits_of(key)
    return spared


def _buttons(agent: "PlaythroughAgent", row: int, spared: int = 0) -> None:
    route = agent.route
    held, pull, hands = route.held(row), route.pull(row), agent.hands
    if spared & TRIGGER and not hands.pulled and pull > PULLED:
        pull = 0.0
    hands.pull(pull)
    if held is None:
        hands.press(route.pressed[row] & ~(TRIGGER | spared))
    else:
        hands.hold(held & ~(spared & ~hands.held))
