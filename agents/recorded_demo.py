"""Demos: a person's playthrough as a CSV file with one row for each communication frame.

The columns are those of AIQVE ONE's Playthrough Tester. Buttons stand in a row only where they are
pressed, not while they are held; sticks and the trigger's value stand as they are. A game may have
columns of its own after them, each with a name and a type.
"""

import contextlib
import csv
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Self, get_type_hints

import msgspec
import numpy as np
import numpy.typing as npt

from ..errors import RecordingError
from ..games.playable_interface import Observation, OutcomeRule
from ..playback.pads.pad import NEUTRAL, PULLED, Button, Pad

INTERVAL = 1 / 30
"""Seconds of game time between two rows: how often games send what agents see."""
DIGITS = 4
"""Decimals of places and angles: a tenth of a millimetre, less than a hundredth of a degree. What
was pressed, and the game's own columns, are as they were."""


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

BUTTONS = (
    Button.Y, Button.X, Button.B, Button.A, Button.UP, Button.LEFT, Button.RIGHT, Button.DOWN,
    Button.RB, Button.START,
)  # fmt: skip
"""Which buttons have a column, in the columns' order."""
FIRST_BUTTON = COLUMNS.index("button_y")
_TRIGGER = 1 << 30
"""The trigger among the buttons' bits."""


class DemoWriter:
    """Writes a demo while it is played. Each row is in the file before the next step begins, so
    that a game that crashes leaves all that was played. A context manager.

    Args:
        path: The file; one that is there is never replaced.
        dt: Seconds of game time in one step.
        held: What was held before the first step: that is not pressed again.
        interval: Seconds of game time between two rows: the nearest number of steps, at least one.
        columns: The game's own columns, name and type (float, bool or str), in their order; what
            is there is found in each observation's `extras`.

    Raises:
        RecordingError: the file is there already, or can't be made; or no demo can have such
            columns.
    """

    def __init__(
        self, path: Path, dt: float, *, held: Pad = NEUTRAL, interval: float = INTERVAL,
        columns: Mapping[str, type] | None = None,
    ) -> None:  # fmt: skip
        self.path = path
        self.columns = checked_columns(columns or {})
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
            why = error.strerror
            raise RecordingError(f"{path}: no demo can be written there: {why}") from error
        self._csv = csv.writer(self._file, lineterminator="\n")
        self._csv.writerow((*COLUMNS, *self.columns))

    def step(self, pad: Pad, seen: Observation) -> bool:
        """A step was played with this pad, and led to this. True if it makes a row.

        Raises:
            RecordingError: the file can't be written any more, or what was seen lacks one of the
                game's own columns, or has something of another type there.
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
            *(round(number, DIGITS) for number in (*seen.position, seen.facing, *seen.camera)),
            *pad.left,
            *(bool(self._pressed & button) for button in BUTTONS),
            bool(self._pressed & _TRIGGER), pad.left_trigger,
            seen.message, seen.in_air, seen.can_jump, seen.level, seen.event or "None",
            *(self._own(name, kind, seen) for name, kind in self.columns.items()),
        ]  # fmt: skip

    def _own(self, name: str, kind: type, seen: Observation) -> float | bool | str:
        value: Any = seen.extras.get(name)
        if kind is float:
            number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if number and math.isfinite(value):
                return float(value)
        elif isinstance(value, bool if kind is bool else str):
            return value
        raise RecordingError(
            f"{self.path}: the game says {value!r} for its column {name!r}, declared as"
            f" {kind.__name__}; give such a value in each observation's extras"
        )

    def close(self) -> None:
        """End it; again without effect."""
        with contextlib.suppress(OSError):  # a full disk was reported when the row was written
            self._file.close()

    def __enter__(self) -> "DemoWriter":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Demo:
    """A demo that was read: its columns, each an array with one entry a row.

    Args:
        columns: An array for each of `COLUMNS` and for each of the game's own ones.
        own: Names and types of the game's own columns.
        cut: Whether the end of the last row was missing, so that it was left out.
        name: What reports call it.
        oddities: What looks odd in it, each with its place.
        outcomes: Those of the game's own columns that say what must have come of it at its end.
    """

    def __init__(
        self, columns: Mapping[str, npt.NDArray[Any]], *, own: Mapping[str, type] | None = None,
        cut: bool = False, name: str = "demo", oddities: tuple[str, ...] = (),
        outcomes: Mapping[str, OutcomeRule] | None = None,
    ) -> None:  # fmt: skip
        self.columns = dict(columns)
        self.own = dict(own or {})
        self.cut = cut
        self.name = name
        self.oddities = oddities
        self.outcomes = dict(outcomes or {})

    @classmethod
    def of(
        cls, rows: Iterable[DemoRow], *,
        own: Mapping[str, Sequence[float | bool | str]] | None = None, name: str = "demo",
    ) -> Self:  # fmt: skip
        """A demo with these rows, and the game's own columns in full length."""
        cells = list(zip(*map(msgspec.structs.astuple, rows), strict=True)) or [()] * len(COLUMNS)
        columns = {
            column: column_array(kind, values)
            for column, kind, values in zip(COLUMNS, TYPES, cells, strict=True)
        }
        kinds = {column: type(values[0]) for column, values in (own or {}).items()}
        for column, values in (own or {}).items():
            columns[column] = column_array(kinds[column], values)
        return cls(columns, own=kinds, name=name)

    def __len__(self) -> int:
        return len(self.columns["level"])

    @cached_property
    def rows(self) -> tuple[DemoRow, ...]:
        """All rows, without the game's own columns."""
        return tuple(map(DemoRow, *(self.columns[name].tolist() for name in COLUMNS)))


def checked_columns(columns: Mapping[str, type]) -> dict[str, type]:
    """The same columns, which a demo can have after ours.

    Raises:
        RecordingError: a type is not float, bool or str; or a name is one of ours, or none.
    """
    for name, kind in columns.items():
        if kind not in (float, bool, str):
            raise RecordingError(
                f"column {name!r} is declared as {kind!r}; a demo's columns are float, bool or str"
            )
        if not name.strip() or name in COLUMNS:
            raise RecordingError(
                f"column {name!r}: every demo has one of that name; choose another"
            )
    return dict(columns)


def column_array(kind: type, values: Sequence[Any]) -> npt.NDArray[Any]:
    """A column of a demo, an entry for each row.

    Raises:
        ValueError: a number is not finite.
    """
    if kind is str:
        return np.array(values, object)
    array: npt.NDArray[Any] = np.array(values, kind)
    if not np.isfinite(array).all():
        raise ValueError("not finite")
    return array


def _down(pad: Pad) -> int:
    return pad.held | (_TRIGGER if pad.left_trigger > PULLED else 0)
