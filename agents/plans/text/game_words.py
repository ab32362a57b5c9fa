"""The valid values of a game, and which of them a person means."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from .word_forms import edits, plain_forms, words_of
from .word_meanings import GOING, HOLE, KIND, Phrase, Sort, WordMeanings, word_meanings

THRESHOLD = 0.62
"""What is less alike than this is not understood."""
TIE = 0.004
"""Two values whose scores differ by less are equally meant."""
GO = ""
"""The action of going there, and nothing else."""
_LITTLE = frozenset(("the", "a", "an", "some", "his", "her", "its", "your", "my", "their", "'s"))
_PARTICLES = frozenset((
    "on", "off", "up", "down", "in", "out", "over", "open", "shut", "away", "back", "apart",
))  # fmt: skip
_BETWEEN = 6
"""The most words that may stand where the thing stands that something is done to."""
_VECTOR = 1.0
"""What a cosine of 1 counts: words of the same meaning have 0.64 and more, related ones 0.5."""
_SHADOW = 0.45
"""What a verb loses whose phrase means something else: to take a photo is not to take."""
_LONGER = 0.012
_ONLY_GO = 0.02
"""What going loses to what says more than that: to get into a car may be to enter it."""
_LIGHT = frozenset((
    "put", "give", "do", "make", "take", "have", "perform", "carry", "use", "apply", "run", "start",
    "begin", "get", "go", "issue", "execute", "conduct", "attempt",
))  # fmt: skip
"""Verbs that say little: to make a jump, and to put oil on something, is what the noun says."""
_MOTION = frozenset((
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
_MOVED = 0.8
"""How alike to going it is to move anywhere near something."""
_AFTER_LIGHT = frozenset(
    ("out", "for", "another", "quick", "big", "little", "good", "a", "bit", "of")
)
_PART, _COMPOUND = 4, 0.78
"""The letters that a part of a compound must have, and how alike it is to the whole: flowers may
mean the flowerbed."""


class Match(NamedTuple):
    """A valid value and how alike it is to what was said."""

    value: str
    score: float


class ActionMatch(NamedTuple):
    """What a verb may mean, and which of the words belong to it."""

    matches: tuple[Match, ...]
    words: frozenset[int]


class GameWords:
    """What can be said about a game.

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
        self._actions: list[tuple[str, Phrase]] = [(name, words_of(name)) for name in self.actions]
        self._actions.append((GO, GOING))
        self._nouns: list[tuple[str, Phrase]] = [(name, words_of(name)) for name in self.actors]
        self._nouns += [
            (name, words_of(name)) for name in self.names if name not in set(self.actors)
        ]
        self._scores: dict[tuple[Sort, Phrase], tuple[Match, ...]] = {}
        self._spelled: dict[str, str] = {}
        self._own: frozenset[str] = frozenset(
            word for _, phrase in (*self._actions, *self._nouns) for word in phrase
        )
        self._likely = set(self._own)
        for sort, values in (("v", self._actions), ("n", self._nouns)):
            for _, phrase in values:
                for other in self.meanings.synonyms("v" if sort == "v" else "n", phrase):
                    self._likely.update(word for word in other if len(word) > 2)

    def spelled(self, word: str) -> str:
        """The word, or the one that was meant if it is a slip of the pen."""
        if word not in self._spelled:
            self._spelled[word] = self._corrected(word)
        return self._spelled[word]

    def _corrected(self, word: str) -> str:
        forms = plain_forms(word)
        if len(word) < 3 or not word.isalpha() or not self._own.isdisjoint(forms):
            return word
        if self.meanings.common(word):
            return word
        most = 1 if len(word) < 7 else 2
        for words in (self._own, self._likely, self.meanings.known | FUNCTION_WORDS):
            near: list[tuple[int, bool, str]] = []
            for other in words:
                if other[:1] != word[:1] and len(other) < 5:
                    continue
                many = other[:-1] + "ies" if other.endswith("y") else other + "s"
                for shape in (other, many, other + "ed", other + "ing"):
                    away = edits(word, shape, most)
                    if away <= most:
                        near.append((away, shape[:1] != word[:1], shape))
            if near:
                return min(near)[2]
        return word

    def word_scores(self, word: str) -> tuple[float, float]:
        """How alike a single word is to any action, and to any actor."""
        best = [0.0, 0.0]
        for form in plain_forms(word):
            for index, sort in enumerate(("v", "n")):
                found = self._matches("v" if sort == "v" else "n", (form,))
                best[index] = max(best[index], found[0].score if found else 0.0)
        return best[0], best[1]

    def actor(self, said: Sequence[str]) -> tuple[Match, ...]:
        """The types and names that a noun with what belongs to it may mean, the likeliest first."""
        parts = (part for word in said for part in word.split("-"))
        words = [part for part in parts if part and part not in _LITTLE]
        best: dict[str, float] = {}
        for start in range(len(words)):
            for end in range(len(words), start, -1):
                lost = 0.012 * start + 0.06 * (len(words) - end)
                for last in plain_forms(words[end - 1]):
                    phrase = (*words[start : end - 1], last)
                    for match in self._matches("n", phrase):
                        score = match.score - lost
                        best[match.value] = max(best.get(match.value, 0.0), score)
        return _sorted(best)

    def tied(self, matches: Sequence[Match]) -> str:
        """The values that are equally meant, in words; empty if one is meant most.

        Of actors of one type the first name is meant: names stand nearest first.
        """
        best = matches[0]
        near = [match.value for match in matches if match.score > best.score - TIE]
        if best.score == 1.0 or len({self.names.get(value) or value for value in near}) == 1:
            return ""
        return " or ".join(value or "go" for value in near)

    def action(self, words: Sequence[str], head: int, type: str = "") -> ActionMatch:
        """What the verb at `head` may mean, the likeliest first; `type` is whom it is done to."""
        phrases = list(self._phrases(words, head))
        longest = max((len(_content(phrase)) for phrase, _ in phrases), default=1)
        best: dict[str, float] = {}
        used: dict[str, frozenset[int]] = {}
        for phrase, at in phrases:
            size = len(_content(phrase))
            for match in self._matches("v", phrase):
                score = match.score + _LONGER * (size - 1)
                # To go up something is to climb it, if that can be done.
                if size < longest and (match.score != 1.0 or match.value == GO):
                    score -= _SHADOW
                if type and match.score < 1.0 and self._is_blow(match.value, type):
                    score -= 0.2
                if match.value == GO and match.score < 1.0:
                    score -= _ONLY_GO
                if match.value and type in self.allowed:
                    score += 0.01 if match.value in self.allowed[type] else -0.04
                if score > best.get(match.value, 0.0):
                    best[match.value], used[match.value] = score, at
        moved = _moved(words, head)
        if moved and best.get(GO, 0.0) < _MOVED:
            best[GO], used[GO] = _MOVED, moved
        matches = _sorted(best)
        if not matches:
            return ActionMatch((), frozenset((head,)))
        return ActionMatch(matches, used[matches[0].value])

    def _is_blow(self, action: str, type: str) -> bool:
        """Whether it is an attack on a thing: one hits a switch, but does not fight it."""
        devices = self.meanings.kinds["n"].get(("device",), set())
        noun = words_of(type)
        if noun not in devices and noun[-1:] not in devices:
            return False
        return self.meanings.alike("v", words_of(action), ("attack",)) >= 0.9

    def only_use(self, verb: str, type: str, found: ActionMatch) -> ActionMatch:
        """To use, open or read something means what alone can be done to its type."""
        can = self.allowed.get(type, frozenset())
        best = found.matches[0] if found.matches else Match("", 0.0)
        if len(can) != 1 or best.value in can or (best.value == GO and best.score >= THRESHOLD):
            return found
        uses = self.meanings.kinds["v"].get(("interact",), set())
        if not any((form,) in uses or form == "interact" for form in plain_forms(verb)):
            return found
        return ActionMatch((Match(next(iter(can)), KIND),), found.words)

    def _phrases(self, words: Sequence[str], head: int) -> Iterator[tuple[Phrase, frozenset[int]]]:
        seen: set[Phrase] = set()
        for form in plain_forms(words[head]):
            yield (form,), frozenset((head,))
            if form in _LIGHT:
                yield from self._actions_by_noun(words, head)
            own = [phrase for _, phrase in self._actions if phrase[0] == form]
            for phrase in (*own, *self.meanings.starting.get(form, ())):
                if phrase in seen or len(phrase) == 1:
                    continue
                seen.add(phrase)
                at = _found(phrase, words, head)
                if at is not None:
                    yield phrase, at

    def _actions_by_noun(
        self, words: Sequence[str], head: int
    ) -> Iterator[tuple[Phrase, frozenset[int]]]:
        """The action that the noun behind a verb names which says little by itself."""
        at = head + 1
        while at < len(words) and (words[at] in _LITTLE or words[at] in _AFTER_LIGHT):
            at += 1
        if at >= len(words) or self.word_scores(words[at])[1] >= THRESHOLD:
            return
        for form in plain_forms(words[at]):
            if any(form == phrase[0] for _, phrase in self._actions if len(phrase) == 1):
                yield (form,), frozenset(range(head, at + 1))

    def _matches(self, sort: Sort, said: Phrase) -> tuple[Match, ...]:
        key = (sort, said)
        if key not in self._scores:
            best: dict[str, float] = {}
            for name, value in self._actions if sort == "v" else self._nouns:
                score = self._score(sort, said, value)
                if score > 0.3:
                    best[name] = max(best.get(name, 0.0), score)
            self._scores[key] = _sorted(best)
        return self._scores[key]

    def _score(self, sort: Sort, said: Phrase, value: Phrase) -> float:
        best = 0.0
        for last in plain_forms(value[-1]):
            plain = (*value[:-1], last)
            best = max(best, self.meanings.alike(sort, said, plain))
            if "".join(said) == "".join(plain):
                best = max(best, 0.99)
        if value != GOING:
            best = max(best, _VECTOR * self.meanings.near(said, value))
        if sort == "n" and len(said) == len(value) == 1 and len(said[0]) >= _PART:
            whole = value[0].startswith(said[0]) or value[0].endswith(said[0])
            best = max(best, _COMPOUND if whole and len(value[0]) > len(said[0]) + 1 else 0.0)
        if len(value) > 1:
            if set(said) < set(value) and (sort == "n" or said[0] == value[0]):
                weight = 0.22 if said[-1] == value[-1] else 0.2
                best = max(best, 0.68 + weight * len(said) / len(value))
            elif sort == "v":
                best = max(best, self.meanings.alike(sort, said, value[:1]) - 0.1)
            else:
                best = max(best, self.meanings.alike(sort, said, value[-1:]) - 0.12)
        return best


