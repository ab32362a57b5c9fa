"""Saves clips while the game runs: one thread writes the frames that the copier copies.

The thread never touches the game. While the game runs, the thread works in short slices, so that it
delays a frame of the game only a little.
"""

import atexit
import os
import platform
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from ...errors import CapacityError, PlayheadError, RecordingError
from ...native.fork_safety import on_fork
from ...native.ring import FrameRing
from ...native.ring_memory import parse_size
from ..clip_triggers import ClipPolicy
from ..clips.clip_writer import ClipAttachment, ClipWriter
from .clip_copy_plan import ClipCopyPlan, CopiedFrames
from .clip_folder import ClipFolder
from .clip_job import ClipJob
from .ring_copier import RingCopier

MOST_AT_ONCE = 8
"""Clips that may be on their way at the same time; more are refused."""
COPIED_AT_ONCE = 256 << 10
"""Bytes that the thread copies before it writes again."""
WORKS_FOR = 0.0005
"""Seconds in which it writes before it rests, or until one frame is written."""
REST = 3.0
"""While the game runs, the thread rests this many times as long as it has worked."""
NEWS = 0.05
"""Seconds in which it looks for frames of a post-roll that were recorded meanwhile."""
CLOSE_WITHIN = 30.0
"""Seconds in which clips are finished when the recording is closed; then they are given up."""
MOST_CLIPS_LISTED = 100
"""Clips that are remembered."""
_PROGRESS = 0.05
"""Seconds between two calls of a progress callback."""


@dataclass(eq=False)
class _Job:
    clip: ClipJob
    plan: ClipCopyPlan
    when: float
    start: float
    """Time of its first frame, and of the last as far as it is known."""
    until: float
    about: Mapping[str, str]
    attachments: Iterable[ClipAttachment]
    progress: Callable[[ClipJob], object] | None
    overwrite: bool
    keep_older: bool
    in_folder: bool
    writer: ClipWriter | None = None
    progress_at: float = field(default=float("-inf"))


