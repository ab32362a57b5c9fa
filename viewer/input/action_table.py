"""The table of all actions of keys: the viewer's own, and those that move time everywhere."""

from collections.abc import Mapping
from typing import NamedTuple

from ...playback.key_controls import KEYS as TIME_KEYS


class KeyAction(NamedTuple):
    """Something that a key does."""

    id: str
    """Its name in the settings."""
    keys: tuple[str, ...]
    """The default keys; the first one is shown."""
    help: str
    group: str
    method: str
    """The method of `viewer.app.action_handlers.Actions` that does it."""
    value: int | float | str | None = None
    """What the method is given."""
    fixed: bool = False
    """Whether no other key can be given to it."""


_TIME_IDS = {
    "Space": "play", "Left": "frame_back", "Right": "frame_on", "Shift+Left": "frames_back",
    "Shift+Right": "frames_on", "J": "reverse", "K": "stop", "L": "forward", "Home": "oldest",
    "End": "newest", ",": "slower", ".": "faster", "0": "normal_speed", "I": "loop_in",
    "O": "loop_out", "Ctrl+L": "loop", "A": "advance",
}  # fmt: skip
"""The names of the keys that move time, by their default."""
_SPEED = frozenset((",", ".", "0", "J", "K", "L"))
_RANGE = frozenset(("I", "O", "Ctrl+L"))
GROUPS = ("Time", "Speed", "Range", "Go to", "Select", "See", "Window", "File")


def _moves_time() -> list[KeyAction]:
    made = []
    for key, key_help in TIME_KEYS.items():
        if key == "Escape":
            continue  # of several things, and in their order: see below
        group = "Speed" if key in _SPEED else "Range" if key in _RANGE else "Time"
        # A key that is new there works at once, under the name of its default.
        made.append(
            KeyAction(_TIME_IDS.get(key, key), (key,), key_help.help, group, "move_time", key)
        )
    return made


_PLAN_STEPS = {
    "node": "{} node of a plan", "validation": "{} validation of a plan",
    "rule": "{} rule of a plan that fires",
}  # fmt: skip

