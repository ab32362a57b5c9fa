"""The sheet of all keys, over the window."""

from .models import palette
from .qt import QPainter, QRectF, Qt, QWidget
from .theme import color, font, pen


class Sheet(QWidget):
    """Any key or click makes it go away."""

    def __init__(self, parent: QWidget, rows: list[tuple[str, str]]) -> None:
        super().__init__(parent)
        self.rows = rows
        self.hide()

    def toggle(self) -> None:
        """Show it over the whole window, or hide it."""
        if self.isVisible():
            self.hide()
            return
        parent = self.parentWidget()
        assert parent is not None
        self.setGeometry(parent.rect())
        self.show()
        self.raise_()

    def paintEvent(self, event: object) -> None:  # noqa: N802
        painter = QPainter(self)
        painter.fillRect(self.rect(), color(palette.GROUND, 190))
        columns = 2
        lines = -(-len(self.rows) // columns)
        width, height = min(900, self.width() - 40), lines * 22 + 64
        box = QRectF((self.width() - width) / 2, (self.height() - height) / 2, width, height)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(pen(palette.EDGE))
        painter.setBrush(color(palette.PANEL))
        painter.drawRoundedRect(box, 8, 8)
        painter.setPen(pen(palette.TEXT))
        painter.setFont(font(14, bold=True))
        painter.drawText(box.adjusted(20, 14, 0, 0), "Keys")
        flags = Qt.AlignmentFlag.AlignVCenter
        for at, (key, help) in enumerate(self.rows):
            left = box.left() + 20 + (at // lines) * (width - 20) / columns
            top = box.top() + 46 + (at % lines) * 22
            painter.setPen(pen(palette.ACCENT))
            painter.setFont(font(11, bold=True, mono=True))
            painter.drawText(QRectF(left, top, 104, 22), flags, key)
            painter.setPen(pen(palette.DIM))
            painter.setFont(font(12))
            painter.drawText(QRectF(left + 108, top, width / columns - 140, 22), flags, help)
        painter.end()

    def mousePressEvent(self, event: object) -> None:  # noqa: N802
        self.hide()
