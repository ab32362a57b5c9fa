"""The rules of a plan as conditions of a decision."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ...decision_rules import Condition, DecisionRule
from ...games.plan_target_actor import Actor
from ...games.playable_interface import Vector
from ...recorder.statements.instrumentation_interface import Scalar
from .plan import Precondition, Rule
from .plan_checker import meant


class PlanFacts(NamedTuple):
    """What the rules look at in one step."""

    position: Vector
    """The player's."""
    state: Mapping[str, Scalar]
    actors: tuple[Actor, ...]
    barred: Mapping[tuple[str, int], str]
    """Why a rule is not carried out on an actor just now, by the rule's title and the actor's
    id."""

    def values(self) -> dict[str, Scalar]:
        """The facts as a trace carries them."""
        return {
            name: None if isinstance(value, float) and not math.isfinite(value) else value
            for name, value in self.state.items()
        }


class PreconditionAnswer(NamedTuple):
    """One precondition as it is in a step."""

    text: str
    """What it asks for."""
    value: Scalar
    """What is there instead: the distance of the nearest, or the game's value; None for nothing."""
    reason: str
    """Why it does not hold; empty if it does."""


class _PreconditionResult(NamedTuple):
    reason: str
    """Why it does not hold; empty if it does."""
    lacks: float
    """How far it is from holding."""


def condition_of(rule: Rule) -> Condition[PlanFacts]:
    """Whether all preconditions of a rule hold."""

    def first(facts: PlanFacts) -> _PreconditionResult:
        for one in rule.when:
            answer = _answer(rule, one, facts)
            if answer.reason:
                return answer
        return _PreconditionResult("", 0.0)

    return Condition(
        rule.title,
        lambda facts: not first(facts).reason,
        lambda facts: first(facts).reason,
        lambda facts: first(facts).lacks,
    )


def answers_of(rule: Rule, facts: PlanFacts) -> list[PreconditionAnswer]:
    """Each precondition of a rule, with what it looks at."""
    return [
        PreconditionAnswer(one.text, _value(rule, one, facts), _answer(rule, one, facts).reason)
        for one in rule.when
    ]


def target_of(rule: Rule, facts: PlanFacts) -> Actor | None:
    """The actor that fulfils the first precondition that names one; None if none does."""
    one = next((one for one in rule.when if one.actor), None)
    if one is None:
        return None
    near = _around(rule, one, facts)
    return near[0][1] if near and near[0][0] <= (one.within or 0.0) else None


def decision_rules(rules: Sequence[Rule]) -> list[DecisionRule[PlanFacts, Rule | None]]:
    """The rules of a plan by priority, of equal ones the first first; last, to go on."""
    ordered = sorted(rules, key=lambda rule: -rule.priority)
    table: list[DecisionRule[PlanFacts, Rule | None]] = [
        DecisionRule(condition_of(rule), rule) for rule in ordered
    ]
    always: Callable[[PlanFacts], bool] = lambda facts: True  # noqa: E731
    return [*table, DecisionRule(Condition("next node", always, "there is always a node"), None)]


def _value(rule: Rule, one: Precondition, facts: PlanFacts) -> Scalar:
    if not one.actor:
        return facts.values().get(one.value)
    first = next((w for w in rule.when if w.actor), None)
    near = _around(rule if one is first else None, one, facts)
    return round(near[0][0], 1) if near else None


def _answer(rule: Rule, one: Precondition, facts: PlanFacts) -> _PreconditionResult:
    if one.actor:
        return _near(rule, one, facts)
    value = facts.state.get(one.value)
    if one.equals is not None and value != one.equals:
        return _PreconditionResult(f"{one.value} is {value!r}, not {one.equals!r}", math.inf)
    number = float(value) if isinstance(value, int | float) else math.nan
    if one.above is not None and not number > one.above:
        return _PreconditionResult(
            f"{one.value} is {value!r}, not above {one.above:g}", one.above - number
        )
    if one.below is not None and not number < one.below:
        return _PreconditionResult(
            f"{one.value} is {value!r}, not below {one.below:g}", number - one.below
        )
    return _PreconditionResult("", 0.0)


def _near(rule: Rule, one: Precondition, facts: PlanFacts) -> _PreconditionResult:
    within = one.within or 0.0
    first = next((w for w in rule.when if w.actor), None)
    around = _around(rule if one is first else None, one, facts)
    if not around:
        reasons = [why for (title, _), why in facts.barred.items() if title == rule.title]
        return _PreconditionResult(reasons[0] if reasons else f"there is no {one.actor}", math.inf)
    away, actor = around[0]
    if away > within:
        text = f"the nearest {actor.name} is {away:.1f} away, not within {within:g}"
        return _PreconditionResult(text, away - within)
    return _PreconditionResult("", 0.0)


def _around(
    rule: Rule | None, one: Precondition, facts: PlanFacts
) -> list[tuple[float, Actor]]:  # fmt: skip
    """Those that a precondition may mean, the nearest first; of a rule those it can be done to."""
    found = [actor for actor in meant(one.actor, facts.actors) if not actor.hidden]
    if rule is not None:
        found = [
            actor for actor in found
            if (rule.title, actor.id) not in facts.barred
            and (not rule.action or not actor.actions or rule.action in actor.actions)
        ]  # fmt: skip
    away = [(math.dist(a.position, facts.position) - a.radius, a) for a in found]
    return sorted(away, key=lambda entry: entry[0])
