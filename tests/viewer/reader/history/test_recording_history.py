"""The history of a recording: filled in any order, forgotten at the old end."""

import hypothesis.strategies as st
import pytest
from hypothesis import given

from playhead.recorder.packets.log_lines import LogLine
from playhead.recorder.packets.mark import Mark
from playhead.recorder.packets.recorded_frame import FrameRange
from playhead.recorder.packets.trace_types import StateTransition, TreeTick
from playhead.viewer.reader.damaged_ranges import DamagedRange
from playhead.viewer.reader.history.history_record_types import UNREAD, FramePage
from playhead.viewer.reader.history.recording_history import RecordingHistory

KEY = (1, "guard")


def change(source: str, target: str) -> tuple[int, StateTransition]:
    return 1, StateTransition("guard", source, target, "won")


def tick(*statuses: str) -> tuple[int, TreeTick]:
    return 1, TreeTick("brain", statuses)


def page(frame: int, *traces, lines=(), watches=None, flags=0) -> FramePage:
    return FramePage(frame, frame / 10, 0.1, flags, traces, lines, watches or {})


PAGES = [
    page(1, change("", "A"), watches={(1, "hp"): 1.0}),
    page(2, lines=[LogLine("two", "error")]),
    page(3, change("A", "B"), tick("running"), watches={(1, "hp"): 3.0}),
    page(4, tick("running")),
    page(5, change("B", "C"), tick("success"), flags=1, lines=[LogLine("five")]),
]


def contents_of(history: RecordingHistory):
    return (
        {key: [(one.frame, one.trace.target) for one in rows]
         for key, rows in history.changes.items()},
        {key: [one.frame for one in rows] for key, rows in history.ticks.items()},
        [(row.frame, row.line.text) for row in history.lines],
        history.series[1, "hp"].values.tolist(), history.times.values.tolist(),
        sorted(history.damaged), history.states,
    )  # fmt: skip


@given(st.permutations([*PAGES, PAGES[1], PAGES[2]]))
def test_pages_make_the_same_history_in_whatever_order_they_come_and_how_often(pages):
    history, straight = RecordingHistory(), RecordingHistory()
    for one in pages:
        history.put(one)
    for one in PAGES:
        straight.put(one)
    assert contents_of(history) == contents_of(straight)


def test_states_are_in_the_order_in_which_they_appear():
    history = RecordingHistory()
    for one in (page(5, change("C", "B")), page(3, change("Z", "C")), page(7, change("B", "C"))):
        history.put(one)
    known = history.new_states
    assert history.states == ["Z", "C", "B"]
    history.put(page(9, change("C", "Z")))
    assert history.new_states == known


def test_a_page_that_is_read_again_replaces_its_content():
    history = RecordingHistory()
    for one in PAGES:
        history.put(one)
    history.put(page(3, change("A", "X"), change("X", "Y")))
    assert [one.trace.target for one in history.changes[KEY]] == ["A", "X", "Y", "C"]


def test_the_state_at_the_oldest_frame_is_known_though_its_transition_is_gone():
    history = RecordingHistory()
    history.begin(3, 0.3, {KEY: change("A", "B")[1]})
    history.put(page(5, change("B", "C")))
    assert [one.trace.target for one in history.changes_until(KEY, 4, 9)] == ["B"]
    assert [one.trace.target for one in history.changes_until(KEY, 9, 9)] == ["C", "B"]
    assert [one.trace.target for one in history.changes_until(KEY, 9, 1)] == ["C"]


def test_a_transition_of_the_frame_where_it_begins_is_reported_once():
    history = RecordingHistory()
    history.begin(1, 0.1, {KEY: change("", "A")[1]})
    history.put(PAGES[0])
    assert [one.frame for one in history.changes[KEY]] == [1]


def test_a_state_that_began_in_a_gap_begins_behind_it():
    history = RecordingHistory()
    history.put(PAGES[0])
    history.begin(8, 0.8, {KEY: change("B", "C")[1]})
    assert [(one.frame, one.trace.target) for one in history.changes[KEY]] == [(1, "A"), (8, "C")]


def test_what_is_forgotten_leaves_the_state_that_holds():
    history = RecordingHistory()
    for one in PAGES:
        history.put(one)
    history.forget_before(4)
    assert [one.trace.target for one in history.changes[KEY]] == ["B", "C"]
    assert history.times.frames.tolist() == [4, 5]
    assert [row.frame for row in history.lines] == [5]


