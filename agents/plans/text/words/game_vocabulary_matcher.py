"""Matches a person's words with the valid values of a game."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from .english_words import NO_NOUNS, PREPOSITIONS
from .spelling_correction import SpellingCorrection
from .thesaurus_and_word_vectors import GOING, KIND, Phrase, Sort, WordMeanings, word_meanings
from .tokenizer_and_lemmatizer import plain_forms, words_of
from .verb_phrase_matcher import LITTLE, MOTION

THRESHOLD = 0.62
"""What is less alike than this is not understood."""
_NEARLY = 0.04
TIE = 0.004
"""Two values whose scores differ by less are equally meant."""
GO = ""
"""The action of going there, and nothing else."""
_UNSURE_VERB, _UNSURE_NOUN = 0.08, 0.04
"""What is taken off the cosine of two words: opposites, such as to give and to take, have 0.65."""
_CALLED = 0.9
"""How alike a word is to a name that calls the same thing, and not one like it."""
_PART, _COMPOUND = 4, 0.78
"""The letters that a part of a compound must have, and how alike it is to the whole: flowers may
mean the flowerbed."""


class VocabularyMatch(NamedTuple):
    """A valid value and how alike it is to the words of the text."""

    value: str
    score: float


class GameWords:
    """The words for the content of a game.

    Args:
        actions: The valid actions; whether each can be done without a target.
        actors: The valid types of actors.
        names: What single actors are called, with their types, the nearest first.
        allowed: What can be done to a type, where that is known.
    """

    def __init__(
        self, actions: Mapping[str, bool], actors: Iterable[str],
        names: Mapping[str, str] | None = None,
        allowed: Mapping[str, Iterable[str]] | None = None,
    ) -> None:  # fmt: skip
        self.meanings: WordMeanings = word_meanings()
        self.actions = dict(actions)
        self.actors = tuple(dict.fromkeys(actors))
        self.names = dict(names or {})
        self.allowed = {type: frozenset(those) for type, those in (allowed or {}).items()}
        self.action_phrases = [*((name, words_of(name)) for name in self.actions), (GO, GOING)]
        """Each action with its words."""
        self._nouns: list[tuple[str, Phrase]] = [(name, _words_of(name)) for name in self.actors]
        self._nouns += [
            (name, _words_of(name)) for name in self.names if name not in set(self.actors)
        ]
        self._scores: dict[tuple[Sort, Phrase], tuple[VocabularyMatch, ...]] = {}
        self._verbs = frozenset(phrase[0] for _, phrase in self.action_phrases)
        self._long_names: dict[str, list[Phrase]] = defaultdict(list)
        """Names of several words with a little word or a number among them, by their first."""
        for _, phrase in sorted(self._nouns, key=lambda pair: -len(pair[1])):
            if len(phrase) > 1 and (
                not NO_NOUNS.isdisjoint(phrase)
                or phrase[0] in self.meanings.starting
                or phrase[-1].isdigit()
            ):
                self._long_names[phrase[0]].append(phrase)
        for _, phrase in self._nouns:
            for other in self.meanings.synonyms("n", phrase):
                plain = tuple(word for word in other if word not in LITTLE)
                if len(plain) > 1 and not NO_NOUNS.isdisjoint(plain):
                    self._long_names[plain[0]].append(plain)
        own = {word for _, phrase in (*self.action_phrases, *self._nouns) for word in phrase}
        likely = {
            word for sort, values in (("v", self.action_phrases), ("n", self._nouns))
            for _, phrase in values
            for other in self.meanings.synonyms("v" if sort == "v" else "n", phrase)
            for word in other if len(word) > 2
        }  # fmt: skip
        self.spelling = SpellingCorrection(
            self.meanings, own, likely, self.is_verb,
            lambda word: self.word_scores(word)[1] >= THRESHOLD,
        )  # fmt: skip

    def with_names(self, words: Sequence[str]) -> list[str]:
        """The same words; those that are a name of several words are one: `coin by the door`."""
        found: list[str] = []
        at = 0
        while at < len(words):
            length = self._name_at(words, at)
            found.append(" ".join(words[at : at + length]))
            at += length
        return found

    def _name_at(self, words: Sequence[str], at: int) -> int:
        """How many words the name has that begins there; 1 for none."""
        for phrase in self._long_names.get(words[at], ()):
            there = at
            for word in phrase:
                while there < len(words) and words[there] in LITTLE and there > at:
                    there += 1
                if there >= len(words) or word not in plain_forms(words[there]):
                    break
                there += 1
            else:
                return there - at
        return 1

    def score(self, verb: str, action: str) -> float:
        """How alike a single verb is to an action."""
        return next((m.score for m in self.matches("v", (verb,)) if m.value == action), 0.0)

    def names_one(self, word: str) -> bool:
        """Whether an actor or a type is called so, by this word alone."""
        return any(phrase == (word,) for _, phrase in self._nouns)

    def is_verb(self, word: str, *, plain: bool = False) -> bool:
        """Whether a word can be a verb, or the plain form of one."""
        if plain:
            return word in self.meanings.starting or word in MOTION or word in self._verbs
        return any(
            form in self.meanings.starting or form in MOTION or form in self._verbs
            for form in plain_forms(word)
        )

    def type_of(self, actor: str) -> str:
        """The type of a type or of an actor's name."""
        return self.names.get(actor, actor)

    def word_scores(self, word: str) -> tuple[float, float]:
        """How alike a single word is to any action, and to any actor."""
        best = [0.0, 0.0]
        for form in plain_forms(word):
            for index, sort in enumerate(("v", "n")):
                found = self.matches("v" if sort == "v" else "n", (form,))
                best[index] = max(best[index], found[0].score if found else 0.0)
        return best[0], best[1]

    def actor(self, noun: Sequence[str]) -> tuple[VocabularyMatch, ...]:
        """The types and names that a noun with what belongs to it may mean, the likeliest first."""
        parts = (part for word in noun for part in re.split("[- ]", word))
        words = [part for part in parts if part and part not in LITTLE]
        best: dict[str, float] = {}
        for start in range(len(words)):
            for end in range(len(words), start, -1):
                lost = 0.012 * start + 0.06 * (len(words) - end)
                for last in plain_forms(words[end - 1]):
                    phrase = (*words[start : end - 1], last)
                    for match in self.matches("n", phrase):
                        score = match.score - lost
                        best[match.value] = max(best.get(match.value, 0.0), score)
        return sorted_matches(best)

    def naming_words(self, noun: Sequence[str], actor: str) -> frozenset[int]:
        """Which words of a noun call an actor by its name, its type, or another word for these."""
        values = {_words_of(actor), _words_of(self.type_of(actor))}
        parts = [(at, part) for at, word in enumerate(noun) for part in re.split("[- ]", word)]
        found: set[int] = set()
        doubtful: set[int] = set()
        for start in range(len(parts)):
            for end in range(start + 1, len(parts) + 1):
                words = [part for _, part in parts[start:end]]
                for last in plain_forms(words[-1]):
                    phrase = (*words[:-1], last)
                    # No vectors of several words: they are like those of one of them.
                    alike = max(self.meanings.alike("n", phrase, value) for value in values)
                    here = {at for at, _ in parts[start:end]}
                    if alike >= _CALLED or any(set(phrase) <= set(value) for value in values):
                        found |= here
                    elif alike >= THRESHOLD or (len(phrase) == 1 and self._may_mean(phrase, actor)):
                        doubtful |= here
        # `the dragon skeleton` is no skeleton, though a dragon alone may be an enemy.
        return frozenset(found or doubtful)

    def _may_mean(self, phrase: Phrase, actor: str) -> bool:
        """Whether a noun is like an actor's name, or its type."""
        return any(
            match.score >= THRESHOLD and match.value in (actor, self.type_of(actor))
            for match in self.matches("n", phrase)
        )

    def likelier(
        self, matches: Sequence[VocabularyMatch], action: str
    ) -> Sequence[VocabularyMatch]:
        """The same matches; of those equally meant only those that the action can be done to."""
        near = [match for match in matches if match.score > matches[0].score - _NEARLY]
        can = [
            m for m in near if action in self.allowed.get(self.names.get(m.value) or m.value, ())
        ]
        return [*can, *(match for match in matches if match not in can)] if can else matches

    def tied(self, matches: Sequence[VocabularyMatch]) -> str:
        """The values that are equally meant, in words; empty if one is meant most.

        Of actors of one type the first name is meant: names stand nearest first.
        """
        best = matches[0]
        near = [match.value for match in matches if abs(match.score - best.score) < TIE]
        if best.score == 1.0 or len({self.names.get(value) or value for value in near}) == 1:
            return ""
        return " or ".join(value or "go" for value in near)

    def others_of_type(self, matches: Sequence[VocabularyMatch]) -> Iterator[str]:
        """The names of actors of the first one's type that are meant as much as it is."""
        best = matches[0]
        type = self.names.get(best.value)
        for match in matches[1:]:
            same = type is not None and self.names.get(match.value) == type
            if same and best.score - match.score < TIE:
                yield match.value

    def means(self, action: str, verb: str) -> bool:
        """Whether an action is what a verb says."""
        return self.meanings.alike("v", words_of(action), (verb,)) >= 0.9

    def matches(self, sort: Sort, phrase: Phrase) -> tuple[VocabularyMatch, ...]:
        """The actions or the actors that a phrase is like, the likeliest first."""
        key = (sort, phrase)
        if key not in self._scores:
            best: dict[str, float] = {}
            for name, value in self.action_phrases if sort == "v" else self._nouns:
                score = self._score(sort, phrase, value)
                if sort == "n" and self._is_other_kind(phrase, name, value):
                    score = min(score, THRESHOLD - 0.01)
                if score > 0.3:
                    best[name] = max(best.get(name, 0.0), score)
            self._scores[key] = sorted_matches(best)
        return self._scores[key]

    def _is_other_kind(self, phrase: Phrase, type: str, value: Phrase) -> bool:
        """Whether a phrase means a kind of a type that is none of those that the game names.

        A wizard is a person; but in a game that names its persons, none is a wizard.
        """
        if (
            not self.names
            or type in self.names
            or phrase not in self.meanings.kinds["n"].get(value, ())
        ):
            return False
        return self.meanings.alike("n", phrase, value) <= KIND

    def _score(self, sort: Sort, phrase: Phrase, value: Phrase) -> float:
        best = 0.0
        for last in plain_forms(value[-1]):
            plain = (*value[:-1], last)
            best = max(best, self.meanings.alike(sort, phrase, plain))
            if "".join(phrase) == "".join(plain):
                best = max(best, 0.99)
        if value != GOING:
            lost = _UNSURE_VERB if sort == "v" else _UNSURE_NOUN
            best = max(best, self.meanings.near(phrase, value) - lost)
        if sort == "n" and len(phrase) == len(value) == 1 and len(phrase[0]) >= _PART:
            is_part_of_word = value[0].startswith(phrase[0]) or value[0].endswith(phrase[0])
            best = max(
                best, _COMPOUND if is_part_of_word and len(value[0]) > len(phrase[0]) + 1 else 0.0
            )
        about = _head(value) if sort == "n" else ""
        if about:
            best = max(best, self.meanings.alike(sort, phrase, (about,)) - 0.1)
        elif len(value) > 1:
            if set(phrase) < set(value) and (sort == "n" or phrase[0] == value[0]):
                weight = 0.22 if phrase[-1] == value[-1] else 0.2
                best = max(best, 0.68 + weight * len(phrase) / len(value))
            elif sort == "v":
                best = max(best, self.meanings.alike(sort, phrase, value[:1]) - 0.1)
            else:
                best = max(best, self.meanings.alike(sort, phrase, value[-1:]) - 0.12)
        return best


def _words_of(name: str) -> Phrase:
    """The words of a name without articles."""
    words = words_of(name)
    return tuple(word for word in words if word not in LITTLE) or words


def _head(name: Phrase) -> str:
    """The word that a name is about: `coin` of `coin by the door`; any word of `lava pit`."""
    for at, word in enumerate(name[1:], 1):
        if word in PREPOSITIONS:
            return name[at - 1]
    return ""


def sorted_matches(best: Mapping[str, float]) -> tuple[VocabularyMatch, ...]:
    """Values by their scores, the best first; no score is above 1."""
    found = sorted(best.items(), key=lambda entry: -entry[1])
    return tuple(VocabularyMatch(value, min(score, 1.0)) for value, score in found)
