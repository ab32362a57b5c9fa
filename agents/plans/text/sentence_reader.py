"""What a sentence says: steps and rules, each with an action, whom it is done to, and when."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Literal, NamedTuple

import msgspec

from .game_words import GO, THRESHOLD, GameWords, Match
from .step_details import NUMBERS, Details, clauses, movement_of
from .token_classifier import Tag, token_classifier
from .word_forms import plain_forms, tokens

NEAR = 5.0
"""How near an actor is that a rule only calls near; in the game's units."""
FAR = 1000.0
"""How near an actor must be that a rule is done to wherever it is."""
MOST_WORDS = 60
Kind = Literal["node", "rule", "unknown"]
_PRONOUNS = frozenset(
    ("it", "them", "him", "her", "one", "they", "he", "she", "that", "this", "ones")
)
_CONDITIONS = frozenset(("if", "whenever", "when", "should", "while"))
_SURE = 0.85
"""How alike an actor must be that stands in a list, where the classifier passed over it."""
_JOINS = frozenset(("and", ",", "then", "also", "finally", "both", "lastly", "plus"))
_ARTICLES = frozenset(("the", "a", "an", "this", "that", "your", "my"))
_REFUSALS = frozenset(("not", "never", "nobody", "nothing", "dont"))
_UNITS = frozenset(
    ("meters", "metres", "meter", "metre", "m", "units", "unit", "steps", "tiles", "feet")
)
_NUMBERS = {word: number for word, number in NUMBERS.items() if word not in ("a", "an")}
_BELOW = frozenset(("below", "under", "less", "beneath", "lower", "fewer", "drops", "falls"))
_ABOVE = frozenset(("above", "over", "more", "exceeds", "higher", "greater"))


class Condition(NamedTuple):
    """When a rule holds: an actor is near, or a value is above or below a number."""

    actor: str = ""
    within: float = 0.0
    value: str = ""
    above: float | None = None
    below: float | None = None


class Statement(msgspec.Struct, frozen=True):
    """One step or rule, as it was said."""

    kind: Kind
    action: str | None = None
    """None where one only goes somewhere, or nothing was understood."""
    actor: str | None = None
    """The type or name that was meant; None for none."""
    confidence: float = 0.0
    """The lower one of how alike action and actor are to what was said."""
    conditions: tuple[Condition, ...] = ()
    missing: str = ""
    """Words for an actor that the game does not have, where the action needs none."""
    problem: str = ""
    """What was not understood."""
    details: Details = Details()

    @property
    def only_waits(self) -> bool:
        """Whether it says nothing but to wait."""
        return self.kind == "node" and not (self.action or self.actor) and self.details.wait > 0


class _Part(NamedTuple):
    """A step's words and what each is for."""

    words: list[str]
    tags: list[Tag]


class _Named(NamedTuple):
    actor: str | None
    score: float
    said: str
    problem: str = ""


