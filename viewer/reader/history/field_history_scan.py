"""Reads the field history of one object, frame by frame, on the reader's thread."""

import time
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from ....errors import EvictedError, PlayheadError
from ....native.ring_type_aliases import DAMAGED, HIDDEN, RUN_LATCHED
from ....recorder.packets.layouts.layout import Layout
from ....recorder.packets.packet_types import FIRST_OBJECT
from ....recorder.packets.recorded_frame import FrameRange
from ....recorder.reading.frame_source import FrameSource
from ..background_query_base import BackgroundQuery
from ..scan_order import FrameScan
from .field_history import FieldBatch, FieldNote

_MOST_PARTS = 4
"""Numbers that a field may have to be a column; a text, bytes."""
_MOST_TEXT = 200
_EVERY = 0.1
"""Seconds between two tellings, at least."""
_HEADER = {
    "position": FieldNote(parts=3),
    "angles": FieldNote("rad", 3),
    "visible": FieldNote(is_flag=True),
}


class _ObjectInFrame(NamedTuple):
    """An object in one frame."""

    frame: int
    time: float
    number: int
    """The number of its type; 0 where the object is not there."""
    header: tuple[float, ...] = ()
    payload: bytes | None = None
    """None if the packet is damaged."""


class FieldHistoryScan(BackgroundQuery):
    """Reads one object in every frame that is held, and in each new one."""

    def __init__(self, object: int, ring: Callable[[], None]) -> None:
        super().__init__(ring)
        self.object = object
        self._scan = FrameScan()
        self._rows: list[_ObjectInFrame] = []
        self._batches: list[FieldBatch] = []
        self._progress = 0.0
        self._restarted = False
        self._reported_at = float("-inf")
        self._types: dict[int, tuple[str, Layout]] = {}

    # --- for the window's thread ----------------------------------------------------------------

    def take(self) -> tuple[list[FieldBatch], float, bool]:
        """What was read since this was last asked, how much of all that is (0 … 1), and whether
        all from before is to be forgotten first."""
        with self._lock:
            batches, self._batches = self._batches, []
            restarted, self._restarted = self._restarted, False
            return batches, self._progress, restarted

    # --- for the reader's thread ----------------------------------------------------------------

    def restart(self) -> None:
        self._scan, self._rows, self._types = FrameScan(), [], {}
        with self._lock:
            self._batches, self._progress, self._restarted = [], 0.0, True

    def go_on(
        self, source: FrameSource, span: FrameRange, until: float, *, backwards: bool
    ) -> bool:
        if self._scan.is_new:
            self._scan.begin(span, backwards=backwards)
        more = True
        while time.monotonic() < until:
            frame = self._scan.next(span)
            if frame is None:
                more = False
                break
            if source.settle(frame) != frame:
                continue
            try:
                self._rows.append(self._look(source, frame))
            except EvictedError:
                continue
            except PlayheadError:
                continue  # damaged: when it is shown it says so
        now = time.monotonic()
        unreported = self._rows or (not more and self._progress < 1.0)
        if unreported and (not more or now - self._reported_at > _EVERY):
            self._reported_at = now
            self._tell(source, span)
        return more

    def _look(self, source: FrameSource, frame: int) -> _ObjectInFrame:
        when = source.stamp(frame).time
        for type, _, flags, headers, payloads in source.runs(frame):
            if type < FIRST_OBJECT or flags & RUN_LATCHED:
                continue
            found = np.flatnonzero(headers["id"] == self.object)
            if not len(found):
                continue
            header = headers[int(found[0])]
            numbers = (*header["position"].tolist(), *header["angles"].tolist(),
                    float(not header["flags"] & HIDDEN))  # fmt: skip
            payload = None
            if payloads is not None and not header["flags"] & DAMAGED:
                payload = payloads[int(found[0])].tobytes()
            if type not in self._types:
                self._types[type] = source.type_of(frame, type)
            return _ObjectInFrame(frame, when, type, numbers, payload)
        return _ObjectInFrame(frame, when, 0)

    def _tell(self, source: FrameSource, span: FrameRange) -> None:
        rows = sorted(self._rows, key=itemgetter(0))
        self._rows = []
        groups: list[list[_ObjectInFrame]] = []
        for row in rows:
            if not groups or groups[-1][0].number != row.number:
                groups.append([])
            groups[-1].append(row)
        batches = [self._batch(group) for group in groups]
        with self._lock:
            self._batches += batches
            self._progress = self._scan.progress(span)
        self._ring()

    def _batch(self, rows: Sequence[_ObjectInFrame]) -> FieldBatch:
        """Rows of one type as columns."""
        frames = np.array([row.frame for row in rows], np.float64)
        times = np.array([row.time for row in rows])
        fields: dict[str, Any] = {}
        texts: dict[str, Sequence[str]] = {}
        notes: dict[str, FieldNote] = {}
        if rows[0].number:
            headers = np.array([row.header for row in rows])
            for name, offset in (("position", 0), ("angles", 3), ("visible", 6)):
                notes[name] = _HEADER[name]
                fields[name] = headers[:, offset : offset + _HEADER[name].parts]
            layout = self._types[rows[0].number][1]
            _add_record(rows, layout, fields, texts, notes)
            if layout.tail == "utf8":
                _add_tail(rows, layout, fields, texts, notes)
        return FieldBatch(frames, times, fields, texts, notes)


