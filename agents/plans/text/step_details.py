"""Parses what a step says beside action and actor: waits, time limits, ways to move."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from ..plan import Movement
from .words.thesaurus_and_word_vectors import word_meanings
from .words.tokenizer_and_lemmatizer import plain_forms

_COUNTED = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen twenty"
)
NUMBERS = {word: float(number) for number, word in enumerate(_COUNTED.split())} | {
    "a": 1.0, "an": 1.0, "thirty": 30.0, "forty": 40.0, "fifty": 50.0, "sixty": 60.0,
    "ninety": 90.0, "half a": 0.5, "a couple of": 2.0,
}  # fmt: skip
_NUMBER = rf"(?P<number>\d+(?:\.\d+)?|{'|'.join(sorted(NUMBERS, key=len, reverse=True))})"
_TIME = rf"{_NUMBER}[\s-]*(?P<unit>s|secs?|seconds?|mins?|minutes?)\b"
_LENGTH = rf"{_NUMBER}[\s-]*(?:m|meters?|metres?|units?|tiles?|blocks?|steps?)\b"
_JOIN = r"(?:[\s,;]*\b(?:and then|then|and|after that|afterwards)\b[\s,]*|[\s,;]+|^|$)"
_WAIT = re.compile(
    rf"(?P<before>{_JOIN})(?:(?:please|you should|the player should|the player must) )?"
    r"(?:wait|pause|hold on|stand still|stay (?:there|here|put)|stop|remain|stand|idle|linger"
    r"|rest (?:there|here)|do nothing)(?:\s+(?:there|here|around))?(?:\s+for)?"
    rf"(?:\s+(?:about|at least|another))?\s+{_TIME}"
    r"(?:\s+(?:there|here))?(?P<after>\s*(?:before|[.!]*$|[,;]|\b(?:and then|then|and|to)\b)\s*)",
    re.IGNORECASE,
)
_AT = (
    r"\s+(?:right\s+)?(?:at|by|near|beside|next\s+to|close\s+to|in\s+front\s+of)\s+"
    r"(?P<place>(?:(?!\b(?:and|then|for|before|until|till)\b)[^,;.])+?)"
)
_STAYS = r"\b(?:wait|stay|stand|remain|pause|stop|rest|linger|idle)(?:\s+still)?"
_STAY = [
    re.compile(rf"{_STAYS}{_AT}\s+for\s+(?P<time>{_TIME})", re.IGNORECASE),
    re.compile(
        rf"{_STAYS}(?:\s+for)?\s+(?P<time>{_TIME}){_AT}(?=\s*(?:[,;.]|$|\b(?:and|then)\b))", re.I
    ),
]
"""To wait somewhere: with how long behind it, or before it."""
_AFTER = re.compile(
    rf"^(?:after|once)\s+(?:waiting\s+(?:for\s+)?)?{_TIME}(?:\s+have passed)?[\s,]*", re.I
)
_LIMIT = re.compile(
    r"[\s,]*(?:\bin\s+(?:under|less than|at most|no more than)|\bwithin(?:\s+at most)?|\bin|\bunder"
    r"|\btaking\s+(?:at most|no more than)|\bwith\s+a\s+(?:time\s+)?limit\s+of"
    rf"|\bin\s+a\s+maximum\s+of|\bbefore)\s+(?:the\s+next\s+)?{_TIME}"
    r"(?:\s+(?:or\s+less|at\s+(?:most|the\s+latest)|are\s+(?:over|up)|have\s+passed))?[\s,]*",
    re.IGNORECASE,
)
_TOLERANCE = re.compile(
    r"\b(?:up\s+)?(?:to\s+)?(?:be\s+)?(?:within|closer\s+than|no\s+(?:further|farther|more)\s+than"
    rf"|less\s+than|at\s+most|as\s+(?:close|near)\s+as|up\s+to)\s+{_LENGTH}\s*(?:away\s+)?(?:of|from|to)\b"
    r"(?!\s+(?:you|me|the player|him|her)\b)",
    re.IGNORECASE,
)
_STRAIGHT = re.compile(
    r"\b(?:straight|directly|in\s+a\s+straight\s+line|as\s+the\s+crow\s+flies)\s+"
    r"(?=(?:up\s+|over\s+|back\s+)?(?:to|towards?|into)\b)"
    r"|[\s,]*\b(?:in\s+a\s+straight\s+line|as\s+the\s+crow\s+flies)\b",
    re.IGNORECASE,
)
_CONDITIONAL = re.compile(
    r"\b(?:if|when|whenever|any|every|each|all|should|always|as soon as|anytime)\b", re.IGNORECASE
)
_BEFORE = re.compile(
    r"^before\s+(?:(?:you|the player|we)\s+(?P<plain>[a-z]+)|(?P<verb>[a-z]+ing))\s+(?P<rest>[^,]+)"
    r",\s*(?P<first>.+)$",
    re.IGNORECASE,
)
_THERE = re.compile(
    r"^(?:at|near|by|beside|behind|next to|in front of)\s+the\s+[a-z][a-z -]*,\s+(?=[a-z])",
    re.IGNORECASE,
)
_RUNS = frozenset(("run", "sprint", "dash", "rush", "hurry", "race", "jog", "bolt", "charge"))
_JUMPS = frozenset(("teleport", "warp", "beam", "blink", "teleported"))


class Details(NamedTuple):
    """What a step says of when and how, if anything."""

    wait: float = 0.0
    """Seconds before its action, or before it where it has none."""
    wait_after: float = 0.0
    """Seconds after its action."""
    time_limit: float | None = None
    tolerance: float | None = None
    movement: Movement | None = None

    def over(self, other: "Details") -> "Details":
        """These, and the other's where these say nothing."""
        return Details(
            self.wait + other.wait, self.wait_after + other.wait_after,
            self.time_limit or other.time_limit,
            other.tolerance if self.tolerance is None else self.tolerance,
            self.movement or other.movement,
        )  # fmt: skip


