"""What the panels say of a recording: inspector, machine, tree, journal, problems, rows."""

from dataclasses import dataclass

import pytest

from playhead.handlers.field_handler import FieldHandler
from playhead.recorder.clips.clip_source import ClipSource
from playhead.recorder.packets.trace_types import TreeTick
from playhead.recorder.world_adapter import Conventions
from playhead.recording_session import record
from playhead.viewer.backends.playback_backend import frame_page
from playhead.viewer.panels.behaviour_tree.tree_rows import blackboard, status_change, tree_rows
from playhead.viewer.panels.behaviour_tree.tree_rows import text_of as tree_text
from playhead.viewer.panels.inspector.inspector_rows import PINNED, field_rows, whole_value
from playhead.viewer.panels.log.log_entries import LEVELS, LogEntries, current, entries
from playhead.viewer.panels.state_machine.state_machine_model import (
    LISTED,
    graph_at,
    headline,
    state_visits,
    transition_rows,
    whole_graph,
)
from playhead.viewer.panels.state_machine.state_machine_model import panel_text as machine_text
from playhead.viewer.panels.timeline.lane_cache import LaneCache
from playhead.viewer.panels.timeline.timeline_rows import node_names, reading, rows_of
from playhead.viewer.reader.frame_snapshot import PreviousFrame, SnapshotReader
from playhead.viewer.reader.history.history_record_types import FramePage
from playhead.viewer.reader.history.recording_history import RecordingHistory
from playhead.viewer.search.problem_list import next_problem, problems, wrong_at
from playhead.viewer.toolkit.value_text import short_number

from ..yard import FAILS, NODES

MACHINE, TREE = (1, "guard"), (1, "brain")


@pytest.fixture
def source(clip):
    with ClipSource.open(clip) as opened:
        yield opened


@pytest.fixture
def history(source):
    made = RecordingHistory()
    made.span, made.marks = source.span, tuple(source.marks())
    for frame in range(1, 257):
        made.put(frame_page(source, frame))
    return made


@pytest.fixture
def at(source):
    return SnapshotReader(source).read


def test_the_inspector_tells_header_fields_and_watched_values(at):
    rows = {row.title: row for row in field_rows(at(100), 1, PreviousFrame.of(at(99), 1))}
    assert rows["object"].value == "walker · id 1"
    assert (rows["hp"].value, rows["hp"].changed) == ("90", False)
    assert rows["position"].changed
    assert (rows["position"].unit, rows["angles"].unit) == ("m", "rad")
    assert rows["joints"].value == "3 × 3 × 4 numbers"
    assert (rows["speed"].value, rows["speed"].watch) == ("5", True)
    assert rows["state"].value == "Chase"


@dataclass
class Drone:
    position: tuple[float, float, float] = (3.0, 4.0, 0.0)
    velocity: tuple[float, float, float] = (1.0, 0.0, 0.0)


def test_lengths_have_the_unit_of_the_recording_s_conventions():
    drone, pixels = Drone(), Conventions(up="-y", unit="px")
    handlers = {"Drone": FieldHandler(drone)}
    with record(drone, dt=0.1, handlers=handlers, conventions=pixels, strict=True) as rec:
        rec.update()
        snapshot = SnapshotReader(rec.source).read(1)
    rows = {row.title: row for row in field_rows(snapshot, 1)}
    units = [rows[name].unit for name in ("position", "velocity", "angles")]
    assert units == ["px", "px/s", "rad"]


def test_a_value_that_differs_from_the_frame_before_is_marked(at):
    rows = {row.title: row for row in field_rows(at(64), 1, PreviousFrame.of(at(63), 1))}
    assert rows["hp"].changed
    assert rows["state"].changed


def test_an_object_that_does_not_exist_has_no_rows(at):
    assert field_rows(at(5), 77) == []


def test_the_newest_transition_is_listed_with_all_its_reasons(at, history):
    changes = history.changes_until(MACHINE, 200, LISTED)
    rows = transition_rows(changes, at(200))
    assert [(row.text, row.newest) for row in rows if row.kind == "transition"] == [
        ("Patrol → Chase", True), ("Chase → Patrol", False), ("Patrol → Chase", False),
        ("· → Patrol", False),
    ]  # fmt: skip
    kinds = {row.kind: row for row in rows if row.kind != "transition"}
    assert kinds["won"].text == "sees"
    assert kinds["also"].text == "hears"
    assert (kinds["rejected"].text, kinds["rejected"].note) == ("hurt", "hp is not below 35")
    assert (kinds["value"].text, kinds["value"].note) == ("hp", "70")
    assert kinds["belief"].text == "south at (9.0, 9.0, 0.0)"
    assert kinds["belief"].note == "last seen, seen 1.00 s before"
    assert kinds["where"].text == f"yard.py:{kinds['where'].line}"
    assert kinds["where"].file.endswith("/yard.py")
    assert headline(changes, at(200)) == ("Patrol", "Chase", "00:03.000", "sees", "0.12 s")
    assert headline([], at(200)) is None


