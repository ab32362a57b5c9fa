"""Checks that must hold while a plan runs: the first one that fails ends it."""

from collections.abc import Callable
from types import FunctionType
from typing import NamedTuple

from ...games.plan_target_actor import Actor
from ...recorder.statements.instrumentation_interface import Instrumentation
from .execution.plan_task import PlanTask
from .plan_outcome import ActionRecord, PlanFailure


class PlanLine(NamedTuple):
    """A place in a plan's file."""

    file: str
    line: int


class PlanChecks:
    """Keeps the first failure, and records it as a failed check on its actor.

    Args:
        where: The node that is next, counted from 1, and the task that is being done.
        focus: The id in the recording of an actor; that of the player for none.
        frame: The frame that is being recorded.
        clock: Game time, seconds.
        line: The line of that node, or of the task's rule, in the plan's file; None for no file.
    """

    def __init__(
        self, instruments: Instrumentation, where: Callable[[], tuple[int, PlanTask | None]],
        focus: Callable[[Actor | None], int], frame: Callable[[], int], clock: Callable[[], float],
        line: Callable[[int, PlanTask | None], PlanLine | None],
    ) -> None:  # fmt: skip
        self._line = line
        self._instruments, self._where, self._focus = instruments, where, focus
        self._frame, self._clock = frame, clock
        self.failure: PlanFailure | None = None

    def check(
        self, condition: bool, kind: str, why: Callable[[], str], actor: Actor | None = None,
        record: ActionRecord | None = None,
    ) -> bool:  # fmt: skip
        """Whether it holds; if not, the plan has failed, here and now.

        The failed check is recorded as one of the plan's own line.

        Args:
            kind: See `PlanFailure.kind`.
            why: What is wrong if it does not hold.
            record: The action that it is about.
        """
        if condition or self.failure is not None:
            return condition
        node, task = self._where()
        name = actor.name if actor is not None else task.actor_name if task else ""
        action = record.action if record is not None else task.action if task else ""
        self.failure = PlanFailure(
            why(), kind, node, action, name, self._focus(actor),
            record.before if record else {}, record.after if record else {},
            self._frame(), self._clock(),
        )  # fmt: skip
        line = self._line(node, task)
        if line is None:
            return self._instruments.check(
                condition, self.failure.message, focus=self.failure.object, stacklevel=2
            )
        _fail_at(line, self._instruments, self.failure)
        return False


def _fail_at(line: PlanLine, instruments: Instrumentation, failure: PlanFailure) -> None:
    """Make a check that fails, as if the line of the plan made it: its call has that place."""
    code = _fail.__code__.replace(co_filename=line.file, co_firstlineno=line.line - 1)
    FunctionType(code, {})(instruments, failure)


def _fail(instruments: Instrumentation, failure: PlanFailure) -> None:
    instruments.check(False, failure.message, focus=failure.object)
