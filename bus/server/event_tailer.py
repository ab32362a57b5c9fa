"""Reads new frames out of the ring and publishes their events: spans, marks, statements."""

import msgspec

from ...errors import EvictedError, PlayheadError
from ...recorder.packets.layouts.plain_value_codec import decode
from ...recorder.packets.mark import Mark
from ...recorder.packets.packet_types import Kind
from ...recorder.packets.recorded_frame import FrameRange
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
from ..messages.response_rows import TraceRow
from .publisher import Publisher

_IN_FRAMES = ("trace", "log", "mark", "input", "phase", "event", "picture")
"""The topics of what is in frames."""
_AT_ONCE = 240
"""Frames that are looked through before others have their turn."""


class EventTailer:
    """Follows the newest frames on the bus's thread, for topics that have subscribers."""

    def __init__(self, source: RingSource, publisher: Publisher) -> None:
        self._source = source
        self._publisher = publisher
        self._span: FrameRange | None = None
        self._newest_sent = 0
        """The newest frame that was looked through."""
        self.skipped = 0
        """Frames that were evicted, or proved damaged, before they could be looked through."""

    @property
    def has_subscribers(self) -> bool:
        """Whether anybody listens to what is in frames."""
        has_subscribers = self._publisher.has_subscribers
        return any(map(has_subscribers, _IN_FRAMES))

    def publish(self, span_too: bool, newcomers: bool) -> bool:
        """Publish what is new; the span if it has changed, and always after a new subscription.

        Returns whether there is more to publish already.
        """
        span = self._source.span
        if span_too and (newcomers or span != self._span):
            self._span = span
            self._publisher.publish("span", SpanChanged(span))
        if span is None:
            return False
        if not self.has_subscribers:
            self._newest_sent = span.newest
            return False
        if self._newest_sent + 1 < span.oldest:
            self.skipped += span.oldest - self._newest_sent - 1
            self._newest_sent = span.oldest - 1
        first, last = self._newest_sent + 1, min(span.newest, self._newest_sent + _AT_ONCE)
        if self._publisher.has_subscribers("mark"):
            self._marks(first, last)
        for frame in range(first, last + 1):
            try:
                self._frame(frame)
            except PlayheadError:  # evicted meanwhile, or damaged: the others are published
                self.skipped += 1
        self._newest_sent = max(last, self._newest_sent)
        return last < span.newest

    def _frame(self, frame: int) -> None:
        source, publish = self._source, self._publisher.publish
        has_subscribers = self._publisher.has_subscribers
        time = source.stamp(frame).time
        if has_subscribers("trace"):
            traces = source.traces(frame)
            if traces:
                trace_rows = [TraceRow.of(agent, trace) for agent, trace in traces]
                publish("trace", TracesRecorded(frame, time, trace_rows))
        if has_subscribers("log"):
            lines = source.logs(frame)
            if lines:
                publish("log", LinesLogged(frame, time, lines))
        if has_subscribers("input"):
            inputs = source.inputs(frame)
            if inputs:
                rows = [(*key, value) for key, value in inputs.items()]
                publish("input", InputsRecorded(frame, time, rows))
        if has_subscribers("phase"):
            for name in source.phases_in(frame):
                publish("phase", PhaseStarted(frame, time, name))
        if has_subscribers("event"):
            events = source.events(frame)
            if events:
                publish("event", EventsRecorded(frame, time, events))
        if has_subscribers("picture"):
            for one in source.pictures(frame).values():
                publish("picture", PictureRecorded(
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
            self._publisher.publish("mark", MarkAdded(mark))

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
