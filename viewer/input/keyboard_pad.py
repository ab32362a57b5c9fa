"""A pad made of keys: which key is which part of the pad, and which are pressed now."""

import math
from collections.abc import Mapping
from typing import NamedTuple

from ...playback.pads.pad import NEUTRAL, Button, Pad

Stick = tuple[float, float]


class PadPart(NamedTuple):
    """What a key is on the pad."""

    help: str
    left: Stick = (0.0, 0.0)
    right: Stick = (0.0, 0.0)
    left_trigger: float = 0.0
    right_trigger: float = 0.0
    button: int = 0


PARTS: Mapping[str, PadPart] = {
    "W": PadPart("left stick: away", left=(0.0, 1.0)),
    "A": PadPart("left stick: left", left=(-1.0, 0.0)),
    "S": PadPart("left stick: near", left=(0.0, -1.0)),
    "D": PadPart("left stick: right", left=(1.0, 0.0)),
    "Up": PadPart("right stick: away", right=(0.0, 1.0)),
    "Left": PadPart("right stick: left", right=(-1.0, 0.0)),
    "Down": PadPart("right stick: near", right=(0.0, -1.0)),
    "Right": PadPart("right stick: right", right=(1.0, 0.0)),
    "Space": PadPart("A", button=Button.A),
    "J": PadPart("A", button=Button.A),
    "K": PadPart("B", button=Button.B),
    "U": PadPart("X", button=Button.X),
    "I": PadPart("Y", button=Button.Y),
    "C": PadPart("LB", button=Button.LB),
    "Shift": PadPart("RB", button=Button.RB),
    "Q": PadPart("left trigger", left_trigger=1.0),
    "E": PadPart("right trigger", right_trigger=1.0),
    "T": PadPart("D-pad up", button=Button.UP),
    "F": PadPart("D-pad left", button=Button.LEFT),
    "G": PadPart("D-pad down", button=Button.DOWN),
    "H": PadPart("D-pad right", button=Button.RIGHT),
    "Enter": PadPart("Start", button=Button.START),
    "Backspace": PadPart("Back", button=Button.BACK),
}
"""Keyed by the names of keys, without modifiers."""

ROWS = (
    ("W A S D", "left stick: walk"), ("← ↑ → ↓", "right stick: look, aim"),
    ("Space J", "A"), ("K", "B"), ("U", "X"), ("I", "Y"), ("C", "LB"), ("Shift", "RB"),
    ("Q", "left trigger"), ("E", "right trigger"), ("T F G H", "D-pad"),
    ("Enter", "Start"), ("Backspace", "Back"),
)  # fmt: skip
"""The same for people."""


class KeyboardPad:
    """Which keys are down, as a pad."""

    def __init__(self) -> None:
        self._down: set[str] = set()

    def press(self, key: str) -> bool:
        """A key went down; False if it is no part of the pad."""
        if key in PARTS:
            self._down.add(key)
        return key in PARTS

    def release(self, key: str) -> bool:
        """A key went up; False if it is no part of the pad."""
        self._down.discard(key)
        return key in PARTS

    def release_all(self) -> None:
        """Nothing is held: also what is down has to be pressed again."""
        self._down.clear()

    @property
    def pad(self) -> Pad:
        """What is held."""
        if not self._down:
            return NEUTRAL
        parts = [PARTS[key] for key in self._down]
        held = 0
        for part in parts:
            held |= int(part.button)
        return Pad(
            _round([part.left for part in parts]), _round([part.right for part in parts]),
            max(part.left_trigger for part in parts), max(part.right_trigger for part in parts),
            held,
        )  # fmt: skip


def merged(one: Pad, other: Pad) -> Pad:
    """What two pads that one user holds come to: of each part the one that is further from rest.

    Buttons of both are held.
    """
    return Pad(
        max(one.left, other.left, key=lambda stick: math.hypot(*stick)),
        max(one.right, other.right, key=lambda stick: math.hypot(*stick)),
        max(one.left_trigger, other.left_trigger), max(one.right_trigger, other.right_trigger),
        one.held | other.held,
    )  # fmt: skip


def turned(pad: Pad, right: Stick) -> Pad:
    """A pad whose sticks point as on the screen, made to point along the world's axes.

    Args:
        right: Where the screen's right is in the world: x and y.
    """
    length = math.hypot(*right)
    if length < 1e-9:
        return pad
    x, y = right[0] / length, right[1] / length

    def turn(stick: Stick) -> Stick:
        if stick == (0.0, 0.0):
            return stick
        turned = stick[0] * x - stick[1] * y, stick[0] * y + stick[1] * x
        return _bounded(turned[0]), _bounded(turned[1])

    return Pad(
        turn(pad.left), turn(pad.right), pad.left_trigger, pad.right_trigger, pad.held
    )  # fmt: skip


def _round(sticks: list[Stick]) -> Stick:
    """Where keys push a stick, no further than it goes: on a circle."""
    x, y = sum(stick[0] for stick in sticks), sum(stick[1] for stick in sticks)
    size = math.hypot(x, y)
    return (x / size, y / size) if size > 1.0 else (x, y)


def _bounded(number: float) -> float:
    # A square stick pushed into its corner would point beyond 1 when turned.
    return min(1.0, max(-1.0, number))
