"""The objects dock as a person uses it."""

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from PyQt6.QtTest import QTest

from playhead.viewer.panels.objects.object_list import ObjectListView, number_order
from playhead.viewer.panels.objects.objects_panel import ObjectsPanel
from playhead.viewer.scene.display_layers import Layers
from playhead.viewer.toolkit import palette
from playhead.viewer.toolkit.qt import QPointF, Qt

from ..panel_harness import open_dock

SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def stage(app, until, clip):
    with open_dock(app, until, ObjectListView, clip) as made:
        made.go(100, 0)
        yield made


@pytest.fixture
def docked(app, until, clip):
    with open_dock(app, until, lambda store: ObjectsPanel(store, Layers()), clip) as made:
        yield made


def titles(stage) -> list[str]:
    return [row.title for row in stage.panel.rows]


def test_objects_stand_under_their_type_with_their_state(stage):
    assert titles(stage) == ["walker", "north", "south"]
    assert stage.panel.text() == "walker   2\n  north   id 1   Chase\n  south   id 2   Patrol"
    stage.click(60, stage.middle(2))
    assert stage.store.selected == 2
    stage.click(60, stage.middle(0))
    assert titles(stage) == ["walker"]


def test_names_are_in_the_order_of_their_numbers():
    names = ["guard 10", "guard 2", "guard", "7 dwarfs", "guard 2b", "guard 99999999999999999999"]
    assert sorted(names, key=number_order) == [
        "7 dwarfs", "guard", "guard 2", "guard 2b", "guard 10", "guard 99999999999999999999",
    ]  # fmt: skip


def test_one_that_leaves_traces_has_a_full_dot_and_any_other_a_ring(stage):
    middles = [stage.panel.box_of(row).center().y() for row in (1, 2)]
    image = stage.picture()
    shade = palette.type_color("walker", ("walker",))
    assert image.pixelColor(32, int(middles[0])).name() == shade
    assert image.pixelColor(32, int(middles[1])).name() != shade
    assert stage.panel.is_tracked(1)
    assert not stage.panel.is_tracked(2)


def test_an_eye_hides_one_and_the_type_s_all(stage):
    right = stage.panel.width() - 12
    stage.click(right, stage.middle(1))
    assert stage.store.hidden == {1}
    assert stage.store.selected == 0
    stage.click(right, stage.middle(0))
    assert stage.store.hidden == {1, 2}
    stage.click(right, stage.middle(0))
    assert stage.store.hidden == frozenset()


def test_the_menu_shows_nothing_else_and_everything_again(stage):
    stage.menu(1)["Show nothing else"]()
    assert stage.store.hidden == {2}
    stage.menu(1)["Show everything"]()
    assert stage.store.hidden == frozenset()
    stage.menu(0)["Hide walker"]()
    assert stage.store.hidden == {1, 2}
    from playhead.viewer.state.shared_pins_and_histories import PanelContext

    stage.menu(2)["Pin its lanes"]()
    assert PanelContext.of(stage.store).pins.objects == (2,)


def test_by_the_keyboard_enter_selects_and_shift_enter_hides(stage):
    stage.panel.setFocus()
    stage.press("Down")
    stage.press("Down")
    stage.press("Down")
    stage.press("Return")
    assert stage.store.selected == 2
    QTest.keyClick(stage.panel, Qt.Key.Key_Return, SHIFT)
    assert stage.store.hidden == {2}
    stage.press("Up")
    stage.press("Up")
    stage.press("Return")
    assert titles(stage) == ["walker"]


def test_the_filter_finds_by_name_type_and_id_and_leads_into_the_list(docked):
    panel = docked.panel
    QTest.keyClicks(panel.filter, "walker sou")
    assert [row.title for row in panel.list.rows] == ["walker", "south"]
    QTest.keyClick(panel.filter, Qt.Key.Key_Return)
    assert docked.store.selected == 2
    panel.filter.clear()
    QTest.keyClick(panel.filter, Qt.Key.Key_Down)
    assert panel.list.cursor_row >= 0
    QTest.keyClicks(panel.filter, "zzz")
    assert panel.list.text() == "Nothing matches"


def test_the_cards_say_who_it_is(stage):
    assert stage.panel.card(1, QPointF(60, 5)) == [
        "north   walker · id 1", "Chase", "● leaves traces: it has lanes in the timeline",
    ]  # fmt: skip
    eye = QPointF(stage.panel.width() - 10, 5)
    assert stage.panel.card(1, eye) == ("Show or hide north in this window",)


def test_a_chip_switches_a_channel_for_everybody_and_a_layer_here(docked):
    panel = docked.panel
    docked.until(lambda: "#ai" in panel.chips)
    panel.chips["#ai"].click()
    docked.until(lambda: docked.store.playback.hidden == frozenset({"ai"}))
    panel.switch(0)
    assert not panel.layers.is_on("bodies")
