"""Searches a recording for an expression on the reader's thread, a few frames at a time."""

import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ...errors import BusError, EvictedError, PlayheadError
from ...recorder.packets.recorded_frame import FrameRange
from ...recorder.reading.frame_source import FrameSource
from ...recording.recording_damage import DamageLog
from ...recording.search.expression import frames_before, parse
from ...recording.search.find import FoundHits, Hit, Search
from ..reader.background_query_base import BackgroundQuery

MOST_HITS = 20_000
"""Hits after which a search ends: nobody walks through more."""
_WINDOW = 16
"""Frames that are unpacked between two looks at what the window wants, at most."""
_PART = 128
"""Frames that are searched at a time where a search of all would first go through all of them."""
_EVERY = 0.05
"""Seconds between two reports, at least, once the first hit was reported."""
_GROWS = 0.25
"""Seconds between two looks at what a running game has recorded meanwhile."""


class SearchUpdate(NamedTuple):
    """What a search has found since it was last asked."""

    hits: list[Hit]
    """Hits after those that were given before."""
    progress: float
    """0 … 1 of the recording."""
    error: PlayheadError | None
    """Why it can't go on."""
    is_full: bool
    """Whether it has ended at `MOST_HITS`."""
    restarted: bool
    """Whether all hits from before belong to another recording."""


class ExpressionSearch(BackgroundQuery):
    """Finds the hits of an expression, oldest first, and those in each new frame.

    Args:
        text: The expression.
        ring: See `BackgroundQuery`.

    Raises:
        ExpressionError: it is no expression.
    """

    is_urgent = True

    def __init__(self, text: str, ring: Callable[[], None]) -> None:
        super().__init__(ring)
        self._text = text
        self._overlap = 1 + frames_before(parse(text))
        """Frames in front of a frame, and itself, that decide whether there is a hit in it."""
        self._source: FrameSource | None = None
        self._windows: Iterator[FoundHits] | None = None
        self._until = 0
        """The last frame of `_windows`."""
        self._searched = 0
        """The newest frame that was searched."""
        self._began_at = self._reported_at = float("-inf")
        self._unreported: list[Hit] = []
        self._reported = False
        """Whether any hit was reported."""
        self._last_report: tuple[float, PlayheadError | None] = 0.0, None
        """The progress and the error that were reported last."""
        self._count = 0
        self._understood = False
        """Whether any part of the recording has what the expression names."""
        self._mistake: PlayheadError | None = None
        """Why the newest part that has not was not understood."""
        self._ended = False
        self._hits: list[Hit] = []
        self._progress = 0.0
        self._error: PlayheadError | None = None
        self._is_full = self._restarted = False

    # --- for the window's thread ----------------------------------------------------------------

    def take(self) -> SearchUpdate:
        """What was found since this was last asked."""
        with self._lock:
            hits, self._hits = self._hits, []
            restarted, self._restarted = self._restarted, False
            return SearchUpdate(hits, self._progress, self._error, self._is_full, restarted)

    # --- for the reader's thread ----------------------------------------------------------------

    def restart(self) -> None:
        self._source = self._windows = self._mistake = None
        self._searched = self._count = 0
        self._unreported, self._last_report = [], (0.0, None)
        self._reported = self._understood = self._ended = False
        with self._lock:
            self._hits, self._progress, self._error = [], 0.0, None
            self._is_full, self._restarted = False, True

    def go_on(
        self, source: FrameSource, span: FrameRange, until: float, *, backwards: bool
    ) -> bool:
        if self._ended:
            return False
        if source is not self._source:  # a game was lost or found again: go on where this ended
            self._source, self._windows = source, None
        try:
            more = self._search_on(source, span, until)
        except BusError:
            self._windows = None
            raise
        self._tell(span, more=more)
        return more

    def _search_on(self, source: FrameSource, span: FrameRange, until: float) -> bool:
        """Search until a time; False if there is nothing to be searched for now."""
        while time.monotonic() < until and not self._ended:
            if self._windows is None and not self._begin(source, span):
                return False
            assert self._windows is not None
            try:
                found = next(self._windows, None)
            except BusError:
                raise
            except EvictedError:
                self._windows = None  # a live game has moved on
            except PlayheadError as error:
                self._misunderstood(source, error)
            else:
                self._take_in(found)
        return not self._ended

    def _begin(self, source: FrameSource, span: FrameRange) -> bool:
        """Begin with the next part of the recording; False if there is none, or not yet."""
        now = time.monotonic()
        is_behind = span.newest - self._searched >= _PART
        if self._searched >= span.newest or (not is_behind and now - self._began_at < _GROWS):
            return False
        self._began_at = now
        first = max(span.oldest, self._searched + 1 - self._overlap)
        last = span.newest if source.indexes_changes else min(span.newest, first + _PART)
        self._until = max(last, self._searched + 1)
        self._windows = self._part(source, first, last)
        return True

    def _part(self, source: FrameSource, first: int, last: int) -> Iterator[FoundHits]:
        names = None if source.indexes_changes else _names_at(source, first, last)
        search = Search(source, self._text, first, last, None, DamageLog("search"), names)
        yield from search.windows(_WINDOW)

    def _take_in(self, found: FoundHits | None) -> None:
        """Keep the hits of a window; None at the end of a part."""
        if found is None:
            self._searched, self._windows = max(self._searched, self._until), None
            self._understood = True
            return
        hits = [hit for hit in found.hits if hit.frame > self._searched]
        self._unreported += hits[: MOST_HITS - self._count]
        self._count += len(hits)
        self._searched = max(self._searched, found.last)
        self._understood = self._understood or bool(hits)
        self._ended = self._count >= MOST_HITS

    def _misunderstood(self, source: FrameSource, error: PlayheadError) -> None:
        """Parts of a running game may lack what other parts have: only all of them are an error."""
        self._windows, self._searched = None, max(self._searched, self._until)
        self._mistake = error
        self._ended = source.indexes_changes

    def _tell(self, span: FrameRange, *, more: bool) -> None:
        now = time.monotonic()
        mistake = None if self._understood or more else self._mistake
        is_first = bool(self._unreported) and not self._reported
        is_due = is_first or not more or now - self._reported_at > _EVERY
        progress = min(1.0, (self._searched - span.oldest + 1) / (span.newest - span.oldest + 1))
        if not is_due or (not self._unreported and self._last_report == (progress, mistake)):
            return
        self._reported_at, self._last_report = now, (progress, mistake)
        self._reported = self._reported or bool(self._unreported)
        with self._lock:
            self._hits += self._unreported
            self._progress, self._error = progress, mistake
            self._is_full = self._count >= MOST_HITS
        self._unreported = []
        self._ring()


def _names_at(source: FrameSource, first: int, last: int) -> dict[int, list[tuple[int, str]]]:
    """What objects are called at the ends of a part, as `names_over_time` would give it."""
    names: dict[int, list[tuple[int, str]]] = {}
    for frame in (first, last):
        for id, name in source.names(frame).items():
            known = names.setdefault(id, [])
            if not known or known[-1][1] != name:
                known.append((frame, name))
    return names
