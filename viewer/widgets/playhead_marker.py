"""Paints the playhead: a line with a flag that shows the time."""

from ..toolkit import palette
from ..toolkit.qt import QPainter, QPointF, QPolygonF, QRectF, Qt
from ..toolkit.theme import color, font, pen

_PADDING = 14.0
"""Pixels of the flag beside its text, left and right together."""
_TOP, _HEIGHT = 3.0, 18.0


def flag_box(painter: QPainter, box: QRectF, x: float, text: str) -> QRectF:
    """The rectangle of the flag for a line at `x`: centred on it, but inside of the box."""
    painter.setFont(font(11, bold=True, mono=True))
    width = painter.fontMetrics().horizontalAdvance(text) + _PADDING
    flag = QRectF(x - width / 2, box.top() + _TOP, width, _HEIGHT)
    flag.moveLeft(min(max(flag.left(), box.left()), box.right() - width))
    return flag


def paint_flag(painter: QPainter, box: QRectF, x: float, text: str, height: float) -> None:
    """Paint a line at `x` down a box, with its flag in the top `height` pixels."""
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
