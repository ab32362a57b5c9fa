"""Gamepads at the border of the library that knows them, without Qt and without hardware."""

import math

import pytest

from playhead.playback.pads.pad import NEUTRAL, Button, checked
from playhead.viewer.input.gamepads import DEAD, Gamepads, Sdl, past_dead_zone

FULL = 32767


class Stick:
    """A gamepad as SDL tells of it."""

    def __init__(self) -> None:
        self.axes = [0] * 6
        self.buttons: set[int] = set()
        self.is_there = True
        self.quits = 0

    def attached(self) -> bool:
        return self.is_there

    def get_axis(self, axis: int) -> int:
        return self.axes[axis]

    def get_button(self, button: int) -> bool:
        return button in self.buttons

    def quit(self) -> None:
        self.quits += 1


class FakeControllers:
    """What is plugged in; None is no gamepad, say a joystick that SDL has no map of."""

    def __init__(self, *devices: Stick | None) -> None:
        self.devices = list(devices)
        self.updates = 0
        self.closed = False

    def update(self) -> None:
        self.updates += 1

    def count(self) -> int:
        return len(self.devices)

    def open(self, index: int) -> Stick | None:
        return self.devices[index]

    def close(self) -> None:
        self.closed = True


def test_without_any_nothing_is_held():
    controllers = FakeControllers()
    gamepads = Gamepads(controllers)
    assert gamepads.read() == NEUTRAL
    assert len(gamepads) == 0
    assert controllers.updates == 1


def test_sticks_triggers_and_buttons_are_read_with_up_positive():
    stick = Stick()
    stick.axes = [FULL, -FULL - 1, 0, FULL, FULL, 0]
    stick.buttons = {0, 10, 11, 6}
    pad = checked(Gamepads(FakeControllers(stick)).read())
    assert pad.left == pytest.approx((math.sqrt(0.5), math.sqrt(0.5)), abs=1e-3)
    assert pad.right == pytest.approx((0.0, -1.0))
    assert (pad.left_trigger, pad.right_trigger) == (1.0, 0.0)
    assert pad.held == Button.A | Button.RB | Button.UP | Button.START


def test_a_stick_that_rests_a_little_off_its_middle_is_at_rest():
    assert past_dead_zone((0.1, -0.1)) == (0.0, 0.0)
    assert past_dead_zone((DEAD, 0.0)) == (0.0, 0.0)


def test_past_the_dead_zone_it_begins_at_nothing_and_ends_at_one():
    assert past_dead_zone((DEAD + 1e-6, 0.0))[0] == pytest.approx(0.0, abs=1e-5)
    assert past_dead_zone((0.0, -1.0)) == pytest.approx((0.0, -1.0))
    x, y = past_dead_zone((0.6, 0.8))
    assert math.hypot(x, y) == pytest.approx(1.0)
    assert y / x == pytest.approx(0.8 / 0.6)


def test_one_that_is_plugged_in_later_is_found_and_one_that_is_pulled_is_let_go():
    stick, controllers = Stick(), FakeControllers()
    gamepads = Gamepads(controllers)
    gamepads.read()
    stick.buttons = {1}
    controllers.devices.append(stick)
    assert gamepads.read().held == Button.B
    assert len(gamepads) == 1
    stick.is_there = False
    controllers.devices.clear()
    assert gamepads.read() == NEUTRAL
    assert stick.quits == 1


def test_one_that_is_swapped_for_another_between_two_looks_is_noticed():
    old, new = Stick(), Stick()
    controllers = FakeControllers(old)
    gamepads = Gamepads(controllers)
    gamepads.read()
    old.is_there = False
    new.buttons = {3}
    controllers.devices[0] = new
    assert gamepads.read().held == Button.Y


def test_what_is_plugged_in_and_no_gamepad_is_passed_over():
    stick = Stick()
    stick.buttons = {2}
    gamepads = Gamepads(FakeControllers(None, stick))
    assert gamepads.read().held == Button.X
    assert len(gamepads) == 1


def test_two_gamepads_are_one_pad():
    one, other = Stick(), Stick()
    one.buttons, other.buttons = {0}, {1}
    assert Gamepads(FakeControllers(one, other)).read().held == Button.A | Button.B


def test_closing_lets_go_of_all():
    stick = Stick()
    controllers = FakeControllers(stick)
    gamepads = Gamepads(controllers)
    gamepads.read()
    gamepads.close()
    assert stick.quits == 1
    assert controllers.closed


def test_the_library_itself_can_be_asked_without_a_display(monkeypatch):
    pytest.importorskip("pygame", exc_type=ImportError)
    monkeypatch.delenv("DISPLAY", raising=False)
    gamepads = Gamepads(Sdl())
    try:
        checked(gamepads.read())
    finally:
        gamepads.close()
