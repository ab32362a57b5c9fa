"""Records what a plan's agent does: decisions, validations, its path."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import numpy as np

from ....games.plan_game_interface import PlanGame, Waypoint
from ....games.plan_target_actor import Actor
from ....games.playable_interface import Vector
from ....recorder.statements.instrumentation_interface import (
    NULL_INSTRUMENTATION,
    Belief,
    Instrumentation,
)
from ..plan import Plan, Rule
from ..plan_checker import meant
from ..plan_outcome import ActionRecord, NodeOutcome
from ..rule_chooser import RuleChoice
from ..rule_conditions import answers_of
from ..rule_decision_reexecution import RuleInputs, title_of
from ..validation.action_outcome_validation import ActionValidation
from .plan_task import PlanTask

MACHINE, VALIDATION = "plan", "validation"
PLAN, PROGRESS, RULES = "plan", "plan progress", "plan rules"
"""Facts of the player: the plan itself, how far it is, and its rules with what they looked at."""
CHANNEL = "plan"
PATH_COLOR, TARGET_COLOR = (140, 190, 240), (250, 120, 60)


class PlanTraceWriter:
    """Writes it all into one recording, at the player and at the actors."""

    def __init__(
        self, game: PlanGame, instruments: Instrumentation, clock: Callable[[], float]
    ) -> None:
        self._game, self._instruments, self._clock = game, instruments, clock
        self.state = ""
        """What the agent is about."""
        self._facts: dict[str, Any] = {}
        self._inputs: RuleInputs | None = None
        self._is_path_drawn = False

    def focus(self, actor: Actor | None) -> int:
        """The id in the recording of whom something is about; the player's if it has none."""
        return actor.id if actor is not None and actor.id > 0 else self._game.player

    def begin(self, plan: Plan, position: Vector, actors: Sequence[Actor]) -> None:
        """The plan itself, with the place of each node as far as it is known by now."""
        if self._instruments is NULL_INSTRUMENTATION:
            return
        nodes, here = [], position
        for node in plan.nodes:
            near = min(
                meant(node.actor, tuple(actors)) if node.actor else (),
                key=lambda actor: math.dist(actor.position, here),
                default=None,
            )
            place = node.location if near is None else near.position
            here = place or here
            nodes.append({
                **_stated(node), "title": node.title, "place": place,
                "object": 0 if near is None else near.id,
            })  # fmt: skip
        rules = [
            {**_stated(rule), "title": rule.title, "when": [_stated(one) for one in rule.when]}
            for rule in plan.rules
        ]
        self._fact(PLAN, {"game": plan.game, "nodes": nodes, "rules": rules})

    def progress(
        self, node: int, outcomes: Sequence[NodeOutcome], failure: str, *, begin: int = 1
    ) -> None:  # fmt: skip
        """The plan's progress after a step; it is recorded when it changes."""
        if self._instruments is NULL_INSTRUMENTATION:
            return
        self._fact(PROGRESS, {
            "node": node, "doing": self.state, "failure": failure,
            "validations": [one.validation for one in outcomes[:node]],
            **({"begin": begin} if begin > 1 else {}),
        })  # fmt: skip

    def rules(self, rules: Sequence[Rule], choice: RuleChoice) -> None:
        """Each rule as it was looked at in this step; it is recorded when it changes."""
        if self._instruments is NULL_INSTRUMENTATION or not rules:
            return
        table = []
        for rule in rules:
            answers = answers_of(rule, choice.facts)
            table.append({
                "title": rule.title, "won": rule is choice.rule,
                "when": [[one.text, one.value, one.reason] for one in answers],
            })  # fmt: skip
        self._fact(RULES, table)
        if self._inputs is None:
            self._inputs = RuleInputs(rules)
        self._instruments.trace.decision(
            self._game.player, MACHINE, self._inputs.of(choice.facts), title_of(choice),
            won=choice.decision.won, maker=self._inputs.maker,
        )  # fmt: skip

    def _fact(self, key: str, value: Any) -> None:
        if self._facts.get(key) != value:
            self._facts[key] = value
            self._instruments.fact(self._game.player, key, value)

    def enter(self, state: str, task: PlanTask, choice: RuleChoice) -> None:
        """A node or a rule begins, or goes on."""
        if self._instruments is not NULL_INSTRUMENTATION:
            beliefs, actor = [], task.actor
            if actor is not None and actor.id > 0:
                beliefs = [Belief(actor.id, actor.position, self._clock(), actor.name)]
            choice.decision.trace(
                self._instruments, self._game.player, MACHINE, self.state, state,
                values=choice.facts.values(), beliefs=beliefs,
            )  # fmt: skip
        self.state = state

    def end(self) -> None:
        """All is done."""
        self._instruments.trace.state(
            self._game.player, MACHINE, self.state, "done", won="the last node is done"
        )
        self.state = "done"

    def announce(self, task: PlanTask) -> None:
        """An action is about to happen."""
        text = f"about to {task.action} {task.actor_name}".rstrip()
        self._instruments.log(text, object=self.focus(task.actor), channel=CHANNEL)

    def validation(
        self, one: ActionValidation, record: ActionRecord, source: str, target: str, won: str
    ) -> None:  # fmt: skip
        """The validation of an action begins, or is decided."""
        self._instruments.trace.state(
            self.focus(one.target), VALIDATION, source or None, target, won=won,
            values={
                "validator": one.name, "action": record.action, "by": record.by, **one.values(),
            },
        )  # fmt: skip

    def watch(
        self, position: Vector, task: PlanTask | None, *, node: int, paths: int, waiting: int
    ) -> None:
        """The curves of this step, and the line to where the player is going."""
        if self._instruments is NULL_INSTRUMENTATION:
            return
        watch, player = self._instruments.watch, self._game.player
        watch("plan.node", node, player)
        watch("plan.paths", paths, player)
        watch("plan.validations waiting", waiting, player)
        goal = None
        if task is not None:
            goal = task.actor.position if task.actor is not None else task.place
        if goal is not None:
            watch("plan.distance", math.dist(goal, position), player)
            self._instruments.draw.line(
                position, goal, color=TARGET_COLOR, object=player, channel=CHANNEL
            )

    def path(self, path: Sequence[Waypoint]) -> None:
        """The way that was found; empty as soon as none is followed."""
        if self._instruments is NULL_INSTRUMENTATION or not (path or self._is_path_drawn):
            return
        self._is_path_drawn = bool(path)
        places = np.array([one.position for one in path], float).reshape(-1, 3)
        self._instruments.draw.lines(
            np.stack([places[:-1], places[1:]], axis=1), color=PATH_COLOR,
            object=self._game.player, channel=CHANNEL, latch="plan path",
        )  # fmt: skip


def _stated(part: msgspec.Struct) -> dict[str, Any]:
    """The fields of a node or a rule that do not have their default."""
    blank = {field.encode_name: field.default for field in msgspec.structs.fields(part)}
    return {
        name: value
        for name, value in msgspec.to_builtins(part).items()
        if blank[name] is msgspec.NODEFAULT or value != blank[name]
    }
