"""Matches a person's words with the valid values of a game."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from .english_words import NO_NOUNS, PREPOSITIONS
from .spelling_correction import SpellingCorrection
from .thesaurus_and_word_vectors import GOING, KIND, SAME, Phrase, Sort, WordMeanings, word_meanings
from .tokenizer_and_lemmatizer import plain_forms, words_of
from .verb_phrase_matcher import (
    ADJECTIVES,
    LITTLE,
    MOTION,
    content,
    found_words,
    moved_words,
    verbs_of,
)

THRESHOLD = 0.62
"""What is less alike than this is not understood."""
_NEARLY = 0.04
TIE = 0.004
"""Two values whose scores differ by less are equally meant."""
GO = ""
"""The action of going there, and nothing else."""
_UNSURE_VERB, _UNSURE_NOUN = 0.08, 0.04
"""What is taken off the cosine of two words: opposites, such as to give and to take, have 0.65."""
_SHADOW = 0.45
"""What a verb loses whose phrase means something else: to take a photo is not to take."""
_FORBIDDEN = 0.24
"""What an action loses that can't be done to whom the verb is about."""
_LONGER = 0.012
_ONLY_GO = 0.02
"""What going loses to what says more than that: to get into a car may be to enter it."""
_LIGHT = frozenset((
    "put", "give", "do", "make", "take", "have", "perform", "carry", "use", "apply", "run", "start",
    "begin", "get", "go", "issue", "execute", "conduct", "attempt",
))  # fmt: skip
"""Verbs that say little: to make a jump, and to put oil on something, is what the noun says."""
_CROSSING = frozenset((
    "cross", "crosses", "crossing", "crossed", "clear", "traverse", "pass", "negotiate", "overcome",
))  # fmt: skip
_DEVICE_VERBS = frozenset((
    "throw", "hit", "kick", "punch", "smack", "slap", "whack", "bop", "boop", "pop", "trip", "work",
    "yank", "hold", "tug", "close", "turn", "ring", "knock", "loot", "ride", "sit", "dial",
))  # fmt: skip
_LOOKING = frozenset((
    "read", "use", "interact", "check", "look", "inspect", "examine", "activate", "touch", "study",
    "view", "see", "visit", "open", "consult", "operate", "ask", "greet", "trigger",
))  # fmt: skip
"""What is done to a sign, which is its text."""
_NO_SPEECH = _LOOKING - frozenset(("visit", "interact", "ask", "greet", "consult"))
"""What of that says nothing to a person: one looks at a person without talking."""
_CALLED = 0.9
"""How alike a word is to a name that calls the same thing, and not one like it."""
_MOVED = 0.8
"""How alike to going it is to move anywhere near something."""
_AFTER_LIGHT = frozenset(
    ("out", "for", "another", "quick", "big", "little", "good", "a", "bit", "of")
)
_PART, _COMPOUND = 4, 0.78
"""The letters that a part of a compound must have, and how alike it is to the whole: flowers may
mean the flowerbed."""


class VocabularyMatch(NamedTuple):
    """A valid value and how alike it is to the words of the text."""

    value: str
    score: float


