"""Caches frames that were fetched from a service, so that they can be viewed without it."""

import contextlib
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable

from ...bus.client.client import Client
from ...bus.client.remote_source import LatchedRow, RemoteFrames, RemoteSource, StampRow
from ...errors import EvictedError, RecordingError
from ...native import _ring
from ...native.ring_type_aliases import RawPacket
from ...recorder.packets.mark import Mark
from ...recorder.packets.recorded_frame import FrameStamp
from ...recorder.reading.frame_source import FrameSource

MOST_BYTES = 64 * 2**20
"""What is cached of frames, the newest fetched ones."""


class CachedFrames:
    """Complete frames by id (see `Frames`); some in between may be missing.

    Args:
        most: Bytes to be cached at most; the frames that were put in first go first.
    """

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most = most
        self._images: OrderedDict[int, bytes] = OrderedDict()
        self._latched: dict[int, list[LatchedRow]] = {}
        self._shared: dict[LatchedRow, LatchedRow] = {}
        """Neighbours latch nearly the same: each row is held once."""
        self._bytes = 0
        self._order: tuple[list[int], list[float]] | None = None

    def put(self, frame: int, image: bytes, latched: list[LatchedRow]) -> None:
        """Keep a frame with all that held at it."""
        if frame in self._images:
            return
        if len(self._shared) > 10_000:
            self._shared.clear()
        self._images[frame] = image
        self._latched[frame] = [self._shared.setdefault(row, row) for row in latched]
        self._bytes += self._cost(frame)
        self._order = None
        while self._bytes > self._most and len(self._images) > 1:
            oldest = next(iter(self._images))
            self._bytes -= self._cost(oldest)
            del self._images[oldest], self._latched[oldest]

    def _cost(self, frame: int) -> int:
        # A shared row costs only its entry in the list.
        return len(self._images[frame]) + 16 * len(self._latched[frame])

    def clear(self) -> None:
        self._images.clear()
        self._latched.clear()
        self._shared.clear()
        self._bytes, self._order = 0, None

    def _ordered(self) -> tuple[list[int], list[float]]:
        """Frames and their times, oldest first."""
        if self._order is None:
            frames = sorted(self._images)
            self._order = frames, [_ring.image_stamp(self._images[at])[1] for at in frames]
        return self._order

    @property
    def ids(self) -> list[int]:
        """The frames, oldest first."""
        return self._ordered()[0]

    @property
    def newest(self) -> tuple[int, float] | None:
        frames, times = self._ordered()
        return (frames[-1], times[-1]) if frames else None

    @property
    def oldest(self) -> tuple[int, float] | None:
        frames, times = self._ordered()
        return (frames[0], times[0]) if frames else None

    def find(self, time: float, /) -> int:
        if time != time:
            raise RecordingError(f"time {time!r}: give a number of seconds")
        frames, times = self._ordered()
        if not frames:
            raise EvictedError("no frame was read before the connection was lost")
        return frames[max(0, bisect_right(times, time) - 1)]

    def image(self, frame: int) -> bytes:
        """A frame by itself."""
        if frame not in self._images:
            raise EvictedError(f"frame {frame} was not read before the connection was lost")
        return self._images[frame]

    def stamp(self, frame: int, /) -> StampRow:
        return _ring.image_stamp(self.image(frame))

    def packets(self, frame: int, /) -> list[RawPacket]:
        return _ring.image_packets(self.image(frame))

    def latched(
        self, frame: int, object: int, kind: int, key: int, /
    ) -> tuple[int, int, bytes] | None:
        for row in self.latched_all(frame):
            if row[:3] == (object, kind, key):
                return row[3:]
        return None

    def latched_all(self, frame: int, /) -> list[LatchedRow]:
        self.image(frame)
        return self._latched[frame]

    def versions(
        self, frame: int, object: int, kind: int, key: int, limit: int, /
    ) -> list[tuple[int, int, bytes | None]]:
        """The newest version only: of older ones nothing was asked."""
        found = self.latched(frame, object, kind, key)
        return [] if found is None or limit < 1 else [found]


class CachedSource(FrameSource):
    """A frame source over the cached frames; frames that are not cached are skipped.

    Args:
        marks: All that are known, whether their frames are cached or not.
    """

    def __init__(self, frames: CachedFrames, marks: list[Mark]) -> None:
        super().__init__(frames)
        self._cached_frames = frames
        self._known = marks

    def marks(self, limit: int = 100_000) -> list[Mark]:
        return self._known[:limit]

    def stamp(self, frame: int) -> FrameStamp:
        """The delta reaches back to the previous cached frame, so that playing keeps its pace."""
        stamp, ids = super().stamp(frame), self._cached_frames.ids
        at = bisect_right(ids, frame) - 1
        if at < 1:
            return stamp
        since = super().stamp(ids[at - 1]).time
        return stamp._replace(delta=max(stamp.time - since, 0.0))

    def step(self, frame: int, frames: int) -> int:
        ids = self._cached_frames.ids
        index = bisect_right(ids, frame) - 1 + frames
        if 0 <= index < len(ids):
            return ids[index]
        return ids[-1] + index - len(ids) + 1 if index > 0 else ids[0] + index

    def settle(self, frame: int) -> int:
        ids = self._cached_frames.ids
        if not ids or not ids[0] < frame < ids[-1]:
            return frame
        return ids[bisect_right(ids, frame) - 1]


class CachingFrames(RemoteFrames):
    """Frames of a service; those that are fetched completely are cached."""

    def __init__(self, client: Client, on_other: Callable[[], None], cached: CachedFrames) -> None:
        super().__init__(client, on_other)
        self._cached_frames = cached

    def image(self, frame: int) -> bytes:
        image = super().image(frame)
        with contextlib.suppress(EvictedError):
            self._cached_frames.put(frame, image, self.latched_all(frame))
        return image


class CachingSource(RemoteSource):
    """A service as a frame source; what was read stays in `cached` when the service is gone."""

    def __init__(self, client: Client) -> None:
        self.cached = CachedFrames()
        frames = CachingFrames(client, self._forget, self.cached)
        FrameSource.__init__(self, frames)
        self.client = client

    def _forget(self) -> None:
        super()._forget()
        self.cached.clear()