def test_older_transitions_can_be_opened_and_the_newest_can_be_folded(at, history):
    changes = history.changes_until(MACHINE, 200, LISTED)
    opened = transition_rows(changes, at(200), toggled=frozenset({128}))
    assert len([row for row in opened if row.kind == "won"]) == 2
    folded = transition_rows(changes, at(200), toggled=frozenset({192}))
    assert {row.kind for row in folded} == {"transition"}
    assert not any(row.opened for row in folded)


def test_a_state_s_visits_are_counted_and_their_seconds_summed(history):
    changes = history.changes[MACHINE]
    lane = LaneCache().states(history, MACHINE)
    visits = state_visits(changes, "Chase", 200, lane)
    assert (visits.entries, visits.seconds, visits.last.frame) == (2, 2.0, 192)
    assert state_visits(changes, "Chase", 191).last.frame == 64
    assert state_visits(changes, "Flee", 200, lane) == (0, 0.0, None)


def test_a_machine_as_text_has_its_newest_transition_and_all_reasons(at, history):
    changes = history.changes_until(MACHINE, 200, LISTED)
    text = machine_text(
        "north", "guard", headline(changes, at(200)), transition_rows(changes, at(200))
    )
    lines = text.splitlines()
    assert lines[:3] == [
        "north · guard", "Patrol → Chase at 00:03.000 · sees · for 0.12 s",
        "Patrol → Chase  (00:03.000)",
    ]  # fmt: skip
    assert "  lost: hurt  (hp is not below 35)" in lines
    assert "  looked at: hp  (70)" in lines


def test_the_graph_has_the_same_states_and_edges_in_every_frame(history):
    whole = whole_graph(history.changes[MACHINE])
    early = graph_at(whole, history.changes_until(MACHINE, 64, LISTED))
    late = graph_at(whole, history.changes_until(MACHINE, 250, LISTED))
    assert early.states == late.states == ("Patrol", "Chase")
    assert set(early.edges) == set(late.edges)
    assert (early.active, early.edges["Patrol", "Chase"]) == ("Chase", 1.0)
    assert early.edges["Chase", "Patrol"] == 0.0


def test_a_failed_node_says_why_and_what_was_not_ticked_is_folded(history):
    rows = tree_rows(NODES, history.tick_at(TREE, 10), history, TREE)
    values = {row.name: row for row in rows}
    assert (values["Sees?"].status, values["Sees?"].reason) == ("failure", "wall in between")
    assert values["Strike"].status == ""
    assert [row.depth for row in rows] == [0, 1, 2, 2, 1]


def test_a_branch_that_was_not_ticked_shows_how_much_is_beneath_until_it_is_opened(history):
    before = history.tick_at(TREE, 0)
    assert before is None
    (folded,) = tree_rows(NODES, before, history, TREE)
    assert (folded.reason, folded.folds, folded.folded) == ("▸ 4 not ticked", True, True)
    assert len(tree_rows(NODES, before, history, TREE, frozenset({0, 1}))) == 5


def test_a_branch_that_was_ticked_can_be_folded_too(history):
    tick = history.tick_at(TREE, 96)
    rows = {row.name: row for row in tree_rows(NODES, tick, history, TREE, frozenset({1}))}
    assert set(rows) == {"Root", "Fight", "Walk"}
    assert rows["Fight"].reason == "▸ 2 beneath"
    assert not rows["Root"].folded


def test_a_branch_that_ended_early_is_marked(history):
    rows = tree_rows(NODES, history.tick_at(TREE, 10), history, TREE)
    assert [row.name for row in rows if row.early] == ["Sees?"]
    result = tree_text("north", "brain", rows, [])
    assert "    Sees?  [failure: wall in between]" in result.splitlines()
    assert "    Strike  [not ticked]" in result.splitlines()


def test_a_nodes_status_is_followed_to_where_it_changes(history):
    ticks = history.ticks[TREE]
    assert [status_change(ticks, 3, at, 1) for at in (1, 64, 192, 256)] == [64, 128, 256, None]
    assert [status_change(ticks, 3, at, -1) for at in (64, 65, 250)] == [None, 64, 192]


def test_a_blackboard_holds_what_was_written_last():
    history = RecordingHistory()
    for frame, board in ((1, {"hp": 9, "goal": "gate"}), (2, {}), (3, {"hp": 7})):
        trace = TreeTick("brain", ("running",), blackboard=board)
        history.put(FramePage(frame, float(frame), 1.0, 0, [(1, trace)]))
    result = blackboard(history, TREE, history.tick_at(TREE, 3))
    assert result == [("goal", "gate", 1, 1.0, False, ""), ("hp", 7, 3, 3.0, True, "")]
    assert blackboard(history, TREE, history.tick_at(TREE, 2))[1].value == 9
    assert blackboard(history, TREE, None) == []


