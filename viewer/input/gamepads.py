"""Gamepads, through pygame-ce (SDL): all connected ones are combined into one pad."""

import importlib
import math
import os
from typing import Any, Protocol

from ...playback.pads.pad import NEUTRAL, Button, Pad
from .keyboard_pad import Stick, merged

DEAD = 0.15
"""How far a stick may rest from its middle; from there on it goes from 0 to 1."""
DEAD_TRIGGER = 0.05
_AXIS = 32767
"""What a stick or trigger says when it is all the way."""
_LEFT_X, _LEFT_Y, _RIGHT_X, _RIGHT_Y, _LEFT_TRIGGER, _RIGHT_TRIGGER = range(6)
_BUTTONS = {
    0: Button.A, 1: Button.B, 2: Button.X, 3: Button.Y, 4: Button.BACK, 6: Button.START,
    7: Button.LS, 8: Button.RS, 9: Button.LB, 10: Button.RB, 11: Button.UP, 12: Button.DOWN,
    13: Button.LEFT, 14: Button.RIGHT,
}  # fmt: skip
"""SDL's numbers; where a maker puts and what he prints on a button is SDL's to know."""


class GamepadDevice(Protocol):
    """A gamepad, as pygame's `Controller` is one."""

    def attached(self) -> bool: ...

    def get_axis(self, axis: int) -> int: ...

    def get_button(self, button: int) -> bool: ...

    def quit(self) -> None: ...


class GamepadLibrary(Protocol):
    """What knows the gamepads of this machine."""

    def update(self) -> None:
        """Take in what has happened to them."""

    def count(self) -> int:
        """How many devices are plugged in, gamepads or not."""

    def open(self, index: int) -> GamepadDevice | None:
        """One of them; None if it is no gamepad."""

    def close(self) -> None: ...


class Sdl:
    """pygame-ce's gamepads, without a window of its own.

    Raises:
        ImportError: pygame-ce is not installed.
    """

    def __init__(self) -> None:
        os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
        # Its events want a screen, another window has the focus, and signals are Python's.
        os.environ.setdefault("SDL_NO_SIGNAL_HANDLERS", "1")
        os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
        os.environ.setdefault("SDL_JOYSTICK_ALLOW_BACKGROUND_EVENTS", "1")
        self._pygame: Any = importlib.import_module("pygame")
        self._controller: Any = importlib.import_module("pygame._sdl2.controller")
        self._pygame.display.init()
        self._controller.init()

    def update(self) -> None:
        self._pygame.event.pump()

    def count(self) -> int:
        number: int = self._controller.get_count()
        return number

    def open(self, index: int) -> GamepadDevice | None:
        if not self._controller.is_controller(index):
            return None
        device: GamepadDevice = self._controller.Controller(index)
        return device

    def close(self) -> None:
        self._controller.quit()
        self._pygame.display.quit()


class Gamepads:
    """All that are plugged in, also later; two of them are one pad.

    Args:
        library: What knows them.
    """

    def __init__(self, library: GamepadLibrary) -> None:
        self._library = library
        self._devices: list[GamepadDevice] = []
        self._count = 0

    def __len__(self) -> int:
        return len(self._devices)

    def read(self) -> Pad:
        """What is held on them now; neutral without any."""
        library = self._library
        library.update()
        count = library.count()
        if count != self._count or not all(device.attached() for device in self._devices):
            self._find(count)
        pad = NEUTRAL
        for device in self._devices:
            pad = merged(pad, _pad_of(device))
        return pad

    def _find(self, count: int) -> None:
        for device in self._devices:
            device.quit()
        found = [self._library.open(index) for index in range(count)]
        self._devices = [device for device in found if device is not None]
        self._count = count

    def close(self) -> None:
        """Let go of them."""
        self._find(0)
        self._library.close()


def find_gamepads() -> Gamepads | None:
    """This machine's gamepads; None without the library for them."""
    try:
        return Gamepads(Sdl())
    except Exception:  # not installed, or it finds no way to look for them here
        return None


def _pad_of(device: GamepadDevice) -> Pad:
    def axis(number: int) -> float:
        return min(1.0, max(-1.0, device.get_axis(number) / _AXIS))

    held = 0
    for number, button in _BUTTONS.items():
        if device.get_button(number):
            held |= int(button)
    # SDL's sticks say down where ours say up.
    return Pad(
        past_dead_zone((axis(_LEFT_X), -axis(_LEFT_Y))),
        past_dead_zone((axis(_RIGHT_X), -axis(_RIGHT_Y))),
        _pulled(axis(_LEFT_TRIGGER)), _pulled(axis(_RIGHT_TRIGGER)), held,
    )  # fmt: skip


def past_dead_zone(stick: Stick) -> Stick:
    """Where a stick points, with a round zone in its middle in which it is at rest."""
    size = math.hypot(*stick)
    if size <= DEAD:
        return 0.0, 0.0
    scale = min(1.0, (size - DEAD) / (1.0 - DEAD)) / size
    return stick[0] * scale, stick[1] * scale


def _pulled(value: float) -> float:
    return max(0.0, (value - DEAD_TRIGGER) / (1.0 - DEAD_TRIGGER))
