"""Change records: an index of a chunk's frames, so that most queries need not unpack them.

Each chunk of frames has one change record: the stamps of its frames, the latched versions that
began in them, and the watched values as columns. Searches and lists of marks read only these.
"""

import re
from collections import defaultdict
from functools import cached_property
from typing import Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from ...errors import DamagedError
from .clip_format import MOST_ROWS, SHORT, Key, check_rows
from .frame_serialization import ReadImage, Stamp, WatchedRun

STAMP_DTYPE = np.dtype(
    [("time", "<f8"), ("delta", "<f8"), ("packets", "<u4"), ("epoch", "<u4"), ("flags", "<u4"),
     ("bytes", "<u4")]
)  # fmt: skip

ChangeRow = tuple[int, int, int, int, int, bytes | int | None]
"""(frame, object, kind, key, packet type, payload): a version that began. None ended its key; a
number is the length of a payload that is too long to be repeated here."""


class ChangeRecord(msgspec.Struct, frozen=True):
    """A change record as the file has it."""

    first: int
    """The chunk's first frame."""
    count: int
    stamps: bytes
    """`STAMP_DTYPE` for each frame."""
    changes: list[ChangeRow]
    """The changes of latched state, in the order in which they were recorded."""
    watched: list[tuple[int, int, bytes | None, bytes]]
    """(object, number of the name, frames, values): u32 frames counted from `first`, or None for
    all of them, and f64 values; the last one where a frame has several."""


class _Outline(msgspec.Struct, frozen=True):
    """What of a change record may be long, not decoded yet."""

    changes: msgspec.Raw
    watched: msgspec.Raw


class Change(NamedTuple):
    """A version that began in a frame."""

    frame: int
    position: int
    """Which latched packet of its frame it is, counted from 0."""
    type: int
    payload: bytes | int | None
    """As in a `ChangeRow`."""


