"""The policy of clips that are saved automatically, and the detection of slow frames."""

import math
import os
from collections.abc import Callable
from time import perf_counter

import msgspec

from ..errors import CapacityError, CommandError
from ..native.ring_memory import parse_size


class ClipPolicy(msgspec.Struct, frozen=True):
    """When clips are saved by themselves, where, and how many are kept.

    Raises:
        CommandError: a number makes no sense.
        CapacityError: a size is none.
    """

    folder: str | os.PathLike[str] = "clips"
    """Where clips of triggers go; made when the first one is saved."""
    pre: float = 20.0
    """Seconds of the timeline in front of a trigger, as far as they are held …"""
    post: float = 3.0
    """… and after it. Entering playback or closing the session ends them early."""
    keep_last: int = 50
    """How many clips of triggers the folder keeps: the newest. Others' files are never touched."""
    most_bytes: int | str = "2 GiB"
    """What they may take together; the newest one stays in any case."""
    on_check: bool = False
    """A failed check is a trigger."""
    on_exception: bool = True
    """An exception of the game's that leaves `Session.guard` is a trigger."""
    slow_frame: float | None = None
    """Seconds of real time: a longer step of the running game is a trigger."""
    key: str = "F9"
    """The key that is a trigger: see `Session.press`. Empty for none."""
    buffer: int | str = "32 MiB"
    """The most that copied frames may take until they are written, over all clips."""

    def __post_init__(self) -> None:
        for field in ("pre", "post"):
            check_seconds(field, getattr(self, field))
        if self.slow_frame is not None and not 0 < self.slow_frame < math.inf:
            raise CommandError(f"slow_frame {self.slow_frame!r}: give seconds, or None")
        if type(self.keep_last) is not int or self.keep_last < 1:
            raise CommandError(f"keep_last {self.keep_last!r}: keep one clip at least")
        if parse_size(self.buffer) < LEAST_BUFFER:
            raise CapacityError(f"buffer {self.buffer!r}: give it {LEAST_BUFFER} bytes at least")
        parse_size(self.most_bytes)


LEAST_BUFFER = 4096


def check_seconds(field: str, value: float) -> float:
    """The same number, which is a length of time; infinite is as much as there is.

    Raises:
        CommandError: it is none.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
        raise CommandError(f"{field} {value!r}: give seconds, 0 or more")
    return float(value)


class SlowFrames:
    """Measures the time between two steps of a running game.

    Args:
        limit: Seconds that a step may take; None for any.
        clock: Seconds that only count up.
    """

    def __init__(self, limit: float | None, clock: Callable[[], float] = perf_counter) -> None:
        self._limit = limit
        self._clock = clock
        self._before: float | None = None

    def step(self) -> float | None:
        """A step has ended; returns the seconds that it took if those are too many."""
        if self._limit is None:
            return None
        before, self._before = self._before, self._clock()
        if before is None or self._before - before <= self._limit:
            return None
        return self._before - before

    def reset(self) -> None:
        """The game is paused: the time until its next step does not count."""
        self._before = None
