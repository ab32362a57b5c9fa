"""Finds suspicious rows of a demo, which may be right: jumps and repeated rows."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

JUMP = 20.0
"""So many times as far as the player usually moves from a row to the next is a jump."""
REPEATED = 10
"""So many rows of walking that stand in the demo twice were hardly played twice."""
MOST = 5
"""Oddities of each sort that are named."""

Columns = Mapping[str, npt.NDArray[Any]]


def oddities(columns: Columns, names: Sequence[str]) -> list[tuple[int, str]]:
    """Rows from 0, in their order, and what is odd about them.

    Args:
        columns: The demo's.
        names: All that are compared where rows repeat.
    """
    places = np.column_stack([columns[name] for name in ("player_x", "player_y", "player_z")])
    steps = np.linalg.norm(np.diff(places, axis=0), axis=1)
    same_level = columns["level"][1:] == columns["level"][:-1]
    found = [*_jumps(steps, same_level), *_repeats(columns, names, steps)]
    return sorted(found)


def _jumps(steps: npt.NDArray[Any], same_level: npt.NDArray[Any]) -> Iterator[tuple[int, str]]:
    moved = steps[(steps > 0) & same_level]
    if len(moved) == 0:
        return
    usual = float(np.median(moved))
    far = np.flatnonzero((steps > JUMP * usual) & same_level)
    for row in far[:MOST].tolist():
        yield row + 1, f"the player jumps by {steps[row]:.4g} in one row, {usual:.4g} is usual"
    if len(far) > MOST:
        yield int(far[MOST]) + 1, f"and {len(far) - MOST} jumps more"


def _repeats(
    columns: Columns, names: Sequence[str], steps: npt.NDArray[Any]
) -> Iterator[tuple[int, str]]:
    rows = list(zip(*(columns[name].tolist() for name in names), strict=True))
    walks = np.concatenate([[False], steps > 0]).cumsum().tolist()
    numbers: dict[tuple[Any, ...], int] = {}
    known = [numbers.setdefault(row, len(numbers)) for row in rows]
    first: dict[tuple[int, ...], int] = {}
    at = reported = 0
    while at + REPEATED <= len(rows) and reported < MOST:
        before = first.setdefault(tuple(known[at : at + REPEATED]), at)
        moves = walks[at + REPEATED - 1] - walks[at]
        if before + REPEATED > at or moves < REPEATED // 2:
            at += 1
            continue
        length = REPEATED
        while at + length < len(rows) and known[before + length] == known[at + length]:
            length += 1
        yield at, f"{length} rows are the same as those from row {before} on"
        reported += 1
        at += length
