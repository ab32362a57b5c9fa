"""The viewer's store: the shown frame, the selection, and the signals that panels listen to."""

import math

from ...playback.commands import Command, Leave, Pause, SeekFrame, SeekTime, Show
from ...playback.playback_state import Mode, PlaybackState
from ...recorder.packets.mark import COLORS
from ..backends.open_target import ViewTarget
from ..backends.playback_backend import BackendState, LinkState
from ..reader.frame_snapshot import FrameSnapshot, PreviousFrame
from ..reader.history.recording_history import RecordingHistory
from ..reader.reader_thread import ReaderThread
from ..reader.reader_update import ReaderUpdate
from ..search.field_change_search import ChangeSearch
from ..search.problem_list import next_problem, problems
from ..toolkit.qt import QObject, QTimer, pyqtSignal
from .agent_beliefs import CurrentBelief, beliefs_of, beliefs_stated_by
from .clip_state_colors import colors_of
from .motion_around_playhead import PositionAt
from .navigation_history import NavigationHistory

_LAG = 0.25
"""Seconds by which the newest end of what is still written, or was, may be unread at most."""
_DRIVEN = ("tree agent", "plan")
"""Facts of objects that an agent of the recording plays: it is most likely about them."""
_NO_SPAN = (math.inf, -math.inf)


