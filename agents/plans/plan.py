"""An explicit plan: a list of nodes and a set of rules."""

import math
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from ...games.playable_interface import Vector

Movement = Literal["walk", "run", "straight", "teleport", "policy"]
"""`walk` and `run` go along a path of the game's map, `straight` goes as the crow flies, `teleport`
is there at once, and `policy` is left to a trained policy."""
NotNegative = Annotated[float, Meta(ge=0)]
TIME_LIMIT = 60.0
"""Seconds of game time that a node or a rule may take, by default."""


class _Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            value = getattr(self, name)
            for number in value if isinstance(value, tuple) else (value,):
                if isinstance(number, float) and not math.isfinite(number):
                    raise ValueError(f"{name} is {number}: give a number")


class Node(_Strict, frozen=True):
    """A place to go to, and what is done there."""

    actor: str = ""
    """The name of an actor, or a type: then the nearest one is meant."""
    location: Vector | None = None
    """Or a place. Without both the action is done where the player is."""
    action: str = ""
    """Empty for none."""
    tolerance: NotNegative | None = None
    """How near is near enough; the action's reach by default."""
    movement: Movement = "walk"
    wait: NotNegative = 0.0
    """Seconds between coming there and the action."""
    wait_after: NotNegative = 0.0
    """Seconds to stay there when its action has been validated."""
    time_limit: Annotated[float, Meta(gt=0)] = TIME_LIMIT

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.actor and self.location is not None:
            raise ValueError("a node goes to an actor or to a location: give one of them")
        if not self.actor and self.location is None and not self.action:
            raise ValueError("a node needs an actor, a location or an action")

    @property
    def title(self) -> str:
        """What it is about, in a few words."""
        where = self.actor
        if self.location is not None:
            where = f"({', '.join(f'{value:g}' for value in self.location)})"
        return " ".join(part for part in (self.action or "go to", where) if part)


Scalar = bool | float | str


class Precondition(_Strict, frozen=True):
    """One of a rule's preconditions: an actor is near, or a value of the game is as asked."""

    actor: str = ""
    """The name of an actor, or a type."""
    within: Annotated[float, Meta(gt=0)] | None = None
    """How near any of them must be to the player."""
    value: str = ""
    """The name of one of the game's values."""
    above: float | None = None
    below: float | None = None
    equals: Scalar | None = msgspec.field(default=None, name="is")

    def __post_init__(self) -> None:
        super().__post_init__()
        if bool(self.actor) is bool(self.value):
            raise ValueError("a precondition is about an actor or about a value: give one of them")
        compared = [self.above, self.below, self.equals]
        if self.actor and (self.within is None or compared != [None, None, None]):
            raise ValueError("for an actor give `within`, and nothing else")
        if self.value and (self.within is not None or compared == [None, None, None]):
            raise ValueError("for a value give `above`, `below` or `is`")

    @property
    def text(self) -> str:
        """What it asks for, in a few words."""
        if self.actor:
            return f"{self.actor} within {self.within:g}"
        bounds = [f"above {self.above:g}"] if self.above is not None else []
        bounds += [f"below {self.below:g}"] if self.below is not None else []
        bounds += [f"is {self.equals}"] if self.equals is not None else []
        return f"{self.value} {' and '.join(bounds)}"


class Rule(_Strict, frozen=True):
    """What is done whenever all preconditions hold, before anything of the nodes."""

    when: Annotated[tuple[Precondition, ...], Meta(min_length=1)]
    """None at all would hold always, and no node would ever be gone to."""
    action: str = ""
    """It is done to the actor of the first precondition that names one."""
    name: str = ""
    priority: float = 0.0
    """The true rule with the highest priority wins; of equal ones the first."""
    tolerance: NotNegative | None = None
    movement: Movement = "walk"
    time_limit: Annotated[float, Meta(gt=0)] = TIME_LIMIT

    @property
    def title(self) -> str:
        """Its name, or what it is about."""
        about = next((one.actor for one in self.when if one.actor), "")
        return self.name or " ".join(part for part in (self.action or "go to", about) if part)


class Plan(_Strict, frozen=True):
    """All that an agent is to do."""

    nodes: Annotated[tuple[Node, ...], Meta(min_length=1)]
    rules: tuple[Rule, ...] = ()
    game: str = ""
    """The game that it is for, such as `arena:dungeon`."""

    def __post_init__(self) -> None:
        super().__post_init__()
        titles = [rule.title for rule in self.rules]
        twice = next((title for title in titles if titles.count(title) > 1), None)
        if twice is not None:
            raise ValueError(f"two rules are called {twice!r}: give each a `name` of its own")


def movements_of(plan: Plan) -> set[Movement]:
    """All movements of its nodes and rules."""
    return {node.movement for node in plan.nodes} | {rule.movement for rule in plan.rules}


def moved_by(plan: Plan, movement: Movement) -> Plan:
    """The same plan with another movement in all of its nodes and rules."""
    nodes = tuple(msgspec.structs.replace(node, movement=movement) for node in plan.nodes)
    rules = tuple(msgspec.structs.replace(rule, movement=movement) for rule in plan.rules)
    return msgspec.structs.replace(plan, nodes=nodes, rules=rules)
