"""Reads the values of a field over time as columns, for many objects at once."""

from collections.abc import Collection, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...errors import CommandError, DamagedError, EvictedError
from ...native.ring_type_aliases import RUN_LATCHED
from ...recorder.packets.packet_types import FIRST_OBJECT
from ...recorder.reading.frame_source import FrameSource
from ...recorder.text.field_paths import field_hint
from ..frame_lookup import stretches_in
from ..recording_damage import DamageLog
from .field_path import (
    HEADER_FIELDS,
    HEADER_SHAPES,
    FieldColumn,
    FieldPath,
    field_shapes,
    is_damaged,
)

_BLOCK = 256
"""Frames of a block at most: so much is read before the first of it is given."""

Times = npt.NDArray[np.float64]
Values = npt.NDArray[Any]


class History(NamedTuple):
    """The values of a field of one object: `times, values = recording.history(…)`."""

    times: Times
    """(n,) seconds, rising."""
    values: Values
    """(n,), or (n, parts) of a vector."""


class MultiObjectHistory(NamedTuple):
    """A field's values of several objects in some frames; each object is in each of the frames."""

    frames: npt.NDArray[np.int64]
    """(n,) numbers of the frames, rising."""
    times: Times
    """(n,) seconds."""
    ids: npt.NDArray[np.uint64]
    """(m,) the objects."""
    values: Values
    """(n, m), or (n, m, parts) of a vector."""
    codes: npt.NDArray[np.int64] | None = None
    """(n, m) places in `texts`, of a text field …"""
    texts: tuple[str, ...] = ()
    """… and the different texts."""


