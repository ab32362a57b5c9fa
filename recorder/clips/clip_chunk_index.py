"""A clip's tables: which chunk has which frames, where each latched key changed, which objects.

The writer fills them while it writes. A reader of a file without them fills them in the same way
while it reads through the file.
"""

from bisect import bisect_right
from collections.abc import Iterable
from math import isfinite
from operator import attrgetter
from typing import TypeVar

import msgspec

from ...errors import DamagedError
from ..packets.layouts.plain_value_codec import decode
from ..packets.mark import Mark
from ..packets.packet_types import Kind
from .chunk_change_index import ChangeRecord
from .clip_format import (
    MOST_CHUNK,
    MOST_KEY_BITS,
    MOST_KEYS,
    MOST_MARKS,
    MOST_OBJECTS,
    ChunkRow,
    Key,
    LatchedRow,
    ObjectTableRow,
    check_rows,
)
from .frame_serialization import FRAME, ReadImage
from .mcap_records import HEAD, MESSAGE

_T = TypeVar("_T")
_MOST_FRAMES = MOST_CHUNK // (FRAME.size + HEAD.size + MESSAGE.size)
_CHUNK_RECORD = HEAD.size + 43
"""Bytes that the record of a chunk has at least."""
KeyRow = tuple[int, int, int, int, bytes]
"""(object, kind, key, chunk, bits): bit i of the bits, the lowest of the first byte first, says
whether the key has a version in the chunk i after `chunk`; chunks are counted from 0."""


class ClipTables:
    """The tables of a clip, filled frame by frame in order."""

    def __init__(self) -> None:
        self.chunks: list[ChunkRow] = []
        self._keys: dict[Key, int] | None = {}
        self._objects: dict[int, list[int]] = {}
        self._types: dict[int, str] = {}
        self._names: dict[int, str] = {}
        self._agents: set[int] = set()
        self._present: dict[int, bytes] = {}
        self._last = 0

    def begin(self, rows: Iterable[LatchedRow]) -> None:
        """Set what was latched before the next frame: at the start, and after a gap."""
        self._absent(self._present)
        self._present = {}
        for object, kind, key, _, _, payload in rows:
            self._add_latched(object, kind, key, payload)

    def add(self, image: ReadImage) -> None:
        """Take the next frame."""
        frame = image.stamp[0]
        if image.objects != self._present:
            self._absent(self._present)
            for type, ids in image.objects.items():
                if self._present.get(type) != ids:
                    self._add_objects(type, ids, frame)
            self._present = image.objects
        for (object, kind, key), _, payload in image.latched:
            if payload is not None:
                self._add_latched(object, kind, key, payload)
        for agent in image.agents:
            self._add_agent(agent)
        self._last = frame

    def end_chunk(self, row: ChunkRow, record: ChangeRecord) -> None:
        """Take a chunk whose frames were taken."""
        bit = 1 << len(self.chunks)
        self.chunks.append(row)
        if self._keys is None:
            return
        for _, object, kind, key, _, _ in record.changes:
            name = (object, kind, key)
            self._keys[name] = self._keys.get(name, 0) | bit
        if len(self._keys) > MOST_KEYS:
            self._keys = None

    def set_changes_position(self, chunk: int, offset: int, index: int) -> None:
        """Set the offset of a chunk's change record in the file."""
        self.chunks[chunk] = msgspec.structs.replace(
            self.chunks[chunk], changes_offset=offset, changes_index=index
        )

    def has(self, frame: int) -> bool:
        """Whether a frame is in one of the chunks."""
        index = bisect_right(self.chunks, frame, key=attrgetter("first")) - 1
        return index >= 0 and frame <= self.chunks[index].last

    @property
    def keys(self) -> dict[Key, int] | None:
        """For each latched key the chunks with versions of it, as bits; None if it has too many."""
        return self._keys

    @property
    def objects(self) -> list[ObjectTableRow]:
        """The objects with packets, and the agents, in order of their ids."""
        self._absent(self._present)
        return [
            ObjectTableRow(
                id, self._types.get(row[0], "") if row[1] else "", row[1], row[2],
                self._names.get(id, ""), id in self._agents,
            )
            for id, row in sorted(self._objects.items())
        ]  # fmt: skip

    def _add_objects(self, type: int, ids: bytes, frame: int) -> None:
        for id in memoryview(ids).cast("Q"):
            row = self._objects.get(id)
            if row is None:
                if len(self._objects) < MOST_OBJECTS:
                    self._objects[id] = [type, frame, frame]
            elif not row[1]:
                row[:] = type, frame, frame

    def _absent(self, present: dict[int, bytes]) -> None:
        for ids in present.values():
            for id in memoryview(ids).cast("Q"):
                if id in self._objects:
                    self._objects[id][2] = self._last

    def _add_agent(self, agent: int) -> None:
        if agent in self._agents or not agent:
            return
        if agent not in self._objects:
            if len(self._objects) >= MOST_OBJECTS:
                return
            self._objects[agent] = [0, 0, 0]
        self._agents.add(agent)

    def _add_latched(self, object: int, kind: int, key: int, payload: bytes) -> None:
        if kind in (Kind.STATE, Kind.TREE):
            self._add_agent(object)
        try:
            if kind == Kind.TYPE and object == 0:
                self._types[key] = str(decode(payload, dict).get("name", ""))
            elif kind == Kind.NAME and (object in self._names or len(self._names) < MOST_OBJECTS):
                self._names[object] = decode(payload, str)
        except DamagedError:  # reported when it is read; a table does without
            pass


