"""The ground and the sky behind a scene: a grid whose lines are finer near where one looks."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from ..toolkit import palette
from ..toolkit.images.depth_canvas import Colors, DepthCanvas, packed
from ..toolkit.qt import QImage, QLinearGradient, QPainter
from ..toolkit.theme import color
from .view_camera import CameraProjection, ViewCamera

Array = npt.NDArray[np.float64]

_FINE, _COARSE = 12, 40
"""Steps of the fine grid that each disc reaches."""
_SKY = ((0.0, palette.SKY_TOP), (0.35, palette.SKY), (1.0, palette.SKY_FOOT))


class GroundRenderer:
    """Paints what is behind everything."""

    def __init__(self, canvas: DepthCanvas) -> None:
        self._canvas = canvas
        self._sky: Colors = np.empty(0, np.uint32)
        """From top to bottom."""
        self._sky_of = 0, 0
        """As of which height and theme."""
        self._step = 0.0
        """Between two lines of the fine grid."""
        self._ends: Array = np.empty((0, 3))
        self._counts = 0, 0
        """Fine lines and coarse ones."""

    def paint(self, view: CameraProjection, camera: ViewCamera) -> None:
        """Fill the image."""
        self._canvas.fill(self._made_sky(self._canvas.image.height()))
        points, colors = self._made_grid(camera)
        starts = np.arange(0, len(points), 2)
        self._canvas.edges(view, points, starts, starts + 1, colors)

    def _made_sky(self, height: int) -> Colors:
        if self._sky_of != (height, palette.changes()):
            self._sky_of = height, palette.changes()
            image = QImage(1, height, QImage.Format.Format_RGB32)
            sky = QLinearGradient(0, 0, 0, height)
            for stop, name in _SKY:
                sky.setColorAt(stop, color(name))
            painter = QPainter(image)
            painter.fillRect(image.rect(), sky)
            painter.end()
            memory: Any = image.constBits()
            memory.setsize(image.sizeInBytes())
            self._sky = np.frombuffer(memory, np.uint32).copy()
        return self._sky

    def _made_grid(self, camera: ViewCamera) -> tuple[Array, Colors]:
        """A fine disc near the centre and a coarse one around it: lines' ends, lines' colours."""
        # Fewer than some twenty lines to the centre's edge, in steps of 1, 2, 5, 10, …
        rough = camera.distance / 14
        power = 10 ** math.floor(math.log10(max(rough, 1e-9)))
        step = next(unit * power for unit in (1, 2, 5, 10) if unit * power >= rough)
        if self._step != step:
            self._step = step
            fine = _disc(step, _FINE * step, skips=True)
            coarse = _disc(5 * step, _COARSE * step)
            self._ends = np.concatenate([fine, coarse]).reshape(-1, 3)
            self._counts = len(fine), len(coarse)
        # It moves by whole coarse steps, so that its lines stay where they are.
        middle = np.round(camera.centre / (5 * step)) * (5 * step)
        middle[2] = 0.0
        lines = packed((palette.GROUND_LINE, palette.GROUND_LINE_FIFTH))
        return self._ends + middle, np.repeat(lines, self._counts)


def _disc(size: float, reach: float, *, skips: bool = False) -> Array:
    """The lines of a grid inside of a circle, (n, 2, 3); every fifth is left out if it `skips`."""
    steps = np.arange(-math.floor(reach / size), math.floor(reach / size) + 1)
    away = (steps[steps % 5 != 0] if skips else steps) * size
    half = np.sqrt(np.maximum(0.0, reach * reach - away * away))
    ends = np.zeros((2, len(away), 2, 3))
    for axis in (0, 1):
        ends[axis, :, :, axis] = away[:, None]
        ends[axis, :, 0, 1 - axis], ends[axis, :, 1, 1 - axis] = -half, half
    return ends.reshape(-1, 2, 3)
