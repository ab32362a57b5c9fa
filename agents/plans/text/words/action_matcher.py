"""Matches a verb, with the words that belong to it, with the actions of a game."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .english_words import NO_NOUNS
from .game_vocabulary_matcher import GO, THRESHOLD, GameWords, VocabularyMatch, sorted_matches
from .thesaurus_and_word_vectors import KIND, SAME, Phrase
from .tokenizer_and_lemmatizer import plain_forms, words_of
from .verb_phrase_matcher import (
    ADJECTIVES,
    LIGHT_VERBS,
    LITTLE,
    content,
    found_words,
    moved_words,
    verbs_of,
)

_SHADOW = 0.45
"""What a verb loses whose phrase means something else: to take a photo is not to take."""
_FORBIDDEN = 0.24
"""What an action loses that can't be done to whom the verb is about."""
_LONGER = 0.012
_ONLY_GO = 0.02
"""What going loses to what says more than that: to get into a car may be to enter it."""
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
_NO_USES = ("take", "attack", "shoot", "jump", "break")
"""To use something is none of these."""
_MOVED = 0.8
"""How alike to going it is to move anywhere near something."""
_AFTER_LIGHT = frozenset(
    ("out", "for", "another", "quick", "big", "little", "good", "a", "bit", "of")
)


class ActionMatch(NamedTuple):
    """What a verb may mean, and which of the words belong to it."""

    matches: tuple[VocabularyMatch, ...]
    words: frozenset[int]


