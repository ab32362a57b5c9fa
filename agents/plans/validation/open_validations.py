"""The validations of a plan that still wait for their event or their delay."""

from collections.abc import Callable
from typing import NamedTuple

from ....games.plan_game_interface import PlanGame
from ....games.plan_target_actor import Actor
from ..execution.plan_task import PlanTask
from ..execution.plan_trace_writer import PlanTraceWriter
from ..plan_outcome import ActionRecord
from .action_outcome_validation import PENDING, ActionValidation


class OpenValidation(NamedTuple):
    """A validation, the facts of its action, and the task that the action belongs to."""

    validation: ActionValidation
    record: ActionRecord
    task: PlanTask


class OpenValidations:
    """Begins validations, and settles them as soon as they are decided."""

    def __init__(self, game: PlanGame, trace: PlanTraceWriter, clock: Callable[[], float]) -> None:
        self._game, self._trace, self._clock = game, trace, clock
        self._open: list[OpenValidation] = []
        self.actions: list[ActionRecord] = []
        """All actions that were announced, in their order."""

    def __len__(self) -> int:
        return len(self._open)

    def begin(self, task: PlanTask) -> None:
        """Measure, and listen: the action comes after this."""
        actor, action = task.actor, task.action
        task.validation = self._same(actor, action) or task.validation
        if task.validation is not None:
            return
        record = ActionRecord(action, task.actor_name, task.title)
        self.actions.append(record)
        bound = self._game.validators.find(action, actor.type if actor is not None else "")
        if bound is None:
            return
        validation = ActionValidation(
            bound, self._game, actor, lambda: self._game.player, self._clock()
        )
        task.validation, record.validation = validation, PENDING
        self._open.append(OpenValidation(validation, record, task))
        self._trace.validation(validation, record, "", PENDING, "the action begins")

    def settle(self, dt: float) -> list[OpenValidation]:
        """Those that are decided now, after a step of the game of so many seconds."""
        now, decided = self._clock(), []
        for one in list(self._open):
            validation, record, _ = one
            record.seconds += dt
            if not validation.poll(now):
                continue
            self._open.remove(one)
            decided.append(one)
            record.validation, record.message = validation.status, validation.message
            record.before, record.after = dict(validation.before), dict(validation.after)
            why = validation.message or "as expected"
            self._trace.validation(validation, record, PENDING, validation.status, why)
        return decided

    def forget_suspended(self) -> None:
        """What was announced for a rule and never begun has changed nothing."""
        for one in [one for one in self._open if one.validation.suspended]:
            one.validation.drop()
            self._open.remove(one)
            self.actions.remove(one.record)

    def close(self) -> None:
        """Listen to the game no longer."""
        for one in self._open:
            one.validation.drop()

    def _same(self, actor: Actor | None, action: str) -> ActionValidation | None:
        """The validation of the same action on the same actor that is still open."""
        if actor is None:
            return None
        for validation, record, _ in self._open:
            on = validation.target
            if on is not None and on.id == actor.id and record.action == action:
                return validation
        return None
