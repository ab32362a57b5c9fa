"""Applies the person's time format, as far as the recording allows it."""

import numpy as np

from ..state.viewer_store import ViewerStore
from .time_text import TimeStyle, TimeUnit, began_of, formats, time_text, use


class TimeFormat:
    """Sets the style of `time_text`, for the recording of one store.

    Args:
        format: The person's choice; where the recording does not allow it, clock times.
    """

    def __init__(self, store: ViewerStore, format: TimeUnit) -> None:
        self.store = store
        self.wanted = format
        self._known: tuple[float, float | None] = (0.0, None)
        store.moved.connect(self._learn)
        store.status_changed.connect(self._learn)
        self._use()

    @property
    def format(self) -> TimeUnit:
        """The format in use."""
        return self.wanted if self.wanted in self.formats else TimeUnit.CLOCK

    @property
    def formats(self) -> list[TimeUnit]:
        """The formats that this recording allows."""
        return formats(self._known[1])

    def choose(self, format: TimeUnit) -> None:
        """Tell all times this way from now on."""
        self.wanted = format
        self._use()
        self._draw_anew()

    def choose_next(self) -> TimeUnit:
        """The one after the present one, round and round."""
        every = self.formats
        self.choose(every[(every.index(self.format) + 1) % len(every)])
        return self.format

    def now(self) -> str:
        """The instant of the playhead."""
        store = self.store
        if store.cursor is None:
            return "--:--.---"
        if self.format is TimeUnit.FRAME and store.snapshot is not None and store.drag_time is None:
            return f"#{store.frame}"
        return time_text(store.cursor)

    def _learn(self) -> None:
        span, snapshot = self.store.playback.span, self.store.snapshot
        rate = 0.0
        if span is not None and span.seconds > 0:
            # As the recording grows the quotient trembles; a stated rate does not.
            rate = round((span.newest - span.oldest) / span.seconds, 1)
        known = (rate, None if snapshot is None else began_of(snapshot.about))
        if known != self._known:
            before, self._known = self.format, known
            self._use()
            if self.format is not before or self.format is TimeUnit.TIMECODE:
                self._draw_anew()

    def _use(self) -> None:
        rate, began = self._known
        use(TimeStyle(self.format, self._frame_at, rate or 60.0, began))

    def _draw_anew(self) -> None:
        # What was drawn and kept has the times in it.
        self.store.history.version += 1
        self.store.history_grew.emit()
        self.store.moved.emit()

    def _frame_at(self, time: float) -> float:
        """The frame that is shown at a time; where nothing was read yet, by the rate."""
        times, snapshot = self.store.history.times, self.store.snapshot
        if len(times) and times.values[0] <= time <= times.values[-1]:
            place = int(np.searchsorted(times.values, time + 1e-9, side="right")) - 1
            return float(times.frames[place])
        if snapshot is None:
            return 0.0
        return snapshot.frame + (time - snapshot.time) * (self._known[0] or 60.0)
