"""Recognises clauses that are no steps: where one has come to, what is over, what is a remark."""

from collections.abc import Sequence

from .clause_splitter import Clause
from .filler_phrases import introduction
from .words.english_words import (
    ARRIVALS,
    ARTICLES,
    BE,
    ENDINGS,
    GET,
    HAVE,
    MODALS,
    PLAYERS,
    REMARKS,
    SEEN,
    STATES,
)
from .words.tokenizer_and_lemmatizer import is_participle

_WISHES = frozenset(("safe", "clear", "ready", "empty", "active", "on", "off", "down", "up"))
"""What something is by itself, and not because a step has had its effect."""


def come_to(clause: Clause) -> Sequence[str]:
    """Where the player comes to, in words; nothing if the clause does not say that."""
    words = list(clause.words)
    if clause.marker not in ("when", "once", "after", "upon", "on", "as soon as", "the moment"):
        return ()
    if words[:2] == ["the", "player"]:
        words = words[2:]
    elif words[0] in PLAYERS:
        words = words[1:]
    elif not (words[0].endswith("ing") or words[0] == "arrival"):
        return ()
    while words and words[0] in HAVE | MODALS | {"finally", "then", "now"}:
        words = words[1:]
    if not words or words[0] not in ARRIVALS:
        return ()
    near = words[1:2] and words[1] in ("near", "close", "within", "in", "attacked")
    there = any(word in ("at", "to", "by", "there", "on", "with") for word in words[1:3])
    if words[0] in BE | GET and not (there or (near and words[0] not in BE)):
        return ()
    return words[1:]


def is_over(clause: Clause) -> bool:
    """`when the door is open`: what was done before has come about."""
    words = clause.words
    if clause.marker not in ("when", "as soon as", "the moment", "the instant"):
        return False
    if words[0] not in ("the", "it", "that", "this", "they", "your") or words[-1] in _WISHES:
        return False
    helped = any(word in BE | HAVE | GET for word in words[1:])
    return words[-1] in ENDINGS or (helped and (words[-1] in STATES or is_participle(words[-1])))


def appears(clause: Clause) -> bool:
    """`once a foe appears`: what may happen again and again."""
    words = clause.words
    if words[0] in ARTICLES and len(words) == 2:
        return False  # `after the jump`
    return (
        clause.marker != "having"
        and words[0] not in PLAYERS | {"having"}
        and not words[0].endswith("ing")
        and any(word in SEEN and not is_participle(word) for word in words[1:])
    )


def done(clause: Clause) -> list[str]:
    """The step of `after pulling the switch`, `once you have pulled it`; nothing if it is none."""
    words = list(clause.words)
    if clause.marker == "having":
        return words
    if words[0] == "having":
        return words[1:]
    if words[0] in PLAYERS or words[:2] == ["the", "player"]:
        words = words[2 if words[0] == "the" else 1 :]
        while words and words[0] in HAVE | MODALS | BE | {"already", "just"}:
            words = words[1:]
        return words
    if words[0].endswith("ing"):
        return words
    by_itself = len(words) > 1 and words[-2] in HAVE  # `the door has opened`
    step = is_participle(words[-1]) and not by_itself and clause.marker != "now that"
    return words if step else []


def is_by_player(clause: Clause) -> bool:
    """`when you have pulled the switch`: the player has done something."""
    words = clause.words[1 if clause.words[0] == "the" else 0 :]
    helped = len(words) > 2 and words[0] in PLAYERS and words[1] in HAVE
    return helped and clause.marker in ("when", "as soon as", "the moment") and (
        is_participle(words[2]) and words[2] not in ARRIVALS
    )  # fmt: skip


def is_remark(clause: Clause) -> bool:
    """Whether it is a remark on the step before, such as `it is not that wide`."""
    words = clause.words
    lead = introduction(words)
    rest = words[lead.length :] or words
    if lead.verb and not lead.player:
        return False
    says = any(word in BE | MODALS | HAVE for word in rest[:5])
    return words[0] in REMARKS or (says and rest[0] in ARTICLES)
