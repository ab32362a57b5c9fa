"""The ground and the sky behind a scene: a grid whose lines are finer near where one looks."""

import math

import numpy as np
import numpy.typing as npt

from .models import palette
from .models.camera import Camera, View
from .painting import LineBuffer
from .qt import QColor, QLinearGradient, QPainter, QPixmap, QRectF
from .theme import pen

Array = npt.NDArray[np.float64]

_FINE, _COARSE = 12, 40
"""Steps of the fine grid that each disc reaches."""
_SKY = ((0.0, "#191d26"), (0.35, palette.SKY), (1.0, "#0f1115"))


class Ground:
    """Paints what is behind everything; while the camera stands still it is a kept picture."""

    def __init__(self) -> None:
        self._lines = LineBuffer()
        self._step = 0.0
        """Between two lines of the fine grid."""
        self._ends: Array = np.empty((0, 2, 3))
        self._groups: npt.NDArray[np.intp] = np.empty(0, np.intp)
        self._still: QPixmap | None = None
        self._still_of: tuple[object, ...] = ()

    def paint(self, painter: QPainter, view: View, camera: Camera, ratio: float) -> None:
        """Fill the picture.

        Args:
            ratio: Device pixels for each pixel.
        """
        made_of = (view.matrix.tobytes(), view.width, view.height, ratio)
        if made_of != self._still_of:
            # While the camera moves a picture of it would be made for nothing.
            self._still_of, self._still = made_of, None
            self._draw(painter, view, camera)
            return
        if self._still is None:
            self._still = QPixmap(round(view.width * ratio), round(view.height * ratio))
            self._still.setDevicePixelRatio(ratio)
            inside = QPainter(self._still)
            self._draw(inside, view, camera)
            inside.end()
        painter.drawPixmap(0, 0, self._still)

    def _draw(self, painter: QPainter, view: View, camera: Camera) -> None:
        sky = QLinearGradient(0, 0, 0, view.height)
        for place, name in _SKY:
            sky.setColorAt(place, QColor(name))
        painter.fillRect(QRectF(0, 0, view.width, view.height), sky)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ends, groups = self._made_grid(camera)
        kept, lines = view.segments(ends)
        self._lines.draw_groups(painter, lines, groups[kept], [pen("#1a1f28"), pen("#252c38")])

    def _made_grid(self, camera: Camera) -> tuple[Array, npt.NDArray[np.intp]]:
        """A fine disc near the centre and a coarse one around it: lines, and which disc's."""
        # Fewer than some twenty lines to the centre's edge, in steps of 1, 2, 5, 10, …
        rough = camera.distance / 14
        power = 10 ** math.floor(math.log10(max(rough, 1e-9)))
        step = next(unit * power for unit in (1, 2, 5, 10) if unit * power >= rough)
        if self._step != step:
            self._step = step
            fine = _disc(step, _FINE * step, skips=True)
            coarse = _disc(5 * step, _COARSE * step)
            self._ends = np.concatenate([fine, coarse])
            self._groups = np.repeat([0, 1], [len(fine), len(coarse)])
        # It moves by whole coarse steps, so that its lines stay where they are.
        middle = np.round(camera.centre / (5 * step)) * (5 * step)
        middle[2] = 0.0
        return self._ends + middle, self._groups


def _disc(size: float, reach: float, *, skips: bool = False) -> Array:
    """The lines of a grid inside of a circle, (n, 2, 3); every fifth is left out if it `skips`."""
    steps = np.arange(-math.floor(reach / size), math.floor(reach / size) + 1)
    away = (steps[steps % 5 != 0] if skips else steps) * size
    half = np.sqrt(np.maximum(0.0, reach * reach - away * away))
    told = np.zeros((2, len(away), 2, 3))
    for axis in (0, 1):
        told[axis, :, :, axis] = away[:, None]
        told[axis, :, 0, 1 - axis], told[axis, :, 1, 1 - axis] = -half, half
    return told.reshape(-1, 2, 3)
