"""The solid part of an area: obstacles at each height, and the ground below.

The physics engine knows the plane only. Each height at which something ends has a bit, and a
body's mask has the bits of all heights that are more than a step above its feet.
"""

from bisect import bisect_right

import numpy as np
import numpy.typing as npt
import pymunk

from ...yaml_nodes import Point
from .level import FENCE, GROUND, Area, Door, Pit, Zone

PLAYER, ENEMY, PERSON, SOLID = 1, 2, 4, 8
"""Bits of pymunk's filters: the player, enemies, people and signs, fences and closed doors."""
_FIRST = 4
"""The lowest bit of a height."""
MOST_TOPS = 26
RIM = 0.5
"""Metres of ground that end at a pit as a wall for characters in it."""
STEP_UP = 0.35
"""Metres that a walking body climbs without a jump."""
AIR_STEP = 0.1
"""The same for one in the air."""

Lines = npt.NDArray[np.float32]


class Terrain:
    """One area's ground and walls, in a physics space of its own."""

    def __init__(self, area: Area) -> None:
        self.area = area
        self.space = pymunk.Space()
        # Lengths are metres: the engine's own slop of 0.1 would let people sink into walls.
        self.space.collision_slop = 0.01
        self._tops = sorted({block.top for block in area.blocks} | {GROUND})
        bits = {top: 1 << (_FIRST + index) for index, top in enumerate(self._tops)}
        self._above = [0] * (len(self._tops) + 1)
        for index in reversed(range(len(self._tops))):
            self._above[index] = self._above[index + 1] | bits[self._tops[index]]
        for block in area.blocks:
            self.space.add(_box(self.space, block, bits[block.top]))
        for pit in area.pits:
            for side in _rims(pit):
                self.space.add(_box(self.space, side, bits[GROUND]))
        for side in _fences(area.size):
            self.space.add(_box(self.space, side, SOLID))
        self._doors: dict[str, pymunk.Shape] = {}

    def above(self, height: float) -> int:
        """The bits of everything that ends above this height."""
        # What ends there, but for a rounding, is not above it.
        return self._above[bisect_right(self._tops, height + 1e-6)]

    def floor(self, at: Point, feet: float, step: float) -> float:
        """How high the ground is under feet that can climb by `step`."""
        return self.area.floor(at[0], at[1], feet + step + 1e-6)

    def clear(self, a: Point, b: Point, height: float) -> bool:
        """True if nothing solid is between two points at this height. People don't count."""
        mask = self.above(height) | SOLID
        return self.space.segment_query_first(a, b, 0.0, pymunk.ShapeFilter(mask=mask)) is None

    def lava(self, at: Point, feet: float) -> bool:
        """True if feet at this height are in lava."""
        return feet < GROUND and any(
            pit.lava and feet <= 0.05 - pit.depth and pit.holds(*at) for pit in self.area.pits
        )

    def close(self, door: Door) -> None:
        """Put a door in the way; again without effect."""
        if door.name not in self._doors:
            shape = self._doors[door.name] = _box(self.space, door, SOLID)
            self.space.add(shape)

    def open(self, door: Door) -> None:
        """Take a door out of the way; again without effect."""
        shape = self._doors.pop(door.name, None)
        if shape is not None:
            self.space.remove(shape)


def box_lines(zone: Zone, low: float, high: float) -> Lines:
    """The edges (12, 2, 3) of a box over a zone."""
    (x, y), (w, h) = zone.at, zone.size
    ring = [(x - w / 2, y - h / 2), (x + w / 2, y - h / 2), (x + w / 2, y + h / 2),
            (x - w / 2, y + h / 2)]  # fmt: skip
    lines = []
    for index, (ax, ay) in enumerate(ring):
        bx, by = ring[(index + 1) % 4]
        lines += [((ax, ay, low), (bx, by, low)), ((ax, ay, high), (bx, by, high)),
                  ((ax, ay, low), (ax, ay, high))]  # fmt: skip
    return np.array(lines, np.float32)


def _box(space: pymunk.Space, zone: Zone, category: int) -> pymunk.Poly:
    (x, y), (w, h) = zone.at, zone.size
    box = pymunk.BB(x - w / 2, y - h / 2, x + w / 2, y + h / 2)
    shape = pymunk.Poly.create_box_bb(space.static_body, box)
    shape.friction = 0.0
    shape.filter = pymunk.ShapeFilter(categories=category)
    return shape


def _rims(pit: Pit) -> list[Zone]:
    return _around(pit.at, pit.size, RIM)


def _fences(size: Point) -> list[Zone]:
    return _around((0.0, 0.0), size, FENCE)


def _around(at: Point, size: Point, thick: float) -> list[Zone]:
    """Four bars around a rectangle, meeting at its corners."""
    (x, y), (w, h) = at, size
    return [
        Zone((x - (w + thick) / 2, y), (thick, h + 2 * thick)),
        Zone((x + (w + thick) / 2, y), (thick, h + 2 * thick)),
        Zone((x, y - (h + thick) / 2), (w, thick)),
        Zone((x, y + (h + thick) / 2), (w, thick)),
    ]
