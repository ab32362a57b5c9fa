"""One timeline that never runs backwards."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.errors import RecordingError
from playhead.recorder.monotonic_timeline import Timeline


def test_the_very_first_frame_has_no_delta():
    timeline = Timeline()
    assert timeline.next(0.5, None).delta == 0.0
    assert timeline.next(0.5, 12.0) == (12.0, 0.0, 0, 0.0, 12.0, 0.0)


def test_without_a_time_the_step_is_added_to_the_last():
    timeline = Timeline()
    timeline.accept(timeline.next(0.25, None))
    tick = timeline.next(0.25, None)
    assert (tick.time, tick.delta) == (0.5, 0.25)


def test_skipped_time_is_in_the_delta():
    timeline = Timeline()
    timeline.accept(timeline.next(0.0, 1.0))
    assert timeline.next(0.016, 4.0).delta == 3.0


def test_two_frames_may_have_the_same_time():
    timeline = Timeline()
    timeline.accept(timeline.next(0.0, 1.0))
    tick = timeline.next(0.0, 1.0)
    assert (tick.time, tick.delta, tick.epoch) == (1.0, 0.0, 0)


def test_game_time_that_restarts_opens_an_epoch_right_behind_what_was():
    timeline = Timeline()
    timeline.accept(timeline.next(0.0, 100.0))
    tick = timeline.next(0.0, 5.0)
    assert (tick.time, tick.delta, tick.epoch, tick.offset) == (100.0, 0.0, 1, 95.0)
    assert timeline.accept(tick)
    after = timeline.next(0.0, 6.5)
    assert (after.time, after.delta, after.epoch) == (101.5, 1.5, 1)


@pytest.mark.parametrize("time", [math.nan, math.inf, -math.inf])
def test_a_time_that_is_no_time_is_refused_and_changes_nothing(time):
    timeline = Timeline()
    timeline.accept(timeline.next(0.0, 1.0))
    with pytest.raises(RecordingError, match="finite"):
        timeline.next(0.0, time)
    assert timeline.newest is not None
    assert timeline.newest.time == 1.0


@pytest.mark.parametrize("dt", [math.nan, math.inf, -0.1])
def test_a_step_that_is_no_duration_is_refused(dt):
    with pytest.raises(RecordingError, match="dt"):
        Timeline().next(dt, None)


@given(st.lists(st.floats(-1e6, 1e6), max_size=50))
def test_whatever_the_game_says_the_timeline_never_runs_backwards(times):
    timeline, last = Timeline(), -math.inf
    for time in times:
        tick = timeline.next(0.0, time)
        assert tick.time >= last
        assert tick.delta >= 0.0
        timeline.accept(tick)
        last = tick.time


@given(
    st.lists(st.tuples(st.floats(0.01, 0.02), st.sampled_from((0.0, 0.0, 0.5, 2.0))), max_size=50)
)
def test_where_a_game_ran_on_unrecorded_there_is_a_gap_and_no_long_frame(steps):
    timeline, game, last = Timeline(), 5.0, None
    timeline.accept(timeline.next(0.01, game))
    for step, unseen in steps:
        game, last = game + step + unseen, timeline.newest
        tick = timeline.next(step, game, resumed=True)
        assert tick.delta == pytest.approx(step)
        assert tick.lost == pytest.approx(unseen)
        assert last.time + tick.lost + tick.delta == pytest.approx(tick.time)
        timeline.accept(tick)


def test_a_game_that_was_paused_has_no_gap_and_one_that_never_rested_a_long_frame():
    timeline = Timeline()
    timeline.accept(timeline.next(0.1, 1.0))
    assert timeline.next(0.1, 1.1, resumed=True).lost == 0.0
    assert timeline.next(0.1, 9.0).delta == 8.0
    assert timeline.next(0.0, 9.0, resumed=True).delta == 8.0, "nobody knows how long a step is"


@pytest.mark.parametrize("time", [None, object(), [1.0], "1.0", 10**400])
def test_what_is_no_number_of_seconds_is_refused_by_name(time):
    with pytest.raises(RecordingError, match="game_time .*: give a finite number of seconds"):
        Timeline().at(time)
