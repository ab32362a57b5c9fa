"""Timing side by side: the cases of a benchmark take turns, so that they meet the same machine."""

import random
import statistics
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

Case = Callable[[], int]
"""Does its work for one round; returns how many units it did."""


class Size(NamedTuple):
    """How much is measured."""

    rounds: int
    """Repeats of every case; the median counts."""
    frames: int
    """Frames that are recorded in a round."""
    sources: int
    """Distinct frames of data, where it is to come cold from memory."""
    memory: int
    """The most bytes that a ring is given."""
    most: int
    """The most frames that a ring is filled with."""


FULL = Size(rounds=40, frames=30, sources=300, memory=4 << 30, most=10_000_000)
QUICK = Size(rounds=9, frames=10, sources=100, memory=256 << 20, most=100_000)
TINY = Size(rounds=2, frames=2, sources=2, memory=4 << 20, most=1_000)
"""To see that everything runs."""


class Times:
    """What interleaved rounds took: CPU nanoseconds of the calling thread for each unit."""

    def __init__(self, rounds: Mapping[str, list[float]]) -> None:
        self._rounds = rounds

    def ns(self, case: str) -> float:
        """The median over the rounds."""
        return statistics.median(self._rounds[case])

    def ratio(self, case: str, floor: str) -> float:
        """How many times as long as `floor` it took: the median of what each round says."""
        pairs = zip(self._rounds[case], self._rounds[floor], strict=True)
        return statistics.median(mine / other for mine, other in pairs)


def once(case: Case) -> float:
    """CPU nanoseconds of this thread for each unit of one round; never quite nothing."""
    start = time.thread_time_ns()
    units = case()
    return max(time.thread_time_ns() - start, 1) / units


def interleave(cases: Mapping[str, Case], rounds: int) -> Times:
    """Run every case once in each round, in an order that changes; one round more warms up."""
    order = list(cases)
    shuffle = random.Random(0).shuffle
    taken: dict[str, list[float]] = {name: [] for name in cases}
    for number in range(rounds + 1):
        shuffle(order)
        for name in order:
            spent = once(cases[name])
            if number:
                taken[name].append(spent)
    return Times(taken)
