"""Lanes: what is drawn at any zoom is what there is."""

from itertools import pairwise

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from playhead.recorder.packets.trace_types import StateTransition, TreeTick
from playhead.viewer.reader.history.history_record_types import StateChange, TimeGap, TreeTickEntry
from playhead.viewer.reader.history.lane_data import (
    SpanLane,
    active_leaf,
    envelope,
    finite_ends,
    leaf_lane,
    state_lane,
)
from playhead.viewer.toolkit.palette import rgb

NAMES = ("Patrol", "Chase", "Attack", "")


@st.composite
def lanes(draw: st.DrawFn) -> SpanLane:
    lasts = draw(st.lists(st.floats(0.05, 5), min_size=1, max_size=40))
    starts = np.cumsum([0.0, *lasts[:-1]]).tolist()
    names = [draw(st.sampled_from(NAMES)) for _ in lasts]
    return SpanLane(starts, starts[-1] + lasts[-1], names)


@given(lanes(), st.integers(1, 50))
def test_a_pixel_has_the_mean_colour_of_what_it_covers(lane, width):
    end = float(lane.ends[-1])
    pixels = lane.pixels(0.0, end, width)
    edges = np.linspace(0.0, end, width + 1)
    for at, (left, right) in enumerate(pairwise(edges)):
        sums, covered = np.zeros(3), 0.0
        for start, stop, name, color in zip(
            lane.starts, lane.ends, lane.names, lane.colors, strict=True
        ):
            lasts = max(0.0, min(stop, right) - max(start, left)) if name else 0.0
            if lasts:
                sums += np.array(rgb(color)) * lasts
                covered += lasts
        assert pixels[at, 3] == pytest.approx(255 * covered / (right - left), abs=1.5)
        if covered > 1e-6:
            assert pixels[at, :3] == pytest.approx(sums / covered, abs=1.5)


@given(lanes(), st.floats(-1, 40), st.floats(0.01, 20))
def test_visible_spans_are_those_that_touch_the_stretch(lane, start, lasts):
    first, last = lane.visible(start, start + lasts)
    touching = [
        at for at in range(len(lane))
        if lane.ends[at] > start and lane.starts[at] < start + lasts
    ]  # fmt: skip
    assert list(range(first, last)) == touching


def test_spans_that_last_no_time_are_no_error():
    lane = SpanLane([1.0, 1.0, 2.0], 2.0, ["Patrol", "Chase", "Patrol"])
    pixels = lane.pixels(0.0, 4.0, 4)
    assert pixels[:, 3].tolist() == [0, 255, 0, 0]
    assert tuple(pixels[1, :3]) == rgb(lane.colors[1])


def test_a_lane_that_grew_is_what_it_would_be_if_made_at_once():
    grown = SpanLane([1.0], 1.0, ["Patrol"])
    grown.append(2.0, "Stunned", 2.0)
    grown.append(3.0, "", 3.5)
    grown.extend_to(4.0)
    at_once = SpanLane([1.0, 2.0, 3.0], 4.0, ["Patrol", "Stunned", ""])
    assert grown.names == at_once.names
    assert grown.ends.tolist() == at_once.ends.tolist()
    assert grown.graves(0, 3).tolist() == at_once.graves(0, 3).tolist() == [1]
    assert grown.graves(2, 3).tolist() == []
    assert np.array_equal(grown.pixels(0, 5, 50), at_once.pixels(0, 5, 50))


def test_it_says_which_span_holds_at_a_time():
    lane = SpanLane([1.0, 2.0], 5.0, ["Patrol", "Chase"])
    assert [lane.at(time) for time in (0.5, 1.0, 1.99, 2.0, 5.0, 5.1)] == [None, 0, 0, 1, 1, 1]


def test_grave_states_are_distinguished_so_that_they_never_vanish():
    assert SpanLane([0.0, 1.0, 1.001], 9.0, ["Patrol", "Stunned", "Patrol"]).grave == [1]


def test_a_lane_without_spans_is_empty_and_not_an_error():
    lane = SpanLane([], 0.0, [])
    assert lane.at(1.0) is None
    assert lane.visible(0, 1) == (0, 0)
    assert not lane.pixels(0, 1, 8).any()


@given(st.lists(st.floats(-5, 5), min_size=2, max_size=400), st.integers(2, 60))
def test_an_envelope_keeps_the_least_and_the_greatest_value(values, width):
    times = np.arange(len(values), dtype=float)
    x, least, most = envelope(times, np.array(values), 0.0, float(len(values) - 1), width)
    assert least.min() == min(values)
    assert most.max() == max(values)
    assert (np.diff(x) > 0).all()
    assert len(x) <= max(width, len(values))


