"""Ordered conditions: which one won, what else was true, what was rejected and why.

Whatever decides by a list of conditions decides by this: state machines of the arena's characters,
the playthrough agent, the rules of a plan. The first condition that holds wins. All others are
evaluated, too, also those after the winner, so that a trace can show what else was true and why the
rest did not.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from .hooks.decision_hooks import DecisionHooks
from .recorder.packets.reexecutable_decisions import ConditionResult, DecisionResult
from .recorder.statements.instrumentation_interface import (
    NULL_INSTRUMENTATION,
    Belief,
    Instrumentation,
    Rejected,
    Scalar,
)
from .recorder.text.enum_names import text_or_name

F = TypeVar("F")
"""What the conditions look at. Where a reason is a text to be filled in, a `NamedTuple`."""
T = TypeVar("T")
"""What is decided: a state, for instance."""


@dataclass(frozen=True)
class Condition(Generic[F]):
    """A question about the facts, and why its answer is no."""

    name: str
    holds: Callable[[F], bool]
    why_not: str | Callable[[F], str]
    """A function, or a text that is filled in with the facts, by name."""
    lacks: Callable[[F], float] | None = None
    """How far it is from holding: 0 if it holds; in its own unit. None where there is no more or
    less."""

    def reason(self, facts: F) -> str:
        """Why the answer is no."""
        if isinstance(self.why_not, str):
            named: Any = facts
            return self.why_not.format(**named._asdict())
        return self.why_not(facts)


@dataclass(frozen=True)
class DecisionRule(Generic[F, T]):
    """If the condition holds, decide for the target."""

    condition: Condition[F]
    target: T
    sources: frozenset[T] | None = None
    """The states in which it may win; None for all."""


class Decision(Generic[F, T]):
    """A winner and everything that spoke for and against it.

    Reasons are made when they are asked for: ask while the facts are as they were.
    """

    def __init__(
        self, winner: DecisionRule[F, T], rules: Iterable[DecisionRule[F, T]], facts: F
    ) -> None:
        self.facts = facts
        self.rule = winner
        self.target = winner.target
        self.won = winner.condition.name
        true_conditions: list[str] = []
        self._lost: list[Condition[F]] = []
        for rule in rules:
            if rule is winner:
                continue
            if rule.condition.holds(facts):
                true_conditions.append(rule.condition.name)
            else:
                self._lost.append(rule.condition)
        self.also_true = tuple(true_conditions)
        """Conditions that were true as well, in their order."""

    @property
    def rejected(self) -> tuple[Rejected, ...]:
        """Conditions that did not hold, each with its reason."""
        return tuple(Rejected(one.name, one.reason(self.facts)) for one in self._lost)

    @property
    def nearest_miss(self) -> Rejected | None:
        """The false condition nearest to being true; None if none has a distance."""
        return _nearest(self._lost, self.facts)

    def trace(
        self, instruments: Instrumentation, agent: int, machine: str, source: str, target: str, *,
        values: Mapping[str, Scalar], beliefs: Sequence[Belief] = (), stacklevel: int = 1,
    ) -> None:  # fmt: skip
        """Record it as a transition of a state machine; without a recorder no reason is made."""
        if instruments is NULL_INSTRUMENTATION:
            return
        instruments.trace.state(
            agent, machine, source, target, won=self.won, also_true=self.also_true,
            rejected=self.rejected, values=values, beliefs=beliefs,
            stacklevel=stacklevel + 1,
        )  # fmt: skip


def hooks_on(instruments: Instrumentation, agent: int, machine: str) -> DecisionHooks | None:
    """The hooks that are set on an agent's table of conditions; None, the usual case, for none."""
    hooks = instruments.armed_hooks
    return None if hooks is None else hooks.of_machine(agent, machine)


def decide(
    rules: Iterable[DecisionRule[F, T]], facts: F, source: T | None = None, *,
    hooks: DecisionHooks | None = None, state: Any = None,
) -> Decision[F, T] | None:  # fmt: skip
    """The first rule that may win in the state `source` and whose condition holds; None if none.

    Args:
        hooks: What `hooks_on` answered: they may have another rule win.
        state: For them, where the table is the present state's own: the present state.
    """
    rules = tuple(rules)
    if hooks is not None:
        decided: Decision[F, T] | None = hooks.decide(
            lambda table: decide(table, facts, source), rules, facts,
            source if state is None else state,
        )  # fmt: skip
        return decided
    for rule in rules:
        allowed = rule.sources is None or source in rule.sources
        if allowed and rule.condition.holds(facts):
            return Decision(rule, rules, facts)
    return None


def choice_of(
    rules: Iterable[DecisionRule[F, T]], facts: F, source: T | None = None,
    name_of: Callable[[Any], str] = text_or_name,
) -> DecisionResult:  # fmt: skip
    """What is decided, with the answers of all conditions, in plain values.

    Args:
        source: As of `decide`.
        name_of: What a target is called.
    """
    rules = tuple(rules)
    decision = decide(rules, facts, source)
    answers = []
    for rule in rules:
        if rule.sources is not None and source not in rule.sources:
            continue
        one = rule.condition
        holds = bool(one.holds(facts))
        answers.append(ConditionResult(
            one.name, name_of(rule.target), holds, "" if holds else one.reason(facts),
            None if one.lacks is None else float(one.lacks(facts)),
        ))  # fmt: skip
    if decision is None:
        return DecisionResult("", conditions=tuple(answers))
    return DecisionResult(name_of(decision.target), decision.won, tuple(answers))


def nearest_miss(rules: Iterable[DecisionRule[F, T]], facts: F) -> Rejected | None:
    """Where nothing won: the condition nearest to being true; None if none has a distance."""
    return _nearest([r.condition for r in rules if not r.condition.holds(facts)], facts)


def _nearest(lost: Iterable[Condition[F]], facts: F) -> Rejected | None:
    known = [(one.lacks(facts), one) for one in lost if one.lacks is not None]
    finite = [entry for entry in known if math.isfinite(entry[0])]
    if not finite:
        return None
    _, nearest = min(finite, key=lambda entry: entry[0])
    return Rejected(nearest.name, nearest.reason(facts))
