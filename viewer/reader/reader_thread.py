"""The thread that reads: it owns the deck, so that nothing slow ever holds up the window.

The window posts what it wants and is told that there is news; it takes the newest of it when it has
time. Between requests the thread reads what surrounds the playhead, then the whole recording.
"""

import select
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from ...bus.server.thread_waker import ThreadWaker
from ...errors import BusError, DamagedError, EvictedError, PlayheadError
from ...playback.commands import Command, SeekFrame, SeekMark, SeekTime
from ...playback.playback_state import Mode, PlaybackState
from ...recorder.packets.decision_traces import StateTrace
from ...recorder.packets.frame import Span
from ...recorder.packets.marks import Mark
from ...recorder.packets.recording_gaps import RecordedLoss
from ...recorder.reading.ring_source import FrameSource
from ..backends.annotation_store import (
    AnnotationStore,
    ChangeMark,
    FileAnnotationStore,
    SaveClip,
    SetColors,
    SetMark,
    Wish,
)
from ..backends.live_annotation_store import LiveAnnotationStore
from ..backends.live_backend import LiveBackend
from ..backends.playback_backend import (
    FOLLOWING_PAUSE,
    BackendState,
    LinkState,
    PlaybackBackend,
    ReportedCheck,
)
from ..backends.view_target import ViewTarget
from ..search.field_change_search import ChangeSearch
from ..state.playhead_surroundings import PlayheadSurroundings, PositionAt
from .background_query import BackgroundQuery
from .damaged_ranges import DamagedRange, damaged_range_of, known_damaged_ranges, reason, with_frame
from .frame_scan import FrameScan
from .frame_snapshot import FrameSnapshot, Key, PreviousFrame, SnapshotReader
from .job_queue import Job, JobQueue
from .object_names import ObjectNames
from .recording_history import FramePage

_SLICE = 0.004
"""Seconds of reading ahead between two looks at what the window wants."""
_CATCH_UP = 0.015
"""The same where a live game is ahead by more than `_BEHIND` frames: what its agents are said to do
must be what they do."""
_BEHIND = 12
_LOSSES = 1.0
"""Seconds between two looks at what a growing recording lacks."""
_REST = 0.004
"""Seconds of rest after each slice, so that the window gets its turn."""
_GRACE = 0.1
"""Seconds that a window has Python to itself at most, to paint the frame that it was told."""
_RETRY = 1.0
STAND_IN = ". Shown is the last one that could"
"""How a trouble ends while another frame stands in for the one that is meant."""


@dataclass
class ReaderUpdate:
    """What has changed since the window last took news."""

    standing: BackendState | None = None
    shown: PlaybackState | None = None
    moment: FrameSnapshot | None = None
    previous: PreviousFrame | None = None
    """Comes with each moment: the selected object in the frame before it; None if that is
    missing."""
    trouble: str | None = None
    """Why the frame that is shown can't be read; empty when it can."""
    pages: list[FramePage] = field(default_factory=list)
    holes: tuple[DamagedRange, ...] | None = None
    """What of the file is known to be damaged."""
    begun: list[tuple[int, float, dict[Key, StateTrace]]] = field(default_factory=list)
    """States that held at a frame whose own transitions may be gone."""
    marks: tuple[Mark, ...] | None = None
    losses: tuple[RecordedLoss, ...] | None = None
    """What is missing in the recording, as it says itself."""
    span: Span | None = None
    around: dict[int, PositionAt] | None = None
    reach: tuple[float, float] | None = None
    """The seconds that `around` covers: see `PlayheadSurroundings.reach`."""
    progress: float | None = None
    """0 … 1 of the recording that has been read."""
    said: list[str] = field(default_factory=list)
    """Why wishes could not be met."""
    obeyed: int | None = None
    """The number of the newest wish whose outcome is told."""
    asserted: list[ReportedCheck] = field(default_factory=list)
    """Checks that have just failed."""
    restarted: bool = False
    """All from before belongs to another recording."""