class SentenceReader:
    """Reads sentences about one game.

    Args:
        game: What the game has.
        values: The names of the game's values that rules may look at.
    """

    def __init__(self, game: GameWords, values: Sequence[str] = ()) -> None:
        self._game = game
        self._values = tuple(values)

    def read(self, sentence: str, before: Statement | None = None) -> list[Statement]:
        """All that a sentence says, in its order; one that is unknown if nothing was understood.

        Args:
            before: The last thing that the sentence before it says: whom `it` may mean.
        """
        found: list[Statement] = []
        for text, details in clauses(sentence):
            known = found[-1] if found else before
            first, *rest = self._read(text, known) if text else [Statement("node", confidence=1.0)]
            first = msgspec.structs.replace(first, details=details.over(first.details))
            found += [first, *rest]
        return _merged(found) or [Statement("unknown", problem="there are no words in it")]

    def _read(self, sentence: str, before: Statement | None) -> list[Statement]:
        """The same for a part of it without its details."""
        words = [self._game.spelled(token) for token in tokens(sentence)]
        refused = [at for at, word in enumerate(words) if word in _REFUSALS]
        if any(words[at + 1 : at + 2] != ["forget"] for at in refused):
            reason = "it says what not to do; a plan says what to do"
            return [Statement("unknown", problem=reason)]
        if not words:
            return [Statement("unknown", problem="there are no words in it")]
        if len(words) > MOST_WORDS:
            reason = f"it has {len(words)} words; write at most {MOST_WORDS}, one step a sentence"
            return [Statement("unknown", problem=reason)]
        scores = [self._game.word_scores(word) for word in words]
        tags = token_classifier().tags(words, scores)
        _close_condition(words, tags)
        found: list[Statement] = []
        for part in _parts(words, tags):
            one = self._statement(part, [before, *found] if before else found)
            found += [one, *self._others(part, one)]
        return _merged(found) or [Statement("unknown", problem="there is no action in it")]

    def _statement(self, part: _Part, before: Sequence[Statement]) -> Statement:
        words, tags = part
        heads = [at for at, tag in enumerate(tags) if tag == "ACT"]
        head = heads[0] if heads else self._likely_head(part)
        if len(heads) > 1 and words[head or 0] in ("use", "using") and words[heads[1] - 1] == "to":
            head = heads[1]  # what is used is only what it is done with
            tags[: heads[1]] = ["MRK" if tag == "MRK" else "O" for tag in tags[: heads[1]]]
        lets = head is not None and words[head] in ("go", "free", "out", "in") and "let" in words
        if lets and head == len(words) - 1:
            head = words.index("let")  # to let somebody go is not to go
        condition = self._run(part, "COB")
        rule = "MRK" in tags
        if head is None:
            return Statement("unknown", problem=f"no action was found in {' '.join(words)!r}")
        first = self._game.action(words, head)
        target = self._target(part, head, first.words, condition, before)
        found = self._game.action(words, head, self._type(target.actor)) if target.actor else first
        found = self._game.only_use(words[head], self._type(target.actor), found)
        if not found.matches or found.matches[0].score < THRESHOLD:
            said = " ".join(words[at] for at in sorted(found.words))
            near = _candidates(found.matches, self._game.actions)
            return Statement("unknown", problem=f"the action {said!r} was not understood{near}")
        tied = self._game.tied(found.matches)
        if tied:
            said = " ".join(words[at] for at in sorted(found.words))
            return Statement("unknown", problem=f"{said!r} may mean {tied}: say which")
        action, sure = found.matches[0]
        somewhere = bool(self._game.actions.get(action, False))
        if target.actor is None and not target.said and condition and not somewhere:
            target = self._named(condition)
        if target.problem and not somewhere:
            return Statement("unknown", problem=target.problem)
        if action == GO and target.actor is None:
            where = "it does not say where to go"
            return Statement("unknown", problem=target.problem or where)
        if target.actor is not None:
            sure = min(sure, target.score)
        missing = target.said if target.problem else ""
        how = Details(movement=movement_of(words, action == GO))
        made = Statement("node", action or None, target.actor, round(sure, 3), (), missing, "", how)
        if not rule:
            return made
        conditions, problem = self._conditions(part, target.actor)
        return msgspec.structs.replace(made, kind="rule", conditions=conditions, problem=problem)

    def _others(self, part: _Part, one: Statement) -> Iterator[Statement]:
        """The same for whom else it is done to: `take the coin and the apple`."""
        runs = _runs(part.tags, "OBJ")
        if one.kind != "node" or not one.action or one.actor is None or not runs:
            return
        words, at = part.words, runs[0][-1] + 1
        if self._named([words[place] for place in runs[0]]).actor != one.actor:
            return
        while at < len(words) and words[at] in _JOINS:
            start = at
            while start < len(words) and words[start] in _JOINS | _ARTICLES:
                start += 1
            at = start
            while at < len(words) and part.tags[at] in ("O", "OBJ") and words[at].isalpha():
                if words[at] in _JOINS:
                    break
                at += 1
            said = self._named(words[start:at]) if at > start else None
            named = "OBJ" in part.tags[start:at]
            if said is None or (said.score < _SURE and not named):
                return
            if said.actor is None:
                yield Statement("unknown", problem=said.problem)
            elif said.actor != one.actor:
                yield msgspec.structs.replace(one, actor=said.actor, details=Details())

    def _likely_head(self, part: _Part) -> int | None:
        """The first word that is like an action, where the classifier has found no verb."""
        for at, word in enumerate(part.words):
            if part.tags[at] in ("O", "STEP") and self._game.word_scores(word)[0] >= THRESHOLD:
                return at
        return None

    def _target(
        self, part: _Part, head: int, used: frozenset[int], condition: Sequence[str],
        before: Sequence[Statement],
    ) -> _Named:  # fmt: skip
        words, tags = part
        direct = self._direct(part, head, used)
        if direct is not None:
            return direct
        runs = [
            [words[at] for at in run if at not in used]
            for run in _runs(tags, "OBJ")
            if not used.issuperset(run)
        ]
        named = [self._named(run) for run in runs]
        known = next((one for one in named if one.actor is not None), None)
        if known or named:
            return known or named[0]
        if any(word in _PRONOUNS for at, word in enumerate(words) if at > head or "MRK" in tags):
            if condition:
                return self._named(condition)
            last = next((one for one in reversed(before) if one.actor), None)
            if last is not None:
                return _Named(last.actor, last.confidence, "it")
        return self._overlooked(part, head, used)

    def _direct(self, part: _Part, head: int, used: frozenset[int]) -> _Named | None:
        """The actor that stands right behind the verb, where the classifier passed over it."""
        at = head + 1
        while at < len(part.words) and (at in used or part.words[at] in _ARTICLES):
            at += 1
        if at >= len(part.words) or part.tags[at] != "O" or "ACT" in part.tags[at:]:
            return None
        match = self._game.actor([part.words[at]])
        if not match or match[0].score < 0.94 or self._game.tied(match):
            return None
        return _Named(match[0].value, match[0].score, part.words[at])

    def _overlooked(self, part: _Part, head: int, used: frozenset[int]) -> _Named:
        """An actor's name that the classifier took for something else."""
        for at in range(head + 1, len(part.words)):
            if at not in used and part.tags[at] == "O":
                match = self._game.actor([part.words[at]])
                if match and match[0].score >= 0.9 and not self._game.tied(match):
                    return _Named(match[0].value, match[0].score, part.words[at])
        return _Named(None, 0.0, "")

    def _named(self, said: Sequence[str]) -> _Named:
        text = " ".join(said)
        matches = self._game.actor(said)
        if not matches or matches[0].score < THRESHOLD:
            near = _candidates(matches, (*self._game.actors, *self._game.names))
            return _Named(None, 0.0, text, f"the actor {text!r} was not understood{near}")
        tied = self._game.tied(matches)
        if tied:
            return _Named(None, 0.0, text, f"{text!r} may mean {tied}: say which")
        return _Named(matches[0].value, matches[0].score, text)

    def _type(self, actor: str | None) -> str:
        return self._game.names.get(actor or "", actor or "")

    def _run(self, part: _Part, tag: Tag) -> list[str]:
        return next(([part.words[at] for at in run] for run in _runs(part.tags, tag)), [])

    def _conditions(
        self, part: _Part, target: str | None
    ) -> tuple[tuple[Condition, ...], str]:  # fmt: skip
        words = [word for word, tag in zip(*part, strict=True) if tag in ("CND", "COB", "MRK", "O")]
        there = (Condition(target, FAR),) if target is not None else ()
        inside = [word for word, tag in zip(*part, strict=True) if tag in ("CND", "COB")]
        number = _number(inside) if inside else None
        value = self._value(inside)
        if value:
            below = not _BELOW.isdisjoint(inside)
            above = not _ABOVE.isdisjoint(inside)
            if number is None or below == above:
                reason = f"{' '.join(inside)!r} does not say what number {value} is below or above"
                return (), reason
            if below:
                return (*there, Condition(value=value, below=number)), ""
            return (*there, Condition(value=value, above=number)), ""
        within = number if number and not _UNITS.isdisjoint(words) else NEAR
        run = self._run(part, "COB")
        if run and not _PRONOUNS.issuperset(run):
            named = self._named(run)
            if named.actor is None:
                return (), named.problem
            about = Condition(named.actor, within)
            return ((about,) if target in (None, named.actor) else (*there, about)), ""
        if target is not None:
            return (Condition(target, within),), ""
        said = " ".join(inside) or " ".join(words)
        return (), f"the condition {said!r} was not understood: name an actor, or a value"

    def _value(self, words: Sequence[str]) -> str:
        for name in self._values:
            for word in words:
                if name.lower() in plain_forms(word) or {word, name.lower()} == {"hp", "health"}:
                    return name
        return ""


