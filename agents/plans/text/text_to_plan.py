"""Makes an explicit plan for one game, nodes and rules, of steps that a tester wrote.

Each sentence is split into nodes and rules, the words for action and actor are found in it
and matched to what the game has; what is less alike than a threshold is reported, never guessed.
"""

import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from ....errors import PlanError
from ....games.plan_game_interface import PlanGame
from ....games.plan_target_actor import Actor
from ..plan import Node, Plan, Precondition, Rule
from ..plan_file import PlanFile, plan_file_of
from .parsed_step_or_rule import Kind, ParsedCondition, StepOrRule
from .sentence_parser import SentenceParser
from .step_details import Details
from .words.game_vocabulary_matcher import GameWords
from .words.non_english_check import foreign
from .words.tokenizer_and_lemmatizer import sentences, without_numbering

MOST_LINES, MOST_LETTERS = 10_000, 1_000_000
_CONTROL = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]"
)
_Task = TypeVar("_Task", Node, Rule)
_SHOWN = 20
"""The most lines that an error lists."""


class ReadSentence(msgspec.Struct, frozen=True):
    """What came of a sentence; one that says two things is there twice."""

    sentence: str
    line: int
    kind: Kind
    action: str | None
    """None where one only goes somewhere."""
    actor: str | None
    """The type of actor."""
    instance: str | None
    """The name of the actor that is meant now: the nearest one of its type."""
    confidence: float
    fallback: bool
    """Whether no such actor is there at the start: then the action is done where the player is, or,
    if it needs one, or one of that name comes later, to whom is there when its turn comes."""
    problem: str
    """What was not understood; empty if all was."""
    target: str
    """What the plan calls the actor: its type, or the name that alone is meant."""
    when: tuple[Precondition, ...]
    also: tuple[str, ...]
    """Other actors that a rule is about in the same way: the plan has a rule for each."""
    details: Details
    """Waits, a time limit, a tolerance, a way to move, as far as it says any."""

    @property
    def only_waits(self) -> bool:
        """Whether it says nothing but to wait."""
        return self.kind == "node" and not (self.action or self.actor) and self.details.wait > 0

    @property
    def text(self) -> str:
        """What it was read as, in a few words."""
        if self.kind == "unknown":
            return "not understood"
        if self.only_waits:
            return f"wait {self.details.wait:g} s"
        done = " ".join(
            part for part in (self.action or "go to", self.target or self.actor) if part
        )
        if self.kind == "rule":
            when = " and ".join(one.text for one in self.when) or "…"
            done = f"rule: {done}, when {when}"
            done += f"; the same for {', '.join(self.also)}" if self.also else ""
        parts = [f"wait {self.details.wait:g} s"] if self.details.wait else []
        after, limit, tolerance, movement = self.details[1:]
        parts += [f"then wait {after:g} s"] if after else []
        parts += [f"time limit {limit:g} s"] if limit is not None else []
        parts += [f"tolerance {tolerance:g}"] if tolerance is not None else []
        parts += [movement] if movement is not None else []
        if self.problem:
            return f"{done}: not possible"
        parts += ["no such actor is there at the start"] if self.fallback and self.actor else []
        return ", ".join((done, *parts))

    @property
    def facts(self) -> dict[str, Any]:
        """Its facts as JSON."""
        names = ("sentence", "line", "kind", "action", "actor", "instance", "confidence")
        facts = {name: getattr(self, name) for name in (*names, "fallback", "problem")}
        return {**facts, **self.details._asdict()}


