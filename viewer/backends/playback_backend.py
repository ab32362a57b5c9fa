"""Playback backends: a recording to be scrubbed, and what moves its playhead."""

import time
from collections.abc import Iterable, Sequence
from enum import Enum
from typing import NamedTuple, Protocol

from ...playback.commands import Command, Enter, Leave, SeekFrame
from ...playback.playback_state import Mode, PlaybackState
from ...playback.playhead import Playhead
from ...recorder.checks.failed_check_tracker import FailedCheck
from ...recorder.packets.mark import Mark
from ...recorder.reading.frame_source import FrameSource
from ..reader.history.history_record_types import FramePage

DIVERGENCE, DIVERGENCE_ENDS = "divergence", "divergence ends"
"""Marks of replayed demos; their notes say what diverges."""


def first_divergence(marks: Iterable[Mark]) -> Mark | None:
    """The mark where a replay first went another way than its demo, and did not come back."""
    since: dict[str, Mark] = {}
    for mark in marks:
        if mark.name == DIVERGENCE:
            since.setdefault(mark.note, mark)
        elif mark.name == DIVERGENCE_ENDS:
            since.pop(mark.note, None)
    return min(since.values(), key=lambda mark: mark.frame, default=None)


class LinkState(Enum):
    """How a backend is connected to what it shows."""

    NOTHING = "nothing"
    """No service was found yet."""
    FILE = "file"
    GROWING = "growing"
    """A file that is being written."""
    CONNECTED = "connected"
    LOST = "lost"
    """It was there, and is looked for again."""
    UNREADABLE = "unreadable"
    """A file that is no recording, or can't be read: nothing is looked for."""


class BackendState(NamedTuple):
    """The connection of a backend: what is shown beside the time."""

    link: LinkState
    title: str
    """A file's name, or an endpoint."""
    tools: int = 0
    """How many are connected, this viewer among them."""
    error_text: str = ""
    """What is wrong with it, in one line."""
    since: float = 0.0
    """When it was lost, on the monotonic clock."""
    game: str = ""
    retry_at: float = 0.0
    """For a lost one: when it is looked for again, on the monotonic clock; 0 for just now."""


class ReportedCheck(NamedTuple):
    """A check that has just failed in a game that runs."""

    violation: FailedCheck
    is_paused: bool
    """Whether the game is paused there; else it runs on."""
    heading: str = "Check failed"
    """What kind of thing it is that went wrong."""


class PlaybackBackend(Protocol):
    """What the reader's thread needs of a source of frames with a playhead. Used by one thread."""

    @property
    def source(self) -> FrameSource: ...

    @property
    def state(self) -> PlaybackState: ...

    @property
    def backend_state(self) -> BackendState: ...

    @property
    def handles(self) -> Sequence[int]:
        """File handles that become readable when something arrives."""

    @property
    def pause(self) -> float:
        """Seconds after which `update` must be called again even if nothing arrived."""

    def apply(self, command: Command) -> PlaybackState:
        """Carry out a command.

        Raises:
            PlayheadError: it can't be.
        """

    def update(self) -> None:
        """Let time pass and take in what came."""

    def changed(self) -> list[int]:
        """Frames that must be read again, since this was last asked."""

    def restarted(self) -> bool:
        """Whether all that was read belongs to another recording, since this was last asked."""

    def page(self, frame: int) -> FramePage:
        """The statements of a frame.

        Raises:
            PlayheadError: it can't be read.
        """

    def marks(self) -> list[Mark]: ...

    def failed_checks(self) -> list[ReportedCheck]:
        """The checks that have failed since this was last asked."""

    def retry(self) -> None:
        """Look for a lost game now."""

    def close(self) -> None: ...


PLAYING_PAUSE = 1 / 60
FOLLOWING_PAUSE = 1 / 30
PAUSED_INTERVAL = 0.5