class ClipWorker:
    """Clips of a ring that goes on recording. For any thread, unless a method says otherwise.

    Args:
        ring: What is recorded.
        policy: Where clips go, how many stay, how much memory they may take.
    """

    def __init__(self, ring: FrameRing, policy: ClipPolicy) -> None:
        self.policy = policy
        self.folder = ClipFolder(policy.folder, policy.keep_last, parse_size(policy.most_bytes))
        self.on_done: Callable[[ClipJob], object] = lambda clip: None
        """Called, by the thread that writes, when a clip is saved or has failed."""
        self._ring = ring
        self._copier = RingCopier(ring, parse_size(policy.buffer))
        self._lock = threading.Lock()
        self._jobs: list[_Job] = []
        self._clips: deque[ClipJob] = deque(maxlen=MOST_CLIPS_LISTED)
        self._thread: threading.Thread | None = None
        self._wake = threading.Event()
        self._hurry = threading.Event()
        """Set while the thread may work without pauses."""
        self._waiting = 0
        self._is_suspended = self._closed = False
        self._game = threading.get_ident()
        self._closed_by = "the recording is closed"
        on_fork(self)

    # --- for the game's thread ------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        """Whether frames are still to be copied: then `recorded` is to be called for each."""
        return self._copier.busy

    def recorded(self) -> None:
        """A frame has been recorded: copy what the next ones may evict."""
        self._game = threading.get_ident()
        self._copier.copy_ahead()

    def set_suspended(self, suspended: bool) -> None:
        """The game is paused from now on, or runs on; a pause ends all post-rolls."""
        self._is_suspended = suspended
        if suspended:
            self._end_rolls()
        self._pace()

    # --- clips ----------------------------------------------------------------------------------

    @property
    def clips(self) -> tuple[ClipJob, ...]:
        """The clips that were begun, oldest first: the newest hundred."""
        with self._lock:
            return tuple(self._clips)

    def begin(
        self,
        name: str,
        plan: ClipCopyPlan,
        path: str | os.PathLike[str] | None = None,
        *,
        about: Mapping[str, str] | None = None,
        attachments: Iterable[ClipAttachment] = (),
        progress: Callable[[ClipJob], object] | None = None,
        overwrite: bool = False,
        keep_older: bool = False,
    ) -> ClipJob:
        """Begin to save a clip, and go on.

        Args:
            name: What it is saved for.
            plan: Its frames.
            path: The file; by default one in the folder, named by time and name.
            progress: Called now and then, by the thread that writes.
            overwrite: Replace a file that is there.
            keep_older: Keep a clip that is there under the next number.

        Raises:
            CapacityError: too many are on their way already.
            RecordingError: the recording is closed.
        """
        clip = ClipJob(name, None if path is None else Path(path))
        oldest, newest = self._ring.oldest, self._ring.newest
        if oldest is not None and plan.next < oldest[0]:
            plan.next = oldest[0]  # what is gone already was never promised
        start = 0.0 if newest is None else self._time_of(plan.next, newest)
        until = start if newest is None else newest[1]
        job = _Job(
            clip, plan, time.time(), start, until, {**versions(), **(about or {})},
            tuple(attachments), progress, overwrite, keep_older, path is None,
        )  # fmt: skip
        clip.on_wait = lambda: self._wait_for(job)
        with self._lock:
            if self._closed:
                raise RecordingError(f"clip {name!r}: {self._closed_by}")
            if len(self._jobs) >= MOST_AT_ONCE:
                raise CapacityError(
                    f"clip {name!r}: {MOST_AT_ONCE} are being saved already: it was not begun"
                )
            self._clips.append(clip)
            self._copier.add(plan)
            if self._is_suspended:
                self._copier.end_all([plan])
            self._jobs.append(job)
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._run, name="playhead clips", daemon=True
                )
                self._thread.start()
                self._close_at_exit()
        if threading.get_ident() == self._game:
            self._copier.copy_ahead()
        self._wake.set()
        return clip

    def _close_at_exit(self) -> None:
        """A program may end without closing the recording, and the thread would die with it.

        Functions run at the exit in reverse order. `weakref.finalize` has one for all its objects,
        registered with the first of them. It has to come before this one, or it would take the
        files away that are still written.
        """
        weakref.finalize(self, int).detach()
        atexit.register(self.close)

    def forked(self) -> None:
        """This is a forked child: the clips that are on their way are the parent's."""
        atexit.unregister(self.close)
        self._lock, self._thread = threading.Lock(), None
        self._copier = RingCopier(self._ring, parse_size(self.policy.buffer))
        self._closed = True
        self._closed_by = (
            "this process was forked from the one that records, and saves no clips of it in the"
            " background: save() still writes what is held"
        )
        jobs, self._jobs = self._jobs, []
        for job in jobs:
            job.clip.forked(RecordingError(f"clip {job.clip.name!r}: {self._closed_by}"))

    def is_saving(self, name: str) -> bool:
        """Whether a clip of that name is on its way."""
        with self._lock:
            return any(job.clip.name == name for job in self._jobs)

    def _time_of(self, frame: int, newest: tuple[int, float]) -> float:
        try:
            return self._ring.stamp(frame)[1] if frame <= newest[0] else newest[1]
        except PlayheadError:
            return newest[1]

    def _wait_for(self, job: _Job) -> Callable[[], None]:
        if threading.get_ident() == self._game:
            self._copier.end_all([job.plan])
        self._wait(1)
        return lambda: self._wait(-1)

    def _wait(self, step: int) -> None:
        with self._lock:
            self._waiting += step
        self._pace()

    def _pace(self) -> None:
        if self._is_suspended or self._waiting or self._closed:
            self._hurry.set()
            self._wake.set()
        else:
            self._hurry.clear()

    def _end_rolls(self) -> None:
        with self._lock:
            self._copier.end_all([job.plan for job in self._jobs])

    def close(self, within: float = CLOSE_WITHIN) -> None:
        """Finish the clips that were begun, without what is not recorded yet.

        Also called at the program's end, if it did not close the recording. Those that are not
        written `within` so many seconds are given up: no file is left of them.
        """
        with self._lock:
            self._closed = True
            thread = self._thread
        self._end_rolls()
        self._pace()
        if thread is None:
            return
        thread.join(within)
        if thread.is_alive():
            with self._lock:
                late = list(self._jobs)
            for job in late:
                self._copier.forget(job.plan)
                job.clip.finish(None, RecordingError(
                    f"{job.clip.path or job.clip.name}: the clip was given up: the recording was"
                    f" closed, and it was not written within {within:g} s"
                ))  # fmt: skip
            thread.join(1.0)  # unless the disk itself hangs it ends now

    # --- the thread that writes -----------------------------------------------------------------

    def _run(self) -> None:
        self._hurry.wait(NEWS)  # the thread that started this one goes on first
        while True:
            self._wake.clear()
            began = time.perf_counter()
            try:
                worked = self._turn(began + WORKS_FOR)
            except Exception as error:  # else callers that wait for a clip would wait for ever
                for job in tuple(self._jobs):
                    self._attempt(job, partial(_raise, error))
                worked = True
            with self._lock:
                if not self._jobs:
                    self._thread = None
                    atexit.unregister(self.close)  # which would keep the ring
                    return
            if not worked:
                self._wake.wait(NEWS)
            else:
                # Cut short as soon as a caller waits.
                self._hurry.wait(REST * (time.perf_counter() - began))

    def _turn(self, until: float) -> bool:
        """Copy some frames and write some; True if there was anything to do."""
        worked = self._copier.copy(COPIED_AT_ONCE)
        while (fetched := self._copier.fetch()) is not None:
            plan, copied = fetched
            worked = True
            for job in tuple(self._jobs):
                if job.plan is plan:
                    self._attempt(job, partial(self._write, job, copied))
            if time.perf_counter() > until:
                break
        for job in tuple(self._jobs):
            if job.clip.done() or self._copier.is_through(job.plan):
                self._attempt(job, partial(self._finish, job))
                worked = True
        return worked

    def _attempt(self, job: _Job, work: Callable[[], None]) -> None:
        """Do something for a clip; whatever goes wrong costs that clip, no more."""
        try:
            work()
        except PlayheadError as error:
            self._end(job, error)
        except Exception as error:
            failure = RecordingError(
                f"{job.clip.path or job.clip.name}: the clip failed: {error!r}"
            )
            failure.__cause__ = error
            self._end(job, failure)
        else:
            if job.clip.done():
                self._end(job)

    def _end(self, job: _Job, error: PlayheadError | None = None) -> None:
        self._copier.forget(job.plan)
        if job.writer is not None and job.clip.saved is None:
            job.writer.abort()
        if error is not None:
            job.clip.finish(None, error)
        self._call(job, self.on_done)
        with self._lock:
            self._jobs.remove(job)

    def _write(self, job: _Job, copied: CopiedFrames) -> None:
        if job.clip.done():
            return
        if job.writer is None:
            job.writer = self._open(job)
        if copied.latched is not None:
            job.writer.set_latched(copied.latched, copied.why)
        job.writer.add(copied.image)
        job.clip.lost = job.plan.lost
        until = job.plan.until
        duration = (job.until if until is None else until) - job.start
        part = (copied.time - job.start) / duration if duration > 0 else 0.0
        job.clip.progress = min(max(part, job.clip.progress), 0.99)
        now = time.monotonic()
        if job.progress is not None and now - job.progress_at > _PROGRESS:
            job.progress_at = now
            self._call(job, job.progress)

    def _open(self, job: _Job) -> ClipWriter:
        clip = job.clip
        path = clip.path if clip.path is not None else self._free(job)
        writer = ClipWriter(
            path,
            about=job.about,
            command=sys.argv,
            overwrite=job.overwrite,
            keep_older=job.keep_older and not job.in_folder,
            created=job.when,
        )
        clip.path = path
        try:
            for attachment in job.attachments:
                writer.attach(attachment)
        except BaseException:
            writer.abort()
            raise
        return writer

    def _free(self, job: _Job) -> Path:
        reserved = {other.clip.path for other in self._jobs if other is not job and other.clip.path}
        return self.folder.free(job.clip.name, job.when, reserved)

    def _finish(self, job: _Job) -> None:
        if job.clip.done():  # given up
            return
        job.clip.lost = job.plan.lost
        if job.writer is None:
            raise RecordingError(f"clip {job.clip.name!r}: there is no frame to be saved")
        if job.in_folder:
            # Another process may have come to the same name meanwhile.
            job.writer.path = self._free(job)
        saved = job.writer.finish()
        if job.in_folder:
            self.folder.prune(never={saved.path})
        if not job.clip.finish(saved):  # given up just now, and it was reported that there is none
            saved.path.unlink(missing_ok=True)
        if job.progress is not None:
            self._call(job, job.progress)

    def _call(self, job: _Job, callback: Callable[[ClipJob], object]) -> None:
        try:
            callback(job.clip)
        except Exception:  # a failing callback costs the clip nothing
            job.progress = None


def _raise(error: Exception) -> None:
    raise error


def versions() -> dict[str, str]:
    """A clip's description of the program that recorded it, beside the command line."""
    system = f"{platform.system()} {platform.release()} {platform.machine()}"
    return {"python": platform.python_version(), "platform": system}