class TextToPlan:
    """Reads steps for one game.

    Args:
        game: The game as it is at its start: its actors are those that sentences name.

    Raises:
        PlanError: the game has no valid values at all.
    """

    def __init__(self, game: PlanGame) -> None:
        here = game.observe().position
        self._actors = tuple(
            sorted(game.plan_actors(), key=lambda actor: math.dist(actor.position, here))
        )
        self._allowed: dict[str, set[str]] = {}
        self._actions = {name: action.somewhere for name, action in game.plan_actions.items()}
        types = sorted(game.plan_types)
        named = {actor.name: actor.type for actor in reversed(self._actors)}
        named = dict(reversed(named.items()))
        for name, type in sorted(game.plan_names().items()):
            named.setdefault(name, type)
        self._types = {name: type for name, type in named.items() if name not in game.plan_types}
        if not self._actions and not types and not named:
            problem = "has no actions and no actors: no sentence can be matched to anything"
            raise PlanError(f"the game {problem}")
        allowed = self._allowed
        allowed |= {type: set(actions) for type, actions in game.plan_types.items() if actions}
        for actor in self._actors:
            allowed.setdefault(actor.type, set()).update(actor.actions)
        words = GameWords(self._actions, types, self._types, allowed)
        reaches = {name: action.reach for name, action in game.plan_actions.items()}
        self._reader = SentenceParser(words, sorted(game.plan_values), reaches)
        self._read: dict[tuple[str, str | None], list[StepOrRule]] = {}

    def read(self, text: str, file: str = "<text>") -> list[ReadSentence]:
        """What each sentence says, also of those that were not understood.

        Raises:
            PlanError: it is no text that has steps in it.
        """
        lines = _lines(text, file)
        found: list[ReadSentence] = []
        last: StepOrRule | None = None
        for number, line in enumerate(lines, 1):
            for sentence in sentences(without_numbering(line)):
                key = sentence, last.actor if last is not None else None
                if key not in self._read:
                    self._read[key] = self._statements(sentence, last)
                found += [self._placed(sentence, number, one) for one in self._read[key]]
                last = next((one for one in reversed(self._read[key]) if one.actor), last)
        if not found:
            raise PlanError(f"{file}: there is no sentence in it: write a step a line")
        return found

    def plan(
        self, found: Sequence[ReadSentence], game: str = "", file: str = "<text>"
    ) -> PlanFile:  # fmt: skip
        """The plan that the sentences make.

        Raises:
            PlanError: something was not understood; it lists the lines.
        """
        wrong = [one for one in found if one.problem]
        if wrong:
            problems = [f"{file}:{one.line}: {one.sentence!r:.120}: {one.problem}" for one in wrong]
            if len(problems) > _SHOWN:
                problems = [*problems[:_SHOWN], f"… and {len(problems) - _SHOWN} more"]
            raise PlanError("\n".join(problems))
        nodes = _nodes(found, file)
        if not nodes:
            needed = "a plan needs a step, such as: Go to the exit."
            raise PlanError(f"{file}: all sentences are rules; {needed}")
        plan = Plan(nodes, _rules(found), game)
        return plan_file_of(plan, comment=_comment(found, Path(file).name))

    def _statements(self, sentence: str, before: StepOrRule | None) -> list[StepOrRule]:
        if foreign(sentence):
            problem = "it does not read as English, the one language that is understood"
            return [StepOrRule("unknown", problem=problem)]
        return self._reader.read(sentence, before)

    def _placed(self, sentence: str, line: int, one: StepOrRule) -> ReadSentence:
        target, instance, problem, fallback = one.actor or "", None, one.problem, False
        actor = self._nearest(target) if target else None
        if actor is not None:
            instance = actor.name
            same = [other for other in self._actors if other.type == actor.type]
            if one.kind == "node" and len(same) == 1:
                target = actor.name
        elif one.kind == "node":
            # An actor with a name of its own may come later; of a type there is none to go to.
            somewhere = self._actions.get(one.action or "", False)
            fallback = True
            if somewhere and target not in self._types:
                target = ""
            if not target and not somewhere and not problem and not one.only_waits:
                problem = f"{one.action!r} is done to an actor: say to whom"
        type = self._types.get(one.actor or "") or one.actor
        can = self._allowed.get(type or "")
        if can is not None and one.action and one.action not in can and not problem:
            those = ", ".join(sorted(can)) or "nothing"
            called = instance or one.actor
            problem = f"{one.action!r} can't be done to {called!r}; what can be: {those}"
        when = tuple(_precondition(condition) for condition in one.conditions)
        if one.kind == "rule" and not problem:
            about = next((condition.actor for condition in when if condition.actor), "")
            if one.actor and about != one.actor:
                wrong_actor = (
                    f"a rule is done to the actor it is about, {about!r}, not to {one.actor!r}"
                )
                problem = wrong_actor if about else f"say when, with {one.actor!r} in it"
            elif one.action and not about and not self._actions[one.action]:
                problem = f"{one.action!r} is done to an actor: say to whom"
        return ReadSentence(
            sentence, line, one.kind, one.action, type, instance, one.confidence,
            fallback and not problem and not one.only_waits, problem, target, when,
            one.also if one.kind == "rule" else (), one.details,
        )  # fmt: skip

    def _nearest(self, name: str) -> Actor | None:
        named = (actor for actor in self._actors if actor.name == name)
        typed = (actor for actor in self._actors if actor.type == name)
        return next(named, None) or next(typed, None)


class _RuleOf(NamedTuple):
    when: tuple[Precondition, ...]
    action: str


