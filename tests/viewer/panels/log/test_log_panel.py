"""The log dock as a person uses it."""

from itertools import pairwise

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from PyQt6.QtTest import QTest

from playhead.viewer.panels.log.log_panel import LogList, LogPanel
from playhead.viewer.toolkit import palette
from playhead.viewer.toolkit.qt import QApplication, QBoxLayout, QPointF, Qt

from ...yard import FAILS
from ..panel_harness import open_dock


@pytest.fixture
def stage(app, until, clip):
    with open_dock(app, until, LogList, clip) as made:
        made.go(110, 0)
        yield made


@pytest.fixture
def panel(app, until, clip):
    with open_dock(app, until, LogPanel, clip) as made:
        yield made.panel


def test_switches_are_apart_and_their_words_whole_however_narrow_the_panel(panel, app):
    for width in (276, 330, 500, 900):
        panel.resize(width, 300)
        app.processEvents()
        assert panel.width() == width
        for chip in panel.levels.values():
            words = chip.fontMetrics().horizontalAdvance(chip.text())
            assert chip.width() >= words + 8
            assert 0 <= chip.mapTo(panel, chip.rect().topRight()).x() <= width
        for one, other in pairwise(panel.levels.values()):
            assert other.geometry().left() - one.geometry().right() > 1
    assert panel._bar.direction() is QBoxLayout.Direction.LeftToRight


def test_levels_and_words_choose_what_is_listed(panel):
    assert [row.level for row in panel.list.rows] == ["error", "warning", "info", "assert"]
    panel.levels["warning"].click()
    panel.levels["error"].click()
    assert [row.level for row in panel.list.rows] == ["info", "assert"]
    panel.levels["error"].click()
    QTest.keyClicks(panel.filter, "path fail")
    assert [row.frame for row in panel.list.rows] == [40]
    QTest.keyClicks(panel.filter, "zzz")
    assert panel.list.text() == "Nothing matches"


def test_a_click_goes_there_and_selects(stage):
    stage.click(150, stage.middle(0))
    stage.until(lambda: stage.store.frame == 40)
    assert stage.store.selected == 2


def test_the_present_line_is_marked_and_future_ones_are_dim(stage):
    boxes = [stage.panel.box_of(at) for at in range(4)]

    def shows(name: str, row: int) -> bool:
        box = boxes[row]
        return stage.shows(name, 82, box.top(), 200, box.height())

    assert stage.shows(palette.PLAYHEAD, 0, boxes[1].top(), 3, 18)
    assert not stage.shows(palette.PLAYHEAD, 0, boxes[0].top(), 3, 18)
    assert shows(palette.FAILED, 0)
    assert not shows(palette.FAILED, 3)
    stage.go(200, 0)
    assert stage.shows(palette.PLAYHEAD, 0, boxes[3].top(), 3, 18)


def test_a_failed_check_is_tinted(stage):
    box = stage.panel.box_of(3)
    tinted = stage.colors(300, box.top() + 2, 20, 2)
    plain = stage.colors(300, stage.panel.box_of(2).top() + 2, 20, 2)
    assert tinted != plain


def test_a_double_click_or_the_arrow_opens_the_source(stage):
    stage.hover(150, stage.middle(3))
    QTest.mouseDClick(
        stage.panel, Qt.MouseButton.LeftButton, pos=QPointF(150, stage.middle(3)).toPoint()
    )
    ((file, line),) = stage.sources
    assert file.endswith("yard.py")
    assert line > 1
    stage.click(stage.panel.width() - 8, stage.middle(0))
    assert len(stage.sources) == 2
    stage.menu(1)[f"Open {stage.panel.rows[1].where}"]()
    assert len(stage.sources) == 3


def test_lines_are_copied_one_or_all(stage):
    stage.menu(1)["Copy this line"]()
    line = QApplication.clipboard().text()
    assert line.startswith("00:01.562   warning   path is long   south   yard.py:")
    stage.menu(-1)["Copy as text"]()
    assert QApplication.clipboard().text().splitlines()[1] == line
    assert len(QApplication.clipboard().text().splitlines()) == 4


def test_it_is_walked_through_by_keys(stage):
    stage.panel.setFocus()
    for _ in range(4):
        stage.press("Down")
    stage.press("Return")
    stage.until(lambda: stage.store.frame == FAILS)


def test_the_card_says_the_whole_line(stage):
    card = stage.panel.card(3, QPointF())
    assert card[0] == "walkers stay inside — False"
    assert card[1] == f"00:02.500   frame {FAILS}   assert"
    assert card[2] == "about south"
