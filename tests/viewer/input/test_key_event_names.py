"""The table of keys."""

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from PyQt6.QtTest import QTest

from playhead.playback.commands import Pause, Play, SeekFrame, Step
from playhead.playback.playback_state import Mode, PlaybackState
from playhead.recorder.packets.recorded_frame import FrameRange
from playhead.viewer.app.action_handlers import ActionHandlers
from playhead.viewer.input.action_table import ACTIONS, BY_ID
from playhead.viewer.input.key_event_names import name_of, time_command
from playhead.viewer.toolkit.qt import QEvent, QKeyEvent, Qt

LIVE = PlaybackState(Mode.LIVE, 90, 9.0, span=FrameRange(1, 90, 0.1, 9.0))
CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.mark.parametrize("action", ACTIONS, ids=[action.id for action in ACTIONS])
def test_every_key_does_something_that_the_window_can(action):
    assert callable(getattr(ActionHandlers, action.method))


@pytest.mark.parametrize(
    ("key", "held", "text", "name"),
    [(Qt.Key.Key_N, "Shift", "N", "Shift+N"), (Qt.Key.Key_Space, "", " ", "Space"),
     (Qt.Key.Key_Backtab, "Shift", "", "Shift+Tab"), (Qt.Key.Key_Question, "Shift", "?", "?"),
     (Qt.Key.Key_Plus, "Shift", "+", "+"), (Qt.Key.Key_O, "Control,Shift", "", "Ctrl+Shift+O"),
     (Qt.Key.Key_Left, "Alt", "", "Alt+Left"), (Qt.Key.Key_Shift, "Shift", "", ""),
     (Qt.Key.Key_Comma, "", ",", ","), (Qt.Key.Key_F11, "", "", "F11"),
     (Qt.Key.Key_F6, "Shift", "", "Shift+F6"), (Qt.Key.Key_Return, "", "\r", "Enter"),
     (Qt.Key.Key_BracketLeft, "Control,Alt", "[", "["),
     (Qt.Key.Key_Plus, "Control", "+", "Ctrl++")],
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


# --- the sheet, and other keys ------------------------------------------------------------------


@pytest.fixture
def opened(window, clip):
    return window(clip)


@pytest.fixture
def sheet(opened):
    QTest.keyClicks(opened, "?")
    assert opened.shortcuts.isVisible()
    return opened.shortcuts


def click(sheet, id: str) -> None:
    QTest.mouseClick(sheet, Qt.MouseButton.LeftButton, pos=sheet.box_of(id).center().toPoint())


def test_the_sheet_has_a_row_for_every_action_and_all_are_in_sight(sheet):
    for action in ACTIONS:
        if not action.id.startswith(("switch_", "level_")) or action.id.endswith("_1"):
            assert sheet.rect().contains(sheet.box_of(action.id).toRect())


def test_a_click_and_a_key_change_a_row_for_good(opened, sheet, settings_of_its_own):
    click(sheet, "top")
    assert sheet.pending_action is BY_ID["top"]
    QTest.keyClick(opened, Qt.Key.Key_Y)
    assert sheet.pending_action is None
    assert opened.keyboard.bindings.key_of("top") == "Y"
    assert 'top = "Y"' in (settings_of_its_own / "viewer.toml").read_text()
    QTest.keyClick(opened, Qt.Key.Key_Escape)
    assert not sheet.isVisible()
    QTest.keyClick(opened, Qt.Key.Key_T)
    assert not opened.world.camera.top
    QTest.keyClick(opened, Qt.Key.Key_Y)
    assert opened.world.camera.top


def test_the_next_window_has_the_keys_too(opened, sheet, window, clip):
    click(sheet, "top")
    QTest.keyClick(opened, Qt.Key.Key_Y, CTRL)
    assert window(clip).keyboard.bindings.key_of("top") == "Ctrl+Y"


def test_a_key_that_is_taken_is_refused_with_both_names(opened, sheet):
    click(sheet, "top")
    QTest.keyClick(opened, Qt.Key.Key_Space)
    assert "play or pause" in sheet.message
    assert opened.keyboard.bindings.key_of("top") == "T"


def test_backspace_gives_the_default_back_and_escape_changes_nothing(opened, sheet):
    click(sheet, "top")
    QTest.keyClick(opened, Qt.Key.Key_Y)
    click(sheet, "top")
    QTest.keyClick(opened, Qt.Key.Key_Escape)
    assert sheet.isVisible()
    assert opened.keyboard.bindings.key_of("top") == "Y"
    click(sheet, "top")
    QTest.keyClick(opened, Qt.Key.Key_Backspace)
    assert opened.keyboard.bindings.key_of("top") == "T"
    assert dict(opened.settings.keys) == {}


def test_a_row_is_changed_without_the_mouse(opened, sheet):
    QTest.keyClick(opened, Qt.Key.Key_Down)
    QTest.keyClick(opened, Qt.Key.Key_Return)
    assert sheet.pending_action is BY_ID["frame_back"]
    QTest.keyClick(opened, Qt.Key.Key_Y)
    assert opened.keyboard.bindings.key_of("frame_back") == "Y"


def test_a_default_that_another_row_has_got_is_not_given_back(opened):
    opened.keyboard.bind("top", "Y")
    opened.keyboard.bind("follow", "T")
    with pytest.raises(ValueError, match="camera follows"):
        opened.keyboard.bind("top", None)


def test_keys_that_clash_in_the_file_are_reported_in_the_window(window, clip, settings_of_its_own):
    settings_of_its_own.mkdir()
    (settings_of_its_own / "viewer.toml").write_text('[keys]\ntop = "Space"\n')
    opened = window(clip)
    assert "top" in opened.status.left.text()
    assert "play" in opened.status.left.text()
    assert opened.keyboard.bindings.key_of("top") == "T"


def test_a_broken_file_is_reported_and_keys_are_not_saved_over_it(
    window, clip, settings_of_its_own
):
    settings_of_its_own.mkdir()
    path = settings_of_its_own / "viewer.toml"
    path.write_text("[keys")
    opened = window(clip)
    assert "viewer.toml" in opened.status.left.text()
    QTest.keyClicks(opened, "?")
    click(opened.shortcuts, "top")
    QTest.keyClick(opened, Qt.Key.Key_Y)
    assert "not saved" in opened.shortcuts.message
    assert path.read_text() == "[keys"


def test_escape_ends_one_thing_after_another(opened, until):
    from playhead.playback.commands import Loop

    opened.banner.dismiss()
    opened.store.send(Loop(0.5, 1.5))
    until(lambda: opened.store.playback.loop is not None)
    QTest.keyClicks(opened, "?")
    QTest.keyClick(opened, Qt.Key.Key_Escape)
    assert not opened.shortcuts.isVisible()
    assert opened.store.playback.loop is not None
    QTest.keyClick(opened, Qt.Key.Key_Escape)
    until(lambda: opened.store.playback.loop is None)
    assert opened.store.selected
    QTest.keyClick(opened, Qt.Key.Key_Escape)
    assert opened.store.selected == 0


def test_escape_in_a_filter_empties_it_and_then_leaves_it(opened, until, no_panel_at_hand):
    opened.activateWindow()
    no_panel_at_hand(opened)  # the panel under the mouse would be meant
    QTest.keyClick(opened, Qt.Key.Key_F, CTRL)
    until(lambda: opened.focusWidget() is opened.objects.filter)
    QTest.keyClicks(opened.objects.filter, "sou")
    QTest.keyClick(opened.objects.filter, Qt.Key.Key_Escape)
    assert opened.objects.filter.text() == ""
    assert opened.objects.filter.hasFocus()
    QTest.keyClick(opened.objects.filter, Qt.Key.Key_Escape)
    assert not opened.objects.filter.hasFocus()
    assert opened.store.selected


def test_ctrl_p_works_while_a_filter_is_typed(opened, until):
    opened.activateWindow()
    opened.objects.filter.setFocus()
    until(lambda: opened.focusWidget() is opened.objects.filter)
    QTest.keyClick(opened.objects.filter, Qt.Key.Key_P, CTRL)
    assert opened.search_popup.isVisible()


class RecordingInput:
    """Somebody who plays."""

    owner_text = "keys: game"
    rows = [("W", "go")]

    def __init__(self) -> None:
        self.keys = []

    def press(self, event) -> bool:
        self.keys.append(name_of(event))
        return name_of(event) in ("Space", "T")

    def release(self, event) -> bool:
        self.keys.append(f"-{name_of(event)}")
        return True


def test_while_a_live_game_is_played_its_keys_are_the_game_s(live, window, until):
    opened = window(live().endpoint, ready=False)
    until(lambda: opened.store.frame > 5 and opened.store.playback.mode is Mode.LIVE)
    assert not opened.transport.owner.isVisible()
    opened.player = game_input = RecordingInput()
    assert opened.transport.owner.isVisible()
    QTest.keyClicks(opened, "?")
    assert opened.shortcuts.rect().contains(opened.shortcuts.box_of("game W").toRect())
    opened.shortcuts.grab()
    QTest.keyClick(opened, Qt.Key.Key_Escape)
    del game_input.keys[:]
    assert opened.transport.owner.text() == "keys: game"
    QTest.keyClick(opened, Qt.Key.Key_T)
    assert game_input.keys == ["T", "-T"]
    assert not opened.world.camera.top
    # What is nothing to the game is the window's.
    QTest.keyClick(opened, Qt.Key.Key_P, CTRL)
    assert opened.search_popup.isVisible()
    QTest.keyClick(opened.search_popup.line, Qt.Key.Key_Escape)
    opened.store.send(Pause())
    until(lambda: opened.store.playback.mode is Mode.PAUSED)
    del game_input.keys[:]
    QTest.keyClick(opened, Qt.Key.Key_T)
    assert opened.world.camera.top
    assert "T" not in game_input.keys
    opened.player = None
    assert not opened.transport.owner.isVisible()


def test_a_recording_without_its_game_is_not_advanced(opened, until):
    calls = []
    opened.store.message.connect(calls.append)
    QTest.keyClick(opened, Qt.Key.Key_End)
    until(lambda: opened.store.frame == opened.store.playback.span.newest)
    QTest.keyClick(opened, Qt.Key.Key_A)
    assert calls[-1] == "There is no game here that could run on: this is its recording"
