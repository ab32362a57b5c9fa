"""A clip as a frame source: it can be scrubbed like a live recording."""

import os
from collections.abc import Iterator
from contextlib import suppress
from operator import attrgetter
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from ...errors import DamagedError
from ...native.ring_type_aliases import RawPacket, Run
from ..packets.mark import Mark
from ..packets.recorded_frame import FrameStamp
from ..reading.frame_source import FrameSource
from ..reading.late_statement_index import LateReader
from ..reading.picture_lookup import PictureLookup
from ..reading.raw_frames import LatchChange
from .clip_file_reader import ClipFrames
from .clip_format import ABOUT, CONVENTIONS, texts_of


class ClipSource(FrameSource):
    """A clip as a source: it reads like any recording. For one thread.

    In front of a gap `stamp(frame).next` leads past it, and `stamps` leaves it out; a frame in
    it is not held.
    """

    indexes_changes = True

    def __init__(self, clip: ClipFrames) -> None:
        super().__init__(clip)
        self.clip = clip
        if clip.gaps:
            self._late = LateReader(_AcrossGaps(clip))
            self._pictures = PictureLookup(_AcrossGaps(clip))

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> "ClipSource":
        """The clip in a file.

        Raises:
            DamagedError: it can't be read, it is no clip, or one of another major version.
        """
        return cls(ClipFrames(path))

    @property
    def stretches(self) -> list[tuple[int, int]]:
        span = self.span
        if span is None:
            return []
        firsts = [span.oldest, *(gap.last + 1 for gap in self.clip.gaps)]
        lasts = [*(gap.first - 1 for gap in self.clip.gaps), span.newest]
        return list(zip(firsts, lasts, strict=True))

    def time(self, frame: int) -> float:
        return self.clip.time(frame)

    def runs(self, frame: int) -> list[Run]:
        # Views of the chunk itself, which is never changed: no copy is needed.
        return self.clip.runs(frame)

    def latch_changes(self, kind: int, start: int, end: int) -> Iterator[LatchChange]:
        return self.clip.latch_changes(kind, start, end)

    def may_latch(self, kind: int, text: str, start: int, end: int) -> int | None:
        return self.clip.may_latch(kind, text, start, end)

    def step(self, frame: int, frames: int) -> int:
        if not self.clip.gaps:
            return frame + frames
        beside = self.clip.following if frames > 0 else self.clip.preceding
        for done in range(abs(frames)):
            found = beside(frame)
            if found is None:
                return frame + frames + (-done if frames > 0 else done)
            frame = found
        return frame

    def settle(self, frame: int) -> int:
        if self.clip.holds(frame):
            return frame
        span = self.span
        if span is None or not span.oldest < frame < span.newest:
            return frame
        before = self.clip.preceding(frame)
        return span.oldest if before is None else before

    def stamp(self, frame: int) -> FrameStamp:
        clip = self.clip
        id, time, delta, packets, epoch, flags, _, _ = clip.stamp(frame)
        return FrameStamp(
            id, clip.preceding(frame), clip.following(frame), time, delta, packets, epoch, flags
        )

    def stamps(self, start: int, end: int) -> Iterator[FrameStamp]:
        """The headers of the recorded frames from `start` to `end`."""
        frame: int | None = start if self.clip.holds(start) else self.clip.following(start)
        while frame is not None and frame <= end:
            stamp = self.stamp(frame)
            yield stamp
            frame = stamp.next

    def marks(self, limit: int = 100_000) -> list[Mark]:
        """The newest marks whose frames are in the clip: recorded ones and those put in later."""
        later = [mark for mark in self.clip.marks if self.clip.holds(mark.frame)]
        every = [*super().marks(limit), *self._timed(later)]
        return sorted(every, key=attrgetter("frame"))[-limit:] if limit > 0 else []

    def watched(
        self, object: int, name: str, start: int | None = None, end: int | None = None
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """The frames from `start` to `end` in which a value was watched, and its values."""
        newest = self.clip.newest
        number = None if newest is None else self._names.number(newest[0], name)
        return self.clip.watched(object, -1 if number is None else number, start, end)

    def changed(self, object: int, kind: int, key: str) -> list[int]:
        """The frames in which something was latched again or ended, oldest first.

        Found without reading frames. Late statements count to the frame they were recorded in.
        """
        newest = self.clip.newest
        number = None if newest is None else self._names.number(newest[0], key)
        return [] if number is None else self.clip.changed(object, kind, number)

    def info(self) -> dict[str, Any]:
        """The clip's facts as plain values, for `playhead clip info --json`.

        Where a game was restarted while it was recorded, they are those of the newest one.
        """
        clip, span = self.clip, self.span
        types = self._newest_types()
        objects = [{"id": row.id, "type": types.get(row.id, row.type), "name": row.name,
                    "first": row.first, "last": row.last} for row in clip.objects]  # fmt: skip
        marks = self.marks()
        return {
            "frames": clip.count,
            "span": None if span is None else {
                "oldest": span.oldest, "newest": span.newest, "start": span.start,
                "end": span.end, "seconds": span.seconds,
            },
            "objects": [row for row in objects if row["first"]],
            "agents": [row.id for row in clip.objects if row.agent],
            "marks": [
                {"name": mark.name, "frame": mark.frame, "time": mark.time, "kind": mark.kind,
                 "note": mark.note, "object": mark.object} for mark in marks
            ],
            "asserts": [
                {"time": mark.time, "frame": mark.frame, "object": mark.object,
                 "message": mark.name} for mark in marks if mark.kind == "check"
            ],
            "losses": [] if span is None else self._plain_losses(span.newest),
            "games": self._games(),
            "metadata": self._metadata(),
            "attachments": [
                {"name": info.name, "media_type": info.media_type, "bytes": info.bytes}
                for info in clip.attachments.values()
            ],
            "gaps": [gap._asdict() for gap in clip.gaps],
            "damage": [damage._asdict() for damage in clip.damage],
            "warnings": list(clip.warnings),
            "bytes": clip.size,
            "complete": not clip.damage,
        }  # fmt: skip

    def _plain_losses(self, frame: int) -> list[dict[str, Any]]:
        try:
            return [msgspec.to_builtins(loss) for loss in self.losses(frame)]
        except DamagedError:
            return []  # damage is reported elsewhere

    def _newest_types(self) -> dict[int, str]:
        """The types of the objects in the newest frame: an older game's may have had their ids."""
        if self.span is None:
            return {}
        with suppress(DamagedError):  # the clip reports it elsewhere
            return {packet.id: packet.type for packet in self.objects(self.span.newest)}
        return {}

    def _games(self) -> int:
        """How many games are in it: each start of one opens an epoch."""
        if self.span is None:
            return 0
        with suppress(DamagedError):
            epochs = self.stamp(self.span.oldest).epoch, self.stamp(self.span.newest).epoch
            return epochs[1] - epochs[0] + 1
        return 1

    def _metadata(self) -> dict[str, dict[str, str]]:
        """The file's metadata, with the description of the newest game instead of the oldest."""
        metadata = dict(self.clip.metadata)
        if self.span is None:
            return metadata
        with suppress(DamagedError):
            before, now = self._world(self.span.oldest), self._world(self.span.newest)
            for name in (ABOUT, CONVENTIONS) if now != before else ():
                old, new = texts_of(before.get(name)), texts_of(now.get(name))
                others = {
                    key: value
                    for key, value in metadata.get(name, {}).items()
                    if old.get(key) != value
                }
                metadata[name] = new | others
        return metadata

    def close(self) -> None:
        """Close the file; it also closes with the last reference to the source."""
        self.clip.close()

    def __enter__(self) -> "ClipSource":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _AcrossGaps:
    """A clip as `LateReader` sees it: a frame in a gap holds nothing, and what is asked about it
    is answered as it was known right before the gap."""

    def __init__(self, clip: ClipFrames) -> None:
        self._clip = clip

    def _nearest_held(self, frame: int) -> int:
        if self._clip.holds(frame):
            return frame
        before = self._clip.preceding(frame)
        return frame if before is None else before

    @property
    def newest(self) -> tuple[int, float] | None:
        return self._clip.newest

    @property
    def oldest(self) -> tuple[int, float] | None:
        return self._clip.oldest

    def find(self, time: float, /) -> int:
        return self._clip.find(time)

    def stamp(self, frame: int, /) -> tuple[int, float, float, int, int, int, int, int]:
        return self._clip.stamp(frame)

    def packets(self, frame: int, /) -> list[RawPacket]:
        return self._clip.packets(frame) if self._clip.holds(frame) else []

    def latched(
        self, frame: int, object: int, kind: int, key: int, /
    ) -> tuple[int, int, bytes] | None:
        return self._clip.latched(self._nearest_held(frame), object, kind, key)

    def latched_all(self, frame: int, /) -> list[tuple[int, int, int, int, int, bytes]]:
        return self._clip.latched_all(self._nearest_held(frame))

    def versions(
        self, frame: int, object: int, kind: int, key: int, limit: int, /
    ) -> list[tuple[int, int, bytes | None]]:
        return self._clip.versions(self._nearest_held(frame), object, kind, key, limit)
