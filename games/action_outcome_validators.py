"""The validators of a game's actions: all in one place, one for each action.

Before an action is performed its validator measures what the action is about to change. When the
event has come that it is bound to, or the delay is over, it measures the same again and says what
is not as expected.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, TypeVar

from ..errors import CommandError
from ..recorder.statements.instrumentation_interface import Scalar
from .plan_target_actor import Actor

TIMEOUT = 10.0
"""Seconds of game time in which the event has to come, unless stated otherwise."""

Values = Mapping[str, Scalar]


class Scene(NamedTuple):
    """What a validator may look at."""

    state: Values
    """The game's `plan_state`."""
    target: Actor | None
    """The target as it is now; as it was last if it is gone; None without one."""
    gone: bool
    """Whether the target is not there any more."""
    actors: tuple[Actor, ...]

    def actor(self, name: str) -> Actor:
        """The first actor of this name.

        Raises:
            CommandError: there is none.
        """
        found = next((actor for actor in self.actors if actor.name == name), None)
        if found is None:
            raise CommandError(f"there is no actor {name!r} to measure")
        return found


class ActionValidator:
    """The base of validators: says nothing against anything."""

    def measure(self, scene: Scene) -> Values:
        """The values to compare: asked before the action, and again when it has had its effect."""
        return {}

    def expect(self, before: Values, after: Values) -> str:
        """What is not as expected; empty if all is."""
        return ""


_V = TypeVar("_V", bound=type[ActionValidator])


class BoundValidator(NamedTuple):
    """A validator, and what it waits for."""

    validator: ActionValidator
    action: str
    target: str
    """The type of actor that it is for; empty for all."""
    event: str
    """The name of the event that it waits for, of the target; empty for a delay."""
    timeout: float
    delay: float


class ActionValidators:
    """All validators of a game."""

    def __init__(self) -> None:
        self._bound: dict[tuple[str, str], BoundValidator] = {}

    def __iter__(self) -> Iterator[BoundValidator]:
        return iter(self._bound.values())

    def validates(
        self, action: str, *, target: str = "", event: str = "", timeout: float = TIMEOUT,
        delay: float = 0.0,
    ) -> Callable[[_V], _V]:  # fmt: skip
        """A decorator: this class validates an action.

        Args:
            action: The action's name.
            target: The type of actor; where none is given, all that have no validator of their own.
            event: Validate when this event has come.
            timeout: Fail if the event has not come in so many seconds of game time.
            delay: Without an event, validate so many seconds after the action began.

        Raises:
            CommandError: the numbers make no sense, or the action has a validator already.
        """
        of = f"the validator of {action!r}" + (f" on {target!r}" if target else "")
        if not timeout > 0.0 or delay < 0.0:
            raise CommandError(
                f"{of}: timeout={timeout:g} must be over 0 s, and delay={delay:g} at least 0 s"
            )
        if event and delay:
            raise CommandError(f"{of} waits for an event or for a delay: give one of them")

        def bind(validator: _V) -> _V:
            self.add(BoundValidator(validator(), action, target, event, timeout, delay))
            return validator

        return bind

    def add(self, bound: BoundValidator) -> None:
        """Take over a validator of another game.

        Raises:
            CommandError: the action has one already.
        """
        key = bound.action, bound.target
        if key in self._bound:
            on = f" on {bound.target!r}" if bound.target else ""
            raise CommandError(
                f"the validator of {bound.action!r}{on} is there already: one is all"
            )
        self._bound[key] = bound

    def find(self, action: str, target: str = "") -> BoundValidator | None:
        """The validator of an action on a type of actor; None if nothing validates it."""
        return self._bound.get((action, target)) or self._bound.get((action, ""))