class ChunkChanges:
    """A change record, decoded and checked.

    Raises:
        DamagedError: it contradicts itself.
    """

    def __init__(self, record: ChangeRecord) -> None:
        self.record = record
        self.first, self.count = record.first, record.count
        self.stamps = _array(record.stamps, STAMP_DTYPE, record.count, "stamps")
        times = self.stamps["time"]
        if not (np.isfinite(times).all() and (np.diff(times) >= 0).all()):
            raise DamagedError(f"the times of the frames from {self.first} on are broken")
        last, end = self.first, self.first + self.count
        for frame, *_ in record.changes:
            if not last <= frame < end:
                raise DamagedError(f"a change of frame {frame} among those from {self.first} on")
            last = frame

    @cached_property
    def by_key(self) -> dict[Key, list[Change]]:
        """The versions of each key that has any, in recording order.

        Made when it is first asked for: a pass over all frames needs only the stamps.
        """
        by_key: dict[Key, list[Change]] = defaultdict(list)
        last, index = self.first, -1
        for frame, object, kind, key, type, payload in self.record.changes:
            index = index + 1 if frame == last else 0
            by_key[object, kind, key].append(Change(frame, index, type, payload))
            last = frame
        return by_key

    @classmethod
    def decode(cls, data: bytes | memoryview) -> "ChunkChanges":
        """The record in a message of the channel `changes`.

        Raises:
            DamagedError: it is none.
        """
        try:
            raw = _outline.decode(data)
            for rows in (raw.changes, raw.watched):
                check_rows(memoryview(rows), MOST_ROWS, "a change record")
            return cls(_decoder.decode(data))
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            raise DamagedError(f"a change record is broken: {error}") from None

    def newest(self, key: Key, frame: int) -> Change | None:
        """The version of a key that began last up to a frame."""
        found = [change for change in self.by_key.get(key, ()) if change.frame <= frame]
        return found[-1] if found else None

    def stamp(self, frame: int) -> Stamp:
        time, delta, packets, epoch, flags, bytes = self.stamps[frame - self.first].item()
        return frame, time, delta, packets, epoch, flags, 0, bytes

    def watched(
        self, object: int, number: int
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """The frames in which a value was watched, and its values."""
        for id, name, packed_frames, data in self.record.watched:
            if (id, name) == (object, number):
                if packed_frames is None:
                    offsets = np.arange(self.count, dtype=np.int64)
                else:
                    offsets = _array(
                        packed_frames, np.dtype("<u4"), len(packed_frames) // 4, "frames"
                    ).astype("<i8")
                values = _array(data, np.dtype("<f8"), len(offsets), "values")
                if len(offsets) and (offsets[-1] >= self.count or (np.diff(offsets) < 1).any()):
                    raise DamagedError(f"watched values of frames from {self.first} on are broken")
                return offsets + self.first, values
        return np.empty(0, np.int64), np.empty(0, np.float64)


def _array(data: bytes, dtype: np.dtype[Any], count: int, what: str) -> npt.NDArray[Any]:
    if len(data) != count * dtype.itemsize:
        raise DamagedError(
            f"{len(data)} bytes of {what} where {count} × {dtype.itemsize} are announced"
        )
    return np.frombuffer(data, dtype)


class ChangeMaker:
    """Gathers the change record of a chunk, frame by frame."""

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self._first = 0
        self._stamps: list[tuple[float, float, int, int, int, int]] = []
        self._changes: list[ChangeRow] = []
        self._watched: list[tuple[int, WatchedRun]] = []

    def add(self, image: ReadImage) -> None:
        """Take the next frame."""
        id, time, delta, packets, epoch, flags, _, bytes = image.stamp
        if not self._stamps:
            self._first = id
        index = len(self._stamps)
        self._stamps.append((time, delta, packets, epoch, flags, bytes))
        for (object, kind, key), type, payload in image.latched:
            short = payload if payload is None or len(payload) <= SHORT else len(payload)
            self._changes.append((id, object, kind, key, type, short))
        self._watched += [(index, run) for run in image.watched]

    def finish(self) -> ChangeRecord:
        """The record of the frames taken; the next one begins empty."""
        count = len(self._stamps)
        stamps = np.array(self._stamps, STAMP_DTYPE).tobytes()
        record = ChangeRecord(self._first, count, stamps, self._changes, self._columns(count))
        self._clear()
        return record

    def _columns(self, count: int) -> list[tuple[int, int, bytes | None, bytes]]:
        if not self._watched:
            return []
        runs = [run for _, run in self._watched]
        objects, numbers, values = (np.concatenate(columns) for columns in zip(*runs, strict=True))
        lengths = [len(ids) for ids, _, _ in runs]
        offsets = np.repeat(np.array([index for index, _ in self._watched], "<u4"), lengths)
        order = np.lexsort((offsets, numbers, objects))  # stable: of one frame the last one is last
        offsets, objects = offsets[order], objects[order]
        numbers, values = numbers[order], values[order]
        is_new = (np.diff(objects) != 0) | (np.diff(numbers) != 0)
        is_last = np.append(is_new | (np.diff(offsets) != 0), True)
        starts = np.append(0, np.flatnonzero(is_new) + 1)
        columns: list[tuple[int, int, bytes | None, bytes]] = []
        for start, end in zip(starts, np.append(starts[1:], len(offsets)), strict=True):
            rows = np.flatnonzero(is_last[start:end]) + start
            packed_frames = None if len(rows) == count else offsets[rows].astype("<u4").tobytes()
            column = values[rows].astype("<f8").tobytes()
            columns.append((int(objects[start]), int(numbers[start]), packed_frames, column))
        return columns


def may_mention(data: bytes | memoryview, kind: int, text: str) -> bool:
    """Whether a change record, not decoded, may have a version of a kind with a text in it."""
    raw = bytes(data)
    long = re.search(_ROW_OF_LENGTH % re.escape(bytes((kind,))), raw, re.DOTALL)
    return long is not None or text.encode("utf-8", "surrogatepass") in raw


_INT = rb"(?:[\x00-\x7f]|\xcc.|\xcd..|\xce.{4}|\xcf.{8})"
_ROW_OF_LENGTH = b"\x96" + 2 * _INT + b"%b" + 2 * _INT + rb"[\xcd-\xcf]"
"""A `ChangeRow` in MessagePack whose payload is too long to be repeated: its length is there."""

_outline = msgspec.msgpack.Decoder(_Outline)
_decoder = msgspec.msgpack.Decoder(ChangeRecord)
