"""Reads a demo's CSV file as columns; errors name line and column."""

import csv
import io
import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import DamagedError, RecordingError
from ..games.playable_interface import OutcomeRule
from .recorded_demo import COLUMNS, TYPES, Demo, checked_columns, column_array
from .suspicious_demo_rows import oddities

NOTHING = ("", "none", "null")
"""The text for "no event"; in any case, spaces around it."""
AT_ONCE = 4096
"""Rows that are turned into columns together."""
MOST_BYTES = 256 << 20
"""Bytes that a demo can have: more than a week of playing."""
HUGE = 1e9
"""Places and angles are smaller: squares of larger ones lose what matters, or are infinite."""
EXACT = float(2**53)
"""The game's own numbers are at most this: from here on not every whole number is one."""
_SLACK = 1e-6
"""Sticks that were written with few decimals may be so far beyond 1."""
RANGES: dict[str, tuple[float, float]] = {
    **{name: (-HUGE, HUGE) for name, kind in zip(COLUMNS, TYPES, strict=True) if kind is float},
    "stick_x": (-1.0, 1.0), "stick_y": (-1.0, 1.0), "trigger_l_value": (0.0, 1.0),
}  # fmt: skip
"""The least and the largest value of each number's column."""
_MOST_CELL = 40
"""Characters of a wrong cell that a message quotes."""


