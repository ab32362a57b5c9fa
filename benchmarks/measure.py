"""Timing side by side: the cases of a benchmark take turns, so that they meet the same machine."""

import random
import statistics
import time
from collections.abc import Callable, Mapping

Case = Callable[[int], int]
"""Does its work for one round, whose number it is given; returns how many units it did."""


class Times:
    """What interleaved rounds took: CPU nanoseconds of the calling thread for each unit."""

    def __init__(self, rounds: Mapping[str, list[float]]) -> None:
        self._rounds = rounds

    def __contains__(self, case: str) -> bool:
        return case in self._rounds

    def ns(self, case: str) -> float:
        """The median over the rounds."""
        return statistics.median(self._rounds[case])

    def ratio(self, case: str, floor: str) -> float:
        """How many times as long as `floor` it took: the median of what each round says."""
        pairs = zip(self._rounds[case], self._rounds[floor], strict=True)
        return statistics.median(mine / other for mine, other in pairs)


def interleave(cases: Mapping[str, Case], rounds: int) -> Times:
    """Run every case once in each round, in an order that changes; one round more warms up."""
    order = list(cases)
    shuffle = random.Random(0).shuffle
    taken: dict[str, list[float]] = {name: [] for name in cases}
    for number in range(rounds + 1):
        shuffle(order)
        for name in order:
            case = cases[name]
            start = time.thread_time_ns()
            units = case(number)
            spent = max(time.thread_time_ns() - start, 1)
            if number:
                taken[name].append(spent / units)
    return Times(taken)
