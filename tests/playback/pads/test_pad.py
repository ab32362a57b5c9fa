"""Pads: what is held down."""

import msgspec
import pytest

from playhead.playback.pads.pad import NEUTRAL, Button, Pad


def test_a_pad_holds_the_buttons_in_its_set_and_no_others():
    pad = Pad(held=int(Button.A | Button.RB))
    assert pad.holds(Button.A)
    assert pad.holds(Button.RB)
    assert not pad.holds(Button.B)
    assert not any(NEUTRAL.holds(button) for button in Button)


def test_a_pad_cannot_be_changed_but_survives_encoding():
    pad = Pad(left=(0.5, -1.0), right_trigger=1.0, held=int(Button.LEFT))
    with pytest.raises(AttributeError):
        pad.held = 0
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(pad), type=Pad) == pad
