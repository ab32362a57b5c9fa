"""A service's recording as a frame source: raw frames are fetched over the bus and decoded here."""

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import TypeVar

from ...errors import EvictedError, PlayheadError, RecordingError
from ...native import _ring
from ...native.ring_type_aliases import RawPacket
from ...recorder.packets.packet_types import Kind
from ...recorder.packets.recorded_frame import FrameRange
from ...recorder.reading.frame_source import FrameSource
from ...recorder.statements.statement_messages import Picture
from ..messages.message import MOST_ROWS
from ..messages.requests import GetFrame, GetFrameHeaders, GetLatched, GetLatchHistory, GetPicture
from ..messages.responses import FoundPicture, FrameBytes, FrameHeaders, LatchedValues, LatchHistory
from .client import Client

_T = TypeVar("_T")

_MOST_CACHED = 256
"""Frames that are remembered: a finished frame never changes."""
_FETCHED = 32
"""Frames that are fetched together at most, where they are read one after another."""
_STAMPS = 256
"""Headers of frames that are fetched together, where they are read one after another."""
_ASKED_ALONE = frozenset((Kind.LATE, Kind.PICTURE))
"""Kinds that are read at every newest frame, where nothing else that is latched is needed."""
_SPAN_FOR = 0.05
"""Seconds for which the two ends are believed before they are asked for again."""

LatchedRow = tuple[int, int, int, int, int, bytes]
StampRow = tuple[int, float, float, int, int, int, int, int]


