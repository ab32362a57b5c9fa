"""Builds the tables of a recording, by name."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from ...errors import EvictedError
from ...native.ring_type_aliases import HIDDEN, RUN_LATCHED
from ...recorder.packets.named_phases import PhaseSpan
from ...recorder.packets.packet_types import FIRST_OBJECT
from ...recorder.reading.frame_source import FrameSource
from ...recorder.reading.table_columns_and_rows import (
    OBJECT_COLUMNS,
    TABLES,
    frame_row,
    mark_row,
    payload_columns,
    trace_row,
)
from ..failed_check import RecordedFailedCheck
from ..game_event_reader import RecordedEvent
from ..input_reader import RecordedInput
from ..log_and_watch_reader import RecordedLogLine, frames_in
from ..objects.field_path import Column as ReadColumn
from ..objects.field_path import FieldPath, is_damaged, part_of
from ..objects.object_lookup import names_over_time
from ..recording_damage import DamageLog
from ..transition_reader import RecordedTransition
from .recording_table import Column, RecordingTable, column_of

_Part = tuple[int, dict[str, Column]]
"""The objects of a type in a frame: how many, and their columns."""
_NOT_OF_STATES = ("kind", "nodes")
"""Columns of the table `traces` that a transition has nothing for."""
TRANSITION_COLUMNS = tuple(name for name in TABLES["traces"] if name not in _NOT_OF_STATES)
CHECK_COLUMNS = ("frame", "time", "object", "message", "expression", "file", "line")
NAMES = (
    "frames", "objects", "transitions", "traces", "checks", "marks", "logs", "watches", "inputs",
    "events", "phases",
)  # fmt: skip
"""The tables that there are."""


def table_of(name: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> RecordingTable:
    """A table from rows."""
    lists = list(zip(*rows, strict=True)) or [()] * len(columns)
    plain = [[_builtin(value) for value in values] for values in lists]
    return RecordingTable(
        name, {one: column_of(part) for one, part in zip(columns, plain, strict=True)}
    )


def transition_table(transitions: Iterable[RecordedTransition]) -> RecordingTable:
    rows = ([getattr(one, name) for name in TRANSITION_COLUMNS] for one in transitions)
    return table_of("transitions", TRANSITION_COLUMNS, rows)


def check_table(checks: Iterable[RecordedFailedCheck]) -> RecordingTable:
    rows = ([getattr(one, name) for name in CHECK_COLUMNS] for one in checks)
    return table_of("checks", CHECK_COLUMNS, rows)


def mark_table(source: FrameSource, first: int, last: int) -> RecordingTable:
    rows = [mark_row(mark) for mark in source.marks() if first <= mark.frame <= last]
    return table_of("marks", TABLES["marks"], rows)


def log_table(lines: Iterable[RecordedLogLine]) -> RecordingTable:
    return table_of("logs", TABLES["log"], lines)


def frame_table(source: FrameSource, first: int, last: int, damage: DamageLog) -> RecordingTable:
    rows = _each_frame(source, first, last, damage, lambda frame: [frame_row(source.stamp(frame))])
    return table_of("frames", TABLES["frames"], rows)


def trace_table(source: FrameSource, first: int, last: int, damage: DamageLog) -> RecordingTable:
    def rows_in(frame: int) -> list[list[Any]]:
        traces = source.traces(frame)
        time = source.time(frame) if traces else 0.0
        return [trace_row(frame, time, agent, trace) for agent, trace in traces]

    rows = _each_frame(source, first, last, damage, rows_in)
    return table_of("traces", TABLES["traces"], rows)


def watch_table(source: FrameSource, first: int, last: int, damage: DamageLog) -> RecordingTable:
    def rows_in(frame: int) -> list[list[Any]]:
        watches = source.watches(frame)
        time = source.time(frame) if watches else 0.0
        return [[frame, time, object, name, value] for (object, name), value in watches.items()]

    rows = _each_frame(source, first, last, damage, rows_in)
    return table_of("watches", TABLES["watches"], rows)


def input_table(inputs: Iterable[RecordedInput]) -> RecordingTable:
    return table_of("inputs", TABLES["inputs"], inputs)


def event_table(events: Iterable[RecordedEvent]) -> RecordingTable:
    return table_of("events", TABLES["events"], events)


def phase_table(phases: Iterable[PhaseSpan]) -> RecordingTable:
    return table_of("phases", TABLES["phases"], phases)


def object_table(
    source: FrameSource, first: int, last: int, type: str | None, every: int, damage: DamageLog
) -> RecordingTable:
    """One row for each object in each frame; what a type does not have is None, or NaN."""
    return _objects_of(_parts_in(source, first, last, type, every, damage))


def object_tables(
    source: FrameSource, first: int, last: int, damage: DamageLog
) -> dict[str, RecordingTable]:
    """A table for each type of objects, with the columns that the type has."""
    by_type: dict[str, list[_Part]] = {}
    for count, columns in _parts_in(source, first, last, None, 1, damage):
        by_type.setdefault(str(columns["type"][0]), []).append((count, columns))
    return {type: _objects_of(parts) for type, parts in by_type.items()}


def _parts_in(
    source: FrameSource, first: int, last: int, type: str | None, every: int, damage: DamageLog
) -> list[_Part]:
    parts: list[_Part] = []
    readers: dict[int, tuple[str, dict[str, ReadColumn]] | None] = {}
    names = _NamesByFrame(source)
    for frame in frames_in(source, first, last):
        if (frame - first) % every:
            continue
        try:
            with damage.skipping(frame):
                parts += _object_parts(source, frame, type, readers, names.at(frame))
        except EvictedError:
            continue
    return parts


def _objects_of(parts: list[_Part]) -> RecordingTable:
    own = ["type"]
    for _, columns in parts:
        own += [name for name in columns if name not in own and name not in OBJECT_COLUMNS]
    heads = [*OBJECT_COLUMNS[:3], "type", *OBJECT_COLUMNS[3:]]
    return RecordingTable("objects", {name: _joined(parts, name) for name in [*heads, *own[1:]]})


def _object_parts(
    source: FrameSource, frame: int, type: str | None,
    readers: dict[int, tuple[str, dict[str, ReadColumn]] | None], names: Mapping[int, str],
) -> list[_Part]:  # fmt: skip
    parts = []
    runs = source.runs(frame)
    time = source.time(frame)
    for number, _, flags, headers, payloads in runs:
        if number < FIRST_OBJECT or flags & RUN_LATCHED:
            continue
        if number not in readers:
            readers[number] = _readers(source, frame, number, type)
        found = readers[number]
        if found is None:
            continue
        its_type, fields = found
        count, damaged = len(headers), is_damaged(headers)
        columns: dict[str, Column] = {
            "frame": np.full(count, frame, np.int64), "time": np.full(count, time),
            "id": headers["id"].astype(np.int64), "type": np.full(count, its_type),
            "name": np.array([names.get(id, "") for id in headers["id"].tolist()], np.str_),
            "visible": headers["flags"] & HIDDEN == 0, "damaged": damaged,
        }  # fmt: skip
        for position, axis in enumerate("xyz"):
            columns[axis] = headers["position"][:, position].copy()
            columns[f"r{axis}"] = headers["angles"][:, position].copy()
        if not damaged.any():
            for name, read in fields.items():
                columns[name] = _text(read(headers, payloads))
            parts.append((count, columns))
            continue
        for rows in (np.flatnonzero(~damaged), np.flatnonzero(damaged)):
            if not len(rows):
                continue
            some = {name: column[rows] for name, column in columns.items()}
            if not damaged[rows[0]]:
                own = None if payloads is None else payloads[rows]
                some |= {name: _text(read(headers[rows], own)) for name, read in fields.items()}
            parts.append((len(rows), some))
    return parts


def _readers(
    source: FrameSource, frame: int, number: int, type: str | None
) -> tuple[str, dict[str, ReadColumn]] | None:
    name, layout = source.type_of(frame, number)
    if type is not None and name != type:
        return None
    fields: dict[str, ReadColumn] = {}
    for column, (field, position) in payload_columns(layout):
        found = FieldPath(field).column(layout)
        if found is not None:
            fields[column] = _part(found.read, position) if position else found.read
    return name, fields


def _part(read: ReadColumn, position: tuple[int, ...]) -> ReadColumn:
    return lambda headers, payloads: part_of(read(headers, payloads), position)


def _text(values: Column) -> Column:
    if values.dtype.kind == "S":
        return np.char.decode(values, "utf-8", "replace")
    if values.ndim == 1:
        return values.copy() if values.base is not None else values
    rows = np.empty(len(values), object)  # a field of many numbers is one column
    rows[:] = [row.tolist() for row in values]
    return rows


def _joined(parts: list[_Part], name: str) -> Column:
    """A column of all parts; where a part has none, it is NaN among numbers and else None."""
    pieces = [(count, columns.get(name)) for count, columns in parts]
    kinds = {piece.dtype.kind for _, piece in pieces if piece is not None}
    if not pieces:
        return np.empty(0)
    if all(piece is not None for _, piece in pieces) and (len(kinds) == 1 or kinds <= set("iuf")):
        return np.concatenate([piece for _, piece in pieces if piece is not None])
    if kinds <= set("iuf"):
        return np.concatenate(
            [np.full(count, np.nan) if piece is None else piece for count, piece in pieces]
        )
    return np.concatenate([
        np.full(count, None, object) if piece is None else piece.astype(object)
        for count, piece in pieces
    ])  # fmt: skip


class _NamesByFrame:
    """The names of objects at frames that are asked for in rising order."""

    def __init__(self, source: FrameSource) -> None:
        changes = [
            (frame, id, name)
            for id, names in names_over_time(source).items()
            for frame, name in names
        ]
        self._changes = sorted(changes, key=lambda change: change[0])
        self._done = 0
        self._names: dict[int, str] = {}

    def at(self, frame: int) -> Mapping[int, str]:
        while self._done < len(self._changes) and self._changes[self._done][0] <= frame:
            _, id, name = self._changes[self._done]
            self._names[id] = name
            self._done += 1
        return self._names


def _each_frame(
    source: FrameSource, first: int, last: int, damage: DamageLog,
    rows_in: Callable[[int], list[list[Any]]],
) -> list[list[Any]]:  # fmt: skip
    rows: list[list[Any]] = []
    for frame in frames_in(source, first, last):
        try:
            with damage.skipping(frame):
                rows += rows_in(frame)
        except EvictedError:
            continue
    return rows


def _builtin(value: Any) -> Any:
    """Structures as dicts, a tuple as a list."""
    if isinstance(value, tuple):
        return list(msgspec.to_builtins(value))
    return msgspec.to_builtins(value) if isinstance(value, dict) else value
