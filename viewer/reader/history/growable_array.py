"""A column of numbers by frame that grows at both ends without being copied each time."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt


class GrowableArray:
    """Frames in rising order, and a number for each.

    A frame that is put again replaces its old value. Room is doubled when it runs out, at the end
    that ran out.
    """

    def __init__(self) -> None:
        self._rows: npt.NDArray[np.float64] = np.empty((2, 16))
        """Frames (exact up to 2**53) and values."""
        self._start = self._end = 8
        self._newest = -math.inf
        """The newest frame, since nearly every number is put after it."""

    def __len__(self) -> int:
        return self._end - self._start

    @property
    def frames(self) -> npt.NDArray[np.float64]:
        """A view; it changes when something is put."""
        return self._rows[0, self._start : self._end]

    @property
    def values(self) -> npt.NDArray[np.float64]:
        """A view, one for each frame."""
        return self._rows[1, self._start : self._end]

    def put(self, frame: int, value: float) -> None:
        """Say the number of a frame."""
        if frame > self._newest:
            if self._end == self._rows.shape[1]:
                self._room()
            self._rows[0, self._end] = self._newest = frame
            self._rows[1, self._end] = value
            self._end += 1
            return
        frames = self.frames
        if frame < frames[0]:
            self._room()
            self._start -= 1
            self._rows[:, self._start] = frame, value
            return
        at = self._start + int(np.searchsorted(frames, frame))
        if self._rows[0, at] != frame:
            self._room()
            at = self._start + int(np.searchsorted(self.frames, frame))
            self._rows[:, at + 1 : self._end + 1] = self._rows[:, at : self._end].copy()
            self._end += 1
        self._rows[:, at] = frame, value

    def has(self, frame: int) -> bool:
        """Whether there is a value for a frame."""
        if frame > self._newest:
            return False  # as for each frame that is read in order
        index = int(np.searchsorted(self.frames, frame))
        return index < len(self) and bool(self.frames[index] == frame)

    def at(self, frame: int) -> float | None:
        """The number of the newest frame at or before this one."""
        index = int(np.searchsorted(self.frames, frame, side="right")) - 1
        return None if index < 0 else float(self.values[index])

    def drop_before(self, frame: int) -> None:
        """Forget the older frames."""
        self._start += int(np.searchsorted(self.frames, frame))
        if not len(self):
            self._newest = -math.inf

    def _room(self) -> None:
        """Have room for a value at both ends."""
        size = self._rows.shape[1]
        if self._start > 0 and self._end < size:
            return
        count = len(self)
        rows: npt.NDArray[Any] = np.empty((2, 2 * count + 32))
        start = (rows.shape[1] - count) // 2
        rows[:, start : start + count] = self._rows[:, self._start : self._end]
        self._rows, self._start, self._end = rows, start, start + count
