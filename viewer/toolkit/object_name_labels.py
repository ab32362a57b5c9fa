"""Badges: small labels over objects in the world, cached as pixmaps by their text."""

from collections.abc import Sequence

from . import palette
from .qt import QFontMetricsF, QPainter, QPixmap, QPointF, QRectF, Qt
from .text_painting import one_line
from .theme import color, font, pen

_CACHE_SIZE = 512
_MOST_MOVES = 6


class LabelBadges:
    """Draws labels from cached pixmaps: painting their text costs more than all else in a frame."""

    def __init__(self) -> None:
        self._pixmaps: dict[tuple[object, ...], QPixmap] = {}

    def draw(
        self, painter: QPainter, ratio: float, middle: QPointF, title: str, note: str, dot: str,
        *, outlined: bool, taken: list[QRectF], image_width: float, moves_down: bool = False,
        covers: Sequence[QRectF] = (),
    ) -> None:  # fmt: skip
        """Draw a label around a point, inside of the image.

        Where another label is already it becomes a dot, or nothing if its point is on that label.

        Args:
            ratio: Device pixels for each pixel.
            dot: The colour of the dot before the title.
            taken: The boxes of the labels so far; this one's is added.
            image_width: The right end of the image.
            covers: Boxes of what covers the image, from top to bottom: a label moves below them.
            moves_down: Whether it moves below other labels instead of becoming a dot.
        """
        key = (title, note, dot, outlined, ratio)
        pixmap = self._pixmaps.get(key)
        if pixmap is None:
            if len(self._pixmaps) > _CACHE_SIZE:
                self._pixmaps.clear()
            pixmap = self._pixmaps[key] = _paint_badge(title, note, dot, outlined, ratio)
        width = pixmap.width() / pixmap.devicePixelRatio()
        left = max(0.0, min(middle.x() - width / 2, image_width - width))
        box = QRectF(round(left), max(0, round(middle.y() - 10)), width, 20)
        for cover in covers:
            if box.intersects(cover):
                box.moveTop(cover.bottom() + 2)
        for _ in range(_MOST_MOVES if moves_down else 0):
            above = next((other for other in taken if box.intersects(other)), None)
            if above is None:
                break
            box.moveTop(above.bottom() + 2)
        if not moves_down and any(box.intersects(other) for other in taken):
            if not any(other.contains(middle) for other in taken):
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(color(dot))
                painter.drawEllipse(middle, 3.5, 3.5)
                painter.setBrush(Qt.BrushStyle.NoBrush)
            return
        taken.append(box)
        painter.drawPixmap(box.topLeft(), pixmap)


def _paint_badge(title: str, note: str, dot: str, outlined: bool, ratio: float) -> QPixmap:
    title, note = one_line(title), one_line(note)
    face = font(11, bold=True)
    metrics = QFontMetricsF(face)
    gap = metrics.horizontalAdvance(note) + 8 if note else 0
    width = metrics.horizontalAdvance(title) + gap + 28
    pixmap = QPixmap(int((width + 2) * ratio), int(20 * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    box = QRectF(1, 1, width, 18)
    painter.setPen(pen(palette.SELECTED) if outlined else Qt.PenStyle.NoPen)
    painter.setBrush(color(palette.CARD, 225))
    painter.drawRoundedRect(box, 4, 4)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color(dot))
    painter.drawEllipse(QPointF(11, 10), 4, 4)
    painter.setFont(face)
    painter.setPen(pen(palette.SELECTED if outlined else palette.TEXT))
    left = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
    painter.drawText(box.adjusted(19, 0, 0, 0), left, title)
    if note:
        painter.setPen(pen(palette.lighter(dot)))
        right = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        painter.drawText(box.adjusted(0, 0, -7, 0), right, note)
    painter.end()
    return pixmap
