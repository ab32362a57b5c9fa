"""Finds pictures by the index that a recording has of them, so that few frames are read."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import NamedTuple

from ...errors import DamagedError
from ..packets.layouts.plain_value_codec import decode
from ..packets.packet_types import Kind
from ..packets.picture_index import MOST_LATE, PictureIndex
from .raw_frames import RawFrames

_AT_ONCE = 64
"""Entries that are asked for first: more than a frame has; then more and more."""
_MOST_AT_ONCE = 4096


class PictureEntry(NamedTuple):
    """Where a picture is in a recording."""

    frame: int
    """The frame that it is a picture of."""
    name: int
    """The number of its name."""
    recorded: int
    """The frame that it is recorded in, the same one or a newer one."""
    bytes: int


class PictureLookup:
    """Looks pictures up in the versions of `Kind.PICTURE`. For one thread."""

    def __init__(self, frames: RawFrames) -> None:
        self._frames = frames

    def is_indexed(self, newest: int) -> bool:
        """Whether the pictures up to a frame are in an index; older recordings have none."""
        return self._frames.latched(newest, 0, Kind.PICTURE, 0) is not None

    def newest(self, frame: int, name: str, text: Callable[[int], str]) -> PictureEntry | None:
        """The newest picture of a name at or before a frame.

        Args:
            text: The text of a number.
        """
        best: PictureEntry | None = None
        for entry in self._back(self._latest_for(frame)):
            if best is not None and entry.recorded <= best.frame:
                break  # what was recorded before cannot be of a newer frame
            if entry.frame > frame or (best is not None and entry.frame <= best.frame):
                continue
            if text(entry.name) == name:
                best = entry
        return best

    def entries(self, first: int, last: int) -> list[PictureEntry]:
        """The pictures of some recorded frames, oldest first."""
        found = []
        for entry in self._back(self._latest_for(last)):
            if entry.recorded < first:
                break
            if first <= entry.frame <= last:
                found.append(entry)
        found.reverse()
        return sorted(found, key=lambda entry: entry.frame)

    def late(self, frame: int) -> list[PictureEntry]:
        """The pictures of a frame that were recorded after it, in the order in which they came."""
        found = []
        for entry in self._back(self._latest_for(frame)):
            if entry.recorded <= frame:
                break
            if entry.frame == frame:
                found.append(entry)
        found.reverse()
        return found

    def _latest_for(self, frame: int) -> int:
        """The newest frame that a picture of this one can be recorded in."""
        newest = self._frames.newest
        return frame if newest is None else max(min(frame + MOST_LATE, newest[0]), frame)

    def _back(self, frame: int) -> Iterator[PictureEntry]:
        """What is recorded at or before a frame, newest first."""
        oldest = self._frames.oldest
        if oldest is None:
            return
        limit = _AT_ONCE
        while frame >= oldest[0]:
            rows = self._frames.versions(frame, 0, Kind.PICTURE, 0, limit)
            is_all = len(rows) < limit
            if not is_all and rows[0][0] > rows[-1][0]:
                # The last frame's may be cut in two: they come with the next ones.
                last = rows[-1][0]
                rows = [row for row in rows if row[0] > last]
            for recorded, _, payload in rows:
                if recorded < oldest[0]:
                    return
                if payload is not None:
                    with suppress(DamagedError):
                        index = decode(payload, PictureIndex)
                        yield PictureEntry(index.frame, index.name, recorded, index.bytes)
            if is_all:
                return
            frame, limit = rows[-1][0] - 1, min(limit * 4, _MOST_AT_ONCE)
