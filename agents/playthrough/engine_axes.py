"""How engines differ: axes, units, angles and sticks; only this module knows.

The rest of the agent uses *plan* coordinates: metres, x to the right and y ahead on a map seen
from above, height z upwards; headings in radians, counter-clockwise from x.
"""

import math
from collections.abc import Sequence
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from ...errors import GameError
from ...recorder.world_adapter import Conventions

PlanPoint = tuple[float, float, float]
"""A point in plan coordinates."""
Stick = tuple[float, float]
Floats = npt.NDArray[np.float64]


class EngineConventions(msgspec.Struct, frozen=True):
    """Which engine a game is made with."""

    kind: Literal["game", "arena", "doom", "godot", "unreal", "unity"]
    """`game`: as the game itself says by its conventions."""
    scale: Annotated[float, msgspec.Meta(ge=0)]
    """Metres in one of the game's units of length; 0 for what is usual with that engine."""
    sticks: Literal["game", "world", "player", "camera"]
    """What the left stick points along: the plan's axes, or ahead of the player or the camera;
    `game` as the game itself says."""
    facing: Literal["walk", "aim", "turn"]
    """What turns the player: walking, the right stick pointed at what to face (in the left one's
    frame), or the right stick sideways."""


class Axes(NamedTuple):
    """How one kind of engine counts."""

    columns: tuple[int, int, int]
    """Which of its axes are plan x, plan y and height."""
    signs: tuple[int, int, int]
    turn: int
    """1 if its headings grow counter-clockwise on the plan, −1 if clockwise."""
    zero: float
    """The plan's heading at its heading 0."""
    metres: float
    """Metres in one of its units."""
    degrees: bool


AXES = {
    # z up, right-handed.
    "arena": Axes((0, 1, 2), (1, 1, 1), 1, 0.0, 1.0, False),
    # As in the arena, but in map units, 56 of which are as tall as a person.
    "doom": Axes((0, 1, 2), (1, 1, 1), 1, 0.0, 1 / 32, False),
    # x ahead, y to the right, z up: left-handed, in centimetres; yaw in degrees, from x towards y.
    "unreal": Axes((0, 1, 2), (1, -1, 1), -1, 0.0, 0.01, True),
    # x to the right, y up, z towards the viewer; yaw in radians, 0 looks along −z.
    "godot": Axes((0, 2, 1), (1, -1, 1), 1, math.pi / 2, 1.0, False),
    # x to the right, y up, z ahead: left-handed; yaw in degrees, from z towards x.
    "unity": Axes((0, 2, 1), (1, 1, 1), -1, math.pi / 2, 1.0, True),
}


METRES = {
    "m": 1.0, "cm": 0.01, "mm": 0.001, "dm": 0.1, "km": 1000.0, "ft": 0.3048, "in": 0.0254,
    "yd": 0.9144,
}  # fmt: skip
"""Metres in a unit of length, by the names of `Conventions`. Any other is taken for metres."""


def axes_of(conventions: Conventions) -> Axes:
    """How a game counts that says so itself. Its headings are radians, counter-clockwise seen from
    above, and 0 looks along its x axis.

    Raises:
        GameError: such axes are impossible.
    """
    up, hand = conventions.up, conventions.handedness
    if up not in ("y", "z") or hand not in ("left", "right"):
        raise GameError(
            f"conventions: up {up!r}, handedness {hand!r}: an agent knows y or z up, left or right"
        )
    metres = METRES.get(conventions.unit, 1.0)
    if up == "z":
        return Axes((0, 1, 2), (1, 1 if hand == "right" else -1, 1), 1, 0.0, metres, False)
    return Axes((0, 2, 1), (1, -1 if hand == "right" else 1, 1), 1, 0.0, metres, False)


