"""A walkable map as plain data: cells in rows, and the steps from each cell to its neighbours."""

from collections.abc import Sequence

import msgspec
import numpy as np
import numpy.typing as npt

from ..errors import GameError

SIDES = ((0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, -1), (-1, 1))
"""Rows and columns from a cell to each of those beside it, in the order of the bits of `steps`."""
MOST_CELLS = 1_000_000


class WalkMap(msgspec.Struct, frozen=True):
    """The cells of a level. It can be sent to another process, and written to a file."""

    cell: float
    """The distance between two cells, in the world's unit."""
    corner: tuple[float, float]
    """The middle of the first cell of the first row; rows go along y."""
    columns: int
    steps: bytes
    """For each cell, row by row, a bit for each of `SIDES`: whether one can step there."""

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.steps) // self.columns if self.columns else 0

    def can_step(self) -> npt.NDArray[np.bool_]:
        """(8, rows, columns): the same steps, in the order of `SIDES`."""
        bits = np.frombuffer(self.steps, np.uint8)
        steps = np.unpackbits(bits[None], axis=0, bitorder="little").astype(bool)
        return steps.reshape(len(SIDES), self.rows, self.columns)

    def point(self, index: int) -> tuple[float, float]:
        """The middle of a cell."""
        row, column = divmod(index, self.columns)
        return self.corner[0] + self.cell * column, self.corner[1] + self.cell * row


def map_of_free_cells(
    free: npt.NDArray[np.bool_], cell: float, corner: tuple[float, float]
) -> WalkMap:
    """The map in which one can step from a free cell to any free one beside it.

    Across a corner only where both cells beside the way are free, too.
    """
    return map_of_steps(steps_between(free), cell, corner)


def steps_between(free: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """(8, rows, columns): the steps that `map_of_free_cells` allows, in the order of `SIDES`."""
    rows, columns = free.shape
    padded = np.pad(free, 1)
    steps = np.zeros((len(SIDES), rows, columns), bool)
    for side, (down, across) in enumerate(SIDES):
        there = padded[1 + down : 1 + down + rows, 1 + across : 1 + across + columns]
        steps[side] = free & there
        if down and across:
            steps[side] &= steps[SIDES.index((down, 0))] & steps[SIDES.index((0, across))]
    return steps


def map_of_steps(steps: npt.NDArray[np.bool_], cell: float, corner: tuple[float, float]) -> WalkMap:
    """The map with these steps: (8, rows, columns), in the order of `SIDES`.

    Raises:
        GameError: it is too large.
    """
    _, rows, columns = steps.shape
    if rows * columns > MOST_CELLS:
        raise GameError(
            f"a map of {rows} × {columns} cells: at most {MOST_CELLS:,} are searched; make the"
            " cells larger"
        )
    bits = np.packbits(steps, axis=0, bitorder="little")[0]
    return WalkMap(cell, corner, columns, bits.tobytes())


def map_of_drawing(lines: Sequence[str], cell: float, corner: tuple[float, float]) -> WalkMap:
    """The map that a drawing shows: `.` can be walked on; the last line is the row nearest to y=0.

    So it looks as from above, with y up.
    """
    free = np.array([[letter == "." for letter in line] for line in reversed(lines)], bool)
    return map_of_free_cells(free.reshape(len(lines), -1), cell, corner)


def drawing_of(walk_map: WalkMap) -> list[str]:
    """The same as a drawing: what can be stepped from or to is free."""
    bits = np.frombuffer(walk_map.steps, np.uint8).reshape(-1, walk_map.columns)
    return ["".join("." if one else "#" for one in row) for row in reversed(bits.tolist())]
