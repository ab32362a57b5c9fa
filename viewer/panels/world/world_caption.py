"""The words over the world: the label in the upper left corner, and the warning across the top."""

import math

from ...toolkit import palette
from ...toolkit.images.pixmap_cache import PixmapCache
from ...toolkit.qt import QFontMetricsF, QPainter, QPointF, QRectF, Qt
from ...toolkit.text_painting import elided
from ...toolkit.theme import color, font, pen

LabelPart = tuple[str, str]
"""Words, and what a click on them does."""


class WorldLabel:
    """A row of words, some of which can be clicked."""

    def __init__(self) -> None:
        self._parts: list[LabelPart] = []
        self.boxes: list[tuple[QRectF, str]] = []
        """Where the words are, and what a click on them does."""
        self._pixmaps = PixmapCache(capacity=32)

    def arrange(self, parts: list[LabelPart]) -> QRectF:
        """Show these words; returns the label's box."""
        if parts != self._parts:
            self._parts, x, metrics = parts, 18.0, QFontMetricsF(font(11))
            self.boxes = []
            for text, does in parts:
                wide = metrics.horizontalAdvance(text)
                self.boxes.append((QRectF(x, 8, wide, 22), does))
                x += wide + 26
        width = 16 * math.ceil((self.boxes[-1][0].right() + 26) / 16)
        return QRectF(8, 8, width - 24, 22)

    def action_at(self, at: QPointF) -> str:
        """What a click there does; empty if nothing."""
        return next((does for box, does in self.boxes if box.contains(at)), "")

    def paint(self, painter: QPainter, parts: list[LabelPart], ratio: float) -> None:
        box = self.arrange(parts)
        # How many objects are in view is another number in most frames: it is not in the cached
        # image, and the room for it grows in steps.
        *same, (count, _) = parts
        area = self.boxes[-1][0]
        self._pixmaps.draw(
            painter, QRectF(0, 0, box.right() + 16, 32), ratio, tuple(same),
            lambda inside, room: self._paint_words(inside, [text for text, _ in same], room),
        )  # fmt: skip
        painter.setFont(font(11))
        painter.setPen(pen(palette.DIM))
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, count)

    def _paint_words(self, painter: QPainter, texts: list[str], room: QRectF) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color(palette.CARD, 205))
        painter.drawRoundedRect(QRectF(8, 8, room.width() - 24, 22), 4, 4)
        painter.setFont(font(11))
        painter.setPen(pen(palette.DIM))
        for (box, _), text in zip(self.boxes, texts, strict=False):
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, text)
        for box, _ in self.boxes[1:]:
            painter.drawText(QRectF(box.left() - 17, 8, 8, 22), Qt.AlignmentFlag.AlignCenter, "·")


def banner_box(text: str, width: float, top: float) -> QRectF:
    """Where a banner with this text is, in the middle of an image of this width."""
    wide = min(width - 24.0, QFontMetricsF(font(12)).horizontalAdvance(text) + 48.0)
    return QRectF((width - wide) / 2, top, wide, 30)


def paint_banner(painter: QPainter, box: QRectF, text: str) -> None:
    """What is wrong at this frame."""
    painter.setFont(font(12))
    painter.setPen(pen(palette.WARNING))
    painter.setBrush(color(palette.WARNING_GROUND, 240))
    painter.drawRoundedRect(box, 5, 5)
    painter.setPen(pen(palette.WARNING_TEXT))
    inside = box.adjusted(14, 0, -14, 0)
    line = elided(painter, f"⚠  {text}", inside.width())
    painter.drawText(inside, Qt.AlignmentFlag.AlignCenter, line)