ACTIONS: tuple[KeyAction, ...] = (
    *_moves_time(),
    KeyAction("next_problem", ("N",), "next failed check, error, loss or gap", "Go to",
              "next_problem", 1),
    KeyAction("previous_problem", ("Shift+N",), "previous problem", "Go to", "next_problem", -1),
    KeyAction("next_event", ("Ctrl+Right",), "next change of the object's state or tree", "Go to",
              "next_event", 1),
    KeyAction("previous_event", ("Ctrl+Left",), "previous change of the object's state or tree",
              "Go to", "next_event", -1),
    KeyAction("next_mark", ("]",), "next mark", "Go to", "next_mark", 1),
    KeyAction("previous_mark", ("[",), "previous mark", "Go to", "next_mark", -1),
    KeyAction("next_hit", ("F3",), "next hit of find in time", "Go to", "next_hit", 1),
    KeyAction("previous_hit", ("Shift+F3",), "previous hit of find in time", "Go to", "next_hit",
              -1),
    *(
        action
        for what, keys in (("node", "Ctrl"), ("validation", "Alt"), ("rule", "Ctrl+Alt"))
        for action in (
            KeyAction(f"next_plan_{what}", (f"{keys}+]",), _PLAN_STEPS[what].format("next"),
                      "Go to", f"next_plan_{what}", 1),
            KeyAction(f"previous_plan_{what}", (f"{keys}+[",), _PLAN_STEPS[what].format("previous"),
                      "Go to", f"next_plan_{what}", -1),
        )
    ),
    KeyAction("jump_back", ("Alt+Left",), "back to the place before the last jump", "Go to",
              "go_back", -1),
    KeyAction("jump_forward", ("Alt+Right",), "forward again after going back", "Go to", "go_back",
              1),
    KeyAction("type_time", ("Ctrl+G",), "type a time, #frame, or a mark's name", "Go to",
              "type_time"),
    KeyAction("next_object", ("Tab",), "next agent", "Select", "next_object", 1),
    KeyAction("previous_object", ("Shift+Tab",), "previous agent", "Select", "next_object", -1),
    KeyAction("pin", ("P",), "pin the object's lanes", "Select", "pin"),
    KeyAction("focus", ("F",), "move the camera to the selected object", "Select", "focus"),
    KeyAction("escape", ("Escape",), "close, else end search or loop, else deselect", "Select",
              "escape", fixed=True),
    KeyAction("zoom_in", ("+", "="), "zoom the timeline in", "See", "zoom", 0.5),
    KeyAction("zoom_out", ("-",), "zoom the timeline out", "See", "zoom", 2.0),
    KeyAction("fit", ("Z",), "show the loop, or all time", "See", "fit"),
    KeyAction("top", ("T",), "from above, or in perspective", "See", "toggle_top"),
    KeyAction("follow", ("G",), "camera follows the object, or stays", "See", "toggle_follow"),
    KeyAction("recorded", ("C",), "the game's own camera, or freely from there", "See",
              "toggle_recorded"),
    KeyAction("see_all", ("Shift+F",), "move the camera to show everything", "See", "see_all"),
    KeyAction("nearer", ("Alt+Up",), "camera goes nearer", "See", "dolly", 0.8),
    KeyAction("farther", ("Alt+Down",), "camera goes farther away", "See", "dolly", 1.25),
    KeyAction("turn_left", ("Alt+Shift+Left",), "camera turns to the left", "See", "turn", 0.12),
    KeyAction("turn_right", ("Alt+Shift+Right",), "camera turns to the right", "See", "turn",
              -0.12),
    KeyAction("turn_up", ("Alt+Shift+Up",), "camera looks from higher up", "See", "rise", 0.12),
    KeyAction("turn_down", ("Alt+Shift+Down",), "camera looks from lower down", "See", "rise",
              -0.12),
    KeyAction("larger_text", ("Ctrl++", "Ctrl+="), "larger text", "See", "text_size", 1),
    KeyAction("smaller_text", ("Ctrl+-",), "smaller text", "See", "text_size", -1),
    KeyAction("usual_text", ("Ctrl+0",), "text of the usual size", "See", "text_size", 0),
    *(
        KeyAction(f"switch_{at}", (str(at),), f"switch drawing {at} on or off", "See", "switch",
                  at - 1)
        for at in range(1, 7)
    ),
    *(
        KeyAction(f"level_{at}", (f"Alt+{at}",), f"show or hide {level} lines of the log", "See",
                  "switch_level", at - 1)
        for at, level in enumerate(("debug", "info", "warning", "error", "assert", "event"), 1)
    ),
    KeyAction("find", ("Ctrl+P",), "find anything, or in time: hp < 50", "Window", "find"),
    KeyAction("filter", ("Ctrl+F",), "filter the panel in focus or under the mouse", "Window",
              "filter"),
    KeyAction("next_panel", ("F6",), "next panel", "Window", "next_panel", 1),
    KeyAction("previous_panel", ("Shift+F6",), "previous panel", "Window", "next_panel", -1),
    KeyAction("close_panel", ("Ctrl+W",), "close the panel in focus", "Window", "close_panel"),
    KeyAction("layouts", ("F4",), "choose or save a layout", "Window", "choose_layout"),
    KeyAction("place", ("F7",), "place enemies and blocks in an arena, give targets", "Window",
              "place"),
    KeyAction("time_format", ("F2",), "change the time format", "Window", "next_format"),
    KeyAction("theme", (), "light theme, or dark again", "Window", "next_theme"),
    KeyAction("full_screen", ("F11",), "full screen", "Window", "full_screen"),
    KeyAction("keys", ("?",), "this list", "Window", "show_keys"),
    KeyAction("mark", ("M",), "set a mark here, with a note", "File", "mark"),
    KeyAction("save", ("Ctrl+S",), "save a clip of the loop, or of everything", "File", "save"),
    KeyAction("open", ("Ctrl+O",), "open a clip or a ring", "File", "open_file"),
    KeyAction("connect", ("Ctrl+Shift+O",), "connect to a running game", "File", "connect_to"),
    KeyAction("demo", ("Ctrl+D",), "start the demo game and look into it", "File", "start_demo"),
    KeyAction("copy_link", ("Ctrl+C",), "copy a link to this frame and object", "File",
              "copy_link"),
    KeyAction("copy_text", ("Ctrl+Shift+C",), "copy the panel in focus as text", "File",
              "copy_text"),
    KeyAction("paste_link", ("Ctrl+V",), "open the link in the clipboard", "File", "paste_link"),
    KeyAction("open_source", ("E",), "open the source line of the entry shown here", "File",
              "open_shown_source"),
    KeyAction("settings", (), "open the settings in the editor", "File", "open_settings"),
)  # fmt: skip
"""All that keys can do; a key has one meaning."""

BY_ID: Mapping[str, KeyAction] = {action.id: action for action in ACTIONS}
