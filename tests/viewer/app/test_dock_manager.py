"""Panels: closing, floating, layouts, and the keyboard in them."""

import json

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from PyQt6.QtTest import QTest

from playhead.viewer.state.panel_layouts import PRESETS
from playhead.viewer.toolkit.qt import QApplication, QDockWidget, QMenu, Qt

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def opened(window, clip):
    return window(clip)


def dock(opened, name: str) -> QDockWidget:
    return next(one for one in opened.findChildren(QDockWidget) if one.objectName() == name)


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_a_preset_opens_its_panels_and_the_first_of_each_place_is_in_front(opened, until, name):
    opened.layouts.arrange(name)
    docking, layout = opened.docking, PRESETS[name]
    for panel in docking.names:
        assert docking.is_open(panel) is (panel in layout.docks)
    for stack in (*layout.left, *layout.right, *layout.bottom):
        front = next(panel for panel in stack if panel in docking.names)
        until(lambda front=front: docking.is_in_sight(front))
    until(lambda: opened.world.width() > 250 and opened.world.height() > 150)


def test_a_closed_panel_is_brought_back_to_its_place(opened):
    area = opened.dockWidgetArea(dock(opened, "Timeline"))
    opened.docking.close_panel("Timeline")
    assert not opened.timeline.isVisible()
    opened.acts.toggle_panel("Timeline")
    assert opened.timeline.isVisible()
    assert opened.dockWidgetArea(dock(opened, "Timeline")) == area


def test_a_layout_is_saved_by_name_and_chosen_in_another_window(opened, window, clip):
    opened.docking.close_panel("Objects")
    opened.layouts.save("Mine")
    opened.layouts.arrange("AI")
    assert opened.docking.is_open("Objects")
    opened.layouts.arrange("Mine")
    assert not opened.docking.is_open("Objects")
    other = window(clip, remember=False)
    assert other.docking.is_open("Objects")
    assert "Mine" in other.layouts.names
    other.layouts.arrange("Mine")
    assert not other.docking.is_open("Objects")
    other.layouts.forget("Mine")
    assert "Mine" not in other.layouts.names


def test_a_name_that_can_t_be_is_said(opened):
    opened.layouts.save("AI")
    assert "preset" in opened.status.left.text()


def test_the_next_window_stands_as_this_one_was_left(opened, window, clip):
    opened.docking.close_panel("State machine")
    opened.docking.open("Plots")
    opened.close()
    other = window(clip)
    assert not other.docking.is_open("State machine")
    assert other.docking.is_in_sight("Plots")
    picture = window(clip, remember=False)
    assert picture.docking.is_open("State machine")


def test_another_recording_keeps_the_panels_where_they_are(opened, gapped, until):
    opened.docking.close_panel("Objects")
    opened.view(str(gapped))
    until(lambda: opened.clock.is_settled and opened.timeline.isVisible())
    assert not opened.docking.is_open("Objects")


def test_what_is_remembered_but_makes_no_sense_is_not_believed(window, clip, settings_of_its_own):
    settings_of_its_own.mkdir()
    (settings_of_its_own / "layouts.json").write_text(
        json.dumps(
            {
                "": "AAAA",
                "Odd": '{"qt": "AAAA", "shares": {"Log": [1e9, -4]}}',
            }
        )
    )
    one = window(clip)
    assert one.docking.is_in_sight("Timeline")
    one.layouts.arrange("Odd")
    assert "Odd" in one.status.left.text()
    assert one.docking.is_in_sight("Timeline")


def test_f6_goes_around_the_panels_and_back(opened):
    seen = []
    for _ in range(12):
        QTest.keyClick(opened, Qt.Key.Key_F6)
        seen.append(opened.docking.current)
        if not opened.docking.current:
            break
    shown = [name for name in opened.docking.names if opened.docking.is_in_sight(name)]
    assert seen == [*shown, ""]
    QTest.keyClick(opened, Qt.Key.Key_F6, SHIFT)
    assert opened.docking.current == shown[-1]


def test_the_panel_in_focus_is_framed_has_the_keyboard_and_can_be_closed(opened, until):
    opened.activateWindow()
    opened.docking.focus("Log")
    until(lambda: QApplication.focusWidget() is not None
          and opened.log.isAncestorOf(QApplication.focusWidget()))  # fmt: skip
    frame = opened.docking._frame
    until(frame.isVisible)
    assert frame.geometry() == dock(opened, "Log").geometry()
    QTest.keyClick(opened, Qt.Key.Key_W, CTRL)
    assert not opened.docking.is_open("Log")
    assert not frame.isVisible()


def test_ctrl_f_filters_the_panel_in_focus(opened, until, no_panel_at_hand):
    opened.activateWindow()

    no_panel_at_hand(opened)  # the panel under the mouse would be meant
    opened.docking.focus("Log")
    QTest.keyClick(opened, Qt.Key.Key_F, CTRL)
    until(lambda: opened.focusWidget() is opened.log.filter)
    opened.docking.focus("")
    QTest.keyClick(opened, Qt.Key.Key_F, CTRL)
    until(lambda: opened.focusWidget() is opened.objects.filter)


def test_keys_work_in_a_panel_that_floats(opened, until):
    floating = dock(opened, "State machine")
    floating.setFloating(True)
    until(floating.isWindow)
    QTest.keyClick(floating, Qt.Key.Key_T)
    assert opened.world.camera.top
    floating.setFloating(False)


def test_the_menu_lists_layouts_and_panels(opened):
    opened.layouts.save("Mine")
    menu = QMenu()
    opened.acts.offer_layouts(menu)
    told = {action.text(): action for action in menu.actions()}
    assert {*PRESETS, "Mine", "Save this layout …", "Forget a layout", "Timeline"} <= set(told)
    assert told["Timeline"].isChecked()
    told["Timeline"].trigger()
    assert not opened.docking.is_open("Timeline")
    menu.deleteLater()


def test_titles_are_there_only_where_no_tab_says_the_name(opened, until):
    until(lambda: not dock(opened, "Inspector").titleBarWidget().name.isVisible())
    assert dock(opened, "Timeline").titleBarWidget().name.text() == "Timeline"
    assert dock(opened, "Timeline").titleBarWidget().name.isVisible()
    opened.docking.close_panel("Plots")
    opened.docking.close_panel("Range") if "Range" in opened.docking.names else None
    until(lambda: dock(opened, "Inspector").titleBarWidget().name.isVisible())


def test_a_layout_of_a_larger_window_keeps_its_shares(window, clip, until):
    large = window(clip, size=(1900, 1060))
    until(lambda: large.timeline.height() > 300)
    shares = large.timeline.height() / 1060, large.inspector.width() / 1900
    large.close()
    small = window(clip, size=(1100, 640))
    until(lambda: small.timeline.height() / 640 == pytest.approx(shares[0], abs=0.06))
    until(lambda: small.inspector.width() / 1100 == pytest.approx(shares[1], abs=0.06))