def test_a_running_node_says_since_when(history):
    tick = history.tick_at(TREE, 96)
    (strike,) = (row for row in tree_rows(NODES, tick, history, TREE) if row.name == "Strike")
    assert strike.seconds == pytest.approx(0.5)


def test_the_journal_has_lines_marks_and_failed_checks_in_order(history):
    found = entries(history, str, frozenset(LEVELS))
    assert [(one.frame, one.level) for one in found] == [
        (40, "error"), (100, "warning"), (120, "info"), (FAILS, "assert"),
    ]  # fmt: skip
    assert found[current(found, 119)].frame == 100
    assert current(found, 1) == -1
    assert [one.frame for one in entries(history, str, frozenset({"assert"}))] == [FAILS]
    assert [one.frame for one in entries(history, str, frozenset(LEVELS), "PATH long")] == [100]


def test_problems_are_errors_and_failed_checks_and_one_walks_them_around(history):
    found = problems(history)
    assert [(one.frame, one.object) for one in found] == [(40, 2), (FAILS, 2)]
    assert [next_problem(found, frame, 1).frame for frame in (1, 40, 200)] == [40, FAILS, 40]
    assert [next_problem(found, frame, -1).frame for frame in (200, FAILS, 1)] == [FAILS, 40, FAILS]
    assert next_problem([], 5, 1) is None


def test_a_moment_says_what_is_wrong_with_it(at, history):
    assert wrong_at(history, at(FAILS)) == "", "failed checks have the banner"
    assert wrong_at(history, at(FAILS - 1)) == ""
    assert wrong_at(history, None) == ""


def test_a_gap_is_a_problem_and_reported_on_its_brink(gapped):
    history = RecordingHistory()
    with ClipSource.open(gapped) as source:
        for frame in (*range(1, 101), *range(181, 257)):
            history.put(frame_page(source, frame))
        assert [one.frame for one in problems(history)] == [40, 100]
        snapshot = SnapshotReader(source).read(100)
    assert wrong_at(history, snapshot).startswith("No frames for 1.250 s")


def test_the_timeline_has_the_selected_first_then_events_then_agents(at, history):
    snapshot = at(100)

    def rows(selected: int, folded: frozenset[str] = frozenset()):
        return rows_of(
            history, selected, snapshot.name_of, folded, lambda key: node_names(snapshot, key)
        )

    assert [row.title for row in rows(1)] == [
        "north · selected", "guard", "brain leaf", "speed", "Events", "Marks", "Log",
    ]  # fmt: skip
    assert [row.title for row in rows(0)] == [
        "Events", "Marks", "Log", "States · 1 agent", "north",
    ]  # fmt: skip
    assert [row.title for row in rows(1, frozenset({"selected"}))][:2] == [
        "north · selected", "Events",
    ]  # fmt: skip
    values = {row.title: reading(row, snapshot.time, history)[0] for row in rows(1)}
    assert (values["guard"], values["brain leaf"], values["speed"]) == ("Chase", "Strike", "5")


@pytest.mark.parametrize(
    ("value", "text"),
    [(3.0, "3"), (1.23456, "1.235"), (123.456, "123.46"), (1e9, "1.00e+09"), (1e-5, "1.00e-05"),
     (float("nan"), "nan"), (0.0, "0")],
)  # fmt: skip
def test_numbers_are_short(value, text):
    assert short_number(value) == text


def test_the_journal_is_made_anew_only_when_something_was_stated_or_named(history):
    journal, every = LogEntries(), frozenset(LEVELS)
    first = entries(history, str, every, journal=journal)
    assert entries(history, str, every, journal=journal) is first
    assert journal.counts == {
        "debug": 0,
        "info": 1,
        "warning": 1,
        "error": 1,
        "assert": 1,
        "event": 0,
    }
    named = entries(history, lambda object: "somebody", every, journal=journal, named=1)
    assert {one.who for one in named} == {"", "somebody"}
    history.marks = ()
    assert len(entries(history, str, every, journal=journal, named=1)) == 2


def test_what_was_starred_stands_on_top_in_the_order_of_the_stars(at):
    rows = field_rows(at(100), 1, stars=("speed", "hp", "nothing"))
    assert [(row.title, row.starred) for row in rows[:3]] == [
        (PINNED, False), ("speed", True), ("hp", True),
    ]  # fmt: skip
    assert [row.title for row in rows].count("hp") == 1
    assert "Watched" not in [row.title for row in rows]


def test_a_complete_value_leaves_nothing_out(at):
    snapshot = at(100)
    rows = {row.title: row for row in field_rows(snapshot, 1)}
    assert whole_value(snapshot, 1, rows["hp"]) == "90.0"
    assert whole_value(snapshot, 1, rows["state"]) == "Chase"
    assert whole_value(snapshot, 1, rows["position"]).count(" ") >= 2
    assert "[[" in whole_value(snapshot, 1, rows["joints"])
    assert whole_value(snapshot, 1, rows["speed"]) == "5.0"
    assert whole_value(snapshot, 1, rows["flags"]) == "visible"