def _moved(words: Sequence[str], head: int) -> frozenset[int]:
    """The words that say that one moves to, past or onto something; none if they don't."""
    if not any(form in _MOTION for form in plain_forms(words[head])):
        return frozenset()
    at = head + 1
    while at < len(words) and words[at] in _MANNER:
        at += 1
    end = at
    while end < len(words) and words[end] in _WHERE:
        end += 1
    return frozenset(range(head, end)) if end > at else frozenset()


def _sorted(best: Mapping[str, float]) -> tuple[Match, ...]:
    found = sorted(best.items(), key=lambda entry: -entry[1])
    return tuple(Match(value, min(score, 1.0)) for value, score in found)


def _content(phrase: Phrase) -> Phrase:
    return tuple(word for word in phrase if word != HOLE and word not in _LITTLE)


def _found(phrase: Phrase, words: Sequence[str], head: int) -> frozenset[int] | None:
    """Where the words of a phrase stand, the first at `head`; None if they don't."""
    at, gap, used = head + 1, 0, [head]
    wanted = [word for word in phrase[1:] if word not in _LITTLE]
    if len(wanted) == 1 and wanted[0] in _PARTICLES:
        gap = 4
    for word in wanted:
        if word == HOLE:
            gap = _BETWEEN
            continue
        limit = at + gap
        while at < len(words) and (words[at] in _LITTLE or (words[at] != word and at < limit)):
            if words[at] in _LITTLE:
                limit += 1
            elif not words[at].replace("-", "").isalpha():
                return None
            at += 1
        if at >= len(words) or word not in plain_forms(words[at]):
            return None
        apart = at > used[-1] + 1 and gap
        used.append(at)
        at, gap = at + 1, 0
        if apart and wanted[0] in _PARTICLES and at < len(words) and words[at] in _LITTLE:
            return None
    return frozenset(used)


_FUNCTION_WORDS = """
the and then next after before first second third finally lastly whenever when while once always
every each any all anything something everything should must have has been being with within into
onto over from near nearby close closer behind under until until that this them him her they player
there where which your again also afterwards afterward later now meters metres seconds minutes if
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
"""Little words that are common in steps: slips of the pen are taken for them last."""
