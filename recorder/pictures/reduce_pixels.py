"""Makes pictures smaller by an integer factor: each pixel is the mean of those it replaces."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import RecordingError
from .image_pixels import Pixels

_BRIGHTEST = 1.5
"""Floats beyond this are no picture from 0 to 1: those of 0 to 255 would be white all over."""


def reduction(width: int, height: int, side: int) -> int:
    """The whole number that brings the longer side of a picture nearest to `side`."""
    return max(1, round(max(width, height) / side))


def as_bytes(pixels: Pixels) -> Pixels:
    """The same pixels as numbers from 0 to 255; floats that are no number become 0.

    Raises:
        RecordingError: floats are beyond 1.
    """
    values = pixels.values
    if values.dtype == np.uint8:
        return pixels
    if values.dtype == np.bool_:
        return Pixels(values.view(np.uint8) * np.uint8(255), pixels.order)
    values = np.nan_to_num(values.astype(np.float32), nan=0.0, posinf=1.0, neginf=0.0)
    if values.max() > _BRIGHTEST:
        raise RecordingError(
            f"a picture of floats goes from 0 to 1, and this one up to {values.max():g}: divide it"
            " by 255, or give it as uint8"
        )
    return Pixels((np.clip(values, 0.0, 1.0) * 255.0 + 0.5).astype(np.uint8), pixels.order)


def reduced(pixels: Pixels, down: int, across: int) -> Pixels:
    """A picture with one row for `down` rows and one column for `across` columns.

    What is left over at the right and at the bottom is cut off. Works by columns of one channel, as
    numpy's loops over the three values of a pixel would take many times as long.
    """
    values = pixels.values
    down, across = min(down, values.shape[0]), min(across, values.shape[1])
    if down == across == 1:
        return pixels
    height, width = values.shape[0] // down, values.shape[1] // across
    rows = _sum(values[row : height * down : down] for row in range(down))
    result = np.empty((height, width, values.shape[2]), np.uint8)
    for channel in range(values.shape[2]):
        columns = rows[:, : width * across, channel]
        total = _sum(columns[:, column::across] for column in range(across))
        result[:, :, channel] = total // (down * across)
    return Pixels(result, pixels.order)


def _sum(parts: Any) -> npt.NDArray[np.uint32]:
    total: npt.NDArray[np.uint32] | None = None
    for part in parts:
        if total is None:
            total = part.astype(np.uint32)
        else:
            total += part
    assert total is not None
    return total
