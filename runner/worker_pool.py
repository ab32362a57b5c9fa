"""A pool of worker processes, each of which may crash or hang without affecting the others."""

import contextlib
import faulthandler
import multiprocessing
import os
import pickle
import signal
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, Literal, NamedTuple

START = 120.0
"""Seconds that a process may be silent when it begins a task: it loads the game meanwhile."""
GRACE = 5.0
"""Seconds that a process has to say where it is and to end."""
_MOST_TRACE = 20_000
"""Characters of a traceback that are kept."""

Send = Callable[[Any, float], None]
"""Sends a message to the process that gave the task, and how many seconds may pass without another
one."""


class WorkerDeath(NamedTuple):
    """How a process ended in the middle of a task."""

    reason: str
    """`was ended by SIGSEGV`, `ended with exit code 3`, `has sent nothing for 30 s: it hangs`."""
    hangs: bool
    traceback: str
    """Where its threads were, as far as they could say."""


class PoolEvent(NamedTuple):
    """What has become of a task."""

    task: Any
    kind: Literal["message", "done", "failed", "died"]
    value: Any
    """The message; nothing; the exception that it raised; a `WorkerDeath`."""


class WorkerPool:
    """Carries out tasks in processes of its own. A context manager: at its end all are ended.

    Args:
        work: Carries out a task; a function of a module, called in those processes.
        count: The most processes at a time.
    """

    def __init__(self, work: Callable[[Any, Send], None], count: int) -> None:
        self._work = work
        self._count = count
        self._waiting: deque[Any] = deque()
        self._workers: list[_Worker] = []
        self._folder = tempfile.TemporaryDirectory(prefix="playhead-workers-")

    def submit(self, task: Any, *, first: bool = False) -> None:
        """Have a task carried out; before all that wait if it is `first`."""
        if first:
            self._waiting.appendleft(task)
        else:
            self._waiting.append(task)

    @property
    def running(self) -> list[Any]:
        """The tasks that are being carried out."""
        return [worker.task for worker in self._workers if worker.task is not None]

    def events(self) -> Iterator[PoolEvent]:
        """What becomes of all tasks, also of those that are submitted meanwhile."""
        while self._waiting or self.running:
            self._assign_tasks()
            now = time.monotonic()
            busy = [worker for worker in self._workers if worker.task is not None]
            soonest = min(worker.deadline for worker in busy)
            ready = wait([worker.connection for worker in busy], max(0.0, soonest - now))
            for worker in busy:
                if worker.connection in ready:
                    yield from self._receive(worker)
                elif time.monotonic() > worker.deadline:
                    yield self._died(worker, hangs=worker.lives)

    def _assign_tasks(self) -> None:
        while self._waiting:
            worker = next((one for one in self._workers if one.task is None), None)
            if worker is None:
                if len(self._workers) >= self._count:
                    return
                worker = _Worker(self._work, Path(self._folder.name))
                self._workers.append(worker)
            worker.begin(self._waiting.popleft())

    def _receive(self, worker: "_Worker") -> Iterator[PoolEvent]:
        try:
            kind, value, patience = worker.connection.recv()
        except (EOFError, OSError):
            yield self._died(worker, hangs=False)
            return
        worker.allow(patience)
        task = worker.task
        if kind != "message":
            worker.task = None
        yield PoolEvent(task, kind, value)

    def _died(self, worker: "_Worker", *, hangs: bool) -> PoolEvent:
        self._workers.remove(worker)
        task = worker.task
        return PoolEvent(task, "died", worker.end(hangs=hangs))

    def close(self) -> None:
        """End all processes."""
        for worker in self._workers:
            worker.stop()
        self._workers.clear()
        self._folder.cleanup()

    def __enter__(self) -> "WorkerPool":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Worker:
    """One process."""

    def __init__(self, work: Callable[[Any, Send], None], folder: Path) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, other = context.Pipe()
        descriptor, path = tempfile.mkstemp(dir=folder)
        os.close(descriptor)
        self._traces = Path(path)
        self._process = context.Process(
            target=_serve, args=(other, work, self._traces), daemon=True, name="playhead worker"
        )
        self._process.start()
        other.close()
        self.task: Any = None
        self._patience = START
        self.deadline = 0.0

    @property
    def lives(self) -> bool:
        """Whether the process is there still."""
        return self._process.is_alive()

    def begin(self, task: Any) -> None:
        """Give it a task."""
        self.task = task
        self.allow(START)
        with contextlib.suppress(OSError):  # if it has died that is seen when it is listened to
            self.connection.send(task)

    def allow(self, patience: float) -> None:
        """Allow it to be silent for so many seconds from now on."""
        self._patience, self.deadline = patience, time.monotonic() + patience

    def end(self, *, hangs: bool) -> WorkerDeath:
        """Wait for its end, or bring it about if it hangs."""
        process = self._process
        if hangs and hasattr(signal, "SIGABRT") and sys.platform != "win32":
            os.kill(process.pid or 0, signal.SIGABRT)  # it writes where it is
        process.join(GRACE)
        self.stop()
        trace = self._traces.read_text(errors="replace")[-_MOST_TRACE:]
        if hangs:
            reason = f"has sent nothing for {self._patience:g} s: it hangs"
        else:
            reason = _ended(process.exitcode)
        return WorkerDeath(reason, hangs, trace)

    def stop(self) -> None:
        """End it at once."""
        self._process.kill()
        self._process.join()
        self.connection.close()


def _ended(code: int | None) -> str:
    if code is not None and code < 0:
        try:
            return f"was ended by {signal.Signals(-code).name}"
        except ValueError:
            return f"was ended by signal {-code}"
    return f"ended with exit code {code}"


def _serve(connection: Connection, work: Callable[[Any, Send], None], traces: Path) -> None:
    """The other process: carry out tasks until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process ends them
    os.dup2(2, 1)  # what a game prints is no result
    threading.Thread(target=_end_with_parent, name="parent watcher", daemon=True).start()

    def send(value: Any, patience: float) -> None:
        connection.send(("message", value, patience))

    with traces.open("w") as file:
        faulthandler.enable(file)
        while True:
            try:
                task = connection.recv()
            except EOFError:
                return
            try:
                work(task, send)
            except Exception as error:
                connection.send(("failed", _portable(error), START))
            else:
                connection.send(("done", None, START))


def _end_with_parent() -> None:
    """End this process when the parent has died: a game that hangs would never end."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _portable(error: Exception) -> Exception:
    """The same, or one that says the same: not every exception can go to another process."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
