"""Runs long jobs one after another, on a thread of its own."""

import math
import threading
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from ...errors import PlayheadError

Progress = Callable[[float], object]
"""Called with 0 … 1, or NaN if unknown; frequent calls are cheap. It may raise `JobResult`."""
_EVERY = 0.25
"""Seconds between two reports."""
_PATIENCE = 10.0
"""Seconds that a job has to end when the queue is closed."""


class Job(NamedTuple):
    """Something that takes a while."""

    title: str
    """What is being done, as in `Saving short.mcap`."""
    work: Callable[[Progress], str]
    """Does the work, and returns a message for the user."""


class JobResult(Exception):  # noqa: N818 — nothing is wrong
    """Cancel the job: nothing waits for it any more."""


class JobQueue:
    """Starts a thread when there is something to do, which ends when nothing is left.

    Args:
        say: Called from that thread with what a user should read.
    """

    def __init__(self, say: Callable[[str], object]) -> None:
        self._report = say
        self._jobs: deque[Job] = deque()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._reported = self._began = 0.0

    def do(self, job: Job) -> None:
        """Have a job done, after those that wait."""
        with self._lock:
            if self._closed:
                return
            self._jobs.append(job)
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._run, name="playhead viewer jobs", daemon=True
                )
                self._thread.start()

    @property
    def busy(self) -> bool:
        """Whether something is being done."""
        return self._thread is not None

    def close(self) -> None:
        """Take back what is being done, forget what waits, and end."""
        with self._lock:
            self._closed = True
            self._jobs.clear()
            thread = self._thread
        if thread is not None:
            thread.join(_PATIENCE)

    # --- the thread -----------------------------------------------------------------------------

    def _run(self) -> None:
        while True:
            with self._lock:
                if not self._jobs:
                    self._thread = None
                    return
                job = self._jobs.popleft()
            self._reported = self._began = time.monotonic()
            try:
                text = job.work(partial(self._progress, job))
            except JobResult:
                continue
            except PlayheadError as error:
                text = str(error)
            except Exception as error:
                # Without a message the user would not see why nothing was saved.
                text = f"{job.title} failed: {type(error).__name__}: {error}"
            if text and not self._closed:
                self._report(text)

    def _progress(self, job: Job, share: float) -> None:
        if self._closed:
            raise JobResult
        now = time.monotonic()
        if now - self._reported > _EVERY:
            self._reported = now
            text = f"{now - self._began:.0f} s" if math.isnan(share) else f"{share:.0%}"
            self._report(f"{job.title} … {text}")
