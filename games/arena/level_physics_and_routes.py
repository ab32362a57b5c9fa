"""The ground of a level: the physics space with its walls, free lines of sight, and routes.

Routes lead over the corners of the walls: the way between any two corners is worked out once,
so that a guard's new route costs a few line tests and one look into a table.
"""

from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pymunk

from .entity import WALL, distance
from .level import Level
from .yaml_nodes import Point

CORNER = 0.65
"""Metres from a wall's corner to the point where routes turn around it."""
CLEARANCE = 0.3
"""Half the width that a route leaves free; less than a person's, who may lean on a wall."""
FENCE = 0.5

_WALLS = pymunk.ShapeFilter(mask=WALL)


class PhysicsSpace:
    """The unmoving part of a level."""

    def __init__(self, level: Level) -> None:
        self.level = level
        self.space = pymunk.Space()
        # Lengths are metres: the engine's own slop of 0.1 would let people sink into walls.
        self.space.collision_slop = 0.01
        for shape in self._shapes(level):
            shape.friction = 0.3
            shape.elasticity = 0.5
            shape.filter = pymunk.ShapeFilter(categories=WALL)
            self.space.add(shape)
        self.corners = self._corners(level)
        self._length, self._next = self._table()

    def clear(self, a: Point, b: Point, radius: float = 0.0) -> bool:
        """True if no wall is in a strip of this half width from a to b."""
        return self.space.segment_query_first(a, b, radius, _WALLS) is None

    def route(self, start: Point, goal: Point) -> list[Point]:
        """The points to walk over, the goal last. Straight to it if there is no way around."""
        if self.clear(start, goal, CLEARANCE):
            return [goal]
        here = self._seen_from(start)
        there = self._seen_from(goal)
        if not here or not there:
            return [goal]
        first = np.array([distance(start, self.corners[i]) for i in here])
        last = np.array([distance(self.corners[j], goal) for j in there])
        total = first[:, None] + self._length[np.ix_(here, there)] + last[None, :]
        i, j = divmod(int(np.argmin(total)), len(there))
        if not np.isfinite(total[i, j]):
            return [goal]
        node, end = here[i], there[j]
        points = [self.corners[node]]
        while node != end:
            node = int(self._next[node, end])
            points.append(self.corners[node])
        return [*points, goal]

    def fence_lines(self) -> npt.NDArray[np.float32]:
        """The edges (4, 2, 3) of the ground that the fence encloses."""
        (w, h) = self.level.size
        corners = [(x * w / 2, y * h / 2, 0.0) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        return np.array(list(pairwise([*corners, corners[0]])), np.float32)

    def _shapes(self, level: Level) -> list[pymunk.Poly]:
        width, depth = level.size[0] / 2, level.size[1] / 2
        boxes = [
            (-width - FENCE, -depth - FENCE, -width, depth + FENCE),
            (width, -depth - FENCE, width + FENCE, depth + FENCE),
            (-width, -depth - FENCE, width, -depth),
            (-width, depth, width, depth + FENCE),
        ]
        for wall in level.walls:
            (x, y), (w, h) = wall.at, wall.size
            boxes.append((x - w / 2, y - h / 2, x + w / 2, y + h / 2))
        body = self.space.static_body
        return [pymunk.Poly.create_box_bb(body, pymunk.BB(*box)) for box in boxes]

    def _corners(self, level: Level) -> list[Point]:
        corners = []
        for wall in level.walls:
            (x, y), (w, h) = wall.at, wall.size
            for sx, sy in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
                corner = (x + sx * (w / 2 + CORNER), y + sy * (h / 2 + CORNER))
                outside = any(abs(corner[axis]) > level.size[axis] / 2 - 0.4 for axis in (0, 1))
                if not outside and not any(other.holds(corner, 0.4) for other in level.walls):
                    corners.append(corner)
        return corners

    def _table(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
        """Floyd and Warshall's shortest ways between corners: lengths, and the next corner."""
        n = len(self.corners)
        length = np.full((n, n), np.inf)
        following = np.tile(np.arange(n), (n, 1))
        for i in range(n):
            length[i, i] = 0.0
            for j in range(i):
                if self.clear(self.corners[i], self.corners[j], CLEARANCE):
                    length[i, j] = length[j, i] = distance(self.corners[i], self.corners[j])
        for k in range(n):
            through = length[:, k, None] + length[None, k, :]
            better = through < length
            length = np.where(better, through, length)
            following = np.where(better, following[:, k, None], following)
        return length, following

    def _seen_from(self, point: Point) -> list[int]:
        return [i for i, corner in enumerate(self.corners) if self.clear(point, corner, CLEARANCE)]