class EngineGeometry:
    """Turns a game's coordinates into the plan's, and directions on the plan into sticks.

    Args:
        engine: As the settings say.
        conventions: As the game itself says, for a `kind` of `game`.
        sticks: The same for `sticks`.
    """

    def __init__(
        self,
        engine: EngineConventions,
        conventions: Conventions | None = None,
        sticks: str = "world",
    ) -> None:
        self.engine = engine
        self._sticks = sticks if engine.sticks == "game" else engine.sticks
        conventions_used = conventions or Conventions()
        self._axes = axes_of(conventions_used) if engine.kind == "game" else AXES[engine.kind]
        self._metres = engine.scale or self._axes.metres
        self._angle = math.pi / 180 if self._axes.degrees else 1.0

    @property
    def metres(self) -> float:
        """Metres in one unit of the game."""
        return self._metres

    def plan_point(self, position: Sequence[float]) -> PlanPoint:
        """A position of the game's, on the plan."""
        (x, y, z), (sx, sy, sz) = self._axes.columns, self._axes.signs
        metres = self._metres
        return sx * position[x] * metres, sy * position[y] * metres, sz * position[z] * metres

    def plan_direction(self, vector: Sequence[float]) -> Stick:
        """A direction or velocity of the game's, seen from above; metres for its units."""
        x, y, _ = self.plan_point(vector)
        return x, y

    def plan_points(self, positions: npt.ArrayLike) -> Floats:
        """Many positions at once, (n, 3)."""
        there = np.asarray(positions, float).reshape(-1, 3)
        result: Floats = there[:, self._axes.columns] * self._axes.signs * self._metres
        return result

    def game_position(self, point: Sequence[float]) -> PlanPoint:
        """A place on the plan, as a position of the game's."""
        result = [0.0, 0.0, 0.0]
        for value, column, sign in zip(point, self._axes.columns, self._axes.signs, strict=True):
            result[column] = value * sign / self._metres
        return result[0], result[1], result[2]

    def game_positions(self, points: Floats) -> Floats:
        """Many places at once, (n, 3)."""
        result = np.empty_like(points)
        result[:, self._axes.columns] = points * self._axes.signs / self._metres
        return result

    def heading(self, angle: float) -> float:
        """A heading of the game's, on the plan."""
        return self._axes.zero + self._axes.turn * angle * self._angle

    def headings(self, angles: npt.ArrayLike) -> Floats:
        """Many headings at once."""
        result: Floats = self._axes.zero + self._axes.turn * np.asarray(angles, float) * self._angle
        return result

    def pitch(self, angle: float) -> float:
        """How far a camera looks above the horizon, in radians."""
        return angle * self._angle

    def stick(self, direction: Stick, facing: float, camera: float) -> Stick:
        """Where to push the left stick to go in this direction on the plan."""
        ahead = self._ahead(facing, camera)
        if ahead is None:
            return direction
        x, y = direction
        cos, sin = math.cos(ahead), math.sin(ahead)
        return x * sin - y * cos, x * cos + y * sin

    def direction(self, stick: Stick, facing: float, camera: float) -> Stick:
        """Where on the plan the left stick points."""
        ahead = self._ahead(facing, camera)
        if ahead is None:
            return stick
        x, y = stick
        cos, sin = math.cos(ahead), math.sin(ahead)
        return x * sin + y * cos, y * sin - x * cos

    def _ahead(self, facing: float, camera: float) -> float | None:
        if self._sticks == "world":
            return None
        return facing if self._sticks == "player" else camera


def plan_distance(one: Sequence[float], other: Sequence[float]) -> float:
    """Metres between two places, seen from above."""
    return math.hypot(one[0] - other[0], one[1] - other[1])


def line_distance(point: Sequence[float], start: Sequence[float], end: Sequence[float]) -> float:
    """Metres from a place to the line between two others, seen from above."""
    x, y = end[0] - start[0], end[1] - start[1]
    size = x * x + y * y
    along = ((point[0] - start[0]) * x + (point[1] - start[1]) * y) / size if size else 0.0
    along = max(0.0, min(1.0, along))
    return math.hypot(point[0] - start[0] - along * x, point[1] - start[1] - along * y)


def bearing(start: Sequence[float], end: Sequence[float]) -> float:
    """The heading from one place to another."""
    return math.atan2(end[1] - start[1], end[0] - start[0])


def turn_to(heading: float, target: float) -> float:
    """How far to turn counter-clockwise, −π … π."""
    return (target - heading + math.pi) % (2 * math.pi) - math.pi


def clamped(stick: Sequence[Any]) -> Stick:
    """The same direction, no longer than a stick can be pushed."""
    x, y = float(stick[0]), float(stick[1])
    length = math.hypot(x, y)
    return (x / length, y / length) if length > 1.0 else (x, y)
