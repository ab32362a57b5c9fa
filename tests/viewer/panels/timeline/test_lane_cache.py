"""Kept lanes: whatever was appended, they are what they would be if made again."""

import hypothesis.strategies as st
import numpy as np
from hypothesis import example, given

from playhead.recorder.packets.log_lines import LogLine
from playhead.recorder.packets.mark import Mark
from playhead.recorder.packets.trace_types import StateTransition, TreeTick
from playhead.viewer.panels.timeline.lane_cache import LaneCache
from playhead.viewer.reader.history.history_record_types import FramePage
from playhead.viewer.reader.history.lane_data import SpanLane, leaf_lane, state_lane
from playhead.viewer.reader.history.recording_history import RecordingHistory

NODES = ["root", "walk", "hide"]
STATES = ("Patrol", "Chase", "Stunned")


def page(frame: int, what: int) -> FramePage:
    state = StateTransition("guard", "", STATES[what % 3], "because")
    leaf = ["running", *("running" if at == what % 2 else "" for at in range(2))]
    traces = [(1, state), (1, TreeTick("brain", tuple(leaf)))]
    # Now and then nothing is said in a frame but that the agent is gone.
    return FramePage(frame, frame / 8, 1 / 8, 0, traces if what < 4 else [], gone=[1] * (what == 5))


def same(one: SpanLane, other: SpanLane) -> bool:
    end = float(other.ends[-1]) + 0.5
    return (
        one.names == other.names and one.colors == other.colors and one.grave == other.grave
        and np.array_equal(one.starts, other.starts) and np.array_equal(one.ends, other.ends)
        and np.array_equal(one.pixels(0.0, end, 40), other.pixels(0.0, end, 40))
    )  # fmt: skip


@given(
    st.lists(
        st.tuples(st.sampled_from(("put", "put", "put", "forget")), st.integers(1, 30),
                  st.integers(0, 5)), min_size=1, max_size=25,
    )
)  # fmt: skip
@example([("put", 1, 0), ("put", 3, 5), ("put", 2, 0)])  # which makes a gap shorter
def test_a_cached_lane_is_what_it_would_be_if_made_anew(steps):
    history, cache = RecordingHistory(), LaneCache()
    newest = 0
    for what, frame, trace in steps:
        if what == "put":
            # Mostly the newest comes, as in a game that runs.
            frame = newest + frame if trace % 2 else frame
            newest = max(newest, frame)
            history.put(page(frame, trace))
        else:
            history.forget_before(frame)
        if not history.changes or not history.changes[1, "guard"]:
            continue
        end, ends = history.read_until, history.ends.get(1, ())
        fresh = state_lane(history.changes[1, "guard"], end, history.gaps, ends)
        assert same(cache.states(history, (1, "guard")), fresh)
        fresh = leaf_lane(history.ticks[1, "brain"], NODES, end, history.gaps(), ends)
        assert same(cache.leaves(history, (1, "brain"), NODES), fresh)


def test_a_lane_that_only_grew_is_the_same_one():
    history, cache = RecordingHistory(), LaneCache()
    history.put(page(1, 0))
    lane = cache.states(history, (1, "guard"))
    history.put(page(2, 1))
    assert cache.states(history, (1, "guard")) is lane
    history.put(page(1, 2))
    assert cache.states(history, (1, "guard")) is not lane


def test_another_history_has_other_lanes():
    cache = LaneCache()
    first, second = RecordingHistory(), RecordingHistory()
    first.put(page(1, 0))
    second.put(page(1, 1))
    assert cache.states(first, (1, "guard")).names == ["Patrol"]
    assert cache.states(second, (1, "guard")).names == ["Chase"]


def test_marks_and_lines_are_made_anew_only_when_something_was_stated():
    history, cache = RecordingHistory(), LaneCache()
    history.put(FramePage(1, 0.5, 0.5, 0, lines=[LogLine("path is long", "warning")]))
    history.marks = (Mark("here", 1, 0.5),)
    lines, marks = cache.lines(history), cache.marks(history)
    history.put(FramePage(2, 1.0, 0.5, 0))
    assert cache.lines(history) is lines
    assert cache.marks(history) is marks
    history.put(FramePage(3, 1.5, 0.5, 0, lines=[LogLine("again")]))
    assert [event.text for event in cache.lines(history)] == ["path is long", "again"]
