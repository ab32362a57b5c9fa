"""The range of time that a timeline shows: zoomed at a point, panned, paged."""

import math
from collections.abc import Callable


class TimeScale:
    """The shown range `start` to `end` (seconds) within the recording, over some pixels."""

    LEAST = 0.1
    """Seconds that are at least shown."""

    def __init__(self) -> None:
        self.first = 0.0
        """Where what there is begins, seconds."""
        self.last = 1.0
        self.start = 0.0
        self.end = 1.0
        self.whole = True
        """Whether all there is is shown, and goes on being so when there is more."""
        self.watchers: list[Callable[[], object]] = []
        """Called when another range is shown: several panels may share one scale."""

    def extend(self, first: float, last: float) -> bool:
        """Say what there is now; True if what is shown has changed."""
        if last - first < self.LEAST:
            last = first + self.LEAST
        if (first, last) == (self.first, self.last):
            return False
        before = self.start, self.end
        self.first, self.last = first, last
        if self.whole:
            self.start, self.end = first, last
            self._tell(before)
        else:
            self._place(self.start, self.end - self.start)
        return (self.start, self.end) != before

    @property
    def seconds(self) -> float:
        return self.end - self.start

    def over_everything(self) -> "TimeScale":
        """A scale that shows all there is."""
        scale = TimeScale()
        scale.extend(self.first, self.last)
        return scale

    def x(self, time: float, width: float) -> float:
        """Where a time is, in pixels."""
        return (time - self.start) / self.seconds * width

    def time(self, x: float, width: float) -> float:
        """The time at a pixel."""
        return self.start + x / max(width, 1.0) * self.seconds

    def zoom(self, factor: float, around: float) -> None:
        """Show `factor` times as much, with the time `around` staying where it is."""
        if not (math.isfinite(factor) and factor > 0):
            return
        seconds = min(max(self.seconds * factor, self.LEAST), self.last - self.first)
        share = (around - self.start) / self.seconds
        self._place(around - share * seconds, seconds)

    def pan(self, seconds: float) -> None:
        """Move on by so much."""
        self._place(self.start + seconds, self.seconds)

    def fit(self, start: float | None = None, end: float | None = None) -> None:
        """Show this range with some room around it; by default everything."""
        if start is None or end is None or end <= start:
            self._place(self.first, self.last - self.first)
            return
        room = 0.1 * (end - start)
        self._place(start - room, max(end - start + 2 * room, self.LEAST))

    def page_to(self, time: float) -> bool:
        """Bring a time into sight; True if that moved anything."""
        if self.start <= time <= self.end:
            return False
        self._place(time - 0.1 * self.seconds, self.seconds)
        return True

    def _place(self, start: float, seconds: float) -> None:
        before = self.start, self.end
        there = self.last - self.first
        seconds = min(seconds, there)
        start = min(max(start, self.first), self.last - seconds)
        self.start, self.end = start, start + seconds
        self.whole = seconds >= there * (1 - 1e-9)
        self._tell(before)

    def _tell(self, before: tuple[float, float]) -> None:
        if (self.start, self.end) != before:
            for watcher in self.watchers:
                watcher()
