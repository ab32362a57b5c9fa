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
        until(lambda: QApplication.focusWidget() is opened.finder.line)
        QTest.keyClicks(opened.finder.line, text)
        chosen = opened.finder.chosen
        if enter:
            QTest.keyClick(opened.finder.line, Qt.Key.Key_Return)
            assert not opened.finder.isVisible()
        return chosen

    return take


def test_an_object_is_selected(opened, find):
    find("nort")
    assert opened.clock.selected == 1


def test_a_command_is_carried_out_and_its_key_is_told(opened, find):
    chosen = find("perspective")
    assert chosen.keys == "T"
    assert opened.world.camera.top


def test_a_frame_a_time_and_a_mark_are_gone_to(opened, find, until):
    assert find("#77").does == "go to frame 77"
    until(lambda: opened.clock.frame == 77)
    find("1.0")
    until(lambda: opened.clock.frame == 64)
    find("here")
    until(lambda: opened.clock.frame == 120)


def test_a_problem_is_gone_to_with_whom_it_is_about(opened, find, until):
    opened.clock.select(1)
    find("!path request")
    until(lambda: opened.clock.frame == 40 and opened.clock.selected == 2)


def test_a_panel_that_was_closed_comes_back(opened, find):
    opened.docking.close_panel("State machine")
    assert not opened.docking.is_open("State machine")
    assert "closed" in find("state machine").note
    assert opened.docking.is_in_sight("State machine")


def test_a_category_is_switched(opened, find, until):
    find("draw labels")
    assert not opened.layers.is_on("labels")
    find("channel ai")
    until(lambda: opened.clock.shown.hidden == frozenset({"ai"}))


def test_a_layout_is_chosen(opened, find, until):
    find("layout log")
    until(lambda: opened.docking.is_in_sight("Log"))
    until(lambda: opened.log.width() > 0.3 * opened.width())


def test_a_link_is_opened(opened, find, until, clip):
    find(f"playhead://{clip}#frame=9&focus=1")
    until(lambda: opened.clock.frame == 9 and opened.clock.selected == 1)


def test_arrows_choose_and_what_enter_does_is_said(opened, find):
    find("frame", enter=False)
    finder = opened.finder
    first = finder.chosen
    assert first.does in finder.foot.text()
    QTest.keyClick(finder.line, Qt.Key.Key_Down)
    assert finder.chosen is not first
    assert finder.chosen.does in finder.foot.text()
    QTest.keyClick(finder.line, Qt.Key.Key_Up)
    assert finder.chosen is first
    QTest.keyClick(finder.line, Qt.Key.Key_Up)
    assert finder.results.chosen == len(finder.results.matches) - 1
    QTest.keyClick(finder.line, Qt.Key.Key_PageUp)
    assert finder.results.chosen < len(finder.results.matches) - 1
    QTest.keyClick(finder.line, Qt.Key.Key_Escape)
    assert not finder.isVisible()


def test_escape_leaves_everything_as_it_was(opened, find):
    frame, selected = opened.clock.frame, opened.clock.selected
    find("nort", enter=False)
    QTest.keyClick(opened.finder.line, Qt.Key.Key_Escape)
    assert not opened.finder.isVisible()
    assert (opened.clock.frame, opened.clock.selected) == (frame, selected)
    # And keys work again.
    QTest.keyClick(opened, Qt.Key.Key_T)
    assert opened.world.camera.top


def test_a_click_takes_a_row_and_one_beside_closes(opened, find):
    find("north", enter=False)
    results = opened.finder.results
    QTest.mouseClick(results, Qt.MouseButton.LeftButton, pos=results.box_of(0).center().toPoint())
    assert opened.clock.selected == 1
    find("x", enter=False)
    QTest.mouseClick(opened.finder, Qt.MouseButton.LeftButton, pos=QPoint(3, 3))
    assert not opened.finder.isVisible()


def test_it_comes_up_before_anything_is_recorded(window, until):
    one = window("127.0.0.1:1", ready=False)
    QTest.keyClick(one, Qt.Key.Key_P, CTRL)
    until(one.finder.isVisible)
    assert one.finder.results.matches
    one.finder.grab()
    QTest.keyClick(one.finder.line, Qt.Key.Key_Escape)
