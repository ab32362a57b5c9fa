"""Writes events in Chrome's Trace Event Format: JSON that Perfetto and chrome://tracing read."""

import json
import math
from pathlib import Path
from typing import Any

from .trace_events import Instant, Process, Sample, Slice, TraceEvent

_Row = dict[str, Any]


class ChromeTraceWriter:
    """A trace file; a context manager. Times are microseconds.

    The process of an object has its id and 1, that of the game is 1.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("w", encoding="utf-8")
        self._file.write('{"displayTimeUnit": "ms", "traceEvents": [')
        self._is_first = True
        self._tracks: dict[tuple[int, str], int] = {}
        """The number of each track, by its process and name; that of a process's name is 0."""

    def write(self, event: TraceEvent) -> None:
        """Add an event."""
        match event:
            case Slice(process, track, name, start, end, details):
                begin = _microseconds(start)
                self._add({
                    "ph": "X", **self._at(process, track), "name": name, "ts": begin,
                    "dur": _microseconds(end) - begin, "args": _plain(details),
                })  # fmt: skip
            case Instant(process, track, name, time, details):
                self._add({
                    "ph": "i", "s": "t", **self._at(process, track), "name": name,
                    "ts": _microseconds(time), "args": _plain(details),
                })  # fmt: skip
            case Sample(process, name, time, value):
                self._add({
                    "ph": "C", "pid": self._process(process), "name": name,
                    "ts": _microseconds(time), "args": {"value": value},
                })  # fmt: skip

    def __enter__(self) -> "ChromeTraceWriter":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.write("\n]}\n")
        self._file.close()

    def _at(self, process: Process, track: str) -> _Row:
        number = self._process(process)
        if (number, track) not in self._tracks:
            self._tracks[number, track] = len(self._tracks)
            self._name("thread_name", number, self._tracks[number, track], track)
        return {"pid": number, "tid": self._tracks[number, track]}

    def _process(self, process: Process) -> int:
        number = 1 + process.object
        if (number, "") not in self._tracks:
            self._tracks[number, ""] = 0
            self._name("process_name", number, 0, process.name)
        return number

    def _name(self, kind: str, process: int, track: int, name: str) -> None:
        self._add({"ph": "M", "pid": process, "tid": track, "name": kind, "args": {"name": name}})

    def _add(self, row: _Row) -> None:
        self._file.write("\n" if self._is_first else ",\n")
        self._is_first = False
        json.dump(row, self._file, ensure_ascii=False, allow_nan=False)


def _microseconds(time: float) -> float:
    return round(time * 1e6, 3)


def _plain(details: Any) -> Any:
    """What JSON can say: numbers that are none become texts, and so does what it does not know."""
    if isinstance(details, dict):
        return {str(key): _plain(value) for key, value in details.items()}
    if isinstance(details, list | tuple):
        return [_plain(value) for value in details]
    if details is None or isinstance(details, str | bool | int):
        return details
    if isinstance(details, float):
        return details if math.isfinite(details) else str(details)
    return str(details)
