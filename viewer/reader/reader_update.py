"""What the reader thread has for the window, until the window takes it."""

import threading
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


class UpdateMailbox:
    """Collects changes until they are taken. For two threads.

    Args:
        notify: Called when there is an update and there was none.
    """

    def __init__(self, notify: Callable[[], None]) -> None:
        self._notify = notify
        self._lock = threading.Lock()
        self._update = ReaderUpdate()
        self._has_update = False

    def take(self) -> ReaderUpdate:
        """What is new."""
        with self._lock:
            update, self._update, self._has_update = self._update, ReaderUpdate(), False
        return update

    def restart(self) -> None:
        """Drop what was not taken: it belongs to another recording."""
        with self._lock:
            self._update = ReaderUpdate(restarted=True)

    def publish(self, **changes: object) -> None:
        """Add changes: lists grow, other values are replaced."""
        with self._lock:
            for name, value in changes.items():
                if isinstance(value, list):
                    getattr(self._update, name).extend(value)
                else:
                    setattr(self._update, name, value)
            rings, self._has_update = not self._has_update, True
        if rings:
            self._notify()