class Part(NamedTuple):
    """A part of a sentence between two waits."""

    text: str
    wait: float
    """Seconds to wait before it."""


def parted_by_waits(sentence: str) -> list[Part]:
    """The parts of a sentence. The last one has no text if the sentence ends with a wait."""
    text = _first_things_first(sentence.strip())
    for pattern in _STAY:
        text = pattern.sub(r"go to \g<place> and wait for \g<time>", text)
    wait = 0.0
    found: list[Part] = []
    begun = _AFTER.match(text)
    if begun:
        wait, text = _seconds(begun), text[begun.end() :]
    while True:
        paused = _WAIT.search(text)
        if paused is None:
            break
        head = text[: paused.start()].strip(" ,;")
        if head:
            found.append(Part(head, wait))
            wait = 0.0
        wait += _seconds(paused)
        text = re.sub(r"^(?:and then|then|and|to|before)\s+", "", text[paused.end() :], flags=re.I)
    text = text.strip(" ,;.!") if found or wait else text
    if text or wait:
        found.append(Part(text, wait))
    return found


def step_details(clause: Sequence[str]) -> tuple[list[str], Details]:
    """The words of a step without those that say how long, how near and how one moves."""
    text = " ".join(clause)
    limit, tolerance, movement = None, None, None
    found = _LIMIT.search(text)
    if found and _seconds(found) > 0:
        limit = _seconds(found)
        text = f"{text[: found.start()]} {text[found.end() :]}".strip(" ,")
    near = _TOLERANCE.search(text)
    if near and not _CONDITIONAL.search(text):
        tolerance = _amount(near)
        text = f"{text[: near.start()]}to{text[near.end() :]}"
    if _STRAIGHT.search(text):
        movement = "straight"
        text = _STRAIGHT.sub(" ", text)
    if limit is None and tolerance is None and movement is None:
        return list(clause), Details()
    return _split(text, clause), Details(0.0, 0.0, limit, tolerance, movement)  # type: ignore[arg-type]


def movement_of(words: list[str], going: bool) -> Movement | None:
    """How these words say that one moves; `going` if it is all that they say."""
    if not going:
        return None
    plain = {form for word in words for form in plain_forms(word)}
    if plain & _JUMPS:
        return "teleport"
    return "run" if plain & _RUNS else None


def _split(text: str, clause: Sequence[str]) -> list[str]:
    """The words of a text; names of several words stay together."""
    names = sorted((word for word in clause if " " in word), key=len, reverse=True)
    pattern = "|".join([*map(re.escape, names), r"\S+"])
    return re.findall(pattern, text)


def _first_things_first(sentence: str) -> str:
    """`Before opening A, do B`: B comes first. Semicolons part steps."""
    sentence = re.sub(r"\s*;\s*(?:and then|then|and)?\s*(?=\w)", ", then ", sentence)
    sentence = _THERE.sub("", sentence)
    turned = _BEFORE.match(sentence)
    if turned is None or (turned["plain"] or "").lower() in ("are", "were", "can", "get", "leave"):
        return sentence
    if turned["plain"]:
        return f"{turned['first'].rstrip('.! ')}, then {turned['plain']} {turned['rest']}"
    going = turned["verb"].lower() == "going" and turned["rest"].startswith(("to ", "back "))
    if turned["verb"].lower() in ("going", "being", "doing", "during") and not going:
        return sentence
    forms = [form for form in plain_forms(turned["verb"].lower()) if not form.endswith("ing")]
    known = [form for form in forms if form in word_meanings().starting]
    verb = (known or forms[-1:] or [turned["verb"]])[0]
    return f"{turned['first'].rstrip('.! ')}, then {verb} {turned['rest']}"


def _amount(found: re.Match[str]) -> float:
    number_text = found["number"].lower()
    return NUMBERS[number_text] if number_text in NUMBERS else float(number_text)


def _seconds(found: re.Match[str]) -> float:
    return _amount(found) * (60.0 if found["unit"].lower().startswith("m") else 1.0)
