"""Without a selection the inspector sums the recording up, in a real window."""

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from PyQt6.QtTest import QTest

import playhead as ph
from playhead.viewer.panels.inspector.recording_summary_list import SummaryList
from playhead.viewer.toolkit.qt import QPointF, Qt

from ...yard import FAILS


@pytest.fixture
def opened(window, clip, until):
    made = window(clip)
    made.store.select(0)
    until(summary_of(made).isVisible)
    return made


def summary_of(opened) -> SummaryList:
    return opened.findChild(SummaryList)


def section(opened, heading: str) -> list[tuple[str, str]]:
    """Texts and notes of the rows below a heading."""
    rows = summary_of(opened).rows
    first = next(at for at, row in enumerate(rows) if row.is_heading and row.text == heading)
    found = []
    for row in rows[first + 1 :]:
        if row.is_heading:
            break
        found.append((row.text, row.note))
    return found


def test_it_names_problems_what_changed_last_marks_and_agents_with_their_states(opened):
    assert section(opened, "Problems") == [
        ("path request failed", "south"), ("walkers stay inside", "south"),
    ]  # fmt: skip
    text, note = section(opened, "Changed last")[0]
    assert text == "north   Chase → Patrol"
    assert note.endswith("ago")
    assert section(opened, "Marks") == [("here", "by hand")]
    assert section(opened, "Agents") == [("north", "Patrol")]


def test_what_changed_last_and_the_states_follow_the_playhead(opened, until):
    opened.store.jump(100)
    until(lambda: opened.store.frame == 100)
    opened.store.select(0)
    assert [text for text, _ in section(opened, "Changed last")] == [
        "north   Patrol → Chase", "north   → Patrol",
    ]  # fmt: skip
    assert section(opened, "Agents") == [("north", "Chase")]


def test_a_click_on_a_problem_goes_there_and_selects_whom_it_is_about(opened, until):
    summary = summary_of(opened)
    opened.store.jump(10)
    until(lambda: opened.store.frame == 10)
    row = next(at for at, one in enumerate(summary.rows) if one.text == "walkers stay inside")
    height = summary.heights()[0]
    QTest.mouseClick(
        summary, Qt.MouseButton.LeftButton, pos=QPointF(120, (row + 0.5) * height).toPoint()
    )
    until(lambda: opened.store.frame == FAILS)
    assert opened.store.selected == 2
    assert opened.inspector.isVisible()


def test_without_agents_it_counts_the_objects_by_type(window, tmp_path, until):
    class Coin:
        value = 3

    with ph.record({"a": Coin(), "b": Coin()}, tmp_path / "coins.mcap", dt=0.1) as rec:
        rec.update()
    made = window(tmp_path / "coins.mcap")
    until(summary_of(made).isVisible)
    assert section(made, "Objects") == [("Coin", "2")]
    assert "No problems" in summary_of(made).text()
