"""The reader thread: it owns the backend, so that nothing slow ever holds up the window.

The window posts requests and is notified of updates; it takes the newest update when it has time.
Between requests the thread reads what surrounds the playhead, then the whole recording.
"""

import select
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from ...bus.server.thread_waker import ThreadWaker
from ...errors import BusError, DamagedError, EvictedError, PlayheadError
from ...playback.commands import Command, SeekFrame, SeekMark, SeekTime
from ...playback.playback_state import Mode
from ...recorder.packets.mark import Mark
from ...recorder.packets.recorded_frame import FrameRange
from ...recorder.packets.recording_losses import RecordedLoss
from ...recorder.reading.frame_source import FrameSource
from ..backends.annotation_store import (
    AddMark,
    AnnotationRequest,
    AnnotationStore,
    ChangeMark,
    FileAnnotationStore,
    SaveViewedClip,
    SetColors,
)
from ..backends.live_annotation_store import LiveAnnotationStore
from ..backends.live_backend import LiveBackend
from ..backends.open_target import ViewTarget
from ..backends.playback_backend import (
    FOLLOWING_PAUSE,
    BackendState,
    LinkState,
    PlaybackBackend,
)
from ..search.field_change_search import ChangeSearch
from ..state.motion_around_playhead import PlayheadSurroundings
from .background_history_reader import RecordingScanner
from .background_jobs import Job, JobQueue
from .background_query_base import BackgroundQuery
from .damaged_ranges import known_damaged_ranges, reason
from .frame_snapshot import FrameSnapshot, SnapshotReader
from .reader_update import ReaderUpdate, UpdateMailbox

_SLICE = 0.006
"""Seconds of reading ahead between two looks at what the window wants."""
_CATCH_UP = 0.015
"""The same where a live game is ahead by more than `_BEHIND` frames: what its agents are said to do
must be what they do."""
_BEHIND = 12
_SURROUNDINGS = 0.1
"""Seconds between two publications of the surroundings, since all panels are painted for each."""
_LOSSES = 1.0
"""Seconds between two looks at what a growing recording lacks."""
_REST = 0.001
"""Seconds of rest after each slice, so that the window gets its turn. While it paints a frame it
gets more: see `_GRACE`."""
_GRACE = 0.1
"""Seconds that a window has Python to itself at most, to paint the frame that it was sent."""
_RETRY = 1.0
STAND_IN = ". Shown is the last one that could"
"""The end of an error text while another frame is shown in place of the requested one."""


