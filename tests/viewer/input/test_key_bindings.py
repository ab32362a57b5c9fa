"""Keys by default, and as a person wants them."""

import hypothesis.strategies as st
import pytest
from hypothesis import given

from playhead.errors import CommandError
from playhead.playback.key_controls import KEYS as TIME_KEYS
from playhead.viewer.input.action_table import ACTIONS, BY_ID, GROUPS
from playhead.viewer.input.key_bindings import KeyBindings, normal

SPEC = (
    "Space", "J", "K", "L", "Left", "Right", "Shift+Left", "Shift+Right", "Ctrl+Left",
    "Ctrl+Right", "Alt+Left", "Alt+Right", "Home", "End", "N", "Shift+N", "I", "O", "Ctrl+L",
    "Escape", "M", "[", "]", ",", ".", "0", "+", "-", "Z", "F", "T", "G", "Tab", "P", "Ctrl+P",
    "Ctrl+F", "Ctrl+O", "Ctrl+Shift+O", "Ctrl+S", "Ctrl+C", "1", "2", "3", "4", "5", "6", "F11",
    "?",
)  # fmt: skip
"""Every key that people are promised."""


def test_no_key_has_two_meanings():
    keys = [key for action in ACTIONS for key in action.keys]
    assert len(keys) == len(set(keys))
    assert len(BY_ID) == len(ACTIONS)


@pytest.mark.parametrize("key", SPEC)
def test_every_promised_key_does_something(key):
    assert KeyBindings().action(key) is not None


def test_every_key_that_moves_time_is_in_the_table():
    moves = {action.value for action in ACTIONS if action.method == "move_time"}
    assert moves | {"Escape"} == set(TIME_KEYS)
    assert {action.group for action in ACTIONS} == set(GROUPS)


def test_every_key_is_named_as_keys_are_read():
    for action in ACTIONS:
        for key in action.keys:
            held = sorted(key.split("+")[:-1]) if len(key) > 1 else []
            assert normal(key) == key or held == ["Ctrl", "Shift"]


def test_a_person_s_key_replaces_the_default():
    bindings = KeyBindings({"next_problem": "f5"})
    assert bindings.key_of("next_problem") == "F5"
    assert bindings.action("F5") is BY_ID["next_problem"]
    assert bindings.action("N") is None
    assert bindings.errors == []


def test_two_actions_can_change_places():
    bindings = KeyBindings({"next_problem": "Z", "fit": "N"})
    assert (bindings.key_of("next_problem"), bindings.key_of("fit")) == ("Z", "N")
    assert bindings.errors == []


def test_a_clash_keeps_the_default_and_names_both():
    bindings = KeyBindings({"next_problem": "Space"})
    assert bindings.key_of("next_problem") == "N"
    assert bindings.key_of("play") == "Space"
    (result,) = bindings.errors
    assert "next_problem" in result
    assert "play" in result
    assert "Space" in result


def test_an_empty_key_takes_it_away():
    bindings = KeyBindings({"demo": ""})
    assert bindings.key_of("demo") == ""
    assert bindings.action("Ctrl+D") is None


@pytest.mark.parametrize(
    ("id", "key", "named"),
    [("next_problme", "X", "next_problem"), ("pin", "Hyper+X", "Hyper"), ("escape", "X", "Escape"),
     ("pin", "Down", "panels"), ("pin", "Shift", "Shift")],
)  # fmt: skip
def test_what_can_t_be_is_reported(id, key, named):
    (result,) = KeyBindings({id: key}).errors
    assert named in result


@pytest.mark.parametrize(
    ("text", "key"),
    [("ctrl+shift+o", "Ctrl+Shift+O"), ("shift+ctrl+o", "Ctrl+Shift+O"), ("+", "+"),
     ("Ctrl++", "Ctrl++"), ("alt + left", "Alt+Left"), ("pagedown", "PageDown"), ("]", "]")],
)  # fmt: skip
def test_keys_can_be_written_as_people_write_them(text, key):
    assert normal(text) == key


def test_a_key_that_is_taken_can_t_be_given():
    bindings = KeyBindings()
    with pytest.raises(CommandError, match="play or pause"):
        bindings.check("next_problem", "Space")
    assert bindings.check("next_problem", "N") == "N"
    assert bindings.check("next_problem", "x") == "X"


@given(st.dictionaries(
    st.sampled_from([action.id for action in ACTIONS]),
    st.sampled_from(["", *SPEC, "X", "F5", "Ctrl+F6"]),
))  # fmt: skip
def test_whatever_a_person_wants_no_key_has_two_meanings(overrides):
    bindings = KeyBindings(overrides)
    keys = [key for action in ACTIONS for key in bindings.keys_of(action)]
    assert len(keys) == len(set(keys))
    for action in ACTIONS:
        for key in bindings.keys_of(action):
            assert bindings.action(key) is action
        if action.id not in overrides:
            assert bindings.keys_of(action) == action.keys
