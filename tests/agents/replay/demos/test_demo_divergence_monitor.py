"""What the demo had beside what the game has: curves, marks, and the first divergence."""

from collections.abc import Sequence
from typing import Any

from playhead.agents.recorded_demo import Demo, DemoRow
from playhead.agents.replay.demos.demo_divergence_monitor import FRAMES, ROWS, DemoDivergenceMonitor
from playhead.games.playable_interface import Observation, OutcomeRule
from playhead.recorder.statements.instrumentation_interface import NULL_INSTRUMENTATION

from ...playthrough.rows import row


class Notes:
    """Keeps what is marked and watched."""

    def __init__(self) -> None:
        self.marks: list[tuple[str, str]] = []
        self.watched: dict[str, float] = {}
        self.trace = NULL_INSTRUMENTATION.trace

    def mark(self, name: str, note: str = "", **rest: Any) -> None:
        self.marks.append((name, note))

    def watch(self, name: str, value: float, object: int = 0) -> None:
        self.watched[name] = value


def compared(
    outcomes: dict[str, OutcomeRule] | None = None, **own: Sequence[float | bool | str]
) -> tuple[DemoDivergenceMonitor, Notes]:
    """A comparison with a demo that has this in its rows; by default the coins are to be equal."""
    length = len(next(iter(own.values())))
    rows: list[DemoRow] = [row(x=at / 10) for at in range(length)]
    demo = Demo.of(rows, own=own)
    demo.outcomes = outcomes or {"coins": "equal"}
    notes = Notes()
    return DemoDivergenceMonitor(demo, notes, 1), notes


def seen(**extras: float | bool | str) -> Observation:
    return Observation((0.0, 0.0, 0.0), 0.0, (0.0, 0.0), extras=extras)


def test_what_stays_otherwise_is_a_divergence_since_the_demos_row():
    comparison, notes = compared(coins=[4.0] * 100 + [1.0] * 200)
    for at in range(300):
        comparison.step(at, seen(coins=4.0), at, at / 30)
    first = comparison.first
    assert first is not None
    assert (first.text, first.row) == ("coins 4, demo 1, since row 100", 100)
    assert first.frame == 100
    assert notes.marks == [("divergence", first.text)]
    assert (notes.watched["demo.coins"], notes.watched["seen.coins"]) == (1.0, 4.0)
    assert comparison.end(seen(coins=4.0), 300, 10.0) == "coins is 4, at the demo's end it is 1"


def test_what_the_game_changed_by_itself_differs_since_then():
    comparison, _ = compared(coins=[0.0] * 200 + [2.0] * 100)
    for at in range(300):
        comparison.step(at, seen(coins=0.0 if at < 50 else 1.0), at, at / 30)
    first = comparison.first
    assert first is not None
    assert (first.text, first.frame) == ("coins 1, demo 0, since row 50", 50)


def test_what_comes_somewhat_earlier_or_later_is_none():
    comparison, notes = compared(coins=[4.0] * 100 + [1.0] * 200)
    for at in range(300):
        comparison.step(at, seen(coins=4.0 if at < 100 + ROWS - 5 else 1.0), at, at / 30)
    assert (comparison.first, notes.marks) == (None, [])
    assert comparison.end(seen(coins=1.0), 300, 10.0) == ""


def test_what_becomes_as_in_the_demo_again_was_marked_and_is_none_any_more():
    comparison, notes = compared(coins=[0.0] * 300)
    for at in range(300):
        value = 5.0 if 50 <= at < 60 + FRAMES else 0.0
        comparison.step(at, seen(coins=value), at, at / 30)
    assert [name for name, _ in notes.marks] == ["divergence", "divergence ends"]
    assert comparison.first is None


def test_what_never_comes_is_a_divergence_although_the_agent_gets_no_farther():
    comparison, notes = compared(flags=[""] * 100 + ["open"] * 100, outcomes={"flags": "equal"})
    for at in range(400):
        row = at if at <= 105 else 95 + at % 10  # again and again it goes back to the switch
        comparison.step(row, seen(flags=""), at, at / 30)
    first = comparison.first
    assert first is not None
    assert (first.text, first.frame) == ("flags nothing, demo 'open', since row 100", 100)
    assert [name for name, _ in notes.marks] == ["divergence"]


def test_who_takes_a_while_to_open_a_door_does_not_differ():
    comparison, notes = compared(flags=[""] * 100 + ["open"] * 100, outcomes={"flags": "equal"})
    for at in range(260):
        row = at if at <= 105 else max(95 + at % 10, at - 60)
        comparison.step(row, seen(flags="open" if at > 140 else ""), at, at / 30)
    assert (comparison.first, notes.marks) == (None, [])


def test_more_than_the_demo_had_is_right_where_it_has_to_be_included_only():
    comparison, _ = compared({"flags": "includes"}, flags=["lamp, key"])
    assert comparison.end(seen(flags="apple, key, lamp"), 1, 0.0) == ""
    result = comparison.end(seen(flags="apple, key"), 1, 0.0)
    assert result == "flags is 'apple, key', at the demo's end it is 'lamp, key'"


def test_what_is_only_noted_fails_nothing_and_says_why_something_else_did():
    comparison, notes = compared(
        {"coins": "noted", "flags": "equal"}, coins=[4.0, 1.0], flags=["", "lamp"]
    )
    assert comparison.end(seen(coins=4.0, flags="lamp"), 1, 0.0) == ""
    for at in range(3):
        comparison.step(1, seen(coins=7.0, flags=""), at, at / 30)
    assert comparison.end(seen(coins=7.0, flags=""), 1, 0.0) != ""
    assert [note for _, note in notes.marks] == [
        "coins 7, demo 1, since row 0", "flags nothing, demo 'lamp', since row 1",
    ]  # fmt: skip
