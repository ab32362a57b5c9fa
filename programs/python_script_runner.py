"""Runs a program under the recorder, so that it ends as it would with plain Python."""

import _thread
import atexit
import os
import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

from ..errors import CommandError, PlayheadError
from .import_hooks import ImportHooks
from .patches.patch_table import patches_for
from .program_report import report
from .python_program import PythonProgram
from .recognition_summary import Recognition
from .unmodified_program_recorder import ProgramOptions, ProgramRecorder, RecordingEnded

GRACE = 2.0
"""Seconds that a program whose time is up may take until its next step; then it is interrupted."""
GIVEN_UP = 10.0
"""Seconds after which a program that goes on nevertheless is ended where it is."""
_TIMED_OUT = 124
"""The exit code then, as that of the command `timeout`."""
_POLITE = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


class ProgramRun:
    """One program, run and recorded in this process.

    Args:
        seconds: Real time after which the program is ended; None for never.
        tell: Prints a line for the user.
        is_verbose: Whether what is recognised is printed at once.
    """

    def __init__(
        self, program: PythonProgram, options: ProgramOptions, *, tell: Callable[[str], object],
        seconds: float | None = None, is_verbose: bool = False,
    ) -> None:  # fmt: skip
        self._program = program
        self._tell = tell
        self._seconds = seconds
        self._pid = os.getpid()
        recognition = Recognition(tell if is_verbose else lambda line: None)
        self._recorder = ProgramRecorder(options, recognition)
        self._hooks = ImportHooks(
            patches_for(self._recorder),
            lambda name, error: recognition.note(f"{name} could not be patched: {error}"),
        )
        self._load_error: BaseException | None = None
        self._signal = 0
        """The polite signal that ended the program; 0 if none did."""

    def load(self) -> None:
        """Find and compile the program, in the surroundings that it will run in.

        Raises:
            CommandError: there is no such module, or it can't be run.
        """
        self._program.prepare()
        self._hooks.install()
        try:
            self._program.load()
        except CommandError:
            raise
        except BaseException as error:  # also of a package around a module: it is the program's
            self._load_error = error

    def run(self) -> None:
        """Run it. What ends it comes out, for Python to print and to make the exit code of."""
        atexit.register(self._finish)  # so it comes after what the program registers
        self._handle_signals()
        if self._seconds is not None:
            threading.Thread(target=self._watch, daemon=True, name="playhead time limit").start()
        try:
            if self._load_error is not None:
                error, self._load_error = self._load_error, None
                raise error
            self._program.run()
        except RecordingEnded:
            raise
        except KeyboardInterrupt as error:
            if self._recorder.out_of_time:
                raise SystemExit(0) from None
            self._end_as_python(error)
            raise
        except _Ended:
            raise SystemExit(128 + self._signal) from None
        except BaseException as error:
            self._end_as_python(error)
            raise

    def _end_as_python(self, error: BaseException) -> None:
        """Have the program's own excepthook, or Python's, see the program's part of the traceback
        alone."""
        # Nothing here may hold the error, whose traceback holds all that the program has: Python
        # frees that early at its end, and some libraries break when it is freed late.
        hook, program, its_id = sys.excepthook, self._program, id(error)

        def excepthook(
            kind: type[BaseException], raised: BaseException, trace: TracebackType | None
        ) -> Any:
            if id(raised) == its_id:
                trace = program.without_runner(raised)
                raised = raised.with_traceback(trace)
            return hook(kind, raised, trace)

        sys.excepthook = excepthook

    # --- ends that come from outside --------------------------------------------------------------

    def _handle_signals(self) -> None:
        """Let a polite kill end the program as Ctrl-C does, so that the recording is saved. A
        program that handles the signal itself goes on doing so."""
        handled = [one for one in _POLITE if signal.getsignal(one) is signal.SIG_DFL]
        for number in handled:
            signal.signal(number, self._on_signal)

        # In a child Python forgets signals that came before its first line of code. So they wait
        # from before the fork until the child has forgotten the handler, and end it then.
        waiting: list[set[int | signal.Signals]] = []

        def before() -> None:
            waiting.append(signal.pthread_sigmask(signal.SIG_BLOCK, handled))

        def in_parent() -> None:
            signal.pthread_sigmask(signal.SIG_SETMASK, waiting.pop())

        def in_child() -> None:
            for number in handled:
                if signal.getsignal(number) == self._on_signal:
                    signal.signal(number, signal.SIG_DFL)
            in_parent()

        if hasattr(os, "register_at_fork"):
            os.register_at_fork(before=before, after_in_parent=in_parent, after_in_child=in_child)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._signal = number
        raise _Ended

    def _watch(self) -> None:
        """End the program when its time is up: between two steps, or else where it is."""
        assert self._seconds is not None
        ended = threading.Event()
        ended.wait(self._seconds)
        self._recorder.out_of_time = True
        ended.wait(GRACE)
        if not self._recorder.is_finished:
            _interrupt()
        ended.wait(GIVEN_UP)
        if not self._recorder.is_finished:
            self._tell(
                f"the program did not end {GRACE + GIVEN_UP:.0f} seconds after its time was up:"
                " it is stopped where it is"
            )
            self._finish()
            os._exit(_TIMED_OUT)

    def _finish(self) -> None:
        """Save the recording, and say what is in it."""
        if self._recorder.is_finished:
            return
        if os.getpid() != self._pid:
            self._recorder.release()
            return
        self._hooks.remove()
        try:
            self._recorder.close()
        except PlayheadError as error:
            self._recorder.recognition.note(f"the clip could not be saved: {error}")
        for line in report(self._recorder, self._program.name):
            self._tell(line)
        self._recorder.release()
        if self._signal:
            _end_by(self._signal)


class _Ended(BaseException):
    """A polite signal asked this process to end."""


def _end_by(number: int) -> None:
    """End this process by a signal, as it would have without a handler."""
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def _interrupt() -> None:
    """Ctrl-C for the main thread, which also ends a system call there."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:  # pragma: no cover
        _thread.interrupt_main()
