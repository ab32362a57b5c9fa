"""What one recorded frame says when it is read: its stamp and its packets."""

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
    """The header of a frame: when it was, and what stands beside it."""

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


class Span(NamedTuple):
    """The two ends of what is held."""

    oldest: int
    newest: int
    start: float
    """Time of the oldest frame, seconds."""
    end: float
    """Time of the newest frame, seconds."""

    @property
    def seconds(self) -> float:
        return self.end - self.start


class Packet(NamedTuple):
    """What one handler stored for one object in one frame: a copy, yours to keep."""

    id: int
    type: str
    targetable: bool
    visible: bool
    damaged: bool
    """True if the handler failed: the header is all there is."""
    position: tuple[float, float, float]
    """For showing, in single precision; what is restored comes from the payload."""
    angles: tuple[float, float, float]
    channels: int
    payload: bytes
    number: int = 0
    """The ring's for its type: another layout under the same name has another."""

    def record(self, dtype: npt.DTypeLike) -> Any:
        """The payload read as one numpy record."""
        return np.frombuffer(self.payload, dtype, count=1)[0]
