"""Paints the hatching over ranges of time without data."""

from . import palette
from .qt import QPainter, QPen, QPointF, QRectF, Qt
from .theme import color, font, pen


def paint_hatch(painter: QPainter, box: QRectF, text: str, name: str = palette.WARNING) -> None:
    """Hatch a range without data; if it is wide enough, with a text at its foot.

    Args:
        name: The colour of the lines.
    """
    if box.width() <= 0:
        return
    # Opaque, so that nothing seems to be recorded there.
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
        text_box = QRectF(box.left(), box.bottom() - 24, box.width(), 18)
        painter.drawText(text_box, Qt.AlignmentFlag.AlignCenter, text)
