"""Ctrl-C, SIGTERM and SIGHUP end a command, after it has saved what it has."""

import _thread
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

GRACE = 1.0
"""Seconds within which a step must have ended after a signal; then it is broken off."""
PATIENCE = 0.5
"""Seconds after which the user is warned that a clip is still being saved."""
_ENDING = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)


class Terminated(BaseException):
    """A signal other than Ctrl-C asked this process to end."""

    def __init__(self, number: int) -> None:
        super().__init__(f"ended by {signal.Signals(number).name}")
        self.number = number


def exception_of_signal(number: int) -> BaseException:
    """The exception for a signal: a `KeyboardInterrupt`, or `Terminated`."""
    return KeyboardInterrupt() if number == signal.SIGINT else Terminated(number)


@contextmanager
def terminable() -> Iterator[None]:
    """Within it SIGTERM and SIGHUP raise `Terminated`, so that what is open is closed and no half
    file stays."""

    def end(number: int, frame: FrameType | None) -> None:
        raise Terminated(number)

    before = _installed([one for one in _ENDING if one != signal.SIGINT], end)
    try:
        yield
    finally:
        _put_back(before)


def die_at_once() -> None:
    """SIGTERM and SIGHUP end the process as ever: for what runs no Python while it waits."""
    _installed([one for one in _ENDING if one != signal.SIGINT], signal.SIG_DFL)


class Stopper:
    """Ends a run at a signal, between two steps if that is possible. A context manager.

    The first signal raises `KeyboardInterrupt` or `Terminated`, but for two stretches: a `step`
    ends first, if it ends soon, and what is `finishing` goes on, until one more signal comes.
    """

    def __init__(self) -> None:
        self.number = 0
        """The number of the first signal that came; 0 for none."""
        self.interrupted_step = False
        """Whether a step was interrupted, so that the game is in the middle of it."""
        self._count = 0
        self._in_step = self._finishes = False
        self._sent = False
        """Whether the next signal is the one that breaks a step off."""
        self._before: dict[int, Any] = {}

    def __enter__(self) -> "Stopper":
        self._before = _installed(_ENDING, self._came)
        return self

    def __exit__(self, *_: object) -> None:
        _put_back(self._before)

    def _came(self, number: int, frame: FrameType | None) -> None:
        sent, self._sent = self._sent, False
        if sent and not self._in_step:
            return  # the step has ended meanwhile
        self._count += not sent
        self.number = self.number or number
        if self._finishes:
            return
        if self._in_step and self._count == 1 and not sent:
            # No Thread, whose locks the interrupted code may hold.
            _thread.start_new_thread(self._break_off, (number,))
            return
        self.interrupted_step = self._in_step
        raise exception_of_signal(self.number)

    def _break_off(self, number: int) -> None:
        time.sleep(GRACE)
        if not self._in_step:
            return
        self._sent = True
        if hasattr(signal, "pthread_kill"):
            # Unlike interrupt_main this also ends a system call.
            signal.pthread_kill(threading.main_thread().ident or 0, number)
        else:  # pragma: no cover
            _thread.interrupt_main(signal.Signals(number))

    @contextmanager
    def step(self) -> Iterator[None]:
        """A step of the game: a signal that comes within it raises at its end."""
        self._in_step = True
        try:
            yield
        finally:
            self._in_step = False
        self.check()

    def check(self) -> None:
        """Raise if a signal has come."""
        if self.number and not self._finishes:
            raise exception_of_signal(self.number)

    def clear(self) -> None:
        """Forget the signal: it did not mean to end the run."""
        self.number = self._count = 0

    def finish(self, error: BaseException | None = None) -> None:
        """Signals raise nothing from now on: see `finishing_progress`.

        Args:
            error: What ended the run, if something did.
        """
        self._finishes = True
        if error is not None:
            self._count = 1
            self.number = self.number or getattr(error, "number", int(signal.SIGINT))

    def finishing_progress(
        self, update: Callable[[int, int], object], warn: Callable[[], object]
    ) -> Callable[[int, int], None]:
        """A progress callback for what must not be lost: the second signal breaks it off.

        Args:
            update: Called with the progress.
            warn: Called once, when a first signal comes, or makes a caller wait.
        """
        warned, patient_until = False, time.monotonic() + PATIENCE if self._count else 0.0

        def step(done: int, total: int) -> None:
            nonlocal warned
            if self._count > 1:
                raise exception_of_signal(self.number)
            if self._count and not warned and time.monotonic() > patient_until:
                warned = True
                warn()
            update(done, total)

        return step


def _installed(numbers: Any, handler: Any) -> dict[int, Any]:
    """Handle signals; returns what handled them. Those that are ignored stay so."""
    before: dict[int, Any] = {}
    for number in numbers:
        found = signal.getsignal(number)
        if found is None or found is signal.SIG_IGN:
            continue
        with suppress(ValueError):  # not in the main thread
            before[number] = signal.signal(number, handler)
    return before


def _put_back(before: dict[int, Any]) -> None:
    for number, handler in before.items():
        signal.signal(number, handler)
