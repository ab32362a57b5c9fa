"""What the demo's rows brought about: changes of the game's outcomes, and whether they hold."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy.typing as npt

from ....games.playable_interface import OutcomeRule


class OutcomeChange(NamedTuple):
    """A row of the demo in which a column changed that has to come out as it did there."""

    row: int
    column: str
    before: Any
    after: Any
    may_have_more: bool = False
    """Whether words beside those of the demo do not matter, nor those that went."""

    def holds(self, value: Any) -> bool:
        """Whether a value of the column is as this change left it, whatever came of others since.

        Of words with commas, only those that came or went in the row count.
        """
        if not isinstance(self.after, str):
            return bool(value == self.after)
        words, before, after = (words_of(text) for text in (value, self.before, self.after))
        has_come = after - before <= words
        return has_come if self.may_have_more else has_come and not (before - after) & words


def changes_of(
    columns: Mapping[str, npt.NDArray[Any]], outcomes: Mapping[str, OutcomeRule]
) -> list[OutcomeChange]:
    """All changes of the outcomes that must be as in the demo, in the order of their rows."""
    found = []
    for name, rule in outcomes.items():
        if rule == "noted":
            continue
        cells = columns[name].tolist()
        found += [
            OutcomeChange(row, name, cells[row - 1], cells[row], may_have_more=rule == "includes")
            for row in range(1, len(cells))
            if cells[row] != cells[row - 1]
        ]
    return sorted(found, key=lambda change: change.row)


def words_of(text: Any) -> set[str]:
    """The words of a text with commas between them."""
    return {word.strip() for word in str(text).split(",")} - {""}
