"""Exports a recording as CSV files that a spreadsheet or pandas opens (`docs/clips.md`)."""

import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from ...errors import DamagedError, HandlerError
from ..packets.layouts.layout import Layout
from ..packets.packet_types import Kind
from ..packets.recorded_frame import Packet
from ..reading.frame_source import FrameSource
from ..reading.table_columns_and_rows import (
    MOST_NAME,
    OBJECT_COLUMNS,
    TABLES,
    Row,
    frame_row,
    log_row,
    mark_row,
    payload_columns,
    trace_row,
)
from .atomic_file import new_folder
from .skip_damaged_frames import DamagedFrames

_NOTHING = Layout()
_FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""How texts begin that spreadsheets carry out, as wide signs too where those are usual."""


def export_csv(
    source: FrameSource,
    folder: Path,
    start: int | None = None,
    end: int | None = None,
    *,
    overwrite: bool = False,
    progress: Callable[[int, int], object] | None = None,
) -> list[Path]:
    """Write the frames from `start` to `end` (by default all) as CSV files; returns these.

    Raises:
        RecordingError: the folder is there already, or can't be written.
        DamagedError: no frame of it can be read. Single frames that are damaged are left out,
            and a warning says how many.
    """
    with new_folder(folder, overwrite=overwrite, is_own=_is_table) as part:
        with TableWriters(part) as tables:
            span = source.span
            if span is not None:
                first = span.oldest if start is None else start
                last = span.newest if end is None else end
                frames, damaged = 0, DamagedFrames()
                for stamp in source.stamps(first, last):
                    with damaged.skipping(stamp.id):
                        tables.add(source, stamp.id)
                    frames += 1
                    if progress is not None:
                        progress(stamp.id - first + 1, last - first + 1)
                damaged.finish(frames)
                tables.add_marks(source, first, last)
                tables.add_phases(source, first, last)
        names = sorted(path.name for path in part.iterdir())
    return [folder / name for name in names]


def _is_table(path: Path) -> bool:
    """Whether this looks like a file of such an export."""
    return path.suffix == ".csv" and path.is_file()


class TableWriters:
    """The files that are being written: one for each type of objects, and `TABLES`."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._files = folder, ExitStack()
        self._used_names: set[str] = set()
        self._types: dict[int, CsvWriter] = {}
        self._layouts: dict[int, Layout] = {}
        self._tables = {name: self._file(name, columns) for name, columns in TABLES.items()}

    def add(self, source: FrameSource, frame: int) -> None:
        """A frame's rows, into all files."""
        stamp = source.stamp(frame)
        at = [frame, stamp.time]
        # All is read before anything is written, so that of a damaged frame there is nothing.
        statements, packets = source.statements(frame), _decoded(source, frame)
        facts = source.facts(frame)
        self._tables["frames"].writerow(frame_row(stamp))
        names = {
            object: value[:MOST_NAME]
            for (object, kind, _), value in facts.items()
            if kind == Kind.NAME
        }
        if any(packet.number not in self._layouts for packet, _ in packets):
            self._layouts.update(_layouts(facts))
        for packet, values in packets:
            layout = self._layouts.get(packet.number, _NOTHING)
            self._object(at, packet, values, names.get(packet.id, ""), layout)
        for (object, name), value in statements.watches.items():
            self._tables["watches"].writerow([*at, object, name[:MOST_NAME], cell(value)])
        for (object, name), value in statements.inputs.items():
            row = [*at, object, name[:MOST_NAME], value]
            self._tables["inputs"].writerow(map(_json_cell, row))
        for object, name, value in statements.events:
            row = [*at, object, name[:MOST_NAME], value]
            self._tables["events"].writerow(map(_json_cell, row))
        for agent, trace in statements.traces:
            row = trace_row(frame, stamp.time, agent, trace)
            self._tables["traces"].writerow(map(_json_cell, row))
        for line in statements.logs:
            self._tables["log"].writerow(log_row(frame, stamp.time, line))

    def add_marks(self, source: FrameSource, start: int, end: int) -> None:
        """The marks of a range of frames."""
        for mark in source.marks():
            if start <= mark.frame <= end:
                self._tables["marks"].writerow(mark_row(mark))

    def add_phases(self, source: FrameSource, start: int, end: int) -> None:
        """The phases that have frames in a range."""
        for phase in source.phases():
            if phase.first <= end and phase.last >= start:
                self._tables["phases"].writerow(map(_json_cell, phase))

    def _object(
        self, at: Row, packet: Packet, values: Mapping[str, Any], name: str, layout: Layout
    ) -> None:
        writer = self._types.get(packet.number)
        if writer is None:
            columns = [column for column, _ in payload_columns(layout)]
            writer = self._file(f"objects-{_file_name(packet.type)}", (*OBJECT_COLUMNS, *columns))
            self._types[packet.number] = writer
        coordinates = [_Number(np.float32(part)) for part in (*packet.position, *packet.angles)]
        cells = (
            list(_cells(values, layout)) if values else [""] * len(list(payload_columns(layout)))
        )
        writer.writerow(
            [*at, packet.id, name, int(packet.visible), int(packet.damaged), *coordinates, *cells]
        )

    def _file(self, name: str, columns: Iterable[str]) -> "CsvWriter":
        free, count = name, 1
        while free.casefold() in self._used_names:  # another layout under the same name
            count += 1
            free = f"{name}-{count}"
        self._used_names.add(free.casefold())
        path = self._folder / f"{free}.csv"
        file = self._files.enter_context(path.open("w", newline="", encoding="utf-8"))
        writer = CsvWriter(csv.writer(file, lineterminator="\n"))
        writer.writerow(columns)
        return writer

    def __enter__(self) -> "TableWriters":
        return self

    def __exit__(self, *_: object) -> None:
        self._files.close()


