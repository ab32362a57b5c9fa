"""Since which tick each node of a behaviour tree has been running, at every tick."""

from collections.abc import Sequence
from typing import Protocol, TypeVar


class Ticked(Protocol):
    """A tick of a tree."""

    @property
    def statuses(self) -> Sequence[str]:
        """The status of each node."""


_T = TypeVar("_T", bound=Ticked)


class RunningSince:
    """Follows the ticks of one tree, oldest first. What is worked out once is kept: looking back
    for it at each move of the playhead would take the longer, the longer a node has been running.
    """

    def __init__(self) -> None:
        self._begun: list[tuple[int, ...]] = []
        """For each of the first ticks: the numbers of the ticks since which its nodes run, −1 for
        those that don't. Where nothing changes it is the same tuple again."""
        self._dropped = 0
        """Ticks that were let go at the beginning; numbers count them."""

    def since(self, ticks: Sequence[Ticked], at: int, node: int) -> int | None:
        """The tick since which a node runs at the tick `at`; None if it does not.

        It is below 0 if that tick was let go.
        """
        for index in range(len(self._begun), at + 1):
            self._begun.append(self._next(ticks, index))
        begun = self._begun[at]
        number = begun[node] if node < len(begun) else -1
        return None if number < 0 else number - self._dropped

    def _next(self, ticks: Sequence[Ticked], index: int) -> tuple[int, ...]:
        before = self._begun[index - 1] if index else ()
        statuses = ticks[index].statuses
        if index and statuses == ticks[index - 1].statuses:
            return before
        number = index + self._dropped
        return tuple(
            -1 if status.lower() != "running"
            else before[node] if node < len(before) and before[node] >= 0
            else number
            for node, status in enumerate(statuses)
        )  # fmt: skip

    def drop(self, count: int) -> None:
        """So many of the oldest ticks were let go."""
        del self._begun[:count]
        self._dropped += count

    def cut(self, index: int) -> None:
        """Drop this tick and all later ones: they were replaced."""
        del self._begun[index:]
