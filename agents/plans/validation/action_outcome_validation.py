"""Validates one action: measures before it, and again after its event or its delay."""

from collections.abc import Callable

from ....games.action_outcome_validators import BoundValidator, Scene, Values
from ....games.plan_game_interface import PlanGame, PlanGameEvent
from ....games.plan_target_actor import Actor
from ....recorder.statements.instrumentation_interface import Scalar

PENDING, PASSED, FAILED, TIMED_OUT, NONE = "pending", "passed", "failed", "timed_out", "none"


class ActionValidation:
    """Listens from before the action until it is decided.

    Args:
        target: The actor that the action is done to; None for none.
        own: Ids whose events count for every target: the player's.
        now: Game time, seconds.
    """

    def __init__(
        self, bound: BoundValidator, game: PlanGame, target: Actor | None, own: Callable[[], int],
        now: float,
    ) -> None:  # fmt: skip
        self.bound = bound
        self.target = target
        self.status = PENDING
        self.message = ""
        """What is wrong; empty unless it failed."""
        self.before: Values = {}
        self.after: Values = {}
        self.events = 0
        """How many events came that it waits for."""
        self._game, self._own = game, own
        self._begun = now
        self._suspended = False
        self._end: Callable[[], None] = lambda: None
        # First what is observed, then the listener, and only then the action.
        self.before = self._measured("before") or {}
        if self.status == PENDING and bound.event:
            self._end = game.on_event(self._hear)

    @property
    def name(self) -> str:
        """The validator's, as in a trace."""
        return type(self.bound.validator).__name__

    @property
    def suspended(self) -> bool:
        """Whether the action was announced, and then held up."""
        return self._suspended and self.status == PENDING

    def poll(self, now: float) -> bool:
        """After a step of the game: whether it is decided."""
        if self.status != PENDING:
            return True
        bound, waited = self.bound, now - self._begun
        if self.events or (not bound.event and waited >= bound.delay):
            self._validate()
        elif bound.event and waited > bound.timeout and not self._suspended:
            self._settle(TIMED_OUT, f"no event {bound.event!r} came within {bound.timeout:g} s")
            self.after = self._measured("after") or {}
            self.status = TIMED_OUT
        return self.status != PENDING

    def suspend(self) -> None:
        """Something else is done before the action begins: that takes none of its time."""
        self._suspended = True

    def resume(self, now: float) -> None:
        """The action is next again: what it starts from is measured again."""
        if self._suspended and self.status == PENDING:
            self._suspended, self._begun = False, now
            self.before = self._measured("before") or {}

    def drop(self) -> None:
        """Listen no longer."""
        self._end()
        self._end = lambda: None

    def values(self) -> dict[str, Scalar]:
        """All values that were measured, those before and those after."""
        measured: dict[str, Scalar] = {f"{name} before": v for name, v in self.before.items()}
        measured.update({f"{name} after": value for name, value in self.after.items()})
        return measured

    def _hear(self, event: PlanGameEvent) -> None:
        about = (0, self._own(), 0 if self.target is None else self.target.id)
        if event.name == self.bound.event and event.object in about:
            self.events += 1

    def _validate(self) -> None:
        after = self._measured("after")
        if after is None:
            return
        self.after = after
        try:
            wrong = self.bound.validator.expect(self.before, self.after)
        except Exception as error:  # whatever a user's validator raises fails that one alone
            self._settle(FAILED, f"{self.name}.expect raised {error!r}")
            return
        self._settle(FAILED if wrong else PASSED, wrong)

    def _measured(self, when: str) -> Values | None:
        try:
            return dict(self.bound.validator.measure(self._scene()))
        except Exception as error:
            self._settle(FAILED, f"{self.name}.measure raised {error!r} {when} the action")
            return None

    def _scene(self) -> Scene:
        actors = tuple(self._game.plan_actors())
        target, there = self.target, None
        if target is not None:
            there = next((actor for actor in actors if actor.id == target.id), None)
        gone = target is not None and there is None
        return Scene(self._game.plan_state(), there or target, gone, actors)

    def _settle(self, status: str, message: str) -> None:
        self.status, self.message = status, message
        self.drop()
