"""Exports a recording as a trace that Perfetto opens: states, ticks, log and values as tracks.

The format is Chrome's Trace Event Format in JSON, which ui.perfetto.dev, Perfetto's trace processor
and chrome://tracing read.
"""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ...recorder.packets.packet_types import Kind
from ...recorder.reading.frame_source import FrameSource
from ...recorder.saving.atomic_file import new_file
from ..recording import Recording
from ..transition_reader import RecordedTransition

Event = dict[str, Any]
GAME = 1
"""The process of what concerns the whole game. An object's process is this and its id."""
_FIRST_TRACK = 10
"""The first of an object's tracks; the game's own ones have lower numbers."""
_PHASES, _MARKS, _LOG, _EVENTS = 1, 2, 3, 4
_OWN_TRACKS = {_PHASES: "phases", _MARKS: "marks", _LOG: "log", _EVENTS: "events"}


def export_perfetto(
    source: FrameSource, out: Path, first: int, last: int, *, overwrite: bool = False,
    progress: Callable[[int, int], object] | None = None,
) -> None:  # fmt: skip
    """Write the frames from `first` to `last` as a trace.

    Each object with a state machine, a behaviour tree, an animation or values is a process, with a
    track for each of them. Times are the timeline's, microseconds.

    Raises:
        RecordingError: the file is there already, or can't be written.
    """
    with new_file(out, overwrite=overwrite) as part, part.open("w", encoding="utf-8") as file:
        recording = Recording(source, str(out))
        trace = TraceEvents(recording, source, first, last)
        steps: Sequence[Callable[[], Iterator[Event]]] = (
            trace.frames, trace.phases, trace.states, trace.ticks, trace.values, trace.lines,
            trace.game_events, trace.marks, trace.names,
        )  # fmt: skip
        file.write('{"displayTimeUnit": "ms", "traceEvents": [')
        is_first = True
        for number, step in enumerate(steps):
            for event in step():
                file.write("\n" if is_first else ",\n")
                is_first = False
                json.dump(event, file, ensure_ascii=False, allow_nan=False)
            if progress is not None:
                progress(number + 1, len(steps))
        file.write("\n]}\n")


