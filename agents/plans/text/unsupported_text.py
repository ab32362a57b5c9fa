"""Finds what sentences say and no plan can do: it is reported, instead of something like it."""

import re
from collections.abc import Iterator, Sequence

from .clause_splitter import Clause
from .parsed_step_or_rule import StepOrRule
from .verb_and_object_parser import NounPhrase
from .words.english_words import (
    ARRIVALS,
    AVOIDING,
    BE,
    ENDINGS,
    HAVE,
    JOINS,
    NOT,
    PLAYERS,
    PRESSING,
    SEEN,
    STATES,
    UNITS,
)
from .words.game_vocabulary_matcher import THRESHOLD, GameWords
from .words.tokenizer_and_lemmatizer import is_participle, plain_forms, words_of

_COUNT = "two|three|four|five|six|seven|eight|nine|ten|several|many|multiple|a few|a couple of"
_REPEATED = re.compile(
    rf"\b(?:twice|thrice|again and again|over and over|(?:\d+|{_COUNT})(?: more)? times)\b"
)
_COUNTED = frozenset(("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"))
_ORDINALS = frozenset(("second", "third", "fourth", "fifth", "sixth", "last"))
_WHICH = re.compile(r"\bor\b(?! (?:less|so|more|sooner|earlier|at))")
_EXCEPTION = re.compile(
    r"\b(?:all|any|anything|anyone|anybody|every|everything|everyone|everybody)\b.*?"
    r"\b(?:but|except|save|excluding|apart from|aside from|other than)\b"
    r"(?! (?:also|only|first|then|do|be|not))"
)
_UNSUPPORTED = re.compile(
    r"\b(?:wait|stay|stand|remain)\b(?! until you\b).*\b(?:until|till)\b"
    r"|\bhold\b.*\bfor \S+ \w+|\bfrom (?:behind|the side)\b|\bon the (?:left|right)\b"
    r"|\bat the same time\b|\bsimultaneously\b|\bwith (?:\w+ ){0,2}(?:health|hp|lives|life)\b"
    r"|\ba (?:few|couple of|handful of)\b"
    r"(?! (?:\w+ )?(?:times|seconds|minutes|metres|meters|steps)\b)"
)
"""How long, from where, how many and how fast: no step has that."""
DISTINGUISHING = frozenset((
    "other", "left", "right", "next", "hidden", "secret", "upper", "lower", "topmost",
    "red", "green", "blue", "yellow", "white", "black", "orange", "purple", "pink", "brown", "grey",
    "gray", "golden", "silver", "northern", "southern", "eastern", "western", "leftmost",
    "rightmost", "middle",
))  # fmt: skip
"""What tells one of several apart: it is in the actor's name, or not known."""
_GAITS = frozenset(("swim", "wade", "crawl", "climb", "dive", "ride", "fly", "slide", "squeeze"))
_INSIDE = frozenset(("through", "under", "underneath", "beneath", "into", "below"))
_BESIDES = frozenset((
    "around", "behind", "under", "underneath", "beneath", "below", "above", "along",
))  # fmt: skip
"""A step does not come to a place that these say."""
_HARMLESS = frozenset((
    "touching", "falling", "stopping", "hesitating", "waiting", "hesitation", "delay", "pause",
))  # fmt: skip
_MISSILES = frozenset((
    "throw", "hurl", "toss", "fling", "lob", "chuck", "point", "yell", "shout",
))  # fmt: skip
"""Verbs whose object follows `at`."""
_KEY_NAMES = frozenset((
    "escape", "esc", "enter", "space", "spacebar", "shift", "tab", "ctrl", "return", "backspace",
))  # fmt: skip
_NEAR_STATES = frozenset(("alive", "yours"))
"""States of an actor that say no more than that it is there."""
_PARTICLES = frozenset(("down", "off", "on", "over", "up", "out"))
"""States only after `is`: an enemy that shows up is near."""
_STATES = (STATES - _NEAR_STATES) | ENDINGS | frozenset((
    "hurt", "die", "open", "break", "disappear", "disappears", "vanishes", "finishes",
))  # fmt: skip


