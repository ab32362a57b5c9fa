"""Statistics of a range: against what a loop over the frames would say."""

import math

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from playhead.recorder.clips.clip_source import ClipSource
from playhead.recorder.packets.trace_types import StateTransition
from playhead.viewer.backends.playback_backend import frame_page
from playhead.viewer.panels.statistics.range_statistics import (
    TimeRange,
    event_counts,
    field_statistics,
    times_of_lane,
    value_statistics,
    watch_statistics,
)
from playhead.viewer.panels.timeline.lane_cache import LaneCache
from playhead.viewer.reader.history.field_history_scan import FieldHistoryScan
from playhead.viewer.reader.history.history_record_types import FramePage
from playhead.viewer.reader.history.recording_history import RecordingHistory

from ...reader.history.test_field_history import Progress


@pytest.fixture(scope="module")
def read(clip):
    history = RecordingHistory()
    with ClipSource.open(clip) as source:
        history.span, history.marks = source.span, tuple(source.marks())
        for frame in range(1, 257):
            history.put(frame_page(source, frame))
        return history, Progress(1).read(source)


def test_the_time_in_each_state_is_what_the_loop_covers_of_it(read):
    history, _ = read
    # Patrol from 1/64, Chase 1 … 2, Patrol 2 … 3, Chase 3 … 4, Patrol at 4.
    rows = times_of_lane("guard", LaneCache().states(history, (1, "guard")), TimeRange(0.5, 3.25))
    assert [(row.machine, row.state, row.seconds, row.times) for row in rows] == [
        ("guard", "Patrol", 1.5, 2), ("guard", "Chase", 1.25, 2),
    ]  # fmt: skip
    assert [row.mean for row in rows] == [0.75, 0.625]
    assert sum(row.share for row in rows) == pytest.approx(1.0)


@given(
    st.lists(st.tuples(st.floats(0.01, 2), st.sampled_from("ABC")), min_size=1, max_size=20),
    st.floats(0, 10), st.floats(0.01, 10),
)  # fmt: skip
def test_the_times_of_all_states_are_the_stretch_as_far_as_it_is_known(rows, start, lasts):
    history, time, step, changes = RecordingHistory(), 0.0, 0.0, []
    for at, (held, state) in enumerate(rows):
        history.put(FramePage(at + 1, time, step, 0, [(1, StateTransition("m", "", state, "so"))]))
        changes.append((time, state))
        time, step = time + held, held
    end = history.end
    stretch = TimeRange(start, start + lasts)
    lane = LaneCache().states(history, (1, "m"))
    found = {row.state: row.seconds for row in times_of_lane("m", lane, stretch)}
    expected: dict[str, float] = {}
    for at, (since, state) in enumerate(changes):
        until = changes[at + 1][0] if at + 1 < len(changes) else end
        held = max(0.0, min(until, stretch.end) - max(since, stretch.start))
        expected[state] = expected.get(state, 0.0) + held
    for state, seconds in expected.items():
        assert found.get(state, 0.0) == pytest.approx(seconds, abs=1e-9)


def test_the_figures_of_a_field_are_those_of_its_frames(read):
    _, field_history = read
    rows = {row.name: row for row in field_statistics(field_history, TimeRange(0.5, 2.5))}
    hp = rows["hp"]
    frames = range(32, 161)
    values = [100.0 - 10.0 * (frame // 64) for frame in frames]
    assert (hp.frames, hp.least, hp.most, hp.first, hp.last) == (129, 80.0, 100.0, 100.0, 80.0)
    assert hp.mean == pytest.approx(np.mean(values))
    assert rows["position"].unit == "m"
    assert rows["position"].is_length
    assert rows["position"].mean == pytest.approx(3.0, abs=1e-5)
    assert "state" not in rows


def test_the_figures_of_a_watched_value(read):
    history, _ = read
    (speed,) = watch_statistics(history, 1, TimeRange(0.0, 4.0))
    assert (speed.name, speed.watch, speed.frames, speed.least, speed.most) == (
        "speed", True, 256, 1.0, 32.0,
    )  # fmt: skip


def test_what_is_no_number_is_not_counted():
    times, values = np.arange(4.0), np.array([1.0, math.nan, 3.0, math.inf])
    assert value_statistics("x", times, values, TimeRange(0, 3)).mean == 2.0
    assert value_statistics("x", times, values, TimeRange(1, 1)) is None
    assert value_statistics("x", times, values, TimeRange(7, 8)) is None


def test_what_was_stated_in_a_range_is_counted_and_how_its_frames_came(read):
    history, _ = read
    found = event_counts(history, TimeRange(0.5, 2.5))
    assert (found.frames, found.lines, found.asserts, found.marks) == (129, 2, 1, 1)
    assert found.frame_ms == pytest.approx(15.625)
    assert found.frame_ms_p99 == pytest.approx(15.625)
    assert event_counts(history, TimeRange(0.5, 2.5), 1).lines == 0
    nothing = event_counts(history, TimeRange(100.0, 101.0))
    assert (nothing.frames, nothing.lines) == (0, 0)
    assert math.isnan(nothing.frame_ms)


def test_a_scan_is_an_inquiry_that_ends(clip):
    scan = FieldHistoryScan(1, lambda: None)
    with ClipSource.open(clip) as source:
        assert scan.go_on(source, source.span, 0.0, backwards=False)  # out of time: there is more