def _nodes(found: Sequence[ReadSentence], file: str) -> tuple[Node, ...]:
    """The nodes in their order. A wait by itself is waited where the step before it has led to.

    Raises:
        PlanError: it waits, and there is nowhere to wait.
    """
    made: list[Node] = []
    waits = 0.0
    for one in found:
        if one.kind != "node":
            continue
        wait, after = one.details.wait, one.details.wait_after
        if one.only_waits and made:
            last = made[-1]
            name = "wait_after" if last.action else "wait"
            made[-1] = msgspec.structs.replace(last, **{name: getattr(last, name) + wait})
        elif one.only_waits:
            waits += wait
        else:
            node = Node(
                actor=one.target, action=one.action or "", wait=waits + wait, wait_after=after
            )
            made.append(_with_details(node, one))
            waits = 0.0
    if waits:
        raise PlanError(f"{file}: it only waits, and goes nowhere to wait there")
    return tuple(made)


def _with_details(task: _Task, one: ReadSentence) -> _Task:
    details = one.details
    changes = {
        "movement": details.movement, "tolerance": details.tolerance,
        "time_limit": details.time_limit,
    }  # fmt: skip
    return msgspec.structs.replace(task, **{k: v for k, v in changes.items() if v is not None})


def _rules(found: Sequence[ReadSentence]) -> tuple[Rule, ...]:
    """The rules in their order; equal ones are one."""
    rules_kept: dict[_RuleOf, Rule] = {}
    titles: set[str] = set()
    for one in found:
        for when in _each(one) if one.kind == "rule" else ():
            key = _RuleOf(when, one.action or "")
            if key in rules_kept:
                continue
            rule = _with_details(Rule(when, key.action), one)
            if rule.title in titles:
                rule = msgspec.structs.replace(rule, name=f"{rule.title} (line {one.line})")
            titles.add(rule.title)
            rules_kept[key] = rule
    return tuple(rules_kept.values())


def _each(one: ReadSentence) -> Iterator[tuple[Precondition, ...]]:
    """The preconditions of a rule, for each of the actors that it is about."""
    for name in (one.target, *one.also):
        yield tuple(
            msgspec.structs.replace(of, actor=name) if of.actor == one.target else of
            for of in one.when
        )


def _precondition(condition: ParsedCondition) -> Precondition:
    if condition.actor:
        return Precondition(actor=condition.actor, within=condition.within)
    return Precondition(value=condition.value, above=condition.above, below=condition.below)


def _comment(found: Sequence[ReadSentence], file: str) -> str:
    """What is at the top of the plan: where it is from, and what has no actor to go to."""
    parts = [f"From {file}."]
    for one in found:
        if one.fallback and " " in one.sentence.strip():
            where = "it is done where the player is"
            if one.target:
                where = f"{one.target!r} is looked for when its turn comes"
            line = f"Line {one.line}, {one.sentence!r:.100}"
            parts.append(f"{line}: no such actor is there at the start; {where}.")
    return "\n".join(parts)


def _lines(text: str, file: str) -> list[str]:
    """The lines of a text.

    Raises:
        PlanError: it is too long, empty, or no text.
    """
    text = text.removeprefix("\ufeff")
    if len(text) > MOST_LETTERS:
        problem = f"the text has {len(text):,} letters; at most {MOST_LETTERS:,} are read"
        raise PlanError(f"{file}: {problem}: give the steps of one plan")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n").split("\n")
    if len(lines) > MOST_LINES:
        problem = f"the text has {len(lines):,} lines; at most {MOST_LINES:,} are read"
        raise PlanError(f"{file}: {problem}: give the steps of one plan")
    if not text.strip():
        raise PlanError(f"{file}: the text is empty: write a step a line, such as: Go to the exit.")
    for number, line in enumerate(lines, 1):
        control = _CONTROL.search(line)
        if control:
            problem = f"the control character U+{ord(control.group()):04X} is in it: take it out"
            raise PlanError(f"{file}:{number}: {problem}")
    return lines


def read_steps(path: Path) -> str:
    """The text of a file.

    Raises:
        PlanError: it can't be read.
    """
    try:
        if path.stat().st_size > 4 * MOST_LETTERS:
            problem = f"{path.stat().st_size:,} bytes are too many for the steps of a plan"
            raise PlanError(f"{path}: {problem}")
        return path.read_text("utf-8")
    except OSError as error:
        raise PlanError(f"the steps in {path} can't be read: {error}") from error
    except UnicodeDecodeError as error:
        raise PlanError(f"{path}: this is no text in UTF-8: {error}") from error
