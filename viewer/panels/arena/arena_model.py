"""An arena's state, what can be placed in it, and the outline of what would be placed."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from ...reader.frame_snapshot import FrameSnapshot
from ...scene.view_camera import CameraView

Array = npt.NDArray[np.float64]

NAME = "arena"
"""The name under which an arena records its state, and takes orders on the bus."""
ENEMY = "enemy"
_WALL, _BODY = 2.0, 1.8
"""Metres that walls and enemies are drawn high."""
_CORNERS = 32


class DifficultyOdds(msgspec.Struct, frozen=True):
    """How likely each difficulty is, the easiest first."""

    values: tuple[float, ...]
    locked: tuple[bool, ...]


class ArenaState(msgspec.Struct, frozen=True):
    """An arena at a frame, and what can be ordered there."""

    mode: str
    by_hand: bool
    """Whether a person gives the targets."""
    target: str
    drawn: tuple[str, ...]
    """The targets whose blocks are drawn by the odds."""
    odds: Mapping[str, DifficultyOdds]
    """By target."""
    presets: Mapping[str, tuple[tuple[str, ...], ...]]
    """By target: the names of its blocks, for each difficulty."""
    enemies: int
    blocks: int
    block: float
    """A block's side, metres."""
    enemy: float
    """An enemy's radius, metres."""
    choices: tuple[str, ...] = ()
    """On the start screen: the modes that can be chosen."""
    seconds_left: int = 0
    """For that choice."""

    @property
    def unordered(self) -> str:
        """Why there is nothing to choose or place here, and no target to give; empty if there
        is."""
        if self.by_hand or self.choices:
            return ""
        return f"{self.mode} gives its targets itself: that stays so"

    @property
    def summary(self) -> str:
        """In one line."""
        if self.choices:
            return f"{self.seconds_left} s left, then the game ends by itself"
        if not self.target:
            return f"{self.mode} begins"
        enemies = "1 enemy" if self.enemies == 1 else f"{self.enemies} enemies"
        blocks = "1 block" if self.blocks == 1 else f"{self.blocks} blocks"
        return f"{self.mode} · target {self.target} · {enemies}, {blocks}"


def arena_state_of(snapshot: FrameSnapshot | None) -> ArenaState | None:
    """The arena's state in a frame; None if it is no arena's, or is malformed."""
    summary = None if snapshot is None else snapshot.facts.get((0, NAME))
    try:
        return None if summary is None else msgspec.convert(summary, ArenaState)
    except msgspec.ValidationError:
        return None


class PlacementTool(NamedTuple):
    """What a click puts into the hall."""

    target: str
    """`goto` or `attack` for their blocks, or `enemy`."""
    difficulty: int = 0
    preset: str = ""
    """The block's name; empty to have those of the difficulty take turns."""

    @property
    def title(self) -> str:
        if self.target == ENEMY:
            return "enemy"
        words = f"{self.target} block, difficulty {self.difficulty}"
        return f"{words}, {self.preset}" if self.preset else words

    def order(self, x: float, y: float) -> dict[str, Any]:
        """Have it put there, with its middle at this point."""
        if self.target == ENEMY:
            return {"order": "spawn_enemy", "x": x, "y": y}
        return {
            "order": "spawn_block", "target": self.target, "difficulty": self.difficulty,
            "x": x, "y": y, "preset": self.preset,
        }  # fmt: skip


def tools_of(state: ArenaState) -> list[PlacementTool]:
    """All that can be put into the hall."""
    if not state.by_hand:
        return []
    blocks = [
        PlacementTool(target, difficulty)
        for target, by_difficulty in state.presets.items()
        for difficulty in range(1, len(by_difficulty) + 1)
    ]
    return [PlacementTool(ENEMY), *blocks]


class PlacementPreview(msgspec.Struct, frozen=True):
    """What an order would do, as the game says."""

    walls: tuple[tuple[float, float, float, float], ...]
    """x, y and half the sizes along both, metres."""
    enemies: tuple[tuple[float, float], ...]
    firebase: tuple[float, float] | None
    diameter: float
    refused: str
    """Why it can't be done; empty if it can."""