def condition_problem(words: Sequence[str]) -> str:
    """Why a condition about an actor is none that a rule can have; empty if it is one."""
    phrase = " ".join(words)
    around = zip(["", *words], words, [*words[1:], ""], strict=False)
    # An opponent that closes in is near; a door that closes is in another state.
    state = any(
        word in _STATES and after not in ("in", "on", "up")
        and (word not in _PARTICLES or (before in BE and (not after or after in JOINS)))
        for before, word, after in around
    )  # fmt: skip
    possession = words[:1] and words[0] in PLAYERS and any(
        word in HAVE and not _moved(words[at + 1 :]) for at, word in enumerate(words)
    )  # fmt: skip
    if state or possession or not NOT.isdisjoint(words):
        possible = "a rule looks at how near an actor is, and at the game's values"
        return f"the condition {phrase!r} was not understood: {possible}"
    return ""


def sentence_problem(words: Sequence[str]) -> str:
    """What a sentence says that no plan can do, wherever it says that; empty for nothing."""
    unsupported = _UNSUPPORTED.search(" ".join(words))
    return f"{unsupported.group()!r} was not understood: no step has that" if unsupported else ""


def clause_problem(
    clause: Clause, things: Sequence[NounPhrase], found: Sequence[StepOrRule],
    own: Sequence[StepOrRule], game: GameWords,
) -> str:  # fmt: skip
    """What a clause says that no plan can do; empty if it says nothing of the kind.

    Args:
        things: What it names.
        found: What its sentence was read as.
        own: What of that comes from this clause.
    """
    words = clause.words
    text = " ".join(words)
    if clause.marker == "unless":
        return "'unless' was not understood: say when it shall be done"
    if clause.marker == "while" and (
        _acts(words, game) or (_is_acted(words, game) and _is_about_another(found))
    ):
        return f"'while {text}' was not understood: a plan does one thing after the other"
    if clause.sort != "step":
        return ""
    number = next(_bare_numbers(words), "")
    if number:
        return f"the number {number!r} was not understood"
    repeated = _REPEATED.search(text)
    if repeated:
        return f"{repeated.group()!r}: a step is done once; write it as often as it shall be done"
    if _forbids(words):
        return f"'without {words[words.index('without') + 1]}' says what not to do"
    exception = _EXCEPTION.search(text)
    if exception:
        return f"{exception.group()!r}: a rule is for all of a type; name those that are meant"
    nodes = [one for one in found if one.kind == "node"]
    if "both" in words and nodes and len({one.actor for one in nodes}) < 2:
        return "'both' was not understood: name each of them"
    flies = not _GAITS.isdisjoint(plain_forms(words[0])) and "over" in words
    if flies and any(one.action and game.means(one.action, "jump") for one in nodes):
        return f"'{words[0]} over' was not understood: one jumps over it"
    if clause.alternative and nodes:
        return "'or' leaves open what to do: write one of them"
    which = _WHICH.search(text)
    if which and nodes:
        return "'or' leaves open what to do: write one of them"
    if "between" in words and any(one.action is None for one in nodes):
        return "'between' was not understood: write one actor to go to"
    if words[0] == "wait" and "for" in words[1:2]:
        return f"{text!r} was not understood: write how many seconds to wait"
    if words[0] == "get" and len(words) > 3 and is_participle(words[1]) and words[2] == "by":
        return f"{text!r} says what is done to the player, not what to do"
    return next(
        filter(None, (_thing_problem(one, words, own or found, game) for one in things)), ""
    )


def _bare_numbers(words: Sequence[str]) -> Iterator[str]:
    """Numbers that count no unit: `doors 2 and 3`."""
    for word, after in zip(words, [*words[1:], ""], strict=False):
        if word[0].isdigit() and after not in UNITS | {"hp", "health", "%", "times", "-"}:
            yield word


