"""Paints the arena's recorded picture: the level from above, with all characters in it."""

import math
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .entity import RADIUS, Character, Entity
from .yaml_nodes import Point

WIDTH, HEIGHT = 640, 360
"""Pixels of the picture."""
LEAST_SCALE = 9.0
"""Pixels of a metre at least: of a larger level the part around the player is shown."""
Rgb = tuple[int, int, int]
Image = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]
Distances = npt.NDArray[np.float64]

_OUTSIDE, _FLOOR = (24, 27, 33), (58, 64, 74)
WALL, PIT, LAVA, RAISED, DOOR, EXIT = (
    (150, 150, 160), (40, 62, 110), (200, 80, 40), (92, 112, 92), (170, 110, 60), (70, 110, 160)
)  # fmt: skip
_FRONT = (20, 20, 24)
_TYPES: dict[str, Rgb] = {
    "player": (120, 230, 140), "guard": (240, 170, 70), "stone": (200, 200, 205),
    "item": (250, 215, 70), "switch": (80, 200, 220), "shrine": (200, 150, 255),
    "boulder": (130, 115, 100), "sign": (190, 160, 110),
}  # fmt: skip
_OTHERS = (220, 90, 80)
_TURNS = 64
"""Directions that are told apart in the picture."""
_UNSEEN = frozenset(("camera", "view_model"))


class GroundBlock(NamedTuple):
    """A rectangle of a level, its sides along the axes. Metres."""

    at: Point
    """Its middle."""
    size: Point
    color: Rgb


class GroundPlan(NamedTuple):
    """A level as it is seen from above; its origin is its middle."""

    size: Point
    blocks: tuple[GroundBlock, ...]


class PlanPicture:
    """Draws a level and its entities from above, x to the right and y upwards."""

    def __init__(self) -> None:
        self._plan: GroundPlan | None = None
        self._ground: Image = np.zeros((0, 0, 3), np.uint8)
        self._scale = 1.0

    def draw(self, plan: GroundPlan, entities: Iterable[Entity], center: Point) -> Image:
        """The picture, `HEIGHT` × `WIDTH` × 3.

        Args:
            center: What is in its middle where the level is larger than the picture.
        """
        if plan is not self._plan and plan != self._plan:
            self._draw_ground(plan)
        rows, columns = self._ground.shape[:2]
        row = self._first(self._row(center[1]), HEIGHT, rows)
        column = self._first(self._column(center[0]), WIDTH, columns)
        picture = self._ground[row : row + HEIGHT, column : column + WIDTH].copy()
        for entity in entities:
            if entity.view.visible and entity.type not in _UNSEEN:
                self._draw_entity(picture, entity, row, column)
        return picture

    @staticmethod
    def _first(middle: float, shown: int, image_side: int) -> int:
        return min(max(round(middle - shown / 2), 0), image_side - shown)

    def _column(self, x: float) -> float:
        assert self._plan is not None
        return float(self._ground.shape[1] / 2 + x * self._scale)

    def _row(self, y: float) -> float:
        assert self._plan is not None
        return float(self._ground.shape[0] / 2 - y * self._scale)

    def _draw_ground(self, plan: GroundPlan) -> None:
        self._plan = plan
        width, height = plan.size
        self._scale = max(min(WIDTH / (width + 2), HEIGHT / (height + 2)), LEAST_SCALE)
        size = (
            max(HEIGHT, math.ceil((height + 2) * self._scale)),
            max(WIDTH, math.ceil((width + 2) * self._scale)),
        )
        self._ground = np.full((*size, 3), _OUTSIDE, np.uint8)
        for block in (GroundBlock((0.0, 0.0), plan.size, _FLOOR), *plan.blocks):
            (x, y), (w, h) = block.at, block.size
            left, right = (round(self._column(x + side * w / 2)) for side in (-1, 1))
            top, bottom = (round(self._row(y + side * h / 2)) for side in (1, -1))
            self._ground[max(top, 0) : bottom, max(left, 0) : right] = block.color

    def _draw_entity(self, picture: Image, entity: Entity, row: int, column: int) -> None:
        view = entity.view
        radius = max(RADIUS * self._scale, 3.0)
        reach = math.ceil(radius)
        top = round(self._row(view.position[1])) - row - reach
        left = round(self._column(view.position[0])) - column - reach
        side = 2 * reach + 1
        if not (-side < top < HEIGHT and -side < left < WIDTH):
            return
        inside = (
            slice(max(-top, 0), min(side, HEIGHT - top)),
            slice(max(-left, 0), min(side, WIDTH - left)),
        )
        part = picture[max(top, 0) : top + side, max(left, 0) : left + side]
        part[_disc(radius)[inside]] = _TYPES.get(entity.type, _OTHERS)
        if isinstance(entity, Character):
            turn = round(view.angles[2] / math.tau * _TURNS) % _TURNS
            part[_front(radius, turn)[inside]] = _FRONT


def _around(radius: float) -> tuple[Distances, Distances]:
    """How far pixels are from the middle of a square around a disc: downwards, to the right."""
    reach = math.ceil(radius)
    ys, xs = np.mgrid[-reach : reach + 1, -reach : reach + 1].astype(np.float64)
    return ys, xs


# A picture has dozens of characters: working out their pixels anew takes milliseconds.
@cache
def _disc(radius: float) -> Mask:
    ys, xs = _around(radius)
    return ys * ys + xs * xs <= radius * radius


@cache
def _front(radius: float, turn: int) -> Mask:
    """The line on a disc that says which way it faces."""
    (ys, xs), angle = _around(radius), turn * math.tau / _TURNS
    ahead = xs * math.cos(angle) - ys * math.sin(angle)
    aside = xs * math.sin(angle) + ys * math.cos(angle)
    return _disc(radius) & (ahead > 0) & (np.abs(aside) < radius / 4)
