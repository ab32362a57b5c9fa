"""When to try to reconnect to a lost game: at once, then less and less often."""

AT_ONCE = 3.0
"""Seconds after the loss in which it is looked for all the time: most are back soon."""
_TRIES = 1.0
"""Seconds that one try lasts."""
_WAITS = (2.0, 5.0, 10.0)
"""Seconds between two tries; the last one for ever."""


class ReconnectTimer:
    """Says when to try again. All times are seconds of one monotonic clock."""

    def __init__(self) -> None:
        self._until = 0.0
        """When the try that is on ends."""
        self._tried = 0
        self._now = False
        self.due = 0.0
        """When the next try begins; 0 while one is on."""

    def begin(self, now: float) -> None:
        """It was lost just now."""
        self._tried, self._until, self.due, self._now = 0, now + AT_ONCE, 0.0, False

    def now(self) -> None:
        """Try at once; a user has asked for it, and would like the next one to be soon."""
        self._tried, self._now = 0, True

    def tries(self, now: float) -> bool:
        """Whether a try is on."""
        if self._now or (self.due and now >= self.due):
            self._until, self.due, self._now = now + _TRIES, 0.0, False
        elif not self.due and now >= self._until:
            self.due = now + _WAITS[min(self._tried, len(_WAITS) - 1)]
            self._tried += 1
        return not self.due
