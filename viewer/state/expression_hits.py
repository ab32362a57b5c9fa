"""Find in time: the expression that is searched for in a recording, and its hits."""

from bisect import bisect_left, bisect_right
from operator import attrgetter

import numpy as np

from ...errors import ExpressionError, PlayheadError
from ...recording.search.find import Hit
from ..backends.playback_backend import LinkState
from ..reader.history.lane_data import Floats
from ..search.expression_search import ExpressionSearch
from ..toolkit.qt import QObject, pyqtSignal
from ..toolkit.time_text import time_text
from ..toolkit.value_text import value_text
from .viewer_store import ViewerStore

_FRAME = attrgetter("frame")


class ExpressionHits(QObject):
    """One search at a time: belongs to a store, the same for all panels (`of`)."""

    started = pyqtSignal()
    """Another expression is searched for."""
    changed = pyqtSignal()
    """The expression, its hits, or how far the search has come."""
    _notified = pyqtSignal()

    def __init__(self, store: ViewerStore) -> None:
        super().__init__(store)
        self.store = store
        self.text = ""
        """The expression; empty if nothing is searched for."""
        self.hits: list[Hit] = []
        """Oldest first."""
        self.progress = 0.0
        """How much of the recording was searched, 0 … 1."""
        self.error: PlayheadError | None = None
        """Why nothing can be found; an `ExpressionError` says where the mistake is."""
        self.is_full = False
        """Whether the search has ended because there are too many hits."""
        self.version = 0
        """Counts up with each change of the hits."""
        self._search: ExpressionSearch | None = None
        self._current = -1
        """The hit that was gone to last."""
        self._pending_direction = 0
        """The direction of a step that waits for a hit to be found; 0 for none."""
        self._reported = False
        """Whether it was reported that there is no hit."""
        self._times: tuple[int, Floats] = -1, np.empty(0)
        self._notified.connect(self._take)

    @classmethod
    def of(cls, store: ViewerStore) -> "ExpressionHits":
        """The search of a store, created on first use."""
        return next((one for one in store.children() if isinstance(one, cls)), None) or cls(store)

    # --- what is searched for -------------------------------------------------------------------

    def start(self, text: str) -> None:
        """Search for an expression instead of the one before, and go to its next hit."""
        self._drop()
        self.text = text.strip()
        self._forget()
        self._pending_direction, self._reported = 1, False
        try:
            self._search = ExpressionSearch(self.text, self._notified.emit)
        except ExpressionError as error:
            self.error = error
            self.store.message.emit(str(error))
        else:
            self.store.reader.ask(self._search)
        self.started.emit()
        self.changed.emit()

    def clear(self) -> None:
        """Search for nothing, and show no hits."""
        self._drop()
        self.text = ""
        self._forget()
        self.changed.emit()

    def _drop(self) -> None:
        if self._search is not None:
            self.store.reader.drop(self._search)
            self._search = None

    def _forget(self) -> None:
        self.hits, self.progress, self.error, self.is_full = [], 0.0, None, False
        self.version += 1
        self._current, self._pending_direction = -1, 0

    @property
    def is_searching(self) -> bool:
        """Whether more hits may come out of what is recorded."""
        return (
            self._search is not None
            and self.error is None
            and not self.is_full
            and self.progress < 1.0
        )

    @property
    def summary(self) -> str:
        """How many hits there are, and how far the search has come."""
        if self.error is not None:
            return "not found" if self.text else ""
        count = len(self.hits)
        text = f"{count:,} hit{'' if count == 1 else 's'}"
        if self.is_full:
            return f"the first {text}"
        if self.is_searching:
            is_lost = self.store.backend_state.link is LinkState.LOST
            how = "the connection is lost" if is_lost else f"searching … {self.progress:.0%}"
            return f"{text} · {how}"
        return text

    # --- the hits -------------------------------------------------------------------------------

    @property
    def times(self) -> Floats:
        """When the hits are, seconds, oldest first."""
        if self._times[0] != self.version:
            self._times = self.version, np.array([hit.time for hit in self.hits], np.float64)
        return self._times[1]

    @property
    def current(self) -> int:
        """The hit that the playhead is at: the one that was gone to last, else the first of its
        frame; −1 if it is at none."""
        frame = self.store.frame
        if 0 <= self._current < len(self.hits) and self.hits[self._current].frame == frame:
            return self._current
        at = bisect_left(self.hits, frame, key=_FRAME)
        return at if at < len(self.hits) and self.hits[at].frame == frame else -1

    def go(self, index: int) -> None:
        """Go to a hit."""
        hit = self.hits[index]
        self._current, self._pending_direction = index, 0
        self.store.jump(hit.frame, hit.object)
        self.store.message.emit(f"hit {index + 1:,} of {len(self.hits):,}: {self.describe(hit)}")
        self.changed.emit()

    def step(self, direction: int) -> None:
        """Go to the next hit, or to the one before; around at the ends, once all is searched."""
        if not self.text:
            self.store.message.emit("Nothing is searched for: Ctrl+P takes an expression: hp < 50")
            return
        index = self._next(direction)
        if index is None and self.is_searching:
            self._pending_direction = direction
            self.store.message.emit(f"{self.text}: {self.summary}")
        elif self.hits:
            around = 0 if direction > 0 else len(self.hits) - 1
            self.go(around if index is None else index)
        else:
            self.store.message.emit(str(self.error or f"No hit of {self.text}"))

    def _next(self, direction: int) -> int | None:
        """The next hit from the frame that is shown or is being gone to."""
        heading, hits = self.store.heading, self.hits
        if 0 <= self._current < len(hits) and hits[self._current].frame == heading:
            index = self._current + direction
        elif direction > 0:
            index = bisect_right(hits, heading, key=_FRAME)
        else:
            index = bisect_left(hits, heading, key=_FRAME) - 1
        return index if 0 <= index < len(hits) else None

    def describe(self, hit: Hit) -> str:
        """A hit in a line: of whom, when, and what the expression's names were."""
        parts = self.store.name_of(hit.object), time_text(hit.time), values_of(hit)
        return "   ".join(part for part in parts if part)

    # --- updates of the search ------------------------------------------------------------------

    def _take(self) -> None:
        if self._search is None:
            return
        update = self._search.take()
        if update.restarted:
            self.hits, self._current = [], -1
        self.hits += update.hits
        self._evict()
        self.progress, self.error, self.is_full = update.progress, update.error, update.is_full
        if update.hits or update.restarted:
            self.version += 1
        if self._pending_direction and (index := self._next_or_here()) is not None:
            self.go(index)
        elif self._pending_direction and not self.is_searching:
            self._finish()
        self.changed.emit()

    def _next_or_here(self) -> int | None:
        """The hit that is waited for. A new search takes one in the shown frame, too."""
        if self._pending_direction > 0 and self._current < 0 and self.current >= 0:
            return self.current
        return self._next(self._pending_direction)

    def _finish(self) -> None:
        """The search is over, and there was no hit in the requested direction."""
        direction, self._pending_direction = self._pending_direction, 0
        if self.error is not None:
            self.store.message.emit(str(self.error))
        elif self.hits:
            self.go(0 if direction > 0 else len(self.hits) - 1)
        elif not self._reported:
            self._reported = True
            self.store.message.emit(f"No hit of {self.text}")

    def _evict(self) -> None:
        """Let go of hits in frames that a running game no longer holds."""
        span = self.store.playback.span
        gone = 0 if span is None else bisect_left(self.hits, span.oldest, key=_FRAME)
        if gone and self.store.backend_state.link is not LinkState.LOST:
            del self.hits[:gone]
            self._current = max(-1, self._current - gone)
            self.version += 1


def values_of(hit: Hit) -> str:
    """What the expression's names were at a hit, in a line."""
    return ", ".join(f"{name} = {_text(value)}" for name, value in hit.values.items())


def _text(value: object) -> str:
    if isinstance(value, list):
        return f"({', '.join(value_text(one) for one in value)})"
    return value_text(value)
