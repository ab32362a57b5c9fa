"""Which recorded fields and watched values are an object's velocity and its desired one.

A field of a payload is a velocity by its role, or failing that by its name; two or three numbers.
Watched values are one by one: `velocity.x`, `velocity.y`, `velocity.z`.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ...recorder.packets.layouts.layout import Layout
from .history.growable_array import GrowableArray

Array = npt.NDArray[np.float64]
Vector = tuple[float, float, float]

VELOCITY, DESIRED, AVOIDANCE = "velocity", "desired_velocity", "avoidance"
KINDS = (VELOCITY, DESIRED, AVOIDANCE)
"""The roles, and the names."""
_PARTS = ("x", "y", "z")


def vectors_of(values: Mapping[str, Any], layout: Layout | None) -> dict[str, Vector]:
    """The vectors in a payload's fields, by their role, in the game's own axes."""
    if layout is None:
        return {}
    result: dict[str, Vector] = {}
    for name, note in layout.notes.items():
        if note.role in KINDS and name in values:
            _take(result, note.role, values[name])
    for kind in KINDS:
        if kind in values:
            _take(result, kind, values[kind])
    return result


def _take(vectors: dict[str, Vector], kind: str, value: Any) -> None:
    array = np.asarray(value)
    if kind in vectors or array.dtype.kind not in "iuf" or array.shape not in ((2,), (3,)):
        return
    x, y, *rest = array.tolist()
    vectors[kind] = float(x), float(y), float(rest[0]) if rest else 0.0


def watched(
    series: Mapping[tuple[int, str], GrowableArray], object: int, kind: str, frames: Array
) -> Array | None:
    """A vector that is watched, (frames, 3); None if it isn't. Parts that are missing are 0.

    A value that is not watched in a frame is not known there: NaN.
    """
    parts = [series.get((object, f"{kind}.{part}")) for part in _PARTS]
    if not any(parts):
        return None
    result = np.zeros((len(frames), 3))
    for column, part in enumerate(parts):
        if part is not None:
            result[:, column] = exact(part, frames)
    return result


def exact(column: GrowableArray, frames: Array) -> Array:
    """The numbers of just these frames; NaN where there is none."""
    known = column.frames
    result = np.full(len(frames), np.nan)
    if len(known):
        indexes = np.minimum(np.searchsorted(known, frames), len(known) - 1)
        there = known[indexes] == frames
        result[there] = column.values[indexes[there]]
    return result
