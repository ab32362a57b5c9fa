"""A recording as events on tracks, as viewers of traces show them."""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

from ...recorder.packets.packet_types import Kind
from ...recorder.reading.frame_source import FrameSource
from ..recording import Recording
from ..transition_reader import RecordedTransition

Details = dict[str, Any]
"""Plain values by name."""


class Process(NamedTuple):
    """What a group of tracks is about: the whole game, or one object."""

    object: int
    """Its id; 0 is the game."""
    name: str


class Slice(NamedTuple):
    """Something that lasts."""

    process: Process
    track: str
    name: str
    start: float
    """Seconds on the timeline, as all times here."""
    end: float
    details: Details


class Instant(NamedTuple):
    """Something that happens."""

    process: Process
    track: str
    name: str
    time: float
    details: Details


class Sample(NamedTuple):
    """A value of a curve."""

    process: Process
    track: str
    time: float
    value: float


TraceEvent: TypeAlias = Slice | Instant | Sample
GAME = Process(0, "game")
STEP = "step (ms)"
"""The curve of the lengths of the steps."""
INT64 = range(-(1 << 63), 1 << 63)
"""The integers that Perfetto reads; others are written as texts."""


class RecordingEvents:
    """The events of some frames, kind by kind. Slices of one track come in their order.

    Args:
        first, last: The frames.
    """

    def __init__(self, recording: Recording, source: FrameSource, first: int, last: int) -> None:
        self._recording, self._source = recording, source
        self._first, self._last = first, last
        self._range: dict[str, Any] = {"first": first, "last": last}
        self.start, self.end = source.time(first), source.time(last)
        self._processes: dict[int, Process] = {0: GAME}
        self.kinds = (
            self.frames, self.phases, self.states, self.ticks, self.values, self.lines,
            self.game_events, self.marks,
        )  # fmt: skip
        """What gives the events of each kind."""

    def frames(self) -> Iterator[TraceEvent]:
        """The length of each step as a curve."""
        table = self._recording.table("frames", **self._range)
        for time, delta in zip(table["time"].tolist(), table["delta"].tolist(), strict=True):
            yield Sample(GAME, STEP, time, 1000 * delta)

    def phases(self) -> Iterator[TraceEvent]:
        """The phases of the game."""
        for phase in self._recording.phases(**self._range):
            start, end = max(phase.start, self.start), min(phase.end, self.end)
            yield Slice(GAME, "phases", phase.name, start, end, {})

    def states(self) -> Iterator[TraceEvent]:
        """Each state from its transition to the next one, with the reasons."""
        open = dict(self._states_at_start())
        for one in self._recording.transitions(**self._range):
            if one.time is not None and one.frame > self._first:
                key = (one.agent, one.machine)
                yield from self._ended(key, open.pop(key, None), one.time)
                open[key] = (one.target, one.time, _reasons(one))
        for key, last in open.items():
            yield from self._ended(key, last, self.end)

    def _states_at_start(self) -> Iterator[tuple[tuple[int, str], tuple[str, float, Details]]]:
        """The state of each machine at the first frame, and what led to it."""
        for agent, kind, machine in self._source.facts(self._first):
            if kind == Kind.STATE:
                led = self._recording.transitions(agent, machine, last=self._first)
                if led:
                    yield (agent, machine), (led[-1].target, self.start, _reasons(led[-1]))

    def _ended(
        self, key: tuple[int, str], state: tuple[str, float, Details] | None, end: float
    ) -> Iterator[TraceEvent]:
        if state is not None and state[0]:
            agent, machine = key
            name, start, details = state
            yield Slice(self._process(agent), machine or "state", name, start, end, details)

    def ticks(self) -> Iterator[TraceEvent]:
        """Each tick of a behaviour tree as an instant, with the statuses of its nodes."""
        for row in self._recording.table("traces", **self._range):
            if row["kind"] == "tree":
                tree = row["machine"]
                details = {"nodes": row["nodes"], "blackboard": row["values"],
                           "frame": row["frame"]}  # fmt: skip
                process = self._process(row["agent"])
                yield Instant(process, f"tree {tree}", f"tick of {tree}", row["time"], details)

    def values(self) -> Iterator[TraceEvent]:
        """Watched values as curves."""
        for row in self._recording.table("watches", **self._range):
            if math.isfinite(row["value"]):
                process = self._process(row["object"])
                yield Sample(process, row["name"], row["time"], row["value"])

    def lines(self) -> Iterator[TraceEvent]:
        """The lines of the log."""
        for line in self._recording.logs(**self._range):
            place = f"{line.file}:{line.line}"
            details = {"level": line.level, "object": line.object, "line": place}
            yield Instant(GAME, "log", line.text, line.time, details)

    def game_events(self) -> Iterator[TraceEvent]:
        """The events that the game recorded."""
        for event in self._recording.events(**self._range):
            details = {"value": event.value, "object": event.object}
            yield Instant(GAME, "events", event.name, event.time, details)

    def marks(self) -> Iterator[TraceEvent]:
        """Marks, failed checks among them."""
        for mark in self._recording.marks:
            if self._first <= mark.frame <= self._last:
                details = {"kind": mark.kind, "note": mark.note, "object": mark.object}
                yield Instant(GAME, "marks", mark.name, mark.time, details)

    def _process(self, object: int) -> Process:
        if object not in self._processes:
            names = (self._source.names(at).get(object, "") for at in (self._last, self._first))
            name = next(filter(None, names), "")
            text = f"{name} ({object})" if name else f"object {object}"
            self._processes[object] = Process(object, text)
        return self._processes[object]


def _reasons(one: RecordedTransition) -> Details:
    """Why a machine went where it is."""
    return {
        "won": one.won, "from": one.source, "also true": list(one.also_true),
        "rejected": {each.condition: each.reason for each in one.rejected},
        "values": dict(one.values), "frame": one.frame, "line": f"{one.file}:{one.line}",
    }  # fmt: skip
