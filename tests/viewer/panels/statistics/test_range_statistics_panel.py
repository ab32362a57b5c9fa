"""The range dock as a person uses it."""

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from playhead.playback.commands import Loop
from playhead.viewer.panels.statistics.range_statistics_panel import StatisticsPanel
from playhead.viewer.state.pinned_fields import ObjectField
from playhead.viewer.toolkit import palette
from playhead.viewer.toolkit.qt import QPointF

from ..panel_harness import open_dock


@pytest.fixture
def stage(app, until, clip):
    with open_dock(app, until, StatisticsPanel, clip) as made:
        made.panel.resize(440, 700)
        made.go(100, 1)
        until(lambda: made.panel.context.field_history(1).progress >= 1.0)
        yield made


def shown_rows(stage) -> dict[str, tuple[str, ...]]:
    return {row.title: row.cells for row in stage.panel.rows}


def test_without_a_loop_it_is_about_all_that_is_recorded(stage):
    rows = shown_rows(stage)
    assert rows["Δ 3.984 s · all that is held"] == ("00:00.016 … 00:04.000",)
    assert rows["frames"] == ("256",)
    assert rows["frame, mean · 99 %"] == ("15.62 · 15.62 ms",)
    assert rows["lines · failed checks · marks"] == ("2 · 1 · 1",)
    assert rows["hp"] == ("60", "84.84", "100", "100", "60")
    assert rows["|position| m"][1] == "3"


def test_with_a_loop_it_is_about_the_loop(stage):
    stage.store.send(Loop(1.0, 2.5))
    stage.until(lambda: stage.store.playback.loop is not None)
    rows = shown_rows(stage)
    assert rows["Δ 1.500 s · loop"] == ("00:01.000 … 00:02.500",)
    assert rows["frames"] == ("97",)
    states = [
        row for row in stage.panel.rows if row.state is not None and row.state.machine == "guard"
    ]
    assert [(row.title, row.cells) for row in states] == [
        ("Chase", ("67%", "1.00 s", "1 ×", "1.00 s")),
        ("Patrol", ("33%", "0.50 s", "1 ×", "0.50 s")),
    ]
    leaves = {row.title for row in stage.panel.rows if row.state and row.state.machine == "brain"}
    assert leaves == {"Strike", "Walk"}


def test_a_state_has_a_bar_as_long_as_its_share(stage):
    stage.store.send(Loop(1.0, 2.5))
    stage.until(lambda: stage.store.playback.loop is not None)
    row = next(at for at, one in enumerate(stage.panel.rows) if one.title == "Patrol")
    box = stage.panel.box_of(row)
    assert palette.state_color("Patrol") in stage.colors(12, box.top(), 6, box.height())
    third = 18 + (box.width() - 28) / 3
    y = box.top() + 3
    assert stage.colors(third - 8, y, 4, 1) != stage.colors(third + 8, y, 4, 1)


def test_headings_fold_and_values_can_be_plotted(stage):
    titles = [row.title for row in stage.panel.rows]
    heading = titles.index("north · values")
    hp = titles.index("hp")
    stage.menu(hp)["Plot"]()
    stage.menu(hp)["Add as lane"]()
    assert (
        stage.panel.context.pins.plots == stage.panel.context.pins.lanes == (ObjectField(1, "hp"),)
    )
    stage.click(100, stage.middle(heading))
    assert "hp" not in shown_rows(stage)
    stage.panel.setFocus()
    stage.press("Return")
    assert "hp" in shown_rows(stage)


def test_cards_say_it_in_words(stage):
    rows = stage.panel.rows
    hp = next(at for at, row in enumerate(rows) if row.title == "hp")
    assert stage.panel.card(hp, QPointF())[1:] == (
        "from 60 to 100, 84.8438 on average", "100 at first, 60 at last, in 256 frames",
    )  # fmt: skip
    patrol = next(at for at, row in enumerate(rows) if row.title == "Patrol")
    assert stage.panel.card(patrol, QPointF())[2].startswith("3 × ")


def test_as_text_it_can_be_pasted_into_a_table(stage):
    lines = stage.panel.text().splitlines()
    assert "  hp\t60\t84.84\t100\t100\t60" in lines
    assert "north · values\tmin\tmean\tmax\tfirst\tlast" in lines


def test_without_a_selection_it_says_so(stage):
    stage.store.select(0)
    assert "Select an object for its states and values" in shown_rows(stage)
    assert stage.picture()