def _thing_problem(
    thing: NounPhrase, words: Sequence[str], found: Sequence[StepOrRule], game: GameWords
) -> str:
    phrase = " ".join(thing.words)
    nodes = [one for one in found if one.kind == "node"]
    if nodes and thing.article in _COUNTED and UNITS.isdisjoint(thing.words):
        return f"'{thing.article} {phrase}' was not understood: a step is done to one actor"
    # These begin steps, too, and are no part of a thing.
    text = " ".join(words)
    places = ("first", "next", "last", "left", "right")
    which = next((one for one in places if f"the {one} {phrase}" in text), "")
    if which and _type_of(thing.words, game):
        return f"'{which} {phrase}' was not understood: call the actor by its name"
    if len(thing.words) > 1 and thing.words[0] in _ORDINALS:
        return f"{phrase!r} was not understood: call the actor by its name"
    names = {word for one in found for word in words_of(one.actor or "")}
    distinct = DISTINGUISHING.intersection(thing.words[:-1]) - names
    if distinct and _type_of(thing.words[-1:], game):
        return f"{phrase!r} was not understood: call the actor by its name"
    if thing.before in ("into", "inside", "down", "off") and any(
        one.action and game.means(one.action, "jump") for one in nodes
    ):
        return f"'{thing.before} {phrase}' was not understood: one jumps over it"
    key = phrase.endswith(" key") or thing.words[-1] in _KEY_NAMES
    if key and words[0] in PRESSING and "to" not in words:
        return f"{phrase!r} was not understood: say what is done, not which key is pressed"
    if thing.words[-1] == "button" and any(
        game.score(form, action) >= 0.9 > game.word_scores(word)[1]
        for word in thing.words[:-1] for form in plain_forms(word) for action in game.actions
    ):  # fmt: skip
        return f"{phrase!r} was not understood: say what is done, not which button is pressed"
    going = any(one.action is None for one in nodes)
    if going and thing.before in _INSIDE and not _GAITS.isdisjoint(plain_forms(words[0])):
        how = f"{words[0]} {thing.before}"
        return f"{how!r} was not understood: a step walks, runs, jumps or teleports"
    if going and thing.before in _BESIDES and _type_of(thing.words, game):
        return f"'{thing.before} {phrase}' was not understood: a step goes to an actor"
    head = words[0]
    hurled = thing.before == "at" and not _MISSILES.isdisjoint(plain_forms(head))
    type = _type_of(thing.words, game) if hurled else ""
    if type and all(game.type_of(one.actor or "") != type for one in nodes):
        return f"'at {phrase}' was not understood"
    return ""


def _type_of(noun: Sequence[str], game: GameWords) -> str:
    """The type that a noun is most like; empty if it is like none."""
    match = game.actor(noun)
    return game.type_of(match[0].value) if match and match[0].score >= THRESHOLD else ""


def _acts(words: Sequence[str], game: GameWords) -> bool:
    """Whether something is done that is more than to go."""
    avoids = not AVOIDING.isdisjoint(form for word in words for form in plain_forms(word))
    return avoids or _is_acted(words[:1], game)


def _is_acted(words: Sequence[str], game: GameWords) -> bool:
    """Whether an action of the game is going on: `jumping`, `the enemy is attacking`."""
    return any(
        word.endswith("ing") and game.score(form, action) >= 0.8
        for word in words for form in plain_forms(word) for action in game.actions
    )  # fmt: skip


def _is_about_another(found: Sequence[StepOrRule]) -> bool:
    """Whether a rule depends on another actor than the one that it is about."""
    return any(of.actor not in (None, one.actor) for one in found for of in one.conditions)


def _forbids(words: Sequence[str]) -> bool:
    if "without" not in words[:-1]:
        return False
    behind = words[words.index("without") + 1 :]
    return behind[0].endswith("ing") and _HARMLESS.isdisjoint(behind)


def _moved(words: Sequence[str]) -> bool:
    """Whether `have` is followed by a way to come somewhere: `have reached`, `have seen`."""
    return bool(words) and (words[0] in ARRIVALS | SEEN or is_participle(words[0]))
