"""The keys, in one table: what each does in the viewer, beside those that move time everywhere."""

from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from ..playback.command import Command, Follow, Pause
from ..playback.controls import KEYS as TIME_KEYS
from ..playback.controls import command_for
from ..playback.shown import Mode, Shown
from .qt import QKeyEvent, Qt


class Key(NamedTuple):
    """What a key does."""

    action: str
    """The method of the window that does it, and what it is given."""
    help: str
    value: int | float | str | None = None


KEYS: Mapping[str, Key] = {
    "N": Key("next_problem", "next problem: failed check, error, loss, gap", 1),
    "Shift+N": Key("next_problem", "previous problem", -1),
    "Ctrl+Left": Key("next_event", "previous change of the selected object's state or tree", -1),
    "Ctrl+Right": Key("next_event", "next change of the selected object's state or tree", 1),
    "Alt+Left": Key("go_back", "back to where the playhead was before the last jump", -1),
    "Alt+Right": Key("go_back", "forward again", 1),
    "]": Key("next_mark", "next mark", 1),
    "[": Key("next_mark", "previous mark", -1),
    "+": Key("zoom", "zoom the timeline in", 0.5),
    "=": Key("zoom", "zoom the timeline in", 0.5),
    "-": Key("zoom", "zoom the timeline out", 2.0),
    "Z": Key("fit", "show the loop, or all time"),
    "F": Key("focus", "bring the selected object close"),
    "T": Key("toggle_top", "from above, or in perspective"),
    "G": Key("toggle_follow", "camera follows the selected object, or stands"),
    "Tab": Key("next_object", "next agent", 1),
    "Shift+Tab": Key("next_object", "previous agent", -1),
    "Ctrl+F": Key("filter", "filter the objects"),
    "Ctrl+G": Key("type_time", "type a time, #frame, or a mark's name"),
    "Ctrl+O": Key("open_file", "open a clip or a ring"),
    "Ctrl+Shift+O": Key("connect_to", "connect to a running game"),
    "Ctrl+C": Key("copy_link", "copy a link to this frame and object"),
    "F11": Key("full_screen", "full screen"),
    "?": Key("show_keys", "this list"),
    **{str(at): Key("switch", f"switch drawing {at} on or off", at - 1) for at in range(1, 7)},
}
"""All but those that move time, which are in `playback.controls`; a key has one meaning."""

_NAMES = {
    Qt.Key.Key_Space: "Space", Qt.Key.Key_Left: "Left", Qt.Key.Key_Right: "Right",
    Qt.Key.Key_Home: "Home", Qt.Key.Key_End: "End", Qt.Key.Key_Escape: "Escape",
    Qt.Key.Key_Tab: "Tab", Qt.Key.Key_Backtab: "Tab", Qt.Key.Key_F11: "F11",
}  # fmt: skip
_SIGNS = frozenset("?+=-[],.")
"""Where these stand differs by keyboard: Shift is part of how one types them."""


def name_of(event: QKeyEvent) -> str:
    """A key as the tables name it, such as `Ctrl+Shift+O`; empty for one that they can't."""
    held, text = event.modifiers(), event.text()
    if text in _SIGNS and text and not held & Qt.KeyboardModifier.ControlModifier:
        return text
    try:
        key = Qt.Key(event.key())
    except ValueError:
        return ""
    name = _NAMES.get(key) or (chr(key) if 32 < key < 127 else "")
    if not name:
        return ""
    for modifier, word in (
        (Qt.KeyboardModifier.ShiftModifier, "Shift"), (Qt.KeyboardModifier.AltModifier, "Alt"),
        (Qt.KeyboardModifier.ControlModifier, "Ctrl"),
    ):  # fmt: skip
        if held & modifier:
            name = f"{word}+{name}"
    return name


def time_command(name: str, shown: Shown) -> Command | None:
    """What a key does to time; None if it does nothing.

    In front of a running game the keys act as if it stood at its newest frame: that pauses it.
    """
    if shown.mode is not Mode.LIVE:
        return command_for(name, shown)
    if name in ("Space", "K"):
        return Pause()
    if shown.span is None or name in ("End", "L"):
        return None
    standing = msgspec.structs.replace(
        shown, mode=Mode.PAUSED, frame=shown.span.newest, time=shown.span.end
    )
    command = command_for(name, standing)
    return None if isinstance(command, Follow) else command


def sheet() -> list[tuple[str, str]]:
    """Every key and what it does, for people."""
    rows = [(name, key.help) for name, key in TIME_KEYS.items()]
    rows += [(name, key.help) for name, key in KEYS.items() if name != "=" and not name.isdigit()]
    return [*rows, ("1 … 6", "switch a kind of drawing on or off")]
