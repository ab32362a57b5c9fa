"""Checks that must hold while a plan runs: the first one that fails ends it."""

from collections.abc import Callable

from ...games.plan_actor import Actor
from ...recorder.statements.instrumentation import Instrumentation
from .execution.plan_task import PlanTask
from .plan_outcome import ActionRecord, PlanFailure


class PlanChecks:
    """Keeps the first failure, and records it as a failed check on its actor.

    Args:
        where: The node that is next, counted from 1, and the task that is being done.
        focus: The id in the recording of an actor; that of the player for none.
        frame: The frame that is being recorded.
        clock: Game time, seconds.
    """

    def __init__(
        self, instruments: Instrumentation, where: Callable[[], tuple[int, PlanTask | None]],
        focus: Callable[[Actor | None], int], frame: Callable[[], int], clock: Callable[[], float],
    ) -> None:  # fmt: skip
        self._instruments, self._where, self._focus = instruments, where, focus
        self._frame, self._clock = frame, clock
        self.failure: PlanFailure | None = None

    def check(
        self, condition: bool, kind: str, why: Callable[[], str], actor: Actor | None = None,
        record: ActionRecord | None = None,
    ) -> bool:  # fmt: skip
        """Whether it holds; if not, the plan has failed, here and now.

        Args:
            condition: Recorded with its source text, as of any check.
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
        return self._instruments.check(
            condition, self.failure.message, focus=self.failure.object, stacklevel=2
        )