class _Number(str):
    """A number's digits: a minus sign in front of them is no beginning of a formula."""


class CsvWriter:
    """Writes rows in which no text is a formula: a spreadsheet would carry it out."""

    def __init__(self, writer: Any) -> None:
        self._writer = writer

    def writerow(self, row: Iterable[Any]) -> None:
        self._writer.writerow(_text(cell) for cell in row)


def _text(cell: Any) -> Any:
    """A cell; a text that a spreadsheet would take for a formula begins with an apostrophe."""
    if isinstance(cell, str) and not isinstance(cell, _Number) and cell.startswith(_FORMULAS):
        return f"'{cell}"
    return cell


def _decoded(source: FrameSource, frame: int) -> list[tuple[Packet, dict[str, Any]]]:
    try:
        return source.decoded(frame)
    except HandlerError as error:
        raise DamagedError(f"frame {frame}: {error}") from None


def _file_name(type: str) -> str:
    return re.sub(r"[^\w.-]+", "_", type).strip(".")[:80] or "object"


def _layouts(facts: Mapping[tuple[int, Kind, str], Any]) -> dict[int, Layout]:
    """How the packets of each type's number are to be read."""
    return {
        int(key): msgspec.convert(value["layout"], Layout)
        for (_, kind, key), value in facts.items()
        if kind == Kind.TYPE
    }


def _cells(values: Mapping[str, Any], layout: Layout) -> Iterator[Any]:
    for _, (name, pose) in payload_columns(layout):
        value = values[name]
        yield cell(value[pose] if pose else value)


def cell(value: Any) -> Any:
    """A value as a cell has it: all digits that it has, and no more."""
    if isinstance(value, float | np.floating):
        return _number(value)
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, bytes):
        return value.rstrip(b"\0").decode("utf-8", "replace")
    if isinstance(value, np.ndarray):
        value = value.tolist()
    return _json(value) if isinstance(value, list | dict | tuple) else value


def _number(value: Any) -> _Number:
    return _Number(repr(float(value)) if isinstance(value, float) else str(value))


def _json_cell(value: Any) -> Any:
    return _json(value) if isinstance(value, list | dict | tuple) else value


def _json(value: Any) -> str:
    if not value:
        return ""
    return json.dumps(msgspec.to_builtins(value), ensure_ascii=False, default=str)
