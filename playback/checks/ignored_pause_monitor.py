"""Detects a loop that steps the world although the game is paused for playback."""

import logging
import math
from time import perf_counter as clock

from ...recorder.text.safe_log import log_safely
from ...recorder.world_adapter import World

_logger = logging.getLogger("playhead")

UPDATES = 3
"""Updates in a row before which the loop stepped the world; then a warning is logged."""
_EXACT = 1e-9
"""Seconds by which a step may differ from `dt` and still be the same."""
_ALIKE = 0.05, 0.002
"""How close to the passing of real time a clock is that may be a wall clock: share, seconds."""


class LoopMonitor:
    """Warns once about a loop that ignores playback. For the game's thread.

    It does when two things hold. It has not asked whether the game is live since playback began,
    and the world's own time goes on between two updates. A world whose time may be a wall clock's
    is not judged by it.
    """

    def __init__(self, world: World) -> None:
        self.live_was_read = True
        """Whether the loop has asked whether the game is live since playback began."""
        self._world = world
        self._logged = False
        self._stepped_at: tuple[float, float] | None = None
        """The world's time and the real time when the last update ended."""
        self._streak = 0

    def begin(self) -> None:
        """Playback has begun."""
        self.live_was_read = False
        self._stepped_at, self._streak = None, 0

    def moved(self) -> None:
        """The world was put to another frame, which may have set its time."""
        self._stepped_at = None

    def update_begins(self, dt: float, time: float | None) -> None:
        """The loop calls `update(dt, time)`."""
        if self.live_was_read or self._logged or self._stepped_at is None:
            return
        now = self._world_time(time)
        step, passed = now - self._stepped_at[0], clock() - self._stepped_at[1]
        share, least = _ALIKE
        is_wall_clock = abs(step - passed) <= max(share * passed, least) and (
            abs(step - dt) > _EXACT
        )
        self._streak = self._streak + 1 if step > 0 and not is_wall_clock else 0
        if self._streak >= UPDATES:
            self._logged = True
            log_safely(
                _logger, logging.ERROR,
                "the loop steps the world while the session is in playback: the world's time"
                " is %.3f s, and nothing of that is recorded. Step it only while session.live is"
                " True, or within `with session.frame(dt):`, which waits. session.leave() ends"
                " playback.", now,
            )  # fmt: skip

    def update_ends(self, time: float | None) -> None:
        """`update` returns to the loop."""
        if not (self.live_was_read or self._logged):
            self._stepped_at = self._world_time(time), clock()

    def _world_time(self, time: float | None) -> float:
        """What time it is in the world, seconds; NaN if that can't be had."""
        if time is None:
            try:
                return self._world.time()
            except Exception:  # nothing is recorded, so nothing is lost
                return math.nan
        return time