def test_gaps_stand_between_recorded_frames():
    history = RecordingHistory()
    for frame in (1, 2, 7, 8):
        history.put(page(frame))
    assert [(round(gap.start, 6), round(gap.end, 6)) for gap in history.gaps()] == [(0.2, 0.6)]


def test_a_game_that_ran_on_unrecorded_left_a_gap_although_no_number_is_missing():
    history = RecordingHistory()
    for frame, time in enumerate((0.1, 0.2, 2.0, 2.1), start=1):
        history.put(FramePage(frame, time, 0.1, 0))
    (gap,) = history.gaps()
    assert [round(gap.start, 6), round(gap.end, 6)] == [0.2, 1.9]
    assert history.damage_in(gap) is None


def test_a_node_runs_since_the_first_of_the_ticks_in_which_it_runs_without_a_break():
    history, key = RecordingHistory(), (1, "brain")
    for frame, status in enumerate(("running", "success", "running", "running"), start=1):
        history.put(page(frame, tick(status)))
    now = history.tick_at(key, 9)
    assert now is not None
    assert now.frame == 4
    assert history.running_since(key, 0, now) == (0.3, True)


def running(*frames):
    """A node that runs in these frames, as far as they were read, and since when."""
    history, key = RecordingHistory(), (1, "brain")
    for frame in frames:
        history.put(page(frame, tick("running")))
    return history.running_since(key, 0, history.tick_at(key, frames[-1]))


def test_a_node_that_runs_behind_missing_frames_may_have_run_before():
    assert running(1, 2, 3) == (0.1, True)
    assert running(4, 5, 6) == (0.4, False), "the frames before were not read"
    assert running(1, 2, 7, 8) == (0.7, False)
    assert running(1, 2, 7, 8, 12) == (1.2, False)


def test_a_tree_that_nobody_ticked_before_ran_since_its_first_tick():
    history, key = RecordingHistory(), (1, "brain")
    for frame in (1, 6, 7):
        history.put(page(frame))
    history.put(page(8, tick("running")))
    assert history.running_since(key, 0, history.tick_at(key, 8)) == (0.8, True)
    one = RecordingHistory()
    one.put(page(1))
    one.put(page(6, tick("running")))
    assert one.running_since(key, 0, one.tick_at(key, 6)) == (0.6, False)


def test_events_are_changes_of_state_and_ticks_that_differ_from_the_one_before():
    history = RecordingHistory()
    for one in PAGES:
        history.put(one)
    assert history.events(1) == [1, 3, 5]
    assert history.events(2) == []
    assert history.agents() == [1]


def test_what_can_t_be_shown_is_gaps_and_what_is_evicted():
    history = RecordingHistory()
    for frame in (1, 2, 10, 11):
        history.put(FramePage(frame, frame / 8, 1 / 8, 0))
    held = FrameRange(2, 11, 2 / 8, 11 / 8)
    assert history.missing(0.0, 2.0, held) == [
        (2 / 8, 9 / 8, "no data"), (0.0, 2 / 8, "evicted"),
    ]  # fmt: skip
    assert history.missing(0.5, 1.0, held) == [(0.5, 1.0, "no data")]
    assert history.missing(1.2, 1.3, held) == []


def test_it_counts_what_makes_cached_lanes_and_lists_stale():
    history = RecordingHistory()
    history.put(FramePage(1, 0.1, 0.1, 0, [(1, StateTransition("m", "", "A", "so"))]))
    history.put(FramePage(3, 0.3, 0.1, 0, [(1, StateTransition("m", "A", "B", "so"))]))
    assert (history.rewrites, history.spoken) == (0, 0)
    history.put(FramePage(2, 0.2, 0.1, 0, [(1, StateTransition("m", "A", "C", "so"))]))
    assert history.rewrites == 1
    history.marks = (Mark("here", 1),)
    assert history.spoken == 1


