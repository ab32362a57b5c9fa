"""The phases of a run: named ranges, each from where it begins to where the next one does."""

from typing import NamedTuple, Protocol

import msgspec

from ...errors import EvictedError
from ..reading.raw_frames import RawFrames
from .layouts.plain_value_codec import decode
from .packet_types import Kind

_MOST = 100_000
"""Phases that are listed; a file that was made to do harm may claim any number."""


class PhaseStart(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is latched of a phase."""

    name: str
    file: str = ""
    line: int = 0


class PhaseSpan(NamedTuple):
    """A phase, as far as its frames are recorded."""

    name: str
    first: int
    """Its first recorded frame: where it began, or the oldest one."""
    last: int
    """Its last frame: the one before the next phase, or the newest one."""
    start: float
    """Timeline time of its first frame, seconds."""
    end: float
    """Timeline time at which the next phase begins, or of the newest frame, seconds."""
    file: str
    """The file and line of the call."""
    line: int


class Clock(Protocol):
    """Anything that knows the times of frames."""

    def time(self, frame: int, /) -> float:
        """The timeline time of a frame, seconds; EvictedError if it is not in the recording."""

    def settle(self, frame: int, /) -> int:
        """The newest recorded frame at or before one."""


def phases_of(frames: RawFrames, clock: Clock) -> list[PhaseSpan]:
    """The recorded phases, oldest first: also the one that the oldest frame is in.

    Raises:
        DamagedError: what is recorded of one can't be read.
    """
    if frames.oldest is None or frames.newest is None:
        return []
    (oldest, _), (newest, end) = frames.oldest, frames.newest
    spans: list[PhaseSpan] = []
    last = newest
    for began, _, payload in frames.versions(newest, 0, Kind.PHASE, 0, _MOST):
        start = PhaseStart("") if payload is None else decode(payload, PhaseStart)
        first = max(began, oldest)
        time = _time(clock, first)
        if start.name and first <= last:
            spans.append(PhaseSpan(start.name, first, last, time, end, start.file, start.line))
        if first <= last:
            last, end = first - 1, time
        if began <= oldest:
            break
    return spans[::-1]


def _time(clock: Clock, frame: int) -> float:
    try:
        return clock.time(frame)
    except EvictedError:  # it began in a gap
        return clock.time(clock.settle(frame))