def read_demo(
    path: Path,
    *,
    nothing: Collection[str] = NOTHING,
    columns: Mapping[str, type] | None = None,
    levels: Collection[str] = (),
    outcomes: Mapping[str, OutcomeRule] | None = None,
) -> Demo:
    """All rows of a demo. It may have a line of names at its top, and columns after what is read.

    Args:
        nothing: The text for "no event", in small letters.
        columns: The game's own columns to read, name and type; a line of names must name them in
            this order after ours. None reads ours only.
        levels: The levels that the game has; empty if it does not say.
        outcomes: Those of these columns that say what must have come of it at its end.

    Raises:
        DamagedError: it is no demo, or has not these columns, or a cell can't be true; names line
            and column.
        RecordingError: it can't be read, or no demo can have such columns.
    """
    own = checked_columns(columns or {})
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise DamagedError(f"{path}: this is no demo: it is larger than {MOST_BYTES} bytes")
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise RecordingError(f"{path}: the demo can't be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise DamagedError(f"{path}: this is no text in UTF-8, so no demo: {error}") from None
    builder = _ColumnBuilder(path, (*COLUMNS, *own), (*TYPES, *own.values()))
    first = True
    for line, cells in _lines(path, text):
        if first and not _is_number(cells[0]):
            _check_names(path, line, cells, own)
        else:
            builder.add(line, cells)
        first = False
    arrays, cut = builder.end(is_complete=text.endswith("\n"))
    found = dict(zip(builder.names, arrays, strict=True))
    event = found["event"]
    for known in set(event.tolist()):
        if known.strip().lower() in nothing:
            event[event == known] = ""
    builder.check_ranges(found)
    if levels:
        builder.check_levels(found["level"], levels)
    odd = tuple(
        f"{path}:{builder.lines[row]}: {what}" for row, what in oddities(found, builder.names)
    )
    return Demo(found, own=own, cut=cut, name=path.name, oddities=odd, outcomes=outcomes)


class _ColumnBuilder:
    """Gathers rows and turns them into columns some at a time: a huge demo takes little memory."""

    def __init__(self, path: Path, names: Sequence[str], kinds: Sequence[type]) -> None:
        self.names = names
        self.lines: list[int] = []
        """The line of each row."""
        self._path = path
        self._kinds = kinds
        self._rows: list[list[str]] = []
        self._parts: list[list[npt.NDArray[Any]]] = []

    def add(self, line: int, cells: list[str]) -> None:
        """One more row."""
        if len(self._rows) == AT_ONCE:
            self._convert()
        self.lines.append(line)
        self._rows.append(cells)

    def end(self, *, is_complete: bool) -> tuple[list[npt.NDArray[Any]], bool]:
        """All columns, and whether the last row was cut off, as it may be unless `whole`."""
        cut = False
        if not is_complete and self._rows and (self._parts or len(self._rows) > 1):
            try:
                _check_row(self._rows[-1], self.names, self._kinds)
            except ValueError:
                cut = True
                del self._rows[-1], self.lines[-1]
        self._convert()
        if not self._parts:
            raise DamagedError(f"{self._path}: this demo has no rows")
        return [np.concatenate(column) for column in zip(*self._parts, strict=True)], cut

    def check_ranges(self, columns: Mapping[str, npt.NDArray[Any]]) -> None:
        """Refuse numbers that nothing in a game can have."""
        for number, (name, kind) in enumerate(zip(self.names, self._kinds, strict=True)):
            if kind is not float:
                continue
            least, most = RANGES.get(name, (-EXACT, EXACT))
            values = columns[name]
            wrong = np.flatnonzero((values < least - _SLACK) | (values > most + _SLACK))
            if len(wrong):
                value = values[wrong[0]].item()
                self._refuse(wrong, number, f"{value:g}, not {least:g} to {most:g}")

    def check_levels(self, column: npt.NDArray[Any], levels: Collection[str]) -> None:
        """Refuse levels that the game does not have."""
        unknown = set(column.tolist()) - set(levels)
        if unknown:
            wrong = np.flatnonzero(np.isin(column, list(unknown)))
            there = _quoted(column[wrong[0]])
            self._refuse(
                wrong, COLUMNS.index("level"),
                f"{there}, and the game has {', '.join(sorted(levels))}",
            )  # fmt: skip

    def _refuse(self, rows: npt.NDArray[Any], column: int, why: str) -> None:
        more = f" (so are {len(rows) - 1} more rows)" if len(rows) > 1 else ""
        raise DamagedError(
            f"{self._path}:{self.lines[int(rows[0])]}: column {column} ({self.names[column]}) is"
            f" {why}{more}"
        )

    def _convert(self) -> None:
        if not self._rows:
            return
        try:
            self._parts.append(_arrays(self._rows, self._kinds))
        except (ValueError, KeyError, OverflowError):
            for line, cells in zip(self.lines[-len(self._rows) :], self._rows, strict=True):
                try:
                    _check_row(cells, self.names, self._kinds)
                except ValueError as error:
                    raise DamagedError(f"{self._path}:{line}: {error}") from None
            raise
        self._rows = []


def _lines(path: Path, text: str) -> Iterator[tuple[int, list[str]]]:
    """Line numbers and cells; empty lines are left out."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=False)
    try:
        for cells in reader:
            if cells:
                yield reader.line_num, cells
    except csv.Error as error:
        raise DamagedError(f"{path}:{reader.line_num}: {error}") from None


def _check_names(path: Path, line: int, cells: list[str], own: Collection[str]) -> None:
    """Refuse a line of names that has others than a demo has, or in another order."""
    named = [cell.strip() for cell in cells]
    if len(named) < len(COLUMNS) and not set(named) & set(COLUMNS):
        return  # this is no line of names: the rows below show how many there must be
    for number, name in enumerate((*COLUMNS, *own)):
        if number >= len(named):
            if number < len(COLUMNS):
                return  # the rows tell
            raise DamagedError(f"{path}:{line}: column {number} ({name}) is missing")
        if named[number] != name:
            place = f"is in column {named.index(name)}" if name in named else "is missing"
            raise DamagedError(
                f"{path}:{line}: column {number} ({name}) is named {_quoted(named[number])};"
                f" {name} {place}"
            )


def _arrays(rows: list[list[str]], kinds: Sequence[type]) -> list[npt.NDArray[Any]]:
    """Whole columns at once; any exception means that some cell is wrong."""
    fewest = min(map(len, rows))
    if fewest < len(kinds):
        raise ValueError(f"{fewest} columns")
    columns = zip(*(row[: len(kinds)] for row in rows), strict=True)
    return [
        column_array(kind, list(map(_READ[kind], cells)))
        for kind, cells in zip(kinds, columns, strict=True)
    ]


def _check_row(cells: list[str], names: Sequence[str], kinds: Sequence[type]) -> None:
    if len(cells) < len(names):
        raise ValueError(
            f"{len(cells)} columns; a demo has {len(names)}: column {len(cells)}"
            f" ({names[len(cells)]}) is missing"
        )
    for number, (name, kind, cell) in enumerate(zip(names, kinds, cells, strict=False)):
        try:
            fine = kind is str or math.isfinite(_READ[kind](cell))
        except (ValueError, KeyError):
            fine = False
        if not fine:
            what = "neither True nor False" if kind is bool else "not a number"
            raise ValueError(f"column {number} ({name}) is {_quoted(cell)}, {what}")


_TRUTH = {"true": True, "1": True, "false": False, "0": False}
_READ: dict[type, Callable[[str], Any]] = {
    float: float,
    bool: lambda cell: _TRUTH[cell.strip().lower()],
    str: str,
}


def _quoted(cell: str) -> str:
    return repr(cell if len(cell) <= _MOST_CELL else f"{cell[:_MOST_CELL]}…")


def _is_number(cell: str) -> bool:
    """Whether a line begins as a row does; what is not finite is a number, and refused as one."""
    try:
        float(cell)
    except ValueError:
        return False
    return True
