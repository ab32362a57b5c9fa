"""The names of keys in the tables, and what the keys that move time do in each mode."""

import msgspec

from ...playback.commands import Advance, Command, Leave, Pause
from ...playback.key_controls import command_for
from ...playback.playback_state import Mode, PlaybackState
from ..toolkit.qt import QKeyEvent, Qt
from .key_bindings import SIGNS

_NAMES = {
    Qt.Key.Key_Space: "Space", Qt.Key.Key_Left: "Left", Qt.Key.Key_Right: "Right",
    Qt.Key.Key_Up: "Up", Qt.Key.Key_Down: "Down", Qt.Key.Key_Home: "Home", Qt.Key.Key_End: "End",
    Qt.Key.Key_PageUp: "PageUp", Qt.Key.Key_PageDown: "PageDown", Qt.Key.Key_Escape: "Escape",
    Qt.Key.Key_Tab: "Tab", Qt.Key.Key_Backtab: "Tab", Qt.Key.Key_Insert: "Insert",
    Qt.Key.Key_Delete: "Delete", Qt.Key.Key_Backspace: "Backspace", Qt.Key.Key_Return: "Enter",
    Qt.Key.Key_Enter: "Enter",
    **{Qt.Key(Qt.Key.Key_F1 + at): f"F{at + 1}" for at in range(12)},
}  # fmt: skip


def name_of(event: QKeyEvent) -> str:
    """A key as the tables name it, such as `Ctrl+Shift+O`; empty for one that they can't."""
    held, text = event.modifiers(), event.text()
    # AltGr, which many signs need, is Ctrl and Alt to some systems.
    alone = not held & Qt.KeyboardModifier.ControlModifier or _is_alt_gr(held)
    if text in SIGNS and text and alone:
        return text
    try:
        key = Qt.Key(event.key())
    except ValueError:
        return ""
    name = _NAMES.get(key) or (chr(key) if 32 < key < 127 else "")
    if not name:
        return ""
    if name in SIGNS:
        held &= ~Qt.KeyboardModifier.ShiftModifier  # part of how one types them
    for modifier, word in (
        (Qt.KeyboardModifier.ShiftModifier, "Shift"), (Qt.KeyboardModifier.AltModifier, "Alt"),
        (Qt.KeyboardModifier.ControlModifier, "Ctrl"),
    ):  # fmt: skip
        if held & modifier:
            name = f"{word}+{name}"
    return name


def _is_alt_gr(held: Qt.KeyboardModifier) -> bool:
    both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    return held & both == both or bool(held & Qt.KeyboardModifier.GroupSwitchModifier)


def time_command(name: str, state: PlaybackState) -> Command | None:
    """What a key does to time; None if it does nothing.

    For a running game the keys act as at its newest frame: that pauses it.
    """
    if state.mode is not Mode.LIVE:
        return command_for(name, state)
    if name in ("Space", "K"):
        return Pause()
    if state.span is None or name in ("End", "L"):
        return None
    playback = msgspec.structs.replace(
        state, mode=Mode.PAUSED, frame=state.span.newest, time=state.span.end
    )
    command = command_for(name, playback)
    return None if isinstance(command, Advance | Leave) else command
