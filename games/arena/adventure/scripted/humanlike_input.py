"""Imitates a person's pad input: presses last some frames, and sticks are never quite straight."""

import math
from random import Random

from .....playback.pads.pad import Pad
from ...entity import wrapped
from ...yaml_nodes import Point
from ..world.player import CAMERA, TRIGGER

PRESS = (3, 7)
"""Steps that a button is held down."""
LIFT = (4, 9)
"""Steps until the thumb is ready for the next."""
SHAKE = 0.09
"""Radians that the stick is off its aim at most."""
FIRM = (0.84, 1.0)
"""How far a person pushes the stick at most."""
CAMERA_OFF = 0.6
"""Radians that the camera may look away from the way that is gone."""


class HumanInput:
    """What is held down. Draws all chance from the person's own."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._button = 0
        self._down = 0
        self._rest = 0
        self._off = 0.0
        self._firm = 0.93
        self.left: Point = (0.0, 0.0)
        self.turn = 0.0
        self.runs = 0
        """The bits of what is held while walking."""

    @property
    def ready(self) -> bool:
        """Whether a button can be pressed now."""
        return self._down == 0 and self._rest == 0

    def tap(self, button: int) -> bool:
        """Press a button for a moment; False if the thumb is not ready for it."""
        if not self.ready:
            return False
        self._button, self._down = int(button), self._rng.randint(*PRESS)
        return True

    def push(self, heading: float, size: float = 1.0, *, sure: bool = False) -> None:
        """Push the left stick along a heading (radians); `sure` by who looks closely."""
        off = 0.25 * self._off if sure else self._off
        size *= 1.0 if sure else self._firm
        self.left = (size * math.cos(heading + off), size * math.sin(heading + off))

    def look(self, away: float) -> None:
        """Turn the camera a little if it looks this far (radians) off the way that is gone."""
        if self.turn and abs(away) < 0.15:
            self.turn = 0.0
        elif self.turn or abs(away) > CAMERA_OFF:
            most = min(0.75, 0.25 + abs(away) / CAMERA[0])
            self.turn = -most if away > 0 else most

    def pad(self) -> Pad:
        """What is pressed in this step; the sticks are released after it."""
        self._off = wrapped(0.96 * self._off + self._rng.gauss(0.0, 0.016))
        self._off = min(max(self._off, -SHAKE), SHAKE)
        self._firm = min(max(self._firm + self._rng.gauss(0.0, 0.01), FIRM[0]), FIRM[1])
        held = 0
        if self._down:
            held = self._button
            self._down -= 1
            if not self._down:
                self._rest = self._rng.randint(*LIFT)
        elif self._rest:
            self._rest -= 1
        pulled = 0.9 if held & TRIGGER else 0.0
        pad = Pad(
            left=self.left, right=(self.turn, 0.0), left_trigger=pulled,
            held=(held & ~TRIGGER) | self.runs,
        )  # fmt: skip
        self.left, self.runs = (0.0, 0.0), 0
        return pad

    def pack(self) -> bytes:
        """Everything that decides what is pressed next."""
        state = (self._button, self._down, self._rest, self._off, self._firm, self.turn)
        return repr(state).encode()