@given(
    st.lists(st.floats(-5, 5), min_size=2, max_size=200), st.integers(2, 40),
    st.floats(0, 50), st.floats(1, 150),
)  # fmt: skip
def test_each_pixel_of_an_envelope_has_the_ends_of_its_own_values(values, width, start, lasts):
    times, end = np.arange(len(values), dtype=float), start + lasts
    x, least, most = envelope(times, np.array(values), start, end, width)
    seen = [at for at in range(len(values)) if start <= at <= end]
    if least is most:
        return  # so few that they are the values themselves
    for at, low, high in zip(x.tolist(), least.tolist(), most.tolist(), strict=True):
        first, last = start + at * lasts / width, start + (at + 1) * lasts / width
        inside = [values[one] for one in seen if first + 1e-9 <= one < last - 1e-9]
        assert not inside or (low <= min(inside) and max(inside) <= high)


def test_what_is_no_number_leaves_a_pixel_only_if_it_has_nothing_else():
    values = np.array([1.0, np.nan, np.nan, np.nan, 5.0, 7.0])
    _, least, most = envelope(np.arange(6.0), values, 0.0, 6.0, 3)
    assert least.tolist()[::2] == [1.0, 5.0]
    assert most.tolist()[::2] == [1.0, 7.0]
    assert np.isnan(least[1])
    assert finite_ends(values) == (1.0, 7.0)
    assert finite_ends(np.array([np.nan, np.inf])) is None
    assert finite_ends(np.array([np.inf, 2.0])) == (2.0, 2.0)
    assert finite_ends(np.empty(0)) is None


def test_the_active_leaf_is_the_last_that_runs_else_the_last_that_succeeded():
    assert active_leaf(("running", "failure", "running", "success")) == 2
    assert active_leaf(("success", "failure", "success", "")) == 2
    assert active_leaf(("failure", "")) is None


def test_equal_neighbours_of_a_leaf_lane_are_one():
    def tick(time: float, *statuses: str) -> TreeTickEntry:
        return TreeTickEntry(int(time), time, TreeTick("t", statuses))

    ticks = [tick(1, "running", ""), tick(2, "running", ""), tick(3, "", "running")]
    lane = leaf_lane(ticks, ["walk", "strike"], 4.0)
    assert lane.names == ["walk", "strike"]
    assert lane.starts.tolist() == [1.0, 3.0]


def test_a_state_that_was_entered_in_a_gap_holds_from_the_gap_s_end():
    def change(frame: int, source: str, target: str) -> StateChange:
        return StateChange(frame, frame / 10, StateTransition("guard", source, target, won="so"))

    changes = [change(0, "", "Patrol"), change(80, "Chase", "Attack")]
    assert state_lane(changes, 10.0).names == ["Patrol", "Attack"], "without a gap nothing is lost"
    lane = state_lane(changes, 10.0, lambda: [TimeGap(2.0, 3.0)])
    assert lane.names == ["Patrol", "", "Chase", "Attack"], "in the gap nothing is known"
    assert lane.starts.tolist() == [0.0, 2.0, 3.0, 8.0]


@given(
    st.lists(st.sampled_from(["Patrol", "Stunned", "Dead"]), min_size=1, max_size=60),
    st.integers(1, 9), st.floats(0, 20), st.floats(0.5, 40),
)  # fmt: skip
def test_of_the_grave_spans_in_a_pixel_the_first_is_given_as_long_as_the_longest(
    names, width, start, seconds
):
    end = start + seconds
    lane = SpanLane([float(at) for at in range(len(names))], len(names), names)
    places, lasts = lane.grave_ticks(start, end, width)
    pixels: dict[int, list[int]] = {}
    for at in lane.graves(*lane.visible(start, end)).tolist():
        edges = np.linspace(start, end, width + 1)[1:-1]
        pixels.setdefault(int((edges <= at).sum()), []).append(at)
    assert places.tolist() == [rows[0] for rows in pixels.values()]
    assert lasts.tolist() == [1.0 for _ in pixels]


def test_the_last_grave_span_grows_although_times_are_kept():
    lane = SpanLane([0.0, 1.0], 2.0, ["Patrol", "Stunned"])
    assert lane.grave_ticks(0.0, 10.0, 10)[1].tolist() == [1.0]
    lane.extend_to(5.0)
    assert lane.grave_ticks(0.0, 10.0, 10)[1].tolist() == [4.0]
