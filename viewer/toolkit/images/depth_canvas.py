"""The canvas: an image with depth, whose lines, triangles and limbs are drawn by C, thousands at
once, and the rest by Qt."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ...scene.view_camera import CameraProjection
from .. import palette
from .._raster import draw_capsules, draw_edges, draw_lines, draw_outlines, draw_triangles
from ..qt import QImage, QPainter

Array = npt.NDArray[np.float64]
Colors = npt.NDArray[np.uint32]
Indexes = npt.NDArray[np.intp]


class DepthCanvas:
    """An image in memory, and how near what is drawn there is.

    Its painter and the calls here draw over one another in the order of calls; triangles and limbs
    also cover what is farther, and lines can be covered by them. Smooth lines take Qt's painter
    four to six times as long as what is drawn here.
    """

    def __init__(self) -> None:
        self._image = QImage()
        self._memory: Any = None
        self._ratio = 1.0
        self._depth = np.zeros(0, np.float32)
        self._covered = np.zeros(0, np.uint32)
        self._any_covered = False
        self._background: tuple[Any, npt.NDArray[np.uint32], npt.NDArray[np.float32]] | None = None

    @property
    def image(self) -> QImage:
        """What was drawn; the next one is drawn into the same memory."""
        return self._image

    def begin(self, width: int, height: int, ratio: float) -> QPainter:
        """A painter on an image of this size, with what was there before still in it.

        Args:
            ratio: Device pixels for each pixel.
        """
        size = max(1, round(width * ratio)), max(1, round(height * ratio))
        image = self._image
        if (image.width(), image.height()) != size:
            self._image = image = QImage(*size, QImage.Format.Format_RGB32)
            self._depth = np.zeros(size[0] * size[1], np.float32)
            self._covered = np.zeros(size[0] * size[1], np.uint32)
            self._background = None
        self._ratio = ratio
        image.setDevicePixelRatio(ratio)
        # Asked for each time: who copied the image has made Qt move it.
        self._memory = image.bits()
        self._memory.setsize(image.sizeInBytes())
        return QPainter(image)

    @property
    def _pixels(self) -> Colors:
        return np.frombuffer(self._memory, np.uint32)

    def clear_depth(self) -> None:
        """Start again with what covers what."""
        self._depth.view(np.uint8).fill(0)  # by bytes, which is no loop

    def fill(self, rows: Colors) -> None:
        """Fill each row of the image with a color of its own."""
        self._pixels.reshape(len(rows), -1)[:] = rows[:, None]

    def keep(self, key: Any) -> None:
        """Keep a copy of the image and its depth as they are now, under a key."""
        if self._background is None:
            self._background = key, self._pixels.copy(), self._depth.copy()
            return
        _, pixels, depth = self._background
        pixels[:], depth[:] = self._pixels, self._depth
        self._background = key, pixels, depth

    def restore(self, key: Any) -> bool:
        """Restore the image saved under this key; False if another one was saved."""
        if self._background is None or self._background[0] != key:
            return False
        self._pixels[:], self._depth[:] = self._background[1:]
        return True

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
        self, view: CameraProjection, points: Array, starts: Indexes, ends: Indexes, colors: Colors,
        *, faintness: int | None = None,
    ) -> None:  # fmt: skip
        """The same for lines between points of the world.

        Args:
            view: A camera over the whole image.
            points: (p, 3)
            starts: (n) the point at which each line starts …
            ends: … and ends.
            colors: (n), see `packed`.
            faintness: What is covered keeps its strength / 2 ** faintness. None: nothing covers.
        """
        if len(colors):
            draw_edges(
                self._memory, None if faintness is None else self._depth, faintness or 0,
                self._image.width(), self._image.height(), np.ascontiguousarray(points),
                _int64(starts), _int64(ends), colors, *self._camera(view),
            )  # fmt: skip

    def triangles(
        self,
        view: CameraProjection,
        points: Array,
        corners: Indexes,
        colors: Colors,
        *,
        is_body: bool = False,
    ) -> None:
        """Flat triangles between points of the world, which cover what is farther.

        Args:
            points: (p, 3)
            corners: (n, 3) indexes of points.
            colors: (n); one that is not opaque covers nothing.
            is_body: Whether they are bodies': what is behind them has no outline.
        """
        if len(colors):
            draw_triangles(
                self._memory, self._depth, is_body, self._image.width(), self._image.height(),
                np.ascontiguousarray(points), _int64(corners), colors, *self._camera(view),
            )  # fmt: skip

    def capsules(
        self,
        view: CameraProjection,
        points: Array,
        starts: Indexes,
        ends: Indexes,
        radii: Array,
        colors: Colors,
    ) -> None:
        """Round limbs between points of the world. What triangles cover of them is kept for
        `outlines`.

        Args:
            points, starts, ends, colors: As for `edges`.
            radii: (n), in the world's unit.
        """
        if len(colors):
            covered = draw_capsules(
                self._memory, self._depth, self._covered, self._image.width(),
                self._image.height(), np.ascontiguousarray(points), _int64(starts), _int64(ends),
                np.ascontiguousarray(radii), colors, *self._camera(view),
            )  # fmt: skip
            self._any_covered |= covered > 0

    def outlines(self) -> None:
        """The outlines of limbs behind something."""
        if self._any_covered:
            width, height = self._image.width(), self._image.height()
            draw_outlines(self._memory, self._depth, self._covered, width, height)
            self._any_covered = False

    def _camera(self, view: CameraProjection) -> tuple[Array, float, float, float]:
        wide, high = view.width * self._ratio, view.height * self._ratio
        return np.ascontiguousarray(view.matrix), view.near, wide, high


def _int64(indexes: Indexes) -> npt.NDArray[np.int64]:
    return np.ascontiguousarray(indexes, np.int64)


@palette.themed_cache
def packed(names: tuple[str, ...], shares: tuple[float, ...] = (0.0,)) -> Colors:
    """These colours as a canvas wants them, each with so much of the sky shining through."""
    mixed = [palette.mixed(name, share) for name in names for share in shares]
    result: Colors = np.array([0xFF000000 | int(name[1:], 16) for name in mixed], np.uint32)
    result.flags.writeable = False
    return result
