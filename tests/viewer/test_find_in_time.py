"""Find in time in a window: typing, hits, ticks, and games that are lost meanwhile."""

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from PyQt6.QtTest import QTest

from playhead.viewer.backends.playback_backend import LinkState
from playhead.viewer.panels.timeline.overview_and_ruler_painter import GUTTER, OVERVIEW
from playhead.viewer.toolkit import palette
from playhead.viewer.toolkit.qt import QApplication, Qt

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def opened(window, clip):
    return window(clip)


def type_into(opened, until, text):
    opened.activateWindow()
    QTest.keyClick(opened, Qt.Key.Key_P, CTRL)
    until(lambda: QApplication.focusWidget() is opened.search_popup.line)
    QTest.keyClicks(opened.search_popup.line, text)
    return opened.search_popup


def test_an_expression_is_typed_and_f3_walks_its_hits(opened, until):
    popup = type_into(opened, until, "changed(hp)")
    assert popup.chosen.kind == "find"
    QTest.keyClick(popup.line, Qt.Key.Key_Return)
    hits = opened.hits
    until(lambda: hits.hits and not hits.is_searching)
    frames = [hit.frame for hit in hits.hits]
    until(lambda: opened.store.frame in frames)
    seen = [opened.store.frame]
    for _ in range(len(frames)):
        QTest.keyClick(opened, Qt.Key.Key_F3)
        expected = hits.hits[hits._current].frame
        until(lambda expected=expected: opened.store.frame == expected)
        seen.append(opened.store.frame)
    assert set(seen) == set(frames)
    assert seen[0] == seen[-1]  # around
    QTest.keyClick(opened, Qt.Key.Key_F3, SHIFT)
    until(lambda: opened.store.frame == seen[-2])


def test_hits_have_ticks_in_the_overview_and_rows_in_the_panel(opened, until):
    opened.hits.start("hp < 90")
    until(lambda: opened.hits.hits and not opened.hits.is_searching)
    assert opened.docks.is_in_sight("Find")
    hit = opened.hits.hits[0]
    row = opened.find_panel.rows[1]
    assert (row.frame, row.text, row.note) == (hit.frame, "north", "hp = 80")
    until(lambda: opened.store.frame == hit.frame)
    opened.store.jump(1)
    until(lambda: opened.store.frame == 1)
    timeline = opened.timeline
    image = timeline.grab().toImage()
    x = (
        GUTTER
        + (hit.time - timeline.scale.first)
        / (timeline.scale.last - timeline.scale.first)
        * timeline.room
    )
    colors = {image.pixelColor(int(x) + at, OVERVIEW - 4).name() for at in (-2, -1, 0, 1)}
    assert palette.HIT in colors
    QTest.keyClick(opened, Qt.Key.Key_Escape)
    assert not opened.hits.text
    assert opened.find_panel.rows == []


def test_a_mistake_is_underlined_and_explained_and_tab_completes(opened, until):
    popup = type_into(opened, until, "hp << 5")
    assert popup.line.error_column == 1
    assert "character 1" in popup.foot.text()
    popup.line.setText("")
    QTest.keyClicks(popup.line, "norm(velo")
    assert popup.line.error_column
    popup.line.setText("")
    QTest.keyClicks(popup.line, "walker.h")
    QTest.keyClick(popup.line, Qt.Key.Key_Tab)
    assert popup.line.text() == "walker.hp"
    QTest.keyClicks(popup.line, " < 90")
    assert popup.chosen.kind == "find"
    assert not popup.line.error_column
    popup.dismiss()


def test_a_word_finds_where_a_state_is_entered(opened, until):
    popup = type_into(opened, until, "Chase")
    assert popup.chosen.kind == "state"
    QTest.keyClick(popup.line, Qt.Key.Key_Return)
    assert opened.hits.text == 'entered("Chase")'
    until(lambda: opened.hits.hits)


@pytest.mark.parametrize(
    "text", ["hpp < 3", "hp < 'x'", "nobody.hp < 3", "time > 3", "(" * 900, "x" * 5000, "é" * 300]
)
def test_nonsense_ends_with_a_message_and_the_window_lives(opened, until, text):
    opened.hits.start(text)
    until(lambda: opened.hits.error is not None)
    assert opened.find_panel.rows[1].text == str(opened.hits.error)
    opened.hits.step(1)
    opened.hits.start("hp < 90")
    until(lambda: opened.hits.hits)


def test_without_a_search_f3_asks_for_one(opened):
    QTest.keyClick(opened, Qt.Key.Key_F3)
    assert opened.search_popup.isVisible()
    opened.search_popup.dismiss()


@pytest.mark.slow
def test_hits_of_a_running_game_come_while_it_runs_and_stay_when_it_is_lost(
    live, window, until
):  # fmt: skip
    game = live()
    one = window(game.endpoint, ready=False)
    until(lambda: one.store.frame > 20)
    one.hits.start("changed(north.hp)")
    one.hits._pending_direction = 0  # it shall run on
    until(lambda: len(one.hits.hits) > 1)
    game.close()
    until(lambda: one.store.backend_state.link is LinkState.LOST)
    held = len(one.hits.hits)
    one.hits.step(1)
    assert len(one.hits.hits) >= held > 1
    one.hits.start("hp < 90")
    assert "lost" in one.hits.summary
    one.hits.clear()