def _add_record(
    rows: Sequence[_ObjectInFrame], layout: Layout, fields: dict[str, Any],
    texts: dict[str, Sequence[str]], notes: dict[str, FieldNote],
) -> None:  # fmt: skip
    """The fields of fixed size."""
    record = layout.dtype
    size = record.itemsize
    fine = np.array([row.payload is not None and len(row.payload) >= size for row in rows])
    if not size or record.names is None:
        return
    payloads = [row.payload[:size] for row, ok in zip(rows, fine, strict=True)
             if ok and row.payload is not None]  # fmt: skip
    values = np.frombuffer(b"".join(payloads), record)
    for name in record.names:
        column = values[name]
        parts = int(np.prod(column.shape[1:], dtype=np.int64)) if column.ndim > 1 else 1
        unit = layout.notes[name].unit if name in layout.notes else ""
        kind = column.dtype.kind
        if kind in "biuf" and 0 < parts <= _MOST_PARTS:
            numbers = np.full((len(rows), parts), np.nan)
            numbers[fine] = column.reshape(-1, parts).astype(np.float64)
            is_flag = kind == "b" and parts == 1
            notes[name] = FieldNote(unit, parts, is_flag=is_flag)
            fields[name] = numbers
        elif kind in "SU" and column.ndim == 1 and column.dtype.itemsize <= _MOST_TEXT:
            try:
                strs = [_text(one) for one in column.tolist()]
            except ValueError:  # characters that there are none of
                continue
            _add_texts(name, strs, fine, fields, texts)
            notes[name] = FieldNote(unit, is_text=True)


def _add_tail(
    rows: Sequence[_ObjectInFrame], layout: Layout, fields: dict[str, Any],
    texts: dict[str, Sequence[str]], notes: dict[str, FieldNote],
) -> None:  # fmt: skip
    """The text after the fields."""
    size, name = layout.dtype.itemsize, layout.tail_name or "tail"
    fine = np.array([row.payload is not None and len(row.payload) >= size for row in rows])
    strs = [_text(row.payload[size : size + _MOST_TEXT]) for row, ok in zip(rows, fine, strict=True)
            if ok and row.payload is not None]  # fmt: skip
    _add_texts(name, strs, fine, fields, texts)
    notes[name] = FieldNote(is_text=True)


def _add_texts(
    name: str, strs: Sequence[str], fine: Any, fields: dict[str, Any],
    texts: dict[str, Sequence[str]],
) -> None:  # fmt: skip
    known = {text: at for at, text in enumerate(dict.fromkeys(strs))}
    numbers = np.full((len(fine), 1), np.nan)
    numbers[fine, 0] = [known[text] for text in strs]
    fields[name], texts[name] = numbers, tuple(known)


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.rstrip(b"\0").decode("utf-8", errors="replace")
    return str(value)
