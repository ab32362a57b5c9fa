"""The list of marks in a real window: filtered, and each leads to its frame."""

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from PyQt6.QtTest import QTest

from playhead.viewer.backends.annotation_store import AddMark
from playhead.viewer.state.shared_pins_and_histories import PanelContext
from playhead.viewer.toolkit import palette
from playhead.viewer.toolkit.qt import QPointF, Qt

from ...yard import FAILS


@pytest.fixture
def opened(window, clip, tmp_path, until):
    copy = tmp_path / "marked.mcap"  # marks are written into it
    copy.write_bytes(clip.read_bytes())
    made = window(copy)
    made.docks.open("Marks")
    painted = made.marks.list.paint_count
    until(lambda: made.marks.list.isVisible() and made.marks.list.paint_count > painted)
    return made


def texts(opened) -> list[str]:
    return [row.text for row in opened.marks.list.rows]


def test_all_marks_are_listed_and_failed_checks_stand_out(opened):
    here, failed = opened.marks.list.rows
    assert (here.text, here.frame, here.note, here.sign) == ("here", 120, "by hand", "⚑")
    assert (failed.text, failed.frame, failed.sign) == ("walkers stay inside", FAILS, "▲")
    assert failed.color == palette.FAILED
    assert "south" in failed.note


def test_words_filter_them_by_name_note_kind_and_object(opened):
    opened.marks.filter.setText("SOUTH check")
    assert texts(opened) == ["walkers stay inside"]
    opened.marks.filter.setText("nothing like it")
    assert texts(opened) == []
    assert "Nothing matches" in opened.marks.list.text()
    opened.marks.filter.clear()
    assert texts(opened) == ["here", "walkers stay inside"]


def test_a_click_goes_to_a_mark_and_its_row_is_the_current_one(opened, until):
    marks = opened.marks.list
    QTest.mouseClick(marks, Qt.MouseButton.LeftButton, pos=QPointF(90, 10).toPoint())
    until(lambda: opened.store.frame == 120)
    assert marks.is_here(0)
    assert not marks.is_here(1)
    marks.activated(1)
    until(lambda: opened.store.frame == FAILS)
    assert opened.store.selected == 2


def test_a_mark_set_here_joins_the_list_and_its_menu_removes_it(opened, until):
    opened.store.jump(30)
    until(lambda: opened.store.frame == 30)
    PanelContext.of(opened.store).annotate(AddMark(30, "mine"))
    until(lambda: texts(opened)[:1] == ["mine"])
    menu = dict(opened.marks.list.menu_entries(0))
    assert "Rename this mark …" in menu
    menu["Remove this mark"]()
    until(lambda: "mine" not in texts(opened))
    assert "Remove this mark" not in dict(opened.marks.list.menu_entries(0))
