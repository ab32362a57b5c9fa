"""The one clock: where everybody stands, what is selected, and the signals that docks listen to."""

import math

from ...playback.commands import Command, Leave, Pause, SeekFrame, SeekTime, Show
from ...playback.playback_state import Mode, PlaybackState
from ...recorder.packets.marks import COLORS
from ..backends.playback_backend import BackendState, LinkState
from ..backends.view_target import ViewTarget
from ..reader.frame_snapshot import FrameSnapshot, PreviousFrame
from ..reader.reader_thread import ReaderThread, ReaderUpdate
from ..reader.recording_history import RecordingHistory
from ..search.field_change_search import ChangeSearch
from ..search.problem_list import next_problem, problems
from ..toolkit.qt import QObject, QTimer, pyqtSignal
from .agent_beliefs import HeldBelief, beliefs_of, beliefs_stated_by
from .navigation_history import NavigationHistory
from .playhead_surroundings import PositionAt
from .state_colors import colors_of

_LAG = 0.25
"""Seconds by which the newest end of what is still written, or was, may be unread at most."""
_NOWHERE = (math.inf, -math.inf)


class ViewerStore(QObject):
    """What the window knows of a recording; it asks the reader and never waits for it."""

    moved = pyqtSignal()
    """Another frame is shown, or the same one says more."""
    stood = pyqtSignal()
    """Mode, speed, loop, focus, connection or trouble changed."""
    grew = pyqtSignal()
    """More of the recording was read, or it grew."""
    picked = pyqtSignal()
    """Another object is selected, or another one hidden."""
    said = pyqtSignal(str)
    """Something the person should read."""
    asserted = pyqtSignal(object)
    """A check has just failed in a game that runs: an `Asserted`."""
    source_wanted = pyqtSignal(str, int)
    """A file and line of the game's source that the person wants to see: whoever shows one emits
    it, the window opens the editor there."""
    _rung = pyqtSignal()

    def __init__(self, target: ViewTarget, *, focus: int = 0) -> None:
        super().__init__()
        self.target = target
        self.history = RecordingHistory()
        self.moment: FrameSnapshot | None = None
        self.previous: PreviousFrame | None = None
        """The selected object in the frame before the shown one; None if that is missing."""
        self.shown = PlaybackState(Mode.PAUSED)
        self.standing = BackendState(LinkState.NOTHING, target.title)
        self.around: dict[int, PositionAt] = {}
        self.reach = _NOWHERE
        """From when to when all of `around` was looked at, seconds."""
        self.progress = 0.0
        self.trouble = ""
        """Why the frame that should be shown can't be."""
        self.selected = 0
        self.hidden: frozenset[int] = frozenset()
        """Objects that the person does not want to see."""
        self.wish: float | None = None
        """Where the mouse holds the playhead, seconds, until it let go and the frame is there."""
        self.colors: dict[str, str] = {}
        """Colours of states that came with the recording."""
        self._held = False
        self._seek = self._obeyed = 0
        """The numbers of the newest wish, and of the newest whose outcome is here."""
        self._wanted = 0, 0
        """The newest jump: its number, and the frame that was asked for."""
        self._focus = focus
        self._trips = NavigationHistory()
        self._rung.connect(self._take)
        self.reader = ReaderThread(target, self._ring)

    def start(self, *commands: Command) -> None:
        """Begin to read; the commands are carried out as soon as there is something to move in."""
        for command in commands:
            self.reader.send(command)
        self.reader.start()

    def close(self) -> None:
        """End the reader."""
        self._rung.disconnect()
        self.reader.close()

    def _ring(self) -> None:
        self._rung.emit()

    # --- what the person wants ------------------------------------------------------------------

    def send(self, command: Command) -> None:
        """Have a command carried out.

        A game that has recorded nothing is not paused: it would stand still and nobody see why.
        """
        waits = self.standing.link is LinkState.CONNECTED and self.shown.span is None
        if waits and self.moment is None and not isinstance(command, Leave | Show):
            self.said.emit("There is no frame so far: the game has recorded nothing yet")
            return
        self._seek = self.reader.send(command)

    def seek(self, time: float) -> None:
        """Go to an instant. In front of a running game that pauses it."""
        self.send(SeekTime(time))

    def grab(self, time: float) -> None:
        """Hold the playhead at an instant, as with the mouse; it stands still there."""
        if not self._held:
            self._remember()
            if self.shown.mode is Mode.PLAYING:
                self.send(Pause())
        self._held, self.wish = True, time
        self.seek(time)
        self.moved.emit()

    def let_go(self) -> None:
        """The mouse let go of the playhead."""
        self._held = False
        if self._obeyed >= self._seek:
            self.wish = None
            self.moved.emit()

    def jump(self, frame: int, object: int = 0) -> None:
        """Go to a frame, remembering where we were; and select whom it is about."""
        self._remember()
        self.send(SeekFrame(frame))
        self._wanted = self._seek, frame
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
        frame = self._trips.go(direction, self.frame)
        if frame is not None:
            self.send(SeekFrame(frame))

    def next_problem(self, direction: int) -> None:
        """To the next failed check, error, loss or gap, or to the one before."""
        found = next_problem(problems(self.history), self._heading, direction)
        if found is None:
            self.said.emit(
                f"No problems: no failed check, error, loss or gap has been found{self.so_far}"
            )
            return
        self.jump(found.frame, found.object)
        self.said.emit(found.text)

    def next_mark(self, direction: int) -> None:
        """To the next mark, or to the one before."""
        frames = sorted({mark.frame for mark in self.history.marks})
        self._next_of(frames, direction, "marks")

    def next_event(self, direction: int) -> None:
        """To the next change of the selected object's state or tree, or to the one before."""
        if not self.selected:
            self.said.emit(
                "Select an object first: its states and its tree's leaves are its events"
            )
            return
        self._next_of(self.history.events(self.selected), direction, "events")

    def _next_of(self, frames: list[int], direction: int, what: str) -> None:
        ahead = [frame for frame in frames if (frame - self._heading) * direction > 0]
        if ahead:
            self.jump(ahead[0] if direction > 0 else ahead[-1])
        else:
            self.said.emit(f"No more {what} in that direction{self.so_far}")

    def find_change(self, field: str, direction: int) -> None:
        """To where a field of the selected object changes next, or changed before."""
        if self.moment is not None and self.selected:
            self._remember()
            self.reader.search(ChangeSearch(self.selected, field, self.frame, direction))

    def select(self, object: int) -> None:
        """Look at one object; 0 for none."""
        if object != self.selected:
            self.selected = object
            self.around, self.reach, self.previous = {}, _NOWHERE, None
            self.reader.select(object)
            self.picked.emit()

    def hide(self, objects: frozenset[int]) -> None:
        """Don't show these objects in this viewer."""
        self.hidden = objects
        self.picked.emit()

    # --- what is there --------------------------------------------------------------------------

    @property
    def frame(self) -> int:
        """The frame that is shown; 0 while there is none."""
        return self.moment.frame if self.moment is not None else 0

    @property
    def _heading(self) -> int:
        """The frame that a jump goes to which is still under way; else the one that is shown."""
        number, frame = self._wanted
        return frame if number == self._seek and self._obeyed < number else self.frame

    @property
    def cursor(self) -> float | None:
        """Where the playhead is drawn, seconds."""
        if self.wish is not None:
            span = self.shown.span
            return self.wish if span is None else min(max(self.wish, span.start), span.end)
        if self.trouble and self.shown.time is not None:
            return self.shown.time
        return self.moment.time if self.moment is not None else None

    def knows(self, since: int = 0) -> bool:
        """Whether all has been read that was said up to the shown frame, since another one."""
        is_live = self.shown.mode is Mode.LIVE
        return self.progress >= 1.0 or self.history.is_known(self.frame, since, newest=is_live)

    @property
    def knows_all(self) -> bool:
        """Whether all has been read that is held."""
        span = self.history.span
        return self.progress >= 1.0 or (
            span is not None
            and self.history.is_known(span.newest, newest=self.standing.link is not LinkState.FILE)
        )

    def beliefs(self) -> list[HeldBelief] | None:
        """What the selected object believes at the shown frame; None if that is not read yet."""
        if self.moment is None or not self.selected:
            return []
        deciding = {agent for agent, _ in (*self.moment.states, *self.moment.trees)}
        if self.selected not in deciding:
            return []  # it has neither a machine nor a tree to tell any, or is gone
        told = beliefs_stated_by(self.history, self.selected, self.frame)
        if not self.knows(told.frame if told is not None else 0):
            return None
        return beliefs_of(self.history, self.moment, self.selected)

    def name_of(self, object: int) -> str:
        """What to call an object, whether it is in the shown frame or not."""
        return str(object) if self.moment is None else self.moment.name_of(object)

    @property
    def names_version(self) -> int:
        """Differs if objects may be called something else than before."""
        return 0 if self.moment is None else self.moment.roster.version

    @property
    def so_far(self) -> str:
        """What is to be added to "there is none": how much was read. Empty if all was."""
        return "" if self.knows_all else f" in what was read so far ({self.progress:.0%})"

    @property
    def is_settled(self) -> bool:
        """Whether all has been read that there is to read; for pictures and tests."""
        return self.moment is not None and self.progress >= 1.0

    def _remember(self) -> None:
        if self.frame:
            self._trips.leave(self.frame)

    # --- news -----------------------------------------------------------------------------------

    def _take(self) -> None:
        news = self.reader.take()
        if news.restarted:
            self.history, self.moment, self.previous = RecordingHistory(), None, None
            self.around, self.reach, self.progress = {}, _NOWHERE, 0.0
        stands = self._take_standing(news)
        grown = self._take_pages(news)
        moved = news.moment is not None
        if news.moment is not None:
            if self.moment is None:
                self.moment = news.moment
                self._first_look(news.moment)
            self.moment = news.moment
            self.previous = news.previous
        if news.around is not None:
            self.around, self.reach = news.around, news.reach or _NOWHERE
            moved = True
        self._obeyed = self._obeyed if news.obeyed is None else news.obeyed
        if not self._held and self._obeyed >= self._seek:
            moved = moved or self.wish is not None
            self.wish = None
        for changed, signal in ((stands, self.stood), (grown, self.grew), (moved, self.moved)):
            if changed:
                signal.emit()
        for text in news.said:
            self.said.emit(text)
        for asserted in news.asserted:
            self.asserted.emit(asserted)
        if news.moment is not None:
            # A timer without a delay comes behind the painting that was just asked for.
            QTimer.singleShot(0, self.reader.painted)

    def _take_standing(self, news: ReaderUpdate) -> bool:
        before = self.shown, self.standing, self.trouble
        self.shown = news.shown or self.shown
        self.standing = news.standing or self.standing
        self.trouble = self.trouble if news.trouble is None else news.trouble
        return (self.shown, self.standing, self.trouble) != before

    def _take_pages(self, news: ReaderUpdate) -> bool:
        history = self.history
        for begun in news.begun:
            history.begin(*begun)
        for page in news.pages:
            history.put(page)
        grown = bool(news.pages or news.begun)
        if news.marks is not None:
            history.marks = tuple(mark for mark in news.marks if mark.kind != COLORS)
            history.version += 1
            self.colors = colors_of(news.marks)
            grown = True
        if news.losses is not None:
            history.losses = news.losses
            history.version += 1
            grown = True
        if news.holes is not None and news.holes != history.holes:
            history.holes = news.holes
            history.version += 1
            grown = True
        if news.progress is not None:
            self.progress = news.progress
        history.complete = self.progress >= 1.0
        history.lag = 0.0 if self.standing.link is LinkState.FILE else _LAG
        if news.span is not None and news.span != history.span:
            history.span = news.span
            grown = True
            held = news.span.newest - news.span.oldest + 1
            if len(history) > 2 * held + 1000:
                history.forget_before(news.span.oldest - held // 2)
        return grown

    def _first_look(self, moment: FrameSnapshot) -> None:
        """Select the one that it is most likely about."""
        failed = [mark.object for mark in self.history.marks if mark.kind == "check"]
        agents = [agent for agent, _ in moment.states if agent in moment.objects]
        watched = [object for object, _ in moment.watches if object in moment.objects]
        alone = list(moment.objects) if len(moment.objects) == 1 else []
        for object in (self._focus, *failed[:1], *agents[:1], *watched[:1], *alone):
            if object:
                self.select(object)
                return
