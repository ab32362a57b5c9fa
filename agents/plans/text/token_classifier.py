"""What each word of a sentence is for: the action, its target, a condition, a border of steps."""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from .word_forms import plain_forms
from .word_meanings import word_meanings

_DATA = Path(__file__).with_name("data") / "tagger.npz"
Tag = Literal["O", "ACT", "OBJ", "CND", "COB", "MRK", "STEP"]
"""Nothing, the action's verb, its target, a condition, whom that is about, what makes a rule, and
what stands between two steps."""
TAGS: tuple[Tag, ...] = ("O", "ACT", "OBJ", "CND", "COB", "MRK", "STEP")
_BINS = (0.35, 0.5, 0.62, 0.74, 0.9)
Scores = Sequence[tuple[float, float]]
"""For each word how alike it is to any of the game's actions, and to any of its actors."""


class TokenClassifier:
    """An averaged perceptron from left to right: what came before decides with.

    Args:
        words: The words that have features of their own; all others are known by their looks and
            by what the game has that is like them.
        weights: For each feature one weight a tag.
    """

    def __init__(
        self, words: frozenset[str], weights: Mapping[str, npt.NDArray[np.float32]]
    ) -> None:
        self.words = words
        self.weights = weights

    def tags(self, tokens: Sequence[str], scores: Scores) -> list[Tag]:
        """The tag of each word."""
        fixed = self.features(tokens, scores)
        found: list[Tag] = []
        for here in range(len(tokens)):
            total = np.zeros(len(TAGS), np.float32)
            for name in (*fixed[here], *history(tokens, found)):
                weight = self.weights.get(name)
                if weight is not None:
                    total += weight
            found.append(TAGS[int(total.argmax())])
        return found

    def features(self, tokens: Sequence[str], scores: Scores) -> list[list[str]]:
        """What is to be known of each word and those around it."""
        looks = [self._look(token, score) for token, score in zip(tokens, scores, strict=True)]
        words = [token if token in self.words else "?" for token in tokens]
        edge = ["#"]
        rows: list[list[str]] = []
        for here in range(len(tokens)):
            row = ["1", f"first={here == 0}"]
            for offset in (-2, -1, 0, 1, 2, 3):
                there = here + offset
                inside = 0 <= there < len(tokens)
                row += [f"{offset}{look}" for look in (looks[there] if inside else edge)]
                row.append(f"{offset}w={words[there] if inside else '#'}")
            before = words[here - 1] if here else "#"
            after = words[here + 1] if here + 1 < len(tokens) else "#"
            brief = looks[here][0] + looks[here][1]
            row += [
                f"w-={before},{words[here]}", f"w+={words[here]},{after}", f"-l={before},{brief}",
                f"l+={brief},{after}", f"w-+={before},{words[here]},{after}",
            ]  # fmt: skip
            rows.append(row)
        return rows

    def _look(self, token: str, score: tuple[float, float]) -> list[str]:
        verb, noun = (sum(one > edge for edge in _BINS) for one in score)
        meanings = word_meanings()
        forms = plain_forms(token)
        as_verb = any(form in meanings.starting for form in forms)
        as_noun = any((form,) in meanings.phrases["n"] for form in forms)
        end = next((e for e in ("ing", "ed", "en", "s", "ly") if token.endswith(e)), "")
        sign = "" if token[0].isalpha() else "number" if token[0].isdigit() else token
        return [
            f"a{verb}", f"n{noun}", f"av{verb}{as_verb}", f"no{noun}{as_noun}",
            f"vn{as_verb}{as_noun}", f"e{end}{as_verb}", f"sign{sign}",
        ]  # fmt: skip


def history(tokens: Sequence[str], found: Sequence[Tag]) -> list[str]:
    """What the words before say of the next one."""
    last = found[-1] if found else "#"
    before = found[-2] if len(found) > 1 else "#"
    step = len(found) - 1 - found[::-1].index("STEP") if "STEP" in found else -1
    act, target = "ACT" in found[step + 1 :], "OBJ" in found[step + 1 :]
    mark = "MRK" in found
    here = tokens[len(found)]
    return [
        f"t={last}", f"tt={before},{last}", f"act={act},{target},{last}",
        f"m={mark},{act},{last}", f"th={last},{here}", f"ah={act},{target},{here}",
        f"c={'CND' in found},{mark},{last},{here == ','}",
    ]  # fmt: skip


@cache
def token_classifier() -> TokenClassifier:
    """The trained one, as it is shipped."""
    with np.load(_DATA) as stored:
        names = stored["names"].tobytes().decode().split("\n")
        words = stored["words"].tobytes().decode().split("\n")
        weights = stored["weights"].astype(np.float32)
    return TokenClassifier(frozenset(words), dict(zip(names, weights, strict=True)))