class TraceEvents:
    """The events of a trace, kind by kind; `names` comes last."""

    def __init__(self, recording: Recording, source: FrameSource, first: int, last: int) -> None:
        self._recording, self._source = recording, source
        self._first, self._last = first, last
        self._range: dict[str, Any] = {"first": first, "last": last}
        self._start, self._end = source.time(first), source.time(last)
        self._tracks: dict[tuple[int, str], int] = {}
        """The track of a machine or a tree of an object."""
        self._objects: dict[int, str] = {}
        """The objects that have tracks or values, and their names."""
        self._own: set[int] = set()
        """Which of the game's own tracks have something."""

    def frames(self) -> Iterator[Event]:
        """The length of each step as a curve."""
        table = self._recording.table("frames", **self._range)
        for time, delta in zip(table["time"].tolist(), table["delta"].tolist(), strict=True):
            yield self._value(GAME, "step (ms)", time, 1000 * delta)

    def phases(self) -> Iterator[Event]:
        track = self._own_track(_PHASES)
        for phase in self._recording.phases(**self._range):
            start, end = max(phase.start, self._start), min(phase.end, self._end)
            yield self._slice(GAME, track, phase.name, start, end, {})

    def states(self) -> Iterator[Event]:
        """Each state from its transition to the next one, with the reasons."""
        open = dict(self._states_at_start())
        for one in self._recording.transitions(**self._range):
            if one.time is not None and one.frame > self._first:
                key = (one.agent, one.machine)
                yield from self._ended(key, open.pop(key, None), one.time)
                open[key] = (one.target, one.time, _reasons(one))
        for key, last in open.items():
            yield from self._ended(key, last, self._end)

    def _states_at_start(self) -> Iterator[tuple[tuple[int, str], tuple[str, float, Event]]]:
        """The state of each machine at the first frame, and what led to it."""
        for agent, kind, machine in self._source.facts(self._first):
            if kind == Kind.STATE:
                led = self._recording.transitions(agent, machine, last=self._first)
                if led:
                    yield (agent, machine), (led[-1].target, self._start, _reasons(led[-1]))

    def _ended(
        self, key: tuple[int, str], state: tuple[str, float, Event] | None, end: float
    ) -> Iterator[Event]:
        if state is not None and state[0]:
            agent, machine = key
            track = self._track(agent, machine or "state")
            yield self._slice(self._process(agent), track, state[0], state[1], end, state[2])

    def ticks(self) -> Iterator[Event]:
        """Each tick of a behaviour tree as an instant, with the statuses of its nodes."""
        for row in self._recording.table("traces", **self._range):
            if row["kind"] != "tree":
                continue
            agent, tree = row["agent"], row["machine"]
            details = {"nodes": row["nodes"], "blackboard": row["values"], "frame": row["frame"]}
            track = self._track(agent, f"tree {tree}")
            name = f"tick of {tree}"
            yield self._instant(self._process(agent), track, name, row["time"], details)

    def values(self) -> Iterator[Event]:
        """Watched values as curves."""
        for row in self._recording.table("watches", **self._range):
            if math.isfinite(row["value"]):
                process = self._process(row["object"])
                yield self._value(process, row["name"], row["time"], row["value"])

    def lines(self) -> Iterator[Event]:
        for line in self._recording.logs(**self._range):
            details = {
                "level": line.level,
                "object": line.object,
                "line": f"{line.file}:{line.line}",
            }
            yield self._instant(GAME, self._own_track(_LOG), line.text, line.time, details)

    def game_events(self) -> Iterator[Event]:
        for event in self._recording.events(**self._range):
            details = {"value": event.value, "object": event.object}
            yield self._instant(GAME, self._own_track(_EVENTS), event.name, event.time, details)

    def marks(self) -> Iterator[Event]:
        for mark in self._recording.marks:
            if self._first <= mark.frame <= self._last:
                details = {"kind": mark.kind, "note": mark.note, "object": mark.object}
                yield self._instant(GAME, self._own_track(_MARKS), mark.name, mark.time, details)

    def names(self) -> Iterator[Event]:
        """The names of processes and tracks."""
        yield _name("process_name", GAME, 0, "game")
        for track in sorted(self._own):
            yield _name("thread_name", GAME, track, _OWN_TRACKS[track])
        for id, name in sorted(self._objects.items()):
            yield _name("process_name", GAME + id, 0, f"{name} ({id})" if name else f"object {id}")
        for (agent, track_name), track in self._tracks.items():
            yield _name("thread_name", GAME + agent, track, track_name)

    # --- how an event is written ----------------------------------------------------------------

    def _slice(
        self, process: int, track: int, name: str, start: float, end: float, details: Event
    ) -> Event:
        begin = _microseconds(start)
        return {
            "ph": "X", "pid": process, "tid": track, "name": name, "ts": begin,
            "dur": _microseconds(end) - begin, "args": _plain(details),
        }  # fmt: skip

    def _instant(self, process: int, track: int, name: str, time: float, details: Event) -> Event:
        return {
            "ph": "i", "s": "t", "pid": process, "tid": track, "name": name,
            "ts": _microseconds(time), "args": _plain(details),
        }  # fmt: skip

    def _value(self, process: int, name: str, time: float, value: float) -> Event:
        return {
            "ph": "C", "pid": process, "name": name, "ts": _microseconds(time),
            "args": {"value": value},
        }  # fmt: skip

    def _own_track(self, track: int) -> int:
        self._own.add(track)
        return track

    def _process(self, object: int) -> int:
        if object and object not in self._objects:
            self._objects[object] = ""
            for frame in (self._last, self._first):
                self._objects[object] = self._objects[object] or self._source.names(frame).get(
                    object, ""
                )
        return GAME + object

    def _track(self, object: int, name: str) -> int:
        self._process(object)
        return self._tracks.setdefault((object, name), _FIRST_TRACK + len(self._tracks))


def _reasons(one: RecordedTransition) -> Event:
    """Why a machine went where it is."""
    return {
        "won": one.won, "from": one.source, "also true": list(one.also_true),
        "rejected": {each.condition: each.reason for each in one.rejected},
        "values": dict(one.values), "frame": one.frame, "line": f"{one.file}:{one.line}",
    }  # fmt: skip


def _name(kind: str, process: int, track: int, name: str) -> Event:
    return {"ph": "M", "pid": process, "tid": track, "name": kind, "args": {"name": name}}


def _microseconds(time: float) -> float:
    return round(time * 1e6, 3)


def _plain(details: Iterable[Any] | Event) -> Any:
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
