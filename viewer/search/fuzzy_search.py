"""Fuzzy search: ranks entries by how well they match what was typed."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

PREFIXES = {">": "command", "@": "object", "!": "problem"}
"""Typed first, these leave only choices of one kind; `#` begins the number of a frame."""
KINDS = (
    "time", "find", "complete", "command", "object", "problem", "mark", "field", "state", "event",
    "panel", "layout", "category", "log",
)  # fmt: skip
"""The order of kinds where two choices fit equally well."""
_OF_EACH_KIND = 6
"""Choices of each kind that are listed while nothing is typed."""
_FIRST, _NEXT, _WORD, _EXACT, _GAP, _LATE = 12.0, 8.0, 6.0, 30.0, 0.4, 0.05


class SearchItem(NamedTuple):
    """Something that can be chosen."""

    kind: str
    title: str
    does: str
    """What choosing it does, for people: `go to frame 160`."""
    run: Callable[[], object]
    note: str = ""
    """What else is known of it: a state, a time."""
    keys: str = ""
    """The key that does the same."""
    becomes: tuple[str, int] | None = None
    """Choosing it only changes what was typed: to this text, with the cursor there."""


class SearchMatch(NamedTuple):
    """A choice that fits what was typed."""

    choice: SearchItem
    score: float
    positions: frozenset[int]
    """Which letters of the title were meant."""


def rank(text: str, choices: Iterable[SearchItem], most: int = 80) -> list[SearchMatch]:
    """The choices that fit, best first.

    Every word that was typed must be found, its letters in order; letters in a row, at the
    beginning of words and early in the title count for more. What is found only in the note counts
    for less. With nothing typed all fit, in their own order by kind: the first few of each, so that
    one sees which kinds there are.
    """
    typed = text.strip().lower()
    only_kind = PREFIXES.get(typed[:1], "")
    words = (typed[1:] if only_kind else typed).split()
    found: list[SearchMatch] = []
    for choice in choices:
        if only_kind and choice.kind != only_kind:
            continue
        match = _fits(words, choice)
        if match is not None:
            found.append(match)
    order = {kind: at for at, kind in enumerate(KINDS)}
    found.sort(key=lambda match: (-match.score, order.get(match.choice.kind, len(KINDS))))
    if not typed:
        of_kind: Counter[str] = Counter()
        shown = []
        for match in found:
            of_kind[match.choice.kind] += 1
            if of_kind[match.choice.kind] <= _OF_EACH_KIND:
                shown.append(match)
        return shown
    return found[:most]


def _fits(words: Sequence[str], choice: SearchItem) -> SearchMatch | None:
    title, note = choice.title.lower(), choice.note.lower()
    score, positions = 0.0, set[int]()
    for word in words:
        in_title = _word(word, title)
        if in_title is not None:
            score += in_title[0]
            positions.update(in_title[1])
            continue
        # In a note only whole words count: letters here and there would fit nearly anything.
        if word not in note and word not in choice.kind:
            return None
        score += len(word)
    if words and title.split() == list(words):
        score += _EXACT
    return SearchMatch(choice, score, frozenset(positions))


def _word(word: str, title: str) -> tuple[float, list[int]] | None:
    """How well a word fits into a title, and where; None if it does not."""
    found_at = title.find(word)
    while found_at > 0 and title[found_at - 1].isalnum():
        later = title.find(word, found_at + 1)
        if later < 0:
            break
        found_at = later
    if found_at >= 0:
        begins = found_at == 0 or not title[found_at - 1].isalnum()
        score = _NEXT * len(word) + (_FIRST if found_at == 0 else _WORD if begins else 0.0)
        return score - _LATE * found_at, list(range(found_at, found_at + len(word)))
    positions: list[int] = []
    score, at = 0.0, -1
    for letter in word:
        here = title.find(letter, at + 1)
        if here < 0:
            return None
        begins = here == 0 or not title[here - 1].isalnum()
        if not begins:
            # The beginning of a later word is what people mean by an initial.
            later = next(
                (
                    position for position in range(here + 1, len(title))
                    if title[position] == letter and not title[position - 1].isalnum()
                ),
                -1,
            )  # fmt: skip
            if later > 0 and here != at + 1 and _can(word[len(positions) + 1 :], title, later):
                here, begins = later, True
        score += _WORD if begins else _NEXT / 2 if here == at + 1 else 1.0
        score -= _GAP * max(0, here - at - 1)
        positions.append(here)
        at = here
    # Letters here and there would fit nearly anything: most begin words or stand in a row.
    near = sum(
        here == 0 or not title[here - 1].isalnum() or here - 1 in positions for here in positions
    )  # fmt: skip
    return (score, positions) if score > 0 and 2 * near > len(positions) else None


def _can(letters: str, title: str, after: int) -> bool:
    """Whether the rest of a word is still to be found after an index."""
    at = after
    for letter in letters:
        at = title.find(letter, at + 1)
        if at < 0:
            return False
    return True
