"""A walkable grid of cells: which are free, how high they are, where a step leads."""

import math
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from ..playback.pads.pad import Button
from .plan_game_interface import NavigationMap
from .playable_interface import Vector

DIRECTIONS = ("east", "northeast", "north", "northwest", "west", "southwest", "south", "southeast")
"""The steps that there are: `east` is along x, `north` along y."""
STEPS = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))
"""The cells that each of `DIRECTIONS` goes by."""
NOWHERE = -1
"""Where a step leads that can't be taken."""

Cell = tuple[int, int]


class WalkGrid(NamedTuple):
    """The cells of a map. The first axis is x, the second y; a flat index counts along y first."""

    size: float
    """Metres from one cell to the next."""
    corner: tuple[float, float]
    """The middle of the first cell."""
    free: npt.NDArray[np.bool_]
    """Which cells are free."""
    height: npt.NDArray[np.float32]
    """How high the ground of each is."""
    leads: npt.NDArray[np.int32]
    """The flat index of the cell that a step in each of `DIRECTIONS` leads to, or `NOWHERE`.

    A step up or down a ledge may lead over a few cells.
    """
    press: Mapping[Cell, Button] = MappingProxyType({})
    """Cells that may be shut, such as those in a door, and what is pressed to open them."""

    def cell(self, position: Vector) -> Cell:
        """The cell of a position; it may lie outside."""
        x, y = (round((position[axis] - self.corner[axis]) / self.size) for axis in (0, 1))
        return x, y

    def middle(self, cell: Cell) -> Vector:
        """The middle of a cell that is inside."""
        x, y = (self.corner[axis] + self.size * cell[axis] for axis in (0, 1))
        return x, y, float(self.height[cell])

    def inside(self, cell: Cell) -> bool:
        """Whether there is such a cell."""
        return all(0 <= cell[axis] < self.free.shape[axis] for axis in (0, 1))

    def nearest_free_cell(self, position: Vector, step: float, reach: int = 2) -> Cell | None:
        """The free cell nearest to a position, and no more than a step up or down from it."""
        x, y = self.cell(position)
        near = [
            (x + dx, y + dy)
            for dx in range(-reach, reach + 1) for dy in range(-reach, reach + 1)
            if self.inside((x + dx, y + dy)) and self.free[x + dx, y + dy]
            and abs(float(self.height[x + dx, y + dy]) - position[2]) <= step
        ]  # fmt: skip
        return min(near, key=lambda cell: math.dist(position, self.middle(cell)), default=None)

    def around(self, goal: Vector, near: float, off: float) -> npt.NDArray[np.bool_]:
        """The free cells within `near` metres of a position and no more than `off` up or down."""
        x = self.corner[0] + self.size * np.arange(self.free.shape[0])[:, None]
        y = self.corner[1] + self.size * np.arange(self.free.shape[1])[None, :]
        close = np.hypot(x - goal[0], y - goal[1]) <= near
        found: npt.NDArray[np.bool_] = close & self.free & (np.abs(self.height - goal[2]) <= off)
        return found

    def reached(self, start: Cell) -> npt.NDArray[np.bool_]:
        """All cells that steps lead to from this one, itself included."""
        seen = np.zeros(self.free.size, bool)
        edge = np.array([start[0] * self.free.shape[1] + start[1]])
        seen[edge] = True
        leads = self.leads.reshape(-1, len(DIRECTIONS))
        while edge.size:
            edge = np.unique(leads[edge])
            edge = edge[edge != NOWHERE]
            edge = edge[~seen[edge]]
            seen[edge] = True
        return seen.reshape(self.free.shape)

    def steps_to(self, goals: npt.NDArray[np.bool_]) -> npt.NDArray[np.int32]:
        """How many steps each cell is away from the nearest of these; −1 where none can be got to.

        It is for many goals on one grid; a path to one is what `NavigationMap.path` is for.
        """
        away = np.full(self.free.size, -1, np.int32)
        edge = np.flatnonzero(goals)
        away[edge] = 0
        source, begin = self._into()
        step = 0
        while edge.size:
            step += 1
            edge = np.unique(source[_ranges(begin[edge], begin[edge + 1])])
            edge = edge[away[edge] < 0]
            away[edge] = step
        return away.reshape(self.free.shape)

    def _into(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The cells from which steps lead to each, in a row, and where those of each begin."""
        leads = self.leads.reshape(-1, len(DIRECTIONS))
        source, direction = np.nonzero(leads != NOWHERE)
        target = leads[source, direction]
        order = np.argsort(target, kind="stable")
        counts = np.bincount(target, minlength=self.free.size)
        return source[order], np.concatenate(([0], np.cumsum(counts)))


@runtime_checkable
class GridWorld(Protocol):
    """A game that knows the cells of all its areas, also of those where the player is not."""

    def walk_grids(self) -> Sequence[WalkGrid]:
        """The cells of each area, with doors closed and open."""


@runtime_checkable
class GridMap(NavigationMap, Protocol):
    """A map that knows its cells: what a navigation policy sees of a game."""

    def grid(self) -> WalkGrid:
        """The cells as they are now."""


def walking_leads(
    free: npt.NDArray[np.bool_], height: npt.NDArray[np.floating], step_up: float
) -> npt.NDArray[np.int32]:
    """Where steps lead for who only walks: to free neighbours, and around no corner."""
    nx, ny = free.shape
    index = np.arange(nx * ny, dtype=np.int32).reshape(nx, ny)
    leads = np.full((nx, ny, len(STEPS)), NOWHERE, np.int32)
    for direction, (dx, dy) in enumerate(STEPS):
        here, there = shifted(free.shape, dx, dy)
        open_way = free[there] & free[here] & (np.abs(height[there] - height[here]) <= step_up)
        if dx and dy:
            ahead = (slice(here[0].start + dx, here[0].stop + dx), here[1])
            beside = (here[0], slice(here[1].start + dy, here[1].stop + dy))
            open_way &= free[ahead] & free[beside]
        leads[(*here, direction)] = np.where(open_way, index[there], NOWHERE)
    return leads


def shifted(
    shape: tuple[int, ...], dx: int, dy: int
) -> tuple[tuple[slice, slice], tuple[slice, slice]]:
    """All cells that have one so far beside them, and those beside them."""
    here, there = [], []
    for by, count in zip((dx, dy), shape, strict=True):
        begin, end = max(0, -by), max(max(0, -by), count - max(0, by))
        here.append(slice(begin, end))
        there.append(slice(begin + by, end + by))
    return (here[0], here[1]), (there[0], there[1])


def _ranges(begin: npt.NDArray[np.int64], end: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The numbers of many ranges, one after another."""
    counts = end - begin
    if not counts.sum():
        return np.zeros(0, np.int64)
    before = np.repeat(np.cumsum(counts) - counts, counts)
    found: npt.NDArray[np.int64] = np.arange(counts.sum()) - before + np.repeat(begin, counts)
    return found


def cells(mask: npt.NDArray[np.bool_]) -> Iterator[Cell]:
    """The cells that are marked."""
    for x, y in zip(*np.nonzero(mask), strict=True):
        yield int(x), int(y)