class ActionMatcher:
    """Finds the action of a game that a verb means."""

    def __init__(self, game: GameWords) -> None:
        self._game = game
        self._meanings = game.meanings
        self._allowed = game.allowed

    def match(self, words: Sequence[str], head: int, type: str = "") -> ActionMatch:
        """What the verb at `head` may mean, the likeliest first; `type` is whom it is done to."""
        phrases = list(self._phrases(words, head))
        longest = max((len(content(phrase)) for phrase, _ in phrases), default=1)
        said_longer = {
            match.value: min(1.0, match.score + _LONGER * (len(content(phrase)) - 1))
            for phrase, _ in phrases if len(content(phrase)) == longest > 1
            for match in self._game.matches("v", phrase)
            if match.score >= SAME - 0.1 and match.value
        }  # fmt: skip
        best: dict[str, float] = {}
        used: dict[str, frozenset[int]] = {}
        lost: dict[str, float] = {}
        for phrase, at in phrases:
            size = len(content(phrase))
            for match in self._game.matches("v", phrase):
                score = match.score + _LONGER * (size - 1)
                # To go up something is to climb it, if that can be done.
                light = phrase[0] in LIGHT_VERBS
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
                if match.value and type in self._allowed:
                    can = match.value in self._allowed[type]
                    away = -0.01 if can else _FORBIDDEN if match.score < 1.0 else _FORBIDDEN / 2
                    score, lost[match.value] = score - away, max(away, 0.0)
                best[match.value] = max(best.get(match.value, 0.0), score)
                if match.score >= THRESHOLD and len(at) > len(used.get(match.value, ())):
                    used[match.value] = at
        moved = moved_words(words, head)
        if moved and best.get(GO, 0.0) < _MOVED:
            best[GO], used[GO] = _MOVED, moved
        matches = sorted_matches(best)
        if not matches:
            return ActionMatch((), frozenset((head,)))
        first = matches[0]._replace(
            score=min(1.0, matches[0].score + lost.get(matches[0].value, 0.0))
        )
        matches = (first, *matches[1:])
        return ActionMatch(matches, used.get(matches[0].value, frozenset((head,))))

    def fits(self, action: str, type: str) -> bool:
        """Whether an action can be done to a type, or is what is done to such things: doors are
        opened, also where nothing opens them."""
        if not action or type not in self._allowed or action in self._allowed[type]:
            return True
        return self._is_device(type) and self._game.means(action, "interact")

    def only_use(
        self, verb: str, type: str, found: ActionMatch, words: Sequence[str] = ()
    ) -> ActionMatch:  # fmt: skip
        """To use, open or read something means what alone can be done to its type."""
        can = self._allowed.get(type, frozenset())
        best = found.matches[0] if found.matches else VocabularyMatch("", 0.0)
        over = any(word in ("over", "across") for word in words) or verb in _CROSSING
        if (
            found.matches
            and best.value == GO
            and over
            and any(self._game.means(action, "jump") for action in can)
        ):
            jump = next(action for action in can if self._game.means(action, "jump"))
            return ActionMatch((VocabularyMatch(jump, KIND),), found.words)
        looked_at = self._is_person(type) and not _NO_SPEECH.isdisjoint(plain_forms(verb))
        own = best.score == 1.0 and not self._game.means(best.value, "interact")
        if own and best.value == verb:
            return found
        if can and looked_at and best.score < SAME:
            return ActionMatch((), found.words)
        if len(can) != 1 or best.value in can or (best.value == GO and best.score >= THRESHOLD):
            return found
        (only,) = can
        kinds = self._meanings.kinds["v"].get(words_of(best.value), set()) if best.value else set()
        blow = (
            best.value
            and self._game.means(best.value, "attack")
            and (self._game.means(only, "break") or self._game.means(only, "shoot"))
        )
        if best.score < 1.0 and best.value not in can and (blow or words_of(only) in kinds):
            return ActionMatch((VocabularyMatch(only, min(best.score, KIND)),), found.words)
        if any(self._game.means(only, one) for one in _NO_USES):
            return found
        if self._game.means(only, "talk") and _LOOKING.isdisjoint(plain_forms(verb)):
            return found
        uses = self._meanings.kinds["v"].get(("interact",), set())
        if not any((form,) in uses or form == "interact" for form in plain_forms(verb)):
            return found
        return ActionMatch((VocabularyMatch(only, KIND),), found.words)

    def _is_device_verb(self, phrase: Phrase, action: str, type: str) -> bool:
        """Whether the verb may mean to interact with that: one throws a switch, not a coin."""
        if not type or phrase[0] not in _DEVICE_VERBS or not self._game.means(action, "interact"):
            return True
        return self._is_device(type)

    def _is_device(self, type: str) -> bool:
        devices = self._meanings.kinds["n"].get(("device",), set())
        noun = words_of(type)
        return noun in devices or noun[-1:] in devices

    def _is_person(self, type: str) -> bool:
        noun = words_of(type)
        return noun == ("person",) or noun in self._meanings.kinds["n"].get(("person",), set())

    def _is_blow(self, action: str, type: str) -> bool:
        """Whether it is an attack on a thing: one hits a switch, but does not fight it."""
        if not self._is_device(type):
            return False
        return self._meanings.alike("v", words_of(action), ("attack",)) >= 0.9

    def _phrases(self, words: Sequence[str], head: int) -> Iterator[tuple[Phrase, frozenset[int]]]:
        seen: set[Phrase] = set()
        for form in plain_forms(words[head]):
            named = list(self._actions_by_noun(words, head)) if form in LIGHT_VERBS else []
            yield from named or [((form,), frozenset((head,)))]
            for phrase in self._phrases_of_several(form):
                at = found_words((form, *phrase[1:]), words, head)
                if at is not None:
                    yield phrase, at
            own = [phrase for _, phrase in self._game.action_phrases if phrase[0] == form]
            for phrase in (*own, *self._meanings.starting.get(form, ())):
                if phrase in seen or len(phrase) == 1:
                    continue
                seen.add(phrase)
                at = found_words(phrase, words, head)
                if at is not None:
                    yield phrase, at

    def _phrases_of_several(self, verb: str) -> Iterator[Phrase]:
        """The actions of several words that a verb may begin: to purchase for `buy lamp`."""
        for _, phrase in self._game.action_phrases:
            if (
                len(phrase) > 1
                and phrase[0] != verb
                and (self._meanings.alike("v", (verb,), phrase[:1]) >= 0.86)
            ):
                yield phrase

    def _actions_by_noun(
        self, words: Sequence[str], head: int
    ) -> Iterator[tuple[Phrase, frozenset[int]]]:
        """The action that the noun after a verb names which says little by itself."""
        at = head + 1
        while at < len(words) and words[at] in LITTLE | _AFTER_LIGHT | ADJECTIVES:
            at += 1
        if at >= len(words) or self._game.word_scores(words[at])[1] >= THRESHOLD:
            return
        verbs = {phrase[0] for _, phrase in self._game.action_phrases if len(phrase) == 1}
        for form in (*plain_forms(words[at]), *verbs_of(words[at])):
            after = words[at + 1] if at + 1 < len(words) else ""
            if after and after not in NO_NOUNS:
                continue  # `use the hopping shrine`
            if form in verbs or any(
                self._meanings.alike("v", (form,), (verb,)) >= 0.86 for verb in verbs
            ):
                yield (form,), frozenset(range(head, at + 1))
