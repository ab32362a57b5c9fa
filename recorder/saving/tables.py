"""A recording as tables: CSV files that a spreadsheet or pandas opens (`docs/clips.md`)."""

import csv
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from ...errors import DamagedError, HandlerError
from ..frame import Packet
from ..kinds import Kind
from ..layout import Layout
from ..reader import FrameSource
from ..traces import AnimationTrace, AnyTrace, StateTrace, TreeTrace
from .place import new_folder

Row = list[Any]
_HEAD = ("frame", "time", "id", "name", "visible", "damaged", "x", "y", "z", "rx", "ry", "rz")
_NOTHING = Layout()
_MOST_COLUMNS = 16
"""A field with more numbers than this is one column of JSON."""
TABLES: Mapping[str, tuple[str, ...]] = {
    "frames": ("frame", "time", "delta", "epoch", "packets", "flags"),
    "watches": ("frame", "time", "object", "name", "value"),
    "traces": (
        "frame", "time", "agent", "kind", "machine", "source", "target", "won", "also_true",
        "rejected", "values", "beliefs", "nodes", "file", "line",
    ),
    "log": ("frame", "time", "object", "level", "text", "file", "line"),
    "marks": ("frame", "time", "kind", "name", "note", "object", "expression", "file", "line"),
}  # fmt: skip
"""The files that there always are, and their columns."""


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
        DamagedError: the recording is damaged.
    """
    with new_folder(folder, overwrite=overwrite) as part:
        with Tables(part) as tables:
            span = source.span
            if span is not None:
                first = span.oldest if start is None else start
                last = span.newest if end is None else end
                for stamp in source.stamps(first, last):
                    tables.add(source, stamp.id)
                    if progress is not None:
                        progress(stamp.id - first + 1, last - first + 1)
                tables.add_marks(source, first, last)
        names = sorted(path.name for path in part.iterdir())
    return [folder / name for name in names]


class Tables:
    """The files that are being written: one for each type of objects, and `TABLES`."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._files = folder, ExitStack()
        self._taken: set[str] = set()
        self._types: dict[int, Any] = {}
        self._layouts: dict[int, Layout] = {}
        self._tables = {name: self._file(name, columns) for name, columns in TABLES.items()}

    def add(self, source: FrameSource, frame: int) -> None:
        """A frame's rows, into all files."""
        stamp = source.stamp(frame)
        at = [frame, stamp.time]
        self._tables["frames"].writerow([*at, stamp.delta, stamp.epoch, stamp.packets, stamp.flags])
        facts = source.facts(frame)
        names = {object: value for (object, kind, _), value in facts.items() if kind == Kind.NAME}
        packets = _decoded(source, frame)
        if any(packet.number not in self._layouts for packet, _ in packets):
            self._layouts.update(_layouts(facts))
        for packet, values in packets:
            layout = self._layouts.get(packet.number, _NOTHING)
            self._object(at, packet, values, names.get(packet.id, ""), layout)
        for (object, name), value in source.watches(frame).items():
            self._tables["watches"].writerow([*at, object, name, _plain(value)])
        for agent, trace in source.traces(frame):
            self._tables["traces"].writerow([*at, agent, *_trace(trace)])
        for line in source.logs(frame):
            self._tables["log"].writerow(
                [*at, line.object, line.level, line.text, line.file, line.line]
            )

    def add_marks(self, source: FrameSource, start: int, end: int) -> None:
        """The marks of a stretch of frames."""
        for mark in source.marks():
            if start <= mark.frame <= end:
                self._tables["marks"].writerow(
                    [mark.frame, mark.time, mark.kind, mark.name, mark.note, mark.object,
                     mark.expression, mark.file, mark.line]
                )  # fmt: skip

    def _object(
        self, at: Row, packet: Packet, values: Mapping[str, Any], name: str, layout: Layout
    ) -> None:
        writer = self._types.get(packet.number)
        if writer is None:
            columns = [column for column, _ in _columns(layout)]
            writer = self._file(f"objects-{_file_name(packet.type)}", (*_HEAD, *columns))
            self._types[packet.number] = writer
        place = [str(np.float32(part)) for part in (*packet.position, *packet.angles)]
        cells = list(_cells(values, layout)) if values else [""] * len(list(_columns(layout)))
        writer.writerow(
            [*at, packet.id, name, int(packet.visible), int(packet.damaged), *place, *cells]
        )

    def _file(self, name: str, columns: Iterable[str]) -> Any:
        free, count = name, 1
        while free.casefold() in self._taken:  # another layout under the same name
            count += 1
            free = f"{name}-{count}"
        self._taken.add(free.casefold())
        path = self._folder / f"{free}.csv"
        file = self._files.enter_context(path.open("w", newline="", encoding="utf-8"))
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        return writer

    def __enter__(self) -> "Tables":
        return self

    def __exit__(self, *_: object) -> None:
        self._files.close()


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


def _columns(layout: Layout) -> Iterator[tuple[str, tuple[str, tuple[int, ...]]]]:
    """A payload's columns, and where in it each one's value is: a vector has one a number."""
    for column, place in _fields(layout):
        yield f"payload.{column}" if column in _HEAD else column, place


def _fields(layout: Layout) -> Iterator[tuple[str, tuple[str, tuple[int, ...]]]]:
    for name, _, shape in layout.fields:
        if shape and 0 < math.prod(shape) <= _MOST_COLUMNS:
            for place in np.ndindex(*shape):
                yield f"{name}.{'.'.join(map(str, place))}", (name, place)
        else:
            yield name, (name, ())
    if layout.tail:
        name = layout.tail_name or "tail"
        yield name, (name, ())


def _cells(values: Mapping[str, Any], layout: Layout) -> Iterator[Any]:
    for _, (name, place) in _columns(layout):
        value = values[name]
        yield _plain(value[place] if place else value)


def _plain(value: Any) -> Any:
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


def _number(value: Any) -> str:
    return repr(float(value)) if isinstance(value, float) else str(value)


def _json(value: Any) -> str:
    if not value:
        return ""
    return json.dumps(msgspec.to_builtins(value), ensure_ascii=False, default=str)


def _trace(trace: AnyTrace) -> Row:
    match trace:
        case StateTrace():
            return [
                "state", trace.machine, trace.source, trace.target, trace.won,
                _json(trace.also_true), _json(trace.rejected), _json(trace.values),
                _json(trace.beliefs), "", trace.file, trace.line,
            ]  # fmt: skip
        case TreeTrace():
            return [
                "tree", trace.tree, "", "", "", "", _json(trace.ended_early),
                _json(trace.blackboard), _json(trace.beliefs), _json(trace.statuses),
                trace.file, trace.line,
            ]  # fmt: skip
        case AnimationTrace():
            return [
                "animation", trace.tree, "", "", "", "", "", "", "", _json(trace.clips),
                trace.file, trace.line,
            ]  # fmt: skip
