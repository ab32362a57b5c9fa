"""The accumulator that turns wall time into frames by the deltas stored in them.

A hitch of 100 ms in the recording is a hitch of 100 ms in playback, whatever the game's clock does.
"""

import math
from typing import NamedTuple

from ..errors import CommandError
from ..recorder.reading.source_protocol import SourceMembers

_SECOND = 1_000_000_000


class ScrubResult(NamedTuple):
    """The result of an interval of wall time."""

    frame: int
    crossed: int
    """How many steps from frame to neighbour it took."""
    ended: bool
    """It has reached the end that it was moving towards."""


class Scrubber:
    """Carries what is left of the time from update to update.

    Forward from a frame to the next costs the next one's delta, backward to the one before costs
    the present one's: an interval takes the same time both ways. Frames that cost nothing (two with
    one time, the first of an epoch) are passed as soon as time passes.

    Time is counted in whole nanoseconds, each delta and each update rounded to the nearest, so that
    16 ms and 16 ms are 32 ms.
    """

    def __init__(self, source: SourceMembers) -> None:
        self._source = source
        self._carried = 0
        self._forward = True

    @property
    def carried(self) -> float:
        """Seconds accumulated towards the next frame."""
        return self._carried / _SECOND

    def clear(self) -> None:
        """Forget the remainder: a seek, a single step or an end was met."""
        self._carried = 0

    def advance(
        self, frame: int, seconds: float, oldest: int, newest: int, *, around: bool = False
    ) -> ScrubResult:
        """Spend `seconds` from `frame` on, towards the older frames if below zero.

        A change of direction clears the remainder. At `oldest` and `newest` it stops and drops the
        remainder, or with `around` goes on at the other end; that step costs `newest`'s delta in
        both directions. The work is one look per frame crossed, two laps at most.

        Raises:
            CommandError: `seconds` is not a finite number.
        """
        if not math.isfinite(seconds):
            raise CommandError(f"can't scrub by {seconds} s: give a finite number of seconds")
        if not seconds:
            return ScrubResult(frame, 0, False)
        forward = seconds > 0
        if forward is not self._forward:
            self._forward, self._carried = forward, 0
        self._carried += _nanoseconds(abs(seconds))

        start, last, other = frame, newest, oldest
        if not forward:
            last, other = oldest, newest
        crossed = spent = 0
        while True:
            at_end = frame == last
            if at_end and not around:
                self._carried = 0
                return ScrubResult(frame, crossed, True)
            beside = other if at_end else self._source.step(frame, 1 if forward else -1)
            cost = self._delta(newest if at_end else beside if forward else frame)
            if cost > self._carried:
                return ScrubResult(frame, crossed, at_end)
            self._carried -= cost
            spent += cost
            crossed += 1
            frame = beside
            if frame == start:
                # One lap is known by now: further ones lead back here, and where all
                # deltas are 0 they would never end.
                self._carried = self._carried % spent if spent else 0
                if not spent:
                    return ScrubResult(frame, crossed, frame == last)

    def _delta(self, frame: int) -> int:
        return _nanoseconds(self._source.stamp(frame).delta)


def _nanoseconds(seconds: float) -> int:
    """Below zero or not a number counts as 0: a damaged stamp must not stop or trap the scrub."""
    return round(seconds * _SECOND) if 0 < seconds < math.inf else 0
