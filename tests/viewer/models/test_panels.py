"""What the panels say of a recording: inspector, machine, tree, journal, problems, rows."""

import pytest

from playhead.recorder.clips.source import ClipSource
from playhead.viewer.models.branches import branches
from playhead.viewer.models.deck import page_of
from playhead.viewer.models.fields import field_rows
from playhead.viewer.models.history import History
from playhead.viewer.models.journal import LEVELS, current, entries
from playhead.viewer.models.machine import account, graph, headline
from playhead.viewer.models.moment import MomentReader
from playhead.viewer.models.problems import beside, problems, wrong_at
from playhead.viewer.models.tracks import node_names, reading, rows_of, short

from ..yard import FAILS, NODES

MACHINE, TREE = (1, "guard"), (1, "brain")


@pytest.fixture
def source(clip):
    with ClipSource.open(clip) as opened:
        yield opened


@pytest.fixture
def history(source):
    made = History()
    made.span, made.marks = source.span, tuple(source.marks())
    for frame in range(1, 257):
        made.put(page_of(source, frame))
    return made


@pytest.fixture
def at(source):
    return MomentReader(source).read


def test_the_inspector_tells_header_fields_and_watched_values(at):
    rows = {row.title: row for row in field_rows(at(100), 1, at(99))}
    assert rows["object"].value == "walker · id 1"
    assert (rows["hp"].value, rows["hp"].changed) == ("90", False)
    assert rows["position"].changed
    assert (rows["position"].unit, rows["angles"].unit) == ("m", "rad")
    assert rows["joints"].value == "3 × 3 × 4 numbers"
    assert (rows["speed"].value, rows["speed"].watch) == ("5", True)
    assert rows["state"].value == "Chase"


def test_a_value_that_differs_from_the_frame_before_is_marked(at):
    rows = {row.title: row for row in field_rows(at(64), 1, at(63))}
    assert rows["hp"].changed
    assert rows["state"].changed


def test_an_object_that_is_not_there_has_nothing_to_tell(at):
    assert field_rows(at(5), 77) == []


def test_the_newest_transition_is_told_with_all_its_reasons(at, history):
    changes = history.changes_until(MACHINE, 200)
    told = account(changes, at(200))
    assert [(row.text, row.newest) for row in told if row.kind == "transition"] == [
        ("Patrol → Chase", True), ("Chase → Patrol", False), ("Patrol → Chase", False),
        ("· → Patrol", False),
    ]  # fmt: skip
    kinds = {row.kind: row for row in told if row.kind != "transition"}
    assert kinds["won"].text == "sees"
    assert kinds["also"].text == "hears"
    assert (kinds["rejected"].text, kinds["rejected"].note) == ("hurt", "hp is not below 35")
    assert (kinds["value"].text, kinds["value"].note) == ("hp", "70")
    assert kinds["belief"].text == "south at (9.0, 9.0, 0.0)"
    assert headline(changes, at(200)) == ("Chase", "for 0.12 s")


def test_an_older_transition_tells_its_reasons_when_it_is_opened(at, history):
    changes = history.changes_until(MACHINE, 200)
    opened = account(changes, at(200), opened=frozenset({128}))
    assert len([row for row in opened if row.kind == "won"]) == 2


def test_the_graph_is_the_same_wherever_one_stands_but_for_what_is_fresh(history):
    every = history.changes[MACHINE]
    early = graph(every, history.changes_until(MACHINE, 64))
    late = graph(every, history.changes_until(MACHINE, 250))
    assert early.states == late.states == ("Patrol", "Chase")
    assert set(early.edges) == set(late.edges)
    assert (early.active, early.edges["Patrol", "Chase"]) == ("Chase", 1.0)
    assert early.edges["Chase", "Patrol"] == 0.0


def test_a_failed_node_says_why_and_what_was_not_ticked_is_folded(history):
    rows = branches(NODES, history.tick_at(TREE, 10), history, TREE)
    told = {row.name: row for row in rows}
    assert (told["Sees?"].status, told["Sees?"].reason) == ("failure", "wall in between")
    assert told["Strike"].status == ""
    assert [row.depth for row in rows] == [0, 1, 2, 2, 1]


def test_a_branch_that_was_not_ticked_shows_how_much_is_beneath_until_it_is_opened(history):
    before = history.tick_at(TREE, 0)
    assert before is None
    (folded,) = branches(NODES, before, history, TREE)
    assert folded.reason == "▸ 4 not ticked"
    assert len(branches(NODES, before, history, TREE, frozenset({0, 1}))) == 5


def test_a_running_node_says_since_when(history):
    tick = history.tick_at(TREE, 96)
    (strike,) = (row for row in branches(NODES, tick, history, TREE) if row.name == "Strike")
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
    assert [beside(found, frame, 1).frame for frame in (1, 40, 200)] == [40, FAILS, 40]
    assert [beside(found, frame, -1).frame for frame in (200, FAILS, 1)] == [FAILS, 40, FAILS]
    assert beside([], 5, 1) is None


def test_a_moment_says_what_is_wrong_with_it(at, history):
    assert wrong_at(history, at(FAILS)) == "Check failed: walkers stay inside"
    assert wrong_at(history, at(FAILS - 1)) == ""
    assert wrong_at(history, None) == ""


def test_a_gap_is_a_problem_and_said_on_its_brink(gapped):
    history = History()
    with ClipSource.open(gapped) as source:
        for frame in (*range(1, 101), *range(181, 257)):
            history.put(page_of(source, frame))
        assert [one.frame for one in problems(history)] == [40, 100]
        moment = MomentReader(source).read(100)
    assert wrong_at(history, moment).startswith("No frames for 1.250 s")


def test_the_timeline_has_the_selected_first_then_events_then_agents(at, history):
    moment = at(100)

    def rows(selected: int, folded: frozenset[str] = frozenset()):
        return rows_of(
            history, selected, moment.name_of, folded, lambda key: node_names(moment, key)
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
    told = {row.title: reading(row, moment.time, history)[0] for row in rows(1)}
    assert (told["guard"], told["brain leaf"], told["speed"]) == ("Chase", "Strike", "5")


@pytest.mark.parametrize(
    ("value", "text"),
    [(3.0, "3"), (1.23456, "1.235"), (123.456, "123.46"), (1e9, "1.00e+09"), (1e-5, "1.00e-05"),
     (float("nan"), "nan"), (0.0, "0")],
)  # fmt: skip
def test_numbers_are_short(value, text):
    assert short(value) == text
