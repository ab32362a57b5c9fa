"""Finds whom a step is done to: by its object, by what `it` means, by where one goes."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .clause_splitter import Clause
from .parsed_step_or_rule import StepOrRule
from .verb_and_object_parser import ClauseParser, NounPhrase, ParsedClause
from .words.action_matcher import ActionMatch
from .words.english_words import (
    ABOVE,
    AMOUNTS,
    ARTICLES,
    BELOW,
    COMPARING,
    EMPTY_NOUNS,
    GOALS,
    KEYS,
    NEARNESS,
    PARTICLES,
    PLACES,
    PREPOSITIONS,
    SEEN,
    STATES,
    UNITS,
    VAGUE_NOUNS,
    WITH_SOMETHING,
)
from .words.game_vocabulary_matcher import GO, THRESHOLD, GameWords, VocabularyMatch
from .words.tokenizer_and_lemmatizer import plain_forms, words_of
from .words.verb_phrase_matcher import MOTION

SURE = 0.85
"""How alike an actor must be that is named only by the way, or in a list without an article."""
_VERB_ITSELF = 0.94
_WHOLE_NAME = 0.95
_TO = frozenset(("to", "towards", "toward", "into", "onto"))
_INSTRUMENTS = frozenset(("with", "using", "without", "from", "than", "like"))
"""What is after these is not what a step is done to."""

_WHERE = frozenset((
    "near", "by", "beside", "behind", "at", "in", "inside", "on", "under", "next", "from", "past",
    "beyond",
))  # fmt: skip
"""Words that come before the place of a thing."""


class Context(NamedTuple):
    """The text around a step."""

    before: Sequence[StepOrRule] = ()
    """The text before it: whom `it` may mean."""
    condition: Clause | None = None
    """When it is done."""
    topic: tuple[NounPhrase, ...] = ()
    """What was named right before it, as in `the lever: pull it`."""


class StepTarget(NamedTuple):
    """Who was meant; why it is not known, if it is not."""

    actor: str | None
    score: float = 0.0
    text: str = ""
    problem: str = ""
    thing: NounPhrase | None = None
    also: tuple[str, ...] = ()
    """Other actors of the same type that are meant as much: all the coins, or the nearest one."""


NOBODY = StepTarget(None)


class ActorFinder:
    """Finds the actors that sentences about one game name.

    Args:
        game: What the game has.
        parser: What finds the things in a clause.
        values: The names of the game's values: a condition may be about one instead.
    """

    def __init__(self, game: GameWords, parser: ClauseParser, values: Sequence[str]) -> None:
        self._game = game
        self._parser = parser
        self._values = tuple(values)

    def named(self, thing: NounPhrase, action: str = "") -> StepTarget:
        """The actor that a thing means; of several one that the action can be done to."""
        text = " ".join(thing.words)
        matches = self._matches(thing.words)
        if not matches or matches[0].score < THRESHOLD:
            near = candidates(matches, (*self._game.actors, *self._game.names))
            return StepTarget(
                None, 0.0, text, f"the actor {text!r} was not understood{near}", thing
            )
        if action:
            matches = self._game.likelier(matches, action)
        first = self._called_besides(matches[0], thing.words)
        can = bool(action) and action in self._game.allowed.get(self._game.type_of(first.value), ())
        tied = "" if can else self._game.tied(matches)
        if tied:
            return StepTarget(None, 0.0, text, f"{text!r} may mean {tied}: say which", thing)
        also = tuple(self._game.others_of_type(matches))
        return StepTarget(first.value, first.score, text, "", thing, also)

    def _called_besides(self, match: VocabularyMatch, words: Sequence[str]) -> VocabularyMatch:
        """The actor of a type whose own name stands beside that: `the warning sign`."""
        forms = {form for word in words for form in plain_forms(word)}
        for name, type in self._game.names.items():
            if type == match.value and forms.issuperset(_content(name)):
                return match._replace(value=name)
        return match

    def chosen(self, target: StepTarget, parsed: ParsedClause) -> StepTarget:
        """The one of several actors that is where a clause says: `the coin from the cell`."""
        thing = target.thing
        if not target.also or target.actor is None or thing is None:
            return target
        forms = {form for word in parsed.words for form in plain_forms(word)}
        names = (target.actor, *target.also)
        called = [name for name in names if forms.issuperset(_content(name))]
        if called:
            return target._replace(actor=called[0], also=())
        near = (one for one in parsed.noun_phrases if one.at > thing.at and one.before in _WHERE)
        place = next((one for one in near if self.named(one).score >= SURE), None)
        if place is None:
            return target
        where = f"{place.before} {' '.join(place.words)}"
        problem = f"which {target.text!r} is meant by {where!r}? There are {', '.join(names)}"
        return StepTarget(None, 0.0, target.text, problem, thing)

    def _matches(self, words: tuple[str, ...]) -> Sequence[VocabularyMatch]:
        """What the words mean; without a last one that says nothing, as in `that lever thing`."""
        matches = self._game.actor(words)
        if len(words) == 1 or words[-1] not in VAGUE_NOUNS:
            return matches
        bare = self._game.actor(words[:-1])
        if not bare or (matches and matches[0].score >= max(_WHOLE_NAME, bare[0].score)):
            return matches
        return bare if not matches or bare[0].score > matches[0].score else matches

    def in_condition(self, words: Sequence[str]) -> StepTarget | None:
        """The first actor that a condition names; one that is not known if it names no other."""
        unclear: StepTarget | None = None
        for thing in self._parser.noun_phrases(words):
            if set(thing.words) <= SEEN | STATES | UNITS | NEARNESS or self.value(words):
                continue
            target = self.named(thing)
            if target.actor is not None:
                return target
            unclear = unclear or target
        return unclear

    def value(self, words: Sequence[str]) -> str:
        """The game's value that a condition compares; empty for none."""
        return "" if (COMPARING | BELOW | ABOVE).isdisjoint(words) else self.names_value(words)

    def names_value(self, words: Sequence[str]) -> str:
        """The game's value that is named; empty for none."""
        for name in self._values:
            for word in words:
                if name.lower() in plain_forms(word) or {word, name.lower()} == {"hp", "health"}:
                    return name
        return ""

    def place(self, parsed: ParsedClause) -> StepTarget | None:
        """Where one goes by a clause without a verb: `back to the switch`."""
        goals = [thing for thing in parsed.noun_phrases if thing.before in GOALS]
        if not goals or parsed.words[0] not in PREPOSITIONS | {"back", "straight", "over"}:
            return None
        return self.named(goals[0])

    def target(self, parsed: ParsedClause, verb: ActionMatch, context: Context) -> StepTarget:
        """Whom a clause's verb is done to."""
        head = parsed.head
        action = verb.matches[0].value if verb.matches else GO
        left = (_without(thing, verb.words) for thing in parsed.noun_phrases)
        things = [thing for thing in left if thing is not None]
        if parsed.voice == "passive":
            subject = self._subject(things, parsed, action, context)
            if subject is not None:
                return subject
        after = [thing for thing in things if thing.at > head]
        if not after:
            inside = [self.named(thing) for thing in parsed.noun_phrases if thing.at > head]
            sure = [one for one in inside if one.score >= SURE]
            if sure:
                return sure[-1]
        direct = next((t for t in after if _is_direct(t, parsed, verb.words)), None)
        pronoun = next((at for at in parsed.pronouns if at > head), None)
        if pronoun is not None and (direct is None or pronoun < direct.at):
            meant = self._meant(context)
            if meant.actor is not None:
                return meant
        if action == GO and bool(verb.matches) and len(after) > 1:
            to = [thing for thing in after if thing.before in _TO and not thing.relative]
            if to and self.named(to[0]).actor is not None:
                return self.named(to[0])
        others = [thing for thing in after if thing is not direct]
        if direct is not None:
            return self._object(direct, others, parsed, action)
        other = self._behind_preposition(others, bool(verb.matches) and action == GO)
        return other or self._implied(things, parsed, context)

    def _subject(
        self, things: Sequence[NounPhrase], parsed: ParsedClause, action: str, context: Context
    ) -> StepTarget | None:  # fmt: skip
        """What something is done to in `the coin is taken`."""
        before = [thing for thing in things if thing.end <= parsed.head and not thing.relative]
        if before:
            named = [self.named(thing, action) for thing in before]
            return next((one for one in named if one.actor is not None), named[0])
        return self._meant(context) if any(at < parsed.head for at in parsed.pronouns) else None

    def _object(
        self, direct: NounPhrase, others: Sequence[NounPhrase], parsed: ParsedClause, action: str
    ) -> StepTarget:
        """What the verb's object means, or what is after it if the object says nothing."""
        target = self.named(direct, action)
        if target.actor is not None:
            return target
        if direct.words[-1] in PLACES and self._game.means(action, "leave"):
            out = self.named(direct._replace(words=("exit",)), action)
            if out.actor is not None and not any(self.named(one).actor for one in others):
                return out
        part = next((thing for thing in others if _is_part(thing, direct, parsed.words)), None)
        if part is not None:
            joined = self.named(part._replace(words=(*part.words, *direct.words)))
            if joined.actor is not None:
                return joined
        other = self._behind_preposition(others, action == GO)
        empty = set(direct.words) <= EMPTY_NOUNS
        if other is not None and other.actor is not None and other.thing is not None:
            light = parsed.words[parsed.head] in WITH_SOMETHING and other.thing.before != "from"
            says_nothing = set(direct.words) <= EMPTY_NOUNS | KEYS or direct.quantifier == "any"
            if light or says_nothing:
                return other
        return (other or NOBODY) if empty else target

    def _behind_preposition(self, things: Sequence[NounPhrase], going: bool) -> StepTarget | None:
        """The thing after a preposition: where one goes to, rather than what one passes."""
        named = [(thing, self.named(thing)) for thing in things if not thing.relative]
        goals = [(thing, target) for thing, target in named if thing.before in GOALS]
        if going:
            to = [target for thing, target in goals if thing.before in {*_TO, "for"}]
            at = [target for thing, target in goals if thing.before == "at"]
            every = to or at or [target for _, target in goals or named]
            return every[0] if every else None
        known = [
            target for thing, target in named if target.actor and thing.before not in _INSTRUMENTS
        ]  # fmt: skip
        return next(iter(known or [target for _, target in goals]), None)

    def _implied(
        self, things: Sequence[NounPhrase], parsed: ParsedClause, context: Context
    ) -> StepTarget:  # fmt: skip
        """Whom a verb without an object is about."""
        if context.topic:
            return self.named(context.topic[0])
        word = parsed.words[parsed.head]
        own = self._game.actor([word]) if len(parsed.words) > 1 and parsed.head == 0 else ()
        if own and own[0].score >= _VERB_ITSELF and not self._game.tied(own):
            return StepTarget(own[0].value, own[0].score, word)
        before = [thing for thing in things if thing.end <= parsed.head and not thing.relative]
        return self.named(before[0]) if before else NOBODY

    def _meant(self, context: Context) -> StepTarget:
        """Whom `it` means."""
        if context.topic:
            return self.named(context.topic[0])
        inside = self.in_condition(context.condition.words) if context.condition else None
        if inside is not None:
            return inside
        last = next((one for one in reversed(context.before) if one.actor), None)
        return NOBODY if last is None else StepTarget(last.actor, last.confidence, "it")