class ActionMatch(NamedTuple):
    """What a verb may mean, and which of the words belong to it."""

    matches: tuple[VocabularyMatch, ...]
    words: frozenset[int]


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
        self._actions: list[tuple[str, Phrase]] = [(name, words_of(name)) for name in self.actions]
        self._actions.append((GO, GOING))
        self._nouns: list[tuple[str, Phrase]] = [(name, _words_of(name)) for name in self.actors]
        self._nouns += [
            (name, _words_of(name)) for name in self.names if name not in set(self.actors)
        ]
        self._scores: dict[tuple[Sort, Phrase], tuple[VocabularyMatch, ...]] = {}
        self._verbs = frozenset(phrase[0] for _, phrase in self._actions)
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
        own = {word for _, phrase in (*self._actions, *self._nouns) for word in phrase}
        likely = {
            word for sort, values in (("v", self._actions), ("n", self._nouns))
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
        return next((m.score for m in self._matches("v", (verb,)) if m.value == action), 0.0)

    def names_one(self, word: str) -> bool:
        """Whether an actor or a type is called so, by this word alone."""
        return any(phrase == (word,) for _, phrase in self._nouns)

    def is_light(self, word: str) -> bool:
        """Whether a verb says little: `make` of `make a jump`."""
        return not _LIGHT.isdisjoint(plain_forms(word))

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
                found = self._matches("v" if sort == "v" else "n", (form,))
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
                    for match in self._matches("n", phrase):
                        score = match.score - lost
                        best[match.value] = max(best.get(match.value, 0.0), score)
        return _sorted(best)

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
            for match in self._matches("n", phrase)
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

    def action(self, words: Sequence[str], head: int, type: str = "") -> ActionMatch:
        """What the verb at `head` may mean, the likeliest first; `type` is whom it is done to."""
        phrases = list(self._phrases(words, head))
        longest = max((len(content(phrase)) for phrase, _ in phrases), default=1)
        said_longer = {
            match.value: min(1.0, match.score + _LONGER * (len(content(phrase)) - 1))
            for phrase, _ in phrases if len(content(phrase)) == longest > 1
            for match in self._matches("v", phrase) if match.score >= SAME - 0.1 and match.value
        }  # fmt: skip
        best: dict[str, float] = {}
        used: dict[str, frozenset[int]] = {}
        lost: dict[str, float] = {}
        for phrase, at in phrases:
            size = len(content(phrase))
            for match in self._matches("v", phrase):
                score = match.score + _LONGER * (size - 1)
                # To go up something is to climb it, if that can be done.
                light = phrase[0] in _LIGHT
                if size < longest and (match.score != 1.0 or match.value == GO or light):
                    score -= _SHADOW
                # `fire at` says what is meant as surely as the action `fire` does.
                if size < longest and match.score == 1.0 and said_longer.keys() - {match.value}:
                    score -= 1.0 - max(said_longer.values())
                if type and match.score < 1.0 and self._is_blow(match.value, type):
                    score -= 0.2
                if match.value == GO and match.score < 1.0:
                    score -= _ONLY_GO
                if match.score < 0.9 and not self._is_device_verb(phrase, match.value, type):
                    continue
                if match.value and type in self.allowed:
                    can = match.value in self.allowed[type]
                    away = -0.01 if can else _FORBIDDEN if match.score < 1.0 else _FORBIDDEN / 2
                    score, lost[match.value] = score - away, max(away, 0.0)
                best[match.value] = max(best.get(match.value, 0.0), score)
                if match.score >= THRESHOLD and len(at) > len(used.get(match.value, ())):
                    used[match.value] = at
        moved = moved_words(words, head)
        if moved and best.get(GO, 0.0) < _MOVED:
            best[GO], used[GO] = _MOVED, moved
        matches = _sorted(best)
        if not matches:
            return ActionMatch((), frozenset((head,)))
        first = matches[0]._replace(
            score=min(1.0, matches[0].score + lost.get(matches[0].value, 0.0))
        )
        matches = (first, *matches[1:])
        return ActionMatch(matches, used.get(matches[0].value, frozenset((head,))))

    def _is_device_verb(self, phrase: Phrase, action: str, type: str) -> bool:
        """Whether the verb may mean to interact with that: one throws a switch, not a coin."""
        if not type or phrase[0] not in _DEVICE_VERBS or not self.means(action, "interact"):
            return True
        return self._is_device(type)

    def _is_device(self, type: str) -> bool:
        devices = self.meanings.kinds["n"].get(("device",), set())
        noun = words_of(type)
        return noun in devices or noun[-1:] in devices

    def _is_person(self, type: str) -> bool:
        noun = words_of(type)
        return noun == ("person",) or noun in self.meanings.kinds["n"].get(("person",), set())

    def fits(self, action: str, type: str) -> bool:
        """Whether an action can be done to a type, or is what is done to such things: doors are
        opened, also where nothing opens them."""
        if not action or type not in self.allowed or action in self.allowed[type]:
            return True
        return self._is_device(type) and self.means(action, "interact")

    def _is_blow(self, action: str, type: str) -> bool:
        """Whether it is an attack on a thing: one hits a switch, but does not fight it."""
        if not self._is_device(type):
            return False
        return self.meanings.alike("v", words_of(action), ("attack",)) >= 0.9

    def only_use(
        self, verb: str, type: str, found: ActionMatch, words: Sequence[str] = ()
    ) -> ActionMatch:  # fmt: skip
        """To use, open or read something means what alone can be done to its type."""
        can = self.allowed.get(type, frozenset())
        best = found.matches[0] if found.matches else VocabularyMatch("", 0.0)
        over = any(word in ("over", "across") for word in words) or verb in _CROSSING
        if (
            found.matches
            and best.value == GO
            and over
            and any(self.means(action, "jump") for action in can)
        ):
            jump = next(action for action in can if self.means(action, "jump"))
            return ActionMatch((VocabularyMatch(jump, KIND),), found.words)
        looked_at = self._is_person(type) and not _NO_SPEECH.isdisjoint(plain_forms(verb))
        own = best.score == 1.0 and not self.means(best.value, "interact")
        if own and best.value == verb:
            return found
        if can and looked_at and best.score < SAME:
            return ActionMatch((), found.words)
        if len(can) != 1 or best.value in can or (best.value == GO and best.score >= THRESHOLD):
            return found
        (only,) = can
        kinds = self.meanings.kinds["v"].get(words_of(best.value), set()) if best.value else set()
        blow = (
            best.value
            and self.means(best.value, "attack")
            and (self.means(only, "break") or self.means(only, "shoot"))
        )
        if best.score < 1.0 and best.value not in can and (blow or words_of(only) in kinds):
            return ActionMatch((VocabularyMatch(only, min(best.score, KIND)),), found.words)
        if any(self.means(only, verb) for verb in ("take", "attack", "shoot", "jump", "break")):
            return found
        if self.means(only, "talk") and _LOOKING.isdisjoint(plain_forms(verb)):
            return found
        uses = self.meanings.kinds["v"].get(("interact",), set())
        if not any((form,) in uses or form == "interact" for form in plain_forms(verb)):
            return found
        return ActionMatch((VocabularyMatch(only, KIND),), found.words)

    def means(self, action: str, verb: str) -> bool:
        """Whether an action is what a verb says."""
        return self.meanings.alike("v", words_of(action), (verb,)) >= 0.9

    def _phrases(self, words: Sequence[str], head: int) -> Iterator[tuple[Phrase, frozenset[int]]]:
        seen: set[Phrase] = set()
        for form in plain_forms(words[head]):
            named = list(self._actions_by_noun(words, head)) if form in _LIGHT else []
            yield from named or [((form,), frozenset((head,)))]
            for phrase in self._phrases_of_several(form):
                at = found_words((form, *phrase[1:]), words, head)
                if at is not None:
                    yield phrase, at
            own = [phrase for _, phrase in self._actions if phrase[0] == form]
            for phrase in (*own, *self.meanings.starting.get(form, ())):
                if phrase in seen or len(phrase) == 1:
                    continue
                seen.add(phrase)
                at = found_words(phrase, words, head)
                if at is not None:
                    yield phrase, at

    def _phrases_of_several(self, verb: str) -> Iterator[Phrase]:
        """The actions of several words that a verb may begin: to purchase for `buy lamp`."""
        for _, phrase in self._actions:
            if (
                len(phrase) > 1
                and phrase[0] != verb
                and (self.meanings.alike("v", (verb,), phrase[:1]) >= 0.86)
            ):
                yield phrase

    def _actions_by_noun(
        self, words: Sequence[str], head: int
    ) -> Iterator[tuple[Phrase, frozenset[int]]]:
        """The action that the noun after a verb names which says little by itself."""
        at = head + 1
        while at < len(words) and words[at] in LITTLE | _AFTER_LIGHT | ADJECTIVES:
            at += 1
        if at >= len(words) or self.word_scores(words[at])[1] >= THRESHOLD:
            return
        verbs = {phrase[0] for _, phrase in self._actions if len(phrase) == 1}
        for form in (*plain_forms(words[at]), *verbs_of(words[at])):
            after = words[at + 1] if at + 1 < len(words) else ""
            if after and after not in NO_NOUNS:
                continue  # `use the hopping shrine`
            if form in verbs or any(
                self.meanings.alike("v", (form,), (verb,)) >= 0.86 for verb in verbs
            ):
                yield (form,), frozenset(range(head, at + 1))

    def _matches(self, sort: Sort, phrase: Phrase) -> tuple[VocabularyMatch, ...]:
        key = (sort, phrase)
        if key not in self._scores:
            best: dict[str, float] = {}
            for name, value in self._actions if sort == "v" else self._nouns:
                score = self._score(sort, phrase, value)
                if sort == "n" and self._is_other_kind(phrase, name, value):
                    score = min(score, THRESHOLD - 0.01)
                if score > 0.3:
                    best[name] = max(best.get(name, 0.0), score)
            self._scores[key] = _sorted(best)
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


def _sorted(best: Mapping[str, float]) -> tuple[VocabularyMatch, ...]:
    found = sorted(best.items(), key=lambda entry: -entry[1])
    return tuple(VocabularyMatch(value, min(score, 1.0)) for value, score in found)