class FileBackend:
    """A recording without its game: a clip, or the ring of a game that runs or died.

    It opens where a replay first went another way than its demo, else where a check failed first,
    else at the newest frame.

    Args:
        source: What is recorded.
        title: What to call it.
        growing: Whether a process may be writing: then its newest end can be followed.
        trouble: What is wrong with it.
    """

    def __init__(
        self, source: FrameSource, title: str, *, growing: bool = False, error_text: str = ""
    ) -> None:
        self.source = source
        self._growing = growing
        self._playhead = Playhead(source, clock=time.monotonic)
        self._backend_state = BackendState(
            LinkState.GROWING if growing else LinkState.FILE,
            title,
            error_text=error_text,
            game=_game(source),
        )
        self._playhead.apply(Enter())
        failed = [mark for mark in source.marks() if mark.kind == "check"]
        self._newest_failed = failed[-1].frame if failed else 0
        """The newest frame in which a check is known to have failed; the game may add some."""
        self._failed_checks: list[ReportedCheck] = []
        opening = first_divergence(source.marks()) or (failed[0] if failed else None)
        if opening is not None:
            self._playhead.apply(SeekFrame(opening.frame))

    @property
    def state(self) -> PlaybackState:
        shown = self._playhead.state
        if shown.mode is not Mode.LIVE or shown.span is None:
            return shown
        newest = shown.span.newest
        return PlaybackState(
            Mode.LIVE, newest, shown.span.end, shown.rate, loop=shown.loop, focus=shown.focus,
            hidden=shown.hidden, span=shown.span,
        )  # fmt: skip

    @property
    def backend_state(self) -> BackendState:
        return self._backend_state

    @property
    def handles(self) -> Sequence[int]:
        return ()

    @property
    def pause(self) -> float:
        if self._playhead.mode is Mode.PLAYING:
            return PLAYING_PAUSE
        return FOLLOWING_PAUSE if self._playhead.mode is Mode.LIVE else PAUSED_INTERVAL

    def apply(self, command: Command) -> PlaybackState:
        if isinstance(command, Leave) and not self._growing:
            # There is no game to be let go: what is meant is the newest frame.
            span = self.source.span
            command = Enter() if span is None else SeekFrame(span.newest)
        self._playhead.apply(command)
        return self.state

    def update(self) -> None:
        self._playhead.update()

    def changed(self) -> list[int]:
        return []

    def restarted(self) -> bool:
        return False

    def page(self, frame: int) -> FramePage:
        return frame_page(self.source, frame)

    def marks(self) -> list[Mark]:
        marks = list(self.source.marks())
        if self._growing:
            failed = [mark for mark in marks if mark.kind == "check"]
            # The oldest go when their frames are evicted: what is new is at the end.
            self._failed_checks += [
                ReportedCheck(failed_check_of(mark), False)
                for mark in failed
                if mark.frame > self._newest_failed
            ]
            self._newest_failed = failed[-1].frame if failed else self._newest_failed
        return marks

    def failed_checks(self) -> list[ReportedCheck]:
        failed_checks, self._failed_checks = self._failed_checks, []
        return failed_checks

    def retry(self) -> None:
        pass

    def close(self) -> None:
        close = getattr(self.source, "close", None)
        if close is not None:
            close()


def frame_page(source: FrameSource, frame: int) -> FramePage:
    """The statements of a frame of any source."""
    statements = source.statements(frame)
    stamp = source.stamp(frame)  # a clip reads it out of the frame that is at hand now
    return FramePage(
        frame, stamp.time, stamp.delta, stamp.flags, statements.traces, statements.logs,
        statements.watches, statements.gone, statements.inputs, statements.phase, statements.events,
        statements.choices,
    )  # fmt: skip


def failed_check_of(mark: Mark) -> FailedCheck:
    """What a failed check's mark says, as the check itself would."""
    return FailedCheck(
        mark.name, mark.expression, mark.object, mark.file, mark.line, mark.frame, mark.time
    )


def reported_divergence(mark: Mark) -> ReportedCheck:
    """What the mark of a divergence says, to be shown like a failed check."""
    found = FailedCheck(mark.note, "", mark.object, "", 0, mark.frame, mark.time)
    return ReportedCheck(found, True, "Not as in the demo")


def _game(source: FrameSource) -> str:
    span = source.span
    return "" if span is None else str(source.about(span.newest).get("game", ""))
