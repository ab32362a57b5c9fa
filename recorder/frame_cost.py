"""The cost of recording: the time of the newest frames, in memory of fixed size."""

from array import array
from time import perf_counter_ns
from typing import NamedTuple

FRAMES_MEASURED = 1024


class FrameCost(NamedTuple):
    """Microseconds a frame, over the newest frames (at most 1,024)."""

    p50: float
    p99: float


class FrameCostMeter:
    """Takes the time of each frame's recording."""

    def __init__(self) -> None:
        self._costs = array("q", bytes(8 * FRAMES_MEASURED))
        self._measured = 0
        self._started = 0

    def start(self) -> None:
        self._started = perf_counter_ns()

    def stop(self) -> None:
        self._costs[self._measured % FRAMES_MEASURED] = perf_counter_ns() - self._started
        self._measured += 1

    @property
    def cost(self) -> FrameCost:
        """Median and 99th percentile; zeros before the first frame."""
        costs = sorted(self._costs[: min(self._measured, FRAMES_MEASURED)])
        if not costs:
            return FrameCost(0.0, 0.0)
        return FrameCost(costs[len(costs) // 2] / 1e3, costs[(len(costs) * 99) // 100] / 1e3)
