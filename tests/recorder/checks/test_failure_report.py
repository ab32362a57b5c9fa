"""A failure told in lines: what is in them, and what does not."""

from pathlib import Path

import pytest

from playhead.agents.playthrough import trace_writer
from playhead.errors import EvictedError
from playhead.recorder.checks.check_policy import UNATTENDED
from playhead.recorder.checks.failed_check_tracker import FailedCheck
from playhead.recorder.checks.failure_report import (
    check_text,
    decision_lines,
    object_label,
    place_text,
    state_lines,
    value_lines,
    watched_lines,
)
from playhead.recorder.statements.instrumentation_interface import Belief, Rejected
from playhead.session import Session

from ...support.fake_world import FakeWorld

DT = 1 / 64


@pytest.fixture
def session():
    with Session(FakeWorld(), "1 MiB", on_check=UNATTENDED) as one:
        yield one


def step(session, seconds=DT):
    session.world.seconds += seconds
    session.update(seconds)


def transit(session, source, target, machine="guard", **rest):
    session.trace.state(7, machine, source, target, won="sees", **rest)
    step(session)


def test_an_object_is_called_by_its_name_by_its_type_or_by_its_id(session):
    session.name(7, "north")
    step(session)
    source = session.source
    assert object_label(source, 1, 7) == "north (id 7)"
    assert object_label(source, 1, 8) == "id 8"
    assert object_label(source, 1, 0) == "the world"


def test_a_file_is_seen_from_its_project():
    assert place_text("/p/ai/guard.py", Path("/p")) == "ai/guard.py"
    assert place_text("/q/guard.py", Path("/p")) == "/q/guard.py"
    assert place_text("/q/guard.py") == "/q/guard.py"


def test_a_check_says_where_when_and_about_whom(session):
    session.name(7, "north")
    step(session)
    violation = FailedCheck("stays in", "x < 3", 7, "/p/a.py", 4, frame=1, time=0.5)
    assert check_text(session.source, violation, folder=Path("/p")) == [
        "CHECK FAILED at 0.500 s, frame 1: stays in",
        "  expression  x < 3",
        "  object      north (id 7)",
        "  from        a.py:4",
    ]
    bare = FailedCheck("stays in", "", 0, "", 0, frame=1)
    assert check_text(session.source, bare, title="STOPPED") == [
        "STOPPED at 0.000 s, frame 1: stays in"
    ]


def test_decisions_come_newest_first_with_reasons_values_beliefs_and_losers(session):
    session.name(9, "player")
    transit(session, "", "Patrol")
    transit(
        session, "Patrol", "Chase", also_true=["hears"], values={"range": 2.0, "sees": True},
        beliefs=[Belief(9, (1.0, 2.0, 0.0), session.world.seconds - 1.0, "last seen")],
        rejected=[Rejected("hurt", "hp is not below 35")],
    )  # fmt: skip
    assert decision_lines(session.source, 2, 7) == [
        "Its last decisions, newest first:",
        "  frame     2   Patrol → Chase   because sees (also true: hears)",
        "               looked at range 2, sees True",
        "               believed player (id 9) at (1.0, 2.0, 0.0): last seen, 1.0 s old",
        "               rejected hurt: hp is not below 35",
        "  frame     1        · → Patrol  because sees",
    ]
    assert decision_lines(session.source, 1, 7)[1:] == [
        "  frame     1        · → Patrol  because sees"
    ]
    assert decision_lines(session.source, 2, 8) == []


def test_decisions_of_several_machines_are_distinguished_and_no_more_than_wanted(session):
    for number in range(4):
        transit(session, f"a{number}", f"a{number + 1}", "body")
        transit(session, f"b{number}", f"b{number + 1}", "mind")
    lines = decision_lines(session.source, 8, 7, limit=3)
    assert [line.split("→")[1].split()[0] for line in lines[1:]] == ["b4", "a4", "b3"]
    assert ["mind:" in line for line in lines[1:]] == [True, False, True]


def test_a_belief_ages_in_game_time_also_after_a_restart(session):
    step(session, 100.0)
    session.world.seconds = 5.0
    step(session, 0.0)
    seen = session.world.seconds - 2.0
    transit(session, "", "Chase", beliefs=[Belief(9, (0.0, 0.0, 0.0), seen)])
    belief = decision_lines(session.source, 3, 7)[-1]
    assert belief.endswith("believed id 9 at (0.0, 0.0, 0.0), 2.0 s old")


def test_watched_values_are_those_of_one_object_and_the_worlds_or_all(session):
    session.watch("speed", 1.5, object=7)
    session.watch("speed", 2.5, object=8)
    session.watch("load", 0.25)
    step(session)
    assert watched_lines(session.source, 1, 7) == [
        "Watched in frame 1:", "  load = 0.25", "  speed = 1.5"
    ]  # fmt: skip
    assert watched_lines(session.source, 1)[1:] == [
        "  load = 0.25", "  speed = 1.5   id 7", "  speed = 2.5   id 8"
    ]  # fmt: skip
    step(session)
    assert watched_lines(session.source, 2) == []


def test_a_long_list_says_how_much_it_leaves_out(session):
    for number in range(20):
        session.watch(f"w{number:02}", number)
    step(session)
    lines = watched_lines(session.source, 1)
    assert len(lines) == 14
    assert lines[-1] == "  … and 8 more"


def test_states_say_since_when(session):
    session.name(7, "north")
    transit(session, "", "Patrol")
    step(session)
    assert state_lines(session.source, 2) == [
        "States at frame 2:", "  north (id 7)  guard: Patrol since frame 1, because sees"
    ]  # fmt: skip


def test_a_check_that_always_fails_has_no_expression_to_show(session):
    session.name(7, "north")
    step(session)
    failed = FailedCheck("out of reach", "False", 7, "/p/a.py", 4, 1, 0.5)
    assert not any("expression" in line for line in check_text(session.source, failed))


def test_playheads_own_agents_are_no_place_to_look_for_a_cause(session):
    session.name(7, "north")
    step(session)
    failed = FailedCheck("stuck", "False", 7, trace_writer.__file__, 4, 1, 0.5)
    assert not any("from" in line for line in check_text(session.source, failed))


def test_an_empty_text_is_shown_as_one():
    assert value_lines({"event": "", "hp": 3.0}) == "event '', hp 3"


def test_of_a_frame_that_is_not_recorded_nothing_is_reported(session):
    step(session)
    with pytest.raises(EvictedError):
        watched_lines(session.source, 5)