class ViewerStore(QObject):
    """The state of a window on one recording; it asks the reader thread and never waits for it."""

    moved = pyqtSignal()
    """Another frame is shown, or more is known of it."""
    status_changed = pyqtSignal()
    """Mode, speed, loop, focus, connection or error text changed."""
    history_grew = pyqtSignal()
    """More of the recording was read, or it grew."""
    selection_changed = pyqtSignal()
    """Another object is selected, or another one hidden."""
    closing = pyqtSignal()
    """The store is about to be closed: panels with a connection of their own end it."""
    message = pyqtSignal(str)
    """A message for the user."""
    check_failed = pyqtSignal(object)
    """A check has just failed in a running game: a `ReportedCheck`."""
    source_requested = pyqtSignal(str, int)
    """A file and line of the game's source that the user wants to see: its panel emits
    it, the window opens the editor there."""
    _notified = pyqtSignal()

    def __init__(self, target: ViewTarget, *, focus: int | str = 0) -> None:
        super().__init__()
        self.target = target
        self.history = RecordingHistory()
        self.snapshot: FrameSnapshot | None = None
        self.previous: PreviousFrame | None = None
        """The selected object in the frame before the shown one; None if that is missing."""
        self.playback = PlaybackState(Mode.PAUSED)
        self.backend_state = BackendState(LinkState.NOTHING, target.title)
        self.surroundings: dict[int, PositionAt] = {}
        self.surroundings_span = _NO_SPAN
        """The range for which all of `surroundings` was read, seconds."""
        self.progress = 0.0
        self.error_text = ""
        """Why the frame that should be shown can't be."""
        self.selected = 0
        self.hidden: frozenset[int] = frozenset()
        """Objects that the user does not want to see."""
        self.drag_time: float | None = None
        """Where the mouse drags the playhead, seconds, until the frame is there."""
        self.colors: dict[str, str] = {}
        """Colours of states that came with the recording."""
        self._is_dragging = False
        self._sent = self._completed = 0
        """The numbers of the newest request, and of the newest whose outcome is here."""
        self._jump = 0, 0
        """The newest jump: its number, and the frame that was asked for."""
        self._focus = focus
        self._navigation = NavigationHistory()
        self._notified.connect(self._take)
        self.reader = ReaderThread(target, self._notify)

    def start(self, *commands: Command) -> None:
        """Begin to read; the commands are carried out as soon as there is something to move in."""
        for command in commands:
            self.reader.send(command)
        self.reader.start()

    def close(self) -> None:
        """End the reader, and whatever else belongs to the store."""
        self.closing.emit()
        self._notified.disconnect()
        self.reader.close()

    def _notify(self) -> None:
        self._notified.emit()

    # --- requests -------------------------------------------------------------------------------

    def send(self, command: Command) -> None:
        """Have a command carried out.

        A game that has recorded nothing is not paused: nobody would see why.
        """
        waits = self.backend_state.link is LinkState.CONNECTED and self.playback.span is None
        if waits and self.snapshot is None and not isinstance(command, Leave | Show):
            self.message.emit("There is no frame so far: the game has recorded nothing yet")
            return
        self._sent = self.reader.send(command)

    def seek(self, time: float) -> None:
        """Go to an instant. In front of a running game that pauses it."""
        self.send(SeekTime(time))

    def grab(self, time: float) -> None:
        """Drag the playhead to a time, as with the mouse; playing pauses."""
        if not self._is_dragging:
            self._remember()
            if self.playback.mode is Mode.PLAYING:
                self.send(Pause())
        self._is_dragging, self.drag_time = True, time
        self.seek(time)
        self.moved.emit()

    def let_go(self) -> None:
        """The mouse let go of the playhead."""
        self._is_dragging = False
        if self._completed >= self._sent:
            self.drag_time = None
            self.moved.emit()

    def jump(self, frame: int, object: int = 0) -> None:
        """Go to a frame, remembering where we were; and select whom it is about."""
        self._remember()
        self.send(SeekFrame(frame))
        self._jump = self._sent, frame
        if object:
            self.select(object)

    def leave(self) -> None:
        """Leave playback: the game runs on, and its newest frame is shown."""
        self.send(Leave())

    def retry(self) -> None:
        """Look now for a game that is not there."""
        self.reader.retry()

    def go_back(self, direction: int) -> None:
        """Back to where we were before the last jump, or forward again."""
        frame = self._navigation.go(direction, self.frame)
        if frame is not None:
            self.send(SeekFrame(frame))

    def next_problem(self, direction: int) -> None:
        """Go to the next failed check, error, loss or gap, or to the one before."""
        found = next_problem(problems(self.history), self.heading, direction)
        if found is None:
            self.message.emit(
                f"No problems: no failed check, error, loss or gap has been found{self.so_far}"
            )
            return
        self.jump(found.frame, found.object)
        self.message.emit(found.text)

    def next_mark(self, direction: int) -> None:
        """Go to the next mark, or to the one before."""
        frames = sorted({mark.frame for mark in self.history.marks})
        self.next_of(frames, direction, "marks")

    def next_event(self, direction: int) -> None:
        """Go to the next change of the selected object's state or tree, or to the one before."""
        if not self.selected:
            self.message.emit(
                "Select an object first: its states and its tree's leaves are its events"
            )
            return
        self.next_of(self.history.events(self.selected), direction, "events")

    def next_of(self, frames: list[int], direction: int, what: str) -> None:
        """Go to the next of some frames, or to the one before; a message says if there is none.

        Args:
            frames: In order.
            what: What is there, for the message.
        """
        ahead = [frame for frame in frames if (frame - self.heading) * direction > 0]
        if ahead:
            self.jump(ahead[0] if direction > 0 else ahead[-1])
        else:
            self.message.emit(f"No more {what} in that direction{self.so_far}")

    def find_change(self, field: str, direction: int) -> None:
        """Go to the next change of a field of the selected object, or to the one before."""
        if self.snapshot is not None and self.selected:
            self._remember()
            self.reader.search(ChangeSearch(self.selected, field, self.frame, direction))

    def select(self, object: int) -> None:
        """Look at one object; 0 for none."""
        if object != self.selected:
            self.selected = object
            self.surroundings, self.surroundings_span, self.previous = {}, _NO_SPAN, None
            self.reader.select(object)
            self.selection_changed.emit()

    def hide(self, objects: frozenset[int]) -> None:
        """Don't show these objects in this viewer."""
        self.hidden = objects
        self.selection_changed.emit()

    # --- what is there --------------------------------------------------------------------------

    @property
    def frame(self) -> int:
        """The frame that is shown; 0 while there is none."""
        return self.snapshot.frame if self.snapshot is not None else 0

    @property
    def heading(self) -> int:
        """The frame that steps count from: the goal of a jump that is still under way, else the
        one that is shown."""
        number, frame = self._jump
        return frame if number == self._sent and self._completed < number else self.frame

    @property
    def cursor(self) -> float | None:
        """Where the playhead is drawn, seconds."""
        if self.drag_time is not None:
            span = self.playback.span
            return (
                self.drag_time if span is None else min(max(self.drag_time, span.start), span.end)
            )
        if self.error_text and self.playback.time is not None:
            return self.playback.time
        return self.snapshot.time if self.snapshot is not None else None

    def knows(self, since: int = 0) -> bool:
        """Whether all statements from a frame up to the shown one have been read."""
        is_live = self.playback.mode is Mode.LIVE
        return self.progress >= 1.0 or self.history.is_known(self.frame, since, newest=is_live)

    @property
    def knows_all(self) -> bool:
        """Whether the recording has been read completely."""
        span = self.history.span
        return self.progress >= 1.0 or (
            span is not None
            and self.history.is_known(
                span.newest, newest=self.backend_state.link is not LinkState.FILE
            )
        )

    def beliefs(self) -> list[CurrentBelief] | None:
        """What the selected object believes at the shown frame; None if that is not read yet."""
        if self.snapshot is None or not self.selected:
            return []
        deciding = {agent for agent, _ in (*self.snapshot.states, *self.snapshot.trees)}
        if self.selected not in deciding:
            return []  # it has neither a machine nor a tree that could show any, or is gone
        stated = beliefs_stated_by(self.history, self.selected, self.frame)
        if not self.knows(stated.frame if stated is not None else 0):
            return None
        return beliefs_of(self.history, self.snapshot, self.selected)

    def name_of(self, object: int) -> str:
        """What to call an object, whether it is in the shown frame or not."""
        return str(object) if self.snapshot is None else self.snapshot.name_of(object)

    @property
    def names_version(self) -> int:
        """Differs if objects may be called something else than before."""
        return 0 if self.snapshot is None else self.snapshot.object_names.version

    @property
    def so_far(self) -> str:
        """What is to be added to "there is none": how much was read. Empty if all was."""
        return "" if self.knows_all else f" in what was read so far ({self.progress:.0%})"

    @property
    def is_settled(self) -> bool:
        """Whether all has been read that there is to read; for images and tests."""
        return self.snapshot is not None and self.progress >= 1.0

    def _remember(self) -> None:
        if self.frame:
            self._navigation.leave(self.frame)

    # --- updates of the reader ------------------------------------------------------------------

    def _take(self) -> None:
        update = self.reader.take()
        if update.restarted:
            self.history, self.snapshot, self.previous = RecordingHistory(), None, None
            self.surroundings, self.surroundings_span, self.progress = {}, _NO_SPAN, 0.0
        is_status_new = self._take_status(update)
        grown = self._take_pages(update)
        moved = update.snapshot is not None
        if update.snapshot is not None:
            if self.snapshot is None:
                self.snapshot = update.snapshot
                self._first_look(update.snapshot)
            self.snapshot = update.snapshot
            self.previous = update.previous
        if update.surroundings is not None:
            self.surroundings, self.surroundings_span = (
                update.surroundings,
                update.surroundings_span or _NO_SPAN,
            )
            moved = True
        self._completed = self._completed if update.completed is None else update.completed
        if not self._is_dragging and self._completed >= self._sent:
            moved = moved or self.drag_time is not None
            self.drag_time = None
        for changed, signal in (
            (is_status_new, self.status_changed),
            (grown, self.history_grew),
            (moved, self.moved),
        ):
            if changed:
                signal.emit()
        for text in update.messages:
            self.message.emit(text)
        for failed in update.failed_checks:
            self.check_failed.emit(failed)
        # A timer without a delay comes after the painting that was just asked for.
        has_frame = update.snapshot is not None
        QTimer.singleShot(0, lambda: self.reader.painted(has_frame=has_frame))

    def _take_status(self, update: ReaderUpdate) -> bool:
        before = self.playback, self.backend_state, self.error_text
        self.playback = update.playback or self.playback
        self.backend_state = update.backend_state or self.backend_state
        self.error_text = self.error_text if update.error_text is None else update.error_text
        return (self.playback, self.backend_state, self.error_text) != before

    def _take_pages(self, update: ReaderUpdate) -> bool:
        history = self.history
        for initial in update.initial_states:
            history.begin(*initial)
        for page in update.pages:
            history.put(page)
        grown = bool(update.pages or update.initial_states)
        if update.marks is not None:
            history.marks = tuple(mark for mark in update.marks if mark.kind != COLORS)
            history.version += 1
            self.colors = colors_of(update.marks)
            grown = True
        if update.losses is not None:
            history.losses = update.losses
            history.version += 1
            grown = True
        if update.damage is not None and update.damage != history.damage:
            history.damage = update.damage
            history.version += 1
            grown = True
        if update.progress is not None:
            self.progress = update.progress
        history.complete = self.progress >= 1.0
        history.lag = 0.0 if self.backend_state.link is LinkState.FILE else _LAG
        if update.span is not None and update.span != history.span:
            history.span = update.span
            grown = True
            frame_count = update.span.newest - update.span.oldest + 1
            if len(history) > 2 * frame_count + 1000:
                history.forget_before(update.span.oldest - frame_count // 2)
        return grown

    def _first_look(self, snapshot: FrameSnapshot) -> None:
        """Select the one that it is most likely about."""
        failed = [mark.object for mark in self.history.marks if mark.kind == "check"]
        driven = [object for object, key in snapshot.facts if key in _DRIVEN]
        agents = [agent for agent, _ in snapshot.states if agent in snapshot.objects]
        watched = [object for object, _ in snapshot.watches if object in snapshot.objects]
        alone = list(snapshot.objects) if len(snapshot.objects) == 1 else []
        focus = self._focus
        if isinstance(focus, str):
            focus = next((id for id in snapshot.objects if snapshot.name_of(id) == focus), 0)
            if not focus:
                self.message.emit(f"Nothing is called {self._focus!r} in the first frame shown")
        for object in (focus, *failed[:1], *driven[:1], *agents[:1], *watched[:1], *alone):
            if object:
                self.select(object)
                return
