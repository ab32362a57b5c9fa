"""Finds the shortest path over a map, and whether there is one."""

import math
from itertools import pairwise

import numpy as np

from ....games.shortest_paths import graph_of_steps
from ....games.tree_body_interface import Place, Point
from ....games.walk_map import SIDES, WalkMap

REACH = 3
"""Cells from a place within which one must be able to stand, for the place to be gone to."""


class PathSearch:
    """Searches one map."""

    def __init__(self, walk_map: WalkMap) -> None:
        self.map = walk_map
        steps = walk_map.can_step()
        self._graph = graph_of_steps(steps)
        offsets = [down * walk_map.columns + across for down, across in SIDES]
        self._offsets = {offset: bit for bit, offset in enumerate(offsets)}
        side, row, column = np.nonzero(steps)
        sources = row * walk_map.columns + column
        self._stood = np.zeros(self._graph.count, bool)
        self._stood[sources] = True
        self._stood[sources + np.array(offsets)[side]] = True

    def route(self, start: Place, goal: Place) -> list[Point] | None:
        """The points to walk over to a place, itself the last; None if there is no way to it."""
        here, there = self._cell_near(start), self._cell_near(goal)
        if here is None or there is None:
            return None
        cells = self._graph.path({here: 0.0}, [there])
        if cells is None:
            return None
        return [*map(self.map.point, self._without_detours(cells)[1:-1]), (goal[0], goal[1])]

    def is_reachable(self, start: Place, goal: Place) -> bool:
        """Whether there is a way to a place."""
        here, there = self._cell_near(start), self._cell_near(goal)
        return (
            here is not None
            and there is not None
            and self._graph.path({here: 0.0}, [there]) is not None
        )

    def _cell_near(self, place: Place) -> int | None:
        """The nearest cell that one can walk from or to, at most `REACH` cells away."""
        cell, (x, y) = self.map.cell, self.map.corner
        column, row = round((place[0] - x) / cell), round((place[1] - y) / cell)
        near = [
            (math.dist(self.map.point(index), place[:2]), index)
            for r in range(max(0, row - REACH), min(self.map.rows, row + REACH + 1))
            for c in range(max(0, column - REACH), min(self.map.columns, column + REACH + 1))
            if self._stood[index := r * self.map.columns + c]
        ]
        return min(near)[1] if near else None

    def _without_detours(self, cells: list[int]) -> list[int]:
        """Only the cells at which one must turn: from each the next can be walked to straight."""
        corners = [cells[0]]
        at = 0
        while at < len(cells) - 1:
            ahead = at + 1
            while ahead + 1 < len(cells) and self._is_open(cells[at], cells[ahead + 1]):
                ahead += 1
            corners.append(cells[ahead])
            at = ahead
        return corners

    def _is_open(self, start: int, end: int) -> bool:
        """Whether one can step from cell to cell along a straight line."""
        (row, column), columns = divmod(start, self.map.columns), self.map.columns
        down, across = end // columns - row, end % columns - column
        steps = max(abs(down), abs(across))
        line = [
            (row + round(down * step / steps)) * columns + column + round(across * step / steps)
            for step in range(steps + 1)
        ]
        return all(
            self.map.steps[a] >> self._offsets[b - a] & 1 for a, b in pairwise(line) if a != b
        )
