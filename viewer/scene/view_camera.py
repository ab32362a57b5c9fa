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
_MARGIN = 1.45
"""How much more than all points is seen from above: bodies and names have room at the edges."""
_FARTHEST = 30_000
"""Pixels; farther outside Qt's painter loses its precision. What is seen stays where it is."""


class CameraEye(NamedTuple):
    """A camera of the game: its position, and what it saw."""

    object: int
    position: Array
    right: Array
    up: Array
    forward: Array
    field: float
    """The horizontal field of view, radians."""


class CameraProjection(NamedTuple):
    """A camera over an image of a certain size, in pixels. World points are z-up."""

    matrix: Array
    """(4, 4), for rows: point @ matrix[:3] + matrix[3] are clip coordinates. The third divided by
    the fourth is larger the nearer a point is, and above 0 for all that is in front."""
    eye: Array
    width: float
    height: float
    near: float

    def clip(self, points: npt.ArrayLike) -> Array:
        """(n, 4) clip coordinates."""
        result: Array = np.asarray(points, np.float64).reshape(-1, 3) @ self.matrix[:3]
        result += self.matrix[3]
        return result

    def project(self, points: npt.ArrayLike) -> tuple[Array, npt.NDArray[np.bool_], Array]:
        """(n, 2) pixels, which of them are in front of the eye, and how far away (n)."""
        clip = self.clip(points)
        depth = clip[:, 3]
        front = depth > self.near
        return self._pixels(clip, front), front, depth

    def segments(self, ends: npt.ArrayLike) -> tuple[npt.NDArray[np.intp], Array]:
        """Clip (n, 2, 3) lines: which are left, and their (m, 4) pixels."""
        points = np.asarray(ends, np.float64).reshape(-1, 3)
        starts_at = np.arange(0, len(points), 2)
        return self.edges(points, starts_at, starts_at + 1)

    def edges(
        self, points: Array, starts: npt.NDArray[np.intp], ends: npt.NDArray[np.intp]
    ) -> tuple[npt.NDArray[np.intp], Array]:
        """The same for n lines between (…, 3) points, given by their indexes in these.

        What is outside on one side with both ends is left out, what comes from behind is cut.
        """
        clip = self.clip(points)
        x, y, depth = clip[:, 0], clip[:, 1], clip[:, 3]
        behind = depth <= self.near
        sides = behind.astype(np.uint8)
        for bit, beyond in enumerate((x > depth, x < -depth, y > depth, y < -depth), 1):
            sides |= beyond.view(np.uint8) << bit
        seen = sides[starts] & sides[ends] == 0
        nowhere = ~np.isfinite(depth)  # a coordinate that is no number spoils the depth too
        if nowhere.any():
            seen &= ~(nowhere[starts] | nowhere[ends])
        visible = np.flatnonzero(seen)
        starts, ends = starts[visible], ends[visible]
        pixels = self._pixels(clip, ~behind)
        lines = np.empty((len(visible), 4))
        lines[:, :2], lines[:, 2:] = pixels[starts], pixels[ends]
        for column, one, other in ((0, starts, ends), (2, ends, starts)):
            cut = np.flatnonzero(behind[one])
            if len(cut):
                near, far = clip[one[cut]], clip[other[cut]]
                share = (self.near - near[:, 3]) / (far[:, 3] - near[:, 3])
                near += (far - near) * share[:, None]
                lines[cut, column : column + 2] = self._pixels(near, np.ones(len(cut), np.bool_))
        np.clip(lines, -_FARTHEST, _FARTHEST, out=lines)
        return visible, lines

    def surface(self, corners: npt.ArrayLike) -> Array:
        """The (m, 2) pixels of a flat outline; what of it is behind the eye is cut off."""
        clip = self.clip(corners)
        front = clip[:, 3] > self.near
        if not np.isfinite(clip[:, 3]).all():
            return np.empty((0, 2))
        if not front.all():
            visible = []
            for at in range(len(clip)):
                one, other = clip[at - 1], clip[at]
                if front[at - 1] != front[at]:
                    visible.append(one + (other - one) * (self.near - one[3]) / (other[3] - one[3]))
                if front[at]:
                    visible.append(other)
            if len(visible) < 3:
                return np.empty((0, 2))
            clip = np.array(visible)
        pixels = self._pixels(clip, np.ones(len(clip), np.bool_))
        return np.clip(pixels, -_FARTHEST, _FARTHEST)

    def pixels_per_length(self, depth: npt.ArrayLike) -> Array:
        """How many pixels a length of 1 takes so far away."""
        scale = float(np.linalg.norm(self.matrix[:3, 1])) * self.height / 2
        result: Array = scale / np.maximum(np.asarray(depth, np.float64), self.near)
        return result

    def _pixels(self, clip: Array, front: npt.NDArray[np.bool_]) -> Array:
        """(n, 2); what is not in front is somewhere."""
        scale = np.where(front, clip[:, 3], 1.0)
        pixels = np.empty((len(clip), 2))
        pixels[:, 0] = (clip[:, 0] / scale + 1) * (self.width / 2)
        pixels[:, 1] = (1 - clip[:, 1] / scale) * (self.height / 2)
        return pixels


