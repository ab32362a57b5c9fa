"""Parses a clause: its verb, and the things that it names, each with the preposition before it."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from .filler_phrases import introduction
from .words.english_words import (
    ADVERBS,
    ANYTHING,
    ARTICLES,
    BE,
    GET,
    GOALS,
    HAVE,
    JOINS,
    MODALS,
    NEED,
    NO_NOUNS,
    NOT,
    NUMBERS,
    PREPOSITIONS,
    PRONOUNS,
    QUANTIFIERS,
    RELATIVES,
    UNITS,
)
from .words.game_vocabulary_matcher import THRESHOLD, GameWords
from .words.tokenizer_and_lemmatizer import is_participle

Voice = Literal["active", "passive", "none"]
_GOING_PLACES = frozenset(
    ("to", "back", "over", "onto", "towards", "toward", "into", "up", "off", "across", "on")
)


_POINTING = frozenset(("that", "this", "these", "those", "one", "her"))
"""Pronouns, unless a noun comes after them."""


class NounPhrase(NamedTuple):
    """Words that may name an actor."""

    words: tuple[str, ...]
    at: int
    """Where the first of them is."""
    before: str = ""
    """The preposition before it; empty for none."""
    quantifier: str = ""
    """`any`, `every` and the like before it."""
    article: str = ""
    relative: bool = False
    """Whether it is in a clause about another thing: `the coin that lies by the door`."""

    @property
    def end(self) -> int:
        return self.at + len(self.words)


class ParsedClause(NamedTuple):
    """A clause, and what is what in it."""

    words: list[str]
    head: int
    """Where its verb is; -1 if it has none."""
    voice: Voice
    noun_phrases: tuple[NounPhrase, ...]
    """All things in it, in their order."""
    pronouns: tuple[int, ...] = ()
    """Where `it` and the like stand."""
    quantifier: str = ""
    """`any`, `every` and the like, wherever they stand."""
    always: bool = False
    """Whether it says `always`."""
    player: bool = False
    """Whether the player is named as who does it."""


class ClauseParser:
    """Parses clauses about one game."""

    def __init__(self, game: GameWords) -> None:
        self._game = game

    def parse(self, clause: Sequence[str]) -> ParsedClause:
        """The parts of a clause that is a step."""
        words = list(clause)
        lead = introduction(words)
        if lead.length >= len(words):
            lead = lead._replace(length=0)
        words = words[lead.length :]
        if (
            len(words) > 1
            and words[0] in ("to", "for")
            and self._game.is_verb(words[1], plain=True)
        ):
            words = words[1:]
        words = words[self._leading_place(words) :]
        if words[0] == "be" and len(words) > 2 and words[1] in PREPOSITIONS:
            words = ["go", *words[1:]]
        words = words[self._somebody(words) :]
        if words[0] == "using" and len(words) > 1:
            words = ["use", *words[1:]]
        if len(words) > 2 and words[0] == "go" and words[1] in ("see", "visit", "meet"):
            words = ["go", *words[2:]]
        while len(words) > 1 and (self._is_adverb(words) or self._goes_to_do(words)):
            words.pop(0)
        head, voice = self._head(words, lead.verb)
        phrases = self._noun_phrases(words, head)
        pronouns = tuple(
            at for at, word in enumerate(words)
            if word in PRONOUNS and at != head
            and not (word in _POINTING and self._names(words, at + 1))
        )  # fmt: skip
        quantifier = next((one.quantifier for one in phrases if one.quantifier), "")
        return ParsedClause(
            words, head, voice, phrases, pronouns, quantifier, "always" in clause, lead.player
        )

    def noun_phrases(self, words: Sequence[str]) -> tuple[NounPhrase, ...]:
        """The things that a condition names."""
        return self._noun_phrases(list(words), -1)

    def _somebody(self, words: list[str]) -> int:
        """Where the verb is after somebody else who does it: `the knight reads the sign`.

        0 if nobody is named, or an actor of the game.
        """
        start = 1 if words[0] in ARTICLES else 0
        for at in range(start + 1, min(start + 3, len(words) - 1)):
            named = self._game.actor(words[start:at])
            if words[at - 1] in NO_NOUNS or (named and named[0].score >= THRESHOLD):
                return 0
            if words[at] in MODALS and self._game.is_verb(words[at + 1], plain=True):
                return at + 1
            does = words[at].endswith("s") and self._game.word_scores(words[at])[0] >= THRESHOLD
            if (
                start
                and does
                and words[at + 1] in ARTICLES | QUANTIFIERS | {"over", "across", "to"}
            ):
                return at
        return 0

    def _leading_place(self, words: list[str]) -> int:
        """Where the verb is after `with a jump`, `at the door`; 0 if nothing is before it."""
        if words[0] not in PREPOSITIONS - {"to", "up", "down", "out", "off", "over", "away"}:
            return 0
        for at in range(2, len(words) - 1):
            after = words[at + 1] in ARTICLES | PRONOUNS | QUANTIFIERS
            if (
                after
                and words[at] not in NO_NOUNS
                and self._game.is_verb(words[at], plain=True)
                and (words[at - 1] not in ARTICLES | PREPOSITIONS)
            ):
                return at
        return 0

    def _is_adverb(self, words: list[str]) -> bool:
        word, follows = words[0], words[1]
        if word in ("then", "also", "now", "just", "please", "first", "always", "finally"):
            return True
        if word.endswith("ly") and word not in ("fly", "apply", "rally", "supply"):
            return True
        return (
            word in ADVERBS
            and self._game.is_verb(follows)
            and follows not in PREPOSITIONS | ARTICLES
        )

    def _goes_to_do(self, words: list[str]) -> bool:
        """Whether it begins like `go check`: `go` adds nothing to the step."""
        word = words[1]
        return (
            words[0] in ("go", "goes", "come", "run", "hurry")
            and word not in NO_NOUNS | PREPOSITIONS
            and (
                self._game.word_scores(word)[0] >= THRESHOLD
                and self._game.word_scores(word)[1] < 0.9
            )
        )

    def _names(self, words: list[str], at: int) -> bool:
        return at < len(words) and words[at] not in NO_NOUNS

    def _head(self, words: list[str], sure: bool) -> tuple[int, Voice]:
        first = words[0]
        if sure and first not in BE | ARTICLES | QUANTIFIERS and not self._passive_at(words, 0):
            return 0, "active"
        if self._game.word_scores(first)[1] >= 0.9 and any(
            word in RELATIVES for word in words[1:3]
        ):
            passive = self._passive(words)
            if passive:
                return passive, "passive"
        imperative = first not in NO_NOUNS - {"do", "have", "get", "let"} and (
            not self._subject_first(words)
        )
        if imperative or first in ("let", "have", "get", "do", "put"):
            caused = self._caused(words)
            if caused:
                return caused, "passive"
            if self._game.is_verb(first) or self._acts(words):
                return 0, "active"
        passive = self._passive(words)
        if passive:
            return passive, "passive"
        if imperative and first not in NO_NOUNS:
            late = self._late_verb(words)
            return (late, "passive") if late else (0, "active")
        if first in _GOING_PLACES and any(word in GOALS for word in words):
            return -1, "none"
        return -1, "none"

    def _acts(self, words: list[str]) -> bool:
        """Whether the first word is a verb that is not known: what follows shows it."""
        follows = words[1] if len(words) > 1 else ""
        return (
            follows in ARTICLES | PRONOUNS | QUANTIFIERS
            and self._game.word_scores(words[0])[1] < 0.62
        )

    def _subject_first(self, words: list[str]) -> bool:
        """Whether it begins with a thing that the clause is about."""
        for at, word in enumerate(words[1:6], 1):
            if word in BE | MODALS | HAVE - {"'s"} | {"gets", "needs", "requires", "get", "wants"}:
                if words[at - 1] in RELATIVES:
                    continue  # `fight enemies that get close`
                rest = words[at + 1 :]
                between = words[1:at]
                if any(
                    one in ARTICLES | QUANTIFIERS | RELATIVES | {"what", "how"}
                    for one in between[:1]
                ):
                    return False
                return any(self._past(one) or self._game.is_verb(one) for one in rest)
            if word in PREPOSITIONS and word not in ("of",):
                return False
        return False

    def _passive(self, words: list[str]) -> int:
        """Where the verb is of `the coin must be taken`; 0 if nothing is done to anything."""
        for at in range(len(words) - 1, 0, -1):
            if self._passive_at(words, at):
                return at
        last = words[-1]
        # `the shrine used`
        if len(words) > 1 and is_participle(last) and self._game.word_scores(last)[0] > 0.6:
            return len(words) - 1
        return 0

    def _passive_at(self, words: list[str], at: int) -> bool:
        word = words[at]
        if word in BE | GET | HAVE | NOT | ADVERBS - {"left"}:
            return False
        back = at - 1
        while back > 0 and (
            words[back] in ADVERBS or words[back].endswith("ly") or words[back] in ("to", "ever")
        ):
            back -= 1
        if back < 0:
            return False
        helper = words[back]
        if helper in BE or helper in GET:
            return self._past(word) and (helper not in GET or back > 0)
        if helper in NEED and word.endswith("ing"):
            return back > 0
        if helper in NEED | {"must", "have", "has"} and back > 0:
            return self._game.is_verb(word, plain=True) and at == len(words) - 1
        return False

    def _past(self, word: str) -> bool:
        return is_participle(word) and not (
            self._game.word_scores(word)[1] >= 0.95 and not word.endswith("ed")
        )

    def _caused(self, words: list[str]) -> int:
        """Where the verb is of `have the gate opened`; 0 otherwise."""
        if words[0] not in ("have", "get") or len(words) < 3:
            return 0
        last = words[-1]
        inside = words[1:-1]
        plain = not any(word in PREPOSITIONS | JOINS for word in inside)
        return len(words) - 1 if is_participle(last) and plain else 0

    def _late_verb(self, words: list[str]) -> int:
        """Where the verb is of `lava jump` and `switch on`: after the thing."""
        at = len(words) - 1
        if at < 1:
            return 0
        act, actor = self._game.word_scores(words[at])
        names = self._game.word_scores(words[at - 1])[1] >= THRESHOLD
        return at if names and act >= 0.9 > actor else 0

    def _noun_phrases(self, words: list[str], head: int) -> tuple[NounPhrase, ...]:
        found: list[NounPhrase] = []
        before = quantifier = article = ""
        relative = False
        at = 0
        while at < len(words):
            word = words[at]
            noun = article and self._game.names_one(word)
            if (
                at == head
                or (word in NO_NOUNS and not noun)
                or word[0].isdigit()
                or (at and words[at - 1][0].isdigit() and word in UNITS)
            ):
                if word in RELATIVES and found:
                    relative = True
                if word in ARTICLES:
                    article = word
                elif word in QUANTIFIERS and not self._empty_quantifier(words, at):
                    quantifier = word
                elif word in ANYTHING:
                    if word not in ("something", "someone", "everything"):
                        quantifier = "any"
                    if word in ("everyone", "everybody", "anyone", "anybody"):
                        found.append(NounPhrase((word,), at, before, "any", article, relative))
                        before = ""
                elif word in NUMBERS:
                    article = article or word
                elif word in PREPOSITIONS and not (
                    word == "of" and (quantifier or article in NUMBERS)
                ):
                    before = word
                elif word in JOINS | BE | HAVE | MODALS or at == head:
                    before = article = ""
                    if word in JOINS and not (found and found[-1].quantifier):
                        quantifier = ""
                at += 1
                continue
            if word in ("what", "how"):
                at += 1
                continue
            end = at + 1
            while (
                end < len(words)
                and end != head
                and words[end] not in NO_NOUNS
                and not words[end][0].isdigit()
            ):
                end += 1
            found.append(
                NounPhrase(tuple(words[at:end]), at, before, quantifier, article, relative)
            )
            before = article = ""
            if not (end < len(words) and words[end] in JOINS):
                quantifier = ""
            at = end
        return tuple(found)

    def _empty_quantifier(self, words: list[str], at: int) -> bool:
        """Whether it counts nothing: `all the way`, `at all`, `any time`."""
        rest = words[at + 1 : at + 3]
        uncounted = {
            "way",
            "time",
            "times",
            "over",
            "around",
            "along",
            "right",
            "once",
            "costs",
            "other",
            "sudden",
            "direction",
            "point",
            "moment",
            "else",
            "alone",
        }
        return (
            not rest
            or not uncounted.isdisjoint(rest[:1])
            or (rest[0] == "the" and not uncounted.isdisjoint(rest[1:]))
            or (words[at - 1 : at] == ["at"])
        )