def encode_keys(keys: dict[Key, int]) -> bytes:
    """The bytes of the key table: which chunks have versions of each latched key."""
    rows: list[KeyRow] = []
    for (object, kind, key), bits in sorted(keys.items()):
        first = (bits & -bits).bit_length() - 1
        bits >>= first
        packed = bits.to_bytes((bits.bit_length() + 7) // 8, "little")
        rows.append((object, kind, key, first, packed))
    return msgspec.msgpack.encode(rows)


def decode_keys(data: bytes, chunks: int) -> dict[Key, int]:
    """The key table of a clip with so many chunks.

    Raises:
        DamagedError: it is broken.
    """
    keys: dict[Key, int] = {}
    bits = 0
    for object, kind, key, first, packed in _decode(data, list[KeyRow], "keys", MOST_KEYS):
        bits += max(first, 0) + 8 * len(packed)
        if bits > MOST_KEY_BITS:
            raise DamagedError(f"the table of keys takes more than {MOST_KEY_BITS >> 23} MiB")
        if not 0 <= first < chunks or len(packed) > chunks // 8 + 1:
            raise DamagedError(f"the table of keys names more than the {chunks} chunks")
        keys[object, kind, key] = int.from_bytes(packed, "little") << first
    return keys


def decode_chunks(data: bytes, size: int) -> list[ChunkRow]:
    """The chunk table of a clip whose file has so many bytes.

    Raises:
        DamagedError: it is broken.
    """
    rows = _decode(data, list[ChunkRow], "chunks", size // _CHUNK_RECORD)
    frame, offset, time = 0, -_CHUNK_RECORD + 1, float("-inf")
    for row in rows:
        if not (
            frame < row.first
            and 1 <= row.count <= _MOST_FRAMES
            and row.last < 1 << 63
            and time <= row.start <= row.end
            and isfinite(row.start)
            and isfinite(row.end)
            and offset + _CHUNK_RECORD <= row.offset < size
            and 0 <= row.changes_offset < size
            and row.changes_index >= 0
        ):
            raise DamagedError(f"the table of chunks is broken at frame {row.first}")
        frame, offset, time = row.last, row.offset, row.end
    return rows


def decode_objects(data: bytes) -> list[ObjectTableRow]:
    """The object table.

    Raises:
        DamagedError: it is broken.
    """
    return _decode(data, list[ObjectTableRow], "objects", MOST_OBJECTS)


def decode_marks(data: bytes) -> list[Mark]:
    """The marks that were put into a clip later.

    Raises:
        DamagedError: they are broken.
    """
    return _decode(data, list[Mark], "marks", MOST_MARKS)


def _decode(data: bytes, type: type[_T], what: str, most: int) -> _T:
    check_rows(data, most, f"the table of {what}")
    try:
        return msgspec.msgpack.decode(data, type=type)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise DamagedError(f"the table of {what} is broken: {error}") from None
