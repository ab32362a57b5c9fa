"""What an agent believes: as it told it last."""

import pytest

from playhead.recorder.packets.trace_types import StateTransition, TreeTick
from playhead.recorder.statements.instrumentation_interface import Belief
from playhead.viewer.reader.frame_snapshot import SnapshotReader
from playhead.viewer.reader.history.history_record_types import FramePage
from playhead.viewer.reader.history.recording_history import RecordingHistory
from playhead.viewer.state.agent_beliefs import belief_text, beliefs_of

from ..animated_recording import DANCER, DT, RUNNER


@pytest.fixture(scope="module")
def at(source):
    return SnapshotReader(source).read


def test_a_belief_has_its_age_and_how_far_off_it_is(history, at):
    (held,) = beliefs_of(history, at(100), DANCER)
    assert (held.object, held.label, held.note, held.frame) == (RUNNER, "runner 2", "heard", 96)
    assert held.age == pytest.approx(100 * DT)
    assert held.error == pytest.approx(2.0 * 100 * DT, abs=1e-3)
    assert belief_text(held, "m") == (
        f"runner 2 at (20.0, 0.0, 0.0)  off by {held.error:.3f} m  heard, seen 1.56 s ago"
    )


def test_who_stated_none_in_its_last_tick_believes_nothing_more(history, at):
    assert beliefs_of(history, at(127), DANCER)
    assert beliefs_of(history, at(128), DANCER) == []
    assert beliefs_of(history, at(250), DANCER) == []


def test_before_anything_is_reported_and_of_others_there_is_nothing(history, at):
    assert beliefs_of(history, at(4), DANCER) == []
    assert beliefs_of(history, at(100), RUNNER) == []


def belief(x, object=RUNNER):
    return (Belief(object, (x, 0.0, 0.0), 0.0),)


def test_the_newest_word_holds_whether_a_transition_or_a_tick_and_the_mute_say_nothing(at):
    history = RecordingHistory()
    history.put(
        FramePage(
            10, 1.0, DT, 0, [(DANCER, StateTransition("m", "a", "b", "w", beliefs=belief(1)))]
        )
    )
    history.put(
        FramePage(20, 2.0, DT, 0, [(DANCER, TreeTick("t", ("running",), beliefs=belief(2)))])
    )
    history.put(FramePage(30, 3.0, DT, 0, [(DANCER, StateTransition("mute", "a", "b", "w"))]))
    history.put(FramePage(40, 4.0, DT, 0, [
        (DANCER, StateTransition("m", "b", "a", "w", beliefs=belief(3))),
        (DANCER, TreeTick("t", ("running",), beliefs=belief(4))),
    ]))  # fmt: skip
    values = {frame: [held.position[0] for held in beliefs_of(history, at(frame), DANCER)]
            for frame in (9, 10, 20, 35, 40)}  # fmt: skip
    assert values == {9: [], 10: [1.0], 20: [2.0], 35: [2.0], 40: [4.0]}


def test_a_belief_in_somebody_who_is_not_there_has_no_error(at):
    history = RecordingHistory()
    trace = StateTransition("m", "a", "b", "w", beliefs=belief(1, object=99))
    history.put(FramePage(10, 1.0, DT, 0, [(DANCER, trace)]))
    (held,) = beliefs_of(history, at(12), DANCER)
    assert held.error is None
    assert "not there" in belief_text(held, "m")


def test_who_tells_beliefs_only_later_takes_none_back_before(at):
    history = RecordingHistory()
    history.put(
        FramePage(10, 1.0, DT, 0, [(DANCER, TreeTick("t", ("running",), beliefs=belief(1)))])
    )
    history.put(FramePage(20, 2.0, DT, 0, [(DANCER, StateTransition("m", "a", "b", "w"))]))
    history.put(
        FramePage(
            40, 4.0, DT, 0, [(DANCER, StateTransition("m", "b", "c", "w", beliefs=belief(2)))]
        )
    )
    history.put(FramePage(50, 5.0, DT, 0, [(DANCER, StateTransition("m", "c", "a", "w"))]))
    values = {frame: [held.position[0] for held in beliefs_of(history, at(frame), DANCER)]
            for frame in (30, 40, 60)}  # fmt: skip
    assert values == {30: [1.0], 40: [2.0], 60: []}
