"""Channels: named groups of types and primitives that are recorded or not, and shown or hidden.

Switching recording off saves memory from the next frame on; switching showing off hides what is
there. A type is recorded if any of its channels is on, or if it has none.
"""

from collections.abc import Iterable
from typing import Any

from ..errors import RecordingError
from .text.name_hint import name_hint

STANDARD = ("ai", "animation", "script", "fx")
MOST = 32


def checked_channel(name: Any) -> str:
    """The same name, which a channel can have.

    Raises:
        RecordingError: it is no text, or empty.
    """
    if isinstance(name, str) and name:
        return name
    raise RecordingError(f"channel {name!r}: give a channel's name, a text that is not empty")


class Channels:
    """The channels of one recording, each with its bit and its two switches."""

    def __init__(self, names: Iterable[str] = STANDARD) -> None:
        self._bits: dict[str, int] = {}
        self.recording = 0
        """Bits of the channels that are recorded."""
        self.shown = 0
        """Bits of the channels that are shown."""
        for name in names:
            self.bit(name)

    @property
    def names(self) -> tuple[str, ...]:
        """All channels, in the order in which they were first named."""
        return tuple(self._bits)

    def bit(self, name: str) -> int:
        """The bit of a channel; a new one begins recorded and shown.

        Raises:
            RecordingError: the name is no text, or there are 32 already.
        """
        found = self._bits.get(name)
        if found is None:
            checked_channel(name)
            if len(self._bits) == MOST:
                raise RecordingError(f"channel {name!r}: there are {MOST} already, the most")
            found = self._bits[name] = 1 << len(self._bits)
            self.recording |= found
            self.shown |= found
        return found

    def bits(self, names: Iterable[str]) -> int:
        """The bits of several channels together.

        Raises:
            RecordingError: as for `bit`.
        """
        together = 0
        for name in names:
            together |= self.bit(name)
        return together

    def record(self, name: str, on: bool) -> None:
        """Switch the recording of a channel."""
        self.recording = self._switched(self.recording, name, on)

    def show(self, name: str, on: bool) -> None:
        """Switch the showing of a channel."""
        self.shown = self._switched(self.shown, name, on)

    def records(self, bits: int) -> bool:
        """Whether something in these channels is to be recorded."""
        return not bits or bool(bits & self.recording)

    def shows(self, bits: int) -> bool:
        """Whether something in these channels is to be shown."""
        return not bits or bool(bits & self.shown)

    def _switched(self, switches: int, name: str, on: bool) -> int:
        if name not in self._bits:
            raise RecordingError(f"channel {name!r} is unknown: {name_hint(name, self._bits)}")
        return switches | self._bits[name] if on else switches & ~self._bits[name]
