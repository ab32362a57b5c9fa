"""The journal: log lines, marks and failed checks of the whole recording, in one order."""

from bisect import bisect_right
from collections.abc import Callable
from operator import attrgetter
from typing import NamedTuple

from .history import History

LEVELS = ("debug", "info", "warning", "error", "assert")


class Entry(NamedTuple):
    """One line."""

    frame: int
    time: float
    level: str
    text: str
    object: int
    who: str
    where: str
    """File and line."""


def entries(
    history: History, name_of: Callable[[int], str], levels: frozenset[str], words: str = ""
) -> list[Entry]:
    """What is to be read, oldest first.

    Args:
        levels: Those that are wanted; marks are `info`, failed checks `assert`, losses `error`.
        words: All of them must be in a line.
    """
    every = [
        Entry(
            row.frame, row.time, row.line.level if row.line.level in LEVELS else "info",
            row.line.text, row.line.object, name_of(row.line.object) if row.line.object else "",
            _where(row.line.file, row.line.line),
        )
        for row in history.lines
    ]  # fmt: skip
    kinds = {"check": "assert", "loss": "error"}
    every += [
        Entry(
            mark.frame, mark.time, kinds.get(mark.kind, "info"),
            _marked(mark.kind, mark.name, mark.note, mark.expression), mark.object,
            name_of(mark.object) if mark.object else "", _where(mark.file, mark.line),
        )
        for mark in history.marks
    ]  # fmt: skip
    wanted = words.lower().split()
    return sorted(
        (
            one for one in every
            if one.level in levels
            and all(word in f"{one.text} {one.who} {one.where}".lower() for word in wanted)
        ),
        key=attrgetter("frame"),
    )  # fmt: skip


def current(found: list[Entry], frame: int) -> int:
    """Which line is the newest at or before a frame; −1 if none is."""
    return bisect_right(found, frame, key=attrgetter("frame")) - 1


def _where(file: str, line: int) -> str:
    return f"{file.rsplit('/', 1)[-1]}:{line}" if file else ""


def _marked(kind: str, name: str, note: str, expression: str) -> str:
    detail = note or expression
    text = f"{name} — {detail}" if detail else name
    return text if kind in ("check", "loss") else f"⚑ {text}"
