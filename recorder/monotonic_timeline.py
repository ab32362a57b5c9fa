"""One timeline: epoch offset + game time, which never runs backwards.

Game time that jumps back or restarts (a level reload, a game that reconnects) opens a new epoch,
whose offset puts it right after what was recorded.
"""

from math import isfinite, nan
from typing import NamedTuple

from ..errors import RecordingError

_MOST_ROUNDING = 0.5
"""The share of a step by which the game's clock and its steps may differ."""


class TimelineTick(NamedTuple):
    """The stamp of a frame to come."""

    time: float
    """Timeline time, seconds."""
    delta: float
    """Timeline seconds since the frame before; 0 for the very first and the first of an epoch,
    and only the step's own after a gap."""
    epoch: int
    offset: float
    """Timeline time − game time, in this epoch."""
    game: float
    """Game time, seconds."""
    lost: float = 0.0
    """Seconds between the frame before and the start of this step, of which nothing is recorded."""


class Timeline:
    """The recording's present position in time."""

    def __init__(self) -> None:
        self._newest: TimelineTick | None = None
        self._restarted = False

    @property
    def newest(self) -> TimelineTick | None:
        """The stamp of the newest frame; None before the first."""
        return self._newest

    def next(self, dt: float, time: float | None, *, resumed: bool = False) -> TimelineTick:
        """The stamp of a frame `dt` seconds after the last, or at game time `time`.

        With `resumed` nothing was recorded for a while, in which the game may have run on. If it
        has, what lies between is a gap, and not a step that took so long.

        Raises:
            RecordingError: either is not a finite number, or leads to none, or `dt` is negative.
        """
        step = seconds(dt, "dt")
        if step < 0:
            raise RecordingError(f"dt {dt!r}: a step takes a time that is not negative")
        last = self._newest
        if time is not None:
            game = seconds(time, "time")
        else:
            game = seconds(step if last is None else last.game + step, "time after this step")
        if last is None:
            return TimelineTick(game, 0.0, 0, 0.0, game)
        if game < last.game or self._restarted:
            return TimelineTick(last.time, 0.0, last.epoch + 1, last.time - game, game)
        # The maximum keeps rounding of offset + game from running backwards.
        now = max(seconds(last.offset + game, "timeline time"), last.time)
        passed = now - last.time
        if resumed and step > 0 and passed > (1 + _MOST_ROUNDING) * step:
            return TimelineTick(now, step, last.epoch, last.offset, game, passed - step)
        return TimelineTick(now, passed, last.epoch, last.offset, game)

    def at(self, game: float) -> float:
        """The timeline time of an instant of the game's clock, in the newest epoch.

        Raises:
            RecordingError: it is not a finite number, or leads to none.
        """
        last = self._newest
        offset = 0.0 if last is None else last.offset
        return seconds(offset + seconds(game, "game_time"), "timeline time")

    def accept(self, tick: TimelineTick) -> bool:
        """Take up the stamp of a finished frame; True if it opened a new epoch."""
        opened = self._newest is not None and tick.epoch != self._newest.epoch
        self._newest = tick
        self._restarted = False
        return opened

    def restart(self) -> None:
        """The game starts again: its next frame opens an epoch, whatever its clock shows."""
        self._restarted = True


def seconds(value: float, what: str) -> float:
    """The value in double precision, which a game's 32-bit clock may not have.

    Raises:
        RecordingError: it is not a finite number.
    """
    try:
        number = float(value) if not isinstance(value, str) else nan
    except (TypeError, ValueError, OverflowError):
        number = nan
    if not isfinite(number):
        raise RecordingError(f"{what} {value!r}: give a finite number of seconds")
    return number


def exactly(time: float) -> str:
    """A frame's time in digits that lead back to it: to a microsecond, three or more.

    Times of frames are looked up with that tolerance (see `FrameSource.frame_at`).
    """
    seconds, fraction = f"{time:.6f}".split(".")
    return f"{seconds}.{fraction[:3]}{fraction[3:].rstrip('0')}"
