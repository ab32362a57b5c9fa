"""What happened in the game, by name: all in one order, and those of each name."""

from bisect import bisect_left, bisect_right
from operator import attrgetter
from typing import Any, NamedTuple

import msgspec
import numpy as np

from .curve_gaps import Floats

MOST_NAMES = 64
"""Names that have a lane of their own: the events of all others share one."""
_MOST_TEXT = 200
"""Characters of a value."""
_FRAME = attrgetter("frame")


class EventRow(NamedTuple):
    """An event of the game, and when it happened."""

    frame: int
    time: float
    object: int
    name: str
    value: Any

    @property
    def text(self) -> str:
        """Its name, and its value if it has one."""
        return self.name if self.value is None else f"{self.name} · {_text(self.value)}"


class EventSeries:
    """Events in order of frames; their times as an array, which is not made again as they grow."""

    def __init__(self) -> None:
        self.rows: list[EventRow] = []
        self._times: Floats = np.empty(16)
        self._made = 0
        """How many of the rows have their times there."""

    def put(self, row: EventRow) -> bool:
        """Put in an event after those of its frame; whether that is at the newest end."""
        rows = self.rows
        if not rows or rows[-1].frame <= row.frame:
            rows.append(row)
            return True
        rows.insert(bisect_right(rows, row.frame, key=_FRAME), row)
        self._made = 0
        return False

    def forget(self, frame: int) -> bool:
        """Forget the events of a frame; whether there were any."""
        return self._cut(
            bisect_left(self.rows, frame, key=_FRAME), bisect_right(self.rows, frame, key=_FRAME)
        )

    def drop_before(self, frame: int) -> None:
        """Forget what is older."""
        self._cut(0, bisect_left(self.rows, frame, key=_FRAME))

    def _cut(self, first: int, end: int) -> bool:
        if first == end:
            return False
        del self.rows[first:end]
        self._made = 0
        return True

    @property
    def times(self) -> Floats:
        """When they happened, seconds, rising; a view that changes when something is put."""
        count = len(self.rows)
        if count > len(self._times):
            room = np.empty(2 * count)
            room[: self._made] = self._times[: self._made]
            self._times = room
        if self._made < count:
            fresh = (row.time for row in self.rows[self._made :])
            self._times[self._made : count] = np.fromiter(fresh, np.float64, count - self._made)
            self._made = count
        return self._times[:count]


class GameEvents:
    """All events of the game: in one order, and by their names."""

    def __init__(self) -> None:
        self.all = EventSeries()
        self.by_name: dict[str, EventSeries] = {}
        self.others = EventSeries()
        """Those of names that came when there were `MOST_NAMES` already."""
        self.changes = 0
        """Counts up with each event that comes or goes."""
        self.rewrites = 0
        """The same of those elsewhere than at the newest end."""

    def put(self, row: EventRow) -> None:
        """Put in an event after those of its frame."""
        self.changes += 1
        if not self.all.put(row):
            self.rewrites += 1
        self._series(row.name).put(row)

    def _series(self, name: str) -> EventSeries:
        found = self.by_name.get(name)
        if found is None:
            if len(self.by_name) >= MOST_NAMES:
                return self.others
            found = self.by_name[name] = EventSeries()
        return found

    def forget(self, frame: int) -> None:
        """Forget the events of a frame: it is read again."""
        if self.all.forget(frame):
            self._changed()
            for series in (*self.by_name.values(), self.others):
                series.forget(frame)

    def drop_before(self, frame: int) -> None:
        """Forget what is older, and names of which nothing is left."""
        for series in (self.all, *self.by_name.values(), self.others):
            series.drop_before(frame)
        self.by_name = {name: series for name, series in self.by_name.items() if series.rows}
        self._changed()

    def _changed(self) -> None:
        self.changes += 1
        self.rewrites += 1


def _text(value: Any) -> str:
    if not isinstance(value, str):
        try:
            value = msgspec.json.encode(value).decode()
        except (TypeError, ValueError, RecursionError):  # keys that JSON does not have
            value = repr(value)
    return value if len(value) <= _MOST_TEXT else f"{value[: _MOST_TEXT - 1]}…"
