"""Keys as a pad, without Qt."""

import math
import re
from pathlib import Path

import pytest

from playhead.playback.pads.pad import NEUTRAL, Button, Pad, checked
from playhead.viewer.input.keyboard_pad import PARTS, ROWS, KeyboardPad, merged, turned


def pad_of(*keys: str) -> Pad:
    keypad = KeyboardPad()
    assert all(keypad.press(key) for key in keys)
    return keypad.pad


def test_nothing_down_is_neutral():
    assert KeyboardPad().pad == NEUTRAL


@pytest.mark.parametrize(
    ("keys", "pad"),
    [
        ("W", Pad(left=(0.0, 1.0))),
        ("A", Pad(left=(-1.0, 0.0))),
        ("S", Pad(left=(0.0, -1.0))),
        ("D", Pad(left=(1.0, 0.0))),
        ("Up", Pad(right=(0.0, 1.0))),
        ("Left", Pad(right=(-1.0, 0.0))),
        ("Q", Pad(left_trigger=1.0)),
        ("E", Pad(right_trigger=1.0)),
        ("Space", Pad(held=Button.A)),
        ("Shift", Pad(held=Button.RB)),
        ("Enter", Pad(held=Button.START)),
    ],
)
def test_each_key_is_its_part_of_the_pad(keys, pad):
    assert pad_of(keys) == pad


def test_every_button_but_those_under_the_sticks_has_a_key():
    pressed = {part.button for part in PARTS.values() if part.button}
    assert pressed == set(Button) - {Button.LS, Button.RS}


def test_two_directions_at_once_go_no_further_than_one():
    x, y = pad_of("W", "D").left
    assert (x, y) == pytest.approx((math.sqrt(0.5), math.sqrt(0.5)))


def test_opposite_directions_cancel_each_other():
    assert pad_of("W", "S").left == (0.0, 0.0)
    assert pad_of("W", "S", "A").left == (-1.0, 0.0)


def test_what_is_let_go_is_up_and_the_rest_stays_down():
    keypad = KeyboardPad()
    for key in ("W", "Space", "J"):
        keypad.press(key)
    keypad.release("W")
    keypad.release("Space")
    assert keypad.pad == Pad(held=Button.A)
    keypad.release_all()
    assert keypad.pad == NEUTRAL
    assert keypad.release("J")


def test_other_keys_are_not_the_pads():
    keypad = KeyboardPad()
    assert not keypad.press("N")
    assert not keypad.release("F11")
    assert keypad.pad == NEUTRAL


def test_a_keyboard_and_a_gamepad_together_are_one_pad():
    one = Pad(left=(0.5, 0.0), right=(0.0, -1.0), left_trigger=0.5, held=Button.A)
    other = Pad(left=(0.0, -0.75), right_trigger=0.25, held=Button.B)
    assert merged(one, other) == merged(other, one) == Pad(
        (0.0, -0.75), (0.0, -1.0), 0.5, 0.25, Button.A | Button.B
    )  # fmt: skip


def test_sticks_point_as_on_the_screen_whatever_the_camera_looks_at():
    away = Pad(left=(0.0, 1.0), right=(1.0, 0.0), held=Button.X)
    assert turned(away, (1.0, 0.0)) == away
    # The screen's right is the world's north, so that away from the camera is west.
    pad = turned(away, (0.0, 2.0))
    assert pad.left == pytest.approx((-1.0, 0.0))
    assert pad.right == pytest.approx((0.0, 1.0))
    assert pad.held == Button.X


def test_a_stick_in_its_corner_stays_within_bounds_however_it_is_turned():
    for angle in range(0, 360, 15):
        right = math.cos(math.radians(angle)), math.sin(math.radians(angle))
        checked(turned(Pad(left=(1.0, 1.0)), right))


def test_a_camera_that_looks_straight_along_nothing_turns_nothing():
    assert turned(Pad(left=(0.0, 1.0)), (0.0, 0.0)) == Pad(left=(0.0, 1.0))


def test_every_key_is_in_the_rows_for_people_and_in_the_page():
    page = (Path(__file__).parents[3] / "docs" / "playing.md").read_text()
    arrows = {"Left": "←", "Up": "↑", "Right": "→", "Down": "↓"}
    result = {word for keys, _ in ROWS for word in keys.split()}
    assert result == {arrows.get(key, key) for key in PARTS}
    assert all(re.search(rf"\b{key}\b|{key}", page) for key in result)
