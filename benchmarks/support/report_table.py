"""What a benchmark says, as one line of the table; and the table, and the same as JSON."""

from collections.abc import Iterable
from typing import Any, NamedTuple


class Line(NamedTuple):
    """One thing measured."""

    what: str
    reached: float | None
    """None if it could not be measured here: `note` says why."""
    unit: str = "×"
    goal: float | None = None
    """The most that was promised; None for what is only shown."""
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the goal was reached; None without a goal or a measurement."""
        return None if self.goal is None or self.reached is None else self.reached <= self.goal


def number(value: float) -> str:
    """A number in three or four digits."""
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) < 1 else f"{value:.4g}" if value >= 100 else f"{value:.2f}"


def table(name: str, lines: Iterable[Line]) -> str:
    """The lines of one benchmark as aligned text."""
    cells = [("", "reached", "goal", "", "")]
    for line in lines:
        reached = "–" if line.reached is None else f"{number(line.reached)} {line.unit}"
        goal = "" if line.goal is None else f"≤ {number(line.goal)}"
        verdict = {None: "", True: "met", False: "MISSED"}[line.met]
        cells.append((line.what, reached, goal, verdict, line.note))
    widths = [max(len(row[i]) for row in cells) for i in range(4)]
    text = [name]
    for what, reached, goal, verdict, note in cells:
        row = (
            f"  {what:<{widths[0]}}  {reached:>{widths[1]}}  {goal:>{widths[2]}}"
            f"  {verdict:<{widths[3]}}  {note}"
        )
        text.append(row.rstrip())
    return "\n".join(text)


def plain(name: str, lines: Iterable[Line]) -> list[dict[str, Any]]:
    """The lines of one benchmark as plain values, for JSON."""
    return [{"benchmark": name, **line._asdict(), "met": line.met} for line in lines]
