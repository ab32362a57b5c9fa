"""Watches where a replay diverges from its demo: curves, marks, and the outcomes at the end."""

from bisect import bisect_right
from typing import Any

import msgspec

from ....games.playable_interface import Observation, OutcomeRule
from ....recorder.statements.instrumentation_interface import Instrumentation
from ...playthrough.route.outcome_changes import words_of
from ...recorded_demo import Demo

EXPECTED, ACTUAL = "demo.", "seen."
"""The watched values of a column: as the demo had it in the agent's row, and as the game has it."""
MARK, MARK_END = "divergence", "divergence ends"
"""Marks; their notes say which."""
ROWS = 45
"""Something that the demo did so many rows earlier or later is no divergence: agents walk by
their own steps."""
FRAMES = 60
"""Nor is what differs for fewer communication frames than this."""

Cell = float | bool | str


class Divergence(msgspec.Struct, frozen=True):
    """The row from which one of the game's columns differs from the demo."""

    text: str
    """`coins 4, demo 1, since row 1187`."""
    column: str
    value: Cell
    expected: Cell
    row: int
    frame: int = 0
    """The frame in which it began."""
    time: float = 0.0
    """Timeline seconds of that frame."""


class DemoDivergenceMonitor:
    """Compares the columns that the game declares as outcomes with the demo's, row by row.

    Args:
        instruments: Where the curves and marks go.
        player: The id of the object that is played.
    """

    def __init__(self, demo: Demo, instruments: Instrumentation, player: int) -> None:
        self._demo = demo
        self._instruments = instruments
        self._player = player
        self._open: dict[str, Divergence] = {}
        """For each column that differs now, since when."""
        self._since: dict[str, int] = {}
        """The communication frame in which that began."""
        self._marked: set[str] = set()
        self._texts: dict[str, str] = {}
        """The state of each lane."""
        self._frame = self._furthest = 0
        self._late: dict[str, tuple[int, int, float]] = {}
        """For each column that is not as in the furthest row yet, since which communication frame,
        recorded frame and time."""
        self._newest: dict[str, tuple[Cell, int]] = {}
        """Each column's value in the game, and the row in which it became that; 0 for the first."""
        self._cells: dict[str, list[Cell]] = {
            name: demo.columns[name].tolist() for name in demo.own
        }
        self._changes = {name: _changes(self._cells[name]) for name in demo.outcomes}

    @property
    def first(self) -> Divergence | None:
        """The earliest of those that have not gone again."""
        found = [one for name, one in self._open.items() if name in self._marked]
        return min(found, key=lambda one: one.row, default=None)

    def step(self, row: int, seen: Observation, frame: int, time: float) -> None:
        """One communication frame, in which the agent refers to this row of the demo."""
        self._frame += 1
        self._furthest = max(self._furthest, row)
        for name, cells in self._cells.items():
            self._draw(EXPECTED + name, cells[row], row)
            value = seen.extras.get(name)
            if value is not None:
                self._draw(ACTUAL + name, value, row)
        for name, rule in self._demo.outcomes.items():
            value = seen.extras.get(name)
            if value is not None and self._newest.get(name, (None, 0))[0] != value:
                self._newest[name] = value, row if name in self._newest else 0
            if value is None or (
                self._was_so(name, rule, value, row)
                and not self._stays_away(name, rule, value, frame, time)
            ):
                gone = self._open.pop(name, None)
                if gone is not None and name in self._marked:
                    self._marked.remove(name)
                    self._instruments.mark(MARK_END, gone.text, object=self._player)
                continue
            if name not in self._open:
                began = self._late.get(name, (self._frame, frame, time))
                at = self._furthest if name in self._late else row
                since = self._beginning(name, rule, value, at)
                self._open[name] = self._divergence(name, value, since, at, *began[1:])
                self._since[name] = began[0]
            elif name not in self._marked and self._frame - self._since[name] >= FRAMES:
                self._mark(name)

    def lacking(self, seen: Observation) -> list[str]:
        """The columns that are not as they were at the demo's end, of those that must be."""
        last = len(self._demo) - 1
        return [
            name
            for name, rule in self._demo.outcomes.items()
            if rule != "noted"
            and name in seen.extras
            and not same(rule, seen.extras[name], self._cells[name][last])
        ]

    def end(self, seen: Observation, frame: int, time: float) -> str:
        """The agent has played the demo to its end: what is lacking, in words; empty if nothing."""
        found, last = [], len(self._demo) - 1
        for name in self.lacking(seen):
            value, expected = seen.extras[name], self._cells[name][last]
            found.append(f"{name} is {shown(value)}, at the demo's end it is {shown(expected)}")
            if name not in self._open:
                since = self._beginning(name, self._demo.outcomes[name], value, last)
                self._open[name] = self._divergence(name, value, since, last, frame, time)
        if found:
            for name in self._open:  # what is only noted may say why
                if name not in self._marked:
                    self._mark(name)
        return "; ".join(found)

    def _draw(self, name: str, value: Cell, row: int) -> None:
        """Record a number as a curve of the player; a text as the states of a lane, which is not
        the player's: what it says is no decision."""
        if not isinstance(value, str):
            self._instruments.watch(name, value, self._player)
        elif (before := self._texts.get(name)) != value:
            self._texts[name] = value
            self._instruments.trace.state(0, name, before or "", value, won=f"row {row}")

    def _mark(self, name: str) -> None:
        self._marked.add(name)
        found = self._open[name]
        self._instruments.mark(MARK, found.text, object=self._player, time=found.time)

    def _divergence(
        self, name: str, value: Cell, since: int, row: int, frame: int, time: float
    ) -> Divergence:  # fmt: skip
        expected = self._cells[name][row]
        text = f"{name} {shown(value)}, demo {shown(expected)}, since row {since}"
        return Divergence(text, name, value, expected, since, frame, time)

    def _was_so(self, name: str, rule: OutcomeRule, value: Cell, row: int) -> bool:
        """Whether the demo had this value about here."""
        cells, last = self._cells[name], len(self._demo) - 1
        first, last = max(0, row - ROWS), min(last, row + ROWS)
        changes = self._changes[name]
        at = bisect_right(changes, first)
        candidates = [first, *(change for change in changes[at:] if change <= last)]
        return any(same(rule, value, cells[one]) for one in candidates)

    def _stays_away(
        self, name: str, rule: OutcomeRule, value: Cell, frame: int, time: float
    ) -> bool:  # fmt: skip
        """Whether what the demo had come to in the furthest row has not come for too long.

        A player that keeps trying to open a door gets no farther: its row alone shows nothing."""
        if same(rule, value, self._cells[name][self._furthest]):
            self._late.pop(name, None)
            return False
        return self._frame - self._late.setdefault(name, (self._frame, frame, time))[0] > ROWS

    def _beginning(self, name: str, rule: OutcomeRule, value: Cell, row: int) -> int:
        """The row from which on the demo has another value than the game: in which the demo's
        changed, or the game's."""
        cells = self._cells[name]
        became = min(self._newest.get(name, (value, 0))[1], row)
        for change in reversed([one for one in self._changes[name] if one <= row]):
            if not same(rule, value, cells[change]) and (
                change == 0 or same(rule, value, cells[change - 1])
            ):
                return max(change, became)
        return row


def same(rule: OutcomeRule, value: Cell, expected: Cell) -> bool:
    """Whether a value is as it has to be."""
    if rule == "includes":
        return words_of(expected) <= words_of(value)
    return value == expected


def shown(value: Cell) -> str:
    """A value in a message."""
    if isinstance(value, str):
        return repr(value) if value else "nothing"
    return str(value) if isinstance(value, bool) else f"{value:g}"


def _changes(cells: list[Any]) -> list[int]:
    """Row 0, and each row with another value than the row before."""
    return [0, *(row for row in range(1, len(cells)) if cells[row] != cells[row - 1])]
