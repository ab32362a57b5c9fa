"""Demos: how a person played, as a CSV file with one row for each communication frame.

The columns are those of AIQVE ONE's Playthrough Tester. Buttons stand in a row only where they are
pressed, not while they are held; sticks and the trigger's value stand as they are.
"""

import contextlib
import csv
import math
from collections.abc import Collection, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, get_type_hints

import msgspec

from ..errors import DamagedError, RecordingError
from ..games.playable import Observation
from ..playback.pad import NEUTRAL, Button, Pad

INTERVAL = 1 / 30
"""Seconds of game time between two rows: how often games send what agents see."""
TRIGGERED = 0.5
"""How far a trigger must be pulled to count as a button."""
NOTHING = ("", "none", "null")
"""What stands for no event; in any case, spaces around it."""


class DemoRow(msgspec.Struct, frozen=True):
    """One row: the columns in their order, 0 to 24. Lengths in the world's unit, radians."""

    player_x: float
    player_y: float
    player_z: float
    player_facing: float
    camera_horizontal: float
    camera_vertical: float
    stick_x: float
    """The left stick, right and up positive."""
    stick_y: float
    button_y: bool
    """Buttons are true only in the row in which they are pressed."""
    button_x: bool
    button_b: bool
    button_a: bool
    pad_up: bool
    pad_left: bool
    pad_right: bool
    pad_down: bool
    button_r: bool
    button_start: bool
    trigger_l: bool
    """Like a button."""
    trigger_l_value: float
    """How far it is pulled, 0 … 1."""
    message: bool
    in_air: bool
    can_jump: bool
    level: str
    event: str
    """Empty for none."""


COLUMNS = tuple(DemoRow.__struct_fields__)
TYPES: tuple[type, ...] = tuple(get_type_hints(DemoRow)[name] for name in COLUMNS)

_BUTTONS = (
    Button.Y, Button.X, Button.B, Button.A, Button.UP, Button.LEFT, Button.RIGHT, Button.DOWN,
    Button.RB, Button.START,
)  # fmt: skip
"""In the columns' order."""
_TRIGGER = 1 << 30
"""The trigger among the buttons' bits."""


class DemoWriter:
    """Writes a demo while it is played. Each row is in the file before the next step begins, so
    that a game that crashes leaves all that was played. A context manager.

    Args:
        path: The file; one that is there is never replaced.
        dt: Seconds of game time in one step.
        held: What was held before the first step: that is not pressed anew.
        interval: Seconds of game time between two rows: the nearest number of steps, at least one.

    Raises:
        RecordingError: the file is there already, or can't be made.
    """

    def __init__(
        self, path: Path, dt: float, *, held: Pad = NEUTRAL, interval: float = INTERVAL
    ) -> None:
        self.path = path
        self.rows = 0
        """How many were written."""
        self._stride = max(1, round(interval / dt))
        self._steps = 0
        self._before = _down(held)
        self._pressed = 0
        try:
            # Line by line: what was written survives this process.
            self._file = path.open("x", encoding="utf-8", newline="", buffering=1)
        except FileExistsError:
            raise RecordingError(f"{path}: this is there already; give another name") from None
        except OSError as error:
            raise RecordingError(f"{path}: no demo can be written there: {error}") from error
        self._csv = csv.writer(self._file, lineterminator="\n")
        self._csv.writerow(COLUMNS)

    def step(self, pad: Pad, seen: Observation) -> bool:
        """A step was played with this pad, and led to this. True if it makes a row.

        Raises:
            RecordingError: the file can't be written any more.
        """
        down = _down(pad)
        self._pressed |= down & ~self._before
        self._before = down
        self._steps += 1
        if (self._steps - 1) % self._stride:
            return False
        try:
            self._csv.writerow([str(value) for value in self._row(pad, seen)])
        except OSError as error:
            raise RecordingError(f"{self.path}: the demo can't be written: {error}") from error
        self._pressed = 0
        self.rows += 1
        return True

    def _row(self, pad: Pad, seen: Observation) -> list[Any]:
        return [
            *seen.position, seen.facing, *seen.camera, *pad.left,
            *(bool(self._pressed & button) for button in _BUTTONS),
            bool(self._pressed & _TRIGGER), pad.left_trigger,
            seen.message, seen.in_air, seen.can_jump, seen.level, seen.event or "None",
        ]  # fmt: skip

    def close(self) -> None:
        """End it; again without effect."""
        with contextlib.suppress(OSError):  # a full disk was told when the row was written
            self._file.close()

    def __enter__(self) -> "DemoWriter":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self.close()


class Demo(NamedTuple):
    """A demo that was read."""

    rows: tuple[DemoRow, ...]
    cut: bool
    """Whether the end of the last row was missing, so that it was left out."""


def read_demo(path: Path, *, nothing: Collection[str] = NOTHING) -> Demo:
    """All rows of a demo. It may have a line of names at its top, and columns behind ours.

    Args:
        nothing: What stands for no event, in small letters.

    Raises:
        DamagedError: it is no demo; names line and column.
        RecordingError: it can't be read.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise RecordingError(f"{path}: the demo can't be read: {error}") from error
    except UnicodeDecodeError as error:
        raise DamagedError(f"{path}: this is no text in UTF-8, so no demo: {error}") from None
    rows: list[DemoRow] = []
    whole = text.endswith("\n")
    lines = [line for line in _lines(path, text) if line[1]]
    for at, (line, cells) in enumerate(lines):
        if at == 0 and not _is_number(cells[0]):
            continue
        try:
            rows.append(_row_of(cells, nothing))
        except ValueError as error:
            if at == len(lines) - 1 and not whole and rows:
                return Demo(tuple(rows), True)
            raise DamagedError(f"{path}:{line}: {error}") from None
    if not rows:
        raise DamagedError(f"{path}: this demo has no rows")
    return Demo(tuple(rows), False)


def _lines(path: Path, text: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(text.splitlines(keepends=True), strict=False)
    try:
        for cells in reader:
            yield reader.line_num, cells
    except csv.Error as error:
        raise DamagedError(f"{path}:{reader.line_num}: {error}") from None


def _row_of(cells: list[str], nothing: Collection[str]) -> DemoRow:
    if len(cells) < len(COLUMNS):
        raise ValueError(f"{len(cells)} columns; a demo has {len(COLUMNS)}")
    values: list[Any] = [
        _read(number, name, kind, cell)
        for number, (name, kind, cell) in enumerate(zip(COLUMNS, TYPES, cells, strict=False))
    ]
    if str(values[-1]).strip().lower() in nothing:
        values[-1] = ""
    return DemoRow(*values)


def _read(number: int, name: str, kind: type, cell: str) -> float | bool | str:
    if kind is str:
        return cell
    told = cell.strip().lower()
    if kind is bool:
        if told not in ("true", "false", "0", "1"):
            raise ValueError(f"column {number} ({name}) is {cell!r}, neither True nor False")
        return told in ("true", "1")
    if not _is_number(told):
        raise ValueError(f"column {number} ({name}) is {cell!r}, not a number")
    return float(told)


def _is_number(cell: str) -> bool:
    try:
        return math.isfinite(float(cell))
    except ValueError:
        return False


def _down(pad: Pad) -> int:
    return pad.held | (_TRIGGER if pad.left_trigger > TRIGGERED else 0)
