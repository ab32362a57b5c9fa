"""A cache of pixmaps for what is painted often, keyed by all that they depend on."""

from collections.abc import Callable, Hashable

from .. import palette
from ..qt import QPainter, QPixmap, QPointF, QRectF
from ..theme import color

_CAPACITY = 320
"""Pixmaps in the cache: the rows of a few screens, in each of their states."""


class PixmapCache:
    """Paints a thing once, then copies its pixels: painting text takes twenty times as long.

    Args:
        ground: The colour of the background: opaque pixmaps are faster to copy. Empty: transparent.
        capacity: How many pixmaps are kept; the least recently used one is dropped.
    """

    def __init__(self, ground: str = "", capacity: int = _CAPACITY) -> None:
        self._ground = ground
        self._capacity = capacity
        self._pixmaps: dict[Hashable, QPixmap] = {}

    def draw(
        self, painter: QPainter, box: QRectF, ratio: float, key: Hashable,
        paint: Callable[[QPainter, QRectF], object],
    ) -> None:  # fmt: skip
        """Draw a cached image into a box, which begins at whole pixels.

        Args:
            ratio: Device pixels for each pixel.
            key: All that the image depends on besides its size.
            paint: Paints it into a box, if it is not in the cache.
        """
        width, height = box.width(), box.height()
        full_key = (key, width, height, ratio, palette.changes())
        pixmap = self._pixmaps.pop(full_key, None)
        if pixmap is None:
            if len(self._pixmaps) >= self._capacity:
                del self._pixmaps[next(iter(self._pixmaps))]
            pixmap = self._paint(width, height, ratio, paint)
        self._pixmaps[full_key] = pixmap
        painter.drawPixmap(QPointF(box.left(), box.top()), pixmap)

    def _paint(
        self, width: float, height: float, ratio: float,
        paint: Callable[[QPainter, QRectF], object],
    ) -> QPixmap:  # fmt: skip
        pixmap = QPixmap(max(1, round(width * ratio)), max(1, round(height * ratio)))
        pixmap.setDevicePixelRatio(ratio)
        pixmap.fill(color(self._ground) if self._ground else color("#000000", 0))
        painter = QPainter(pixmap)
        try:
            paint(painter, QRectF(0, 0, width, height))
        finally:
            painter.end()
        return pixmap
