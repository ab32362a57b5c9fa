"""What went wrong while recording: counted by cause, and when a handler is to be muted."""

import threading
from collections import Counter
from collections.abc import Callable
from types import TracebackType

from ..errors import PlayheadError

MOST_CAUSES = 256
"""Causes beyond this many are counted together: what is counted may not grow with the run."""
OTHERS = "(others)"
MOST_WORDS = 500
"""Characters kept of an error's text and of a cause, for the same reason."""


class Faults:
    """Counts of everything that was lost, and the streak of each failing type."""

    def __init__(self, mute_after: int) -> None:
        self.handlers: Counter[str] = Counter()
        """Packets, or whole batches, that could not be written, by object type."""
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
        self._first: PlayheadError | None = None
        self._lock = threading.Lock()

    def handler_failed(self, type: str, frame: int, error: BaseException) -> bool:
        """Count a failure; True if it is the one that mutes the type.

        A type is muted when it failed in as many frames in a row as the setting says.
        """
        self.batch_failed(type, error)
        seen, streak = self._streaks.get(type, (0, 0))
        if seen != frame:
            streak = streak + 1 if seen == frame - 1 else 1
            if len(self._streaks) < MOST_CAUSES or type in self._streaks:
                self._streaks[type] = (frame, streak)
        if streak >= self._mute_after and type not in self.muted:
            self.muted.add(type)
            return True
        return False

    def batch_failed(self, type: str, error: BaseException) -> None:
        """Count what no handler can be muted for."""
        self._count(self.handlers, type)
        self.newest = f"{type}: {words(error)}"

    def unmute(self, type: str) -> None:
        """Begin anew with a type."""
        self.muted.discard(type)
        self._streaks.pop(type, None)

    def has_no_handler(self, type: str) -> None:
        """Count an object that nobody records."""
        self._count(self.unhandled, type)

    def call_refused(self, cause: str, error: BaseException | None = None) -> None:
        """Count something that was said wrongly, or at the wrong time."""
        self._count(self.calls, cause)
        if error is not None:
            self.newest = f"{cause}: {words(error)}"

    def keep(self, error: PlayheadError) -> None:
        """Keep an error until its frame is finished; the first of a frame is kept."""
        if self._first is None:
            self._first = error

    def take(self) -> PlayheadError | None:
        """The error that was kept, which is forgotten with that."""
        first, self._first = self._first, None
        return first

    def _count(self, counter: Counter[str], cause: str) -> None:
        cause = cause[:MOST_WORDS]
        with self._lock:  # worker threads can be refused something too
            if cause not in counter and len(counter) >= MOST_CAUSES:
                cause = OTHERS
            counter[cause] += 1


class Refusing:
    """Within it an error costs what was being said and no more: `refuse` is told of it."""

    def __init__(self, cause: str, refuse: Callable[[str, Exception], None]) -> None:
        self._cause, self._refuse = cause, refuse

    def __enter__(self) -> None: ...

    def __exit__(
        self,
        type: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if not isinstance(error, Exception):
            return False
        self._refuse(self._cause, error)
        return True


def words(error: BaseException) -> str:
    """An error in words, not too many, whatever its own text does."""
    try:
        text = str(error) if isinstance(error, PlayheadError) else repr(error)
    except Exception:
        text = f"a {type(error).__name__} whose text can't be had"
    return text[:MOST_WORDS]
