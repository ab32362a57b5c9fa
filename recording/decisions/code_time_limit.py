"""Interrupts user code that does not end in time."""

import ctypes
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from ...errors import CommandError

_DEBUGGERS = ("bdb", "pdb", "pydevd", "debugpy", "_pydevd_bundle")
_AGAIN = 0.5
"""Seconds between two checks whether a debugger is still attached."""


class _TooLong(BaseException):
    """Raised within the code that takes too long; no `except Exception` catches it."""


@contextmanager
def time_limit(seconds: float | None, what: str) -> Iterator[None]:
    """Within it code may take so many seconds; None: as long as it likes.

    Time at a breakpoint in it does not count. On the main thread of a system with
    `setitimer` everything is broken off, elsewhere what is written in Python.

    Raises:
        CommandError: it took longer.
    """
    if seconds is None or _is_debugger(sys.gettrace()):
        yield
        return
    in_main = threading.current_thread() is threading.main_thread()
    begin = _by_signal if in_main and hasattr(signal, "setitimer") else _by_thread
    end = begin(seconds)
    try:
        yield
    except _TooLong:
        raise CommandError(
            f"{what} did not come to an end within {seconds:g} s: it was broken off"
        ) from None
    finally:
        end()


def _by_signal(seconds: float) -> Callable[[], None]:
    def over(number: int, frame: FrameType | None) -> None:
        if _is_debugged(frame):
            signal.setitimer(signal.ITIMER_REAL, _AGAIN)
        else:
            raise _TooLong

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds)

    def end() -> None:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)

    return end


def _by_thread(seconds: float) -> Callable[[], None]:
    watched, done = threading.get_ident(), threading.Event()
    lock = threading.Lock()

    def watch() -> None:
        wait = seconds
        while not done.wait(wait):
            with lock:
                if done.is_set():
                    return
                if not _is_debugged(sys._current_frames().get(watched)):
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(
                        ctypes.c_ulong(watched), ctypes.py_object(_TooLong)
                    )
                    return
            wait = _AGAIN

    thread = threading.Thread(target=watch, name="playhead time limit", daemon=True)
    thread.start()

    def end() -> None:
        with lock:
            done.set()
        thread.join()

    return end


def _is_debugged(frame: FrameType | None) -> bool:
    """Whether a debugger has control further up the stack."""
    while frame is not None:
        if _is_debugger(frame.f_trace):
            return True
        if frame.f_globals.get("__name__", "").startswith(_DEBUGGERS):
            return True
        frame = frame.f_back
    return False


def _is_debugger(trace: object) -> bool:
    """Whether a trace function may stop the program. One that measures coverage never does."""
    if trace is None:
        return False
    of = getattr(trace, "__module__", None) or type(trace).__module__
    return of.partition(".")[0] != "coverage"
