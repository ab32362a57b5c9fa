"""Corrects the spelling of words, and brings them to a plainer form."""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from .english_words import ARTICLES, KNOWN, PREPOSITIONS, QUANTIFIERS
from .thesaurus_and_word_vectors import WordMeanings
from .tokenizer_and_lemmatizer import edits, plain_forms

_DATA = Path(__file__).parents[1] / "data" / "rewritten.txt"
_NOUNS_TOO = frozenset(("pickup",))
"""After an article these are nouns."""
_MOVED = re.compile(
    r" (?:lead|bring|take|move|guide|steer|send|position|place|put|navigate|direct|walk|drive|get"
    r"|run)"
    r" (?:the player|your character|the hero|yourself|the character|the agent|your hero)"
    r"(?= (?:\w+ )?(?:to|beside|near|in|at|by|towards|back|over|next|into|behind)\b)"
)
"""To move the player is to go."""
_ENDS = (";", ",", "then", "and", ":")


class _Shape(NamedTuple):
    """One form of a word."""

    text: str
    word: str
    letters: int
    """The letters in it as bits."""


class SpellingCorrection:
    """Corrects words of sentences about one game.

    Args:
        own: The words of the game's actions and actors.
        likely: Words that mean the same as these.
        is_verb: Whether a word can be a verb.
        is_noun: Whether a word can mean an actor.
    """

    def __init__(
        self, meanings: WordMeanings, own: Iterable[str], likely: Iterable[str],
        is_verb: Callable[[str], bool], is_noun: Callable[[str], bool],
    ) -> None:  # fmt: skip
        self._meanings = meanings
        self._own = frozenset(own)
        self._likely = frozenset(likely) | self._own
        self._is_verb = is_verb
        self._is_noun = is_noun
        self._spelled: dict[str, str] = {}
        self._shapes = [
            _shapes(self._own), _shapes(self._likely), _shapes(meanings.known | KNOWN)
        ]  # fmt: skip
        """What a word may be meant to be; the next only if it is none of those before."""

    def words(self, words: Sequence[str]) -> list[str]:
        """The words of a sentence as they were meant."""
        short, several = _rewritten()
        found: list[str] = []
        for word in words:
            noun = word in _NOUNS_TOO and bool(found) and found[-1] in ARTICLES | QUANTIFIERS
            parted = None if noun or word in self._own else short.get(word)
            found += parted.split() if parted else [self._in_place(word, found)]
        text = f" {' '.join(found)} "
        for phrase, instead in several.items():
            text = text.replace(f" {phrase} ", f" {instead} ")
        return _MOVED.sub(" go", text).split()

    def _in_place(self, word: str, before: Sequence[str]) -> str:
        """A word as it was meant where it is: after an article a noun, at the start a verb."""
        spelled = self.word(word)
        if spelled != word or not word.isalpha() or word in self._own:
            return spelled
        if before and before[-1] in ARTICLES and not self._is_noun(word):
            return self._nearest(word, self._own, swapped=True) or word
        first = not before or before[-1] in _ENDS
        if first and len(word) > 2 and word not in KNOWN and not self._is_verb(word):
            verbs = [
                one for one in self._likely - PREPOSITIONS
                if self._is_verb(one) and one[0] == word[0]
            ]  # fmt: skip
            return self._nearest(word, [*verbs, "run", "walk", "go"], swapped=False) or word
        return word

    def _nearest(self, word: str, among: Iterable[str], *, swapped: bool) -> str:
        near = [
            (self._meanings.rank(other), other) for other in among
            if edits(word, other, 1) == 1 and (not swapped or sorted(other) == sorted(word))
        ]  # fmt: skip
        return min(near)[1] if near else ""

    def word(self, word: str) -> str:
        """The word, or the one that was meant if it is a slip of the pen."""
        if word not in self._spelled:
            self._spelled[word] = self._corrected(word)
        return self._spelled[word]

    def _corrected(self, word: str) -> str:
        known = word in KNOWN or not self._own.isdisjoint(plain_forms(word))
        if len(word) < 3 or not word.isalpha() or known or self._meanings.common(word):
            return word
        if word.endswith("ly") and len(word) > 5:
            return word
        # A rare word is one that was meant, unless the game's own word is nearly the same.
        rare = self._meanings.has_vector(word)
        most = 1 if rare or len(word) < 7 else 2
        letters = _letters(word)
        for shapes in self._shapes[:1] if rare else self._shapes[1:]:
            near: list[tuple[int, bool, bool, bool, bool, int, str]] = []
            for shape in shapes:
                # Each edit adds a letter, takes one away, or both.
                if (shape.letters ^ letters).bit_count() > 2 * most:
                    continue
                text = shape.text
                first = text[:1] != word[:1]
                if (first and len(shape.word) < 5) or abs(len(text) - len(word)) > most:
                    continue
                away = edits(word, text, most)
                if away > most or (away == 2 and first):
                    continue
                swapped = sorted(text) == sorted(word)
                rank = self._meanings.rank(shape.word)
                strange, end = shape.word not in self._own, text[-1:] != word[-1:]
                near.append((away, first, not swapped, end, strange, rank, text))
            if near:
                return min(near)[-1]
        return word


def _shapes(words: Iterable[str]) -> list[_Shape]:
    found: list[_Shape] = []
    for word in words:
        many = word[:-1] + "ies" if word.endswith("y") else word + "s"
        found += [
            _Shape(text, word, _letters(text)) for text in (word, many, word + "ed", word + "ing")
        ]  # fmt: skip
    return found


def _letters(word: str) -> int:
    """The letters in a word as bits."""
    bits = 0
    for letter in word:
        bits |= 1 << (ord(letter) & 31)
    return bits


@cache
def _rewritten() -> tuple[dict[str, str], dict[str, str]]:
    """What is written in another way: single words, and several."""
    short: dict[str, str] = {}
    several: dict[str, str] = {}
    for line in _DATA.read_text(encoding="utf-8").splitlines():
        if " =" in line and not line.startswith("#"):
            words, _, instead = line.partition(" =")
            (several if " " in words else short)[words] = instead.strip()
    return short, several
