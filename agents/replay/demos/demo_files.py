"""The files of a demo: its rows, and the saved games beside them at its start and its end."""

import math
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from ....errors import CommandError, RecordingError
from ....games.game_catalog import FAMILIES
from ....games.playable_interface import Observation, OutcomeRule
from ...demo_reader import read_demo
from ...recorded_demo import Demo, DemoRow

START, END = ".start.save", ".end.save"
"""What the saved games are called, in place of the demo's `.csv`."""
SHIPPED = Path(__file__).parents[2] / "demos"
"""The demos that come along: `village/` for arena:village, `doom/map01.csv` for doom:map01."""
_LEAST_STEP = 1e-3
"""Below this distance between two rows the player did not move, in any unit of length."""


class DemoFile(NamedTuple):
    """A demo that was read, with the saved games that belong to it."""

    path: Path
    demo: Demo

    @property
    def name(self) -> str:
        """What it is called in lists."""
        return self.path.stem

    @property
    def start(self) -> Path:
        """The saved game that it begins with; perhaps not there."""
        return start_of(self.path)

    @property
    def end(self) -> Path:
        """The saved game that it ends with; perhaps not there."""
        return end_of(self.path)


def start_of(path: Path) -> Path:
    """Where the saved game is that a demo begins with."""
    return path.with_suffix(START)


def end_of(path: Path) -> Path:
    """Where the saved game is that a demo ends with."""
    return path.with_suffix(END)


def shipped(game: str) -> list[Path]:
    """The demos that come along with a game, in playing order; none if there are none.

    They are all in the folder of its level's name, or one file of that name in its family's.
    """
    family, _, level = game.partition(":")
    if family not in FAMILIES:
        return []
    alone = SHIPPED / family / f"{level}.csv"
    return [alone] if alone.is_file() else sorted((SHIPPED / level).glob("*.csv"))


def read_demos(
    paths: Sequence[Path],
    columns: Mapping[str, type] | None = None,
    levels: Collection[str] = (),
    outcomes: Mapping[str, OutcomeRule] | None = None,
) -> list[DemoFile]:
    """Read demos, all of them before any is played.

    Args:
        columns: The game's own columns, after those that every demo has.
        levels: The levels that the game has; empty if it does not say.
        outcomes: Those of these columns that say what must have come of a demo at its end.

    Raises:
        CommandError: there are none, or one is named twice.
        RecordingError: one can't be read.
        DamagedError: one is no demo; names line and column.
    """
    if not paths:
        raise CommandError("no demos: name at least one, such as village.csv")
    found: dict[Path, DemoFile] = {}
    for path in paths:
        if path.resolve() in found:
            raise CommandError(f"{path}: this demo is named twice; --times plays all again")
        if path.is_dir():
            raise RecordingError(f"{path}: this is a folder; name the demos in it, {path}/*.csv")
        found[path.resolve()] = DemoFile(
            path, read_demo(path, columns=columns, levels=levels, outcomes=outcomes)
        )
    return list(found.values())


def chained(before: DemoFile, after: DemoFile) -> bool:
    """Whether a demo begins where another one ends, so that nothing has to be loaded between.

    Two saved games say so by being the same; without them the last row and the first one are
    compared: the same level, and no further apart than the player moved between two rows.
    """
    if before.end.is_file() and after.start.is_file():
        return before.end.read_bytes() == after.start.read_bytes()
    last, first = before.demo.rows[-1], after.demo.rows[0]
    apart, near = gap_between(before.demo.rows, last, first)
    return last.level == first.level and apart <= near


def gap_between(rows: tuple[DemoRow, ...], last: DemoRow, first: DemoRow) -> tuple[float, float]:
    """How far two rows are apart, and how far they may be for a player that moves as in `rows`."""
    return _apart(last, first), max(2 * _longest_step(rows), _LEAST_STEP)


def stands_at(demo: DemoFile, seen: Observation) -> bool:
    """Whether the player is where a demo begins: in its level, and about at its place."""
    first = demo.demo.rows[0]
    away = math.dist(seen.position, (first.player_x, first.player_y, first.player_z))
    near = max(2 * _longest_step(demo.demo.rows), _LEAST_STEP)
    return seen.level == first.level and away <= near


def _apart(one: DemoRow, other: DemoRow) -> float:
    return math.dist(
        (one.player_x, one.player_y, one.player_z), (other.player_x, other.player_y, other.player_z)
    )


def _longest_step(rows: tuple[DemoRow, ...]) -> float:
    """The most that the player moved between two rows of a level."""
    steps = (_apart(*both) for both in pairwise(rows) if both[0].level == both[1].level)
    return max(steps, default=0.0)
