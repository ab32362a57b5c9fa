"""A cache of pixmaps for what is drawn often, keyed by all that they depend on."""

from collections.abc import Callable, Hashable

from . import palette
from .qt import QPainter, QPixmap, QPointF, QRectF
from .theme import color

_MOST = 320
"""Pixmaps in the cache: rows of some screens in each of their states."""


class PixmapCache:
    """Draws the same thing a second time by copying pixels: text costs twenty times as much.

    Args:
        ground: The colour behind, which makes a picture cheap to copy; none for no ground.
    """

    def __init__(self, ground: str = "", most: int = _MOST) -> None:
        self._ground = ground
        self._most = most
        self._made: dict[Hashable, QPixmap] = {}

    def draw(
        self, painter: QPainter, box: QRectF, ratio: float, look: Hashable,
        paint: Callable[[QPainter, QRectF], object],
    ) -> None:  # fmt: skip
        """Have something in a box, on whole pixels; painted anew only if its look is new.

        Args:
            ratio: Device pixels for each pixel.
            look: All that the picture depends on besides its size.
            paint: Draws it into a box.
        """
        width, height = box.width(), box.height()
        key = (look, width, height, ratio, palette.changes())
        picture = self._made.pop(key, None)
        if picture is None:
            if len(self._made) >= self._most:
                # The one that nobody asked for the longest.
                del self._made[next(iter(self._made))]
            picture = self._paint(width, height, ratio, paint)
        self._made[key] = picture
        painter.drawPixmap(QPointF(box.left(), box.top()), picture)

    def _paint(
        self, width: float, height: float, ratio: float,
        paint: Callable[[QPainter, QRectF], object],
    ) -> QPixmap:  # fmt: skip
        picture = QPixmap(max(1, round(width * ratio)), max(1, round(height * ratio)))
        picture.setDevicePixelRatio(ratio)
        picture.fill(color(self._ground) if self._ground else color("#000000", 0))
        painter = QPainter(picture)
        try:
            paint(painter, QRectF(0, 0, width, height))
        finally:
            painter.end()
        return picture
