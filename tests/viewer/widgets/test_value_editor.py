"""Typing a value in place: what is taken, and who has the keyboard then."""

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from PyQt6.QtTest import QTest

from playhead.viewer.toolkit.qt import QRectF, Qt, QWidget
from playhead.viewer.widgets.value_editor import ValueEditor, value_typed


class Panel(QWidget):
    """Counts the keys that reach it."""

    def __init__(self):
        super().__init__()
        self.keys = 0
        self.taken = []
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.editor = ValueEditor(self)

    def keyPressEvent(self, event):  # noqa: N802
        self.keys += 1

    def begin(self, choices=()):
        self.editor.begin(QRectF(0, 0, 90, 20), "speed", "1.5", self.taken.append, choices)


@pytest.fixture
def panel(app):
    panel = Panel()
    panel.show()
    panel.activateWindow()
    app.processEvents()
    yield panel
    panel.close()


@pytest.mark.parametrize(
    ("key", "taken"),
    [(Qt.Key.Key_Return, ["7"]), (Qt.Key.Key_Enter, ["7"]), (Qt.Key.Key_Escape, [])],
)
def test_a_key_ends_the_typing_and_only_the_editor_sees_it(panel, key, taken):
    panel.begin()
    QTest.keyClicks(panel.editor, " 7 ")
    QTest.keyClick(panel.editor, key)
    assert (panel.taken, panel.keys) == (taken, 0)
    assert panel.editor.isHidden()
    assert panel.hasFocus()


def test_what_was_offered_and_chosen_is_taken_once(panel):
    panel.begin(["enemy", "gate"])
    QTest.keyClick(panel.editor, Qt.Key.Key_Down)
    popup = panel.editor.completer().popup()
    assert popup.isVisible()
    QTest.keyClick(popup, Qt.Key.Key_Down)
    QTest.keyClick(popup, Qt.Key.Key_Down)
    QTest.keyClick(popup, Qt.Key.Key_Return)
    assert (panel.taken, panel.keys) == (["gate"], 0)
    assert not popup.isVisible()


def test_escape_closes_the_choices_first_and_then_ends_the_typing(panel):
    panel.begin(["enemy", "gate"])
    QTest.keyClick(panel.editor, Qt.Key.Key_Down)
    popup = panel.editor.completer().popup()
    QTest.keyClick(popup, Qt.Key.Key_Escape)
    assert not popup.isVisible()
    assert not panel.editor.isHidden()
    QTest.keyClick(panel.editor, Qt.Key.Key_Escape)
    assert panel.editor.isHidden()
    assert panel.taken == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3), ("1.5", 1.5), ("true", True), ("True", True), ("gate", "gate"), ('"7"', "7"),
        ("1, 2", [1, 2]), ("[1, 2]", [1, 2]), ("(1, 2)", [1, 2]),
    ],
)  # fmt: skip
def test_what_is_typed_is_a_value_or_else_a_text(text, value):
    assert value_typed(text) == value
    assert type(value_typed(text)) is type(value)


def test_escape_ends_the_typing_in_a_panel_of_a_window_at_once(window, clip):
    opened = window(clip)
    opened.activateWindow()
    opened.docks.focus("Inspector")
    editor, taken = ValueEditor(opened.inspector), []
    editor.begin(QRectF(0, 0, 90, 20), "speed", "1.5", taken.append)
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    assert editor.isHidden()
    assert opened.inspector.hasFocus()
    assert taken == []
