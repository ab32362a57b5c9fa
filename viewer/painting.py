"""Painting: numpy straight into Qt's arrays of lines and boxes, and panels that survive errors."""

import traceback
from typing import Any

import numpy as np
import numpy.typing as npt

from .models import palette
from .qt import QLineF, QPainter, QPaintEvent, QPen, QRectF, Qt, QWidget, sip
from .theme import color, font, pen

Array = npt.NDArray[np.float64]


class _Buffer:
    """A Qt array of four doubles an element, whose memory numpy writes into."""

    def __init__(self, kind: Any) -> None:
        self._kind = kind
        self._grow(1024)

    def _grow(self, size: int) -> None:
        # PyQt's stubs know neither the arguments nor the slices of sip's arrays.
        made: Any = sip.array
        self.items: Any = made(self._kind, size)
        memory: Any = sip.voidptr(self.items, size * 32)
        self._rows = np.frombuffer(memory, np.float64).reshape(size, 4)

    def fill(self, rows: Array) -> None:
        if len(rows) > len(self._rows):
            self._grow(2 * len(rows))
        self._rows[: len(rows)] = rows


class LineBuffer(_Buffer):
    """Draws many lines at once; rows are x1, y1, x2, y2 in pixels."""

    def __init__(self) -> None:
        super().__init__(QLineF)

    def draw(self, painter: QPainter, rows: Array, which: QPen) -> None:
        """Lines of one pen."""
        if len(rows):
            self.fill(rows)
            painter.setPen(which)
            painter.drawLines(self.items[0 : len(rows)])

    def draw_groups(
        self, painter: QPainter, rows: Array, groups: npt.NDArray[Any], pens: list[QPen]
    ) -> None:
        """Lines of many pens: `groups` says which one each line has."""
        if not len(rows):
            return
        order = np.argsort(groups, kind="stable")
        self.fill(rows[order])
        sorted_groups = groups[order]
        starts = np.flatnonzero(np.append(True, sorted_groups[1:] != sorted_groups[:-1])).tolist()
        for start, end in zip(starts, [*starts[1:], len(rows)], strict=True):
            painter.setPen(pens[int(sorted_groups[start])])
            painter.drawLines(self.items[start:end])


class RectBuffer(_Buffer):
    """Draws many rectangles at once; rows are x, y, width, height in pixels."""

    def __init__(self) -> None:
        super().__init__(QRectF)

    def draw(self, painter: QPainter, rows: Array) -> None:
        """Rectangles with the painter's pen and brush."""
        if len(rows):
            self.fill(rows)
            painter.drawRects(self.items[0 : len(rows)])


class Panel(QWidget):
    """A widget that paints itself, and shows the error if that fails: the others live on."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMinimumSize(120, 60)
        self.trouble = ""
        """The traceback of the last painting, if it failed."""

    def paint(self, painter: QPainter) -> None:
        """Draw everything."""
        raise NotImplementedError

    def paintEvent(self, event: QPaintEvent | None) -> None:  # noqa: N802 — Qt's name
        painter = QPainter(self)
        try:
            self.paint(painter)
            self.trouble = ""
        except Exception:
            # Leaving a paint event by an exception would abort the process.
            self.trouble = traceback.format_exc()
            self._paint_trouble(painter)
        finally:
            painter.end()

    def _paint_trouble(self, painter: QPainter) -> None:
        painter.resetTransform()
        painter.setClipping(False)
        painter.fillRect(self.rect(), color("#1d1315"))
        painter.setPen(pen(palette.FAILED))
        painter.setFont(font(12, bold=True))
        box = QRectF(self.rect()).adjusted(12, 10, -12, -10)
        painter.drawText(box, "This panel could not be drawn (Ctrl+C copies this)")
        painter.setPen(pen(palette.DIM))
        painter.setFont(font(11, mono=True))
        painter.drawText(box.adjusted(0, 24, 0, 0), Qt.TextFlag.TextWordWrap, self.trouble)


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
    """A text that fits, with … where it was cut."""
    return painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, max(0, int(width)))
