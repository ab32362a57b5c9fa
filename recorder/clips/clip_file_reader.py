"""A clip's frames by id: random access to a file that is read chunk by chunk."""

import os
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from operator import itemgetter
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from mcap.opcode import Opcode
from mcap.records import Chunk

from ...errors import DamagedError, EvictedError, RecordingError, message_with_path
from ...native import _ring
from ...native.ring_type_aliases import RawPacket, Run
from ..packets.mark import Mark
from ..packets.packet_types import PacketType
from ..reading.raw_frames import LatchChange
from .chunk_change_index import Change, ChangeMaker, ChunkChanges, may_mention
from .clip_file_index import AttachmentInfo, ClipFileIndex
from .clip_format import CHANGES, ChunkRow, ClipDamage, Gap, Key, LatchedRow, ObjectTableRow
from .frame_chunk import FrameChunk, LatchedValue
from .frame_serialization import Stamp, read_image
from .mcap_records import ChunkBytes, ClipFile, McapMessage, damage_at, messages, parse, unpack

_T = TypeVar("_T")
_CACHED_CHUNKS = 8
"""Chunks of frames that are kept unpacked …"""
_CACHED_BYTES = 64 << 20
"""… if that is no more than so many bytes."""
_CACHED_CHANGES = 64
"""Change records that are kept decoded."""

Version = tuple[int, int, bytes | None]


