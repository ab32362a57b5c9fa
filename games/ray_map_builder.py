"""Makes a map with rays from position to position, until nothing new is seen.

For games that do not know their map, but can measure how far one sees. Where a ray ends, the map is
blocked; where it passed, the map is free.
"""

import math

import numpy as np
import numpy.typing as npt

from ..errors import GameError
from .tree_body_interface import Point, Rays
from .walk_map import MOST_CELLS, WalkMap, map_of_free_cells

RAYS = 180
"""The rays from each position."""


class RayScan:
    """What is known of a part of the world.

    It may be scanned from one position after another during play.

    Args:
        cell: From one cell of the map to the next.
        low: The lower left end of the part, and `high` its upper right end.
        room: How far one must stay from whatever is in the way.
        reach: How far rays reach: one that is as long has met nothing.

    Raises:
        GameError: the cells would be too many.
    """

    def __init__(
        self, cell: float, low: Point, high: Point, *, room: float = 0.0, reach: float = math.inf
    ) -> None:
        columns, rows = (math.floor((high[axis] - low[axis]) / cell) + 1 for axis in (0, 1))
        if not (columns > 0 and rows > 0 and columns * rows <= MOST_CELLS):
            raise GameError(
                f"a scan of {columns} × {rows} cells: at most {MOST_CELLS:,} are scanned; make the"
                " cells larger or the part of the world smaller"
            )
        self._cell, self._low, self._room, self._reach = cell, low, room, reach
        self._span = math.hypot(high[0] - low[0], high[1] - low[1])
        self._free = np.zeros((rows, columns), bool)
        self._blocked = np.zeros((rows, columns), bool)
        self._angles = np.arange(RAYS) * (math.tau / RAYS)
        around = np.arange(-math.ceil(room / cell) - 1, math.ceil(room / cell) + 2)
        self._around = np.stack(np.meshgrid(around, around), -1).reshape(-1, 2)

    def look(self, rays: Rays, position: Point) -> None:
        """Look around from a position."""
        seen = np.array([rays(position, angle) for angle in self._angles.tolist()])
        directions = np.stack([np.cos(self._angles), np.sin(self._angles)], 1)
        far = np.minimum(seen, min(self._reach, self._span))
        along = np.arange(0.0, float(far.max()), 0.5 * self._cell)
        rays_of, steps = np.nonzero(along[None, :] < far[:, None])
        self._mark(self._free, position + along[steps, None] * directions[rays_of])
        met = seen < min(self._reach, self._span)
        self._block(position + seen[met, None] * directions[met])

    def walk_map(self) -> WalkMap:
        """Where one can walk, as far as is known."""
        return map_of_free_cells(self._free & ~self._blocked, self._cell, self._low)

    def explore(self, rays: Rays, start: Point, apart: float) -> None:
        """Look from the start, and from all that came in sight, at least every `apart`.

        Raises:
            GameError: one can't stand at the start.
        """
        stride = max(1, round(apart / self._cell))
        covered = np.zeros_like(self._free)
        position: Point | None = start
        while position is not None:
            self.look(rays, position)
            row, column = self._cell_of(position)
            covered[max(0, row - stride + 1) : row + stride,
                    max(0, column - stride + 1) : column + stride] = True  # fmt: skip
            left = np.argwhere(self._free & ~self._blocked & ~covered)
            position = None
            if len(left):
                row, column = left[0].tolist()
                position = (self._low[0] + column * self._cell, self._low[1] + row * self._cell)
        row, column = self._cell_of(start)
        if not (self._free & ~self._blocked)[row, column]:
            raise GameError(f"no character fits at the scan's start {start}: there is no room")

    def _cell_of(self, position: Point) -> tuple[int, int]:
        row, column = (round((position[axis] - self._low[axis]) / self._cell) for axis in (1, 0))
        rows, columns = self._free.shape
        if not (0 <= row < rows and 0 <= column < columns):
            raise GameError(f"the scan's start {position} is outside of the part that is scanned")
        return row, column

    def _mark(self, into: npt.NDArray[np.bool_], points: npt.NDArray[np.float64]) -> None:
        cells = np.rint((points - self._low) / self._cell).astype(int)
        rows, columns = into.shape
        inside = ((cells >= 0) & (cells < (columns, rows))).all(1)
        into[cells[inside, 1], cells[inside, 0]] = True

    def _block(self, points: npt.NDArray[np.float64]) -> None:
        """Mark the cells that are within `room` of points, and those of the points themselves."""
        self._mark(self._blocked, points)
        cells = np.rint((points - self._low) / self._cell)[:, None, :] + self._around[None, :, :]
        middles = self._low + self._cell * cells
        near = np.linalg.norm(middles - points[:, None, :], axis=2) <= self._room
        self._mark(self._blocked, middles[near])


def scan_map(
    rays: Rays, start: Point, cell: float, low: Point, high: Point, *, room: float = 0.0,
    reach: float = math.inf,
) -> WalkMap:  # fmt: skip
    """The map of all that can be walked to from a position; see `RayScan`.

    Raises:
        GameError: the cells would be too many, or one can't stand at the start.
    """
    scan = RayScan(cell, low, high, room=room, reach=reach)
    scan.explore(rays, start, apart=2 * cell)
    return scan.walk_map()
