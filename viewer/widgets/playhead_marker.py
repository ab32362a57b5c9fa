"""The playhead's own mark: a line with a flag that says the time, in its own colour."""

from ..toolkit import palette
from ..toolkit.qt import QPainter, QPointF, QPolygonF, QRectF, Qt
from ..toolkit.theme import color, font, pen

_SIDES = 14.0
"""Pixels of the flag beside its text, left and right together."""
_TOP, _HEIGHT = 3.0, 18.0


def flag_box(painter: QPainter, box: QRectF, x: float, text: str) -> QRectF:
    """Where the flag of a line at `x` is: around it, but never beyond the sides of the box."""
    painter.setFont(font(11, bold=True, mono=True))
    width = painter.fontMetrics().horizontalAdvance(text) + _SIDES
    flag = QRectF(x - width / 2, box.top() + _TOP, width, _HEIGHT)
    flag.moveLeft(min(max(flag.left(), box.left()), box.right() - width))
    return flag


def paint_flag(painter: QPainter, box: QRectF, x: float, text: str, height: float) -> None:
    """A line at `x` down a box, with its flag in the top `height` pixels."""
    painter.fillRect(
        QRectF(x - 0.75, box.top() + height - 4, 1.5, box.height()), color(palette.PLAYHEAD)
    )
    flag = flag_box(painter, box, x, text)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color(palette.PLAYHEAD))
    painter.drawRoundedRect(flag, 4, 4)
    foot = box.top() + height
    painter.drawPolygon(
        QPolygonF([QPointF(x - 5, foot - 6), QPointF(x + 5, foot - 6), QPointF(x, foot)])
    )
    painter.setPen(pen(palette.PLAYHEAD_TEXT))
    painter.drawText(flag, Qt.AlignmentFlag.AlignCenter, text)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
