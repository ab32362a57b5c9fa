"""Points in time on a lane: marks, lines of the log and events, however many there are."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ....recorder.packets.mark import Mark
from ...reader.history.event_series import EventRow, EventSeries
from ...reader.history.lane_data import Floats
from ...reader.history.recording_history import RecordingHistory
from ...toolkit import palette

LEVELS = {
    "debug": palette.FAINT, "info": palette.ACCENT, "warning": palette.WARNING,
    "error": palette.FAILED,
}  # fmt: skip
_BLUNDERS = ("check", "loss")


class PointEvent(NamedTuple):
    """A point in time."""

    time: float
    frame: int
    text: str
    color: str
    object: int = 0
    grave: bool = False
    mark: Mark | None = None
    """The mark that it is."""
    file: str = ""
    line: int = 0
    is_tick: bool = False
    """Drawn as a thin line: there may be very many of them."""
    number: int = 1
    """How many that look alike are drawn as this one."""


class EventLane:
    """Events in rising order of time."""

    def __init__(self, events: Sequence[PointEvent]) -> None:
        self._events = sorted(events, key=lambda event: event.time)
        self.times: Floats = np.array([event.time for event in self._events], np.float64)
        self._colors = np.array([hash(event.color) for event in self._events], np.int64)
        self._grave = np.array([event.grave for event in self._events], np.bool_)

    def __len__(self) -> int:
        return len(self._events)

    def __iter__(self) -> Iterator[PointEvent]:
        return iter(self._events)

    def to_draw(self, start: float, end: float, width: float) -> list[PointEvent]:
        """What can be distinguished on so many pixels: grave ones all of them, and in front.

        Of others that would stand on one another and look alike only one is drawn.
        """
        first, last = np.searchsorted(self.times, (start, end + 1e-9)).tolist()
        columns = ((self.times[first:last] - start) * (width / max(end - start, 1e-12)) / 2).astype(
            np.int64
        )
        grave = self._grave[first:last]
        keys = np.stack([columns, self._colors[first:last], grave])
        _, indexes, counts = np.unique(keys, axis=1, return_index=True, return_counts=True)
        order = np.lexsort((indexes, grave[indexes]))
        return [
            self._events[first + at] if count == 1
            else self._events[first + at]._replace(number=count)
            for at, count in zip(indexes[order].tolist(), counts[order].tolist(), strict=True)
        ]  # fmt: skip

    def near(self, time: float, within: float) -> PointEvent | None:
        """The event next to a time, grave ones before others; None if none is so near, seconds."""
        first, last = np.searchsorted(self.times, (time - within, time + within)).tolist()
        found = self._events[first:last]
        return min(found, key=lambda one: (not one.grave, abs(one.time - time)), default=None)

    def others_at(self, event: PointEvent) -> list[PointEvent]:
        """The other events at an event's time."""
        first = int(np.searchsorted(self.times, event.time))
        last = int(np.searchsorted(self.times, event.time, side="right"))
        return [one for one in self._events[first:last] if one is not event]


class GameEventLane(EventLane):
    """The events of a series as ticks: of a hundred thousand only those are made that are drawn."""

    def __init__(self, series: EventSeries) -> None:
        self._series = series

    @property
    def times(self) -> Floats:  # type: ignore[override]
        return self._series.times

    def __len__(self) -> int:
        return len(self._series.rows)

    def __iter__(self) -> Iterator[PointEvent]:
        return map(_tick, self._series.rows)

    def to_draw(self, start: float, end: float, width: float) -> list[PointEvent]:
        times = self.times
        first, last = np.searchsorted(times, (start, end + 1e-9)).tolist()
        columns = ((times[first:last] - start) * (width / max(end - start, 1e-12)) / 2).astype(
            np.int64
        )
        indexes = np.flatnonzero(np.diff(columns, prepend=-1)) + first
        return [_tick(self._series.rows[at]) for at in indexes.tolist()]

    def near(self, time: float, within: float) -> PointEvent | None:
        times = self.times
        first, last = np.searchsorted(times, (time - within, time + within)).tolist()
        if first == last:
            return None
        at = first + int(np.argmin(np.abs(times[first:last] - time)))
        return _tick(self._series.rows[at])

    def others_at(self, event: PointEvent) -> list[PointEvent]:
        return []


def _tick(row: EventRow) -> PointEvent:
    return PointEvent(row.time, row.frame, row.text, palette.TEXT, row.object, is_tick=True)


def mark_lane(history: RecordingHistory) -> EventLane:
    """The marks."""
    return EventLane([
        PointEvent(
            mark.time, mark.frame, mark.name + (f" · {mark.note}" if mark.note else ""),
            palette.FAILED if mark.kind in _BLUNDERS else palette.ACCENT, mark.object,
            mark.kind in _BLUNDERS, mark, mark.file, mark.line,
        )
        for mark in history.marks
    ])  # fmt: skip


def line_lane(history: RecordingHistory) -> EventLane:
    """The lines of the log."""
    return EventLane([
        PointEvent(
            row.time, row.frame, row.line.text, LEVELS.get(row.line.level, palette.ACCENT),
            row.line.object, row.line.level == "error", None, row.line.file, row.line.line,
        )
        for row in history.lines
    ])  # fmt: skip
