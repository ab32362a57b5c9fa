"""One recorded frame as it is read: its stamp and its packets."""

from enum import IntFlag
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt


class FrameFlag(IntFlag):
    """What is to be known of a frame before one trusts that it holds all."""

    DAMAGED = 1
    """A handler failed in it."""
    LATCHES = 2
    """Something began to be true in it that stays so."""
    DROPPED = 4
    """A packet found no room."""
    REFUSED = 8
    """Something that should have stayed true found no room in the latch area."""


class FrameStamp(NamedTuple):
    """The header of a frame: its time, epoch and flags."""

    id: int
    """Counts up by one from frame to frame, from 1."""
    previous: int | None
    """The older neighbour's id; None at the oldest."""
    next: int | None
    """The newer neighbour's id; None at the newest."""
    time: float
    """Timeline time in seconds: epoch offset + game time."""
    delta: float
    """Seconds since the frame before; 0 for the very first and the first of an epoch."""
    packets: int
    """How many packets the frame holds."""
    epoch: int
    flags: int
    """See `FrameFlag`."""


class FrameRange(NamedTuple):
    """The first and the last frame of a recording."""

    oldest: int
    """The id of the oldest frame."""
    newest: int
    """The id of the newest frame."""
    start: float
    """Time of the oldest frame, seconds."""
    end: float
    """Time of the newest frame, seconds."""

    @property
    def seconds(self) -> float:
        """Seconds from the oldest frame to the newest."""
        return self.end - self.start


class Packet(NamedTuple):
    """What one handler stored for one object in one frame: a copy, yours to keep."""

    id: int
    """The id of the object."""
    type: str
    """The object's type, as the world's `objects` named it."""
    targetable: bool
    """Whether the camera may look at it."""
    visible: bool
    """Whether it was to be seen."""
    damaged: bool
    """True if the handler failed, or was skipped: the header is all there is."""
    position: tuple[float, float, float]
    """For showing, in single precision; what is restored comes from the payload."""
    angles: tuple[float, float, float]
    """Radians; see `Conventions.angles`."""
    channels: int
    """The bits of its channels."""
    payload: bytes
    """What the handler wrote: its layout's `decode` reads it."""
    number: int = 0
    """The ring's for its type: another layout under the same name has another."""
    cut: bool = False
    """True if a text or a blob in it was too long: its beginning is there. It is shown, and never
    what an object is given back at the end of playback."""
    partial: bool = False
    """True if its handler asked for more bytes than it wrote: the rest is zero."""

    def record(self, dtype: npt.DTypeLike) -> Any:
        """The payload read as one numpy record."""
        return np.frombuffer(self.payload, dtype, count=1)[0]