class ReaderThread:
    """Runs a deck in a thread of its own.

    Args:
        target: What is opened; if it waits, it is tried until it is there.
        ring: Called from the thread when there is news and there was none.
    """

    def __init__(self, target: ViewTarget, ring: Callable[[], None]) -> None:
        self._target = target
        self._ring = ring
        self._lock = threading.Lock()
        self._news = ReaderUpdate()
        self._has_news = False
        self._wishes: list[Command | ChangeSearch | Wish | int] = []
        self._inquiries: tuple[BackgroundQuery, ...] = ()
        self._inquires = False
        """Whether the next slice of time is an inquiry's: they take turns with the scan."""
        self._keeping: AnnotationStore | None = None
        self._clerk = JobQueue(self._say)
        self._retries = False
        """Whether a lost game is to be looked for now."""
        self._sent = self._obeyed = self._told_obeyed = 0
        self._wake = ThreadWaker()
        self._closed = threading.Event()
        self._deck: PlaybackBackend | None = None
        self._moments: SnapshotReader | None = None
        self._roster = ObjectNames()
        self._moment: FrameSnapshot | None = None
        """The one that was read last."""
        self._read: FrameSource | None = None
        """The source that moments are read of."""
        self._around = PlayheadSurroundings()
        self._scan = FrameScan()
        self._told_at = float("-inf")
        """When a frame was told last."""
        self._painted = True
        """Whether the window has painted it."""
        self._in_gap = False
        self._holes: list[DamagedRange] = []
        self._search: ChangeSearch | None = None
        self._told: tuple[object, ...] = ()
        """What the window knows: where it stands, and which frame was read."""
        self._marks: tuple[Mark, ...] = ()
        self._losses: tuple[RecordedLoss, ...] = ()
        self._losses_of, self._losses_at = 0, float("-inf")
        """As of which frame and when they were asked for."""
        self._marks_at = float("-inf")
        self._thread = threading.Thread(target=self._run, name="playhead viewer", daemon=True)

    # --- for the window's thread ----------------------------------------------------------------

    def start(self) -> None:
        self._thread.start()

    def send(self, wish: Command) -> int:
        """Have a command carried out; of seeks that wait only the newest counts.

        Returns the wish's number: see `ReaderUpdate.obeyed`.
        """
        with self._lock:
            if isinstance(wish, SeekFrame | SeekTime):
                while self._wishes and isinstance(self._wishes[-1], SeekFrame | SeekTime):
                    self._wishes.pop()
            self._wishes.append(wish)
            self._sent += 1
            number = self._sent
        self._wake.ring()
        return number

    def select(self, object: int) -> None:
        """Say whose surroundings are wanted; 0 for nobody's."""
        with self._lock:
            self._wishes.append(object)
        self._wake.ring()

    def search(self, search: ChangeSearch) -> None:
        """Go to where a value changes."""
        with self._lock:
            self._wishes.append(search)
        self._wake.ring()

    @property
    def unsaved(self) -> int:
        """Marks set by hand that are in no file so far, and would be lost."""
        keeping = self._keeping
        return keeping.unsaved if isinstance(keeping, FileAnnotationStore) else 0

    def keep(self, wish: Wish) -> None:
        """Have a mark set or changed, or a clip saved; what came of it is said."""
        with self._lock:
            self._wishes.append(wish)
        self._wake.ring()

    def ask(self, inquiry: BackgroundQuery) -> None:
        """Have something looked into from now on, whenever nothing is more urgent."""
        with self._lock:
            self._inquiries = (*self._inquiries, inquiry)
        self._wake.ring()

    def drop(self, inquiry: BackgroundQuery) -> None:
        """Look no more into something."""
        with self._lock:
            self._inquiries = tuple(one for one in self._inquiries if one is not inquiry)

    def retry(self) -> None:
        """Look now for a game that is not there, or try a file again."""
        self._retries = True
        self._wake.ring()

    def take(self) -> ReaderUpdate:
        """What is new."""
        with self._lock:
            news, self._news, self._has_news = self._news, ReaderUpdate(), False
        return news

    def painted(self) -> None:
        """Say that the window has painted the newest frame it took, so that reading goes on."""
        self._painted = True
        if not self._closed.is_set():
            self._wake.ring()

    def close(self) -> None:
        """End the thread; waits for what it is just reading."""
        self._closed.set()
        self._wake.ring()
        if self._thread.is_alive():
            self._thread.join()
        self._clerk.close()
        self._wake.close()

    # --- the thread -----------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            while not self._closed.is_set():
                self._turn()
        finally:
            if self._deck is not None:
                self._deck.close()

    def _turn(self) -> None:
        if self._deck is None and not self._open():
            self._sleep((), _RETRY if self._target.waits else None)
            return
        assert self._deck is not None
        deck, busy = self._deck, False
        try:
            self._obey(deck)
            deck.update()
            self._tell_asserted(deck)
            self._show(deck)
            self._tell_obeyed()
            grace = 0.0 if self._painted else self._told_at + _GRACE - time.monotonic()
            if grace > 0:
                # What is read ahead would hold up the painting: only one thread can run Python.
                self._sleep(deck.handles, min(grace, deck.pause))
                return
            busy = self._read_ahead(deck)
        except BusError:
            # Lost on the way: the deck knows, keeps what was read, and looks for the service.
            self._tell_standing(deck)
            self._tell_obeyed()
        except EvictedError:
            # What was being read has just been let go by a live game: the next turn sees that.
            pass
        except PlayheadError as error:
            self._say(str(error))
        except Exception as error:
            # Without this thread the window would stand still and not say why.
            self._say(f"A mistake in the viewer: {type(error).__name__}: {error}")
            self._closed.wait(_RETRY)
        self._sleep(deck.handles, _REST if busy else deck.pause)

    def _open(self) -> bool:
        try:
            self._deck = self._target.open()
        except (PlayheadError, OSError) as error:
            link = LinkState.NOTHING if self._target.waits else LinkState.UNREADABLE
            self._publish(standing=BackendState(link, self._target.title, trouble=str(error)))
            return False
        self._read = self._deck.source
        self._moments = SnapshotReader(self._read, self._roster)
        self._holes = known_damaged_ranges(self._read)
        self._publish(holes=tuple(self._holes))
        if isinstance(self._deck, LiveBackend):
            self._keeping = LiveAnnotationStore(self._deck.client, self._deck.keys)
        elif self._target.place:
            self._keeping = FileAnnotationStore(Path(self._target.place), self._read)
        return True

    def _sleep(self, handles: Sequence[int], pause: float | None) -> None:
        select.select([self._wake.fileno(), *handles], [], [], pause)
        self._wake.clear()

    def _obey(self, deck: PlaybackBackend) -> None:
        with self._lock:
            wishes, self._wishes = self._wishes, []
            self._obeyed = self._sent
        if self._retries:
            self._retries = False
            deck.retry()
        for wish in wishes:
            try:
                if isinstance(wish, int):
                    if wish != self._around.object:
                        self._around = PlayheadSurroundings(wish)
                        self._told = ()
                elif isinstance(wish, ChangeSearch):
                    self._search = wish
                elif isinstance(wish, SetMark | ChangeMark | SaveClip | SetColors):
                    self._keep(deck, wish)
                else:
                    deck.apply(self._meant(wish))
            except PlayheadError as error:
                self._say(str(error))

    def _meant(self, command: Command) -> Command:
        """The same command; a mark that only this viewer knows is sought by its frame."""
        if isinstance(command, SeekMark):
            for mark in self._marks:
                if mark.name == command.name:
                    return SeekFrame(mark.frame)
        return command

    def _keep(self, deck: PlaybackBackend, wish: Wish) -> None:
        if self._keeping is None:
            self._say("Nothing is open that could be marked or saved")
            return
        granted = self._keeping.grant(wish, deck.source)
        if isinstance(granted, Job):
            self._clerk.do(granted)
        elif granted:
            self._say(granted)
        self._marks_at = float("-inf")

    def _show(self, deck: PlaybackBackend) -> None:
        """Tell where everybody stands, and read that frame if it is another one."""
        restarted = deck.restarted()
        if restarted:
            self._roster = ObjectNames()
        if restarted or deck.source is not self._read:
            # When a game is lost or found again, its frames come from elsewhere.
            self._read = deck.source
            self._moments = SnapshotReader(deck.source, self._roster)
            self._around = PlayheadSurroundings(self._around.object)
            self._told, self._moment = (), None
        if restarted:
            self._scan = FrameScan()
            self._marks, self._marks_at, self._told = (), float("-inf"), ()
            self._losses, self._losses_of, self._losses_at = (), 0, float("-inf")
            with self._lock:
                self._news = ReaderUpdate(restarted=True)
            for inquiry in self._inquiries:
                inquiry.restart()
        changed = deck.changed()
        self._scan.again(changed)
        if self._moment is not None and self._moment.frame in changed:
            self._moment = None
        self._tell_standing(deck)
        shown = deck.state
        self._publish(shown=shown, span=shown.span)
        self._tell_marks(deck, bool(changed))
        frame = shown.frame
        if frame is None or ((frame, self._around.object) == self._told and frame not in changed):
            return
        if shown.mode is Mode.LIVE and time.monotonic() - self._told_at < FOLLOWING_PAUSE:
            # A live game has newer frames faster than they can be looked at, and what was said in
            # them is to be read, too.
            return
        assert self._moments is not None
        try:
            moment = self._moments.read(frame)
            object = self._around.object
            previous = self._moments.previous(frame, object, self._moment) if object else None
        except BusError:
            raise
        except DamagedError as error:
            self._told = (frame, self._around.object)
            self._publish(
                trouble=f"Damaged: frame {frame} can't be read: {reason(error)}"
                + (STAND_IN if self._moment is not None else "")
            )
            return
        except PlayheadError as error:
            self._told = (frame, self._around.object)
            self._publish(trouble=str(error))
            return
        self._told, self._moment = (frame, self._around.object), moment
        self._around.put(frame, moment.time, moment.objects.get(self._around.object))
        # Where a service is live its newest frame is a later one than was told by now.
        shown = msgspec.structs.replace(shown, time=moment.time)
        self._told_at, self._painted = time.monotonic(), False
        self._publish(
            moment=moment, previous=previous, shown=shown, trouble="",
            around=self._around.told(frame), reach=self._reach(deck, frame),
        )  # fmt: skip

    def _reach(self, deck: PlaybackBackend, frame: int) -> tuple[float, float]:
        span = deck.source.span
        oldest, newest = (frame, frame) if span is None else (span.oldest, span.newest)
        return self._around.reach(frame, oldest, newest)

    def _tell_marks(self, deck: PlaybackBackend, changed: bool) -> None:
        now = time.monotonic()
        if now - self._marks_at < 0.25 and not changed:
            return
        self._marks_at = now
        recorded = deck.marks()
        marks = tuple(recorded if self._keeping is None else self._keeping.marks(recorded))
        if marks != self._marks:
            self._marks = marks
            self._publish(marks=marks)
        self._tell_losses(deck, now)

    def _tell_losses(self, deck: PlaybackBackend, now: float) -> None:
        """Tell what is missing, as of the newest frame: of a game that runs, now and then."""
        span = deck.source.span
        if span is None or span.newest == self._losses_of or now - self._losses_at < _LOSSES:
            return
        self._losses_of, self._losses_at = span.newest, now
        try:
            losses = tuple(deck.source.losses(span.newest))
        except PlayheadError:
            return  # that frame can't be read, or is not held any more: a later one tells it
        if losses != self._losses:
            self._losses = losses
            self._publish(losses=losses)

    def _read_ahead(self, deck: PlaybackBackend) -> bool:
        """Read for a slice of time what nobody waits for; False if there is no more of it."""
        shown, span = deck.state, deck.source.span
        if span is None:
            return False
        behind = shown.mode is Mode.LIVE and self._scan.behind(span) > _BEHIND
        end = time.monotonic() + (_CATCH_UP if behind else _SLICE)
        if self._search is not None:
            return self._go_on_searching(deck, end)
        frame = shown.frame
        if frame is not None and self._around.object and shown.mode is not Mode.LIVE:
            fresh = False
            for at in self._around.missing(frame, span.oldest, span.newest):
                self._around.read(deck.source, at)
                fresh = True
                if time.monotonic() > end:
                    break
            if fresh:
                self._publish(around=self._around.told(frame), reach=self._reach(deck, frame))
                return True
        if deck.standing.link is LinkState.LOST:
            return False
        self._inquires = not self._inquires
        if self._inquires and self._inquire(deck, span, end):
            return True
        return self._go_on_scanning(deck, span, end) or (
            not self._inquires and self._inquire(deck, span, end)
        )

    def _inquire(self, deck: PlaybackBackend, span: Span, end: float) -> bool:
        backwards = deck.standing.link is LinkState.CONNECTED
        return any(
            inquiry.go_on(deck.source, span, end, backwards=backwards)
            for inquiry in self._inquiries
        )

    def _go_on_scanning(self, deck: PlaybackBackend, span: Span, end: float) -> bool:
        if self._scan.is_new:
            self._tell_states(deck, span.oldest)
            self._scan.begin(span, backwards=deck.standing.link is LinkState.CONNECTED)
        pages: list[FramePage] = []
        holes = self._holes
        try:
            more = self._scan_on(deck, span, end, pages)
        finally:
            # Even if the source was lost just now: nobody reads these again. And at once: whoever
            # hears that all is read has all of it.
            if self._holes is not holes:
                self._publish(holes=tuple(self._holes))
            if pages or self._holes is not holes:
                self._publish(pages=pages, progress=self._scan.progress(span))
        return more

    def _scan_on(
        self, deck: PlaybackBackend, span: Span, end: float, pages: list[FramePage]
    ) -> bool:
        """Read pages until a time; False if there are no more."""
        while time.monotonic() < end:
            frame = self._scan.next(span)
            if frame is None:
                return False
            if deck.source.settle(frame) != frame:
                self._in_gap = True
                continue
            try:
                if self._in_gap:
                    self._in_gap = False
                    self._tell_states(deck, frame)
                pages.append(page := deck.page(frame))
                self._meet(deck.source, page)
            except BusError:
                self._scan.again([frame])
                raise
            except DamagedError as error:
                # What holds behind it is told anew.
                self._in_gap = True
                self._holes = with_frame(self._holes, damaged_range_of(deck.source, frame, error))
            except PlayheadError:
                continue  # evicted meanwhile
        return True

    def _meet(self, source: FrameSource, page: FramePage) -> None:
        """Learn what those are called who are spoken of: later frames may be without them."""
        about = {agent for agent, _ in page.traces}
        about.update(line.object for line in page.lines)
        about.update(object for object, _ in page.watches)
        about.update(object for object, _, _ in page.events)
        self._roster.look(source, page.frame, about)
        if page.gone:
            self._roster.look_again(source, page.frame - 1, page.gone)

    def _tell_states(self, deck: PlaybackBackend, frame: int) -> None:
        """Say which states held at a frame before which nothing was read."""
        states = {
            (agent, key): value
            for (agent, _, key), value in deck.source.facts(frame).items()
            if isinstance(value, StateTrace)
        }
        self._publish(begun=[(frame, deck.source.stamp(frame).time, states)])

    def _go_on_searching(self, deck: PlaybackBackend, end: float) -> bool:
        assert self._search is not None
        while time.monotonic() < end:
            found = self._search.look(deck.source)
            if found is None:
                continue
            search, self._search = self._search, None
            if found:
                deck.apply(SeekFrame(found))
            else:
                self._say(f"{search.field} does not change any more in that direction")
            return True
        return True

    # --- telling --------------------------------------------------------------------------------

    def _tell_standing(self, deck: PlaybackBackend) -> None:
        self._publish(standing=deck.standing)

    def _tell_asserted(self, deck: PlaybackBackend) -> None:
        asserted = deck.asserted()
        if asserted:
            self._publish(asserted=asserted)

    def _tell_obeyed(self) -> None:
        if self._obeyed != self._told_obeyed:
            self._told_obeyed = self._obeyed
            self._publish(obeyed=self._obeyed)

    def _say(self, text: str) -> None:
        self._publish(said=[text])

    def _publish(self, **fresh: object) -> None:
        with self._lock:
            for name, value in fresh.items():
                if isinstance(value, list):
                    getattr(self._news, name).extend(value)
                else:
                    setattr(self._news, name, value)
            rings, self._has_news = not self._has_news, True
        if rings:
            self._ring()
