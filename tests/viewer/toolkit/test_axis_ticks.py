"""Ticks of an axis of values."""

import math
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from playhead.viewer.toolkit.axis_ticks import ticks

ENDS = st.floats(-1e9, 1e9, allow_subnormal=False)


def test_they_are_round_and_have_room():
    assert ticks(-3, 103, 40, log=False) == [(0.0, "0"), (50.0, "50"), (100.0, "100")]
    assert [text for _, text in ticks(0.0, 1.0, 120, log=False)] == [
        "0", "0.2", "0.4", "0.6", "0.8", "1.0"
    ]  # fmt: skip


def test_a_logarithmic_axis_has_decades_first_and_values_between_where_there_is_room():
    assert [text for _, text in ticks(-12, 9, 60, log=True)] == ["1e-12", "1e-06", "1", "1e+06"]
    assert [text for _, text in ticks(-1.2, 0.6, 130, log=True)] == ["0.1", "0.3", "0.5", "1", "3"]
    assert [text for _, text in ticks(2.05, 2.25, 60, log=True)] == ["120", "140", "160"]


@given(ENDS, st.floats(1e-9, 1e9), st.floats(1, 2000), st.booleans())
def test_none_stand_on_one_another_and_none_outside(low, length, pixels, log):
    if log:
        low, length = low / 1e8, length / 1e8
    high = low + length
    found = ticks(low, high, pixels, log=log)
    tick_positions = [tick for tick, _ in found]
    slack = 1e-6 * length + 1e-9 * abs(low)
    assert all(low - slack <= tick <= high + slack for tick in tick_positions)
    apart = 16.0 * (high - low) / pixels
    assert all(b - a >= apart * 0.999 - slack for a, b in pairwise(tick_positions))
    assert all(len(text) <= 10 for _, text in found)


def test_of_an_axis_without_length_there_are_none():
    assert ticks(1.0, 1.0, 100, log=False) == []
    assert ticks(1.0, 2.0, 0, log=True) == []
    assert ticks(math.nan, 1.0, 100, log=False) == []
