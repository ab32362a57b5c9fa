"""Statistics of a time range: time in each state, and the size of each value."""

from typing import NamedTuple

import numpy as np

from ...reader.history.field_history import FieldHistory
from ...reader.history.lane_data import Floats, SpanLane
from ...reader.history.recording_history import RecordingHistory


class TimeRange(NamedTuple):
    """Start and end, seconds; both belong to it."""

    start: float
    end: float

    @property
    def seconds(self) -> float:
        return self.end - self.start


class StateTime(NamedTuple):
    """A state of a machine, over a range."""

    machine: str
    state: str
    seconds: float
    """Spent in it, all in all."""
    times: int
    """How often it was held; one that began before the range counts."""
    share: float
    """0 … 1 of the time for which the machine's state is known."""

    @property
    def mean(self) -> float:
        """Seconds that it held at a time."""
        return self.seconds / self.times


class ValueStatistics(NamedTuple):
    """A value over a range."""

    name: str
    unit: str
    frames: int
    """How many have it."""
    least: float
    mean: float
    most: float
    first: float
    last: float
    watch: bool = False
    is_length: bool = False
    """Whether it is the length of a vector."""


class EventCounts(NamedTuple):
    """Counts of statements and frames in a range of time."""

    frames: int
    lines: int
    asserts: int
    marks: int
    frame_ms: float
    """Mean of the stored deltas, milliseconds; not a number if there are none."""
    frame_ms_p99: float


def times_of_lane(title: str, lane: SpanLane, time_range: TimeRange) -> list[StateTime]:
    """The states of a lane, the longest first; where nothing is known no time is counted.

    Args:
        title: The machine's name, or what else the lane is of.
    """
    starts, ends, names = lane.starts, lane.ends, lane.names
    begins, stops = np.maximum(starts, time_range.start), np.minimum(ends, time_range.end)
    seconds: dict[str, float] = {}
    times: dict[str, int] = {}
    # One that only touches the range's beginning is not in it, one that begins at its end is.
    inside = (stops > begins) | ((starts >= time_range.start) & (starts <= time_range.end))
    for at in np.flatnonzero(inside).tolist():
        name = names[at]
        if name:
            seconds[name] = seconds.get(name, 0.0) + max(0.0, float(stops[at] - begins[at]))
            times[name] = times.get(name, 0) + 1
    known = sum(seconds.values())
    rows = [
        StateTime(
            title, name, seconds_in_state, times[name], seconds_in_state / known if known else 0.0
        )
        for name, seconds_in_state in seconds.items()
    ]
    return sorted(rows, key=lambda row: (-row.seconds, row.state))


def field_statistics(field_history: FieldHistory, time_range: TimeRange) -> list[ValueStatistics]:
    """The statistics of each number of an object; a vector by its length."""
    rows = []
    for name, note in field_history.notes.items():
        if note.is_number:
            found = value_statistics(
                name, field_history.times, field_history.numbers(name), time_range, unit=note.unit
            )
            if found is not None:
                rows.append(found._replace(is_length=note.parts > 1))
    return rows


def watch_statistics(
    history: RecordingHistory, object: int, time_range: TimeRange
) -> list[ValueStatistics]:
    """The statistics of each watched value of an object."""
    rows = []
    for (owner, name), series in history.series.items():
        if owner == object:
            times = np.interp(series.frames, history.times.frames, history.times.values)
            found = value_statistics(name, times, series.values, time_range)
            if found is not None:
                rows.append(found._replace(watch=True))
    return rows


def value_statistics(
    name: str, times: Floats, values: Floats, time_range: TimeRange, *, unit: str = ""
) -> ValueStatistics | None:
    """The statistics of values at rising times; None if the range has none that is a number."""
    first = int(np.searchsorted(times, time_range.start - 1e-9))
    last = int(np.searchsorted(times, time_range.end + 1e-9))
    seen = values[first:last]
    seen = seen[np.isfinite(seen)]
    if not len(seen):
        return None
    return ValueStatistics(
        name, unit, len(seen), float(seen.min()), float(seen.mean()), float(seen.max()),
        float(seen[0]), float(seen[-1]),
    )  # fmt: skip


def event_counts(history: RecordingHistory, time_range: TimeRange, object: int = 0) -> EventCounts:
    """The statements about an object, or about all objects, in a range.

    Args:
        object: 0 for everybody.
    """
    start, end = time_range.start - 1e-9, time_range.end + 1e-9

    def counts(about: int, time: float) -> bool:
        return start <= time <= end and (not object or about == object)

    marks = [mark for mark in history.marks if counts(mark.object, mark.time)]
    asserts = sum(mark.kind == "check" for mark in marks)
    lines = sum(counts(line.line.object, line.time) for line in history.lines)
    times = history.times.values
    first, last = np.searchsorted(times, (start, end)).tolist()
    deltas = history.deltas.values[first:last] * 1000.0
    # The very first frame, and the first after a restart, came after none.
    deltas = deltas[deltas > 0]
    mean = float(deltas.mean()) if len(deltas) else float("nan")
    p99 = float(np.percentile(deltas, 99)) if len(deltas) else float("nan")
    return EventCounts(last - first, lines, asserts, len(marks) - asserts, mean, p99)
