"""What sentences may say and no plan can do: it is reported, instead of something like it."""

import re
from collections.abc import Sequence

from .clause_parser import Thing
from .sentence_clauses import Clause
from .statement import Statement
from .words.english_words import (
    ARRIVALS,
    AVOIDING,
    ENDINGS,
    HAVE,
    NOT,
    PLAYERS,
    PRESSING,
    SEEN,
    STATES,
    UNITS,
)
from .words.game_words import GameWords
from .words.word_forms import is_participle, plain_forms

_COUNT = "two|three|four|five|six|seven|eight|nine|ten|several|many|multiple|a few|a couple of"
_REPEATED = re.compile(rf"\b(?:twice|thrice|(?:\d+|{_COUNT})(?: more)? times)\b")
_COUNTED = frozenset(("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"))
_ORDINALS = frozenset(("second", "third", "fourth", "fifth", "sixth", "last"))
_WHICH = re.compile(r"\bor\b(?! (?:less|so|more|sooner|earlier|at))")
_HARMLESS = frozenset((
    "touching", "falling", "stopping", "hesitating", "waiting", "hesitation", "delay", "pause",
))  # fmt: skip
_MISSILES = frozenset((
    "throw", "hurl", "toss", "fling", "lob", "chuck", "point", "yell", "shout",
))  # fmt: skip
"""What is behind `at` after these is what they are done to."""
_KEY_NAMES = frozenset((
    "escape", "esc", "enter", "space", "spacebar", "shift", "tab", "ctrl", "return", "backspace",
))  # fmt: skip
_NEAR_STATES = frozenset((
    "down", "off", "on", "over", "up", "out", "ready", "alive", "safe", "clear", "yours",
))  # fmt: skip
"""States of an actor that say no more than that it is there."""
_STATES = (STATES - _NEAR_STATES) | ENDINGS | frozenset((
    "hurt", "die", "open", "break", "disappear", "disappears", "vanishes", "finishes",
))  # fmt: skip


def condition_problem(words: Sequence[str]) -> str:
    """Why a condition about an actor is none that a rule can have; empty if it is one."""
    phrase = " ".join(words)
    pairs = zip(words, [*words[1:], ""], strict=False)
    # An opponent that closes in is near; a door that closes is in another state.
    state = any(word in _STATES and after not in ("in", "on", "up") for word, after in pairs)
    possession = words[:1] and words[0] in PLAYERS and any(
        word in HAVE and not _moved(words[at + 1 :]) for at, word in enumerate(words)
    )  # fmt: skip
    if state or possession or not NOT.isdisjoint(words):
        possible = "a rule looks at how near an actor is, and at the game's values"
        return f"the condition {phrase!r} was not understood: {possible}"
    return ""


def clause_problem(
    clause: Clause, things: Sequence[Thing], found: Sequence[Statement], game: GameWords
) -> str:
    """What a clause says that no plan can do; empty if it says nothing of the kind.

    Args:
        things: What it names.
        found: What its sentence was read as.
    """
    words = clause.words
    text = " ".join(words)
    if clause.marker == "unless":
        return "'unless' was not understood: say when it shall be done"
    if clause.marker == "while" and _acts(words, game):
        return f"'while {text}' was not understood: a plan does one thing after the other"
    if clause.sort != "step":
        return ""
    repeated = _REPEATED.search(text)
    if repeated:
        return f"{repeated.group()!r}: a step is done once; write it as often as it shall be done"
    if _forbids(words):
        return f"'without {words[words.index('without') + 1]}' says what not to do"
    nodes = [one for one in found if one.kind == "node"]
    which = _WHICH.search(text)
    if which and nodes:
        return "'or' leaves open what to do: write one of them"
    if "between" in words and any(one.action is None for one in nodes):
        return "'between' was not understood: write one actor to go to"
    if words[0] == "wait" and "for" in words[1:2]:
        return f"{text!r} was not understood: write how many seconds to wait"
    if words[0] == "get" and len(words) > 3 and is_participle(words[1]) and words[2] == "by":
        return f"{text!r} says what is done to the player, not what to do"
    return next(filter(None, (_thing_problem(one, words, nodes, game) for one in things)), "")


def _thing_problem(
    thing: Thing, words: Sequence[str], nodes: Sequence[Statement], game: GameWords
) -> str:
    phrase = " ".join(thing.words)
    if nodes and thing.article in _COUNTED and UNITS.isdisjoint(thing.words):
        return f"'{thing.article} {phrase}' was not understood: a step is done to one actor"
    if len(thing.words) > 1 and thing.words[0] in _ORDINALS:
        return f"{phrase!r} was not understood: call the actor by its name"
    key = phrase.endswith(" key") or thing.words[-1] in _KEY_NAMES
    if key and words[0] in PRESSING and "to" not in words:
        return f"{phrase!r} was not understood: say what is done, not which key is pressed"
    going = any(one.action is None for one in nodes)
    if going and thing.before == "around":
        return f"'around {phrase}' was not understood: a step goes to an actor"
    head = words[0]
    hurled = thing.before == "at" and not _MISSILES.isdisjoint(plain_forms(head))
    match = game.actor(thing.words) if hurled else ()
    type = game.type_of(match[0].value) if match else ""
    if type and all(game.type_of(one.actor or "") != type for one in nodes):
        return f"'at {phrase}' was not understood"
    return ""


def _acts(words: Sequence[str], game: GameWords) -> bool:
    """Whether something is done that is more than to go."""
    avoids = not AVOIDING.isdisjoint(form for word in words for form in plain_forms(word))
    acts = words[0].endswith("ing") and any(
        game.score(form, action) >= 0.8 for form in plain_forms(words[0]) for action in game.actions
    )
    return avoids or acts


def _forbids(words: Sequence[str]) -> bool:
    if "without" not in words[:-1]:
        return False
    behind = words[words.index("without") + 1 :]
    return behind[0].endswith("ing") and _HARMLESS.isdisjoint(behind)


def _moved(words: Sequence[str]) -> bool:
    """Whether `have` is followed by a way to come somewhere: `have reached`, `have seen`."""
    return bool(words) and (words[0] in ARRIVALS | SEEN or is_participle(words[0]))
