"""Words as they were meant: without slips of the pen, and in their plainer form."""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path

from .english_words import ARTICLES, KNOWN, QUANTIFIERS
from .word_forms import edits, plain_forms
from .word_meanings import WordMeanings

_DATA = Path(__file__).with_name("data") / "rewritten.txt"
_NOUNS_TOO = frozenset(("pickup",))
"""Behind an article these are nouns."""
_COUNTS = r"\d+|two|three|four|five|six|ten|several|many|a few|a couple of|some"
_TIMES = re.compile(rf" (?:{_COUNTS}) (?:more )?times\b|(?<= )(?:twice|thrice) ")
"""How often something is done; a plan does it once."""
_MOVED = re.compile(
    r" (?:lead|bring|take|move|guide|steer|send|position|place|put|navigate|direct|walk|drive|get"
    r"|run)"
    r" (?:the player|your character|the hero|yourself|the character|the agent|your hero)"
    r"(?= (?:\w+ )?(?:to|beside|near|in|at|by|towards|back|over|next|into|behind)\b)"
)
"""To move the player is to go."""
_ENDS = (";", ",", "then", "and", ":")


class Spelling:
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

    def words(self, said: Sequence[str]) -> list[str]:
        """The words of a sentence as they were meant."""
        short, several = _rewritten()
        found: list[str] = []
        for word in said:
            noun = word in _NOUNS_TOO and bool(found) and found[-1] in ARTICLES | QUANTIFIERS
            parted = None if noun or word in self._own else short.get(word)
            found += parted.split() if parted else [self._in_place(word, found)]
        text = _TIMES.sub("", f" {' '.join(found)} ")
        for phrase, instead in several.items():
            text = text.replace(f" {phrase} ", f" {instead} ")
        return _MOVED.sub(" go", text).split()

    def _in_place(self, word: str, before: Sequence[str]) -> str:
        """A word as it was meant where it is: behind an article a noun, at the start a verb."""
        spelled = self.word(word)
        if spelled != word or not word.isalpha() or word in self._own:
            return spelled
        if before and before[-1] in ARTICLES and not self._is_noun(word):
            return self._nearest(word, self._own, swapped=True) or word
        first = not before or before[-1] in _ENDS
        if first and len(word) > 2 and word not in KNOWN and not self._is_verb(word):
            verbs = [one for one in self._likely if self._is_verb(one) and one[0] == word[0]]
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
        most = 1 if len(word) < 7 else 2
        for words in (self._likely, self._meanings.known | KNOWN):
            near: list[tuple[int, bool, bool, bool, int, str]] = []
            for other in words:
                if other[:1] != word[:1] and len(other) < 5:
                    continue
                many = other[:-1] + "ies" if other.endswith("y") else other + "s"
                for shape in (other, many, other + "ed", other + "ing"):
                    away = edits(word, shape, most)
                    if away > most or (away == 2 and shape[:1] != word[:1]):
                        continue
                    swapped = sorted(shape) == sorted(word)
                    rank = self._meanings.rank(other)
                    ends = shape[-1:] != word[-1:]
                    near.append((away, shape[:1] != word[:1], not swapped, ends, rank, shape))
            if near:
                return min(near)[-1]
        return word


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
