"""Curves break where a sample that was due did not come."""

import hypothesis.strategies as st
import numpy as np
from hypothesis import given

from playhead.viewer.reader.history.curve_gaps import CurveSamples, broken, joined
from playhead.viewer.reader.history.history_record_types import FramePage
from playhead.viewer.reader.history.lane_data import envelope
from playhead.viewer.reader.history.recording_history import RecordingHistory

SPEED = (1, "speed")


def curve_of(frames, last: float = -np.inf) -> CurveSamples:
    frames = np.array(frames, np.float64)
    return broken(frames, frames / 8, frames * 10, last)


def test_what_is_sampled_in_every_frame_has_no_break():
    assert curve_of(range(1, 9)).values.tolist() == [10.0 * frame for frame in range(1, 9)]


def test_where_frames_have_no_sample_the_curve_breaks_when_the_next_one_was_due():
    curve = curve_of([1, 2, 3, 9, 10])
    assert curve.times.tolist() == [1 / 8, 2 / 8, 3 / 8, 4 / 8, 9 / 8, 10 / 8]
    assert np.isnan(curve.values[3])
    assert curve.values[curve.index_at(3 / 8)] == 30.0
    assert np.isnan(curve.values[curve.index_at(7 / 8)])
    assert curve.values[curve.index_at(9 / 8)] == 90.0


def test_what_is_sampled_in_every_tenth_frame_is_one_curve():
    assert not np.isnan(curve_of([1, 11, 21, 30, 41, 51]).values).any()
    assert np.isnan(curve_of([1, 11, 21, 30, 61, 71]).values).sum() == 1


def test_a_curve_that_has_ended_says_nothing_behind_its_last_sample():
    assert np.isnan(curve_of([1, 2, 3], last=9).values[-1])
    assert curve_of([1, 2, 3], last=9).times[-1] == 4 / 8
    assert not np.isnan(curve_of([1, 2, 3], last=4).values).any(), "the next one is just due"


def test_a_vector_breaks_in_all_its_parts():
    frames = np.array([1.0, 2.0, 8.0])
    curve = broken(frames, frames, np.ones((3, 2)))
    assert np.isnan(curve.values[2]).all()
    assert np.isfinite(curve.values[[0, 1, 3]]).all()


def test_there_may_be_one_sample_or_none():
    assert curve_of([]).index_at(1.0) is None
    assert curve_of([5]).index_at(5 / 8) == 0
    assert curve_of([5]).index_at(0.5) is None


@given(st.lists(st.integers(1, 400), min_size=1, max_size=60, unique=True), st.integers(0, 500))
def test_no_line_is_longer_than_half_again_the_usual_interval_and_no_sample_is_lost(frames, last):
    frames.sort()
    curve = curve_of(frames, last)
    fine = np.isfinite(curve.values)
    assert curve.values[fine].tolist() == [10.0 * frame for frame in frames]
    assert (np.diff(curve.times) >= 0).all()
    both = fine[:-1] & fine[1:]
    if both.any():
        usual = np.median(np.diff(frames))
        assert np.diff(curve.times)[both].max() * 8 <= 1.5 * usual


@given(st.integers(2, 400))
def test_at_any_zoom_nothing_is_drawn_across_the_break(width):
    curve = curve_of([*range(1, 100), *range(300, 400)])
    x, least, _ = envelope(*curve, 0.0, 50.0, width)
    fine = np.isfinite(least)
    joined = np.flatnonzero(fine[:-1] & fine[1:])
    # A pixel is as wide as it is: only from one to the next may a line go.
    assert (np.diff(x)[joined] <= max(1.0, width / 400) + 1e-9).all()


def test_a_value_that_is_watched_only_now_and_then_breaks_between():
    history = RecordingHistory()
    for frame in range(1, 41):
        watches = {SPEED: 1.0} if frame <= 10 or frame >= 30 else {}
        history.put(FramePage(frame, frame / 8, 1 / 8, 0, watches=watches))
    curve = history.samples(SPEED)
    assert np.isnan(curve.values[curve.index_at(20 / 8)])
    assert history.samples(SPEED) is curve, "made once for each version"
    history.put(FramePage(41, 41 / 8, 1 / 8, 0))
    history.put(FramePage(42, 42 / 8, 1 / 8, 0))
    assert np.isnan(history.samples(SPEED).values[-1])


def test_frames_that_are_left_out_regularly_are_joined_and_others_are_not():
    assert joined(np.array([1.0, 2, 3, 5, 6])).tolist() == [True, True, False, True]
    assert joined(np.array([1.0, 3, 5, 9, 11, 40])).tolist() == [True, True, True, True, False]
    assert joined(np.array([4.0])).tolist() == []
