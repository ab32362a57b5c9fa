"""The common part of nodes and rules: go somewhere and do something there."""

from collections.abc import Iterator, Mapping

from ....games.plan_game_interface import Action
from ....games.plan_target_actor import Actor
from ....games.playable_interface import Vector
from ....playback.pads.pad import Pad
from ..plan import Movement, Node, Rule
from ..validation.action_outcome_validation import ActionValidation

NEAR = 1.0
"""Distance from a location, or from an actor without an action, that is near enough."""


class PlanTask:
    """What is to be done, and how far that has come.

    Args:
        tolerance: How near is near enough.
        limit: Seconds of game time that it may take.
        wait: Seconds between coming there and the action.
        wait_after: Seconds to stay there when the action has been validated.
        rule: The rule that it carries out; None for a node.
        actor: Whom it is about, if that is known; `place`: or where.
    """

    def __init__(
        self, title: str, action: str, movement: Movement, tolerance: float, limit: float, *,
        wait: float = 0.0, wait_after: float = 0.0, rule: Rule | None = None,
        actor: Actor | None = None, place: Vector | None = None,
    ) -> None:  # fmt: skip
        self.title, self.action, self.movement = title, action, movement
        self.tolerance, self.limit = tolerance, limit
        self.wait, self.wait_after = wait, wait_after
        self.rule, self.actor, self.place = rule, actor, place
        self.spent = 0.0
        """Seconds of game time that it has had."""
        self.waited = self.waited_after = 0.0
        self.arrived = self.announced = False
        self.performing: Iterator[Pad] | None = None
        self.performed = False
        self.validation: ActionValidation | None = None

    @property
    def goal(self) -> Vector | None:
        """Where it goes to; None if it is done wherever the player is."""
        return self.actor.place if self.actor is not None else self.place

    @property
    def goal_tolerance(self) -> float:
        """How near to its goal one must come: to the edge of an actor, and all the way if it is
        hidden."""
        if self.actor is None:
            return self.tolerance
        return 0.0 if self.actor.hidden else self.tolerance + self.actor.radius

    @property
    def actor_name(self) -> str:
        """The name of its actor; empty for none."""
        return self.actor.name if self.actor is not None else ""

    def interrupt(self) -> None:
        """Something else comes first: its path starts again then, and so does a cut action."""
        if self.validation is not None and not self.performed:
            self.validation.suspend()  # announced, and not begun or cut short
        self.performing = None
        self.arrived = self.performed
        self.waited = 0.0


def task_of_node(node: Node, actions: Mapping[str, Action]) -> PlanTask:
    """What a node is, to be begun."""
    return PlanTask(
        node.title, node.action, node.movement, _reach(node, actions), node.time_limit,
        wait=node.wait, wait_after=node.wait_after, place=node.location,
    )  # fmt: skip


def task_of_rule(rule: Rule, actor: Actor | None, actions: Mapping[str, Action]) -> PlanTask:
    """What a rule does, to an actor or without one."""
    return PlanTask(
        rule.title, rule.action, rule.movement, _reach(rule, actions), rule.time_limit,
        rule=rule, actor=actor,
    )  # fmt: skip


def _reach(of: Node | Rule, actions: Mapping[str, Action]) -> float:
    if of.tolerance is not None:
        return of.tolerance
    return actions[of.action].reach if of.action else NEAR
