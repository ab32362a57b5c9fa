"""Converts a game's coordinates and angles to right-handed axes with z up, for other viewers."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ...errors import DamagedError
from ..world_adapter import Conventions

Array: TypeAlias = npt.NDArray[np.float64]

_NUMBER = {"x": 0, "y": 1, "z": 2}


class AxisConversion:
    """Turns points and rotations of a game into right-handed ones with z up. Lengths stay.

    Args:
        conventions: How the game's numbers are to be read. Its three angles are turns about the
            world's own axes, the first one first.

    Raises:
        DamagedError: an axis is none.
    """

    def __init__(self, conventions: Conventions) -> None:
        self._angles = [_axis(name)[0] for name in conventions.angles]
        number, sign = _axis(conventions.up)
        up = sign * np.eye(3)[number]
        right = np.eye(3)[0 if number else 1]
        matrix = np.array([right, np.cross(up, right), up])
        if conventions.handedness == "left":
            matrix[1] = -matrix[1]
        self._matrix: Array = matrix
        self._is_same = bool((matrix == np.eye(3)).all())
        """Whether the game's axes are these already: most of the work falls away then."""

    def points(self, points: npt.ArrayLike) -> Array:
        """(…, 3) points or directions."""
        if self._is_same:
            return np.array(points, np.float64)
        turned: Array = np.asarray(points, np.float64) @ self._matrix.T
        return turned

    def turns(self, angles: npt.ArrayLike) -> Array:
        """(…, 3, 3) rotations that (…, 3) angles in radians stand for."""
        radians = np.asarray(angles, np.float64)
        first, *others = self._angles
        turned = _about(first, radians[..., 0])
        for index, axis in enumerate(others, 1):
            if radians[..., index].any():  # most things in most games only ever turn about one
                turned = _about(axis, radians[..., index]) @ turned
        return self.matrices(turned)

    def matrices(self, matrices: npt.ArrayLike) -> Array:
        """(…, 3, 3) rotations."""
        if self._is_same:
            return np.array(matrices, np.float64)
        turned: Array = self._matrix @ np.asarray(matrices, np.float64) @ self._matrix.T
        return turned


def _axis(name: str) -> tuple[int, float]:
    letter = name.lstrip("+-").lower()
    if letter not in _NUMBER:
        raise DamagedError(f"the recording's conventions name an axis {name!r}: there are x, y, z")
    return _NUMBER[letter], -1.0 if name.startswith("-") else 1.0


def _about(axis: int, radians: Array) -> Array:
    turned = np.zeros((*radians.shape, 3, 3))
    one, other = (axis + 1) % 3, (axis + 2) % 3
    turned[..., axis, axis] = 1.0
    turned[..., one, one] = turned[..., other, other] = np.cos(radians)
    turned[..., other, one] = np.sin(radians)
    turned[..., one, other] = -np.sin(radians)
    return turned


def quaternion(turn: Array) -> tuple[float, float, float, float]:
    """A rotation matrix as x, y, z, w."""
    (a, b, c), (d, e, f), (g, h, i) = turn.tolist()
    # By the largest of the four: dividing by a small one would lose what it is made of.
    squares = (1 + a - e - i, 1 - a + e - i, 1 - a - e + i, 1 + a + e + i)
    largest = max(range(4), key=squares.__getitem__)
    x, y, z, w = (
        (squares[0], b + d, c + g, h - f),
        (b + d, squares[1], f + h, c - g),
        (c + g, f + h, squares[2], d - b),
        (h - f, c - g, d - b, squares[3]),
    )[largest]
    length = (x * x + y * y + z * z + w * w) ** 0.5
    return x / length, y / length, z / length, w / length
