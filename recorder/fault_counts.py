"""Counts faults while recording, and logs the first of each cause."""

import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterable
from types import TracebackType

import msgspec

from ..errors import PlayheadError
from .packets.recording_losses import RecordedLoss
from .text.safe_log import log_safely
from .text.safe_text import safe_text
from .text.terminal_text import terminal_line

MOST_CAUSES = 256
"""Causes beyond this many are counted together: what is counted may not grow with the run."""
OTHERS = "(others)"
MOST_WORDS = 500
"""Characters kept of an error's text and of a cause, for the same reason."""
MOST_LOSSES = 32
"""Causes that are recorded too, so that there is room for them; the others are counted."""
LONGEST_TEXT = 200
"""Characters of each of them."""

_logger = logging.getLogger("playhead.recorder")


class FaultCounts:
    """Counts of everything that was lost. Any thread may count.

    Args:
        raises: Whether the deferred error of a frame is raised, so that it need not be logged.
    """

    def __init__(self, *, raises: bool = False) -> None:
        self._raises = raises
        self.handlers: Counter[str] = Counter()
        """Packets, or whole batches, that could not be written, by object type."""
        self.unhandled: Counter[str] = Counter()
        """Objects without a handler, by type."""
        self.calls: Counter[str] = Counter()
        """Refused draw, trace, watch, log and mark calls, by what was wrong."""
        self.cut: Counter[str] = Counter()
        """Packets of which a text or a blob was too long, by object type."""
        self.partial: Counter[str] = Counter()
        """Packets whose handler asked for more bytes than it wrote, by object type."""
        self.newest: str = ""
        """The newest error, in words."""
        self._logged: set[tuple[str, str]] = set()
        self._losses: dict[tuple[str, str], RecordedLoss] = {}
        self._unrecorded: dict[tuple[str, str], None] = {}
        """Losses that the recording does not know yet, or with too low a count."""
        self._first: PlayheadError | None = None
        self._lock = threading.Lock()

    # --- what can be lost -----------------------------------------------------------------------

    def handler_failed(self, type: str, object: int, error: BaseException) -> None:
        """Count a packet that could not be written."""
        self._count(self.handlers, type)
        self.newest = f"{type}: {error_text(error)}"
        text = f"the handler of type {type!r} failed for object {object}: {error_text(error)}"
        self.lost("handler", type, text)
        cause = f"handler {error.__class__.__name__}"
        self.log(cause, type, f"{text}: its packet is lost", error, self._frame_error_level)

    def batch_failed(self, type: str, error: BaseException) -> None:
        """Count what came for many objects at once and could not be written."""
        self._count(self.handlers, type)
        self.newest = f"{type}: {error_text(error)}"
        text = f"all objects of {type!r} at once could not be recorded: {error_text(error)}"
        self.lost("batch", type, text)
        self.log(f"batch {error.__class__.__name__}", type, text, error, self._frame_error_level)

    def has_no_handler(self, type: str) -> str:
        """Count an object without a handler; returns the message about it."""
        self._count(self.unhandled, type)
        text = f"type {type!r} has no handler: its objects are not recorded"
        advice = (
            f"{text}; register one with handlers.register({type!r}, …),"
            f" or leave it out on purpose with handlers.ignore({type!r})"
        )
        self.lost("no handler", type, text)
        self.log("no handler", type, advice, level=self._frame_error_level)
        return advice

    def was_cut(self, type: str, object: int) -> str:
        """Count a packet of which a text was too long; returns the message about it."""
        text = "a text or a blob is longer than what is kept of it, and was cut"
        advice = "keep more with FieldHandler(…, text=BYTES)"
        return self._not_whole(self.cut, "cut", type, object, text, advice)

    def was_partial(self, type: str, object: int) -> str:
        """Count a packet that its handler left unfinished; returns the message about it."""
        text = "size() gave more bytes than record() wrote, the rest is zero"
        advice = "check_handler() finds out where"
        return self._not_whole(self.partial, "partial", type, object, text, advice)

    def _not_whole(
        self, counter: Counter[str], cause: str, type: str, object: int, text: str, advice: str
    ) -> str:
        self._count(counter, type)
        text = f"type {type!r}, object {object}: {text}"
        advice = f"{text}; {advice}"
        self.lost(cause, type, text)
        self.log(cause, type, advice, level=self._frame_error_level)
        return advice

    def call_refused(
        self,
        cause: str,
        error: BaseException | None = None,
        *,
        lost: bool = False,
        deferred: bool = False,
        level: int = logging.ERROR,
    ) -> None:
        """Count a call with wrong arguments, or at the wrong time.

        Args:
            cause: What is counted together.
            error: What was wrong.
            lost: Whether it is missing in the recording.
            kept: Whether `defer` follows.
            level: Of the log's line about the first of its kind.
        """
        self._count(self.calls, cause)
        text = cause
        if error is not None:
            text = self.newest = f"{cause}: {error_text(error)}"
        if lost:
            self.lost(cause, "", text)
        self.log("call", cause, text, error, self._frame_error_level if deferred else level)

    # --- reporting ------------------------------------------------------------------------------

    @property
    def _frame_error_level(self) -> int:
        """The level of the next deferred error: one that will be raised is not logged as well."""
        return logging.DEBUG if self._raises and self._first is None else logging.ERROR

    def log(
        self, cause: str, what: str, text: str, error: BaseException | None = None,
        level: int = logging.ERROR,
    ) -> None:  # fmt: skip
        """Log the first of a cause; those that follow are only counted.

        An error of the game's own code, a handler for instance, comes with its traceback.
        """
        key = cause[:MOST_WORDS], what[:MOST_WORDS]
        # One reason is logged once, however many calls fail for it.
        reason = ("", error_text(error)) if error is not None else key
        if key in self._logged or reason in self._logged:
            return
        with self._lock:
            if key in self._logged or len(self._logged) > MOST_CAUSES:
                return
            self._logged |= {key, reason}
            if len(self._logged) > MOST_CAUSES:
                text = f"{text}; other causes than these are only counted from now on"
        own = error is None or isinstance(error, PlayheadError)
        # Outside the lock: a log handler may itself make a call that is refused.
        if not log_safely(_logger, level, terminal_line(text), error=None if own else error):
            self._count(self.calls, "logging")

    def lost(self, cause: str, what: str, text: str) -> None:
        """Count something that is missing in the recording; the loss is recorded.

        Args:
            cause: See `RecordedLoss.cause`.
            what: The type it is about, if it is about one.
            text: The first of its kind, in words.
        """
        key = cause[:LONGEST_TEXT], what[:LONGEST_TEXT]
        with self._lock:
            known = self._losses.get(key)
            if known is None:
                if len(self._losses) >= MOST_LOSSES:
                    return
                known = RecordedLoss(*key, text[:LONGEST_TEXT], 0, 0)
            count = known.count + 1
            self._losses[key] = msgspec.structs.replace(known, count=count)
            if count & (count - 1) == 0:
                self._unrecorded[key] = None

    @property
    def has_unrecorded_losses(self) -> bool:
        """Whether there are losses to be recorded."""
        return bool(self._unrecorded)

    def return_losses(self, losses: Iterable[RecordedLoss]) -> None:
        """Put losses back that the recording had no room for."""
        with self._lock:
            self._unrecorded.update(dict.fromkeys((loss.cause, loss.what) for loss in losses))

    def pop_losses(self, frame: int) -> list[tuple[int, RecordedLoss]]:
        """The losses to be recorded in a frame, each with a number of its own."""
        with self._lock:
            unrecorded, self._unrecorded = self._unrecorded, {}
            for key in unrecorded:
                if not self._losses[key].frame:
                    self._losses[key] = msgspec.structs.replace(self._losses[key], frame=frame)
            numbers = {key: number for number, key in enumerate(self._losses)}
            return [(numbers[key], self._losses[key]) for key in unrecorded]

    def defer(self, error: PlayheadError) -> None:
        """Keep an error to be raised when its frame is finished; the first of a frame counts."""
        if self._first is None:
            self._first = error

    def pop_error(self) -> PlayheadError | None:
        """The deferred error, which is forgotten with that."""
        first, self._first = self._first, None
        return first

    def renew_lock(self) -> None:
        """Called in a forked child: the thread that held the lock may not exist here."""
        self._lock = threading.Lock()

    def _count(self, counter: Counter[str], cause: str) -> None:
        cause = cause[:MOST_WORDS]
        with self._lock:  # worker threads can be refused something too
            if cause not in counter and len(counter) >= MOST_CAUSES:
                cause = OTHERS
            counter[cause] += 1


class RefusedCall:
    """Within it an error loses one statement and no more: it is passed to `refuse`."""

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


def error_text(error: BaseException) -> str:
    """An error in words, not too many, whatever its own text does."""
    return safe_text(error, MOST_WORDS, str if isinstance(error, PlayheadError) else repr)