class PlacementGhost(NamedTuple):
    """A tool over the ground, before it is put down."""

    tool: PlacementTool
    at: tuple[float, float]
    """Where the mouse is."""
    asked: tuple[float, float] | None = None
    """The point that the preview is of; what it says of places is moved from there."""
    preview: PlacementPreview | None = None
    """None until the game has answered."""
    refused: str = ""
    """Why it can't be put there, by what is known so far."""

    @property
    def is_known(self) -> bool:
        """Whether the game has answered for this point."""
        return self.asked == self.at


def outline(ghost: PlacementGhost, state: ArenaState) -> Array:
    """The (n, 2, 3) lines of what would be put down: z is up."""
    x, y = ghost.at
    parts: list[Array] = []
    preview = ghost.preview
    if ghost.tool.target == ENEMY:
        parts.append(_post(x, y, state.enemy))
    else:
        half = state.block / 2
        parts.append(_box(x, y, half, half, 0.0))
    if preview is not None and ghost.asked is not None and ghost.tool.target != ENEMY:
        dx, dy = x - ghost.asked[0], y - ghost.asked[1]
        parts += [_box(a + dx, b + dy, c, d, _WALL) for a, b, c, d in preview.walls]
        parts += [_post(a + dx, b + dy, state.enemy) for a, b in preview.enemies]
        if preview.firebase is not None:
            a, b = preview.firebase
            parts.append(_ring(a + dx, b + dy, preview.diameter / 2, 0.05))
    return np.concatenate(parts)


def _ring(x: float, y: float, radius: float, z: float) -> Array:
    angles = np.linspace(0.0, math.tau, _CORNERS + 1)
    points = np.stack(
        (x + radius * np.cos(angles), y + radius * np.sin(angles), np.full(_CORNERS + 1, z)),
        axis=1,
    )
    return np.stack((points[:-1], points[1:]), axis=1)


def _post(x: float, y: float, radius: float) -> Array:
    """A body: two rings and four lines up."""
    low, high = _ring(x, y, radius, 0.02), _ring(x, y, radius, _BODY)
    sides = np.stack((low[:: _CORNERS // 4, 0], high[:: _CORNERS // 4, 0]), axis=1)
    return np.concatenate((low, high, sides))


def _box(x: float, y: float, half_x: float, half_y: float, height: float) -> Array:
    corners = np.array(
        [(x + sx * half_x, y + sy * half_y, 0.0) for sx, sy in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    )
    low = np.stack((corners, np.roll(corners, -1, axis=0)), axis=1)
    if not height:
        return low
    up = np.array([0.0, 0.0, height])
    return np.concatenate((low, low + up, np.stack((corners, corners + up), axis=1)))


def ground_at(view: CameraView, x: float, y: float) -> tuple[float, float] | None:
    """The point of the ground, z = 0, under a pixel; None where only sky is."""
    across, down = 2 * x / view.width - 1, 1 - 2 * y / view.height
    # A point's clip coordinates c give the pixel by c[0] / c[3] and c[1] / c[3]: linear in it.
    matrix = view.matrix
    rows = np.stack((matrix[:, 0] - across * matrix[:, 3], matrix[:, 1] - down * matrix[:, 3]))
    try:
        point = np.linalg.solve(rows[:, :2], -rows[:, 3])
    except np.linalg.LinAlgError:
        return None
    _, front, _ = view.project((*point, 0.0))
    return (float(point[0]), float(point[1])) if front[0] else None


def snapped(point: Sequence[float], step: float = 0.05) -> tuple[float, float]:
    """A point on a fine grid: finer than a mouse points, and short as text."""
    return round(round(point[0] / step) * step, 2), round(round(point[1] / step) * step, 2)


def choose_order(mode: str) -> dict[str, Any]:
    """The order that chooses the mode on the start screen."""
    return {"order": "choose", "mode": mode}


def lock_order(state: ArenaState, target: str, difficulty: int) -> dict[str, Any]:
    """The order that locks a probability, or unlocks one that is locked."""
    locked = state.odds[target].locked[difficulty - 1]
    return {
        "order": "lock_odds", "target": target, "difficulty": difficulty, "locked": not locked,
    }  # fmt: skip


def odds_order(target: str, difficulty: int, value: float) -> dict[str, Any]:
    """The order that changes a probability."""
    return {"order": "set_odds", "target": target, "difficulty": difficulty, "value": value}
