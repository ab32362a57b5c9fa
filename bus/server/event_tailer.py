"""What has happened, read out of the ring for those who listen: spans, marks, what was stated."""

import msgspec

from ...errors import EvictedError, PlayheadError
from ...recorder.packets.encoding import decode
from ...recorder.packets.frame import Span
from ...recorder.packets.marks import Mark
from ...recorder.packets.packet_types import Kind
from ...recorder.reading.ring_source import RingSource
from ..messages.events import (
    EventsRecorded,
    InputsRecorded,
    LinesLogged,
    MarkAdded,
    PhaseStarted,
    PictureRecorded,
    SpanChanged,
    TracesRecorded,
)
from ..messages.message import MOST_ROWS
from ..messages.rows import TraceRow
from .publisher import Publisher

_IN_FRAMES = ("trace", "log", "mark", "input", "phase", "event", "picture")
"""The topics of what is in frames."""
_AT_ONCE = 240
"""Frames that are looked through before others have their turn."""


class EventTailer:
    """Goes through the frames behind the game, on the bus's thread, for topics that are wanted."""

    def __init__(self, source: RingSource, publisher: Publisher) -> None:
        self._source = source
        self._publisher = publisher
        self._span: Span | None = None
        self._told = 0
        """The newest frame that was looked through."""
        self.skipped = 0
        """Frames that were evicted, or proved damaged, before they could be looked through."""

    @property
    def wanted(self) -> bool:
        """Whether anybody listens to what is in frames."""
        wanted = self._publisher.wanted
        return any(map(wanted, _IN_FRAMES))

    def publish(self, span_too: bool, newcomers: bool) -> bool:
        """Tell what is new; the span if it has changed, and always when somebody is new.

        Returns whether there is more to tell already.
        """
        span = self._source.span
        if span_too and (newcomers or span != self._span):
            self._span = span
            self._publisher.tell("span", SpanChanged(span))
        if span is None:
            return False
        if not self.wanted:
            self._told = span.newest
            return False
        if self._told + 1 < span.oldest:
            self.skipped += span.oldest - self._told - 1
            self._told = span.oldest - 1
        first, last = self._told + 1, min(span.newest, self._told + _AT_ONCE)
        if self._publisher.wanted("mark"):
            self._marks(first, last)
        for frame in range(first, last + 1):
            try:
                self._frame(frame)
            except PlayheadError:  # evicted meanwhile, or damaged: the others are told all the same
                self.skipped += 1
        self._told = max(last, self._told)
        return last < span.newest

    def _frame(self, frame: int) -> None:
        source, tell, wanted = self._source, self._publisher.tell, self._publisher.wanted
        time = source.stamp(frame).time
        if wanted("trace"):
            traces = source.traces(frame)
            if traces:
                told = [TraceRow.of(agent, trace) for agent, trace in traces]
                tell("trace", TracesRecorded(frame, time, told))
        if wanted("log"):
            lines = source.logs(frame)
            if lines:
                tell("log", LinesLogged(frame, time, lines))
        if wanted("input"):
            inputs = source.inputs(frame)
            if inputs:
                rows = [(*key, value) for key, value in inputs.items()]
                tell("input", InputsRecorded(frame, time, rows))
        if wanted("phase"):
            for name in source.phases_in(frame):
                tell("phase", PhaseStarted(frame, time, name))
        if wanted("event"):
            events = source.events(frame)
            if events:
                tell("event", EventsRecorded(frame, time, events))
        if wanted("picture"):
            for one in source.pictures(frame).values():
                tell("picture", PictureRecorded(
                    frame, time, one.name, one.format, one.width, one.height
                ))  # fmt: skip

    def _marks(self, first: int, last: int) -> None:
        """The marks that were recorded in these frames; a late one belongs to an older frame."""
        for recorded, payload in reversed(self._marked(first, last)):
            try:
                mark = decode(payload, Mark)
                frame = mark.frame or recorded
                time = self._source.stamp(frame).time
            except PlayheadError:  # its frame is gone, or it is damaged
                self.skipped += 1
                continue
            mark = msgspec.structs.replace(mark, frame=frame, time=time)
            self._publisher.tell("mark", MarkAdded(mark))

    def _marked(self, first: int, last: int) -> list[tuple[int, bytes]]:
        """The marks recorded in these frames, newest first; older ones are hardly looked at."""
        limit = 16
        while True:
            try:
                rows = self._source.ring.versions(last, 0, Kind.MARK, 0, limit)
            except EvictedError:
                return []
            if len(rows) < limit or rows[-1][0] < first or limit >= MOST_ROWS:
                return [(at, payload) for at, _, payload in rows if at >= first and payload]
            limit = min(8 * limit, MOST_ROWS)
