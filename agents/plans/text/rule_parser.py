"""Parses when a rule holds, and what makes a step a rule."""

import re
from collections.abc import Mapping, Sequence

import msgspec

from .actor_finder import ActorFinder, StepTarget
from .clause_splitter import Clause
from .parsed_step_or_rule import ParsedCondition, StepOrRule
from .step_details import NUMBERS
from .unsupported_text import condition_problem
from .verb_and_object_parser import ParsedClause
from .words.english_words import (
    ABOVE,
    ANYTHING,
    BELOW,
    LENGTHS,
    NEARNESS,
    NO_NOUNS,
    PLAYERS,
    PRONOUNS,
)
from .words.game_vocabulary_matcher import GameWords
from .words.tokenizer_and_lemmatizer import plain_forms

NEAR = 5.0
"""How near an actor is that a rule only calls near, in the game's units; or nearer than the reach
of what is done to it, if that is more."""
FAR = 1000.0
"""How near an actor must be that a rule is done to wherever it is."""
_NUMBERS = {word: number for word, number in NUMBERS.items() if word not in ("a", "an")}
_ALWAYS = re.compile(
    r"\b(?:on sight|at sight|always|at all times|all the time|whenever possible|when possible"
    r"|wherever possible|at any time|as a rule|constantly|every time|each time|in general)\b"
)
_ON_THE_WAY = re.compile(
    r"\b(?:(?:on|along) (?:the|your|my|our) (?:way|path|route)|en route|in passing"
    r"|as (?:you|we|i|they) \w+|while (?:walking|running|moving|passing|going|you \w+)"
    r"|in (?:your|the|my) way|in sight|in range"
    r"|(?:that|which|who) (?:you|we|i|comes?|gets?|appears?|attacks?|shows?|spawns?"
    r"|approach(?:es)?|blocks?|crosses|moves?|pops?|jumps?|notices?|sees?|threatens?"
    r"|is (?:near|close|in)|are (?:near|close|in))"
    r"|you (?:see|find|meet|spot|encounter|come across|run into|bump into|pass|notice|can find"
    r"|can see))\b"
)
_FARTHER = frozenset((
    "more", "farther", "further", "beyond", "least", "over", "above", "exceeds", "greater",
    "outside",
))  # fmt: skip
_MEANS_TARGET = PRONOUNS | ANYTHING | PLAYERS | NEARNESS | {
    "possible", "necessary", "needed", "required", "there", "near", "nearby",
}  # fmt: skip
"""A condition with one of these may be about whom the step is done to, without naming it."""
_ALL = re.compile(r"\b(?:all|any|(?:all|each|every one|any) of (?:them|these|those)|them all)$")
_SOME = frozenset(("", "a", "an", "some", "another", "those", "these"))


class RuleParser:
    """Makes rules of steps.

    Args:
        reaches: From how far each action can be done: so near is an actor at least that is near.
    """

    def __init__(
        self, game: GameWords, actors: ActorFinder, reaches: Mapping[str, float]
    ) -> None:  # fmt: skip
        self._reaches = reaches
        self._game = game
        self._actors = actors

    def step_or_rule(
        self, step: StepOrRule, parsed: ParsedClause, target: StepTarget
    ) -> StepOrRule:
        """The step; or a rule, if it is about any, every or all, or about whatever one meets."""
        if not self._is_rule(parsed, target):
            return step
        conditions, problem = self._conditions((), parsed.words, step)
        return msgspec.structs.replace(step, kind="rule", conditions=conditions, problem=problem)

    def _is_rule(self, parsed: ParsedClause, target: StepTarget) -> bool:
        text = " ".join(parsed.words)
        thing = target.thing
        if (thing is not None and thing.quantifier) or parsed.always or _ALWAYS.search(text):
            return True
        if _ALL.search(text):
            return True
        if thing is None or not _ON_THE_WAY.search(text):
            return False
        plural = _is_plural(thing.words[-1])
        if thing.article in _SOME and (plural or thing.article in ("a", "an", "some")):
            return True
        return plural and "way" in parsed.words

    def with_condition(
        self, step: StepOrRule, condition: Clause, words: Sequence[str] = ()
    ) -> StepOrRule:
        """The rule that a step is under a condition; `words` are those of the step."""
        if step.kind == "unknown":
            return step
        if step.actor is None and step.action and not self._game.actions.get(step.action):
            about = self._actors.in_condition(condition.words)
            if about is not None and about.actor is not None:
                step = msgspec.structs.replace(step, actor=about.actor)
        conditions, problem = self._conditions(condition.words, [*words, *condition.words], step)
        return msgspec.structs.replace(step, kind="rule", conditions=conditions, problem=problem)

    def _conditions(
        self, inside: Sequence[str], words: Sequence[str], step: StepOrRule
    ) -> tuple[tuple[ParsedCondition, ...], str]:
        """When the rule of a step holds, by the words of its condition and all around them.

        Returns the conditions, and what was not understood.
        """
        target, action = step.actor, step.action
        there = (ParsedCondition(target, FAR),) if target is not None else ()
        number = _number(inside or words)
        value = self._actors.value(inside)
        if value:
            below, above = not BELOW.isdisjoint(inside), not ABOVE.isdisjoint(inside)
            if number is None or below == above:
                unclear = f"{' '.join(inside)!r} does not say what number {value} is below or above"
                return (), unclear
            if below:
                return (*there, ParsedCondition(value=value, below=number)), ""
            return (*there, ParsedCondition(value=value, above=number)), ""
        if number is not None and self._actors.names_value(inside):
            phrase = " ".join(inside)
            return (), f"the condition {phrase!r} was not understood: say above or below what"
        distance = _distance(words)
        if distance and not _FARTHER.isdisjoint(words):
            return (), f"{' '.join(words)!r:.80} was not understood: a rule is about what is near"
        within = distance or max(NEAR, self._reaches.get(action or "", 0.0))
        named = self._actors.in_condition(inside) if inside else None
        problem = condition_problem(inside)
        if problem:
            return (), problem
        if named is not None and named.actor is not None:
            about = ParsedCondition(named.actor, within)
            return ((about,) if target in (None, named.actor) else (*there, about)), ""
        if target is not None and (not inside or not _MEANS_TARGET.isdisjoint(inside)):
            return (ParsedCondition(target, within),), ""
        if named is not None:
            return (), named.problem
        phrase = " ".join(inside) or " ".join(words)
        return (), f"the condition {phrase!r} was not understood: name an actor, or a value"


def _is_plural(word: str) -> bool:
    endings = ("s", "men", "ice", "ves")
    return word.endswith(endings) and any(form != word for form in plain_forms(word))


def _distance(words: Sequence[str]) -> float | None:
    """The number that counts metres and the like; None for none."""
    for at, word in enumerate(words):
        after = words[at + 1] if at + 1 < len(words) else ""
        bare = words[max(0, at - 1) : at] == ["within"] and (not after or after in NO_NOUNS)
        if after in LENGTHS or bare:
            found = _number((word,))
            if found:
                return found
    return None


def _number(words: Sequence[str]) -> float | None:
    for word in words:
        if word in _NUMBERS:
            return _NUMBERS[word]
        if word.replace(".", "", 1).isdigit():
            return float(word)
    return None
