"""Cutting demos and joining them: rows stay as they are written, and each joint is checked."""

import csv
import io
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ..errors import CommandError, DamagedError
from .demo_reader import read_demo
from .recorded_demo import COLUMNS, Demo, DemoRow
from .replay.demos.demo_files import DemoFile, end_of, gap_between, start_of


class DemoText(NamedTuple):
    """A demo as it is written, and as it is read."""

    file: DemoFile
    names: tuple[str, ...]
    """The names of all columns: playhead's, then the game's own."""
    rows: list[list[str]]

    @property
    def demo(self) -> Demo:
        """The demo that was read."""
        return self.file.demo

    @property
    def path(self) -> Path:
        """Its file."""
        return self.file.path

    def state(self, row: int) -> dict[str, str]:
        """What can't be broken off at a row: its event, message, screen, and flight."""
        one = self.demo.rows[row]
        found = {"event": one.event} if one.event else {}
        if one.message and not one.event:
            found["message"] = "a message"
        if one.in_air:
            found["flight"] = "in the air"
        if "screen" in self.names:
            screen = self.rows[row][self.names.index("screen")]
            if screen:
                found["screen"] = screen
        return found


def read_text(path: Path) -> DemoText:
    """A demo with all its columns, as text.

    Raises:
        DamagedError: it is no demo; names line and column.
        RecordingError: it can't be read.
    """
    demo = read_demo(path)
    lines = list(csv.reader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline="")))
    rows = [cells for cells in lines if cells]
    names: tuple[str, ...] = COLUMNS
    if len(rows) > len(demo) and rows[0][0].strip() == COLUMNS[0]:
        names, rows = tuple(cell.strip() for cell in rows[0]), rows[1:]
    rows = rows[: len(demo)]  # without a last row that was cut off
    for number, row in enumerate(rows):
        if len(row) < len(names):
            raise DamagedError(
                f"{path}: row {number} has {len(row)} columns, and {len(names)} are named"
            )
    return DemoText(DemoFile(path, demo), names, rows)


def checked_rows(text: DemoText, first: int, last: int) -> range:
    """The rows from `first` up to `last`, which is not one of them.

    Raises:
        CommandError: there are no such rows.
    """
    count = len(text.rows)
    if not 0 <= first < last <= count:
        raise CommandError(
            f"{text.path}: rows {first} to {last}: it has {count}, from row 0 to before row {count}"
        )
    return range(first, last)


def broken_at(text: DemoText, row: int) -> list[str]:
    """What a demo would be broken off in that begins or ends between a row and the one before."""
    if not 0 < row < len(text.rows):
        return []
    broken = _goes_on(text, row)
    if not broken:
        return []
    free = [
        next((at for at in rows if not _goes_on(text, at)), None)
        for rows in (range(row - 1, 0, -1), range(row + 1, len(text.rows)))
    ]
    hint = " or ".join(f"row {at}" for at in free if at is not None)
    hint = f": cut at {hint}" if hint else ""
    return [
        f"between rows {row - 1} and {row} the demo is in the middle of {what}{hint}"
        for what in broken
    ]


def _goes_on(text: DemoText, row: int) -> list[str]:
    """The events, screens and flights that a row is in, and the row before it, too."""
    before, after = text.state(row - 1), text.state(row)
    return [after[kind] for kind in after if before.get(kind) == after[kind]]


PLAYED = 5.0
"""Rows may be so many times as far apart where a person has played on, who hardly began at exactly
that place."""


def wrong_joint(
    before: DemoText, last: int, after: DemoText, first: int, *, reach: float = 1.0
) -> list[str]:
    """Why a demo can't go on at another one's row; empty if it can.

    Args:
        last: The last row that is taken of `before`.
        first: The first one of `after`.
        reach: So many times as far apart as else may the two be.
    """
    one, other = before.demo.rows[last], after.demo.rows[first]
    joint = f"{before.path.name} row {last} and {after.path.name} row {first}"
    wrong = []
    if before.names != after.names:
        unlike = sorted(set(before.names) ^ set(after.names)) or list(before.names)
        wrong.append(f"{joint}: other columns: {', '.join(unlike)}")
    if one.level != other.level:
        wrong.append(f"{joint}: level {one.level!r} and level {other.level!r}")
    else:
        apart, near = gap_between(before.demo.rows, one, other)
        if apart > reach * near:
            wrong.append(f"{joint}: {apart:.4g} apart; the player moves {near / 2:.4g} in a row")
    for kind in sorted({*before.state(last), *after.state(first)}):
        was, will = before.state(last).get(kind), after.state(first).get(kind)
        if was != will and not _ends_there(kind, one, other):
            wrong.append(f"{joint}: {kind} {was or 'none'} and {will or 'none'}")
    return wrong


def wrong_saves(before: DemoText, after: DemoText) -> list[str]:
    """Whether the saved games at a joint are not the same."""
    end, start = end_of(before.path), start_of(after.path)
    if end.is_file() and start.is_file() and end.read_bytes() != start.read_bytes():
        return [f"{start} is another saved game than {end}"]
    return []


def write_text(
    out: Path, names: Sequence[str], rows: Sequence[Sequence[str]], start: Path | None = None,
    end: Path | None = None,
) -> list[Path]:  # fmt: skip
    """Write a demo, and the saved games that belong to it; returns all files that were written.

    Raises:
        RecordingError: one is there already.
    """
    written = []
    with out.open("x", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(row[: len(names)] for row in rows)
    written.append(out)
    for source, to in ((start, start_of(out)), (end, end_of(out))):
        if source is not None and source.is_file():
            shutil.copyfile(source, to)
            written.append(to)
    return written


def _ends_there(kind: str, one: DemoRow, other: DemoRow) -> bool:
    """An event or a flight may begin, or end, just at the joint."""
    return kind in ("event", "message", "flight") and (
        not one.event or not other.event or one.event == other.event
    )
