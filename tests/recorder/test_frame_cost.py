"""The cost of recording, over the newest frames."""

from itertools import pairwise

import pytest

from playhead.recorder import frame_cost as meter
from playhead.recorder.frame_cost import FRAMES_MEASURED, FrameCost, FrameCostMeter


def test_before_the_first_frame_nothing_was_spent():
    assert FrameCostMeter().cost == FrameCost(0.0, 0.0)


def test_median_and_99th_percentile_are_those_of_the_newest_frames(monkeypatch):
    spent = [9_000_000] * 100 + [1000 * (n % 100 + 1) for n in range(FRAMES_MEASURED)]
    clock = []
    now = 0
    for cost in spent:
        clock += [now, now + cost]
        now += cost
    ticks = iter(clock)
    monkeypatch.setattr(meter, "perf_counter_ns", lambda: next(ticks))
    measured = FrameCostMeter()
    for _ in spent:
        measured.start()
        measured.stop()
    assert all(earlier <= later for earlier, later in pairwise(clock))
    assert measured.cost.p50 == pytest.approx(50, abs=2), "the first hundred are forgotten"
    assert measured.cost.p99 == pytest.approx(99, abs=2)
