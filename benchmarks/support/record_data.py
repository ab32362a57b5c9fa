"""The data that is recorded: rows for a call per object, columns for a call per frame."""

import random
from collections import deque
from itertools import count
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from playhead.native import _ring
from playhead.native.ring_memory import allocate

from .timing import Case

OBJECTS = 500
"""Objects of a frame of headers."""
MODELS = 200
"""Objects of a frame whose packets have payloads."""
PAYLOAD = 1536
"""Bytes of such a payload: 32 joints of 3 × 4 floats."""
LOGICAL = 35
"""Bytes that a header says: id 8, type 2, targetable 1, position 12, angles 12."""
TYPE = 16

Row = tuple[int, int, bool, tuple[float, float, float], tuple[float, float, float]]


def rows(frames: int, objects: int = OBJECTS) -> list[list[Row]]:
    """For each frame the packets of its objects, every value an object of its own."""
    number = random.Random(1).random
    return [
        [
            (
                1000 + i, TYPE, i % 7 != 0,
                (number(), number(), number()), (number(), number(), number()),
            )
            for i in range(objects)
        ]
        for _ in range(frames)
    ]  # fmt: skip


class Block(NamedTuple):
    """The columns of one frame, and the same number of logical bytes in one piece."""

    ids: npt.NDArray[np.uint64]
    positions: npt.NDArray[np.float32]
    angles: npt.NDArray[np.float32]
    targetable: npt.NDArray[np.bool_]
    payload: npt.NDArray[np.uint8]
    flat: npt.NDArray[np.uint8]

    @property
    def arguments(self) -> tuple[Any, ...]:
        """What `record_batch` is called with."""
        payload = self.payload if self.payload.size else None
        return (TYPE, self.ids, self.positions, self.angles, self.targetable, payload)


def blocks(frames: int, objects: int, payload: int = 0) -> list[Block]:
    """Frames of columns, each in memory of its own."""
    make = np.random.default_rng(1)
    return [
        Block(
            np.arange(1000, 1000 + objects, dtype=np.uint64),
            make.random((objects, 3), np.float32),
            make.random((objects, 3), np.float32),
            make.random(objects) < 0.9,
            make.integers(0, 255, (objects, payload), np.uint8),
            make.integers(0, 255, objects * (LOGICAL + payload), np.uint8),
        )
        for _ in range(frames)
    ]


class Tape:
    """A bare ring, and a clock for the frames that go into it."""

    def __init__(self, size: int, latch: int = 1 << 12) -> None:
        self.ring = _ring.Ring(allocate(size), latch)
        self._clock = count()

    def commit(self) -> None:
        """Finish the open frame, a sixtieth of a second after the one before."""
        self.ring.commit(next(self._clock) / 60, 1 / 60)


def recording(tape: Tape, data: list[list[Row]]) -> Case:
    """Records each object by a call of its own."""

    def record() -> int:
        call = tape.ring.record
        for frame in data:
            tape.ring.begin()
            for a, b, c, d, e in frame:
                call(a, b, c, d, e)
            tape.commit()
        return len(data) * OBJECTS

    return record


def appending(data: list[list[Row]]) -> Case:
    """Appends each object to a deque as a tuple; the deque holds half of them."""
    newest: deque[Row] = deque(maxlen=OBJECTS * len(data) // 2)

    def append_tuples() -> int:
        append = newest.append
        for frame in data:
            for a, b, c, d, e in frame:
                append((a, b, c, d, e))
        return len(data) * OBJECTS

    return append_tuples


def repeated(data: list[Any], frames: int) -> list[Any]:
    """A workload's frames, over and over until there are `frames` of them at least."""
    return data * -(-frames // len(data))


class Arena:
    """A plain block of memory that frames are copied into, one behind the other, round and round.

    The floor that recording is held against: nothing can be found again in it.
    """

    def __init__(self, size: int) -> None:
        self.bytes = np.frombuffer(allocate(size), np.uint8)
        self._at = 0

    def put(self, data: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        """Copy `data` to the next place; returns the copy."""
        end = self._at + len(data)
        if end > len(self.bytes):
            self._at, end = 0, len(data)
        copy = self.bytes[self._at : end]
        np.copyto(copy, data)
        self._at = end
        return copy
