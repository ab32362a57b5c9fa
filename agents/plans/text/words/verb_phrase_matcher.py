"""Matches verb phrases such as `turn ~ on`: where their words are in a clause."""

from collections.abc import Iterator, Sequence

from .thesaurus_and_word_vectors import HOLE, Phrase
from .tokenizer_and_lemmatizer import plain_forms

LITTLE = frozenset(("the", "a", "an", "some", "his", "her", "its", "your", "my", "their", "'s"))
_PARTICLES = frozenset((
    "on", "off", "up", "down", "in", "out", "over", "open", "shut", "away", "back", "apart",
))  # fmt: skip
_BETWEEN = 6
"""The most words that may stand where the thing is that something is done to."""
MOTION = frozenset((
    "go", "walk", "run", "move", "step", "head", "get", "fly", "drive", "sail", "swim", "crawl",
    "sneak", "creep", "march", "hurry", "race", "rush", "dash", "sprint", "jog", "stroll", "wander",
    "travel", "proceed", "return", "come", "ride", "float", "advance", "trot", "hike", "row",
    "teleport", "warp", "beam", "stand", "stay", "navigate", "continue", "wade", "tiptoe", "slip",
    "squeeze", "pass", "make", "journey", "roam", "drift", "glide", "scurry", "scramble", "bolt",
    "stop", "wait",
))  # fmt: skip
_MANNER = frozenset((
    "back", "quickly", "slowly", "carefully", "quietly", "straight", "directly", "over", "down",
    "up", "along", "right", "all", "way", "there", "on", "yourself", "close", "closer", "further",
    "your", "his", "their", "far", "away", "the", "player", "hero", "again", "out", "onward",
))  # fmt: skip
_WHERE = frozenset((
    "to", "toward", "towards", "into", "onto", "at", "by", "near", "past", "through", "across",
    "behind", "around", "beside", "for", "next", "under", "underneath", "between", "inside",
    "within", "along", "over", "beyond",
))  # fmt: skip
ADJECTIVES = frozenset((
    "quick", "good", "brief", "short", "little", "careful", "closer", "proper", "big", "hard",
    "running", "nice", "long", "flying", "huge", "mighty", "small", "great", "swift", "gentle",
))  # fmt: skip
"""What may stand before a noun that says what a light verb does: a quick look."""

LIGHT_VERBS = frozenset((
    "put", "give", "do", "make", "take", "have", "perform", "carry", "use", "apply", "run", "start",
    "begin", "get", "go", "issue", "execute", "conduct", "attempt",
))  # fmt: skip
"""Verbs that say little: to make a jump, and to put oil on something, is what the noun says."""


def is_light(word: str) -> bool:
    """Whether a verb says little: `make` of `make a jump`."""
    return not LIGHT_VERBS.isdisjoint(plain_forms(word))


def verbs_of(noun: str) -> Iterator[str]:
    """The verbs that a noun may be made of: `interaction`, `activation`."""
    for ending in ("ion", "ation", "ment", "al"):
        if noun.endswith(ending) and len(noun) > len(ending) + 2:
            yield noun.removesuffix(ending)
            yield noun.removesuffix(ending) + "e"


def moved_words(words: Sequence[str], head: int) -> frozenset[int]:
    """The words that say that one moves to, past or onto something; none if they don't."""
    if not any(form in MOTION for form in plain_forms(words[head])):
        return frozenset()
    at = head + 1
    while at < len(words) and words[at] in _MANNER:
        at += 1
    end = at
    while end < len(words) and words[end] in _WHERE:
        end += 1
    where = end > at or (at > head + 1 and words[at - 1] in _WHERE)
    return frozenset(range(head, end)) if where else frozenset()


def content(phrase: Phrase) -> Phrase:
    return tuple(word for word in phrase if word != HOLE and word not in LITTLE)


def found_words(phrase: Phrase, words: Sequence[str], head: int) -> frozenset[int] | None:
    """Where the words of a phrase stand, the first at `head`; None if they don't."""
    at, gap, used = head + 1, 0, [head]
    wanted = [word for word in phrase[1:] if word not in LITTLE]
    if len(wanted) == 1 and wanted[0] in _PARTICLES:
        gap = 4
    for word in wanted:
        if word == HOLE:
            if at == head + 1 and at < len(words) and words[at] in _WHERE:
                return None  # `walk along the wall to` has no object
            gap = _BETWEEN
            continue
        limit = at + gap
        small = LITTLE | ADJECTIVES if word not in ADJECTIVES else LITTLE
        while at < len(words) and (words[at] in small or (words[at] != word and at < limit)):
            if words[at] in small:
                limit += 1
            elif not words[at].replace("-", "").isalpha():
                return None
            at += 1
        if at >= len(words) or word not in plain_forms(words[at]):
            return None
        apart = at > used[-1] + 1 and gap
        used.append(at)
        at, gap = at + 1, 0
        # `take the coin on the way` is not to take it on.
        if apart and word in _PARTICLES and at < len(words) and words[at] in LITTLE:
            return None
    return frozenset(used)
