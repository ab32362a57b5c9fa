"""The canvas: a picture whose thin lines are drawn by C, thousands at once, and the rest by Qt."""

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ..native._strokes import draw_edges, draw_lines
from .models import palette
from .models.camera import View
from .qt import QImage, QPainter

Array = npt.NDArray[np.float64]
Colors = npt.NDArray[np.uint32]
Places = npt.NDArray[np.intp]


class Canvas:
    """A picture in memory. Its painter and `lines` draw over one another in the order of calls.

    Smooth lines take Qt's painter four to six times as long as what is drawn here.
    """

    def __init__(self) -> None:
        self._image = QImage()
        self._memory: Any = None
        self._ratio = 1.0

    @property
    def picture(self) -> QImage:
        """What was drawn; the next one is drawn into the same memory."""
        return self._image

    def begin(self, width: int, height: int, ratio: float) -> QPainter:
        """A painter on a picture of this size, with what was there before still in it.

        Args:
            ratio: Device pixels for each pixel.
        """
        size = max(1, round(width * ratio)), max(1, round(height * ratio))
        image = self._image
        if (image.width(), image.height()) != size:
            self._image = image = QImage(*size, QImage.Format.Format_RGB32)
        self._ratio = ratio
        image.setDevicePixelRatio(ratio)
        # Asked for each time: who copied the picture has made Qt move it.
        self._memory = image.bits()
        self._memory.setsize(image.sizeInBytes())
        return QPainter(image)

    def lines(self, rows: Array, colors: Colors, broad: float = 1.0) -> None:
        """Smooth lines, by default of one device pixel's width.

        Args:
            rows: (n, 4), x1, y1, x2, y2 in pixels; what is outside is cut.
            colors: (n), see `packed`.
            broad: Their width in device pixels.
        """
        if len(rows):
            image = self._image
            scaled = np.ascontiguousarray(rows if self._ratio == 1.0 else rows * self._ratio)
            draw_lines(self._memory, image.width(), image.height(), scaled, colors, broad)

    def broad_lines(self, rows: Array, colors: Colors, width: float) -> None:
        """Smooth lines of some pixels' width.

        Args:
            rows, colors: As for `lines`.
        """
        self.lines(rows, colors, max(1.0, width * self._ratio))

    def edges(
        self, view: View, points: Array, starts: Places, ends: Places, colors: Colors
    ) -> None:
        """The same for lines between points of the world.

        Args:
            view: A camera over the whole picture.
            points: (p, 3)
            starts: (n) the point at which each line starts …
            ends: … and ends.
            colors: (n), see `packed`.
        """
        if len(colors):
            image, ratio = self._image, self._ratio
            draw_edges(
                self._memory, image.width(), image.height(),
                np.ascontiguousarray(points), starts.astype(np.int64, copy=False),
                ends.astype(np.int64, copy=False), colors, np.ascontiguousarray(view.matrix),
                view.near, view.width * ratio, view.height * ratio,
            )  # fmt: skip


@lru_cache(maxsize=64)
def packed(names: tuple[str, ...], shares: tuple[float, ...] = (0.0,)) -> Colors:
    """These colours as a canvas wants them, each with so much of the sky shining through."""
    mixed = [palette.mixed(name, share) for name in names for share in shares]
    told: Colors = np.array([0xFF000000 | int(name[1:], 16) for name in mixed], np.uint32)
    told.flags.writeable = False
    return told
