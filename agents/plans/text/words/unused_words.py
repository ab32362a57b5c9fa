"""Finds the words of a sentence that its reading leaves out: they are reported, not guessed."""

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from ..actor_finder import ActorFinder
from ..clause_parser import ClauseParser, Thing
from ..clause_splitter import Clause
from ..filler_phrases import introduction
from ..step_details import NUMBERS
from ..step_or_rule import StepOrRule
from ..unsupported_text import clause_problem
from .english_words import (
    ABOVE,
    AMOUNTS,
    ARTICLES,
    BE,
    BELOW,
    COMPARING,
    EMPTY_NOUNS,
    HAVE,
    KNOWN,
    MODALS,
    NEARNESS,
    NEED,
    NO_NOUNS,
    OBSERVING,
    PLACES,
    PRESSING,
    VAGUE_NOUNS,
)
from .game_vocabulary_matcher import THRESHOLD, GameWords
from .verb_phrase_matcher import MOTION
from .word_forms import plain_forms

_DATA = Path(__file__).parents[1] / "data" / "fillers.txt"
_OTHER = 0.85
"""How alike an actor must be to a thing that is named beside the one that a step is done to."""
_ALWAYS_KNOWN = frozenset().union(
    KNOWN, ABOVE, AMOUNTS, BELOW, COMPARING, EMPTY_NOUNS, NEARNESS, NUMBERS, OBSERVING, PLACES,
    PRESSING, VAGUE_NOUNS,
)  # fmt: skip
_PLACED = frozenset((
    "by", "near", "beside", "besides", "behind", "next", "at", "in", "inside", "on", "around",
    "under", "underneath", "beneath", "between", "past", "along", "above", "below", "before",
    "after", "from", "through", "opposite", "off", "against", "across", "over", "within", "of",
    "about", "up", "down", "outside", "beyond", "for",
))  # fmt: skip
"""After these comes where something is, not what is done."""
_AIMS = frozenset(("get", "end", "finish", "complete", "win", "reach", "be", "make", "see"))
_REASONS = frozenset((
    "because", "since", "until", "till", "although", "though", "even though", "even if", "as",
    "whereas", "so that", "before", "while", "so you can", "so we can", "so the player can",
))  # fmt: skip
"""What these begin says why, or how long: nothing is done by it."""


class UnusedWords:
    """Compares sentences about one game with what they were read as."""

    def __init__(self, game: GameWords, parser: ClauseParser, actors: ActorFinder) -> None:
        self._game = game
        self._parser = parser
        self._actors = actors

    def problem(self, clause: Clause, found: Sequence[StepOrRule]) -> str:
        """What of a clause no statement says that was found; empty if all of it was understood.

        Args:
            found: All that its sentence was read as.
        """
        words = self._content_words(clause)
        things = self._parser.things(words)
        problem = clause_problem(clause, things, found, self._game)
        if problem or clause.marker in _REASONS:
            return problem
        left = self._left_out(clause, words, things, found)
        were = "was" if len(left) == 1 else "were"
        return f"{', '.join(map(repr, left[:4]))} {were} not understood" if left else ""

    def _left_out(
        self, clause: Clause, words: Sequence[str], things: Sequence[Thing],
        found: Sequence[StepOrRule],
    ) -> list[str]:  # fmt: skip
        """The words that say something and that nothing which was found came from."""
        named = {one.actor for one in found if one.actor}
        named |= {of.actor for one in found for of in one.conditions if of.actor}
        meant = named | {self._game.type_of(one) for one in named}
        used = {word for one in found for word in one.words}
        used |= {word for one in found for of in one.conditions for word in of.value.split()}
        actions = {one.action for one in found if one.action}
        missing = {one.missing for one in found}
        left: list[str] = []
        passed: set[str] = set()
        for thing in things:
            target = self._actors.named(thing)
            actor = target.actor
            if " ".join(thing.words) in missing:
                continue
            type = self._game.type_of(actor or "")
            other = clause.sort == "step" and actor in self._game.names and not (
                {actor, type} & named or target.also or target.score < 1.0
            )  # fmt: skip
            if actor and not other and not meant.isdisjoint((actor, type)):
                ends_with_name = self._game.ends_with_name(thing.words, actor)
                passed |= set(thing.words if ends_with_name else thing.words[:-1])
            elif (
                self._is_described_by(words, thing) or (clause.sort == "done" and actor)
            ):  # fmt: skip
                passed |= set(thing.words)
            elif clause.sort == "step" and actor and target.score >= _OTHER:
                text = " ".join(thing.words)
                left += [] if used.issuperset(thing.words) else [text]
                passed |= set(thing.words)
        passed |= used
        left += [
            word for word in words
            if word not in passed and not self._is_known(word, meant, actions)
        ]  # fmt: skip
        return list(dict.fromkeys(left))

    @staticmethod
    def _is_described_by(words: Sequence[str], thing: Thing) -> bool:
        """Whether a thing only says where another one is, or which."""
        if thing.relative or thing.before in _PLACED:
            return True
        before = [word for word in words[max(0, thing.at - 4) : thing.at] if word not in ARTICLES]
        if before[-2:] == ["way", "to"]:
            return True
        # `the monster guarding the door`
        return before[-1:] != [] and before[-1].endswith("ing") and before[-2:-1] != ["by"]

    def _content_words(self, clause: Clause) -> list[str]:
        """The words of a clause without its introduction, and without what a step is done for."""
        begin = introduction(clause.words).length
        words = clause.words[begin if begin < len(clause.words) else 0 :]
        for at in range(2, len(words) - 1):
            if words[at] == "to" and self._is_purpose(words, at):
                return words[:at]
        return words

    def _is_purpose(self, words: Sequence[str], at: int) -> bool:
        if words[at + 1] in _AIMS:
            return True
        noun = words[at + 1] in NO_NOUNS or self._game.word_scores(words[at + 1])[1] >= 0.9
        helped = words[at - 1] in MODALS | NEED | HAVE | BE
        return not noun and not helped and self._game.is_verb(words[at + 1], plain=True)

    def _names(self, word: str, meant: Iterable[str]) -> bool:
        scores = {match.value: match.score for match in self._game.actor((word,))}
        return any(scores.get(one, 0.0) >= 0.5 for one in meant)

    def _is_known(self, word: str, meant: set[str], actions: set[str]) -> bool:
        """Whether a word alone says nothing, or what was found."""
        if not word[0].isalpha() or len(word) == 1 or word.endswith("ly"):
            return True
        forms = plain_forms(word)
        known = _ALWAYS_KNOWN | _fillers() | MOTION
        if not known.isdisjoint(forms):
            return True
        if any(self._game.score(form, action) >= THRESHOLD for form in forms for action in actions):
            return True
        return any(self._names(part, meant) for part in word.split())


@cache
def _fillers() -> frozenset[str]:
    """Words that describe how, when or where, and change nothing about what is done."""
    lines = _DATA.read_text(encoding="utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())
