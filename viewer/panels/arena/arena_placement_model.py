"""The state of an arena, the orders that it takes, and the outline of what would be placed."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from ...reader.frame_snapshot import FrameSnapshot
from ...scene.view_camera import CameraProjection

Array = npt.NDArray[np.float64]

NAME = "arena"
"""The name under which an arena records its state, and takes orders on the bus."""
ENEMY = "enemy"
_WALL_HEIGHT, _BODY_HEIGHT = 2.0, 1.8
"""Heights of the outlines of walls and enemies, in metres."""
_RING_CORNERS = 32


class DifficultyOdds(msgspec.Struct, frozen=True):
    """How likely each difficulty is, the easiest first."""

    values: tuple[float, ...]
    locked: tuple[bool, ...]


class ArenaState(msgspec.Struct, frozen=True):
    """An arena at a frame, with what can be ordered there."""

    mode: str
    by_hand: bool
    """Whether the user gives the targets."""
    target: str
    drawn: tuple[str, ...]
    """The targets whose blocks are drawn at random, by the odds."""
    odds: Mapping[str, DifficultyOdds]
    """Keyed by target."""
    presets: Mapping[str, tuple[tuple[str, ...], ...]]
    """The names of the blocks of each target, for each difficulty."""
    enemies: int
    blocks: int
    block: float
    """The side of a block, in metres."""
    enemy: float
    """The radius of an enemy, in metres."""
    choices: tuple[str, ...] = ()
    """On the start screen: the modes that can be chosen."""
    seconds_left: int = 0
    """On the start screen: the time left for that choice."""

    @property
    def unordered(self) -> str:
        """Why nothing can be chosen, placed or ordered; empty if something can."""
        if self.by_hand or self.choices:
            return ""
        return f"{self.mode} gives its targets itself: that stays so"

    @property
    def summary(self) -> str:
        """The state in one line."""
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
    """What a click places in the arena."""

    target: str
    """`goto` or `attack` for their blocks, or `enemy`."""
    difficulty: int = 0
    preset: str = ""
    """The block's name; empty: the blocks of that difficulty take turns."""

    @property
    def title(self) -> str:
        if self.target == ENEMY:
            return "enemy"
        title = f"{self.target} block, difficulty {self.difficulty}"
        return f"{title}, {self.preset}" if self.preset else title

    def order(self, x: float, y: float) -> dict[str, Any]:
        """The order that places it with its middle at a point."""
        if self.target == ENEMY:
            return {"order": "spawn_enemy", "x": x, "y": y}
        return {
            "order": "spawn_block", "target": self.target, "difficulty": self.difficulty,
            "x": x, "y": y, "preset": self.preset,
        }  # fmt: skip


def tools_of(state: ArenaState) -> list[PlacementTool]:
    """All tools that can be chosen."""
    if not state.by_hand:
        return []
    blocks = [
        PlacementTool(target, difficulty)
        for target, by_difficulty in state.presets.items()
        for difficulty in range(1, len(by_difficulty) + 1)
    ]
    return [PlacementTool(ENEMY), *blocks]


class PlacementPreview(msgspec.Struct, frozen=True):
    """What an order would do, as the game answers."""

    walls: tuple[tuple[float, float, float, float], ...]
    """Each with x, y and half its sizes along both, in metres."""
    enemies: tuple[tuple[float, float], ...]
    firebase: tuple[float, float] | None
    diameter: float
    refused: str
    """Why the order would be refused; empty if it would not."""


class PlacementGhost(NamedTuple):
    """A tool over the ground, and what the game says about placing it there."""

    tool: PlacementTool
    at: tuple[float, float]
    """The point of the ground under the mouse."""
    asked: tuple[float, float] | None = None
    """The point that the preview is of: it is drawn moved from there to `at`."""
    preview: PlacementPreview | None = None
    """None until the game has answered, or if it could not."""
    refused: str = ""
    """Why it can't be placed there, as far as is known."""

    @property
    def is_known(self) -> bool:
        """Whether the game has answered for this point."""
        return self.asked == self.at


def with_preview(ghost: PlacementGhost, response: Any, error: str) -> PlacementGhost:
    """A ghost with the game's answer to its `preview_order`, or with the error instead."""
    preview = None
    if not error:
        try:
            preview = msgspec.convert(response, PlacementPreview)
        except msgspec.ValidationError as wrong:
            error = f"the game's preview makes no sense: {wrong}"
        else:
            error = preview.refused
    return ghost._replace(asked=ghost.at, preview=preview, refused=error)


def outline(ghost: PlacementGhost, state: ArenaState) -> Array:
    """The lines of what would be placed: (n, 2, 3), z is up."""
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
        parts += [_box(a + dx, b + dy, c, d, _WALL_HEIGHT) for a, b, c, d in preview.walls]
        parts += [_post(a + dx, b + dy, state.enemy) for a, b in preview.enemies]
        if preview.firebase is not None:
            a, b = preview.firebase
            parts.append(_ring(a + dx, b + dy, preview.diameter / 2, 0.05))
    return np.concatenate(parts)


def _ring(x: float, y: float, radius: float, z: float) -> Array:
    angles = np.linspace(0.0, math.tau, _RING_CORNERS + 1)
    points = np.stack(
        (x + radius * np.cos(angles), y + radius * np.sin(angles), np.full(_RING_CORNERS + 1, z)),
        axis=1,
    )
    return np.stack((points[:-1], points[1:]), axis=1)


def _post(x: float, y: float, radius: float) -> Array:
    """The outline of a body: two rings and four lines up."""
    low, high = _ring(x, y, radius, 0.02), _ring(x, y, radius, _BODY_HEIGHT)
    sides = np.stack((low[:: _RING_CORNERS // 4, 0], high[:: _RING_CORNERS // 4, 0]), axis=1)
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


def ground_at(view: CameraProjection, x: float, y: float) -> tuple[float, float] | None:
    """The point of the ground (z = 0) under a pixel; None where there is only sky."""
    across, up = 2 * x / view.width - 1, 1 - 2 * y / view.height
    # The clip coordinates c of a point are linear in it. It is under the pixel if
    # c[0] = across * c[3] and c[1] = up * c[3]: two equations for its x and y.
    matrix = view.matrix
    rows = np.stack((matrix[:, 0] - across * matrix[:, 3], matrix[:, 1] - up * matrix[:, 3]))
    try:
        point = np.linalg.solve(rows[:, :2], -rows[:, 3])
    except np.linalg.LinAlgError:
        return None
    _, front, _ = view.project((*point, 0.0))
    return (float(point[0]), float(point[1])) if front[0] else None


def snapped(point: Sequence[float], step: float = 0.05) -> tuple[float, float]:
    """The nearest point of a grid that is finer than the mouse: its numbers are short as text."""
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


def odds_key(order: dict[str, Any]) -> tuple[str, int] | None:
    """Which probability an order changes: a later one for the same replaces it. None for others."""
    return (order["target"], order["difficulty"]) if order["order"] == "set_odds" else None


def preview_order(ghost: PlacementGhost) -> dict[str, Any]:
    """The order that asks what placing a ghost would do, without doing it."""
    return {"order": "preview", "of": ghost.tool.order(*ghost.at)}
