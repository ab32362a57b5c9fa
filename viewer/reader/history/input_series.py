"""Inputs over time: which buttons were down, and the positions of the sticks."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from .curve_gaps import CurveSamples, broken
from .growable_array import GrowableArray

_MOST_TEXT = 40
"""Characters of a text that is an input."""


class TextSeries:
    """A text for each frame, such as the buttons that are down; an empty one is nothing."""

    def __init__(self) -> None:
        self._codes = GrowableArray()
        self._texts = [""]
        self._numbers = {"": 0}

    @property
    def has_text(self) -> bool:
        """Whether there was ever more than nothing."""
        return len(self._texts) > 1

    def put(self, frame: int, text: str) -> None:
        """Say the text of a frame."""
        code = self._numbers.setdefault(text, len(self._texts))
        if code == len(self._texts):
            self._texts.append(text)
        self._codes.put(frame, code)

    def drop_before(self, frame: int) -> None:
        """Forget the older frames."""
        self._codes.drop_before(frame)

    def spans(self, times: GrowableArray) -> tuple[list[float], float, list[str]]:
        """When ranges of one text begin, when the last one ends, and their texts; nothing where
        a frame that was due has none.

        Args:
            times: When each frame was.
        """
        samples = _samples(self._codes, times)
        codes = np.nan_to_num(samples.values, nan=0.0).astype(np.int64)
        begins = np.flatnonzero(np.diff(codes, prepend=-1))
        names = [self._texts[code] for code in codes[begins].tolist()]
        end = float(times.values[-1]) if len(times) else 0.0
        return samples.times[begins].tolist(), end, names


class InputSeries:
    """One input: a text of what is pressed, and a curve for each axis. What it leaves out rests."""

    def __init__(self) -> None:
        self.pressed = TextSeries()
        self.axes: dict[str, GrowableArray] = {}
        self._curves: dict[str, tuple[int, CurveSamples]] = {}

    def put(self, frame: int, value: Any) -> None:
        """Say the value of a frame."""
        parts = value if isinstance(value, Mapping) else {"": value}
        pressed = []
        at = dict.fromkeys(self.axes, 0.0)
        for name, part in parts.items():
            if isinstance(part, bool):
                pressed += [str(name) or "on"] if part else []
            elif isinstance(part, int | float):
                at[str(name)] = float(part)
            elif part is not None:
                pressed.append(f"{name} {part}".strip()[:_MOST_TEXT])
        self.pressed.put(frame, " + ".join(pressed))
        for axis, number in at.items():
            self.axes.setdefault(axis, GrowableArray()).put(frame, number)

    def drop_before(self, frame: int) -> None:
        """Forget the older frames."""
        self.pressed.drop_before(frame)
        for axis in self.axes.values():
            axis.drop_before(frame)

    def curve(self, axis: str, times: GrowableArray, version: int) -> CurveSamples:
        """An axis over time.

        Args:
            times: When each frame was.
            version: Counts up with each change.
        """
        known = self._curves.get(axis)
        if known is None or known[0] != version:
            known = self._curves[axis] = version, _samples(self.axes[axis], times)
        return known[1]


def _samples(series: GrowableArray, times: GrowableArray) -> CurveSamples:
    when = np.interp(series.frames, times.frames, times.values)
    last = float(times.frames[-1]) if len(times) else -np.inf
    return broken(series.frames, when, series.values, last)
