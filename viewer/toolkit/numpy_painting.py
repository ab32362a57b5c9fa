"""Painting helpers: numpy rows straight into Qt's arrays of lines and boxes, and text that fits."""

from typing import Any

import numpy as np
import numpy.typing as npt

from . import palette
from .qt import QLineF, QPainter, QPen, QRectF, Qt, sip
from .theme import font, pen

Array = npt.NDArray[np.float64]

_SMALLEST = 16
_FAR = -30_000.0
"""A pixel far to the left and above."""
_BREAKS = {ord(one): " " for one in "\n\r\t\v\f\x1c\x1d\x1e\x85\u2028\u2029"}


class _Buffer:
    """Qt arrays of four doubles an element, whose memory numpy writes into.

    They are kept, and always drawn whole: sip never gives the memory of an array back, nor that of
    a slice of one, so that making some for each picture would let the process grow for ever.
    """

    def __init__(self, kind: Any, nowhere: tuple[float, float, float, float]) -> None:
        self._kind = kind
        self._nowhere = nowhere
        """An element that nobody sees."""
        self._arrays: list[tuple[Any, Array, list[int]]] = []
        """By size: the array, its memory, and how many of its elements were used last."""

    def filled(self, rows: Array) -> Any:
        """An array of these rows; what is left of it is far outside of every picture."""
        count, place = len(rows), 0
        while _SMALLEST << place < count:
            place += 1
        while place >= len(self._arrays):
            self._arrays.append(self._made(_SMALLEST << len(self._arrays)))
        array, memory, used = self._arrays[place]
        memory[:count] = rows
        memory[count : used[0]] = self._nowhere
        used[0] = count
        return array

    def _made(self, size: int) -> tuple[Any, Array, list[int]]:
        # PyQt's stubs know neither the arguments nor the contents of sip's arrays.
        made: Any = sip.array
        array: Any = made(self._kind, size)
        memory: Any = sip.voidptr(array, size * 32)
        rows = np.frombuffer(memory, np.float64).reshape(size, 4)
        rows[:] = self._nowhere
        return array, rows, [0]


class LineBuffer(_Buffer):
    """Draws many lines at once; rows are x1, y1, x2, y2 in pixels."""

    def __init__(self) -> None:
        super().__init__(QLineF, (_FAR, _FAR, _FAR, _FAR))

    def draw(self, painter: QPainter, rows: Array, which: QPen) -> None:
        """Lines of one pen."""
        if len(rows):
            painter.setPen(which)
            painter.drawLines(self.filled(rows))


class RectBuffer(_Buffer):
    """Draws many rectangles at once; rows are x, y, width, height in pixels."""

    def __init__(self) -> None:
        super().__init__(QRectF, (_FAR, _FAR, 0.0, 0.0))

    def draw(self, painter: QPainter, rows: Array) -> None:
        """Rectangles with the painter's pen and brush."""
        if len(rows):
            painter.drawRects(self.filled(rows))


def say_empty(painter: QPainter, box: QRectF, title: str, call: str = "") -> None:
    """Say that there is nothing, and the one call that fills it."""
    middle = box.center().y()
    painter.setFont(font(12))
    painter.setPen(pen(palette.DIM))
    flags = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap
    painter.drawText(QRectF(box.left() + 12, middle - 26, box.width() - 24, 36), flags, title)
    if call:
        painter.setFont(font(11, mono=True))
        painter.setPen(pen(palette.FAINT))
        painter.drawText(QRectF(box.left() + 12, middle + 10, box.width() - 24, 48), flags, call)


def elided(painter: QPainter, text: str, width: float) -> str:
    """A text that fits into one line, with … where it was cut."""
    metrics = painter.fontMetrics()
    return metrics.elidedText(one_line(text), Qt.TextElideMode.ElideRight, max(0, int(width)))


def one_line(text: str) -> str:
    """A text for a row: names come from games, and line breaks in them would leave the row."""
    return text.translate(_BREAKS) if not text.isprintable() else text
