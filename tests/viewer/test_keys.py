"""The table of keys."""

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from playhead.playback.command import Pause, Play, SeekFrame, Step
from playhead.playback.controls import KEYS as TIME_KEYS
from playhead.playback.shown import Mode, Shown
from playhead.recorder.frame import Span
from playhead.viewer.keys import KEYS, name_of, sheet, time_command
from playhead.viewer.qt import QEvent, QKeyEvent, Qt
from playhead.viewer.window import Window

LIVE = Shown(Mode.LIVE, 90, 9.0, span=Span(1, 90, 0.1, 9.0))


def test_no_key_has_two_meanings():
    assert not set(KEYS) & set(TIME_KEYS)


@pytest.mark.parametrize("name", sorted(KEYS))
def test_every_key_does_something_that_the_window_can(name):
    assert callable(getattr(Window, KEYS[name].action))


def test_the_sheet_tells_every_key():
    told = {name for name, _ in sheet()}
    assert set(TIME_KEYS) <= told
    assert {name for name in KEYS if not name.isdigit()} - {"="} <= told


@pytest.mark.parametrize(
    ("key", "held", "text", "name"),
    [(Qt.Key.Key_N, "Shift", "N", "Shift+N"), (Qt.Key.Key_Space, "", " ", "Space"),
     (Qt.Key.Key_Backtab, "Shift", "", "Shift+Tab"), (Qt.Key.Key_Question, "Shift", "?", "?"),
     (Qt.Key.Key_Plus, "Shift", "+", "+"), (Qt.Key.Key_O, "Control,Shift", "", "Ctrl+Shift+O"),
     (Qt.Key.Key_Left, "Alt", "", "Alt+Left"), (Qt.Key.Key_Shift, "Shift", "", ""),
     (Qt.Key.Key_Comma, "", ",", ","), (Qt.Key.Key_F11, "", "", "F11")],
)  # fmt: skip
def test_keys_are_named_as_the_tables_name_them(key, held, text, name):
    modifiers = Qt.KeyboardModifier.NoModifier
    for one in filter(None, held.split(",")):
        modifiers |= getattr(Qt.KeyboardModifier, f"{one}Modifier")
    assert name_of(QKeyEvent(QEvent.Type.KeyPress, key, modifiers, text)) == name


@pytest.mark.parametrize(
    ("name", "command"),
    [("Space", Pause()), ("Left", Step(-1)), ("Home", SeekFrame(1)), ("End", None), ("L", None),
     ("J", Play(-1.0)), ("K", Pause()), ("X", None)],
)  # fmt: skip
def test_in_front_of_a_running_game_keys_pause_it_first(name, command):
    assert time_command(name, LIVE) == command
