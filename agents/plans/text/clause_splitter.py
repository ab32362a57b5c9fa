"""Splits a sentence into clauses: steps, and conditions with the word that begins them."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from .filler_phrases import introduction
from .words.english_words import (
    ADVERBS,
    ARTICLES,
    BE,
    CONTENTS_NOT,
    GET,
    HAVE,
    JOINS,
    MEETING,
    MODALS,
    NEED,
    NO_NOUNS,
    NOT,
    NUMBERS,
    OBSERVING,
    PREPOSITIONS,
    PRONOUNS,
    QUANTIFIERS,
    RELATIVES,
    SEEN,
)
from .words.game_vocabulary_matcher import THRESHOLD, GameWords
from .words.tokenizer_and_lemmatizer import is_participle
from .words.verb_phrase_matcher import is_light

Sort = Literal["step", "rule", "done", "purpose", "aside"]
"""What a clause is: a step; when a rule holds; what is over when a step begins, and so a step
before it, or nothing; what a step is for; what says nothing about what to do."""

_MARKERS: dict[tuple[str, ...], Sort] = {
    tuple(marker.split()): sort  # type: ignore[misc]
    for sort, text in {
        "rule": "if|when|whenever|when ever|each time|every time|any time|anytime|as soon as"
        "|the moment|the instant|in case|as long as|provided|provided that|in the event that"
        "|in the event of"
        "|wherever|at any time|if ever|should|any time that|every time that|each time that"
        "|the second|whether|so long as",
        "done": "once|after|now that|upon|on|having",
        "purpose": "so that|so you can|so we can|so the player can",
        "aside": "before|until|till|while|because|since|unless|even if|even though|although|though"
        "|as|where|whereas",
    }.items()
    for marker in text.split("|")
}  # fmt: skip
_ALSO_PREPOSITIONS = frozenset(("after", "before", "as", "since", "till", "where"))
_SUBJECTS = frozenset(("you", "we", "i", "the", "a", "an", "player", "having", "your"))
_LONGEST = max(len(marker) for marker in _MARKERS)
_TO_DO = frozenset(("go", "run", "head", "come", "walk", "step", "get", "move", "return", "back"))


class Clause(NamedTuple):
    """Words that belong together."""

    words: list[str]
    sort: Sort = "step"
    marker: str = ""
    """What begins it, such as `whenever`."""
    joined: bool = False
    """Whether `and`, a comma or the like joins it to what is before it."""
    alternative: bool = False
    """Whether `or` joins it to what is before it."""


class ClauseSplitter:
    """Splits sentences about one game: the game's own words distinguish verbs from nouns."""

    def __init__(self, game: GameWords) -> None:
        self._game = game

    def clauses(self, words: Sequence[str]) -> list[Clause]:
        """The clauses of a sentence, in their order."""
        found: list[Clause] = []
        start, joined, alternative = 0, False, False
        words = list(words)
        while start < len(words):
            while start < len(words) and words[start] in JOINS | {":"}:
                alternative |= words[start] == "or"
                start, joined = start + 1, True
            if start >= len(words):
                break
            first = self._skipped(words, start)
            sort, length = self._marker(words, first)
            begin = first + length
            if sort == "step":
                begin = start
            end, after = self._end(words, begin, sort)
            marker = " ".join(words[first : first + length])
            inside = words[begin:end]
            while inside and inside[-1] in JOINS:
                inside.pop()
            if inside:
                found.append(Clause(inside, sort, marker, joined, alternative))
            joined, alternative = after > end, "or" in words[end:after]
            start = after
        return found

    def can_act(self, word: str) -> float:
        """How alike a word is to any action, as a verb."""
        return self._game.word_scores(word)[0]

    def is_actor(self, word: str) -> float:
        """How alike a word is to any actor."""
        return self._game.word_scores(word)[1]

    def _skipped(self, words: list[str], at: int) -> int:
        """Where the clause begins after its introduction, if a marker is there."""
        there = at + introduction(words[at:]).length
        return there if there > at and there < len(words) and self._marker(words, there)[1] else at

    def _marker(self, words: list[str], at: int) -> tuple[Sort, int]:
        for length in range(min(_LONGEST, len(words) - at), 0, -1):
            sort = _MARKERS.get(tuple(words[at : at + length]))
            if sort is None:
                continue
            word, nxt = words[at], words[at + length : at + length + 1]
            if not nxt:
                return ("step", 0)
            gerund = nxt[0].endswith("ing")
            if word in ("on", "upon") and nxt[0] in MEETING:
                return "rule", 1
            if word == "on" and not (gerund and nxt[0] in ("reaching", "arriving", "entering")):
                return ("step", 0)
            if word == "having" and at:
                return ("step", 0)
            observed = at and words[at - 1] in OBSERVING and not (
                at > 1 and words[at - 2] in ARTICLES
            )  # fmt: skip
            if word in ("if", "whether") and observed:
                return ("step", 0)
            if sort != "rule" and (nxt[0][0].isdigit() or nxt[0] in NUMBERS):
                return ("step", 0)
            if word == "should" and (nxt[0] in BE | NOT or (at and words[at - 1] not in JOINS)):
                return ("step", 0)
            if (
                word == "after"
                and nxt[0] in ("that", "this", "which")
                and (words[at + 2 : at + 3] and words[at + 2] not in BE | HAVE)
            ):
                return ("step", 0)
            if (
                word in ("until", "till")
                and nxt[0] not in PRONOUNS | {"you", "we"}
                and not (self._subject_of_verb(words, at + 1))
            ):
                return ("step", 0)
            if length == 1 and word in _ALSO_PREPOSITIONS and not (
                gerund or nxt[0] in PRONOUNS | _SUBJECTS
                or (word in ("after", "before") and self._subject_of_verb(words, at + 1))
            ):  # fmt: skip
                return ("step", 0)
            if word == "where" and at and words[at - 1] == "to":
                return ("step", 0)
            if (
                word == "as"
                and length == 1
                and nxt[0] in ("a", "an", "the", "well", "fast", "soon")
            ):
                return ("step", 0)
            if word == "the" and nxt[0] not in (PRONOUNS - {"one"}) | {
                "you",
                "a",
                "an",
                "any",
                "the",
            }:
                return ("step", 0)
            return sort, length
        return ("step", 0)

    def _subject_of_verb(self, words: list[str], at: int) -> bool:
        """Whether an actor and a verb stand there, as in `after coin is taken`."""
        inside = words[at + 1 : at + 5]
        return any(word in BE | HAVE | GET for word in inside) or any(
            word.endswith("s") and self._game.is_verb(word) and self.is_actor(word) < THRESHOLD
            for word in inside[:3]
        )

    def _end(self, words: list[str], begin: int, sort: Sort) -> tuple[int, int]:
        """Where the clause ends that begins here, and where the next one begins."""
        dependent = sort != "step"
        at = begin + 1
        while at < len(words):
            word = words[at]
            if word in (";", ":"):
                return at, at + 1
            if word in JOINS:
                after = at
                while after < len(words) and words[after] in JOINS:
                    after += 1
                between = words[at:after]
                modal = words[at - 1] in MODALS | BE  # `it must then be used`
                if modal or introduction(words[begin:]).length >= at - begin:
                    at = after
                    continue
                closes = not dependent or not {",", "then", "-", ">", "→"}.isdisjoint(between)
                listed = closes and not dependent and self._is_list(words, begin, at, between)
                if closes and not listed and self.opens(words, after, "then" in between, dependent):
                    return at, after
                if dependent and not closes and self._marker(words, after)[1]:
                    return at, after
                at = after
                continue
            if (
                not dependent
                and at > begin
                and self._marker(words, at)[1]
                and (introduction(words[begin:]).length < at - begin)
            ):
                relative = words[at] == "where"
                if not relative or words[at + 1] in ("you", "the", "we"):
                    return at, at
            if dependent and at > begin + 1 and self._orders(words, begin, at):
                return at, at
            if self._runs_on(words, begin, at, sort):
                return at, at
            at += 1
        if dependent:
            last = self._last_verb(words, begin)
            if last:
                return last, last
        return len(words), len(words)

    def _is_list(
        self, words: list[str], begin: int, at: int, between: list[str]
    ) -> bool:  # fmt: skip
        """Whether `or` or `and` joins two things that one statement is about."""
        if (
            not set(between) <= {"and", "or", "&", "/"}
            or words[begin] not in ARTICLES | QUANTIFIERS
        ):
            return False
        inside = words[begin:at]
        if introduction(inside).player:
            return False
        return not any(word in BE | MODALS | GET | HAVE | RELATIVES for word in inside)

    def opens(self, words: list[str], at: int, then: bool, dependent: bool = False) -> bool:
        """Whether a clause begins there, and not one more thing of a list."""
        if at >= len(words):
            return False
        lead = introduction(words[at:])
        if lead.verb and at + lead.length < len(words):
            return True
        at += lead.length
        if at >= len(words):
            return False
        if self._marker(words, at)[1] and words[at] not in ("the", "any", "each", "every"):
            return True
        if then and self._late_verb(words, at):
            return True
        return self._verb_starts(words, at, then, dependent) or self._subject_starts(words, at)

    def _late_verb(self, words: list[str], at: int) -> bool:
        """Whether a verb comes after its thing there: `lava jump`."""
        inside = words[at : at + 3]
        return (
            len(inside) > 1
            and words[at] not in NO_NOUNS
            and any(self.can_act(word) >= 0.9 > self.is_actor(word) for word in inside[1:])
        )

    def _verb_starts(self, words: list[str], at: int, then: bool, dependent: bool) -> bool:
        word = words[at]
        if word in ("let", "have", "do", "be"):
            return True
        if word in ("get", "gets"):
            return at + 1 < len(words) and words[at + 1] in PREPOSITIONS | ARTICLES | {
                "back",
                "rid",
            }
        if word in NO_NOUNS - {"attack"} and word not in ("out",):
            back = (
                word in ("back", "over", "up", "on", "down", "straight")
                and "to" in words[at + 1 : at + 3]
            )
            return back or (then and word in ("to", "towards", "into"))
        act, actor = self.can_act(word), self.is_actor(word)
        known = self._game.is_verb(word)
        follows = words[at + 1] if at + 1 < len(words) else ""
        if not follows or follows in JOINS | {"(", ")"}:
            strong = act >= 0.74 and act >= actor
            return strong or ((dependent or then) and known and actor < 0.9)
        if follows in ARTICLES | PRONOUNS | QUANTIFIERS | {"both", "me", "us", "him", "her"}:
            return known or actor < THRESHOLD
        if follows in PREPOSITIONS | {"away", "back"}:
            return known and (actor < 0.9 or act >= 0.9)
        if follows in BE | HAVE | GET | MODALS | NEED:
            return False
        return known and (act >= THRESHOLD or actor < THRESHOLD)

    def _subject_starts(self, words: list[str], at: int) -> bool:
        """Whether a thing is there, followed by what is done to it."""
        end = at
        while end < len(words) and words[end] not in JOINS | {"(", ")", ";"}:
            end += 1
        inside = words[at:end]
        if len(inside) < 2 or inside[0] in PREPOSITIONS:
            return False
        for index, word in enumerate(inside[1:], 1):
            if word in RELATIVES:
                return any(one in MODALS | BE for one in inside[index + 3 :])
            if word in BE | GET | MODALS | HAVE | NEED:
                return index + 1 < len(inside)
        last = inside[-1]
        return (
            len(inside) <= 5
            and is_participle(last)
            and self.can_act(last) >= THRESHOLD
            and (self.is_actor(inside[-2]) >= THRESHOLD)
        )

    def _runs_on(self, words: list[str], begin: int, at: int, sort: Sort) -> bool:
        """Whether a step begins here although nothing separates it from what was before."""
        word, before = words[at], words[at - 1]
        if at - begin < 2 or at + 1 >= len(words) or not self._game.is_verb(word, plain=True):
            return False
        if word in NO_NOUNS:
            return False
        act, actor = self.can_act(word), self.is_actor(word)
        if actor >= 0.9 or (act < 0.74 and word not in _TO_DO):
            return False
        after = words[at + 1]
        leads = after in PRONOUNS | ARTICLES | QUANTIFIERS or (
            after in PREPOSITIONS and act >= 0.9 and after not in ("by", "of", "from")
        )
        if not leads:
            return False
        if before in (ARTICLES | MODALS | NOT | HAVE | GET | QUANTIFIERS | NUMBERS) - {
            "her",
            "this",
            "that",
        }:
            return False
        if before in (
            "to",
            "and",
            "or",
            "please",
            "you",
            "we",
            "i",
            "they",
            "player",
            "who",
            "that",
            "which",
        ):
            near = before == "you" and words[at - 2] in PREPOSITIONS | SEEN
            if not near:
                return False
        if before in PREPOSITIONS | BE and before not in (
            "nearby",
            "by",
            "near",
            "on",
            "off",
            "down",
            "up",
            "around",
            "in",
        ):
            return False
        inside = words[begin:at]
        if is_light(before) or introduction(words[begin:]).length >= at - begin:
            return False
        if sort == "step":
            return self._has_verb(inside) and (
                before in PRONOUNS
                or before not in NO_NOUNS
                or before in ADVERBS | {"on", "off", "you"}
            )
        return any(one in BE | SEEN or self._game.is_verb(one) for one in inside)

    def _orders(self, words: list[str], begin: int, at: int) -> bool:
        """Whether what one must do begins here: `a foe appears you have to fight it`."""
        lead = introduction(words[at:])
        if not (lead.verb and lead.player and lead.length > 1) or at + lead.length >= len(words):
            return False
        # `within 5 m of the player, it is attacked`
        if words[at - 1] in PREPOSITIONS | ARTICLES or words[at + lead.length] in JOINS:
            return False
        return any(one in BE | SEEN or self._game.is_verb(one) for one in words[begin:at])

    def _has_verb(self, inside: list[str]) -> bool:
        lead = introduction(inside)
        rest = inside[lead.length :]
        if not rest:
            return False
        if lead.verb or self._game.is_verb(rest[0]):
            return True
        # `any item you find pick it up`: a thing, and how one comes to it.
        return any(one in SEEN for one in rest[1:]) and rest[0] in ARTICLES | QUANTIFIERS

    def _last_verb(self, words: list[str], begin: int) -> int:
        """Where the step begins that a condition without any border ends with; 0 if none does."""
        for at in range(len(words) - 1, begin + 1, -1):
            word, before = words[at], words[at - 1]
            if word in NO_NOUNS or not self._game.is_verb(word, plain=True):
                continue
            if self.can_act(word) < 0.74 or self.is_actor(word) >= 0.9:
                continue
            if (
                before
                in CONTENTS_NOT
                - {
                    "you",
                    "it",
                    "near",
                    "around",
                    "by",
                    "up",
                    "in",
                    "out",
                    "on",
                    "off",
                    "him",
                    "them",
                }
                or before in BE | MODALS | NOT
            ):
                continue
            if before == "you" and words[at - 2] not in PREPOSITIONS | SEEN:
                continue
            if before in SEEN | GET and word in ("close", "near", "open", "clear"):
                continue
            if any(one in BE | SEEN or self._game.is_verb(one) for one in words[begin:at]):
                return at
        return 0
