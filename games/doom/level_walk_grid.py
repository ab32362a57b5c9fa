"""The walkable grid of a level, by the engine's own rules for steps and headroom."""

import math
from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ..shortest_paths import PathGraph, graph_of_steps
from ..walk_map import SIDES
from .wad_map import WadMap

CELL = 8.0
"""Map units between two cells."""
RADIUS = 16.0
"""Half the width of a player, who is a square to the engine."""
HEIGHT = 56.0
STEP = 24.0
"""As high as a player can step up."""
_HERE = 3
"""Half cells at the start of a straight way that the player is on already."""
_NEAR = 3
"""Cells beside a wall that are walked on only if need be."""
_DEAR = 1.5
"""What each of them costs more, the next to the wall the most."""

Cell = tuple[int, int]
"""Row and column: along y, along x."""
Point = tuple[float, float]
Solid = tuple[float, float, float]
"""An obstacle: x, y and radius."""


class LevelWalkGrid:
    """A level's cells. A cell is where the middle of a player could be.

    Args:
        level: its lines and sectors.
        opened: sectors whose ceiling is taken to be as high as beside them: doors.
        solids: obstacles beside the walls.
    """

    def __init__(
        self,
        level: WadMap,
        opened: Iterable[int] = (),
        solids: Sequence[Solid] = (),
    ) -> None:
        self._floors, self._ceilings = level.floors, level.ceilings.copy()
        for sector in opened:
            beside = level.beside(sector)
            if beside:
                self._ceilings[sector] = level.ceilings[beside].max()
        low = np.minimum(level.starts.min(0), level.ends.min(0)) - 2 * CELL
        high = np.maximum(level.starts.max(0), level.ends.max(0)) + 2 * CELL
        # Off the whole numbers that lines stand on.
        self._low = low + 0.37
        columns, rows = np.ceil((high - low) / CELL).astype(int).tolist()
        self.shape: Cell = (rows, columns)
        self.sectors: npt.NDArray[np.int_] = self._fill(level)
        """(rows, columns): the sector under each cell, -1 outside."""
        inside = self.sectors >= 0
        self.floor = np.where(inside, self._floors[self.sectors], math.inf)
        """The height of a player there: its box may reach over a higher sector."""
        self.ceiling = np.where(inside, self._ceilings[self.sectors], -math.inf)
        for line in range(len(level.starts)):
            self._lay(level, line)
        for x, y, radius in solids:
            self._put(x, y, radius + RADIUS)
        self.free: npt.NDArray[np.bool_] = self.ceiling - self.floor >= HEIGHT
        self._steps = self._walkable()
        self._dear = self._weigh()

    def cell(self, x: float, y: float) -> Cell:
        """The cell nearest to a point, which may lie outside of the level."""
        column, row = ((np.array([x, y]) - self._low) / CELL).round().astype(int).tolist()
        rows, columns = self.shape
        return min(max(row, 0), rows - 1), min(max(column, 0), columns - 1)

    def point(self, cell: Cell) -> Point:
        x, y = self._low + CELL * np.array([cell[1], cell[0]])
        return float(x), float(y)

    def nearest_free_cell(self, x: float, y: float, reach: int = 4) -> Cell | None:
        """The free cell nearest to a point, at most `reach` cells away."""
        row, column = self.cell(x, y)
        found = [
            (math.dist(self.point((r, c)), (x, y)), (r, c))
            for r in range(max(0, row - reach), min(self.shape[0], row + reach + 1))
            for c in range(max(0, column - reach), min(self.shape[1], column + reach + 1))
            if self.free[r, c]
        ]
        return min(found)[1] if found else None

    @property
    def steps(self) -> npt.NDArray[np.bool_]:
        """(8, rows, columns): whether one can step from a cell to each of its `SIDES`."""
        return self._steps

    def passes(self, here: Cell, there: Cell) -> bool:
        """Whether one can step from a cell to its neighbour."""
        side = SIDES.index((there[0] - here[0], there[1] - here[1]))
        return bool(self._steps[side][here])

    def costs_to(self, goals: Iterable[Cell]) -> npt.NDArray[np.float64]:
        """What the way from each cell to the nearest goal costs, in cells; infinite if none."""
        columns = self.shape[1]
        costs = self._backwards.costs_from(row * columns + column for row, column in goals)
        return costs.reshape(self.shape)

    def downhill(self, cost: npt.NDArray[np.float64], here: Cell, steps: int) -> list[Cell]:
        """The next cells of the cheapest way from here, `here` left out; fewer at its end."""
        way: list[Cell] = []
        for _ in range(steps):
            options = []
            for side, (rows, columns) in enumerate(SIDES):
                there = (here[0] + rows, here[1] + columns)
                if self._steps[side][here] and cost[there] < cost[here]:
                    pace = math.hypot(rows, columns) * (1.0 + self._dear[there])
                    options.append((cost[there] + pace, there))
            if not options:
                break
            here = min(options)[1]
            way.append(here)
        return way

    def open_way(self, start: Sequence[float], end: Sequence[float], *, back: bool = False) -> bool:
        """Whether one can walk from a place to a point in a straight line; and `back` again.

        Args:
            start: x, y and the height there.
            end: x and y.
        """
        steps = max(1, math.ceil(math.dist(start[:2], end) / (CELL / 2)))
        line = np.linspace(start[:2], end, steps + 1)
        columns, rows = ((line - self._low) / CELL).round().astype(int).T
        if rows.min() < 0 or columns.min() < 0:
            return False
        if rows.max() >= self.shape[0] or columns.max() >= self.shape[1]:
            return False
        # The present position is free, even where the nearest cell is within a wall.
        rows, columns = rows[_HERE:], columns[_HERE:]
        if not self.free[rows, columns].all():
            return False
        floor = np.concatenate([[start[2]], self.floor[rows, columns]])
        ceiling = self.ceiling[rows, columns]
        up = np.diff(floor)
        return bool(
            ((np.abs(up) if back else up) <= STEP).all()
            and (ceiling - floor[:-1] >= HEIGHT).all()
            and (ceiling[:-1] - floor[2:] >= HEIGHT).all()
        )

    @cached_property
    def _backwards(self) -> PathGraph:
        """From each cell to those from which one steps there."""
        return graph_of_steps(self._steps, 1.0 + self._dear, backwards=True)

    def _fill(self, level: WadMap) -> npt.NDArray[np.int_]:
        """The sector under each cell, row by row: between two lines it is the same."""
        rows, columns = self.shape
        sectors = np.full(self.shape, -1)
        xs = self._low[0] + CELL * np.arange(columns)
        (x1, y1), (x2, y2) = level.starts.T, level.ends.T
        # A line that points upwards has its right side in the east.
        east = np.where(y2 > y1, level.right, level.left)
        for row in range(rows):
            y = self._low[1] + CELL * row
            crossing = np.flatnonzero((y1 > y) != (y2 > y))
            if not len(crossing):
                continue
            share = (y - y1[crossing]) / (y2[crossing] - y1[crossing])
            at = x1[crossing] + share * (x2[crossing] - x1[crossing])
            order = np.argsort(at)
            sides = np.concatenate([[-1], east[crossing][order]])
            sectors[row] = sides[np.searchsorted(at[order], xs)]
        return sectors

    def _lay(self, level: WadMap, line: int) -> None:
        """Let a line bear on the cells from which a player's box would reach over it."""
        start, end = level.starts[line], level.ends[line]
        rows, columns = self._box(np.minimum(start, end) - RADIUS, np.maximum(start, end) + RADIUS)
        ys = self._low[1] + CELL * np.arange(rows.start, rows.stop)[:, None]
        xs = self._low[0] + CELL * np.arange(columns.start, columns.stop)[None, :]
        along = end - start
        # The box is cut by the line if its corners are not all on one side.
        middle = along[0] * (ys - start[1]) - along[1] * (xs - start[0])
        touched = np.abs(middle) < RADIUS * np.abs(along).sum()
        touched &= (np.minimum(start, end)[0] - RADIUS < xs) & (
            xs < np.maximum(start, end)[0] + RADIUS
        )
        touched &= (np.minimum(start, end)[1] - RADIUS < ys) & (
            ys < np.maximum(start, end)[1] + RADIUS
        )
        right, left = level.right[line], level.left[line]
        if level.blocking[line]:
            floor, ceiling = math.inf, -math.inf
        else:
            floor = max(self._floors[right], self._floors[left])
            ceiling = min(self._ceilings[right], self._ceilings[left])
        part = (rows, columns)
        self.floor[part] = np.where(touched, np.maximum(self.floor[part], floor), self.floor[part])
        self.ceiling[part] = np.where(
            touched, np.minimum(self.ceiling[part], ceiling), self.ceiling[part]
        )

    def _put(self, x: float, y: float, reach: float) -> None:
        part = self._box(np.array([x, y]) - reach, np.array([x, y]) + reach)
        self.ceiling[part] = -math.inf

    def _box(
        self, low: npt.NDArray[np.float64], high: npt.NDArray[np.float64]
    ) -> tuple[slice, slice]:
        first = np.maximum(np.ceil((low - self._low) / CELL), 0).astype(int).tolist()
        last = (np.floor((high - self._low) / CELL) + 1).astype(int).tolist()
        return slice(first[1], last[1]), slice(first[0], last[0])

    def _walkable(self) -> npt.NDArray[np.bool_]:
        """(8, rows, columns): whether one can step from a cell to each side of it."""
        steps = np.zeros((len(SIDES), *self.shape), bool)
        for side, (rows, columns) in enumerate(SIDES):
            there = _shifted(rows, self.shape[0]), _shifted(columns, self.shape[1])
            here = _shifted(-rows, self.shape[0]), _shifted(-columns, self.shape[1])
            floor, ceiling = self.floor[there], self.ceiling[there]
            with np.errstate(invalid="ignore"):  # walls are infinitely high
                steps[side][here] = (
                    self.free[there]
                    & (floor - self.floor[here] <= STEP)
                    & (ceiling - np.maximum(floor, self.floor[here]) >= HEIGHT)
                )
            if rows and columns:
                # Across a corner only if both ways around it are free.
                steps[side] &= steps[SIDES.index((rows, 0))] & steps[SIDES.index((0, columns))]
        return steps

    def _weigh(self) -> npt.NDArray[np.float64]:
        """How unwelcome each cell is: those beside a wall, or beside a fall."""
        dear = np.zeros(self.shape)
        blocked = ~self.free
        for near in range(_NEAR):
            grown = blocked.copy()
            grown[1:] |= blocked[:-1]
            grown[:-1] |= blocked[1:]
            grown[:, 1:] |= blocked[:, :-1]
            grown[:, :-1] |= blocked[:, 1:]
            dear[grown & ~blocked] = _DEAR * (_NEAR - near)
            blocked = grown
        return dear


def _shifted(by: int, size: int) -> slice:
    """The cells of a row that are left if all move by so many, 1 at most."""
    return slice(max(0, by), size + min(0, by))