class ViewCamera:
    """Looks at a centre from a distance; angles in radians, lengths in the world's unit."""

    def __init__(self) -> None:
        self.azimuth = math.radians(-35.0)
        self.elevation = math.radians(32.0)
        self.distance = 24.0
        self.centre: Array = np.zeros(3)
        self.top = False
        self.eye: CameraEye | None = None
        """The game's own camera, while this one looks through it."""

    def basis(self) -> tuple[Array, Array, Array]:
        """The axes: to the right, up, and forward."""
        if self.eye is not None:
            return self.eye.right, self.eye.up, self.eye.forward
        elevation = math.pi / 2 if self.top else self.elevation
        azimuth = self.azimuth
        east, north = math.cos(azimuth), math.sin(azimuth)
        level, rise = math.cos(elevation), math.sin(elevation)
        right = np.array([east, north, 0.0])
        up = np.array([-north * rise, east * rise, level])
        return right, up, np.array([-north * level, east * level, -rise])

    def view(self, width: float, height: float) -> CameraProjection:
        """What it sees in an image of this size."""
        width, height = max(width, 1.0), max(height, 1.0)
        right, up, forward = self.basis()
        distance = self.distance * (20.0 if self.top else 1.0)
        eye = self.centre - forward * distance if self.eye is None else self.eye.position
        turn = np.stack([right, up, forward], axis=1)
        matrix: npt.NDArray[Any] = np.zeros((4, 4))
        if self.top and self.eye is None:
            half = self.distance * _FLAT
            matrix[:3, 0] = right * (height / width) / half
            matrix[:3, 1] = up / half
            # What lies at the centre's height is as near as 1, four distances lower 0.
            matrix[:3, 2] = forward / (-4 * self.distance)
            level = 1 + self.centre @ forward / (4 * self.distance)
            matrix[3] = [-eye @ matrix[:3, 0], -eye @ matrix[:3, 1], level, 1.0]
            return CameraProjection(matrix, eye, width, height, 0.5)
        scale = 1.0 / math.tan(FIELD / 2)
        if self.eye is not None:
            scale = width / height / math.tan(min(max(self.eye.field, 0.01), 3.1) / 2)
        matrix[:3, 0] = turn[:, 0] * scale * height / width
        matrix[:3, 1] = turn[:, 1] * scale
        matrix[:3, 3] = turn[:, 2]
        matrix[3] = -eye @ matrix[:3]
        matrix[3, 2] = 1.0  # divided by the depth
        return CameraProjection(matrix, eye, width, height, self.distance * 0.02)

    def take_over(self) -> None:
        """Look around freely from the position of the game's own camera."""
        if self.eye is None:
            return
        forward, position = self.eye.forward, self.eye.position
        self.eye, self.top = None, False
        self.azimuth = math.atan2(-forward[0], forward[1])
        self.elevation = math.asin(min(1.0, max(-1.0, -float(forward[2]))))
        self.centre = position + self.basis()[2] * self.distance

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

    def fit(
        self, points: npt.ArrayLike, least: float = 0.0, aspect: float | None = None,
        covered: float = 0.0,
    ) -> None:  # fmt: skip
        """See all of these.

        Args:
            least: How far one must see at least around their middle: the size of a body.
            aspect: The image's width by its height: from above it is used up to its edges.
            covered: The share of the image's height, from its top, that something lies over: they
                are seen below it.
        """
        rows = np.asarray(points, np.float64).reshape(-1, 3)
        rows = rows[np.isfinite(rows).all(axis=1)]
        if not len(rows):
            return
        low, high = rows.min(axis=0), rows.max(axis=0)
        self.centre = (low + high) / 2
        radius = max(float(np.linalg.norm(high - low)) / 2, least, 1e-3)
        self.distance = radius / math.sin(FIELD / 2) * 0.8 / (1 - covered)
        if self.top and aspect is not None:
            right, up, _ = self.basis()
            across, along = (np.ptp(rows @ axis) / 2 for axis in (right, up))
            half = max(float(along) / (1 - covered), float(across) / aspect) * _MARGIN
            self.distance = max(half, least / (1 - covered), 1e-3) / _FLAT
            coordinates = (rows @ right, rows @ up)
            middle = [(float(one.min()) + float(one.max())) / 2 for one in coordinates]
            self.centre = right * middle[0] + up * middle[1] + [0.0, 0.0, self.centre[2]]
        # Half the height is `_FLAT` of the distance: their middle comes that much below the centre.
        self.centre = self.centre + self.basis()[1] * (covered * _FLAT * self.distance)
