"""One step of a game as a `with` block, and how a paused game waits."""

import logging
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Protocol

from ..errors import RecordingError
from ..recorder.text.safe_log import log_safely
from .playback_state import Mode
from .playhead import Playhead

_logger = logging.getLogger("playhead")

TICK = 1 / 60
"""Seconds between two movements of a playhead that plays."""
_LOOK_AGAIN = 0.25
"""Seconds after which a game without a bus looks whether anybody is left who could wake it."""


class FrameRecorder(Protocol):
    """What records a step and moves the playhead: the session."""

    @property
    def live(self) -> bool: ...

    def update(self, dt: float, time: float | None = None) -> None: ...

    def wait(self, timeout: float | None = None) -> bool: ...


class FrameScope:
    """A block that is one step: its end records it, and obeys what was asked for inside.

    Args:
        begin: Called at the start of the block. It returns when the game is live.
        end: Called at the end of the block. It records the step.
    """

    def __init__(self, begin: Callable[[], None], end: Callable[[], None]) -> None:
        self._begin, self._end = begin, end

    def __enter__(self) -> None:
        self._begin()

    def __exit__(
        self,
        type: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        __tracebackhide__ = True  # of a check that fails a test, the test's own line is shown
        if error is None:
            self._end()
            return
        # Half a step is a frame, too: it shows where the game broke, and statements of it stay
        # out of the next step's frame.
        try:
            self._end()
        except Exception as failed:
            error.add_note(f"playhead could not record the step that raised: {failed}")


def can_be_woken(on_bus: bool) -> bool:
    """Whether anybody could end playback while the game's thread sleeps: a tool or a thread."""
    return on_bus or any(
        thread is not threading.current_thread() and not thread.name.startswith("playhead ")
        for thread in threading.enumerate()
    )


def await_live(
    session: FrameRecorder, playhead: Playhead, *, on_bus: bool,
    clock: Callable[[], float] = time.monotonic,
) -> None:  # fmt: skip
    """Return when the game is live; until then obey commands and move with the playhead.

    Raises:
        RecordingError: nothing is there that could end playback.
    """
    before, logged = clock(), False
    while not session.live:
        if not can_be_woken(on_bus):
            raise RecordingError(
                "the game is paused in playback, and nothing is connected that could resume it:"
                " call leave() before the next frame, put the session on the bus (bus=True), or"
                " let failed checks not pause it (on_check=ph.UNATTENDED)"
            )
        woken = session.wait(
            TICK if playhead.mode is Mode.PLAYING else None if on_bus else _LOOK_AGAIN
        )
        if not (woken or logged or on_bus):
            logged = True
            log_safely(
                _logger,
                logging.WARNING,
                "the game is paused in playback, and waits for another thread to send a command:"
                " session.leave() lets it run on",
            )
        now = clock()
        if not session.live:
            session.update(now - before)
        before = now