def test_what_was_stated_up_to_a_frame_is_known_when_all_since_the_oldest_was_read():
    history = RecordingHistory()
    assert not history.is_known(5)
    history.span = FrameRange(1, 9, 0.1, 0.9)
    for frame in (5, 6, 7):
        history.put(page(frame))
    assert not history.is_known(6)
    assert history.is_known(6, since=5)
    assert not history.is_known(6, since=4)
    assert not history.is_known(8, since=5)
    assert history.is_known(8, since=5, newest=True)
    for frame in (4, 3, 2, 1):
        history.put(page(frame))
    assert history.is_known(6)
    assert not history.is_known(8)
    history.damage = (DamagedRange(8, 9, 0.8, 0.9),)
    assert history.is_known(8)


def test_what_is_damaged_at_the_beginning_is_not_waited_for_and_reported():
    history = RecordingHistory()
    history.span = FrameRange(1, 5, 0.1, 0.5)
    history.damage = (DamagedRange(1, 2, 0.1, 0.2),)
    for frame in (3, 4, 5):
        history.put(page(frame))
    assert history.is_known(4)
    assert {(one.start, one.end, one.why) for one in history.missing(0.1, 1.0, history.span)} >= {
        (0.1, 0.2, "damaged")
    }


def test_of_two_transitions_in_the_first_frame_the_last_one_holds():
    """What held at that frame is told before its own transitions are."""
    first, second = change("", "title"), change("title", "walk")
    history = RecordingHistory()
    history.begin(1, 0.1, {KEY: second[1]})
    history.put(page(1, first, second))
    assert [one.trace.target for one in history.changes[KEY]] == ["title", "walk"]
    assert history.changes_until(KEY, 9, 1)[0].trace.target == "walk"
    history.put(page(1, first, second))
    assert [one.trace.target for one in history.changes[KEY]] == ["title", "walk"]


def test_a_state_that_was_true_before_stays_if_its_first_frame_is_read_again():
    history = RecordingHistory()
    history.begin(3, 0.3, {KEY: change("A", "B")[1]})
    history.put(page(3))
    history.put(page(3, lines=[LogLine("late")]))
    assert [one.trace.target for one in history.changes[KEY]] == ["B"]


def test_what_was_not_read_so_far_is_missing_until_all_is_read():
    history, held = RecordingHistory(), FrameRange(1, 9, 0.1, 0.9)
    history.span = held
    assert history.missing(0.0, 2.0, held) == [(0.0, 0.1, "evicted"), (0.1, 0.9, UNREAD)]
    history.put(page(4))
    history.put(page(5))
    ranges = [one[:2] for one in history.missing(0.1, 2.0, held)]
    assert ranges == [pytest.approx((0.1, 0.3)), pytest.approx((0.5, 0.9))]
    assert history.why_missing(0.2, held) == history.why_missing(0.7, held) == UNREAD
    assert history.why_missing(0.4, held) == history.why_missing(0.5, held) == ""
    history.lag = 1.0
    assert history.why_missing(0.7, held) == "", "a game that runs is read a moment later"
    history.lag, history.complete = 0.0, True
    assert history.missing(0.1, 2.0, held) == []


def test_damage_behind_what_was_read_is_damage_and_not_unread():
    history, held = RecordingHistory(), FrameRange(1, 9, 0.1, 0.9)
    history.span, history.damage = held, (DamagedRange(6, 7, 0.5, 0.7),)
    history.put(page(1))
    assert history.why_missing(0.6, held) == "damaged"
    assert history.why_missing(0.4, held) == history.why_missing(0.8, held) == UNREAD


def test_who_is_gone_has_ended_wherever_that_is_learned():
    history = RecordingHistory()
    history.put(page(1, change("", "A")))
    history.put(page(4)._replace(gone=[1]))
    history.put(page(4)._replace(gone=[1]))
    assert [end.frame for end in history.ends[1]] == [4]
    assert history.end_of(1, 1, 3) is None
    assert history.end_of(1, 1, 4).time == 0.4
    history.put(page(6, change("", "B")))
    assert history.end_of(1, 6, 9) is None, "it is there again"
    # Behind a gap nothing is said of it any more: it went in the gap.
    history.begin(9, 0.9, {})
    assert [end.frame for end in history.ends[1]] == [4, 9]
    history.begin(12, 1.2, {})
    assert [end.frame for end in history.ends[1]] == [4, 9]
    history.forget_before(5)
    assert [end.frame for end in history.ends[1]] == [9]
