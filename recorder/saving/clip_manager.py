"""The clips of a recording: those that a program saves, and those that triggers save."""

import math
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress

from ...errors import EvictedError, PlayheadError, RecordingError
from ..checks.failed_check_tracker import FailedCheck
from ..clip_triggers import ClipPolicy, SlowFrames, check_seconds
from ..clips.clip_writer import ClipAttachment, SavedClip
from ..clips.save_clip import save
from ..objects.object_ids import ObjectOrId
from ..packets.draw_primitives import NO_SITE, Site, site_of
from ..recorder import Recorder
from ..statement_intake import CLOSED
from ..statements.statement_messages import SetMark
from ..text.method_names_in_errors import named_by_method
from .atomic_file import check_clip_name
from .clip_copy_plan import ClipCopyPlan
from .clip_job import ClipJob
from .clip_worker import ClipWorker, versions

RESCUE_WITHIN = 30.0
"""Seconds in which the clip of a game that raised is saved before its exception goes on."""


@named_by_method
class ClipManager:
    """What a session saves of its recording.

    Args:
        recorder: What records.
        policy: What begins a clip by itself, where clips go, and how many are kept.
        shown: The frame that playback shows; None while the game runs.
    """

    def __init__(
        self, recorder: Recorder, policy: ClipPolicy, shown_frame: Callable[[], int | None]
    ) -> None:
        self.policy = policy
        self.on_done: Callable[[ClipJob], object] = lambda clip: None
        """Called, by the thread that writes, when a clip is saved or has failed."""
        self._recorder, self._shown_frame = recorder, shown_frame
        self._worker = ClipWorker(recorder.ring, policy)
        self._worker.on_done = self._done
        self._slow = SlowFrames(policy.slow_frame)
        self._attachments: dict[str, Callable[[], ClipAttachment]] = {}

    @property
    def begun(self) -> tuple[ClipJob, ...]:
        """The clips that triggers began, oldest first: the newest hundred."""
        return self._worker.clips

    # --- for the game's thread ------------------------------------------------------------------

    def recorded(self) -> None:
        """A step of the running game has been recorded."""
        if self._worker.busy:
            self._worker.recorded()
        slow = self._slow.step()
        if slow is not None:
            newest = self._recorder.next_frame - 1
            self._begin_alone("slow frame", at=newest, note=f"{slow * 1e3:.1f} ms", marks=True)

    def set_suspended(self, suspended: bool) -> None:
        """The game is paused from now on, or runs on."""
        self._slow.reset()
        self._worker.set_suspended(suspended)

    def check_failed(self, failed: FailedCheck) -> ClipJob | None:
        """A check has failed; returns the clip that is saved of it, if one is."""
        if not self.policy.on_check:
            return None
        return self._begin_alone(failed.message, at=failed.frame, object=failed.object)

    def pressed(self, key: str) -> bool:
        """Whether a key is the one that is a trigger; then it was one."""
        if not key or key != self.policy.key:
            return False
        self.trigger("key", site=NO_SITE)
        return True

    def close(self) -> None:
        """Finish the clips that were begun, or give up those that take too long."""
        self._worker.close()

    # --- saving ---------------------------------------------------------------------------------

    def attach(
        self, name: str, data: bytes | Callable[[], bytes],
        media_type: str = "application/octet-stream",
    ) -> None:  # fmt: skip
        """Put a file into every clip from now on: a level's geometry, a screenshot.

        Args:
            name: What it is called in the clip; the next call with that name replaces it.
            data: Its bytes, or a function that returns them, called when a clip begins.
        """
        if callable(data):
            self._attachments[name] = lambda: ClipAttachment(name, data(), media_type)
        else:
            attachment = ClipAttachment(name, bytes(data), media_type)
            self._attachments[name] = lambda: attachment

    def save(
        self,
        path: str | os.PathLike[str],
        start: int | None = None,
        end: int | None = None,
        *,
        about: Mapping[str, str] | None = None,
        attachments: Iterable[ClipAttachment] = (),
        overwrite: bool = False,
        progress: Callable[[int, int], object] | None = None,
    ) -> SavedClip:
        """Save the recording, or the frames from `start` to `end` of it, and wait for it.

        The file has this name in the end, and a clip that had it before is kept: `run.mcap` becomes
        `run.1.mcap`, the next one `run.2.mcap`. Two processes may save under one name: both clips
        stay. `SavedClip.older` says where the older clip is now.

        Args:
            about: Plain texts that describe the clip, beside the recording's own description.
            attachments: Files that travel in it, beside those of `attach`.
            overwrite: Replace a file that is there instead, whatever it is.
            progress: Called with how many frames are done, and how many there are.

        Raises:
            RecordingError: the path does not end in .mcap, the file can't be made or written,
                something that is no clip has its name, nothing is recorded yet, or the recording is
                closed.
            EvictedError: `start` or `end` is not in the recording.
        """
        check_clip_name(path)
        if self._recorder.closed:
            raise RecordingError(f"save({os.fspath(path)!r}): {CLOSED}")
        return save(
            path, self._recorder.ring, start, end, about={**versions(), **(about or {})},
            attachments=[*self._attached(), *attachments], command=sys.argv, overwrite=overwrite,
            keep_older=not overwrite, progress=progress,
        )  # fmt: skip

    def clone(
        self, path: str | os.PathLike[str], start: int | None = None, end: int | None = None, *,
        overwrite: bool = False,
    ) -> ClipJob:  # fmt: skip
        """Like `save`, while the game runs on; from any thread. It is for tools.

        Args:
            overwrite: Replace a file that is there. Otherwise that is an error: a user at a
                tool can give another name.

        Raises:
            EvictedError: `start` or `end` is not in the recording, or it is empty.
            CapacityError: too many clips are being saved already.
        """
        span = self._ends()
        if span is None:
            raise EvictedError(f"{os.fspath(path)}: there is no frame to be saved")
        first = span[0] if start is None else start
        last = span[1] if end is None else end
        if not span[0] <= first <= last <= span[1]:
            raise EvictedError(
                f"frames {first} to {last} can't be saved: {span[0]} to {span[1]} are held"
            )
        plan = ClipCopyPlan(first, last)
        return self._worker.begin(
            "save", plan, path, attachments=self._attached(), overwrite=overwrite
        )

    # --- triggers -------------------------------------------------------------------------------

    def trigger(
        self,
        name: str,
        pre: float | None = None,
        post: float | None = None,
        *,
        note: str = "",
        object: ObjectOrId = 0,
        at: int | None = None,
        path: str | os.PathLike[str] | None = None,
        attachments: Iterable[ClipAttachment] = (),
        progress: Callable[[ClipJob], object] | None = None,
        site: Site | None = None,
    ) -> ClipJob:
        """Save what was just before this instant and what comes next, while the game runs on.

        The instant is the frame being recorded, which gets a mark; in playback the frame that is
        shown, and no more is recorded. From any thread. Whatever goes wrong is in what is
        returned.

        Args:
            pre: Seconds in front of it; by default, as for `post`, those of the policy.
            post: Seconds of game time after it.
            object: The object it is about, or its id; 0 for the world.
            at: The frame of the instant, if it is another one; then no mark is set.
            path: The file; by default one in the policy's folder, named by time and `name`. A clip
                that has its name is kept under the next number, as `save` does.
            attachments: Files that travel in the clip, beside those of `attach`.
            progress: Called now and then, by the thread that writes.
            site: File and line that it comes from; by default those of the call.

        Raises:
            CommandError, CapacityError: strict, and a number makes no sense, or too many clips are
                being saved already.
        """
        recorder, shown_frame = self._recorder, self._shown_frame()
        file, line = site_of(1) if site is None else site
        if at is None:
            at = shown_frame
            if shown_frame is None:
                at = recorder.next_frame
                recorder.emit(SetMark(name, note, object, "trigger", file=file, line=line))
        try:
            plan, when = self._around(
                at or recorder.next_frame,
                check_seconds("pre", self.policy.pre if pre is None else pre),
                check_seconds("post", self.policy.post if post is None else post),
            )
            about = {"trigger": name, "trigger_frame": str(at), "trigger_time": f"{when:.6f}"}
            if note:
                about["trigger_note"] = note
            return self._worker.begin(
                name, plan, path, about=about, progress=progress, keep_older=True,
                attachments=[*self._attached(), *attachments],
            )  # fmt: skip
        except PlayheadError as error:
            recorder.faults.call_refused("trigger", error)
            if recorder.strict:
                raise
            return _refused(name, error)

    @contextmanager
    def guard(self, name: str = "exception") -> Iterator[None]:
        """Save a clip of what led to an exception in this block; the exception then goes on.

        The clip has the traceback as an attachment, and a note of the exception says where the clip
        is. If `ClipPolicy.on_exception` is False, nothing is saved.
        """
        try:
            yield
        except Exception as error:
            if self.policy.on_exception:
                self.rescue(error, name)
            raise

    def rescue(
        self, error: Exception, name: str = "exception",
        path: str | os.PathLike[str] | None = None, pre: float | None = None,
    ) -> ClipJob:  # fmt: skip
        """Save what led to an exception, and wait until it is there, half a minute at most.

        Whatever goes wrong is in what is returned, and in a note of the exception.
        """
        traceback_text = "".join(traceback.format_exception(error)).encode("utf-8", "replace")
        span = self._ends()
        seconds = self.policy.pre if pre is None else pre
        try:
            plan, _ = self._around(span[1] if span else 0, seconds, 0.0)
            clip = self._worker.begin(
                name, plan, path, keep_older=True,
                about={"trigger": name, "exception": f"{type(error).__name__}: {error}"[:1000]},
                attachments=[
                    ClipAttachment("traceback.txt", traceback_text, "text/plain"), *self._attached()
                ],
            )  # fmt: skip
        except PlayheadError as failed:
            clip = _refused(name, failed)
        clip.wait(RESCUE_WITHIN)
        if clip.saved is not None:
            error.add_note(f"playhead saved what led to it: {clip.saved.path}")
        else:
            why = clip.error or f"it took more than {RESCUE_WITHIN:g} s"
            error.add_note(f"playhead could not save what led to it: {why}")
        return clip

    def _begin_alone(
        self, name: str, *, at: int, note: str = "", object: int = 0, marks: bool = False
    ) -> ClipJob | None:
        """Something other than a call is a trigger; not again while its last clip is on its way."""
        if self._worker.is_saving(name):
            return None
        if marks:
            self._recorder.emit(SetMark(name, note, object, "trigger"))
        with suppress(PlayheadError):  # strict: counted already, and no caller waits for it
            return self.trigger(name, note=note, object=object, at=at, site=NO_SITE)
        return None

    # --- what they have in common ---------------------------------------------------------------

    def _ends(self) -> tuple[int, int] | None:
        newest, oldest = self._recorder.ring.newest, self._recorder.ring.oldest
        return None if newest is None or oldest is None else (oldest[0], newest[0])

    def _around(self, at: int, pre: float, post: float) -> tuple[ClipCopyPlan, float]:
        """The frames around one, and its time as far as it is known."""
        ring = self._recorder.ring
        newest, oldest = ring.newest, ring.oldest
        if newest is None or oldest is None:
            return ClipCopyPlan(1, at=at, post=post), 0.0
        when = newest[1]
        if at <= newest[0]:
            with suppress(EvictedError):
                when = ring.stamp(at)[1]
        start = ring.find(when - pre) if math.isfinite(pre) else oldest[0]
        return ClipCopyPlan(start, at=at, post=post, since=when), when

    def _attached(self) -> list[ClipAttachment]:
        attachments = []
        for make in tuple(self._attachments.values()):
            try:
                attachments.append(make())
            except Exception as error:  # a screenshot may fail: the clip is worth more than that
                self._recorder.faults.call_refused("attach", error)
        return attachments

    def _done(self, clip: ClipJob) -> None:
        if clip.error is not None:
            self._recorder.faults.call_refused("clip", clip.error)
        self.on_done(clip)


def _refused(name: str, error: PlayheadError) -> ClipJob:
    clip = ClipJob(name, None)
    clip.finish(None, error)
    return clip
