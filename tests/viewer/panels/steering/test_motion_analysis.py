"""Steering: velocities from wherever they are, oscillation, and who comes near."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.recorder.packets.layouts.layout import Field, layout_from_dtype
from playhead.viewer.panels.steering.motion_analysis import (
    OSCILLATES,
    meeting,
    motion_history_of,
    nearest,
    oscillation,
    verdict,
)
from playhead.viewer.reader.frame_snapshot import SnapshotReader
from playhead.viewer.reader.history.growable_array import GrowableArray
from playhead.viewer.reader.velocity_fields import exact, vectors_of, watched
from playhead.viewer.state.motion_around_playhead import PlayheadSurroundings

from ...animated_recording import DANCER, DT, FRAMES, RUNNER, STROLLER, WEAVES

RATE = 60


def weaving(hertz, seconds=4.0, speed=2.0, swing=0.5, rate=RATE):
    """Times and velocities of somebody who swings about a line."""
    times = np.arange(int(seconds * rate)) / rate
    headings = swing * np.sin(2 * np.pi * hertz * times)
    rows = np.stack([np.cos(headings), np.sin(headings), np.zeros_like(times)], axis=1)
    return times, rows * speed


@pytest.fixture
def motion(source, history):
    reader = SnapshotReader(source)

    def made(object, frame):
        around = PlayheadSurroundings(object)
        snapshot = reader.read(frame)
        around.put(frame, snapshot.time, snapshot.objects.get(object))
        for at in around.missing(frame, 1, FRAMES):
            around.read(source, at)
        return motion_history_of(around.near(frame), history, object, snapshot, 2.0), snapshot

    return made


# --- the measure ---------------------------------------------------------------------------------


def test_what_weaves_turns_twice_in_each_period():
    times, rows = weaving(4.0)
    assert oscillation(times, rows)[times > 1.5] == pytest.approx(8.0, abs=1.0)
    slow = oscillation(*weaving(0.5))
    assert slow.max() <= 2.0 < OSCILLATES


@pytest.mark.parametrize("rate", [30, 60, 144])
def test_the_measure_does_not_depend_on_how_many_frames_there_are(rate):
    times, rows = weaving(3.0, rate=rate)
    assert oscillation(times, rows)[-1] == pytest.approx(6.0, abs=1.0)


def test_a_line_a_circle_and_a_corner_do_not_oscillate():
    times = np.arange(240) / RATE
    line = np.tile([3.0, 1.0, 0.0], (240, 1))
    circle = np.stack([np.cos(times * 3), np.sin(times * 3), 0 * times], axis=1)
    corner = line.copy()
    corner[120:] = [-1.0, 3.0, 0.0]
    for rows in (line, circle, corner):
        assert oscillation(times, rows).max() == 0.0


def test_trembling_that_is_slower_than_any_turn_counts_for_nothing():
    assert oscillation(*weaving(4.0, swing=0.005)).max() == 0.0


def test_who_stands_does_not_oscillate_however_its_noise_points():
    noise = np.random.default_rng(1).normal(0.0, 1e-3, (240, 3))
    times = np.arange(240) / RATE
    assert oscillation(times, noise, min_speed=0.1).max() == 0.0
    assert oscillation(times, noise).max() > OSCILLATES


def test_unknown_velocities_and_few_frames_count_for_nothing():
    times, rows = weaving(4.0)
    rows[:] = np.nan
    assert oscillation(times, rows).max() == 0.0
    assert oscillation(times[:2], rows[:2]).tolist() == [0.0, 0.0]


@given(
    st.floats(0.01, 1000), st.floats(-math.pi, math.pi), st.floats(0.5, 5),
)  # fmt: skip
def test_neither_the_unit_nor_the_direction_matters(unit, turn, hertz):
    times, rows = weaving(hertz)
    c, s = math.cos(turn), math.sin(turn)
    other = rows @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]) * unit
    # A turn that is just at the threshold may fall to either side.
    assert np.abs(oscillation(times, other) - oscillation(times, rows)).max() <= 2.0


# --- where velocities come from ------------------------------------------------------------------


def test_velocities_are_found_by_their_role_then_by_their_name():
    layout = layout_from_dtype(
        [("v", "<f4", 3), ("desired_velocity", "<f4", 2), ("speed", "<f4")],
        notes={"v": Field("m/s", "velocity")},
    )
    values = layout.decode(np.arange(6, dtype="<f4").tobytes())
    assert vectors_of(values, layout) == {
        "velocity": (0.0, 1.0, 2.0), "desired_velocity": (3.0, 4.0, 0.0),
    }  # fmt: skip
    assert vectors_of(values, None) == {}
    assert vectors_of({"velocity": 3.0, "avoidance": b"abc"}, layout) == {}


def test_a_watched_vector_is_known_only_where_it_was_watched():
    x = GrowableArray()
    x.put(2, 5.0)
    x.put(4, 6.0)
    frames = np.array([1.0, 2.0, 3.0, 4.0])
    result = watched({(9, "velocity.x"): x}, 9, "velocity", frames)
    assert result[1].tolist() == [5.0, 0.0, 0.0]
    assert np.isnan(result[[0, 2], 0]).all()
    assert watched({}, 9, "velocity", frames) is None
    assert np.isnan(exact(GrowableArray(), frames)).all()


def test_recorded_velocities_make_speed_desired_speed_and_the_angle_between(motion):
    result, _ = motion(DANCER, WEAVES[0] + 8)
    at = result.index_at((WEAVES[0] + 8) * DT)
    # A quarter of a period on, it moves to the other side.
    assert result.velocity[at] == pytest.approx([2.0, -1.5, 0.0], abs=1e-5)
    assert (result.speed[at], result.desired_speed[at]) == (pytest.approx(2.5), 2.0)
    assert result.heading_error[at] == pytest.approx(math.atan2(-1.5, 2.0))
    assert (result.unit, result.is_derived, result.has_desired) == ("m/s", False, True)


def test_it_oscillates_from_where_it_begins_to_and_not_before(motion):
    result, snapshot = motion(DANCER, 150)
    found = verdict(result, snapshot.time)
    assert found.oscillates
    since = result.times[result.turns >= OSCILLATES][0]
    assert WEAVES[0] * DT < since < WEAVES[0] * DT + 0.6
    turns = result.turns[result.index_at(snapshot.time)]
    assert found.text == f"oscillates: {turns:.1f} turns/s since 00:0{since:.3f}"
    before = verdict(result, WEAVES[0] * DT - 0.1)
    assert (before.text, before.oscillates) == ("steady: 0.0 turns/s", False)
    assert verdict(result, -5.0).text == ""


def test_a_velocity_that_nobody_recorded_follows_from_the_positions(motion):
    result, _ = motion(RUNNER, 100)
    assert result.is_derived
    assert not result.has_desired
    assert result.velocity[result.index_at(100 * DT)] == pytest.approx([-2.0, 0.0, 0.0], abs=1e-3)


def test_watched_parts_make_a_velocity(motion):
    result, _ = motion(STROLLER, 100)
    at = result.index_at(100 * DT)
    assert not result.is_derived
    assert result.velocity[at].tolist() == [0.0, 1.0, 0.0]
    assert result.desired[at].tolist() == [-1.0, 0.0, 0.0]
    assert result.heading_error[at] == pytest.approx(-math.pi / 2)


def test_the_curves_reach_as_far_as_the_recording(motion):
    result, _ = motion(DANCER, 10)
    assert result.times[0] == DT
    assert 10 * DT + 2.0 < result.times[-1] <= 10 * DT + 3.0
    assert (result.index_at(0.0), result.index_at(99.0)) == (-1, len(result.times) - 1)


# --- who comes near ------------------------------------------------------------------------------


def test_the_nearest_is_reported_with_its_closest_approach_and_no_camera_is(motion):
    _, snapshot = motion(DANCER, 32)
    near = nearest(snapshot, DANCER, np.array([2.0, 0.0, 0.0]))
    # They began 20 m apart, and each goes 2 m a second; that of the runner is not recorded.
    assert (near.object, near.guessed) == (RUNNER, True)
    assert near.distance == pytest.approx(20 - 4 * 32 * DT, abs=1e-4)
    assert near.seconds == pytest.approx(near.distance / 2)
    assert near.closest == pytest.approx(0.0, abs=1e-4)
    assert meeting(near, "m") == "runner 2, 18.00 m · closest 0.00 m in 9.00 s (assumed at rest)"


def test_the_others_recorded_velocity_counts(motion):
    _, snapshot = motion(RUNNER, 32)
    near = nearest(snapshot, RUNNER, np.array([-2.0, 0.0, 0.0]))
    assert (near.object, near.guessed) == (DANCER, False)
    assert near.seconds == pytest.approx(near.distance / 4, rel=1e-4)
    assert near.bearing == pytest.approx(math.pi)
    away = nearest(snapshot, RUNNER, np.array([3.0, 0.0, 0.0]))
    assert away.seconds == math.inf
    assert meeting(away, "m").endswith("not nearing")


def test_who_passes_by_is_reported_at_what_distance(motion):
    _, snapshot = motion(STROLLER, 32)
    near = nearest(snapshot, STROLLER, np.array([0.0, -1.0, 0.0]))
    assert near.seconds > 0
    assert near.closest < near.distance


def test_who_is_not_there_has_nobody_near(motion):
    _, snapshot = motion(DANCER, 32)
    assert nearest(snapshot, 77, np.zeros(3)) is None
