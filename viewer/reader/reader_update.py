"""What the reader thread has for the window, until the window takes it."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from ...playback.playback_state import PlaybackState
from ...recorder.packets.mark import Mark
from ...recorder.packets.recorded_frame import FrameRange
from ...recorder.packets.recording_losses import RecordedLoss
from ...recorder.packets.trace_types import StateTransition
from ..backends.playback_backend import BackendState, ReportedCheck
from ..state.motion_around_playhead import PositionAt
from .damaged_ranges import DamagedRange
from .frame_snapshot import FrameSnapshot, Key, PreviousFrame
from .history.history_record_types import FramePage


@dataclass
class ReaderUpdate:
    """What has changed since the window last took an update."""

    backend_state: BackendState | None = None
    playback: PlaybackState | None = None
    snapshot: FrameSnapshot | None = None
    previous: PreviousFrame | None = None
    """Comes with each snapshot: the selected object in the frame before it; None if that is
    missing."""
    error_text: str | None = None
    """Why the frame that is shown can't be read; empty when it can."""
    pages: list[FramePage] = field(default_factory=list)
    damage: tuple[DamagedRange, ...] | None = None
    """What of the file is known to be damaged."""
    initial_states: list[tuple[int, float, dict[Key, StateTransition]]] = field(
        default_factory=list
    )
    """States that held at a frame whose own transitions may be gone."""
    marks: tuple[Mark, ...] | None = None
    losses: tuple[RecordedLoss, ...] | None = None
    """What is missing in the recording, as it says itself."""
    span: FrameRange | None = None
    surroundings: dict[int, PositionAt] | None = None
    surroundings_span: tuple[float, float] | None = None
    """The seconds that `surroundings` covers: see `PlayheadSurroundings.span`."""
    progress: float | None = None
    """0 … 1 of the recording that has been read."""
    messages: list[str] = field(default_factory=list)
    """Messages for the user, such as why a request failed."""
    completed: int | None = None
    """The number of the newest request whose outcome is published."""
    failed_checks: list[ReportedCheck] = field(default_factory=list)
    """Checks that have just failed."""
    restarted: bool = False
    """All from before belongs to another recording."""


_LONGEST_REST = 1.0
"""Seconds that a window rests at most."""
_URGENT = frozenset(("completed", "messages", "failed_checks"))


class UpdateMailbox:
    """Collects changes until they are taken. For two threads.

    Args:
        notify: Called when there is an update and there was none.
    """

    def __init__(self, notify: Callable[[], None]) -> None:
        self._notify = notify
        self._lock = threading.Lock()
        self._update = ReaderUpdate()
        self._has_update = self._has_notified = False
        self._taken_at = self._due_at = float("-inf")
        self.leaves_time_to_read = False
        """Whether the window rests after each painting, twice as long as it took.

        For a reader that is behind a running game: on a slow machine, a window that is painted all
        the time would leave it none, and nothing would ever be read.
        """

    @property
    def is_due(self) -> bool:
        """Whether the window would hear of an update at once."""
        return not self.leaves_time_to_read or time.monotonic() >= self._due_at

    def take(self) -> ReaderUpdate:
        """What is new."""
        with self._lock:
            update, self._update = self._update, ReaderUpdate()
            self._has_update = self._has_notified = False
            self._taken_at = time.monotonic()
        return update

    def painted(self) -> None:
        """Say that the window has painted what it took last."""
        now = time.monotonic()
        self._due_at = now + min(2 * (now - self._taken_at), _LONGEST_REST)

    def restart(self) -> None:
        """Drop what was not taken: it belongs to another recording."""
        with self._lock:
            self._update = ReaderUpdate(restarted=True)

    def publish(self, **changes: object) -> None:
        """Add changes: lists grow, other values are replaced. The window hears of answers to its
        requests, messages and failed checks at once."""
        with self._lock:
            for name, value in changes.items():
                if isinstance(value, list):
                    getattr(self._update, name).extend(value)
                else:
                    setattr(self._update, name, value)
            self._has_update = True
        self.notify_if_due(is_urgent=not _URGENT.isdisjoint(changes))

    def notify_if_due(self, *, is_urgent: bool = False) -> None:
        """Notify the window of an update that it was not notified of while it rested."""
        with self._lock:
            notifies = self._has_update and not self._has_notified and (is_urgent or self.is_due)
            self._has_notified |= notifies
        if notifies:
            self._notify()
