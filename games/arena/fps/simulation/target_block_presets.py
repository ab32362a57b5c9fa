"""Target blocks: presets of 10 × 10 m, and one of them placed in the hall."""

import math
from typing import NamedTuple

import msgspec

from .rules import AGENT_RADIUS, ENEMY_RADIUS

Point = tuple[float, float]
SIZE = 10.0
"""Both sides of every block."""
CELLS = 10
_GRID = 0.5
"""Metres between the points at which a way into a block is looked for."""


class Rectangle(NamedTuple):
    """A solid rectangle with its sides along the axes."""

    x: float
    y: float
    """Its middle."""
    half_x: float
    half_y: float

    def near(self, point: Point, margin: float) -> bool:
        """Whether a square of this half side around the point would overlap it."""
        return (
            abs(point[0] - self.x) < self.half_x + margin
            and abs(point[1] - self.y) < self.half_y + margin
        )

    def moved(self, by: Point) -> "Rectangle":
        """The same box elsewhere."""
        return Rectangle(self.x + by[0], self.y + by[1], self.half_x, self.half_y)


class Preset(msgspec.Struct, frozen=True):
    """A block as it was made; its coordinates begin at its near left corner."""

    name: str
    difficulty: int
    walls: tuple[Rectangle, ...]
    enemies: tuple[Point, ...]
    firebase: Point
    """The middle of the circle."""
    diameter: float

    def in_firebase(self, point: Point) -> bool:
        """Whether a point lies in the circle."""
        return math.dist(point, self.firebase) <= self.diameter / 2

    @property
    def defended(self) -> bool:
        """Whether its fire base has an enemy in it: only such a block can be attacked."""
        return any(self.in_firebase(enemy) for enemy in self.enemies)

    def reachable(self, within: float) -> bool:
        """Whether one can walk from outside to within so many metres of the fire base's middle."""
        bodies = [Rectangle(x, y, ENEMY_RADIUS, ENEMY_RADIUS) for x, y in self.enemies]
        solid = [*self.walls, *bodies]

        def free(at: tuple[int, int]) -> bool:
            point = (at[0] * _GRID, at[1] * _GRID)
            return not any(box.near(point, AGENT_RADIUS) for box in solid)

        last = round(SIZE / _GRID) + 2
        todo, seen = [(-2, -2)], {(-2, -2)}
        while todo:
            i, j = todo.pop()
            if math.dist((i * _GRID, j * _GRID), self.firebase) <= within:
                return True
            for step in ((i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)):
                inside = -2 <= step[0] <= last and -2 <= step[1] <= last
                if inside and step not in seen and free(step):
                    seen.add(step)
                    todo.append(step)
        return False


class TargetBlock(msgspec.Struct, frozen=True):
    """A preset put down in the hall."""

    preset: Preset
    corner: Point
    """Its near left corner."""

    @property
    def middle(self) -> Point:
        return self.corner[0] + SIZE / 2, self.corner[1] + SIZE / 2

    @property
    def firebase(self) -> Point:
        """The middle of the fire base."""
        return self._moved(self.preset.firebase)

    @property
    def diameter(self) -> float:
        """The fire base's."""
        return self.preset.diameter

    @property
    def walls(self) -> list[Rectangle]:
        return [wall.moved(self.corner) for wall in self.preset.walls]

    @property
    def enemies(self) -> list[Point]:
        return [self._moved(enemy) for enemy in self.preset.enemies]

    def holds(self, point: Point, margin: float = 0.0) -> bool:
        """Whether a point lies in its square, or closer than `margin` to it."""
        return all(-margin <= point[axis] - self.corner[axis] <= SIZE + margin for axis in (0, 1))

    def in_firebase(self, point: Point) -> bool:
        """Whether a point lies in the fire base."""
        return math.dist(point, self.firebase) <= self.diameter / 2

    def overlaps(self, other: "TargetBlock", margin: float) -> bool:
        """Whether two blocks overlap, or come closer than `margin`."""
        return all(abs(self.corner[i] - other.corner[i]) < SIZE + margin for i in (0, 1))

    def _moved(self, point: Point) -> Point:
        return self.corner[0] + point[0], self.corner[1] + point[1]


def boxes_of(plan: list[str]) -> tuple[Rectangle, ...]:
    """The walls of a plan as few boxes: squares in a row first, then equal rows."""
    size = len(plan)
    runs: dict[tuple[int, int], list[int]] = {}
    for row, line in enumerate(plan):
        column = 0
        while column < len(line):
            if line[column] != "#":
                column += 1
                continue
            start = column
            while column < len(line) and line[column] == "#":
                column += 1
            runs.setdefault((start, column), []).append(size - 1 - row)
    boxes = []
    for (start, end), rows in sorted(runs.items()):
        rows.sort()
        first = previous = rows[0]
        for row in [*rows[1:], size + 1]:
            if row != previous + 1:
                high = (previous + 1 - first) / 2
                boxes.append(Rectangle((start + end) / 2, first + high, (end - start) / 2, high))
                first = row
            previous = row
    return tuple(boxes)


def enemies_of(plan: list[str]) -> tuple[Point, ...]:
    """The enemies of a plan: in the middles of their squares, the far row first."""
    return tuple(
        (column + 0.5, len(plan) - 1 - row + 0.5)
        for row, line in enumerate(plan)
        for column, letter in enumerate(line)
        if letter == "e"
    )
