"""Draws many lines or rectangles with one call of QPainter, from numpy arrays."""

from typing import Any

import numpy as np
import numpy.typing as npt

from .qt import QLineF, QPainter, QPen, QRectF, sip

Array = npt.NDArray[np.float64]

_SMALLEST = 16
"""Elements in the smallest array."""
_FAR = -30_000.0
"""A coordinate far to the left of every image, or above it."""


class _Buffer:
    """Qt arrays of elements of four doubles, whose memory numpy writes into.

    The arrays are reused and always drawn whole: sip never frees the memory of an array, nor that
    of a slice of one, so with new ones for each image the process would grow for ever.
    """

    def __init__(self, kind: Any, invisible: tuple[float, float, float, float]) -> None:
        self._kind = kind
        self._invisible = invisible
        """An element outside of every image, for those that are not used."""
        self._arrays: list[tuple[Any, Array, list[int]]] = []
        """The array, its memory, and how many of its elements were used last; by size."""

    def filled(self, rows: Array) -> Any:
        """An array with these rows; the rest of its elements are invisible."""
        count, index = len(rows), 0
        while _SMALLEST << index < count:
            index += 1
        while index >= len(self._arrays):
            self._arrays.append(self._new_array(_SMALLEST << len(self._arrays)))
        array, memory, used = self._arrays[index]
        memory[:count] = rows
        memory[count : used[0]] = self._invisible
        used[0] = count
        return array

    def _new_array(self, size: int) -> tuple[Any, Array, list[int]]:
        # PyQt's stubs know neither the arguments nor the contents of sip's arrays.
        array_type: Any = sip.array
        array: Any = array_type(self._kind, size)
        memory: Any = sip.voidptr(array, size * 32)
        rows = np.frombuffer(memory, np.float64).reshape(size, 4)
        rows[:] = self._invisible
        return array, rows, [0]


class LineBuffer(_Buffer):
    """Draws many lines at once; rows are x1, y1, x2, y2 in pixels."""

    def __init__(self) -> None:
        super().__init__(QLineF, (_FAR, _FAR, _FAR, _FAR))

    def draw(self, painter: QPainter, rows: Array, line_pen: QPen) -> None:
        """Draw lines with one pen."""
        if len(rows):
            painter.setPen(line_pen)
            painter.drawLines(self.filled(rows))


class RectBuffer(_Buffer):
    """Draws many rectangles at once; rows are x, y, width, height in pixels."""

    def __init__(self) -> None:
        super().__init__(QRectF, (_FAR, _FAR, 0.0, 0.0))

    def draw(self, painter: QPainter, rows: Array) -> None:
        """Draw rectangles with the painter's pen and brush."""
        if len(rows):
            painter.drawRects(self.filled(rows))
