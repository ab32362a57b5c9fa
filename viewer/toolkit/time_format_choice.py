"""The time format that the user chose, as far as the recording allows it."""

import numpy as np

from ..state.viewer_store import ViewerStore
from .time_text import TimeStyle, TimeUnit, available_formats, start_of, time_text, use_style


class TimeFormat:
    """Sets the style of `time_text`, for the recording of one store.

    Args:
        format: The user's choice; where the recording does not allow it, clock times.
    """

    def __init__(self, store: ViewerStore, format: TimeUnit) -> None:
        self.store = store
        self.chosen = format
        self._rate = 0.0
        """Frames a second, on average; 0 while that is unknown."""
        self._start: float | None = None
        """When the recording began, seconds since 1970; None if it does not say."""
        store.moved.connect(self._read_recording)
        store.status_changed.connect(self._read_recording)
        self._apply()

    @property
    def format(self) -> TimeUnit:
        """The format in use."""
        return self.chosen if self.chosen in self.formats else TimeUnit.CLOCK

    @property
    def formats(self) -> list[TimeUnit]:
        """The formats that this recording allows."""
        return available_formats(self._start)

    def choose(self, format: TimeUnit) -> None:
        """Show all times in this format from now on."""
        self.chosen = format
        self._apply()
        self._repaint_all()

    def choose_next(self) -> TimeUnit:
        """Choose the format after the present one; after the last one comes the first."""
        formats = self.formats
        self.choose(formats[(formats.index(self.format) + 1) % len(formats)])
        return self.format

    def now(self) -> str:
        """The playhead's time as text."""
        store = self.store
        if store.cursor is None:
            return "--:--.---"
        if self.format is TimeUnit.FRAME and store.snapshot is not None and store.drag_time is None:
            return f"#{store.frame}"
        return time_text(store.cursor)

    def _read_recording(self) -> None:
        span, snapshot = self.store.playback.span, self.store.snapshot
        rate = 0.0
        if span is not None and span.seconds > 0:
            # Rounded, because the average varies a little as the recording grows.
            rate = round((span.newest - span.oldest) / span.seconds, 1)
        start = None if snapshot is None else start_of(snapshot.about)
        if (rate, start) != (self._rate, self._start):
            format_before = self.format
            self._rate, self._start = rate, start
            self._apply()
            if self.format is not format_before or self.format is TimeUnit.TIMECODE:
                self._repaint_all()

    def _apply(self) -> None:
        use_style(TimeStyle(self.format, self._frame_at, self._rate or 60.0, self._start))

    def _repaint_all(self) -> None:
        # A new version invalidates cached images, which contain times.
        self.store.history.version += 1
        self.store.history_grew.emit()
        self.store.moved.emit()

    def _frame_at(self, time: float) -> float:
        """The frame that is shown at a time; an estimate where nothing was read yet."""
        times, snapshot = self.store.history.times, self.store.snapshot
        if len(times) and times.values[0] <= time <= times.values[-1]:
            index = int(np.searchsorted(times.values, time + 1e-9, side="right")) - 1
            return float(times.frames[index])
        if snapshot is None:
            return 0.0
        return snapshot.frame + (time - snapshot.time) * (self._rate or 60.0)
