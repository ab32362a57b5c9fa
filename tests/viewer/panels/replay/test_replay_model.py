"""The replay panel's lines, without its picture."""

import pytest

from playhead.viewer.panels.replay.replay_model import (
    CurrentDemo,
    DemoFailureRow,
    DemoOutcomeRow,
    ReplayedDemo,
    ReplayRowKind,
    ReplayState,
    card_of,
    replay_state_of,
    rows_of,
    selected_all,
    times,
    toggled,
)

FAILED = DemoOutcomeRow(
    "two",
    "failed",
    3,
    1,
    4.25,
    2,
    7,
    40,
    DemoFailureRow("no way to row 41", 5.5, 330, 1),
    "two.mcap",
    ("gave up on slime",),
    1,
)
PLAYED = ReplayState(
    True, 1, 2, 0.5,
    (ReplayedDemo("one", True, "finished", 1.0), ReplayedDemo("two", False, "waiting"),
     ReplayedDemo("three", True, "playing", 0.25)),
    CurrentDemo("three", 12, 50, "enemy_battle"),
    (DemoOutcomeRow("one", "finished", 3, 1, 9.0, run=1), FAILED), 1,
)  # fmt: skip


def test_the_demos_come_first_then_the_present_one_then_the_newest_outcomes():
    rows = rows_of(PLAYED)
    assert [row.kind for row in rows] == [
        ReplayRowKind.HEADING,
        ReplayRowKind.DEMO,
        ReplayRowKind.DEMO,
        ReplayRowKind.DEMO,
        ReplayRowKind.WORDS,
        ReplayRowKind.HEADING,
        ReplayRowKind.OUTCOME,
        ReplayRowKind.OUTCOME,
    ]
    results = [row.summary for row in rows]
    assert results[0] == "Demos · time 1 of 2   50%"
    assert results[1:4] == ["[x] one   finished", "[ ] two   to be skipped", "[x] three   25%"]
    assert results[4] == "row 12 of 50 · enemy_battle   three"
    assert results[5] == "Report   1 of 2 finished"
    assert results[6] == "✕  two — no way to row 41   seed 3   4.2 s"
    assert results[7] == "✓  one   seed 3   9.0 s"


def test_what_was_refused_is_reported():
    assert [row.title for row in rows_of(PLAYED, "no") if row.kind is ReplayRowKind.WRONG] == ["no"]


def test_a_failure_of_another_run_of_the_game_is_no_place_in_this_recording():
    here = rows_of(PLAYED)[6]
    assert here.here
    other = ReplayState(outcomes=(FAILED,), run=2)
    assert not rows_of(other)[-1].here
    assert any("of another run" in line for line in card_of(rows_of(other)[-1]))
    assert "00:05.500   frame 330: a click goes there" in card_of(here)
    assert {"clip two.mcap", "gave up on slime"} <= {*card_of(here)}
    assert "4.2 s, row 40, 7 transitions, 2 recoveries" in card_of(here)


def test_the_agents_own_words_about_a_failure_are_not_shown_twice():
    text = "the replay of two.csv failed at row 5 of 9 in move_checkpoint: stuck"
    one = DemoOutcomeRow("two", "failed", failure=DemoFailureRow(text))
    row = rows_of(ReplayState(outcomes=(one,)))[-1]
    assert row.title == "✕  two — stuck"
    assert text in card_of(row)


def test_commands_to_the_game():
    assert toggled(PLAYED, "two") == {"do": "select", "demos": ["one", "two", "three"]}
    assert toggled(PLAYED, "one") == {"do": "select", "demos": ["three"]}
    assert selected_all(PLAYED, on=False) == {"do": "select", "demos": []}
    assert times(PLAYED, 1) == {"do": "times", "times": 3}
    assert times(ReplayState(), -1) == {"do": "times", "times": 1}


@pytest.mark.parametrize("body", [None, 3, {"demos": 5}, {"demos": [{}]}, {"times": "x"}])
def test_what_makes_no_sense_is_no_standing(body):
    assert replay_state_of(body) is None
