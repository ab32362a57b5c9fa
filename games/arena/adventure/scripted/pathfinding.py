"""Finds paths over an area: around obstacles, up ledges by a jump, down by a step.

An area is split into cells. A cell is free if nothing higher than a step is so close that
a person would lean on it, and no lava is near.
"""

import math
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....shortest_paths import PathGraph
from ....walkable_grid import NOWHERE, STEPS, WalkGrid, shifted, walking_leads
from ...entity import distance
from ...yaml_nodes import Point
from ..world.current_area import AreaState
from ..world.level import Zone
from ..world.terrain import STEP_UP

CELL = 0.5
"""Metres from one cell to the next."""
CLEAR = 0.42
"""Metres around a person that are free of what is higher than a step."""
ONE_JUMP, TWO_JUMPS = 1.05, 2.0
"""Metres up that one jump, and two of them, are sure to reach."""
HOP = 4
"""Cells that a jump up a ledge, or a step down from it, may go over."""
LAVA = 0.6
"""Metres that one stays away from lava."""

Cell = tuple[int, int]


class PathLeg(NamedTuple):
    """The next waypoint."""

    at: Point
    z: float
    jump: float = 0.0
    """Metres up that must be jumped to get there; 0 where one walks."""


class WalkableArea:
    """The cells of an area as they are now: with its doors, its people and the things in it."""

    def __init__(self, area_state: AreaState) -> None:
        area = area_state.area
        self._size = (int(area.size[0] / CELL), int(area.size[1] / CELL))
        self._corner = (-area.size[0] / 2 + CELL / 2, -area.size[1] / 2 + CELL / 2)
        xs = self._corner[0] + CELL * np.arange(self._size[0])[:, None]
        ys = self._corner[1] + CELL * np.arange(self._size[1])[None, :]

        def over(zone: Zone, margin: float = 0.0) -> npt.NDArray[np.bool_]:
            (x, y), (w, h) = zone.at, zone.size
            inside: npt.NDArray[np.bool_] = (np.abs(xs - x) <= w / 2 + margin) & (
                np.abs(ys - y) <= h / 2 + margin
            )
            return inside

        height = np.zeros(self._size)
        for pit in area.pits:
            height[over(pit)] = -pit.depth
        for block in sorted(area.blocks, key=lambda block: block.top):
            height[over(block)] = block.top
        # What is higher than the cell, close by.
        beside = height.copy()
        for block in area.blocks:
            near = over(block, CLEAR)
            beside[near] = np.maximum(beside[near], block.top)
        for pit in area.pits:
            # Its rim, for who is in it.
            rim = over(pit) & ~over(Zone(pit.at, (pit.size[0] - CLEAR, pit.size[1] - CLEAR)))
            beside[rim] = np.maximum(beside[rim], 0.0)
        free = beside <= height + STEP_UP
        for pit in area.pits:
            if pit.lava:
                free &= ~over(pit, LAVA)
        for gate in area_state.gates:
            if gate.state == "closed":
                free &= ~over(gate.door, CLEAR)
        for prop in (*area_state.speakers, *area_state.devices):
            if prop.shape is not None:
                radius = prop.shape.radius + CLEAR
                free &= np.hypot(xs - prop.at[0], ys - prop.at[1]) > radius
        inner = Zone((0.0, 0.0), (area.size[0] - 2 * CLEAR, area.size[1] - 2 * CLEAR))
        free &= over(inner)
        self._free: list[list[bool]] = free.tolist()
        self._height: list[list[float]] = height.tolist()
        burns = np.zeros(self._size, bool)
        for pit in area.pits:
            if pit.lava:
                burns |= over(pit, LAVA)
        self._cells = free, height, burns

    @cached_property
    def grid(self) -> WalkGrid:
        """The same cells, with where a step in each direction leads."""
        free, height, burns = self._cells
        leads = walking_leads(free, height, STEP_UP)
        index = np.arange(free.size, dtype=np.int32).reshape(free.shape)
        for direction, (dx, dy) in enumerate(STEPS):
            if dx and dy:
                continue
            # Up or down a ledge, over no lava and no wall that is too high.
            seeking = free & (leads[..., direction] == NOWHERE)
            for far in range(1, HOP + 1):
                here, there = shifted(free.shape, far * dx, far * dy)
                rise = height[there] - height[here]
                blocked = (rise > TWO_JUMPS) | burns[there]
                lands = seeking[here] & ~blocked & free[there] & (np.abs(rise) > STEP_UP)
                leads[(*here, direction)] = np.where(lands, index[there], leads[(*here, direction)])
                on = np.zeros(free.shape, bool)
                on[here] = seeking[here] & ~blocked & ~lands
                seeking = on
        return WalkGrid(CELL, self._corner, free, height.astype(np.float32), leads)

    def route(
        self, start: Point, z: float, goal: Point, near: float, level: float, off: float
    ) -> list[PathLeg] | None:
        """The way from a position at height `z` to within `near` metres of another.

        Args:
            level: How high the goal is, and `off`: how much higher or lower one may end.

        Returns:
            The positions to walk over, in order; None if there is no way.
        """
        grid, columns = self.grid, self._size[1]
        starts = {x * columns + y: distance(start, self._middle((x, y)))
                  for x, y in self._around(start, z)}  # fmt: skip
        goals = np.flatnonzero(grid.around((*goal, level), max(near, 0.75 * CELL), off))
        guess = 2.0 * distance(start, goal) + 4.0
        found = self._graph.path(starts, goals, guess)
        if found is None:
            return None
        return self._legs([divmod(node, columns) for node in found], goal, level)

    def open(self, a: Point, b: Point) -> bool:
        """Whether one can walk straight from one position to the other."""
        steps = max(1, math.ceil(distance(a, b) / (0.5 * CELL)))
        last = self._cell(a)
        for step in range(1, steps + 1):
            share = step / steps
            cell = self._cell((a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])))
            if cell == last:
                continue
            if not self._is_free(cell) or abs(self._z(cell) - self._z(last)) > STEP_UP:
                return False
            last = cell
        return True

    @cached_property
    def _graph(self) -> PathGraph:
        """The steps from cell to cell. Air costs twice what ground does, and a jump its effort."""
        leads, height, columns = self.grid.leads, self._cells[1].ravel(), self._size[1]
        source, direction = np.nonzero(leads.reshape(-1, len(STEPS)) != NOWHERE)
        target = leads.reshape(-1, len(STEPS))[source, direction]
        (x, y), (tx, ty) = divmod(source, columns), divmod(target, columns)
        rise = height[target] - height[source]
        effort = np.where(rise < 0, 1.0, np.where(rise <= ONE_JUMP, 4.0, 8.0))
        away = CELL * np.hypot(tx - x, ty - y)
        costs = np.where(np.abs(rise) > STEP_UP, 2.0 * away + effort, away)
        return PathGraph(height.size, source, target, costs)

    def _legs(self, cells: list[Cell], goal: Point, level: float) -> list[PathLeg]:
        """The waypoints of a path: only where one turns, and at ledges."""
        legs: list[PathLeg] = []
        at = 0
        while at < len(cells) - 1:
            here, ahead = self._middle(cells[at]), at
            while ahead + 1 < len(cells) and self.open(here, self._middle(cells[ahead + 1])):
                ahead += 1
            rise = 0.0
            if ahead == at:
                # A ledge: to its foot first, then up or down.
                ahead += 1
                rise = self._z(cells[ahead]) - self._z(cells[at])
                legs.append(PathLeg(here, self._z(cells[at])))
            legs.append(PathLeg(
                self._middle(cells[ahead]), self._z(cells[ahead]), rise if rise > STEP_UP else 0.0
            ))  # fmt: skip
            at = ahead
        if not legs:
            legs.append(PathLeg(self._middle(cells[0]), self._z(cells[0])))
        if self.open(legs[-1].at, goal) and abs(self._z(self._cell(goal)) - level) <= STEP_UP:
            legs.append(PathLeg(goal, level))
        return legs

    def _around(self, at: Point, z: float) -> Iterator[Cell]:
        """Free cells where a person is now."""
        x, y = self._cell(at)
        found = [
            (x + dx, y + dy)
            for dx in (-2, -1, 0, 1, 2) for dy in (-2, -1, 0, 1, 2)
            if self._is_free((x + dx, y + dy)) and abs(self._z((x + dx, y + dy)) - z) <= STEP_UP
        ]  # fmt: skip
        found.sort(key=lambda cell: distance(at, self._middle(cell)))
        yield from found[:3]

    def _cell(self, at: Point) -> Cell:
        return round((at[0] - self._corner[0]) / CELL), round((at[1] - self._corner[1]) / CELL)

    def _middle(self, cell: Cell) -> Point:
        return self._corner[0] + CELL * cell[0], self._corner[1] + CELL * cell[1]

    def _inside(self, cell: Cell) -> bool:
        return 0 <= cell[0] < self._size[0] and 0 <= cell[1] < self._size[1]

    def _is_free(self, cell: Cell) -> bool:
        return self._inside(cell) and self._free[cell[0]][cell[1]]

    def _z(self, cell: Cell) -> float:
        return self._height[cell[0]][cell[1]] if self._inside(cell) else math.inf
