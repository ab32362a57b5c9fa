"""The interface of a game that plans can drive: actors, actions, events, path finding.

A plan says which actor to go to and what to do there. The game says which actors there are, which
actions are possible with each, how a pad performs them, and what has happened.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

from ..playback.pads.pad import Button, Pad
from ..recorder.statements.instrumentation_interface import Scalar
from .action_outcome_validators import ActionValidators
from .plan_target_actor import Actor
from .playable_interface import Playable, Vector


class Action(NamedTuple):
    """Something that a player does, other than going somewhere."""

    name: str
    reach: float
    """How far from its target's edge it can be done: the tolerance of a node that gives none."""
    somewhere: bool = False
    """Whether it can also be done at a position, or without an actor."""
    touch: float = 0.0
    """For what is done by coming there: how far before it is announced, and so measured."""
    event: str = ""
    """What happens when a person has done it; empty for the event that its validator waits for."""


class PlanGameEvent(NamedTuple):
    """Something that has happened."""

    name: str
    object: int = 0
    """The id of the actor that it happened to; 0 where it is about none."""


class Waypoint(NamedTuple):
    """The next waypoint."""

    position: Vector
    jump: float = 0.0
    """How far up one must jump to get there; 0 where one walks."""
    press: Button | None = None
    """What opens the way there if one can't get on: pressed once, in front of it."""


class NavigationMap(Protocol):
    """Where one can walk now."""

    def path(
        self, start: Vector, goal: Vector, near: float
    ) -> Sequence[Waypoint] | None:  # fmt: skip
        """The way to within `near` of a position; None if there is none."""


@runtime_checkable
class Navigable(Protocol):
    """A `Game` that knows where one can walk."""

    def plan_map(self) -> NavigationMap | None:
        """Where one can walk now; None if the game does not know."""


@runtime_checkable
class LevelVariants(Protocol):
    """A `Game` that a seed can make another level of."""

    level_variants: Mapping[str, Any]
    """What its factory takes for that, beside the seed."""


class Controls(NamedTuple):
    """What of the pad moves the player. The left stick walks; `Playable.sticks` says how."""

    jump: Button | None = None
    run: Button | None = None
    step_up: float = 0.5
    """How far up or down a position may be from the player that has come to it."""
    nearest: float = 0.3
    """The least distance at which a position counts as reached: an exact point is never reached."""
    one_jump: float = 1.0
    """How high a single jump is sure to reach; for more it is pressed in the air again."""
    turn: float = 0.0
    """Radians that the right stick turns the player by in a step; 0 if it turns as it walks."""
    opening: float = 1.0
    """Seconds that one gives what was opened by `Waypoint.press`."""


@runtime_checkable
class PlanGame(Playable, Protocol):
    """A `Game` that explicit plans can drive."""

    plan_actions: Mapping[str, Action]
    """All that can be done, by name."""
    plan_types: Mapping[str, Collection[str]]
    """All kinds of actors that there may be, each with what can be done to it, as far as the game
    knows that before one is there."""
    plan_values: frozenset[str]
    """The names of all values that `plan_state` gives."""
    plan_controls: Controls
    validators: ActionValidators
    """How actions are validated."""

    def plan_actors(self) -> Sequence[Actor]:
        """All actors that are there now, but for the player."""

    def plan_names(self) -> Mapping[str, str]:
        """The names of all actors that there are or will be, as far as the game knows them.

        Each has its type; the empty text where that is not known.
        """

    def plan_state(self) -> Mapping[str, Scalar]:
        """Values of the player and of the game that rules and validators look at."""

    def plan_map(self) -> NavigationMap | None:
        """Where one can walk now; None if the game does not know."""

    def perform(self, action: str, target: Actor | Vector | None) -> Iterator[Pad]:
        """Do it: what is pressed in each step until it is done, or can't be done any more.

        The iterator is asked once before each step, so that it may look at the game each time.
        """

    def teleport(self, position: Vector) -> bool:
        """Put the player there; False if the game can't."""

    def on_event(self, listener: Callable[[PlanGameEvent], object]) -> Callable[[], None]:
        """Call this with whatever happens, until the returned function is called."""
