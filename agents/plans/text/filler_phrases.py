"""Filler phrases before a step's verb, which say nothing about it: `you should now please …`."""

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

_DATA = Path(__file__).with_name("data") / "introductions.txt"
_STILL = frozenset((
    "then", "now", "please", "just", "simply", "also", "first", "next", "finally", "quickly",
    "immediately", "again", "only", "and", ",", "carefully", "slowly", "quietly",
))  # fmt: skip
"""What may stand between words that a verb follows, and that verb."""


class Introduction(NamedTuple):
    """How many words it has, and what must follow."""

    length: int
    verb: bool
    """Whether a verb follows it, whatever the next word looks like."""
    player: bool
    """Whether it names the player as who does the step."""


def introduction(words: Sequence[str]) -> Introduction:
    """The introduction that these words begin with; one of no words if there is none."""
    text = " ".join(words)
    at, verb, player = 0, False, False
    while at < len(text):
        found = _pattern().match(text, at)
        if found is None or not found.group().strip():
            break
        kind = found.lastgroup
        if kind == "more" and verb and found.group().strip() not in _STILL:
            break
        if kind == "who" and (verb or player):
            break
        verb = verb or kind in ("verb", "who")
        player = player or kind == "who" or found.group().startswith(("the player", "you", "we"))
        at = found.end()
        while at < len(text) and text[at] == " ":
            at += 1
    return Introduction(len(text[:at].split()), verb, player)


@cache
def _pattern() -> re.Pattern[str]:
    """One introduction of several that may follow each other."""
    parts = _sections()
    who, adverb = _any(parts["who"]), _any(parts["adverb"])
    modal = _any(parts["modal"]).replace("{adverb}", adverb)
    names = {"who": who, "adverb": adverb, "modal": modal, "task": _any(parts["task"])}
    to_do, by_the_way = _any(parts["to do"]), _any(parts["by the way"])
    for name, pattern in names.items():
        to_do = to_do.replace(f"{{{name}}}", pattern)
        by_the_way = by_the_way.replace(f"{{{name}}}", pattern)
    verbs = " 's| is| are| was| were| has| gets"
    return re.compile(
        rf"(?P<verb>{to_do}(?= )|{who}(?: {adverb})*(?: {modal}(?= )(?: {adverb}(?= ))*)+)"
        rf"|(?P<more>{by_the_way}(?= |$)(?: ,)?)"
        rf"|(?P<who>{who}(?: {adverb})*(?= )(?!{verbs}))"
    )


def _any(patterns: Sequence[str]) -> str:
    return f"(?:{'|'.join(patterns)})"


def _sections() -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    name = ""
    for line in _DATA.read_text(encoding="utf-8").splitlines():
        if line.startswith("[") and line.endswith("]") and "|" not in line:
            name = line[1:-1]
        elif line.strip() and not line.startswith("#"):
            found[name].append(line)
    return found
