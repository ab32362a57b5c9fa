"""The state machine panel: what it shows, and what clicks and keys do in it."""

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from playhead.viewer.panels.state_machine.state_machine_panel import StateMachinePanel
from playhead.viewer.toolkit import palette
from playhead.viewer.toolkit.qt import QApplication, QPointF

from ...animated_recording import DANCER, RUNNER, make_clip
from ..panel_harness import open_dock

SWING = 66
"""The frame after the legs went from Stand to Swing."""


@pytest.fixture(scope="module")
def hall(tmp_path_factory):
    path = tmp_path_factory.mktemp("machine") / "hall.mcap"
    make_clip(path)
    return path


@pytest.fixture
def stage(app, until, hall):
    with open_dock(app, until, StateMachinePanel, hall) as made:
        made.panel.choose("legs")
        made.go(SWING, DANCER)
        yield made


def row_of(stage, kind, index=0):
    """The row of the first reason of a kind, or of a later one; two rows are above all reasons."""
    rows = [at for at, row in enumerate(stage.panel.rows) if row.kind == kind]
    return rows[index] + 2


def test_the_header_has_both_states_the_time_the_condition_and_the_duration(stage):
    assert stage.panel.headline == ("Stand", "Swing", "00:01.016", "music", "0.02 s")
    assert stage.panel.text().splitlines()[:2] == [
        "Ada · legs", "Stand → Swing at 00:01.016 · music · for 0.02 s",
    ]  # fmt: skip


def test_the_active_state_is_filled_and_the_others_are_not(stage):
    box = stage.panel.box_of(1)
    for index, name in enumerate(stage.panel._graph.states):
        state_box = stage.panel._graph_painter.state_box(index, box)
        colors = stage.colors(state_box.left() + 4, state_box.top() + 4, 4, 4)
        assert (palette.state_color(name) in colors) == (name == "Swing"), name


def test_the_newest_arrow_has_the_colour_of_its_state(stage):
    bright = palette.mixed(palette.state_color("Swing"), 0.0, "#323a47")
    box = stage.panel.box_of(1)
    assert bright in stage.colors(0, box.top(), stage.panel.width(), box.height())


def test_rejected_conditions_are_listed_with_their_reasons_below_the_one_that_won(stage):
    kinds = [(row.kind, row.text, row.note) for row in stage.panel.rows]
    first = kinds.index(("won", "music", ""))
    assert kinds[first : first + 4] == [
        ("won", "music", ""), ("also", "lights", "also true, came later in order"),
        ("rejected", "crowd", "3 people are not above 5"), ("value", "beat", "65"),
    ]  # fmt: skip


def test_a_belief_shows_its_age_and_error_and_a_click_selects_its_object(stage):
    row = row_of(stage, "current belief")
    belief = stage.panel.rows[row - 2]
    assert belief.text == "runner 2 · heard"
    assert belief.note.startswith("off by 2.06")
    assert belief.note.endswith("m · seen 1.03 s ago")
    stage.click(100, stage.middle(row))
    assert stage.store.selected == RUNNER


def test_a_click_on_the_name_of_another_machine_shows_it(stage):
    chips = stage.panel._header.chips(stage.panel._header_content(), stage.panel.box_of(0))
    assert [chip.machine for chip in chips] == ["hands", "legs"]
    stage.click(chips[0].box.left() + 5, 10)
    assert stage.panel.key == (DANCER, "hands")
    assert stage.panel.headline.target == "Open"
    stage.menu(0)["Show legs"]()
    assert stage.panel.key == (DANCER, "legs")


def test_a_click_on_a_transition_goes_there_and_one_on_its_sign_opens_it(stage):
    stage.panel.resize(440, 900)
    row = row_of(stage, "transition", 1)
    assert not stage.panel.rows[row - 2].opened
    stage.click(15, stage.middle(row))
    assert stage.panel.rows[row - 2].opened
    stage.click(100, stage.middle(row))
    stage.until(lambda: stage.store.frame == 1)


def test_file_and_line_open_in_the_editor(stage):
    row = row_of(stage, "where")
    stage.click(100, stage.middle(row))
    ((file, line),) = stage.sources
    assert file.endswith("/animated_recording.py")
    assert line > 0
    (name,) = (name for name in stage.menu(row) if name.startswith("Open animated_recording.py:"))
    stage.menu(row)[name]()
    assert len(stage.sources) == 2


def test_a_click_on_a_state_goes_to_its_last_entry_before_this_frame(stage):
    box = stage.panel.box_of(1)
    middle = stage.panel._graph_painter.state_box(0, box).center()
    assert stage.panel._graph.states[0] == "Stand"
    stage.click(middle.x(), middle.y())
    stage.until(lambda: stage.store.frame == 1)


def test_hover_cards_describe_states_transitions_and_reasons(stage):
    box = stage.panel.box_of(1)
    at = stage.panel._graph_painter.state_box(1, box).center() - box.topLeft()
    assert stage.panel.card(1, at) == [
        "Swing", "entered twice, 1.98 s in all", "last at 00:01.016, because music",
        "click goes there",
    ]  # fmt: skip
    assert stage.panel.card(0, QPointF(5, 5))[1] == "because music"
    assert stage.panel.card(row_of(stage, "rejected"), QPointF())[:2] == [
        "crowd", "3 people are not above 5",
    ]  # fmt: skip
    row = row_of(stage, "transition")
    picture = stage.hover(100, stage.middle(row))
    assert "#0b0d11" in {
        picture.pixelColor(x, y).name()
        for x in range(110, 200, 4) for y in range(0, stage.panel.height(), 4)
    }  # fmt: skip


def test_keys_move_over_the_rows_and_enter_folds(stage):
    stage.panel.setFocus()
    stage.press("Down")
    assert stage.panel.cursor_row == 2
    while stage.panel.rows[stage.panel.cursor_row - 2].kind != "transition":
        stage.press("Down")
    assert any(row.kind == "won" for row in stage.panel.rows)
    stage.press("Return")
    assert not any(row.kind == "won" for row in stage.panel.rows)
    stage.press("Enter")
    assert any(row.kind == "won" for row in stage.panel.rows)
    stage.press("Up")
    assert stage.panel.cursor_row == row_of(stage, "transition") - 1
    for _ in range(9):
        stage.press("PageUp")
    assert stage.panel.cursor_row == 2
    for _ in range(9):
        stage.press("PageDown")
    assert stage.panel.cursor_row == len(stage.panel.heights()) - 1


def test_it_is_copied_as_plain_text(stage):
    stage.menu(-1)["Copy as text"]()
    copied = QApplication.clipboard().text()
    assert copied == stage.panel.text()
    assert "  lost: crowd  (3 people are not above 5)" in copied
    assert "believes runner 2 at (20.0, 0.0, 0.0)" in copied


def test_without_a_state_machine_or_an_object_the_panel_says_so(stage):
    stage.go(SWING, RUNNER)
    assert stage.panel.text() == "No state machine is recorded for this object"
    assert stage.panel.heights() == []
    stage.go(SWING, 0)
    assert stage.panel.text() == "Select an object to see what it decides"
    stage.picture()
    assert "trace.state" in stage.panel.empty_hint


def test_a_hidden_panel_is_rebuilt_when_it_is_needed(stage):
    stage.panel.hide()
    stage.go(130, DANCER)
    assert stage.panel._changes[0].frame == 65
    assert stage.panel.headline is not None
    newest = next(row for row in stage.panel.rows if row.kind == "transition")
    assert newest.text == "Swing → Stand"