def candidates(
    matches: Sequence[VocabularyMatch], all_of: Sequence[str] | Mapping[str, bool]
) -> str:
    """The nearest known words to some that were not understood, as the end of a message."""
    near = [match.value for match in matches[:3] if match.value]
    if near:
        return f"; the nearest are {', '.join(near)}"
    names = sorted(all_of)
    shown = ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
    return f"; the game has {shown}" if names else "; the game has none"


def _content(name: str) -> set[str]:
    """The words that distinguish a name from others."""
    return {word for word in words_of(name) if word not in ARTICLES | PREPOSITIONS}


def _without(thing: NounPhrase, used: frozenset[int]) -> NounPhrase | None:
    """What is left of a thing without the words that belong to the verb."""
    left = [(at, word) for at, word in enumerate(thing.words, thing.at) if at not in used]
    if not left:
        return None
    return thing._replace(words=tuple(word for _, word in left), at=left[0][0])


def _is_direct(thing: NounPhrase, parsed: ParsedClause, used: frozenset[int]) -> bool:
    """Whether only words that belong to the verb are between the verb and this thing."""
    if thing.relative:
        return False
    if not thing.before:
        return True
    words = parsed.words
    at = next(at for at in range(thing.at - 1, -1, -1) if words[at] == thing.before)
    between = range(parsed.head + 1, at)
    # One swims with somebody to nowhere; one trades with somebody.
    if thing.before == "with" and at not in used and words[parsed.head] in MOTION:
        return False
    return at in used or all(one in used or words[one] in PARTICLES for one in between)


def _is_part(thing: NounPhrase, direct: NounPhrase, words: Sequence[str]) -> bool:
    """Whether a thing says of what another one is: `the pool of lava`."""
    gap = [word for word in words[direct.end : thing.at] if word not in ARTICLES]
    return gap == ["of"] and direct.words[-1] in AMOUNTS
