"""Handles failed checks, of the game or of another process: pauses, marks, saves, notifies.

At the end of its frame the game pauses there, the camera goes to whom it is about, and everybody
listeners are called.
"""

import logging
from collections.abc import Callable, Sequence
from types import FrameType

import msgspec

from ...errors import EvictedError
from ...recorder.checks.check_policy import CheckPolicy
from ...recorder.checks.failed_check_tracker import FailedCheck, FailedCheckTracker
from ...recorder.packets.recorded_frame import Packet
from ...recorder.recorder import Recorder
from ...recorder.saving.clip_job import ClipJob
from ...recorder.statements.statement_messages import SetMark
from ...recorder.world_adapter import World
from ..commands import Enter, Focus, SeekFrame
from ..playback_state import Mode, PlaybackState
from ..playhead import Playhead
from .failed_check_logger import CheckLogger

_MOST_STORED = 1000
"""Failed checks that are remembered."""


class CheckFailureHandler:
    """Notes checks that fail, and answers them when their frame is finished. For one thread.

    Args:
        world: Whose camera is moved.
        recorder: Where they are marked.
        playhead: What goes there.
        policy: What a failed check does beside setting its mark.
        halted: Whether playback can begin now; requests the world to stop if not.
        announce: Called with the playback state, once the world is paused.
        begun: Called with the first failed check of a frame, before anything moves. Returns the
            clip that is saved of it, if one is.
        tell_tools: Called with each one, before the listeners. Returns the connected tools' names.
        log: Logs a failed check that no listener receives.
    """

    def __init__(
        self,
        world: World,
        recorder: Recorder,
        playhead: Playhead,
        policy: CheckPolicy,
        *,
        halted: Callable[[], bool],
        announce: Callable[[PlaybackState], object],
        start_clip: Callable[[FailedCheck], ClipJob | None],
        tell_tools: Callable[[FailedCheck], Sequence[str]],
        log: CheckLogger,
    ) -> None:
        self.policy = policy
        self.failed_checks: list[FailedCheck] = []
        """Checks that failed, oldest first: the newest thousand."""
        self._world = world
        self._recorder = recorder
        self._playhead = playhead
        self._halted, self._announce, self._start_clip, self._tell_tools = (
            halted,
            announce,
            start_clip,
            tell_tools,
        )
        self._logger = log
        self._checks = FailedCheckTracker()
        self._listeners: list[Callable[[FailedCheck], object]] = []
        self._waiting: list[FailedCheck] = []
        """Failed checks that wait because the world has not stopped yet."""

    @property
    def fresh(self) -> list[FailedCheck]:
        """Checks that failed in the frame that is being recorded."""
        return self._checks.fresh

    @property
    def waits(self) -> bool:
        """Whether failed checks wait because the world has not stopped yet."""
        return bool(self._waiting)

    def listen(self, listener: Callable[[FailedCheck], object]) -> None:
        """Have `listener` called, after pause and camera, for each check that begins to fail."""
        self._listeners.append(listener)

    # --- what fails -----------------------------------------------------------------------------

    def check(self, condition: bool, message: str, focus: int, code: FrameType) -> bool:
        """A check was made, at this line of the code; returns whether it was met."""
        if self._recorder.is_suspended:
            return bool(condition)
        counter = self._checks.count(code, focus)
        if condition:
            if self._checks.failing:
                self._checks.met(counter)
            return True
        frame = self._recorder.next_frame
        if self._checks.begins_to_fail(counter, frame):
            if self._recorder.pictures is not None:
                self._recorder.pictures.urge()
            site = counter.site
            expression = site.expression
            self._checks.fresh.append(
                FailedCheck(message, expression, focus, site.file, site.line, frame)
            )
            self._recorder.emit(
                SetMark(message, "", focus, "check", expression, site.file, site.line)
            )
        return False

    def report(self, failed: FailedCheck) -> None:
        """A check failed in another process: see `Session.report_failed_check`."""
        self._recorder.accept(SetMark(
            failed.message, "", failed.object, "check", failed.expression, failed.file,
            failed.line, time=failed.time if failed.frame else None,
        ))  # fmt: skip
        if self._playhead.mode is Mode.LIVE:
            self._checks.fresh.append(failed)
        else:
            self._react(self._dated([failed]))

    def step_ended(self) -> None:
        """A step was recorded, or could not be: checks of the next one are counted from 0."""
        self._checks.step_ended()

    # --- the reaction ---------------------------------------------------------------------------

    def frame_ended(self) -> None:
        """A frame is finished: react to what failed in it."""
        fresh, self._checks.fresh = self._checks.fresh, []
        if fresh:
            self._react(self._dated(fresh))

    def retry(self) -> None:
        """Answer what had to wait, if the world is paused by now."""
        if self._waiting and self._halted():
            waiting, self._waiting = self._waiting, []
            self._react(waiting)

    def _dated(self, fresh: list[FailedCheck]) -> list[FailedCheck]:
        """Checks that failed, with the frame that has just ended where they named none."""
        newest = self._recorder.source.span
        if newest is None:
            return fresh
        return [
            failed
            if 0 < failed.frame < newest.newest
            else msgspec.structs.replace(failed, frame=newest.newest, time=newest.end)
            for failed in fresh
        ]

    def _react(self, fresh: list[FailedCheck]) -> None:
        """Pause, move the camera, notify: in this order. The first moves the camera."""
        if self.policy.pause and not self._halted():
            self._waiting += fresh
            return
        packets = {frame: self._recorded_in(frame) for frame in {one.frame for one in fresh}}
        fresh_checks = [
            msgspec.structs.replace(failed, recorded=failed.object in packets[failed.frame])
            for failed in fresh
        ]
        self.failed_checks = [*self.failed_checks, *fresh_checks][-_MOST_STORED:]
        first = fresh_checks[0]
        clip = self._start_clip(first)
        culprit = packets[first.frame].get(first.object)
        if self.policy.pause:
            if self._playhead.mode is Mode.LIVE:
                self._playhead.apply(Enter())
                if first.frame:
                    self._playhead.apply(SeekFrame(first.frame))
                if culprit is not None and culprit.targetable:
                    self._playhead.apply(Focus(first.object))
            self._announce(self._playhead.state)
        if self.policy.camera and culprit is not None:
            self._world.look_at(first.object, culprit.position)
        if self.policy.notify:
            self._notify(fresh_checks, clip)

    def _recorded_in(self, frame: int) -> dict[int, Packet]:
        try:
            return {packet.id: packet for packet in self._recorder.source.objects(frame)}
        except EvictedError:
            return {}

    def _notify(self, fresh_checks: list[FailedCheck], clip: ClipJob | None) -> None:
        raised: Exception | None = None
        for number, failed in enumerate(fresh_checks):
            tools = self._tell_tools(failed)
            if not self._listeners:
                paused = self.policy.pause and not number
                self._logger.report(
                    failed, paused=paused, clip=None if number else clip, hint=self.policy.hint,
                    tools=tools,
                )  # fmt: skip
            for listener in self._listeners:
                try:
                    listener(failed)
                except Exception as error:
                    # The first is raised when strict, and not logged as well.
                    is_raised = self._recorder.strict and raised is None
                    level = logging.DEBUG if is_raised else logging.ERROR
                    self._recorder.faults.call_refused("on_failed_check", error, level=level)
                    raised = raised or error
        if raised is not None and self._recorder.strict:
            raise raised