class ReaderThread:
    """Runs a backend in a thread of its own.

    Args:
        target: What is opened; if it waits, it is tried until it is there.
        notify: Called from the thread when there is an update and there was none.
    """

    def __init__(self, target: ViewTarget, notify: Callable[[], None]) -> None:
        self._target = target
        self._updates = UpdateMailbox(notify)
        self._lock = threading.Lock()
        self._requests: list[Command | ChangeSearch | AnnotationRequest | int] = []
        self._queries: tuple[BackgroundQuery, ...] = ()
        self._query_next = False
        """Whether the next slice of time is a query's: queries take turns with the scan."""
        self._annotations: AnnotationStore | None = None
        self._jobs = JobQueue(self._say)
        self._retries = False
        """Whether a lost game is to be looked for now."""
        self._sent = self._completed = self._published_completed = 0
        self._wake = ThreadWaker()
        self._closed = threading.Event()
        self._backend: PlaybackBackend | None = None
        self._snapshots: SnapshotReader | None = None
        self._scanner = RecordingScanner(self._updates.publish)
        self._snapshot: FrameSnapshot | None = None
        """The one that was read last."""
        self._read: FrameSource | None = None
        """The source that snapshots are read from."""
        self._surroundings = PlayheadSurroundings()
        self._published_at = float("-inf")
        """When a frame was published last."""
        self._painted = True
        """Whether the window has painted it."""
        self._has_surroundings, self._surroundings_at = False, float("-inf")
        """Whether some of them were read and not published, and when others were."""
        self._search: ChangeSearch | None = None
        self._published: tuple[object, ...] = ()
        """What was published last: the frame, and the selected object."""
        self._marks: tuple[Mark, ...] = ()
        self._losses: tuple[RecordedLoss, ...] = ()
        self._losses_of, self._losses_at = 0, float("-inf")
        """As of which frame and when they were asked for."""
        self._marks_at = float("-inf")
        self._thread = threading.Thread(target=self._run, name="playhead viewer", daemon=True)

    # --- for the window's thread ----------------------------------------------------------------

    def start(self) -> None:
        self._thread.start()

    def send(self, request: Command) -> int:
        """Have a command carried out; of seeks that wait only the newest counts.

        Returns the request's number: see `ReaderUpdate.completed`.
        """
        with self._lock:
            if isinstance(request, SeekFrame | SeekTime):
                while self._requests and isinstance(self._requests[-1], SeekFrame | SeekTime):
                    self._requests.pop()
            self._requests.append(request)
            self._sent += 1
            number = self._sent
        self._wake.ring()
        return number

    def select(self, object: int) -> None:
        """Choose the object whose surroundings are read; 0 for none."""
        with self._lock:
            self._requests.append(object)
        self._wake.ring()

    def search(self, search: ChangeSearch) -> None:
        """Go to where a value changes."""
        with self._lock:
            self._requests.append(search)
        self._wake.ring()

    @property
    def unsaved(self) -> int:
        """Marks set by hand that are in no file so far, and would be lost."""
        annotations = self._annotations
        return annotations.unsaved if isinstance(annotations, FileAnnotationStore) else 0

    def annotate(self, request: AnnotationRequest) -> None:
        """Set or change a mark, or save a clip; a message reports the outcome."""
        with self._lock:
            self._requests.append(request)
        self._wake.ring()

    def ask(self, query: BackgroundQuery) -> None:
        """Run a background query from now on, whenever nothing is more urgent."""
        with self._lock:
            self._queries = (*self._queries, query)
        self._wake.ring()

    def drop(self, query: BackgroundQuery) -> None:
        """End a background query."""
        with self._lock:
            self._queries = tuple(one for one in self._queries if one is not query)

    def retry(self) -> None:
        """Look now for a game that is not there, or try a file again."""
        self._retries = True
        self._wake.ring()

    def take(self) -> ReaderUpdate:
        """What is new."""
        return self._updates.take()

    def painted(self, *, has_frame: bool) -> None:
        """Say that the window has painted what it took, so that reading goes on.

        Args:
            has_frame: Whether there was a frame in it.
        """
        self._updates.painted()
        if not has_frame:
            return
        self._painted = True
        if not self._closed.is_set():
            self._wake.ring()

    def close(self) -> None:
        """End the thread; waits for what it is just reading."""
        self._closed.set()
        self._wake.ring()
        if self._thread.is_alive():
            self._thread.join()
        self._jobs.close()
        self._wake.close()

    # --- the thread -----------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            while not self._closed.is_set():
                self._turn()
        finally:
            if self._backend is not None:
                self._backend.close()

    def _turn(self) -> None:
        if self._backend is None and not self._open():
            self._sleep((), _RETRY if self._target.waits else None)
            return
        assert self._backend is not None
        backend, busy = self._backend, False
        try:
            self._carry_out(backend)
            backend.update()
            self._publish_failed_checks(backend)
            self._updates.leaves_time_to_read = self._unread(backend) > _BEHIND
            self._show(backend)
            self._publish_completed()
            self._updates.notify_if_due()
            grace = 0.0 if self._painted else self._published_at + _GRACE - time.monotonic()
            if grace > 0 and not self._updates.leaves_time_to_read:
                # What is read ahead would hold up the painting: only one thread can run Python.
                self._sleep(backend.handles, min(grace, backend.pause))
                return
            busy = self._read_ahead(backend)
        except BusError:
            # The connection was lost: the backend keeps what was read, and looks for the service.
            self._updates.leaves_time_to_read = False
            self._publish_backend_state(backend)
            self._publish_completed()
        except EvictedError:
            # What was being read has just been let go by a live game: the next turn sees that.
            pass
        except PlayheadError as error:
            self._say(str(error))
        except Exception as error:
            # Without this thread the window would stand still and not say why.
            self._say(f"A mistake in the viewer: {type(error).__name__}: {error}")
            self._closed.wait(_RETRY)
        self._sleep(backend.handles, _REST if busy else backend.pause)

    def _open(self) -> bool:
        try:
            self._backend = self._target.open()
        except (PlayheadError, OSError) as error:
            link = LinkState.NOTHING if self._target.waits else LinkState.UNREADABLE
            self._updates.publish(
                backend_state=BackendState(link, self._target.title, error_text=str(error))
            )
            return False
        self._read = self._backend.source
        self._snapshots = self._snapshot_reader(self._read)
        self._scanner.damage = known_damaged_ranges(self._read)
        self._updates.publish(damage=tuple(self._scanner.damage))
        if isinstance(self._backend, LiveBackend):
            self._annotations = LiveAnnotationStore(self._backend.client, self._backend.keys)
        elif self._target.location:
            self._annotations = FileAnnotationStore(Path(self._target.location), self._read)
        return True

    def _snapshot_reader(self, source: FrameSource) -> SnapshotReader:
        return SnapshotReader(source, self._scanner.names, self._scanner.poses)

    def _sleep(self, handles: Sequence[int], pause: float | None) -> None:
        select.select([self._wake.fileno(), *handles], [], [], pause)
        self._wake.clear()

    def _carry_out(self, backend: PlaybackBackend) -> None:
        with self._lock:
            requests, self._requests = self._requests, []
            self._completed = self._sent
        if self._retries:
            self._retries = False
            backend.retry()
        for request in requests:
            try:
                if isinstance(request, int):
                    if request != self._surroundings.object:
                        self._surroundings = PlayheadSurroundings(request)
                        self._published = ()
                elif isinstance(request, ChangeSearch):
                    self._search = request
                elif isinstance(request, AddMark | ChangeMark | SaveViewedClip | SetColors):
                    self._annotate(backend, request)
                else:
                    backend.apply(self._resolved(request))
            except PlayheadError as error:
                self._say(str(error))

    def _resolved(self, command: Command) -> Command:
        """The same command; a mark that only this viewer knows is sought by its frame."""
        if isinstance(command, SeekMark):
            for mark in self._marks:
                if mark.name == command.name:
                    return SeekFrame(mark.frame)
        return command

    def _annotate(self, backend: PlaybackBackend, request: AnnotationRequest) -> None:
        if self._annotations is None:
            self._say("Nothing is open that could be marked or saved")
            return
        outcome = self._annotations.apply(request, backend.source)
        if isinstance(outcome, Job):
            self._jobs.do(outcome)
        elif outcome:
            self._say(outcome)
        self._marks_at = float("-inf")

    def _show(self, backend: PlaybackBackend) -> None:
        """Publish the playback state, and read its frame if that is another one."""
        restarted = backend.restarted()
        if restarted:
            self._scanner.restart()
        if restarted or backend.source is not self._read:
            # When a game is lost or found again, its frames come from elsewhere.
            self._read = backend.source
            self._snapshots = self._snapshot_reader(backend.source)
            self._surroundings = PlayheadSurroundings(self._surroundings.object)
            self._published, self._snapshot = (), None
        if restarted:
            self._marks, self._marks_at, self._published = (), float("-inf"), ()
            self._losses, self._losses_of, self._losses_at = (), 0, float("-inf")
            self._updates.restart()
            for query in self._queries:
                query.restart()
        changed = backend.changed()
        self._scanner.again(changed)
        if self._snapshot is not None and self._snapshot.frame in changed:
            self._snapshot = None
        self._publish_backend_state(backend)
        playback = backend.state
        self._updates.publish(playback=playback, span=playback.span)
        self._publish_marks(backend, bool(changed))
        frame = playback.frame
        if frame is None or (
            (frame, self._surroundings.object) == self._published and frame not in changed
        ):
            return
        if playback.mode is Mode.LIVE and (
            time.monotonic() - self._published_at < FOLLOWING_PAUSE or not self._updates.is_due
        ):
            # A live game has newer frames faster than they can be read, and what was recorded in
            # them is to be read, too.
            return
        assert self._snapshots is not None
        try:
            snapshot = self._snapshots.read(frame)
            object = self._surroundings.object
            previous = self._snapshots.previous(frame, object, self._snapshot) if object else None
        except BusError:
            raise
        except DamagedError as error:
            self._published = (frame, self._surroundings.object)
            self._updates.publish(
                error_text=f"Damaged: frame {frame} can't be read: {reason(error)}"
                + (STAND_IN if self._snapshot is not None else "")
            )
            return
        except PlayheadError as error:
            self._published = (frame, self._surroundings.object)
            self._updates.publish(error_text=str(error))
            return
        self._published, self._snapshot = (frame, self._surroundings.object), snapshot
        self._surroundings.put(
            frame, snapshot.time, snapshot.objects.get(self._surroundings.object)
        )
        # Where a service is live its newest frame may be later than the last one published.
        playback = msgspec.structs.replace(playback, time=snapshot.time)
        self._published_at, self._painted = time.monotonic(), False
        self._updates.publish(
            snapshot=snapshot, previous=previous, playback=playback, error_text="",
            surroundings=self._surroundings.near(frame),
            surroundings_span=self._surroundings_span(backend, frame),
        )  # fmt: skip

    def _surroundings_span(self, backend: PlaybackBackend, frame: int) -> tuple[float, float]:
        span = backend.source.span
        oldest, newest = (frame, frame) if span is None else (span.oldest, span.newest)
        return self._surroundings.span(frame, oldest, newest)

    def _publish_marks(self, backend: PlaybackBackend, changed: bool) -> None:
        now = time.monotonic()
        if now - self._marks_at < 0.25 and not changed:
            return
        self._marks_at = now
        recorded = backend.marks()
        marks = tuple(recorded if self._annotations is None else self._annotations.marks(recorded))
        if marks != self._marks:
            self._marks = marks
            self._updates.publish(marks=marks)
        self._publish_losses(backend, now)

    def _publish_losses(self, backend: PlaybackBackend, now: float) -> None:
        """Publish the recorded losses up to the newest frame; of a running game, now and then."""
        span = backend.source.span
        if span is None or span.newest == self._losses_of or now - self._losses_at < _LOSSES:
            return
        self._losses_of, self._losses_at = span.newest, now
        try:
            losses = tuple(backend.source.losses(span.newest))
        except PlayheadError:
            return  # that frame can't be read, or is not held any more: a later one has it
        if losses != self._losses:
            self._losses = losses
            self._updates.publish(losses=losses)

    def _read_ahead(self, backend: PlaybackBackend) -> bool:
        """Read for a slice of time what is not urgent; False if there is no more of it."""
        playback, span = backend.state, backend.source.span
        if span is None:
            return False
        behind = playback.mode is Mode.LIVE and self._scanner.behind(span) > _BEHIND
        end = time.monotonic() + (_CATCH_UP if behind else _SLICE)
        if self._search is not None:
            return self._go_on_searching(backend, end)
        frame = playback.frame
        if frame is not None and self._surroundings.object and playback.mode is not Mode.LIVE:
            missing = self._surroundings.missing(frame, span.oldest, span.newest)
            more = False
            for at in missing:
                self._surroundings.read(backend.source, at)
                more, now = True, time.monotonic()
                if now > end:
                    break
            else:
                now = time.monotonic()
                if more or self._has_surroundings:
                    self._surroundings_at = float("-inf")  # all were read: say so at once
            self._has_surroundings |= more
            if self._has_surroundings and now - self._surroundings_at > _SURROUNDINGS:
                self._has_surroundings, self._surroundings_at = False, now
                self._updates.publish(
                    surroundings=self._surroundings.near(frame),
                    surroundings_span=self._surroundings_span(backend, frame),
                )
            if more:
                return True
        if backend.backend_state.link is LinkState.LOST:
            return False
        if self._go_on_querying(backend, span, end, urgent=True):
            return True
        self._query_next = not self._query_next
        if self._query_next and self._go_on_querying(backend, span, end):
            return True
        return self._scanner.go_on(backend, span, end) or (
            not self._query_next and self._go_on_querying(backend, span, end)
        )

    def _unread(self, backend: PlaybackBackend) -> int:
        """How many frames of a running game are to be read; 0 for what is not running."""
        span = backend.source.span
        if span is None or backend.state.mode is not Mode.LIVE:
            return 0
        return self._scanner.unread(span)

    def _go_on_querying(
        self, backend: PlaybackBackend, span: FrameRange, end: float, *, urgent: bool = False
    ) -> bool:
        backwards = backend.backend_state.link is LinkState.CONNECTED
        return any(
            query.go_on(backend.source, span, end, backwards=backwards)
            for query in self._queries
            if query.is_urgent == urgent
        )

    def _go_on_searching(self, backend: PlaybackBackend, end: float) -> bool:
        assert self._search is not None
        while time.monotonic() < end:
            found = self._search.look(backend.source)
            if found is None:
                continue
            search, self._search = self._search, None
            if found:
                backend.apply(SeekFrame(found))
            else:
                self._say(f"{search.field} does not change any more in that direction")
            return True
        return True

    # --- publishing -----------------------------------------------------------------------------

    def _publish_backend_state(self, backend: PlaybackBackend) -> None:
        self._updates.publish(backend_state=backend.backend_state)

    def _publish_failed_checks(self, backend: PlaybackBackend) -> None:
        failed_checks = backend.failed_checks()
        if failed_checks:
            self._updates.publish(failed_checks=failed_checks)

    def _publish_completed(self) -> None:
        if self._completed != self._published_completed:
            self._published_completed = self._completed
            self._updates.publish(completed=self._completed)

    def _say(self, text: str) -> None:
        self._updates.publish(messages=[text])
