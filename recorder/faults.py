"""What went wrong while recording: counted by cause, and when a handler is to be muted."""

from collections import Counter

MOST_CAUSES = 256
"""Causes beyond this many are counted together: what is counted may not grow with the run."""
OTHERS = "(others)"


class Faults:
    """Counts of everything that was lost, and the streak of each failing type."""

    def __init__(self, mute_after: int) -> None:
        self.handlers: Counter[str] = Counter()
        """Packets that a handler failed to write, by object type."""
        self.unhandled: Counter[str] = Counter()
        """Objects without a handler, by type."""
        self.calls: Counter[str] = Counter()
        """Refused draw, trace, watch, log and mark calls, by what was wrong."""
        self.muted: set[str] = set()
        """Types whose handler is not asked any more."""
        self.newest: str = ""
        """The newest error, in words."""
        self._mute_after = mute_after
        self._streaks: dict[str, tuple[int, int]] = {}

    def handler_failed(self, type: str, frame: int, error: BaseException) -> bool:
        """Count a failure; True if it is the one that mutes the type.

        A type is muted when it failed in as many frames in a row as the setting says.
        """
        _count(self.handlers, type)
        self.newest = f"{type}: {error!r}"
        seen, streak = self._streaks.get(type, (0, 0))
        if seen != frame:
            streak = streak + 1 if seen == frame - 1 else 1
            if len(self._streaks) < MOST_CAUSES or type in self._streaks:
                self._streaks[type] = (frame, streak)
        if streak >= self._mute_after and type not in self.muted:
            self.muted.add(type)
            return True
        return False

    def unmute(self, type: str) -> None:
        self.muted.discard(type)
        self._streaks.pop(type, None)

    def has_no_handler(self, type: str) -> None:
        _count(self.unhandled, type)

    def call_refused(self, cause: str, error: BaseException | None = None) -> None:
        _count(self.calls, cause)
        if error is not None:
            self.newest = f"{cause}: {error}"


def _count(counter: Counter[str], cause: str) -> None:
    if cause not in counter and len(counter) >= MOST_CAUSES:
        cause = OTHERS
    counter[cause] += 1
