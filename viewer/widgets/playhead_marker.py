"""The playhead's own mark: a line with a flag that says the time, in its own colour."""

from ..toolkit import palette
from ..toolkit.qt import QPainter, QPointF, QPolygonF, QRectF, Qt
from ..toolkit.theme import color, font, pen


def paint_flag(painter: QPainter, box: QRectF, x: float, text: str, height: float) -> None:
    """A line at `x` down a box, with its flag in the top `height` pixels."""
    painter.fillRect(
        QRectF(x - 0.75, box.top() + height - 4, 1.5, box.height()), color(palette.PLAYHEAD)
    )
    face = font(11, bold=True, mono=True)
    painter.setFont(face)
    width = painter.fontMetrics().horizontalAdvance(text) + 14.0
    flag = QRectF(x - width / 2, box.top() + 3, width, 18)
    flag.moveLeft(min(max(flag.left(), box.left()), box.right() - width))
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
