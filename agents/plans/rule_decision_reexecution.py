"""The decisions of a plan's rules with all that they depend on, recorded and made again."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from ...decision_rules import choice_of
from ...games.plan_target_actor import Actor
from ...recorder.packets.reexecutable_decisions import DecisionMaker, DecisionResult
from ...recorder.statements.decision_maker_reference import maker_from
from .plan import Rule
from .plan_file import load_plan
from .rule_chooser import RuleChoice as RuleChoice
from .rule_conditions import PlanFacts, decision_rules

POSITION, BARRED, VALUE, ACTOR = "position", "barred", "value ", "actor "
"""The inputs: where the player is, whom rules leave alone, the game's values, each actor."""


class RuleInputs:
    """Puts what the rules of one plan looked at into plain values.

    Each actor is an input by itself, since most of them stay as they are.
    """

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.maker: DecisionMaker = maker_from("plan rules", decider, _settings(rules))
        self._actors: dict[int, tuple[Actor, Any]] = {}

    def of(self, facts: PlanFacts) -> dict[str, Any]:
        """The inputs of a decision."""
        inputs: dict[str, Any] = {POSITION: list(facts.position)}
        if facts.barred:
            inputs[BARRED] = [[title, id, why] for (title, id), why in facts.barred.items()]
        for name, value in facts.state.items():
            inputs[f"{VALUE}{name}"] = value
        known, self._actors = self._actors, {}
        for actor in facts.actors:
            before = known.get(actor.id)
            if before is None or before[0] != actor:
                before = actor, msgspec.to_builtins(actor)
            self._actors[actor.id] = before
            inputs[f"{ACTOR}{actor.id}"] = before[1]
        return inputs


def decider(settings: Any) -> Callable[[Mapping[str, Any]], DecisionResult]:
    """Makes decisions by the rules that the settings name."""
    table = decision_rules(msgspec.convert(settings["rules"], tuple[Rule, ...]))

    def decide_again(inputs: Mapping[str, Any]) -> DecisionResult:
        return choice_of(table, facts_of(inputs), name_of=_title)

    return decide_again


def facts_of(inputs: Mapping[str, Any]) -> PlanFacts:
    """What the rules looked at, out of a recorded decision."""
    x, y, z = inputs[POSITION]
    values = {name: inputs[name] for name in inputs if name.startswith(VALUE)}
    return PlanFacts(
        (x, y, z),
        {name.removeprefix(VALUE): value for name, value in values.items()},
        tuple(msgspec.convert(inputs[name], Actor) for name in inputs if name.startswith(ACTOR)),
        {(title, id): why for title, id, why in inputs.get(BARRED, ())},
    )


def edited_settings(settings: Any, file: Path) -> Any:
    """The rules of another plan.

    Raises:
        PlanError: the file is no plan.
    """
    return _settings(load_plan(file).plan.rules)


def title_of(choice: RuleChoice) -> str:
    """What was decided for: a rule; empty to go on with the nodes."""
    return _title(choice.rule)


def _title(rule: Rule | None) -> str:
    return "" if rule is None else rule.title


def _settings(rules: Sequence[Rule]) -> Any:
    return {"rules": msgspec.to_builtins(tuple(rules))}
