"""The log's entries: lines, events, marks and failed checks of the recording, in one order."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import NamedTuple

from ...reader.history.event_series import EventRow
from ...reader.history.history_record_types import HistoryLine
from ...reader.history.recording_history import RecordingHistory
from ...toolkit.source_location_text import source_location

LEVELS = ("debug", "info", "warning", "error", "assert", "event")


class LogRow(NamedTuple):
    """One line."""

    frame: int
    time: float
    level: str
    text: str
    object: int
    who: str
    where: str
    """File and line, in short."""
    file: str = ""
    line: int = 0


class LogEntries:
    """The lines of one history: what comes at the newest end is added to them."""

    def __init__(self) -> None:
        self._made_of: tuple[object, ...] = ()
        self._every: list[LogRow] = []
        self._taken = 0, 0
        """How many lines of the log, and how many events, they were made of."""
        self.counts: dict[str, int] = dict.fromkeys(LEVELS, 0)
        """How many lines there are of each level, as of the newest call of `every`."""

    def every(
        self, history: RecordingHistory, name_of: Callable[[int], str], named: object = None
    ) -> list[LogRow]:
        """All lines, oldest first. Marks are `info`, failed checks `assert`, losses `error`.

        The same list grows as long as things come at its newest end only.

        Args:
            named: Differs if objects may be called something else than before.
        """
        lines, events = history.lines, history.game_events.all.rows
        made_of = (id(history), history.respoken, history.game_events.rewrites, named)
        if made_of == self._made_of:
            taken, self._taken = self._taken, (len(lines), len(events))
            if taken == self._taken:
                return self._every
            fresh = _in_order(lines[taken[0] :], events[taken[1] :], (), name_of)
            if not self._every or fresh[0].frame >= self._every[-1].frame:
                self._every += fresh
                found = Counter(one.level for one in fresh)
                self.counts = {level: self.counts[level] + found[level] for level in LEVELS}
                return self._every
        self._made_of, self._taken = made_of, (len(lines), len(events))
        self._every = _in_order(lines, events, _marks(history, name_of), name_of)
        found = Counter(one.level for one in self._every)
        self.counts = {level: found[level] for level in LEVELS}
        return self._every


def entries(
    history: RecordingHistory,
    name_of: Callable[[int], str],
    levels: frozenset[str],
    words: str = "",
    journal: LogEntries | None = None,
    named: object = None,
) -> list[LogRow]:
    """What is to be read, oldest first.

    Args:
        levels: Those to show.
        words: All of them must be in a line.
        journal: Keeps the lines from one call to the next, as long as `named` is the same.
    """
    every = (journal or LogEntries()).every(history, name_of, named)
    search_words = words.lower().split()
    if not search_words and levels >= frozenset(LEVELS):
        return every
    return [
        one for one in every
        if one.level in levels
        and all(word in f"{one.text} {one.who} {one.where}".lower() for word in search_words)
    ]  # fmt: skip


def _in_order(
    lines: Iterable[HistoryLine], events: Iterable[EventRow], marks: Iterable[LogRow],
    name_of: Callable[[int], str],
) -> list[LogRow]:  # fmt: skip
    every = [*_happened(events, name_of), *_log_rows(lines, name_of), *marks]
    return sorted(every, key=attrgetter("frame"))


def _happened(events: Iterable[EventRow], name_of: Callable[[int], str]) -> Iterator[LogRow]:
    for row in events:
        who = name_of(row.object) if row.object else ""
        yield LogRow(row.frame, row.time, "event", row.text, row.object, who, "")


def _log_rows(lines: Iterable[HistoryLine], name_of: Callable[[int], str]) -> Iterator[LogRow]:
    for row in lines:
        line = row.line
        yield LogRow(
            row.frame, row.time, line.level if line.level in LEVELS else "info", line.text,
            line.object, name_of(line.object) if line.object else "",
            source_location(line.file, line.line), line.file, line.line,
        )  # fmt: skip


def _marks(history: RecordingHistory, name_of: Callable[[int], str]) -> Iterator[LogRow]:
    kinds = {"check": "assert", "loss": "error"}
    for mark in history.marks:
        yield LogRow(
            mark.frame, mark.time, kinds.get(mark.kind, "info"),
            _marked(mark.kind, mark.name, mark.note, mark.expression), mark.object,
            name_of(mark.object) if mark.object else "", source_location(mark.file, mark.line),
            mark.file, mark.line,
        )  # fmt: skip


def current(found: list[LogRow], frame: int) -> int:
    """Which line is the newest at or before a frame; −1 if none is."""
    return bisect_right(found, frame, key=attrgetter("frame")) - 1


def _marked(kind: str, name: str, note: str, expression: str) -> str:
    detail = note or expression
    text = f"{name} — {detail}" if detail else name
    return text if kind in ("check", "loss") else f"⚑ {text}"