def _close_condition(words: Sequence[str], tags: list[Tag]) -> None:
    """What stands between `if` and the first comma is a condition, verbs and all."""
    if not tags or tags[0] != "MRK" or words[0] not in _CONDITIONS or "," not in words:
        return
    comma = words.index(",")
    if "ACT" not in tags[comma:]:
        return
    tags[comma] = "O"
    for at in range(1, comma):
        if tags[at] in ("ACT", "STEP"):
            tags[at] = "CND"
        elif tags[at] == "OBJ":
            tags[at] = "CND" if "COB" in tags[:at] else "COB"


def _parts(words: list[str], tags: list[Tag]) -> Iterator[_Part]:
    """The steps of a sentence: parted where the classifier says, and by a second action."""
    start = 0
    for at, tag in enumerate(tags):
        if tag == "STEP" and "ACT" in tags[start:at] and "ACT" in tags[at:]:
            yield _Part(words[start:at], tags[start:at])
            start = at + 1
    yield _Part(words[start:], tags[start:])


def _runs(tags: Sequence[Tag], wanted: Tag) -> list[list[int]]:
    """Words beside each other that are for the same."""
    grouped = groupby(range(len(tags)), key=lambda at: tags[at])
    return [list(those) for tag, those in grouped if tag == wanted]


