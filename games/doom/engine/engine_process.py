"""Starts, calls and ends the engine's process, and removes the files that it leaves behind."""

import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import weakref
from contextlib import suppress
from pathlib import Path

from ....errors import DamagedError, GameError
from . import shared_memory_cleanup as shared_memory
from .engine_protocol import Answer, Channel, Close, Failed, Request

_LAST_WORDS = 14
"""Lines of the engine's output that go into an error."""
_FAREWELL = 3.0
"""Seconds that an engine may take to close by itself before it is killed."""
_GLANCE = 0.01


class EngineProcess:
    """A child Python that owns the engine, in a process group and a folder of its own.

    Args:
        scenario: the name that errors are given under.
        time_out: seconds that each answer may take.
    """

    def __init__(self, scenario: str, time_out: float) -> None:
        self._scenario = scenario
        self._time_out = time_out
        self._shared: set[Path] = set()
        folder = Path(tempfile.mkdtemp(prefix="playhead-doom-"))
        self._log = folder / "engine.log"
        ours, theirs = socket.socketpair()
        # The child finds this package the way this process did, whatever way that was.
        path = os.pathsep.join(entry for entry in sys.path if entry)
        with theirs, self._log.open("wb") as log:
            try:
                self._child = subprocess.Popen(
                    [
                        sys.executable,
                        "-P",
                        "-m",
                        f"{__package__}.engine_server",
                        str(theirs.fileno()),
                        str(os.getpid()),
                    ],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    cwd=folder,
                    env={**os.environ, "PYTHONPATH": path},
                    pass_fds=(theirs.fileno(),),
                    start_new_session=True,
                )
            except OSError as error:
                ours.close()
                shutil.rmtree(folder, ignore_errors=True)
                raise GameError(
                    f"doom:{scenario}: its process can't be started"
                    f" with {sys.executable!r}: {error}"
                ) from error
        self._channel = Channel(ours)
        # Runs once: on closing, on a failure, when collected, or when the interpreter ends.
        self._end = weakref.finalize(
            self, _end, self._child, self._channel, folder, self._shared, os.getpid()
        )

    @property
    def pid(self) -> int:
        """The child's process id, which is also its group's."""
        return self._child.pid

    @property
    def closed(self) -> bool:
        return not self._end.alive

    def ask(self, request: Request, doing: str) -> Answer:
        """The answer to a request. `doing` says in an error what was going on.

        Raises:
            GameError: the engine refused, died or was silent; it is ended then.
        """
        if self.closed:
            raise GameError(f"doom:{self._scenario}: closed, so no {doing}: start another game")
        try:
            self._channel.send(request)
            deadline = time.monotonic() + self._time_out
            self._note_shared_memory(deadline)
            answer = self._channel.answer(deadline)
        except TimeoutError:
            problem = f"no answer within {self._time_out:g} s, so it was ended"
        except (EOFError, OSError):
            problem = ""
        except DamagedError as error:
            problem = str(error)
        except BaseException:
            # An answer that is left half read would be taken for the next one's.
            self._end()
            raise
        else:
            if not isinstance(answer, Failed):
                return answer
            problem = answer.reason
        words = self._last_words()
        self._end()
        problem = problem or f"the engine was ended by {_exit(self._child.returncode)}"
        raise GameError(f"doom:{self._scenario}: {doing} failed: {problem}{words}")

    def close(self) -> None:
        """End the engine and its process, and remove what they left. Once is enough."""
        if self.closed:
            return
        self._shared |= shared_memory.mapped_by(self.pid)
        with suppress(OSError):
            self._channel.send(Close())
            self._channel.drain(_FAREWELL)
        self._end()

    def _note_shared_memory(self, deadline: float) -> None:
        """Learn what would be left behind by a kill, while the process still exists."""
        while not self._shared and time.monotonic() < deadline:
            if select.select([self._channel], [], [], _GLANCE)[0]:
                return
            self._shared |= shared_memory.mapped_by(self.pid)

    def _last_words(self) -> str:
        try:
            lines = self._log.read_text(errors="replace").strip().splitlines()[-_LAST_WORDS:]
        except OSError:
            return ""
        return "\nits last words:\n  " + "\n  ".join(lines) if lines else ""


def _exit(code: int) -> str:
    if code >= 0:
        return f"itself, with exit status {code}"
    try:
        return f"the signal {signal.Signals(-code).name}"
    except ValueError:
        return f"the signal {-code}"


def _end(
    child: "subprocess.Popen[bytes]",
    channel: Channel,
    folder: Path,
    shared: set[Path],
    owner: int,
) -> None:
    if os.getpid() != owner:
        return  # A fork of the owner has no say in it.
    shared |= shared_memory.mapped_by(child.pid)
    # Before the child is waited for: until then its group's number can't be another's.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    channel.close()
    shared_memory.remove(shared)
    shutil.rmtree(folder, ignore_errors=True)
