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


def panel(opened, name: str) -> QDockWidget:
    return next(one for one in opened.findChildren(QDockWidget) if one.objectName() == name)


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_a_preset_opens_its_panels_and_the_first_of_each_place_is_in_front(opened, until, name):
    opened.layouts.arrange(name)
    docks, layout = opened.docks, PRESETS[name]
    for panel in docks.names:
        assert docks.is_open(panel) is (panel in layout.docks)
    for stack in (*layout.left, *layout.right, *layout.bottom):
        front = next(panel for panel in stack if panel in docks.names)
        until(lambda front=front: docks.is_in_sight(front))
    until(lambda: opened.world.width() > 250 and opened.world.height() > 150)


def test_a_closed_panel_is_brought_back_to_its_place(opened):
    area = opened.dockWidgetArea(panel(opened, "Timeline"))
    opened.docks.close_panel("Timeline")
    assert not opened.timeline.isVisible()
    opened.action_handlers.toggle_panel("Timeline")
    assert opened.timeline.isVisible()
    assert opened.dockWidgetArea(panel(opened, "Timeline")) == area


def test_a_layout_is_saved_by_name_and_chosen_in_another_window(opened, window, clip):
    opened.docks.close_panel("Objects")
    opened.layouts.save("Mine")
    opened.layouts.arrange("AI")
    assert opened.docks.is_open("Objects")
    opened.layouts.arrange("Mine")
    assert not opened.docks.is_open("Objects")
    other = window(clip, remember=False)
    assert other.docks.is_open("Objects")
    assert "Mine" in other.layouts.names
    other.layouts.arrange("Mine")
    assert not other.docks.is_open("Objects")
    other.layouts.forget("Mine")
    assert "Mine" not in other.layouts.names


def test_a_name_that_can_t_be_is_reported(opened):
    opened.layouts.save("AI")
    assert "preset" in opened.status.left.text()


def test_the_next_window_stands_as_this_one_was_left(opened, window, clip):
    opened.docks.close_panel("State machine")
    opened.docks.open("Plots")
    opened.close()
    other = window(clip)
    assert not other.docks.is_open("State machine")
    assert other.docks.is_in_sight("Plots")
    picture = window(clip, remember=False)
    assert picture.docks.is_open("State machine")


def test_another_recording_keeps_the_panels_where_they_are(opened, gapped, until):
    opened.docks.close_panel("Objects")
    opened.view(str(gapped))
    until(lambda: opened.store.is_settled and opened.timeline.isVisible())
    assert not opened.docks.is_open("Objects")


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
    assert one.docks.is_in_sight("Timeline")
    one.layouts.arrange("Odd")
    assert "Odd" in one.status.left.text()
    assert one.docks.is_in_sight("Timeline")


def test_f6_goes_around_the_panels_and_back(opened):
    seen = []
    for _ in range(12):
        QTest.keyClick(opened, Qt.Key.Key_F6)
        seen.append(opened.docks.current)
        if not opened.docks.current:
            break
    shown = [name for name in opened.docks.names if opened.docks.is_in_sight(name)]
    assert seen == [*shown, ""]
    QTest.keyClick(opened, Qt.Key.Key_F6, SHIFT)
    assert opened.docks.current == shown[-1]


def test_the_panel_in_focus_is_framed_has_the_keyboard_and_can_be_closed(opened, until):
    opened.activateWindow()
    opened.docks.focus("Log")
    until(lambda: QApplication.focusWidget() is not None
          and opened.log.isAncestorOf(QApplication.focusWidget()))  # fmt: skip
    frame = opened.docks._frame
    until(frame.isVisible)
    assert frame.geometry() == panel(opened, "Log").geometry()
    QTest.keyClick(opened, Qt.Key.Key_W, CTRL)
    assert not opened.docks.is_open("Log")
    assert not frame.isVisible()


def test_ctrl_f_filters_the_panel_in_focus(opened, until, no_panel_at_hand):
    opened.activateWindow()

    no_panel_at_hand(opened)  # the panel under the mouse would be meant
    opened.docks.focus("Log")
    QTest.keyClick(opened, Qt.Key.Key_F, CTRL)
    until(lambda: opened.focusWidget() is opened.log.filter)
    opened.docks.focus("")
    QTest.keyClick(opened, Qt.Key.Key_F, CTRL)
    until(lambda: opened.focusWidget() is opened.objects.filter)


def test_keys_work_in_a_panel_that_floats(opened, until):
    floating = panel(opened, "State machine")
    floating.setFloating(True)
    until(floating.isWindow)
    QTest.keyClick(floating, Qt.Key.Key_T)
    assert opened.world.camera.top
    floating.setFloating(False)


def test_the_menu_lists_layouts_and_panels(opened):
    opened.layouts.save("Mine")
    menu = QMenu()
    opened.action_handlers.offer_layouts(menu)
    text = {action.text(): action for action in menu.actions()}
    assert {*PRESETS, "Mine", "Save this layout …", "Forget a layout", "Timeline"} <= set(text)
    assert text["Timeline"].isChecked()
    text["Timeline"].trigger()
    assert not opened.docks.is_open("Timeline")
    menu.deleteLater()


def test_titles_are_there_only_where_no_tab_says_the_name(opened, until):
    until(lambda: not panel(opened, "Inspector").titleBarWidget().name.isVisible())
    assert panel(opened, "Timeline").titleBarWidget().name.text() == "Timeline"
    assert panel(opened, "Timeline").titleBarWidget().name.isVisible()
    opened.docks.close_panel("Plots")
    opened.docks.close_panel("Range") if "Range" in opened.docks.names else None
    until(lambda: panel(opened, "Inspector").titleBarWidget().name.isVisible())


def test_a_layout_of_a_larger_window_keeps_its_shares(window, clip, until):
    large = window(clip, size=(1900, 1060))
    until(lambda: large.timeline.height() > 300)
    shares = large.timeline.height() / 1060, large.inspector.width() / 1900
    large.close()
    small = window(clip, size=(1100, 640))
    until(lambda: small.timeline.height() / 640 == pytest.approx(shares[0], abs=0.06))
    until(lambda: small.inspector.width() / 1100 == pytest.approx(shares[1], abs=0.06))


def test_the_names_of_five_tabs_are_whole_in_a_small_window(opened, until):
    from playhead.viewer.toolkit.qt import QFontMetricsF, QTabBar

    opened.docks.open("Find")
    stack = ["Behaviour tree", "Log", "Marks", "Find"]

    def bar() -> QTabBar | None:
        return next(
            (
                one for one in opened.findChildren(QTabBar)
                if {one.tabText(at) for at in range(one.count())} >= set(stack)
            ), None
        )  # fmt: skip

    until(bar)
    opened.docks.open("Picture")
    until(lambda: bar().count() == 5 and bar().property("tight"))
    metrics = QFontMetricsF(bar().font())
    for at in range(5):
        assert bar().tabRect(at).width() >= metrics.horizontalAdvance(bar().tabText(at))
    assert bar().tabRect(4).right() <= bar().width()
    opened.docks.close_panel("Picture")
    opened.docks.close_panel("Find")
    opened.resize(1920, 1080)
    until(lambda: not bar() or not bar().property("tight"))
