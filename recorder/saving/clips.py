"""A recording's clips: those that are asked for, and those that something else triggers."""

import math
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress

from ...errors import EvictedError, PlayheadError
from ..checks import Violation
from ..clips.save import save
from ..clips.writer import Attachment, Saved
from ..marks import Mark
from ..primitives import Site
from ..recorder import Recorder
from ..triggers import ClipPolicy, SlowFrames, check_seconds
from .clip import Clip
from .clipper import Clipper, versions
from .wanted import Wanted

RESCUE_WITHIN = 30.0
"""Seconds in which the clip of a game that raised is saved before its exception goes on."""


class Clips:
    """What a session saves of its recording.

    Args:
        recorder: What records.
        policy: What begins a clip by itself, where clips go, and how many are kept.
        shown: The frame that playback stands at; None while the game runs.
    """

    def __init__(
        self, recorder: Recorder, policy: ClipPolicy, shown: Callable[[], int | None]
    ) -> None:
        self.policy = policy
        self.on_done: Callable[[Clip], object] = lambda clip: None
        """Called, by the thread that writes, when a clip is saved or has failed."""
        self._recorder, self._shown = recorder, shown
        self._clipper = Clipper(recorder.ring, policy)
        self._clipper.on_done = self._done
        self._slow = SlowFrames(policy.slow_frame)
        self._attachments: dict[str, Callable[[], Attachment]] = {}

    @property
    def begun(self) -> tuple[Clip, ...]:
        """The clips that triggers began, oldest first: the newest hundred."""
        return self._clipper.clips

    # --- for the game's thread ------------------------------------------------------------------

    def recorded(self) -> None:
        """A step of the running game has been recorded."""
        if self._clipper.busy:
            self._clipper.recorded()
        slow = self._slow.step()
        if slow is not None:
            newest = self._recorder.next_frame - 1
            self._begin_alone("slow frame", at=newest, note=f"{slow * 1e3:.1f} ms", marks=True)

    def rest(self, resting: bool) -> None:
        """The game stands still from now on, or runs on."""
        self._slow.rest()
        self._clipper.rest(resting)

    def violated(self, violation: Violation) -> None:
        """A check has failed."""
        if self.policy.on_check:
            self._begin_alone(violation.message, at=violation.frame, object=violation.object)

    def pressed(self, key: str) -> bool:
        """Whether a key is the one that is a trigger; then it was one."""
        if not key or key != self.policy.key:
            return False
        self.trigger("key")
        return True

    def close(self) -> None:
        """Finish the clips that were begun, or give up those that take too long."""
        self._clipper.close()

    # --- saving ---------------------------------------------------------------------------------

    def attach(
        self, name: str, data: bytes | Callable[[], bytes],
        media_type: str = "application/octet-stream",
    ) -> None:  # fmt: skip
        """Put a file into every clip from now on: a level's geometry, a screenshot.

        Args:
            name: What it is called in the clip; the next call with that name replaces it.
            data: Its bytes, or what is called for them when a clip begins, by whoever begins it.
        """
        if callable(data):
            self._attachments[name] = lambda: Attachment(name, data(), media_type)
        else:
            attachment = Attachment(name, bytes(data), media_type)
            self._attachments[name] = lambda: attachment

    def save(
        self,
        path: str | os.PathLike[str],
        start: int | None = None,
        end: int | None = None,
        *,
        about: Mapping[str, str] | None = None,
        attachments: Iterable[Attachment] = (),
        overwrite: bool = False,
        progress: Callable[[int, int], object] | None = None,
    ) -> Saved:
        """Save what is held, or the frames from `start` to `end` of it, and wait until it is there.

        Args:
            about: Plain texts that describe the clip, beside what is said of the recording.
            attachments: Files that travel in it, beside those of `attach`.
            overwrite: Replace a file that is there; otherwise that is an error.
            progress: Called with how many frames are done, and how many there are.

        Raises:
            RecordingError: the file can't be made or written, or nothing is recorded yet.
            EvictedError: `start` or `end` is not held.
        """
        return save(
            path, self._recorder.ring, start, end, about={**versions(), **(about or {})},
            attachments=[*self._attached(), *attachments], command=sys.argv, overwrite=overwrite,
            progress=progress,
        )  # fmt: skip

    def clone(
        self, path: str | os.PathLike[str], start: int | None = None, end: int | None = None
    ) -> Clip:
        """Like `save`, while the game runs on; from any thread.

        Raises:
            EvictedError: `start` or `end` is not held, or nothing is.
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
        wanted = Wanted(first, last)
        return self._clipper.begin("save", wanted, path, attachments=self._attached())

    # --- triggers -------------------------------------------------------------------------------

    def trigger(
        self,
        name: str,
        pre: float | None = None,
        post: float | None = None,
        *,
        note: str = "",
        object: int = 0,
        at: int | None = None,
        path: str | os.PathLike[str] | None = None,
        attachments: Iterable[Attachment] = (),
        progress: Callable[[Clip], object] | None = None,
        site: Site = ("", 0),
    ) -> Clip:
        """Save what was just before this instant and what comes next, while the game runs on.

        The instant is the frame being recorded, which gets a mark; in playback the frame that is
        shown, and what is held is all there is. From any thread. Whatever goes wrong is in what is
        returned.

        Args:
            pre: Seconds in front of it; by default, as for `post`, those of the policy.
            post: Seconds of game time behind it.
            object: Whom it is about.
            at: The frame of the instant, if it is another one; then no mark is set.
            path: The file; by default one in the policy's folder, named by time and `name`.
            attachments: Files that travel in the clip, beside those of `attach`.
            progress: Called now and then, by the thread that writes.
            site: File and line that it comes from.

        Raises:
            CommandError, CapacityError: strict, and a number makes no sense, or too many clips are
                being saved already.
        """
        recorder, shown = self._recorder, self._shown()
        if at is None:
            at = shown
            if shown is None:
                at = recorder.next_frame
                recorder.mark(Mark(
                    name, 0, kind="trigger", note=note, object=object, file=site[0], line=site[1]
                ))  # fmt: skip
        try:
            wanted, when = self._around(
                at or recorder.next_frame,
                check_seconds("pre", self.policy.pre if pre is None else pre),
                check_seconds("post", self.policy.post if post is None else post),
            )
            about = {"trigger": name, "trigger_frame": str(at), "trigger_time": f"{when:.6f}"}
            if note:
                about["trigger_note"] = note
            return self._clipper.begin(
                name, wanted, path, about=about, progress=progress,
                attachments=[*self._attached(), *attachments],
            )  # fmt: skip
        except PlayheadError as error:
            recorder.faults.call_refused("trigger", error)
            if recorder.strict:
                raise
            return _refused(name, error)

    @contextmanager
    def guard(self, name: str = "exception") -> Iterator[None]:
        """Within it an exception is a trigger: what led to it is saved before it goes on.

        The clip has the traceback as an attachment; a note of the exception says where it is. If
        `ClipPolicy.on_exception` is False nothing happens.
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
    ) -> Clip:  # fmt: skip
        """Save what led to an exception, and wait until it is there, half a minute at most.

        Whatever goes wrong is in what is returned, and in a note of the exception.
        """
        told = "".join(traceback.format_exception(error)).encode("utf-8", "replace")
        span = self._ends()
        seconds = self.policy.pre if pre is None else pre
        try:
            wanted, _ = self._around(span[1] if span else 0, seconds, 0.0)
            clip = self._clipper.begin(
                name, wanted, path,
                about={"trigger": name, "exception": f"{type(error).__name__}: {error}"[:1000]},
                attachments=[
                    Attachment("traceback.txt", told, "text/plain"), *self._attached()
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
    ) -> None:
        """Something other than a call is a trigger; not again while its last clip is on its way."""
        if self._clipper.is_saving(name):
            return
        if marks:
            self._recorder.mark(Mark(name, 0, kind="trigger", note=note, object=object))
        with suppress(PlayheadError):  # strict: counted already, and it was nobody's call
            self.trigger(name, note=note, object=object, at=at)

    # --- what they have in common ---------------------------------------------------------------

    def _ends(self) -> tuple[int, int] | None:
        newest, oldest = self._recorder.ring.newest, self._recorder.ring.oldest
        return None if newest is None or oldest is None else (oldest[0], newest[0])

    def _around(self, at: int, pre: float, post: float) -> tuple[Wanted, float]:
        """The frames around one, and its time as far as it is known."""
        ring = self._recorder.ring
        newest, oldest = ring.newest, ring.oldest
        if newest is None or oldest is None:
            return Wanted(1, at=at, post=post), 0.0
        when = newest[1]
        if at <= newest[0]:
            with suppress(EvictedError):
                when = ring.stamp(at)[1]
        start = ring.find(when - pre) if math.isfinite(pre) else oldest[0]
        return Wanted(start, at=at, post=post, since=when), when

    def _attached(self) -> list[Attachment]:
        attachments = []
        for make in tuple(self._attachments.values()):
            try:
                attachments.append(make())
            except Exception as error:  # a screenshot may fail: the clip is worth more than that
                self._recorder.faults.call_refused("attach", error)
        return attachments

    def _done(self, clip: Clip) -> None:
        if clip.error is not None:
            self._recorder.faults.call_refused("clip", clip.error)
        self.on_done(clip)


def _refused(name: str, error: PlayheadError) -> Clip:
    clip = Clip(name, None)
    clip.finish(None, error)
    return clip
