"""The hatch over stretches of time of which there is nothing to show."""

from . import palette
from .qt import QPainter, QPen, QPointF, QRectF, Qt
from .theme import color, font, pen


def paint_hatch(painter: QPainter, box: QRectF, text: str, name: str = palette.WARNING) -> None:
    """A stretch of which there is nothing."""
    if box.width() <= 0:
        return
    # Opaque: what is not there must not look as if it were.
    painter.fillRect(box, color(palette.MISSING))
    painter.save()
    painter.setClipRect(box)
    painter.setPen(QPen(color(name, 80), 1))
    step, height = 7, int(box.height())
    for x in range(int(box.left()) - height, int(box.right()) + step, step):
        painter.drawLine(QPointF(x, box.bottom()), QPointF(x + height, box.top()))
    painter.restore()
    if box.width() > 52:
        painter.setFont(font(11))
        painter.setPen(pen(palette.WARNING_TEXT))
        words = QRectF(box.left(), box.bottom() - 24, box.width(), 18)
        painter.drawText(words, Qt.AlignmentFlag.AlignCenter, text)
