"""Finding by typing, with the keyboard alone."""

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from PyQt6.QtCore import QPoint
from PyQt6.QtTest import QTest

from playhead.viewer.toolkit.qt import QApplication, Qt

CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def opened(window, clip):
    return window(clip)


@pytest.fixture
def find(opened, until):
    """Type something into the finder, and take what is chosen."""

    def take(text: str, *, enter: bool = True):
        opened.activateWindow()
        QTest.keyClick(opened, Qt.Key.Key_P, CTRL)
        until(lambda: QApplication.focusWidget() is opened.search_popup.line)
        QTest.keyClicks(opened.search_popup.line, text)
        chosen = opened.search_popup.chosen
        if enter:
            QTest.keyClick(opened.search_popup.line, Qt.Key.Key_Return)
            assert not opened.search_popup.isVisible()
        return chosen

    return take


def test_an_object_is_selected(opened, find):
    find("nort")
    assert opened.store.selected == 1


def test_a_command_is_carried_out_and_its_key_is_reported(opened, find):
    chosen = find("perspective")
    assert chosen.keys == "T"
    assert opened.world.camera.top


def test_a_frame_a_time_and_a_mark_are_gone_to(opened, find, until):
    assert find("#77").does == "go to frame 77"
    until(lambda: opened.store.frame == 77)
    find("1.0")
    until(lambda: opened.store.frame == 64)
    find("here")
    until(lambda: opened.store.frame == 120)


def test_a_problem_is_gone_to_with_whom_it_is_about(opened, find, until):
    opened.store.select(1)
    find("!path request")
    until(lambda: opened.store.frame == 40 and opened.store.selected == 2)


def test_a_panel_that_was_closed_comes_back(opened, find):
    opened.docks.close_panel("State machine")
    assert not opened.docks.is_open("State machine")
    assert "closed" in find("state machine").note
    assert opened.docks.is_in_sight("State machine")


def test_a_category_is_switched(opened, find, until):
    find("draw labels")
    assert not opened.layers.is_on("labels")
    find("channel ai")
    until(lambda: opened.store.playback.hidden == frozenset({"ai"}))


def test_a_layout_is_chosen(opened, find, until):
    find("layout log")
    until(lambda: opened.docks.is_in_sight("Log"))
    until(lambda: opened.log.width() > 0.3 * opened.width())


def test_a_link_is_opened(opened, find, until, clip):
    find(f"playhead://{clip}#frame=9&focus=1")
    until(lambda: opened.store.frame == 9 and opened.store.selected == 1)


def test_arrows_choose_and_what_enter_does_is_reported(opened, find):
    find("frame", enter=False)
    search_popup = opened.search_popup
    first = search_popup.chosen
    assert first.does in search_popup.foot.text()
    QTest.keyClick(search_popup.line, Qt.Key.Key_Down)
    assert search_popup.chosen is not first
    assert search_popup.chosen.does in search_popup.foot.text()
    QTest.keyClick(search_popup.line, Qt.Key.Key_Up)
    assert search_popup.chosen is first
    QTest.keyClick(search_popup.line, Qt.Key.Key_Up)
    assert search_popup.results.chosen == len(search_popup.results.matches) - 1
    QTest.keyClick(search_popup.line, Qt.Key.Key_PageUp)
    assert search_popup.results.chosen < len(search_popup.results.matches) - 1
    QTest.keyClick(search_popup.line, Qt.Key.Key_Escape)
    assert not search_popup.isVisible()


def test_escape_leaves_everything_as_it_was(opened, find):
    frame, selected = opened.store.frame, opened.store.selected
    find("nort", enter=False)
    QTest.keyClick(opened.search_popup.line, Qt.Key.Key_Escape)
    assert not opened.search_popup.isVisible()
    assert (opened.store.frame, opened.store.selected) == (frame, selected)
    # And keys work again.
    QTest.keyClick(opened, Qt.Key.Key_T)
    assert opened.world.camera.top


def test_a_click_takes_a_row_and_one_beside_closes(opened, find):
    find("north", enter=False)
    results = opened.search_popup.results
    QTest.mouseClick(results, Qt.MouseButton.LeftButton, pos=results.box_of(0).center().toPoint())
    assert opened.store.selected == 1
    find("x", enter=False)
    QTest.mouseClick(opened.search_popup, Qt.MouseButton.LeftButton, pos=QPoint(3, 3))
    assert not opened.search_popup.isVisible()


def test_it_comes_up_before_anything_is_recorded(window, until):
    one = window("127.0.0.1:1", ready=False)
    QTest.keyClick(one, Qt.Key.Key_P, CTRL)
    until(one.search_popup.isVisible)
    assert one.search_popup.results.matches
    one.search_popup.grab()
    QTest.keyClick(one.search_popup.line, Qt.Key.Key_Escape)
