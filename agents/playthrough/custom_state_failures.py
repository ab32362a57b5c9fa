"""Calls a user's own agent states: an error in one, or an endless loop, fails the replay."""

import signal
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import NamedTuple

from ...errors import GameError

PATIENCE = 5.0
"""Seconds of real time that a state may take for a frame."""
_AGAIN = 0.1
"""Seconds after which a state that has swallowed the interruption is interrupted again."""


class StateMistake(NamedTuple):
    """What a state of one's own did wrong."""

    kind: str
    """`raised` or `hangs`."""
    reason: str
    traceback: str


class _Hanging(BaseException):
    """Raised in a state that does not return; no `except Exception` there swallows it."""


class StateGuard:
    """Calls a function that runs such states.

    Where it is not called on the main thread, or on Windows, an endless loop is not noticed here,
    but as a step that takes too long.

    Args:
        patience: Seconds of real time that a call may take.
    """

    def __init__(self, patience: float = PATIENCE) -> None:
        self._patience = patience

    def call(self, act: Callable[[], object]) -> StateMistake | None:
        """Call a function; what went wrong in it, if anything did."""
        try:
            self._limited(act)
        except _Hanging as error:
            return _mistake("hangs", f"has not returned after {self._patience:g} s", error)
        except GameError:
            raise  # the game's own, which a debug function may have broken
        except Exception as error:
            return _mistake("raised", f"raised {error!r}", error)
        return None

    def _limited(self, act: Callable[[], object]) -> None:
        on_main = threading.current_thread() is threading.main_thread()
        if not (on_main and hasattr(signal, "setitimer")):
            act()
            return
        began = time.monotonic()
        handler = signal.signal(signal.SIGALRM, _interrupt)
        left, interval = signal.setitimer(signal.ITIMER_REAL, self._patience, _AGAIN)
        try:
            act()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            signal.signal(signal.SIGALRM, handler)
            if left:  # a timer of other code goes on
                left = max(left - (time.monotonic() - began), 1e-3)
                signal.setitimer(signal.ITIMER_REAL, left, interval)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise _Hanging


def _mistake(kind: str, what: str, error: BaseException) -> StateMistake:
    frames = [one for one in traceback.extract_tb(error.__traceback__) if one.name != "_interrupt"]
    where = "" if not frames else f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}"
    text = "".join(traceback.format_exception(error))
    return StateMistake(kind, f"{what}{where}", text)
