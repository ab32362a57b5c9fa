"""What words mean: groups of words that say the same in games, and vectors for common English."""

from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from .tokenizer_and_lemmatizer import plain_forms

_DATA = Path(__file__).parents[1] / "data"
Phrase = tuple[str, ...]
Sort = Literal["v", "n"]
"""Verbs or nouns."""
GOING: Phrase = ("go",)
"""The first of the group of all ways to go. Others of it, such as to leave, mean more than that:
what is alike to going is not alike to them by that."""
HOLE = "~"
"""Where the thing is that something is done to."""

SAME, KIND, WIDER, DISTANT = 0.95, 0.8, 0.74, 0.7
"""How alike words of a group are, a word and a kind of it, a word and what it is a kind of, and a
word and what means the same as a kind of it."""
_STEP, _LEAST = 0.003, 0.86
_COMMON = 7_000
"""The first words of the list are so common that they are no slips of the pen."""


class ThesaurusEntry(NamedTuple):
    """A phrase in a group."""

    group: int
    place: int


class WordMeanings:
    """Groups and vectors, as they are shipped."""

    def __init__(self) -> None:
        self.phrases: dict[Sort, dict[Phrase, list[ThesaurusEntry]]] = {"v": {}, "n": {}}
        self.kinds: dict[Sort, dict[Phrase, set[Phrase]]] = {
            "v": defaultdict(set),
            "n": defaultdict(set),
        }
        self.starting: dict[str, list[Phrase]] = defaultdict(list)
        """The verbs' phrases by their first word, the longest first."""
        self.groups: list[tuple[Phrase, ...]] = []
        self.sorts: list[Sort] = []
        self._read()
        with np.load(_DATA / "words.npz") as stored:
            words = stored["words"].tobytes().decode().split("\n")
            vectors = stored["vectors"].astype(np.float32)
        self._vectors: npt.NDArray[np.float32] = vectors / np.linalg.norm(
            vectors, axis=1, keepdims=True
        )
        self._rows = {word: row for row, word in enumerate(words)}
        self.known = {word for phrases in self.phrases.values() for p in phrases for word in p}
        """All single words of the groups."""

    def _read(self) -> None:
        text = (_DATA / "meanings.txt").read_text(encoding="utf-8")
        for line in text.splitlines():
            if not line.strip() or line.startswith("#"):
                continue
            kind, _, rest = line.partition(" ")
            sort: Sort = "v" if kind.startswith("v") else "n"
            group = [tuple(one.split()) for one in rest.split(",")]
            if kind.endswith(">"):
                self.kinds[sort][group[0]].update(group[1:])
                continue
            for index, phrase in enumerate(group):
                self.phrases[sort].setdefault(phrase, []).append(
                    ThesaurusEntry(len(self.groups), index)
                )
            self.groups.append(tuple(group))
            self.sorts.append(sort)
        kinds = (phrase for those in self.kinds["v"].values() for phrase in those)
        for phrase in dict.fromkeys((*self.phrases["v"], *kinds)):
            self.starting[phrase[0]].append(phrase)
        for phrases in self.starting.values():
            phrases.sort(key=len, reverse=True)

    def common(self, word: str) -> bool:
        """Whether a word, or what it is a form of, is well known."""
        return any(
            form in self.known or self._rows.get(form, _COMMON) < _COMMON
            for form in plain_forms(word)
        )

    def rank(self, word: str) -> int:
        """How rare a word is: its place in the list of words."""
        return self._rows.get(word, len(self._rows))

    def has_vector(self, word: str) -> bool:
        """Whether it is in the list of words."""
        return word in self._rows

    def alike(self, sort: Sort, phrase: Phrase, value: Phrase) -> float:
        """How alike two phrases are by the groups, from 0 to 1."""
        if phrase == value:
            return 1.0
        best = 0.0
        theirs = {
            member.group: member.place for member in self.phrases[sort].get(value, ())
            if value == GOING or self.groups[member.group][0] != GOING
        }  # fmt: skip
        for member in self.phrases[sort].get(phrase, ()):
            if member.group in theirs:
                apart = member.place + theirs[member.group]
                best = max(best, SAME - min(_STEP * apart, SAME - _LEAST))
        wide = self.kinds[sort]
        if best < KIND and phrase in wide.get(value, ()):
            best = KIND
        if best < DISTANT and any(self._heads(sort, phrase, kind) for kind in wide.get(value, ())):
            best = DISTANT
        if best < WIDER and value in wide.get(phrase, ()):
            best = WIDER
        return best

    def _heads(self, sort: Sort, phrase: Phrase, kind: Phrase) -> bool:
        """Whether a phrase is in the group that a kind of something is the first of."""
        theirs = {member.group for member in self.phrases[sort].get(kind, ()) if not member.place}
        return any(member.group in theirs for member in self.phrases[sort].get(phrase, ()))

    def near(self, phrase: Phrase, value: Phrase) -> float:
        """How alike two phrases are by the vectors: their cosine, 0 where a word is not known."""
        one, other = self._vector(phrase), self._vector(value)
        return 0.0 if one is None or other is None else max(0.0, float(one @ other))

    def _vector(self, phrase: Phrase) -> npt.NDArray[np.float32] | None:
        phrase_vector = self._rows.get(" ".join(phrase))
        if phrase_vector is not None:
            vector: npt.NDArray[np.float32] = self._vectors[phrase_vector]
            return vector
        rows = [self._rows[word] for word in phrase if word in self._rows]
        if not rows or len(rows) < len(phrase):
            return None
        total: npt.NDArray[np.float32] = self._vectors[rows].sum(0)
        return total / max(float(np.linalg.norm(total)), 1e-6)

    def synonyms(self, sort: Sort, value: Phrase) -> Iterator[Phrase]:
        """All phrases that stand in a group with this one."""
        for member in self.phrases[sort].get(value, ()):
            yield from self.groups[member.group]
        yield from self.kinds[sort].get(value, ())


@cache
def word_meanings() -> WordMeanings:
    """The one copy of them."""
    return WordMeanings()