class RemoteFrames:
    """The frames of a service, by id (see `Frames`). For the client's thread.

    Args:
        client: Fetches them.
        on_other: Called when the service was restarted: its frames are others.
        ahead: Whether whole ranges are to be read: then frames that come next are fetched
            together. For who looks at single frames it would be in vain.
    """

    def __init__(
        self, client: Client, on_other: Callable[[], None], *, ahead: bool = False
    ) -> None:
        self._client = client
        self._on_other = on_other
        self._service = client.welcome.service
        self._images: OrderedDict[int, bytes] = OrderedDict()
        self._latched: OrderedDict[int, list[LatchedRow]] = OrderedDict()
        self._stamps: dict[int, StampRow] = {}
        self._fetches_ahead = ahead
        self._last_fetched, self._ahead = 0, 1
        """The first frame that was fetched last, and how many were fetched together."""
        self._span: FrameRange | None = None
        self._span_at = float("-inf")

    @property
    def newest(self) -> tuple[int, float] | None:
        span = self._ends()
        return None if span is None else (span.newest, span.end)

    @property
    def oldest(self) -> tuple[int, float] | None:
        span = self._ends()
        return None if span is None else (span.oldest, span.start)

    def _ends(self) -> FrameRange | None:
        now = time.monotonic()
        if now - self._span_at > _SPAN_FOR:
            self._span = self._client.snapshot().span
            self._span_at = now
        self._same()
        return self._span

    def _same(self) -> None:
        """Forget everything if the service was restarted."""
        service = self._client.welcome.service
        if service != self._service:
            self._service = service
            self._images.clear()
            self._latched.clear()
            self._stamps.clear()
            self._span_at = float("-inf")
            self._on_other()

    def _is_held(self, frame: int) -> bool:
        span = self._ends()
        return span is not None and frame >= span.oldest

    def _check_held(self, frame: int) -> None:
        """What is remembered of a frame is given only as long as the service holds it."""
        if not self._is_held(frame):
            raise EvictedError(f"frame {frame} is not held by {self._client.endpoint}")

    def find(self, time: float, /) -> int:
        if time != time:
            raise RecordingError(f"time {time!r}: give a number of seconds")
        return self._client.find(time)

    def stamp(self, frame: int, /) -> StampRow:
        self._check_held(frame)
        if frame in self._images:
            return _ring.image_stamp(self._images[frame])
        if frame not in self._stamps:
            if len(self._stamps) > 16 * _STAMPS:
                self._stamps.clear()
            self._fetch_stamps(frame)
        return self._stamps[frame]

    def _fetch_stamps(self, frame: int) -> None:
        """Where headers are read one after another, those that come next are fetched with it."""
        span = self._ends()
        if span is None:
            raise EvictedError(f"frame {frame} is not held by {self._client.endpoint}")
        # After a neighbour that is known, on the side where nothing is.
        before, after = (
            self._fetches_ahead and beside in self._stamps for beside in (frame - 1, frame + 1)
        )
        first = max(span.oldest, frame - _STAMPS) if after and not before else frame
        last = min(span.newest, frame + _STAMPS) if before and not after else frame
        try:
            rows = self._headers(first, max(last, frame))
        except PlayheadError:  # a neighbour was evicted meanwhile, or can't be read
            rows = self._headers(frame, frame)
        self._stamps.update((row[0], (*row, 0, 0)) for row in rows)

    def _headers(self, first: int, last: int) -> list[tuple[int, float, float, int, int, int]]:
        return self._client.asked(GetFrameHeaders(first, last), FrameHeaders).headers

    def packets(self, frame: int, /) -> list[RawPacket]:
        return _ring.image_packets(self.image(frame))

    def image(self, frame: int) -> bytes:
        self._check_held(frame)

        if frame not in self._images:
            self._fetch_images(frame)
        self._images.move_to_end(frame)
        return self._images[frame]

    def _fetch_images(self, frame: int) -> None:
        """Where frames are read one after another, those that come next are fetched with it."""
        step = frame - self._last_fetched
        forth = self._fetches_ahead and step in (self._ahead, -self._ahead)
        if not forth:
            self._ahead = 1
        sign = -1 if step < 0 else 1
        span = self._ends()
        count = min(2 * self._ahead, _FETCHED) if forth else 1
        frames = [frame + sign * further for further in range(count)]
        if span is not None:
            frames = [one for one in frames if span.oldest <= one <= span.newest] or [frame]
        requests = [GetFrame(one) for one in frames]
        for answer in self._client.asked_together(requests, FrameBytes):
            self._images[answer.frame] = answer.image
            if len(self._images) > _MOST_CACHED:
                self._images.popitem(last=False)
        self._last_fetched, self._ahead = frames[0], len(frames)

    def latched(
        self, frame: int, object: int, kind: int, key: int, /
    ) -> tuple[int, int, bytes] | None:
        if self._fetches_ahead and kind in _ASKED_ALONE and frame not in self._latched:
            self._check_held(frame)
            rows = self._client.asked(GetLatched(frame, object, kind, key), LatchedValues).rows
            return rows[0][3:] if rows else None
        for row in self.latched_all(frame):
            if row[:3] == (object, kind, key):
                return row[3:]
        return None

    def latched_all(self, frame: int, /) -> list[LatchedRow]:
        self._check_held(frame)

        def fetch() -> list[LatchedRow]:
            return self._client.asked(GetLatched(frame), LatchedValues).rows

        return _cached(self._latched, frame, fetch)

    def versions(
        self, frame: int, object: int, kind: int, key: int, limit: int, /
    ) -> list[tuple[int, int, bytes | None]]:
        rows: list[tuple[int, int, bytes | None]] = []
        while len(rows) < limit:
            count = min(limit - len(rows), MOST_ROWS)
            request = GetLatchHistory(frame, object, kind, key, count)
            fresh = self._client.asked(request, LatchHistory).rows
            rows += fresh
            last = rows[-1][0] if rows else 0
            if len(fresh) < MOST_ROWS or not self._is_held(last):
                break
            # An answer has no more; the last frame's may have been cut in two: ask for it again.
            frame = last
            while rows[-1][0] == last and fresh[0][0] > last:
                rows.pop()
            if fresh[0][0] == last:
                frame -= 1
        return rows


class RemoteSource(FrameSource):
    """A service on the bus, live or paused, as a source: it reads like any recording.

    Args:
        ahead: See `RemoteFrames`.
    """

    def __init__(self, client: Client, *, ahead: bool = False) -> None:
        frames = RemoteFrames(client, self._forget, ahead=ahead)
        super().__init__(frames)
        self.client = client

    def newest_picture(self, frame: int, name: str) -> tuple[int, Picture] | None:
        # The service looks for it: here each of the frames would have to be fetched.
        self.time(frame)  # whether it is held, as everywhere
        found = self.client.asked(GetPicture(frame, name), FoundPicture)
        if not found.frame:
            return None
        one = Picture(found.data, found.format, found.width, found.height, found.name)
        return found.frame, one

    def _forget(self) -> None:
        """Drop everything that was read from another recording."""
        super().__init__(self._frames)


def _cached(cache: "OrderedDict[int, _T]", frame: int, fetch: Callable[[], _T]) -> _T:
    found = cache.get(frame)
    if found is None:
        found = cache[frame] = fetch()
        if len(cache) > _MOST_CACHED:
            cache.popitem(last=False)
    else:
        cache.move_to_end(frame)
    return found