def _merged(found: Sequence[Statement]) -> list[Statement]:
    """To go somewhere and do something there is one step; so is what was said twice."""
    kept: list[Statement] = []
    for one in found:
        last = kept[-1] if kept else None
        if last is not None and last.kind == "node" and one.kind == "node":
            waits = last.only_waits or one.only_waits
            if last.only_waits and not one.only_waits:
                one = msgspec.structs.replace(one, details=one.details.over(last.details))
                kept.pop()
            elif one.only_waits and last.action is None:
                one = msgspec.structs.replace(last, details=last.details.over(one.details))
                kept.pop()
            elif (
                not waits
                and last.action is None
                and (one.actor in (None, last.actor))
                and not one.missing
            ):
                sure = min(last.confidence, one.confidence)
                details = one.details.over(last.details)
                one = msgspec.structs.replace(
                    one, actor=last.actor, confidence=sure, details=details
                )  # fmt: skip
                kept.pop()
            elif (last.action, last.actor) == (one.action, one.actor):
                kept.pop()
        kept.append(one)
    return kept


def _number(words: Sequence[str]) -> float | None:
    for word in words:
        if word in _NUMBERS:
            return _NUMBERS[word]
        if word.replace(".", "", 1).isdigit():
            return float(word)
    return None


def _candidates(matches: Sequence[Match], all_of: "Sequence[str] | dict[str, bool]") -> str:
    near = [match.value for match in matches[:3] if match.value]
    if near:
        return f"; the nearest are {', '.join(near)}"
    names = sorted(all_of)
    shown = ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
    return f"; the game has {shown}" if names else "; the game has none"
