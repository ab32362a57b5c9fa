"""Text in painted panels: shortened or wrapped to a width, or saying why a panel is empty."""

from . import palette
from .qt import QFontMetricsF, QPainter, QRectF, Qt
from .theme import font, pen

_LINE_BREAKS = {ord(sign): " " for sign in "\n\r\t\v\f\x1c\x1d\x1e\x85\u2028\u2029"}


def paint_empty_text(painter: QPainter, box: QRectF, title: str, hint: str = "") -> None:
    """Paint into an empty panel why it is empty, and the call that would fill it."""
    middle = box.center().y()
    painter.setFont(font(12))
    painter.setPen(pen(palette.DIM))
    flags = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap
    painter.drawText(QRectF(box.left() + 12, middle - 26, box.width() - 24, 36), flags, title)
    if hint:
        painter.setFont(font(11, mono=True))
        painter.setPen(pen(palette.FAINT))
        painter.drawText(QRectF(box.left() + 12, middle + 10, box.width() - 24, 48), flags, hint)


def elided(painter: QPainter, text: str, width: float) -> str:
    """A text shortened to one line of this width, with … at its end."""
    metrics = painter.fontMetrics()
    return metrics.elidedText(one_line(text), Qt.TextElideMode.ElideRight, max(0, int(width)))


def wrapped_height(text: str, width: float, size: int = 12) -> int:
    """How high a text is, in pixels, in lines of this width; its font has `size` pixels."""
    room = QRectF(0, 0, max(60.0, width), 1000)
    return int(
        QFontMetricsF(font(size)).boundingRect(room, Qt.TextFlag.TextWordWrap, text).height()
    )


def one_line(text: str) -> str:
    """A text without line breaks: names come from games, and a second line would leave the row."""
    return text.translate(_LINE_BREAKS) if not text.isprintable() else text
