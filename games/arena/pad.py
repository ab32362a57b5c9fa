"""A gamepad at one step: what a player, a script or an agent holds down."""

from enum import IntFlag

import msgspec


class Button(IntFlag):
    """One bit for each button that can be held."""

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


class Pad(msgspec.Struct, frozen=True):
    """Sticks are -1 … 1 with right and up positive; triggers are 0 … 1.

    In the yard the left stick moves along the world's x and y, the right stick turns, A or the
    right trigger throws a stone, B dodges, RB runs and LB sneaks.
    """

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
"""Nothing touched."""
