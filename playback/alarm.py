"""The alarm: what happens when a check fails, in the game or outside of it.

At the end of its frame the game pauses there, the camera goes to whom it is about, and everybody
who listens is told.
"""

from collections.abc import Callable
from types import FrameType

import msgspec

from ..errors import EvictedError
from ..recorder.checks import CheckLog, CheckPolicy, Violation, expression_at
from ..recorder.frame import Packet
from ..recorder.marks import Mark
from ..recorder.recorder import Recorder
from ..recorder.world import World
from .command import Enter, Focus, SeekFrame
from .playhead import Playhead
from .shown import Mode, Shown

_KEPT = 1000
"""Violations that are remembered."""


class Alarm:
    """Notes checks that fail, and answers them when their frame is finished. For one thread.

    Args:
        world: Whose camera is moved.
        recorder: Where they are marked.
        playhead: What goes there.
        policy: What a failed check does beside setting its mark.
        halted: Whether playback can begin now; asks the world to come to a stand if not.
        announce: Called with where everybody stands, now that the world does too.
        begun: Called with the first violation of a frame, before anything moves.
        tell: Called with each violation, before those who listen.
    """

    def __init__(
        self,
        world: World,
        recorder: Recorder,
        playhead: Playhead,
        policy: CheckPolicy,
        *,
        halted: Callable[[], bool],
        announce: Callable[[Shown], object],
        begun: Callable[[Violation], object],
        tell: Callable[[Violation], object],
    ) -> None:
        self.policy = policy
        self.violations: list[Violation] = []
        """Checks that failed, oldest first: the newest thousand."""
        self._world = world
        self._recorder = recorder
        self._playhead = playhead
        self._halted, self._announce, self._begun, self._tell = halted, announce, begun, tell
        self._checks = CheckLog()
        self._listeners: list[Callable[[Violation], object]] = []
        self._unanswered: list[Violation] = []
        """Checks that failed, for which the world has not come to a stand yet."""

    @property
    def fresh(self) -> list[Violation]:
        """Checks that failed in the frame that is being recorded."""
        return self._checks.fresh

    @property
    def waits(self) -> bool:
        """Whether something is not answered because the world has not come to a stand."""
        return bool(self._unanswered)

    def listen(self, listener: Callable[[Violation], object]) -> None:
        """Have it called for each check that begins to fail, after pause and camera."""
        self._listeners.append(listener)

    # --- what fails -----------------------------------------------------------------------------

    def check(self, condition: bool, message: str, focus: int, code: FrameType) -> bool:
        """A check was made, at this place in the code; returns whether it was met."""
        site = (code.f_code.co_filename, code.f_lineno)
        if condition:
            self._checks.passed(site, focus)
            return True
        if self._recorder.suspended:
            return False
        frame = self._recorder.next_frame
        if self._checks.failed(site, focus, frame):
            expression = expression_at(code)
            self._checks.fresh.append(Violation(message, expression, focus, *site, frame))
            self._recorder.mark(Mark(
                message, 0, kind="check", object=focus, expression=expression,
                file=site[0], line=site[1],
            ))  # fmt: skip
        self._checks.forget_before(frame - 1)
        return False

    def outside(self, violation: Violation) -> None:
        """A check has failed outside: see `Session.violate`."""
        mark = Mark(
            violation.message, 0, kind="check", object=violation.object,
            expression=violation.expression, file=violation.file, line=violation.line,
        )  # fmt: skip
        self._recorder.outside.mark(mark, time=violation.time if violation.frame else None)
        if self._playhead.mode is Mode.LIVE:
            self._checks.fresh.append(violation)
        else:
            self._answer(self._dated([violation]))

    # --- what is done about it ------------------------------------------------------------------

    def frame_ended(self) -> None:
        """A frame is finished: answer what failed in it."""
        fresh, self._checks.fresh = self._checks.fresh, []
        if fresh:
            self._answer(self._dated(fresh))

    def retry(self) -> None:
        """Answer what had to wait, if the world has come to a stand."""
        if self._unanswered and self._halted():
            unanswered, self._unanswered = self._unanswered, []
            self._answer(unanswered)

    def _dated(self, fresh: list[Violation]) -> list[Violation]:
        """Checks that failed, with the frame that has just ended where they named none."""
        newest = self._recorder.source.span
        if newest is None:
            return fresh
        return [
            violation
            if 0 < violation.frame < newest.newest
            else msgspec.structs.replace(violation, frame=newest.newest, time=newest.end)
            for violation in fresh
        ]

    def _answer(self, fresh: list[Violation]) -> None:
        """Pause, look, tell: in this order. The first moves the camera, all are told."""
        if self.policy.pause and not self._halted():
            self._unanswered += fresh
            return
        packets = {frame: self._recorded_in(frame) for frame in {one.frame for one in fresh}}
        told = [
            msgspec.structs.replace(
                violation, recorded=violation.object in packets[violation.frame]
            )
            for violation in fresh
        ]
        self.violations = [*self.violations, *told][-_KEPT:]
        first = told[0]
        self._begun(first)
        culprit = packets[first.frame].get(first.object)
        if self.policy.pause:
            if self._playhead.mode is Mode.LIVE:
                self._playhead.apply(Enter())
                if first.frame:
                    self._playhead.apply(SeekFrame(first.frame))
                if culprit is not None and culprit.targetable:
                    self._playhead.apply(Focus(first.object))
            self._announce(self._playhead.shown)
        if self.policy.camera and culprit is not None:
            self._world.look_at(first.object, culprit.position)
        if self.policy.notify:
            self._notify(told)

    def _recorded_in(self, frame: int) -> dict[int, Packet]:
        try:
            return {packet.id: packet for packet in self._recorder.source.objects(frame)}
        except EvictedError:
            return {}

    def _notify(self, told: list[Violation]) -> None:
        raised: Exception | None = None
        for violation in told:
            self._tell(violation)
            for listener in self._listeners:
                try:
                    listener(violation)
                except Exception as error:
                    self._recorder.faults.call_refused("on_violation", error)
                    raised = raised or error
        if raised is not None and self._recorder.strict:
            raise raised
