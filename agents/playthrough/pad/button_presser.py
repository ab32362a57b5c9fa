"""Presses buttons by name, so that the game sees each press as one press."""

from ....playback.pads.pad import PULLED, Button, Pad
from ..engine_axes import Stick, clamped

TRIGGER = 1 << 30
"""The left trigger among the buttons' bits."""
WHOLE = 1.0
"""How far it is pulled as a button."""


def bits_of(key: str) -> int:
    """The bit of a button's name; 0 for none."""
    if not key:
        return 0
    return TRIGGER if key == "LT" else int(Button[key])


class ButtonPresser:
    """Collects the inputs of one frame, and returns the pad.

    A press is a button that goes down in one frame and up in a later one. A press that is asked for
    while the button is down waits until the button was up for a frame.
    """

    def __init__(self) -> None:
        self._left: Stick = (0.0, 0.0)
        self._right: Stick = (0.0, 0.0)
        self._pull = 0.0
        self._hold = 0
        self._pending = 0
        self._before = 0
        self._mashed: dict[str, int] = {}
        self._frame = 0

    @property
    def held(self) -> int:
        """The buttons that were down in the frame before, the trigger among them."""
        return self._before

    @property
    def pulled(self) -> bool:
        """Whether the trigger was pulled in the frame before."""
        return bool(self._before & TRIGGER)

    def walk(self, stick: Stick) -> None:
        """Push the left stick."""
        self._left = clamped(stick)

    def look(self, stick: Stick) -> None:
        """Push the right stick."""
        self._right = clamped(stick)

    def pull(self, value: float) -> None:
        """Pull the left trigger."""
        self._pull = min(1.0, max(0.0, value))

    def hold(self, bits: int) -> None:
        """Hold these down in this frame."""
        self._hold |= bits

    def press(self, bits: int) -> None:
        """Press these once."""
        self._pending |= bits

    def mash(self, key: str, period: int) -> bool:
        """Press this every `period` frames while this is called; True if it is pressed now."""
        last = self._mashed.get(key)
        if last is not None and self._frame - last < period:
            return False
        self._mashed[key] = self._frame
        self.press(bits_of(key))
        return True

    def rest(self) -> None:
        """Forget the pending presses."""
        self._pending = 0

    def pad(self) -> Pad:
        """The pad of this frame; begins the next frame."""
        now = self._pending & ~self._before
        self._pending &= ~now
        down = (self._hold & ~(self._pending & self._before)) | now
        pull = WHOLE if now & TRIGGER or self._hold & TRIGGER else self._pull
        pad = Pad(self._left, self._right, pull, 0.0, down & ~TRIGGER)
        self._before = down | (TRIGGER if pull > PULLED else 0)
        self._left = self._right = (0.0, 0.0)
        self._pull = 0.0
        self._hold = 0
        self._frame += 1
        return pad