class FieldReader:
    """Reads a field of some objects over the frames, block by block.

    Args:
        source: What is read.
        field: The field's name: see `FieldPath`.
        ids: The requested objects; None for all.
        type: Their type; None for any.
    """

    def __init__(
        self, source: FrameSource, field: str, ids: Collection[int] | None, type: str | None
    ) -> None:
        self._source, self._path, self._type = source, FieldPath(field), type
        self._ids = None if ids is None else np.array(sorted(ids), np.uint64)
        self._columns: dict[int, FieldColumn | None] = {}
        self._chosen: dict[int, tuple[bytes, npt.NDArray[np.uint64], Any]] = {}
        """The ids last seen at each position of a run, the requested ones, and their rows."""
        self._lacking: dict[int, tuple[str, dict[str, tuple[int, ...]]]] = {}
        """Types that have no such field, and which they have, with the shapes of their values …"""
        self._without: dict[str, dict[str, tuple[int, ...]]] = {}
        """… and those of them that requested objects have."""
        self.found = False
        """Whether any value was read."""
        self.seen: set[int] = set()
        """Those of `ids` that were in a frame, whether they had a value there or not."""

    def blocks(self, first: int, last: int, damage: DamageLog) -> Iterator[MultiObjectHistory]:
        """The values in the frames from `first` to `last`, oldest first.

        Frames that are damaged, or evicted while this is read, are left out.

        Raises:
            CommandError: no object that is meant has such a field.
        """
        growing: dict[Any, _GrowingBlock] = {}
        for low, high in stretches_in(self._source, first, last):
            frame = low
            while frame <= high:
                try:
                    with damage.skipping(frame):
                        read = self._read(frame)
                        time = self._source.time(frame)
                        for key, ids, values in read:
                            block = growing.get(key)
                            if block is None or not block.takes(frame, ids):
                                if block is not None:
                                    yield block.finish()
                                block = growing[key] = _GrowingBlock(ids)
                            block.add(frame, time, values)
                except EvictedError:
                    span = self._source.span
                    frame = max(frame + 1, frame if span is None else span.oldest)
                    continue
                frame += 1
        for block in growing.values():
            yield block.finish()
        if not self.found and self._without:
            raise CommandError(f"field {self._path.name!r}: {self._fields_text()}")

    def _read(self, frame: int) -> list[tuple[Any, npt.NDArray[np.uint64], Values]]:
        """The values in a frame, as (which belong together, ids, values)."""
        found_by_shape: dict[Any, tuple[list[npt.NDArray[np.uint64]], list[Values]]] = {}
        for position, (type, _, flags, headers, payloads) in enumerate(self._source.runs(frame)):
            if type < FIRST_OBJECT or flags & RUN_LATCHED:
                continue
            column = self._column(frame, type, headers)
            if column is None:
                continue
            ids, rows = self._choose(position, headers)
            if not len(ids):
                continue
            if rows is not None:
                headers = headers[rows]
                payloads = None if payloads is None else payloads[rows]
            if not column.in_header:
                damaged = is_damaged(headers)
                if damaged.any():
                    headers, ids = headers[~damaged], ids[~damaged]
                    payloads = None if payloads is None else payloads[~damaged]
                    if not len(ids):
                        continue
            try:
                values = column.read(headers, payloads)
            except DamagedError as error:
                raise DamagedError(f"frame {frame}: {error}") from None
            id_parts, value_parts = found_by_shape.setdefault(
                (values.dtype, values.shape[1:]), ([], [])
            )
            id_parts.append(ids)
            value_parts.append(values)
        self.found = self.found or bool(found_by_shape)
        return [
            (key, ids[0], values[0])
            if len(ids) == 1
            else (key, np.concatenate(ids), np.concatenate(values))
            for key, (ids, values) in found_by_shape.items()
        ]

    def _column(self, frame: int, type: int, headers: Any) -> FieldColumn | None:
        if type not in self._columns:
            name, layout = self._source.type_of(frame, type)
            is_requested = self._type is None or name == self._type
            self._columns[type] = self._path.column(layout) if is_requested else None
            if is_requested and self._columns[type] is None:
                self._lacking[type] = name, field_shapes(layout)
        if type in self._lacking and self._has_requested_object(headers):
            name, fields = self._lacking.pop(type)
            self._without[name] = fields
        return self._columns[type]

    def _has_requested_object(self, headers: Any) -> bool:
        if self._ids is None:
            return True
        found = headers["id"][np.isin(headers["id"], self._ids)]
        self.seen.update(found.tolist())
        return len(found) > 0

    def _choose(self, position: int, headers: Any) -> tuple[npt.NDArray[np.uint64], Any]:
        """The requested ids of a run, and their rows; None for all of them."""
        ids = headers["id"].tobytes()
        chosen = self._chosen.get(position)
        if chosen is not None and chosen[0] == ids:  # mostly it is as it was in the frame before
            return chosen[1:]
        every = np.frombuffer(ids, np.uint64)
        if self._ids is None:
            chosen = (ids, every, None)
        else:
            mask = np.isin(every, self._ids)
            chosen = (ids, every, None) if mask.all() else (ids, every[mask], np.flatnonzero(mask))
            self.seen.update(chosen[1].tolist())
        self._chosen[position] = chosen
        return chosen[1:]

    def _fields_text(self) -> str:
        known = HEADER_SHAPES.copy()
        for shapes in self._without.values():
            known |= shapes
        fields_by_type = [
            f"{name} has {', '.join(has) or 'none'}" for name, has in self._without.items()
        ]
        return (
            f"there is no such field: {field_hint(self._path.name, known)};"
            f" {'; '.join(fields_by_type[:5])}; every object has {', '.join(HEADER_FIELDS)}"
        )


