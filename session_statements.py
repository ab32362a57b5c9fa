"""A game's statements through its session: drawings, decisions, marks and checks."""

from types import FrameType
from typing import Any

from .errors import RecordingError
from .playback.checks.check_failure_handler import CheckFailureHandler
from .recorder.checks.check_condition_source import caller
from .recorder.checks.check_policy import CheckPolicy
from .recorder.checks.failed_check_tracker import FailedCheck
from .recorder.objects.object_ids import ObjectOrId
from .recorder.recorder import Recorder
from .recorder.statement_intake import CLOSED
from .recorder.statements.decision_trace_calls import DecisionTracer
from .recorder.statements.draw_calls import Draw
from .recorder.statements.instrumentation_interface import Instrumentation
from .recorder.statements.statement_calls import CALLS
from .recorder.statements.statement_messages import Statement
from .recorder.text.method_names_in_errors import named_by_method


@named_by_method
class SessionStatements(Instrumentation):
    """The part of a session that takes statements: the calls are its recorder's own."""

    recorder: Recorder
    """The recorder, with switches for channels; statements of other processes go through it too."""
    _check_failures: CheckFailureHandler
    _closed: bool

    draw: Draw
    """Recorded debug drawing: `session.draw.line(a, b, object=guard)`; see `Draw`."""
    trace: DecisionTracer
    """Recorded decisions: `session.trace.state(guard, "ai", …)`; see `DecisionTracer`."""

    def _emit(self, statement: Statement) -> None:
        self.recorder.emit(statement)

    def _take_pixels(self, image: Any, name: str) -> None:
        self.recorder.picture(image, name=name)

    def _refuse(self, cause: str, error: Exception) -> None:
        raise error  # the recorder has counted it, or is strict

    def _state_by(self, recorder: Recorder) -> None:
        """Use the recorder's own calls, without a step between."""
        self.recorder = recorder
        for call in ("draw", "trace", *CALLS):
            setattr(self, call, getattr(recorder, call))

    def check(
        self, condition: bool, message: str, *, focus: ObjectOrId = 0, stacklevel: int = 1
    ) -> bool:
        """The recorder assert: if it fails, the game stops at the end of this frame.

        The first frame in which it fails is marked. Then, as `on_check` says, the game pauses
        there, the camera goes to `focus`, and listeners are called. A check that goes on failing is
        reported once, and again after it was met.

        Args:
            condition: What should hold.
            message: What is wrong if it does not.
            focus: The object it is about, or its id; 0 for the world.
            stacklevel: How far up the call is that makes the check, as in `logging`: 2 in a
                function of your own that checks for its callers.

        Returns:
            The condition.

        Raises:
            RecordingError: strict, and the condition is a text or a function, the object is
                unknown, or the check fails after `close`. Else that is counted; a check of an
                unknown object is about the world.
        """
        if condition.__class__ is not bool and (isinstance(condition, str) or callable(condition)):
            what = "a text" if isinstance(condition, str) else "a function, which is not called"
            with self.recorder.refusing("check"):
                raise RecordingError(
                    f"check({condition!r:.80}, {message!r:.80}): the condition is {what}, and holds"
                    ' always: write check(hp >= 0, "health is never negative")'
                )
            return True
        if self._closed and not condition:
            code = self._caller(stacklevel)
            with self.recorder.refusing("check"):
                raise RecordingError(
                    f"{message!r} failed at {code.f_code.co_filename}:{code.f_lineno}, and is not"
                    f" recorded: {CLOSED}"
                )
            return False
        if focus.__class__ is not int:
            focus = self.recorder.known_id("check", focus)
        try:
            code = caller(stacklevel)
        except (ValueError, TypeError):
            code = self._caller(stacklevel)
        return self._check_failures.check(condition, message, focus, code)

    def _caller(self, stacklevel: int) -> FrameType:
        """The call so far above the one of the caller of this; the nearest one if there is none."""
        with self.recorder.refusing("check"):
            try:
                return caller(stacklevel + 1)
            except (ValueError, TypeError):
                raise RecordingError(
                    f"check(…, stacklevel={stacklevel!r:.80}): so many calls are not above this one"
                ) from None
        return caller(2)

    @property
    def on_check(self) -> CheckPolicy:
        """What a failed check does beside setting its mark."""
        return self._check_failures.policy

    @on_check.setter
    def on_check(self, policy: CheckPolicy) -> None:
        self._check_failures.policy = policy

    @property
    def failed_checks(self) -> list[FailedCheck]:
        """Checks that failed, oldest first: the newest thousand."""
        return self._check_failures.failed_checks

    def report_failed_check(self, failed: FailedCheck) -> None:
        """Report a check that failed in a game in another process, or that a tool makes.

        If it names no frame, it is about the one being recorded. The game pauses at the end of that
        one, and playback shows the frame that is named.
        """
        self._check_failures.report(failed)
