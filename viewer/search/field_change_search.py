"""The search for the next frame, or the one before, in which a field of an object changes."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...errors import DamagedError, EvictedError
from ...recorder.reading.frame_source import FrameSource

_NOTHING = object()


class ChangeSearch:
    """Walks frame by frame, one a call, so that the caller can do other things between.

    Forward it stops at the first frame with another value than the present one's. Backward it
    stops where the present value began.
    """

    def __init__(self, object: int, field: str, frame: int, direction: int) -> None:
        self.object = object
        self.field = field
        self._frame = frame
        self._direction = 1 if direction > 0 else -1
        self._first: Any = _NOTHING
        self._moved = False
        self._crossed = False
        """Whether it went over the beginning of the value that it set out from."""

    def look(self, source: FrameSource) -> int | None:
        """Look at one more frame: the frame to go to, 0 if there is none, None to look on."""
        span = source.span
        if span is None:
            return 0
        try:
            value = self._value(source, self._frame)
        except DamagedError:  # nobody knows what it was there: the search goes over the frame
            value = None if self._first is _NOTHING else self._first
        if self._first is _NOTHING:
            self._first = value
        elif not same_value(value, self._first):
            if self._direction > 0:
                return self._frame
            if self._moved:
                return source.step(self._frame, 1)
            # The playhead is where the value began: the one before it is searched for.
            self._first = value
            self._moved = self._crossed = True
        else:
            self._moved = True
        following = source.step(self._frame, self._direction)
        if not span.oldest <= following <= span.newest:
            return span.oldest if self._crossed else 0
        self._frame = following
        return None

    def _value(self, source: FrameSource, frame: int) -> Any:
        try:
            for packet in source.objects(frame):
                if packet.id == self.object:
                    return self._field(source, frame, packet)
        except EvictedError:
            return None
        return None

    def _field(self, source: FrameSource, frame: int, packet: Any) -> Any:
        header: Mapping[str, Any] = {
            "position": packet.position, "angles": packet.angles, "visible": packet.visible,
            "targetable": packet.targetable, "damaged": packet.damaged, "type": packet.type,
        }  # fmt: skip
        layout = source.layout(frame, packet.type)
        values = {} if layout is None or packet.damaged else layout.decode(packet.payload)
        return values[self.field] if self.field in values else header.get(self.field)


_FEW = 8


def same_value(one: Any, other: Any) -> bool:
    """Whether two recorded values are equal; what is no number equals itself."""
    if one is other:
        return True
    if one is None or other is None:
        return False
    if type(one) is type(other) and isinstance(one, str | bytes | bool | int | float | tuple):
        # Without arrays it takes a twentieth; what is no number differs even from itself.
        if one == other:
            return True
        if isinstance(one, str | bytes | bool | int):
            return False
    a, b = np.asarray(one), np.asarray(other)
    if a.ndim == 1 and a.shape == b.shape and a.size <= _FEW:
        # Of a few numbers, which most vectors are, lists are compared in a fifth of the time.
        return all(
            x == y or (x != x and y != y) for x, y in zip(a.tolist(), b.tolist(), strict=True)
        )
    if a.dtype.kind == "f" and b.dtype.kind == "f":
        return np.array_equal(a, b, equal_nan=True)
    return np.array_equal(a, b)
