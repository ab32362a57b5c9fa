"""Finds paths over a level of Doom: its grid, with the doors that open by hand."""

import math
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from ....playback.pads.pad import Button
from ...plan_game_interface import Waypoint
from ...playable_interface import Vector
from ...walk_map import SIDES
from ...walkable_grid import NOWHERE, STEPS, WalkGrid
from ..level_walk_grid import CELL, STEP, Cell, LevelWalkGrid, Solid
from ..wad_map import WadMap

AHEAD = 24
"""Cells that a straight piece of the way may be long."""
REACH = 8
"""Cells from which a place that one can't stand on is taken to be come to."""
STRIDE = 4
"""Cells along a wider one, by which navigation policies and coverage go: a player's width."""
STRAIGHT = 64.0
"""Map units up to which a place is walked to without a search, if nothing is between."""
MOST_CACHED = 64
"""Ways to so many places are kept."""


class DoomMap:
    """Finds ways.

    Args:
        solids: What is in the way beside the walls.
    """

    def __init__(self, level: WadMap, solids: Iterable[Solid] = ()) -> None:
        doors = level.doors()
        self.ground = LevelWalkGrid(level, opened=doors, solids=tuple(solids))
        self._doors = np.isin(self.ground.sectors, doors)
        self._grid: WalkGrid | None = None
        self._costs: dict[tuple[Cell, ...], npt.NDArray[np.float64]] = {}

    def grid(self) -> WalkGrid:
        """The cells, with the doors open that open by hand."""
        if self._grid is None:
            self._grid = _coarse(self.ground, self._doors)
        return self._grid

    def path(self, start: Vector, goal: Vector, near: float) -> Sequence[Waypoint] | None:
        ground = self.ground
        cell = ground.nearest_free_cell(start[0], start[1], REACH)
        goals = self._around(goal, near)
        if cell is None or not goals:
            return None
        if self._is_straight(start, goal):
            floor = float(ground.floor[ground.cell(goal[0], goal[1])])
            return [Waypoint((goal[0], goal[1], floor))]
        cost = self._costs_to(goals)
        if not math.isfinite(cost[cell]):
            return None
        cells = ground.downhill(cost, cell, ground.shape[0] * ground.shape[1])
        way: list[Waypoint] = []
        here, height, at = start[:2], start[2], 0
        while at < len(cells):
            ahead = self._straight(here, height, cells, at)
            point = ground.point(cells[ahead])
            height = float(ground.floor[cells[ahead]])
            way.append(
                Waypoint((*point, height), press=Button.X if self._doors[cells[ahead]] else None)
            )
            here, at = point, ahead + 1
        return way or [Waypoint((*ground.point(cell), float(ground.floor[cell])))]

    def _is_straight(self, start: Vector, goal: Vector) -> bool:
        """Whether there is nothing to look for: the goal is near, on a level floor and no door."""
        ground = self.ground
        end = ground.cell(goal[0], goal[1])
        return (
            math.dist(start[:2], goal[:2]) <= STRAIGHT
            and bool(ground.free[end]) and not self._doors[end]
            and abs(float(ground.floor[end]) - start[2]) <= STEP
            and ground.open_way(start, goal[:2], back=True)
        )  # fmt: skip

    def _straight(
        self, here: tuple[float, float], height: float, cells: Sequence[Cell], at: int
    ) -> int:
        """The last of the next cells that is walked to straight, on the same side of a door."""
        best = at
        for ahead in range(at + 1, min(at + AHEAD, len(cells))):
            if self._doors[cells[ahead]] != self._doors[cells[at]]:
                break
            if self.ground.open_way((*here, height), self.ground.point(cells[ahead])):
                best = ahead
        return best

    def _around(self, goal: Vector, near: float) -> tuple[Cell, ...]:
        """The cells on which one is near a place."""
        ground, reach = self.ground, max(1, int(near / CELL))
        row, column = ground.cell(goal[0], goal[1])
        found = [
            (r, c)
            for r in range(max(0, row - reach), min(ground.shape[0], row + reach + 1))
            for c in range(max(0, column - reach), min(ground.shape[1], column + reach + 1))
            if ground.free[r, c] and math.dist(ground.point((r, c)), goal[:2]) <= near
            and abs(float(ground.floor[r, c]) - goal[2]) <= 2 * STEP
        ]  # fmt: skip
        return tuple(found)

    def _costs_to(self, goals: tuple[Cell, ...]) -> npt.NDArray[np.float64]:
        cost = self._costs.get(goals)
        if cost is None:
            if len(self._costs) >= MOST_CACHED:
                self._costs.pop(next(iter(self._costs)))
            cost = self._costs[goals] = self.ground.costs_to(goals)
        return cost


def _coarse(ground: LevelWalkGrid, doors: npt.NDArray[np.bool_]) -> WalkGrid:
    """Every few of a level's cells, in the form that all games have: the first axis is x."""
    rows, columns = (slice(STRIDE // 2, None, STRIDE),) * 2
    free = ground.free[rows, columns].T
    height = np.where(ground.free, ground.floor, 0.0)[rows, columns].T.astype(np.float32)
    nx, ny = free.shape
    index = np.arange(nx * ny, dtype=np.int32).reshape(nx, ny)
    leads = np.full((nx, ny, len(STEPS)), NOWHERE, np.int32)
    sides = ((across, along) for along, across in SIDES)
    steps = dict(zip(sides, ground.steps, strict=True))
    for direction, (dx, dy) in enumerate(STEPS):
        open_way = np.ones_like(ground.free)
        for far in range(STRIDE):
            open_way &= np.roll(steps[dx, dy], (-dy * far, -dx * far), (0, 1))
        open_way = open_way[rows, columns].T & free
        x, y = np.nonzero(open_way)
        inside = (x + dx >= 0) & (x + dx < nx) & (y + dy >= 0) & (y + dy < ny)
        x, y = x[inside], y[inside]
        leads[x, y, direction] = index[x + dx, y + dy]
    low = ground.point((STRIDE // 2, STRIDE // 2))
    # A door is thinner than a cell: it may lie between two, and is pressed from both.
    near = np.zeros_like(doors)
    for row, column in np.argwhere(doors).tolist():
        around = (max(0, row - STRIDE), max(0, column - STRIDE))
        near[around[0] : row + STRIDE + 1, around[1] : column + STRIDE + 1] = True
    at_doors = np.argwhere(near[rows, columns].T & free).tolist()
    press = {(int(x), int(y)): Button.X for x, y in at_doors}
    return WalkGrid(STRIDE * CELL, low, free, height, leads, press)
