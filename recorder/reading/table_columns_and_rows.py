"""The tables of a recording: their columns, and each frame's rows.

One definition for CSV files (`saving/csv_export.py`) and for `Recording.table`.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ..packets.layouts.layout import Layout
from ..packets.log_lines import LogLine
from ..packets.mark import Mark
from ..packets.recorded_frame import FrameStamp
from ..packets.trace_types import AnimationFrame, AnyTrace, StateTransition, TreeTick

Row = list[Any]
OBJECT_COLUMNS = (
    "frame", "time", "id", "name", "visible", "damaged", "x", "y", "z", "rx", "ry", "rz",
)  # fmt: skip
"""The columns before the fields of each object."""
_MOST_COLUMNS = 16
"""A field with more numbers than this is one column …"""
_MOST_IN_ALL = 1024
"""… and so is every field of a type that would have more columns than this."""
MOST_NAME = 200
"""Characters of a name: it is recorded once, and is in each row of a table."""
TABLES: Mapping[str, tuple[str, ...]] = {
    "frames": ("frame", "time", "delta", "epoch", "packets", "flags"),
    "watches": ("frame", "time", "object", "name", "value"),
    "traces": (
        "frame", "time", "agent", "kind", "machine", "source", "target", "won", "also_true",
        "rejected", "values", "beliefs", "nodes", "file", "line",
    ),
    "inputs": ("frame", "time", "object", "name", "value"),
    "events": ("frame", "time", "object", "name", "value"),
    "phases": ("name", "first", "last", "start", "end", "file", "line"),
    "log": ("frame", "time", "object", "level", "text", "file", "line"),
    "marks": ("frame", "time", "kind", "name", "note", "object", "expression", "file", "line"),
}  # fmt: skip
"""The tables that there always are, and their columns."""


def payload_columns(layout: Layout) -> Iterator[tuple[str, tuple[str, tuple[int, ...]]]]:
    """A payload's columns, and where in it each one's value is: a vector has one a number."""
    for column, path in _fields(layout):
        yield f"payload.{column}" if column in OBJECT_COLUMNS else column, path


def _fields(layout: Layout) -> Iterator[tuple[str, tuple[str, tuple[int, ...]]]]:
    sizes = [math.prod(shape) for _, _, shape in layout.fields]
    is_split = sum(size for size in sizes if size <= _MOST_COLUMNS) <= _MOST_IN_ALL
    for name, _, shape in layout.fields:
        if is_split and shape and 0 < math.prod(shape) <= _MOST_COLUMNS:
            for path in np.ndindex(*shape):
                yield f"{name}.{'.'.join(map(str, path))}", (name, path)
        else:
            yield name, (name, ())
    if layout.tail:
        name = layout.tail_name or "tail"
        yield name, (name, ())


def frame_row(stamp: FrameStamp) -> Row:
    """The row of a frame in the table `frames`."""
    return [stamp.id, stamp.time, stamp.delta, stamp.epoch, stamp.packets, stamp.flags]


def log_row(frame: int, time: float, line: LogLine) -> Row:
    """A row of the table `log`."""
    return [frame, time, line.object, line.level, line.text, line.file, line.line]


def mark_row(mark: Mark) -> Row:
    """A row of the table `marks`."""
    return [
        mark.frame, mark.time, mark.kind, mark.name, mark.note, mark.object, mark.expression,
        mark.file, mark.line,
    ]  # fmt: skip


def trace_row(frame: int, time: float, agent: int, trace: AnyTrace) -> Row:
    """A row of the table `traces`."""
    return [frame, time, agent, *_trace(trace)]


def _trace(trace: AnyTrace) -> Row:
    match trace:
        case StateTransition():
            return [
                "state", trace.machine, trace.source, trace.target, trace.won, trace.also_true,
                trace.rejected, trace.values, trace.beliefs, "", trace.file, trace.line,
            ]  # fmt: skip
        case TreeTick():
            return [
                "tree", trace.tree, "", "", "", "", trace.ended_early, trace.blackboard,
                trace.beliefs, trace.statuses, trace.file, trace.line,
            ]  # fmt: skip
        case AnimationFrame():
            return [
                "animation", trace.tree, "", "", "", "", "", "", "", trace.clips, trace.file,
                trace.line,
            ]  # fmt: skip
