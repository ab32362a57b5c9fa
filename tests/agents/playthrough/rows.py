"""Demos made row by row, and observations to go with them."""

from collections.abc import Sequence
from typing import Any

from playhead.agents.playthrough.engine_axes import EngineGeometry
from playhead.agents.playthrough.playthrough_settings import AgentSettings, parse_settings
from playhead.agents.playthrough.route.demo_route import DemoRoute
from playhead.agents.recorded_demo import Demo, DemoRow
from playhead.games.playable_interface import Observation

NEUTRAL_ROW: dict[str, Any] = {
    "player_x": 0.0, "player_y": 0.0, "player_z": 0.0, "player_facing": 0.0,
    "camera_horizontal": 0.0, "camera_vertical": 0.0, "stick_x": 0.0, "stick_y": 0.0,
    "button_y": False, "button_x": False, "button_b": False, "button_a": False,
    "pad_up": False, "pad_left": False, "pad_right": False, "pad_down": False,
    "button_r": False, "button_start": False, "trigger_l": False, "trigger_l_value": 0.0,
    "message": False, "in_air": False, "can_jump": False, "level": "", "event": "",
}  # fmt: skip


def row(x: float = 0.0, y: float = 0.0, **rest: Any) -> DemoRow:
    """A row at a place; all else is neutral unless it is said."""
    return DemoRow(**{**NEUTRAL_ROW, "player_x": x, "player_y": y, **rest})


def walk(count: int, step: float = 0.1, **at: dict[int, Any]) -> list[DemoRow]:
    """So many rows along x; `at` says for a column what it is in which row."""
    return [
        row(
            number * step, stick_x=1.0,
            **{name: values[number] for name, values in at.items() if number in values},
        )
        for number in range(count)
    ]  # fmt: skip


def demo_of(rows: Sequence[DemoRow], **own: Sequence[Any]) -> Demo:
    """A demo of these rows, with own columns."""
    return Demo.of(rows, own=own)


def route_of(
    rows: Sequence[DemoRow], settings: str | AgentSettings = "", **own: Sequence[Any]
) -> DemoRoute:
    """What the agent knows of them."""
    if isinstance(settings, str):
        settings = parse_settings(settings)
    return DemoRoute(demo_of(rows, **own), settings, EngineGeometry(settings.engine))


def seen(x: float = 0.0, y: float = 0.0, **rest: Any) -> Observation:
    """An observation at a place."""
    return Observation((x, y, rest.pop("z", 0.0)), rest.pop("facing", 0.0), (0.0, 0.0), **rest)
