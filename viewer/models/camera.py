"""The camera of the world view: orbit and top-down, projection and clipping in numpy."""

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

FIELD = math.radians(40.0)
"""Vertical field of view of the perspective."""
_FLAT = 0.36
"""Half the height that is seen from above, as a share of the distance: as in perspective."""


class View(NamedTuple):
    """A camera over a picture of a certain size, in pixels. World points are z-up."""

    matrix: Array
    """(4, 4), for rows: point @ matrix[:3] + matrix[3] are clip coordinates."""
    eye: Array
    width: float
    height: float
    near: float

    def project(self, points: npt.ArrayLike) -> tuple[Array, npt.NDArray[np.bool_], Array]:
        """(n, 2) pixels, which of them are in front of the eye, and how far away (n)."""
        clip = np.asarray(points, np.float64).reshape(-1, 3) @ self.matrix[:3] + self.matrix[3]
        depth = clip[:, 3]
        front = depth > self.near
        scale = np.where(front, depth, 1.0)
        return self._pixels(clip[:, :2] / scale[:, None]), front, depth

    def segments(self, ends: npt.ArrayLike) -> tuple[npt.NDArray[np.intp], Array, Array]:
        """Clip (n, 2, 3) lines: which are left, their (m, 4) pixels, how far away they begin."""
        clip = np.asarray(ends, np.float64).reshape(-1, 3) @ self.matrix[:3] + self.matrix[3]
        a, b = clip[0::2], clip[1::2]
        outside = (a[:, 3] < self.near) & (b[:, 3] < self.near)
        for axis in (0, 1):
            outside |= (a[:, axis] > a[:, 3]) & (b[:, axis] > b[:, 3])
            outside |= (a[:, axis] < -a[:, 3]) & (b[:, axis] < -b[:, 3])
        kept = np.flatnonzero(~outside)
        a, b = a[kept], b[kept]
        for one, other in ((a, b), (b, a)):
            behind = one[:, 3] < self.near
            if behind.any():
                near, far = one[behind], other[behind]
                share = (self.near - near[:, 3]) / (far[:, 3] - near[:, 3])
                one[behind] = near + (far - near) * share[:, None]
        lines = np.empty((len(kept), 4))
        lines[:, :2] = self._pixels(a[:, :2] / a[:, 3:])
        lines[:, 2:] = self._pixels(b[:, :2] / b[:, 3:])
        # Far outside Qt's painter loses its precision; what is seen stays where it is.
        np.clip(lines, -30_000, 30_000, out=lines)
        return kept, lines, a[:, 3]

    def pixels_per_length(self, points: npt.ArrayLike) -> Array:
        """How many pixels a length of 1 takes at these points."""
        clip = np.asarray(points, np.float64).reshape(-1, 3) @ self.matrix[:3] + self.matrix[3]
        scale = float(np.linalg.norm(self.matrix[:3, 1])) * self.height / 2
        told: Array = scale / np.maximum(clip[:, 3], self.near)
        return told

    def _pixels(self, places: Array) -> Array:
        return np.stack(
            [(places[:, 0] + 1) * self.width / 2, (1 - places[:, 1]) * self.height / 2], axis=1
        )


class Camera:
    """Looks at a centre from a distance; angles in radians, lengths in the world's unit."""

    def __init__(self) -> None:
        self.azimuth = math.radians(-35.0)
        self.elevation = math.radians(32.0)
        self.distance = 24.0
        self.centre: Array = np.zeros(3)
        self.top = False

    def basis(self) -> tuple[Array, Array, Array]:
        """To the right, up, and forward."""
        elevation = math.pi / 2 if self.top else self.elevation
        azimuth = self.azimuth
        forward = np.array([
            -math.sin(azimuth) * math.cos(elevation), math.cos(azimuth) * math.cos(elevation),
            -math.sin(elevation),
        ])  # fmt: skip
        right = np.array([math.cos(azimuth), math.sin(azimuth), 0.0])
        return right, np.cross(right, forward), forward

    def view(self, width: float, height: float) -> View:
        """What it sees in a picture of this size."""
        width, height = max(width, 1.0), max(height, 1.0)
        right, up, forward = self.basis()
        distance = self.distance * (20.0 if self.top else 1.0)
        eye = self.centre - forward * distance
        turn = np.stack([right, up, forward], axis=1)
        matrix: npt.NDArray[Any] = np.zeros((4, 4))
        if self.top:
            half = self.distance * _FLAT
            matrix[:3, 0] = right * (height / width) / half
            matrix[:3, 1] = up / half
            matrix[3] = [-eye @ matrix[:3, 0], -eye @ matrix[:3, 1], 0.0, 1.0]
            return View(matrix, eye, width, height, 0.5)
        scale = 1.0 / math.tan(FIELD / 2)
        matrix[:3, 0] = turn[:, 0] * scale * height / width
        matrix[:3, 1] = turn[:, 1] * scale
        matrix[:3, 3] = turn[:, 2]
        matrix[3] = -eye @ matrix[:3]
        return View(matrix, eye, width, height, self.distance * 0.02)

    def orbit(self, right: float, up: float) -> None:
        """Turn about the centre by so many radians."""
        self.azimuth -= right
        if not self.top:
            limit = math.radians(89.0)
            self.elevation = min(limit, max(-math.radians(10.0), self.elevation + up))

    def pan(self, x: float, y: float, height: float) -> None:
        """Move with the ground under the mouse, by pixels."""
        right, up, forward = self.basis()
        ahead = up if self.top else np.array([forward[0], forward[1], 0.0])
        length = float(np.linalg.norm(ahead))
        per_pixel = 2 * self.distance * _FLAT / max(height, 1.0)
        lean = 1.0 if self.top else 1.0 / max(0.25, math.sin(abs(self.elevation)))
        self.centre = self.centre - right * x * per_pixel + ahead / length * y * per_pixel * lean

    def dolly(self, factor: float) -> None:
        """Go nearer (below 1) or farther."""
        self.distance = min(1e6, max(1e-3, self.distance * factor))

    def fly(self, right: float, ahead: float, up: float) -> None:
        """Move by lengths along its own axes, staying level."""
        along, _, forward = self.basis()
        level = np.array([forward[0], forward[1], 0.0])
        norm = float(np.linalg.norm(level))
        if norm < 1e-6:
            level, norm = self.basis()[1], 1.0
        self.centre = self.centre + along * right + level / norm * ahead
        self.centre[2] += up

    def fit(self, points: npt.ArrayLike) -> None:
        """See all of these."""
        rows = np.asarray(points, np.float64).reshape(-1, 3)
        rows = rows[np.isfinite(rows).all(axis=1)]
        if not len(rows):
            return
        low, high = rows.min(axis=0), rows.max(axis=0)
        self.centre = (low + high) / 2
        radius = max(float(np.linalg.norm(high - low)) / 2, 1e-3)
        self.distance = radius / math.sin(FIELD / 2) * 0.8
