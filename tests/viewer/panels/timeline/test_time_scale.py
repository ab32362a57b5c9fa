"""The stretch of time that a timeline shows."""

import hypothesis.strategies as st
import pytest
from hypothesis import given

from playhead.viewer.panels.timeline.time_scale import TimeScale

MOVES = st.lists(
    st.one_of(
        st.tuples(st.just("zoom"), st.floats(0.05, 20), st.floats(-10, 110)),
        st.tuples(st.just("pan"), st.floats(-200, 200), st.just(0.0)),
        st.tuples(st.just("fit"), st.floats(0, 50), st.floats(50, 100)),
        st.tuples(st.just("page"), st.floats(0, 100), st.just(0.0)),
    )
)


def scale(last: float = 100.0) -> TimeScale:
    made = TimeScale()
    made.extend(0.0, last)
    return made


@given(MOVES)
def test_it_never_leaves_what_there_is(moves):
    shown = scale()
    for what, a, b in moves:
        if what == "zoom":
            shown.zoom(a, b)
        elif what == "pan":
            shown.pan(a)
        elif what == "fit":
            shown.fit(a, b)
        else:
            shown.page_to(a)
            assert shown.start - 1e-9 <= a <= shown.end + 1e-9
        assert -1e-9 <= shown.start < shown.end <= 100 + 1e-9
        assert shown.seconds >= TimeScale.LEAST * (1 - 1e-9)


@given(st.floats(20, 80), st.floats(0.2, 0.9))
def test_zooming_in_keeps_the_time_under_the_mouse(time, factor):
    shown = scale()
    before = shown.x(time, 1000)
    shown.zoom(factor, time)
    assert shown.x(time, 1000) == pytest.approx(before)
    assert shown.time(shown.x(time, 1000), 1000) == pytest.approx(time)


def test_what_shows_everything_goes_on_doing_so_and_a_part_stays_where_it_is():
    shown = scale()
    shown.extend(0.0, 120.0)
    assert (shown.start, shown.end) == (0.0, 120.0)
    shown.zoom(0.5, 60.0)
    part = shown.start, shown.end
    shown.extend(0.0, 150.0)
    assert (shown.start, shown.end) == part


def test_a_part_that_is_evicted_is_left_behind():
    shown = scale()
    shown.zoom(0.1, 0.0)
    shown.extend(50.0, 150.0)
    assert shown.start == 50.0


def test_whoever_shares_a_scale_hears_of_another_stretch_and_only_then():
    scale, heard = TimeScale(), []
    scale.extend(0.0, 10.0)
    scale.watchers.append(lambda: heard.append((scale.start, scale.end)))
    scale.zoom(0.5, 5.0)
    scale.zoom(1.0, 5.0)
    scale.extend(0.0, 20.0)
    assert heard == [(2.5, 7.5)]
    scale.fit()
    scale.extend(0.0, 30.0)
    assert heard[1:] == [(0.0, 20.0), (0.0, 30.0)]
