"""A gamepad at one instant: the buttons and sticks that a person, script or agent holds."""

import math
from enum import IntFlag

import msgspec

from ...errors import CommandError

PLAYERS = 16
"""How many pads there can be, counted from 0."""


class Button(IntFlag):
    """One bit for each button that can be held, by the names on an Xbox pad."""

    A = 1
    B = 2
    X = 4
    Y = 8
    LB = 16
    RB = 32
    START = 64
    BACK = 128
    UP = 256
    LEFT = 512
    DOWN = 1024
    RIGHT = 2048
    LS = 4096
    RS = 8192


_ALL = sum(Button)


class Pad(msgspec.Struct, frozen=True):
    """Sticks are −1 … 1 with right and up positive; triggers are 0 … 1."""

    left: tuple[float, float] = (0.0, 0.0)
    right: tuple[float, float] = (0.0, 0.0)
    left_trigger: float = 0.0
    right_trigger: float = 0.0
    held: int = 0
    """The buttons that are down, as a set of `Button` bits: held, not just pressed."""

    def holds(self, button: Button) -> bool:
        """True while this button is down."""
        return bool(self.held & button)


NEUTRAL = Pad()
"""A pad that nobody touches: no button is down, the sticks stand in the middle."""


_BUTTONS = tuple((int(button), str(button.name)) for button in Button)


def input_of(pad: Pad) -> dict[str, float | bool]:
    """A pad as a recorded input: its axes and buttons by name; what is at rest is left out."""
    (x, y), (u, v) = pad.left, pad.right
    axes = {
        "left x": x, "left y": y, "right x": u, "right y": v,
        "left trigger": pad.left_trigger, "right trigger": pad.right_trigger,
    }  # fmt: skip
    values: dict[str, float | bool] = {name: value for name, value in axes.items() if value}
    values.update({name: True for bit, name in _BUTTONS if pad.held & bit})
    return values


PULLED = 0.5
"""A trigger that is pulled farther than this counts as pressed."""


class ButtonTaps:
    """What was pressed since the last look, though it may be up again by then."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget what was pressed."""
        self._held, self._left_trigger, self._right_trigger = 0, 0.0, 0.0

    def note(self, before: Pad, after: Pad) -> None:
        """One pad came in the place of another."""
        self._held |= after.held & ~before.held
        if before.left_trigger <= PULLED < after.left_trigger:
            self._left_trigger = max(self._left_trigger, after.left_trigger)
        if before.right_trigger <= PULLED < after.right_trigger:
            self._right_trigger = max(self._right_trigger, after.right_trigger)

    def add_to(self, pad: Pad) -> Pad:
        """A pad with all of it pressed as well; nothing is remembered then."""
        if not (self._held or self._left_trigger or self._right_trigger):
            return pad
        left, right = pad.left_trigger, pad.right_trigger
        with_taps = msgspec.structs.replace(
            pad, held=pad.held | self._held,
            left_trigger=left if left > PULLED else self._left_trigger or left,
            right_trigger=right if right > PULLED else self._right_trigger or right,
        )  # fmt: skip
        self.clear()
        return with_taps


def checked(pad: Pad) -> Pad:
    """The same pad, which is one that a person could hold.

    Raises:
        CommandError: a number is none or out of bounds, or there is no such button.
    """
    bounds = (
        ("left", pad.left, -1.0), ("right", pad.right, -1.0),
        ("left_trigger", (pad.left_trigger,), 0.0), ("right_trigger", (pad.right_trigger,), 0.0),
    )  # fmt: skip
    for name, values, least in bounds:
        for value in values:
            if not (math.isfinite(value) and least <= value <= 1.0):
                raise CommandError(f"pad: {name} is {value!r}; give a number from {least:g} to 1")
    if pad.held < 0 or pad.held & ~_ALL:
        raise CommandError(
            f"pad: held is {pad.held}; give a sum of buttons' bits, from 0 to {_ALL}"
        )
    return pad