class ClipFrames:
    """The frames of a clip, by id (see `Frames`). For one thread.

    What is read is unpacked and checked then; DamagedError names the chunk and its frames. A frame
    in a gap is not held: asking for it raises EvictedError. The memory it takes does not depend on
    the clip's length, but for its tables: some bytes for each chunk, latched key and object.

    Args:
        path: The file.

    Raises:
        DamagedError: it can't be read, it is no clip, or one of another major version.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._file = ClipFile(self.path)
        try:
            self._index = ClipFileIndex(self._file)
        except DamagedError as error:
            self._file.close()
            raise DamagedError(message_with_path(error, path)) from None
        self._rows = self._index.chunks
        self._firsts = [row.first for row in self._rows]
        self._starts = [row.start for row in self._rows]
        self.gaps: tuple[Gap, ...] = tuple(self._index.gaps)
        """The ranges between its ends that are not in it, oldest first."""
        breaks = [self._chunk(gap.last + 1) for gap in self.gaps]
        self._segments = list(zip([0, *breaks], [*breaks, len(self._rows)], strict=True))
        self._chunks: OrderedDict[int, FrameChunk] = OrderedDict()
        self._changes: OrderedDict[int, ChunkChanges] = OrderedDict()
        self._unpacked: tuple[int, ChunkBytes, list[McapMessage]] = (-1, b"", [])
        self._bad: set[int] = set()
        """Chunks of change records that are damaged."""
        self._all: tuple[int, list[LatchedRow]] = (0, [])
        self._segment_start: tuple[int, dict[Key, LatchedValue]] = (-1, {})
        """A chunk after a gap, and what was latched before it."""

    # --- the file -----------------------------------------------------------------------------

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self._file.size

    @property
    def count(self) -> int:
        """How many frames it holds."""
        return sum(row.count for row in self._rows)

    @property
    def metadata(self) -> dict[str, dict[str, str]]:
        """The clip's description of itself: `playhead`, `about`, `conventions`."""
        return self._index.metadata

    @property
    def attachments(self) -> Mapping[str, AttachmentInfo]:
        """The files that travel in it, by name."""
        return MappingProxyType(self._index.attachments)

    @property
    def damage(self) -> list[ClipDamage]:
        """What of the file is known to be damaged or cut off. `verify` looks at everything."""
        return self._index.damage

    @property
    def warnings(self) -> list[str]:
        """What is to be known of it though it can be read: that a newer playhead wrote it."""
        return self._index.warnings

    @property
    def objects(self) -> list[ObjectTableRow]:
        """The objects of the recording and the agents; the first 65,536 that were seen."""
        return self._index.objects

    @property
    def marks(self) -> tuple[Mark, ...]:
        """The marks that were put into the clip after it was saved, in the order of doing so.

        Those that were recorded are in the frames.
        """
        return self._index.marks

    def attachment(self, name: str) -> bytes:
        """The bytes of an attachment.

        Raises:
            EvictedError: there is none of that name.
            DamagedError: it is broken.
        """
        info = self._index.attachments.get(name)
        if info is None:
            raise EvictedError(f"{self.path}: there is no attachment {name!r}")
        return self._index.attachment(info)

    def close(self) -> None:
        """Close the file; it also closes with the last reference to this."""
        self._file.close()

    def __enter__(self) -> "ClipFrames":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- frames -------------------------------------------------------------------------------

    @property
    def newest(self) -> tuple[int, float] | None:
        return (self._rows[-1].last, self._rows[-1].end) if self._rows else None

    @property
    def oldest(self) -> tuple[int, float] | None:
        return (self._rows[0].first, self._rows[0].start) if self._rows else None

    def holds(self, frame: int) -> bool:
        """Whether a frame is in the clip."""
        index = bisect_right(self._firsts, frame) - 1
        return index >= 0 and frame <= self._rows[index].last

    def following(self, frame: int) -> int | None:
        """The oldest frame it holds after this one; None after the newest."""
        index = bisect_right(self._firsts, frame) - 1
        if index >= 0 and frame < self._rows[index].last:
            return frame + 1
        return self._rows[index + 1].first if index + 1 < len(self._rows) else None

    def preceding(self, frame: int) -> int | None:
        """The newest frame it holds in front of this one; None in front of the oldest."""
        index = bisect_right(self._firsts, frame - 1) - 1
        return None if index < 0 else min(frame - 1, self._rows[index].last)

    def find(self, time: float, /) -> int:
        if time != time:
            raise RecordingError(f"{self.path}: time {time!r}: give a number of seconds")
        if not self._rows:
            raise EvictedError(f"{self.path}: no frame of this clip can be read")
        index = bisect_right(self._starts, time) - 1
        if index < 0:
            return self._firsts[0]
        row = self._rows[index]
        if time >= row.end:
            return row.last
        times = self._changes_of(index).stamps["time"]
        return row.first + int(np.searchsorted(times, time, side="right")) - 1

    def stamp(self, frame: int, /) -> Stamp:
        """A frame's header; where its chunk is unpacked, no change record is read for it."""
        index = self._chunk(frame)
        chunk = self._chunks.get(index)
        if chunk is None:
            return self._changes_of(index).stamp(frame)
        return _ring.image_stamp(chunk.image(frame))

    def time(self, frame: int, /) -> float:
        """The time of a frame, seconds; of one whose chunk is unpacked nothing else is read."""
        index = self._chunk(frame)
        chunk = self._chunks.get(index)
        if chunk is None:
            return float(self._changes_of(index).stamps["time"][frame - self._firsts[index]])
        return _ring.image_stamp(chunk.image(frame))[1]

    def image(self, frame: int, /) -> bytes:
        """A frame by itself, as `Ring.image` gives it."""
        return bytes(self._frame_chunk(self._chunk(frame)).image(frame))

    def packets(self, frame: int, /) -> list[RawPacket]:
        return _ring.image_packets(self._frame_chunk(self._chunk(frame)).image(frame))

    def runs(self, frame: int, /) -> list[Run]:
        """A frame's runs as read-only numpy views; they keep the chunk's memory."""
        return _ring.image_runs(self._frame_chunk(self._chunk(frame)).image(frame))

    # --- what is latched ------------------------------------------------------------------------

    def latched(
        self, frame: int, object: int, kind: int, key: int, /
    ) -> tuple[int, int, bytes] | None:
        index, full_key = self._chunk(frame), _key(object, kind, key)
        keys = self._index.keys
        if keys is not None and not keys.get(full_key, 0) >> index & 1:
            return self._latched_before(index, full_key)
        change = self._changes_of(index).newest(full_key, frame)
        if change is None:
            return self._latched_before(index, full_key)
        payload = self._payload(index, change)
        return None if payload is None else (change.frame, change.type, payload)

    def _latched_before(self, index: int, key: Key) -> LatchedValue | None:
        """What a key had right before a chunk's first frame.

        Where it did not change since the last gap, the keyframe after that gap shows it: of all
        chunks in a row it is decoded once.
        """
        first = next(first for first, end in self._segments if index < end)
        keys = self._index.keys
        if keys is not None and not (keys.get(key, 0) & ((1 << index) - 1)) >> first:
            if self._segment_start[0] != first:
                with suppress(DamagedError):
                    self._segment_start = first, self._frame_chunk(first).latched
            if self._segment_start[0] == first:
                return self._segment_start[1].get(key)
        return self._frame_chunk(index).latched.get(key)

    def latched_all(self, frame: int, /) -> list[LatchedRow]:
        index = self._chunk(frame)
        if self._all[0] != frame:
            latched: dict[Key, LatchedValue] = dict(self._frame_chunk(index).latched)
            for key, changes in self._changes_of(index).by_key.items():
                started = [change for change in changes if change.frame <= frame]
                if started:
                    payload = self._payload(index, started[-1])
                    latched.pop(key, None)
                    if payload is not None:
                        latched[key] = (started[-1].frame, started[-1].type, payload)
            self._all = (frame, [(*key, *value) for key, value in latched.items()])
        return list(self._all[1])

    def versions(
        self, frame: int, object: int, kind: int, key: int, limit: int, /
    ) -> list[Version]:
        """Up to `limit` versions that began at or before a frame, newest first.

        Of those that began in a gap at most the last one is known. A key that ended in a gap ended,
        as far as is known, in the gap's last frame.
        """
        versions = self._versions(self._chunk(frame), frame, _key(object, kind, key))
        return list(islice(versions, max(limit, 0)))

    def changed(self, object: int, kind: int, key: int) -> list[int]:
        """The frames in which a key has a version, or ended, oldest first; without its payloads."""
        full_key = _key(object, kind, key)
        frames = {
            change.frame
            for index in self._with(full_key, 0, len(self._rows))
            for change in self._changes_of(index).by_key.get(full_key, ())
        }
        return sorted(frames)

    def may_latch(self, kind: int, text: str, start: int, end: int) -> int | None:
        """The first frame of the first chunk whose versions of a kind may have a text in them.

        Change records are searched as bytes, since decoding them takes many times as long.
        """
        for index in self._chunks_of(kind, start, end):
            row = self._rows[index]
            try:
                data = self._change_bytes(row)
            except DamagedError:
                return max(row.first, start)  # its frames say so
            if may_mention(data, kind, text):
                return max(row.first, start)
        return None

    def latch_changes(self, kind: int, start: int, end: int) -> Iterator[LatchChange]:
        """The versions of a kind that began, or ended, in the frames from `start` to `end`.

        In the order of the frames. They are read from change records, so that few frames are
        unpacked; what is damaged is left out.
        """
        for index in self._chunks_of(kind, start, end):
            with suppress(DamagedError):
                changes = [
                    (change.frame, change.position, key, change)
                    for key, its_changes in self._changes_of(index).by_key.items()
                    if key[1] == kind
                    for change in its_changes
                    if start <= change.frame <= end
                ]
                for frame, _, key, change in sorted(changes, key=itemgetter(0, 1)):
                    yield LatchChange(frame, key[0], key[2], self._payload(index, change))

    def _chunks_of(self, kind: int, start: int, end: int) -> Iterator[int]:
        """The chunks with frames from `start` to `end` in which a kind may have versions."""
        keys, bits = self._index.keys, 0
        if keys is not None:
            for key, its_bits in keys.items():
                bits |= its_bits if key[1] == kind else 0
        for index, row in enumerate(self._rows):
            if row.last >= start and row.first <= end and (keys is None or bits >> index & 1):
                yield index

    def watched(
        self, object: int, number: int, start: int | None = None, end: int | None = None
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """The frames in which a value was watched, and its values; frames are not read for it.

        Args:
            number: Of the name's text.
            start: The first frame, by default the oldest.
            end: The last one.
        """
        frames: list[npt.NDArray[np.int64]] = [np.empty(0, np.int64)]
        values: list[npt.NDArray[np.float64]] = [np.empty(0, np.float64)]
        for index, row in enumerate(self._rows):
            if (start is None or row.last >= start) and (end is None or row.first <= end):
                its_frames, its_values = self._changes_of(index).watched(object, number)
                frames.append(its_frames)
                values.append(its_values)
        all_frames, all_values = np.concatenate(frames), np.concatenate(values)
        mask = np.ones(len(all_frames), np.bool_)
        if start is not None:
            mask &= all_frames >= start
        if end is not None:
            mask &= all_frames <= end
        return all_frames[mask], all_values[mask]

    def _versions(self, last_chunk: int, frame: int, key: Key) -> Iterator[Version]:
        ended = 0  # the last frame of the gap that the key did not outlive, as far as is known
        for number in range(len(self._segments) - 1, -1, -1):
            first, end = self._segments[number]
            if first > last_chunk:
                continue
            for piece in self._with(key, first, min(end, last_chunk + 1)):
                for change in reversed(self._changes_of(piece).by_key.get(key, ())):
                    if change.frame > frame:
                        continue
                    payload = self._payload(piece, change)
                    if ended and payload is not None:
                        yield ended, PacketType.TOMBSTONE, None
                    ended = 0
                    yield change.frame, change.type, payload
            before = self._rows[first - 1].last if first else 0
            at_start = self._frame_chunk(first).latched.get(key)
            if at_start is None:
                ended = self._rows[first].first - 1
            elif at_start[0] > before or not first:
                if ended:
                    yield ended, PacketType.TOMBSTONE, None
                ended = 0
                yield at_start

    def _with(self, key: Key, start: int, end: int) -> Iterator[int]:
        """The chunks in a range that have versions of a key, newest first; all if unknown."""
        keys = self._index.keys
        bits = (1 << end) - 1 if keys is None else keys.get(key, 0) & ((1 << end) - 1)
        while bits >> start:
            index = bits.bit_length() - 1
            yield index
            bits ^= 1 << index

    def _payload(self, index: int, change: Change) -> bytes | None:
        if not isinstance(change.payload, int):
            return change.payload
        latched = read_image(self._frame_chunk(index).image(change.frame)).latched
        payload = latched[change.position].payload if change.position < len(latched) else None
        if payload is None or len(payload) != change.payload:
            raise DamagedError(f"frame {change.frame} differs from its change record")
        return payload

    # --- chunks -------------------------------------------------------------------------------

    def _chunk(self, frame: int) -> int:
        """Which chunk a frame is in."""
        if type(frame) is not int and (isinstance(frame, bool) or not hasattr(frame, "__index__")):
            raise EvictedError(f"frame {frame!r} is no whole number")
        index = bisect_right(self._firsts, frame) - 1
        if index >= 0 and frame <= self._rows[index].last:
            return index
        for gap in self.gaps:
            if gap.first <= frame <= gap.last:
                raise EvictedError(
                    f"frame {frame} is not held: the clip has none from {gap.first} to"
                    f" {gap.last} ({gap.reason})"
                )
        raise EvictedError(f"frame {frame} is not held")

    def _frame_chunk(self, index: int) -> FrameChunk:
        return self._cached(self._chunks, index, self._read_frames, _CACHED_CHUNKS)

    def _changes_of(self, index: int) -> ChunkChanges:
        return self._cached(self._changes, index, self._read_changes, _CACHED_CHANGES)

    def _cached(
        self, cache: "OrderedDict[int, _T]", index: int, read: Callable[[ChunkRow], _T], most: int
    ) -> _T:
        found = cache.get(index)
        if found is not None:
            cache.move_to_end(index)
            return found
        row = self._rows[index]
        try:
            found = read(row)
        except DamagedError as error:
            raise DamagedError(
                f"{self.path}: frames {row.first} to {row.last} can't be read: {error}"
            ) from None
        cache[index] = found
        while len(cache) > 1 and (len(cache) > most or _size(cache.values()) > _CACHED_BYTES):
            cache.popitem(last=False)
        return found

    def _read_frames(self, row: ChunkRow) -> FrameChunk:
        chunk = FrameChunk(self._unpack(row.offset), row.first)
        if chunk.count != row.count:
            raise DamagedError(f"the chunk at byte {row.offset} has {chunk.count} frames")
        return chunk

    def _read_changes(self, row: ChunkRow) -> ChunkChanges:
        if row.changes_offset and row.changes_offset not in self._bad:
            try:
                return self._stored_changes(row)
            except DamagedError as error:  # all that is in it is in the frames too
                self._bad.add(row.changes_offset)
                self.damage.append(damage_at(self._file, row.changes_offset, error))
        return self._make_changes(row)

    def _stored_changes(self, row: ChunkRow) -> ChunkChanges:
        changes = ChunkChanges.decode(self._change_bytes(row))
        if (changes.first, changes.count) != (row.first, row.count):
            raise DamagedError(f"a change record is one of frames from {changes.first} on")
        return changes

    def _change_bytes(self, row: ChunkRow) -> memoryview:
        if not row.changes_offset or row.changes_offset in self._bad:
            raise DamagedError(f"the change record of the frames from {row.first} on is missing")
        if self._unpacked[0] != row.changes_offset:  # neighbours are in one chunk
            unpacked = self._unpack(row.changes_offset)
            self._unpacked = (row.changes_offset, unpacked, messages(unpacked))
        _, data, table = self._unpacked
        if row.changes_index >= len(table) or table[row.changes_index].channel != CHANGES:
            raise DamagedError(f"the change record of the frames from {row.first} on is missing")
        message = table[row.changes_index]
        return memoryview(data)[message.start : message.end]

    def _make_changes(self, row: ChunkRow) -> ChunkChanges:
        """Rebuild the change record from the frames, if it was cut off or is damaged."""
        chunk, maker = self._frame_chunk(bisect_right(self._firsts, row.first) - 1), ChangeMaker()
        for frame in range(row.first, row.last + 1):
            maker.add(read_image(chunk.image(frame)))
        return ChunkChanges(maker.finish())

    def _unpack(self, offset: int) -> ChunkBytes:
        try:
            return unpack(parse(Chunk, self._file.content(offset, Opcode.CHUNK)))
        except DamagedError as error:
            raise DamagedError(f"the chunk at byte {offset}: {error}") from None


def _size(cache: Any) -> int:
    return sum(len(one.data) for one in cache if isinstance(one, FrameChunk))


def _key(object: int, kind: int, key: int) -> Key:
    if not 0 <= object < 1 << 63:
        raise RecordingError(f"object {object}: ids go from 1 to 2**63-1, 0 is the world")
    if not 0 <= kind <= 0xFFFF:
        raise RecordingError(f"kind {kind} is out of range: it goes from 0 to 65535")
    return object, kind, key & 0xFFFF_FFFF_FFFF_FFFF
