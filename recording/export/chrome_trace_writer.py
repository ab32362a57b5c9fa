"""Writes events in Chrome's Trace Event Format: JSON that Perfetto and chrome://tracing read."""

import json
import math
from pathlib import Path
from typing import Any

from .trace_events import INT64, Instant, Process, Sample, Slice, TraceEvent

_Row = dict[str, Any]


class ChromeTraceWriter:
    """A trace file; a context manager. Times are microseconds.

    Processes and tracks are numbered as they come: an object's id may be too large for a process. A
    slice is a row for its beginning and one for its end. If it were one row, states of no length
    would be shown below the next state, which begins at the same time.

    Args:
        start: The first time that can come, seconds. Perfetto leaves out what is before 0: if this
            one is, all times are counted from it.
    """

    def __init__(self, path: Path, start: float) -> None:
        self._zero = min(start, 0.0)
        self._file = path.open("w", encoding="utf-8", errors="replace")
        self._file.write('{"displayTimeUnit": "ms", "traceEvents": [')
        self._is_first = True
        self._numbers: dict[tuple[int, str], int] = {}
        """The number of each track, by its object and name; that of a process has no name."""

    def write(self, event: TraceEvent) -> None:
        """Add an event."""
        match event:
            case Slice(process, track, name, start, end, details):
                place = self._at(process, track)
                self._add_event("B", place, name, start, args=_plain(details))
                self._add_event("E", place, name, end)
            case Instant(process, track, name, time, details):
                place = self._at(process, track)
                self._add_event("i", place, name, time, s="t", args=_plain(details))
            case Sample(process, name, time, value):
                place = {"pid": self._process(process)}
                self._add_event("C", place, name, time, args={"value": value})

    def __enter__(self) -> "ChromeTraceWriter":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.write("\n]}\n")
        self._file.close()

    def _at(self, process: Process, track: str) -> _Row:
        number = self._process(process)
        key = process.object, track
        if key not in self._numbers:
            self._numbers[key] = 1 + len(self._numbers)
            self._name("thread_name", number, self._numbers[key], track)
        return {"pid": number, "tid": self._numbers[key]}

    def _process(self, process: Process) -> int:
        key = process.object, ""
        if key not in self._numbers:
            self._numbers[key] = 1 + len(self._numbers)
            self._name("process_name", self._numbers[key], 0, process.name)
        return self._numbers[key]

    def _name(self, kind: str, process: int, track: int, name: str) -> None:
        self._add({"ph": "M", "pid": process, "tid": track, "name": kind, "args": {"name": name}})

    def _add_event(self, kind: str, place: _Row, name: str, time: float, **rest: Any) -> None:
        microseconds = round((time - self._zero) * 1e6, 3)
        self._add({"ph": kind, **place, "name": name, "ts": microseconds, **rest})

    def _add(self, row: _Row) -> None:
        self._file.write("\n" if self._is_first else ",\n")
        self._is_first = False
        json.dump(row, self._file, ensure_ascii=False, allow_nan=False)


def _plain(details: Any) -> Any:
    """Details as JSON that Perfetto reads: other numbers become texts, and so does what is new."""
    if isinstance(details, dict):
        return {str(key): _plain(value) for key, value in details.items()}
    if isinstance(details, list | tuple):
        return [_plain(value) for value in details]
    is_readable = (
        details is None
        or isinstance(details, str | bool)
        or (isinstance(details, int) and details in INT64)
        or (isinstance(details, float) and math.isfinite(details))
    )
    return details if is_readable else str(details)
