"""The player of any game with a pad, as a body that behaviour trees control."""

import math
from collections.abc import Mapping
from typing import Any

from ..playback.pads.pad import Button, Pad
from .playable_interface import DemoColumns, Observation, ObservedEntity, Playable
from .tree_body_interface import CommandRange, Place, TreeValue
from .walk_map import WalkMap

AXES = ("ahead", "right", "turn", "look")
"""Along the player's own axes; `turn` and `look` are the right stick, to the right and up."""
TRIGGERS = ("left_trigger", "right_trigger")
BUTTONS = {f"button_{button.name}".lower(): button for button in Button}
_SEEN = ("enemy", "boss", "item")
_PLAIN = (
    "position", "x", "y", "z", "facing", "message", "in_air", "can_jump", "level", "event",
    "screen", "field", "dead", "finished",
)  # fmt: skip


class PadBody:
    """Holds the pad of a game.

    The values have the nearest of enemies, bosses and items: `enemy` is its label, `enemy_distance`
    how far it is, `enemy_bearing` its angle off the player's front (radians, positive to the left),
    `enemy_position` where it is, and `enemies` how many there are.
    """

    commands: Mapping[str, CommandRange] = {
        **dict.fromkeys(AXES, CommandRange(-1.0, 1.0)),
        **dict.fromkeys((*TRIGGERS, *BUTTONS), CommandRange(0.0, 1.0)),
    }

    def __init__(self, game: Playable) -> None:
        self.game = game
        columns = tuple(game.columns) if isinstance(game, DemoColumns) else ()
        seen = (
            f"{one}{suffix}"
            for one in _SEEN
            for suffix in ("", "_distance", "_bearing", "_position")
        )
        self.values = frozenset((*_PLAIN, *columns, *seen, "enemies", "bosses", "items"))
        self._seen = game.observe()

    @property
    def object(self) -> int:
        return self.game.player

    @property
    def position(self) -> Place:
        return self._seen.position

    @property
    def facing(self) -> float:
        return self._seen.facing

    def observe(self) -> Mapping[str, TreeValue]:
        seen = self._seen = self.game.observe()
        x, y, z = seen.position
        values: dict[str, Any] = {
            **{name: getattr(seen, name) for name in _PLAIN if name not in ("x", "y", "z")},
            "x": x, "y": y, "z": z, **seen.extras,
            "enemies": len(seen.enemies), "bosses": len(seen.bosses), "items": len(seen.items),
        }  # fmt: skip
        for name, things in zip(_SEEN, (seen.enemies, seen.bosses, seen.items), strict=True):
            values.update(_nearest(name, seen, things))
        return values

    def act(self, commands: Mapping[str, float]) -> None:
        ahead, right, turn, look = (commands.get(name, 0.0) for name in AXES)
        if self.game.sticks == "world":
            sin, cos = math.sin(self.facing), math.cos(self.facing)
            left = (ahead * cos + right * sin, ahead * sin - right * cos)
        else:
            left = (right, ahead)
        most = max(1.0, math.hypot(*left))
        held = sum(int(bit) for name, bit in BUTTONS.items() if commands.get(name, 0.0) >= 0.5)
        pulled = [commands.get(name, 0.0) for name in TRIGGERS]
        stick = (left[0] / most, left[1] / most)
        self.game.hold(Pad(stick, (turn, look), pulled[0], pulled[1], held))

    def release(self) -> None:
        self.game.hold(None)

    def walk_map(self) -> WalkMap | None:
        return None


def _nearest(
    name: str, seen: Observation, things: tuple[ObservedEntity, ...]
) -> dict[str, TreeValue]:
    here = seen.position
    nearest = min(things, key=lambda thing: math.dist(thing.position, here), default=None)
    if nearest is None:
        none = {f"{name}_bearing": 0.0, f"{name}_position": None}
        return {name: "", f"{name}_distance": math.inf, **none}
    away = (nearest.position[0] - here[0], nearest.position[1] - here[1])
    bearing = math.remainder(math.atan2(away[1], away[0]) - seen.facing, math.tau)
    return {
        name: nearest.label,
        f"{name}_distance": math.dist(nearest.position, here),
        f"{name}_bearing": bearing,
        f"{name}_position": nearest.position,
    }