class _GrowingBlock:
    """A block that is being read."""

    def __init__(self, ids: npt.NDArray[np.uint64]) -> None:
        self._ids, self._key = ids, ids.tobytes()
        self._frames: list[int] = []
        self._times: list[float] = []
        self._values: list[Values] = []

    def takes(self, frame: int, ids: npt.NDArray[np.uint64]) -> bool:
        """Whether a frame with these objects belongs into it."""
        if len(self._frames) >= _BLOCK or frame <= self._frames[-1]:
            return False
        return ids is self._ids or ids.tobytes() == self._key

    def add(self, frame: int, time: float, values: Values) -> None:
        self._frames.append(frame)
        self._times.append(time)
        self._values.append(values)

    def finish(self) -> MultiObjectHistory:
        values = np.stack(self._values)
        frames, times = np.array(self._frames, np.int64), np.array(self._times)
        if values.dtype.kind == "S" and values.ndim == 2:  # a text field: its bytes end with zeros
            codes, texts = _factorized(values)
            return MultiObjectHistory(
                frames, times, self._ids, texts[codes], codes, tuple(texts.tolist())
            )
        if values.dtype.kind == "S":
            values = np.char.decode(values, "utf-8", "replace")
        return MultiObjectHistory(frames, times, self._ids, values)


def _factorized(values: Values) -> tuple[npt.NDArray[np.int64], Values]:
    """Bytes of (frames, objects) as places in an array of texts, and that array.

    Texts mostly stay from frame to frame: only those that differ are sorted and decoded.
    """
    is_new = np.ones(values.shape, np.bool_)
    is_new[1:] = values[1:] != values[:-1]
    different, places = np.unique(values[is_new], return_inverse=True)
    codes = np.zeros(values.shape, np.int64)
    codes[is_new] = places
    rows = np.where(is_new, np.arange(len(values))[:, None], 0)
    np.maximum.accumulate(rows, axis=0, out=rows)
    texts: Values = np.char.decode(different, "utf-8", "replace")
    return np.take_along_axis(codes, rows, axis=0), texts


class FieldRows(NamedTuple):
    """A field of one object: in which frames, when, and which values."""

    frames: npt.NDArray[np.int64]
    times: Times
    values: Values

    @property
    def history(self) -> History:
        return History(self.times, self.values)


NO_ROWS = FieldRows(np.empty(0, np.int64), np.empty(0), np.empty(0))


def rows_of(blocks: Iterable[MultiObjectHistory]) -> dict[int, FieldRows]:
    """Blocks joined: the rows of each object that is in any."""
    parts: dict[int, list[tuple[MultiObjectHistory, int]]] = {}
    for block in blocks:
        for position, id in enumerate(block.ids.tolist()):
            parts.setdefault(id, []).append((block, position))
    return {id: _joined(pieces) for id, pieces in parts.items()}


def with_gaps(rows: FieldRows, frames: npt.NDArray[np.int64], times: Times) -> History:
    """A history with a row for each frame; where the object is absent, the value is NaN.

    Args:
        frames: All frames that are meant, with their `times`.

    Raises:
        CommandError: its values are no numbers.
    """
    if rows.values.dtype.kind not in "biuf":
        raise CommandError("missing='nan': the values are no numbers; leave it out")
    shape = (len(times), *rows.values.shape[1:])
    values = np.full(shape, np.nan, np.result_type(rows.values.dtype, np.float32))
    positions = np.searchsorted(frames, rows.frames)
    is_present = (positions < len(frames)) & (
        frames[np.minimum(positions, len(frames) - 1)] == rows.frames
    )
    values[positions[is_present]] = rows.values[is_present]
    return History(times, values)


def _joined(pieces: list[tuple[MultiObjectHistory, int]]) -> FieldRows:
    """Pieces one after the other; pieces of other shapes give an array of objects."""
    frames = np.concatenate([block.frames for block, _ in pieces])
    times = np.concatenate([block.times for block, _ in pieces])
    values = [block.values[:, position] for block, position in pieces]
    if len({piece.shape[1:] for piece in values}) == 1:
        numbers = [piece.dtype.kind in "biuf" for piece in values]
        if all(numbers) or len({piece.dtype.kind for piece in values}) == 1:
            joined = np.concatenate(values)
        else:
            joined = np.concatenate([piece.astype(object) for piece in values])
    else:
        joined = np.empty(len(frames), object)
        joined[:] = [row for piece in values for row in piece]
    if (np.diff(frames) >= 0).all():
        return FieldRows(frames, times, joined)
    order = np.argsort(frames, kind="stable")
    return FieldRows(frames[order], times[order], joined[order])
