"""Verifies every byte of a clip: checksums, order, and that its indexes match its frames."""

import os
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from mcap.opcode import Opcode
from mcap.records import (
    Chunk,
    DataEnd,
    MessageIndex,
    Metadata,
)

from ...errors import DamagedError, message_with_path
from .chunk_change_index import ChangeMaker, ChangeRecord, ChunkChanges
from .clip_chunk_index import ClipTables, decode_chunks, decode_keys, decode_marks, decode_objects
from .clip_file_index import read_version
from .clip_format import (
    CHANGES,
    CHUNK_TABLE,
    KEY_TABLE,
    MARK_TABLE,
    OBJECT_TABLE,
    OWN,
    ChunkRow,
    ClipDamage,
    Key,
)
from .clip_writer import nanoseconds
from .expected_summary import McapSummary
from .frame_chunk import FrameChunk, LatchedValue
from .frame_serialization import read_image
from .mcap_records import (
    HEAD,
    ChunkBytes,
    ClipFile,
    damage_at,
    messages,
    name_of,
    parse,
    read_attachment,
    read_footer,
    read_header,
    read_metadata,
    read_summary,
    records_in,
    unpack,
)


class VerifyReport(NamedTuple):
    """What `verify` found."""

    path: Path
    bytes: int
    """The size of the file; all of its bytes were read."""
    frames: int
    """How many are intact and in order."""
    chunks: int
    attachments: int
    """Not counting the clip's own."""
    problems: tuple[ClipDamage, ...]
    """What is not as it must be, by its offset in the file."""
    warnings: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


def verify(
    path: str | os.PathLike[str], progress: Callable[[int, int], object] | None = None
) -> VerifyReport:
    """Read a whole clip and check it: checksums, order, and that its indexes match its frames.

    Args:
        progress: Called with how many bytes are done, and how many there are.

    Raises:
        DamagedError: the file can't be read, it is no clip, or one of another major version.
    """
    file = ClipFile(Path(path))
    try:
        return _Verifier(file, progress).report()
    except DamagedError as error:
        raise DamagedError(message_with_path(error, path)) from None
    finally:
        file.close()


class _Verifier:
    """Reads a file from its first byte to its last."""

    def __init__(self, file: ClipFile, progress: Callable[[int, int], object] | None) -> None:
        self.file, self._progress = file, progress
        self.problems: list[ClipDamage] = []
        self.frames = 0
        self._unknown: Counter[int] = Counter()
        self._clip_tables, self._latched = ClipTables(), dict[Key, LatchedValue]()
        self._records: dict[int, ChangeRecord] = {}
        """Change records that should still come, by their first frame."""
        self._crc = 0
        self._expected = McapSummary()
        self._own: dict[str, tuple[int, bytes]] = {}
        self._indexed: tuple[int, dict[int, MessageIndex]] | None = None

    def report(self) -> VerifyReport:
        start = read_header(self.file)
        warnings = read_version(self.file, start)
        self._crc = zlib.crc32(self.file.read(0, start))
        at = start
        while at < self.file.size:
            try:
                opcode, length = self.file.head(at)
            except DamagedError as error:
                self._problem(at, error)
                break
            content = self.file.read(at + HEAD.size, length)
            if opcode == Opcode.DATA_END:
                self._check(at, lambda: self._data_end(content))  # noqa: B023
                self._end(at + HEAD.size + length)
                break
            self._check(at, lambda: self._data(at, opcode, content))  # noqa: B023
            self._crc = zlib.crc32(content, zlib.crc32(HEAD.pack(opcode, length), self._crc))
            at += HEAD.size + length
            if self._progress is not None:
                self._progress(at, self.file.size)
        else:
            self._problem(self.file.size, "the file ends among its data")
        if self._unknown:
            types = ", ".join(map(str, sorted(self._unknown)))
            warnings.append(
                f"{self._unknown.total()} packets are of types that this playhead does not know"
                f" ({types}): a newer one shows them"
            )
        attachments = self._expected.statistics.attachment_count - len(self._own)
        return VerifyReport(
            self.file.path, self.file.size, self.frames, len(self._clip_tables.chunks), attachments,
            tuple(sorted(self.problems)), tuple(warnings),
        )  # fmt: skip

    def _problem(self, at: int, what: object) -> None:
        self.problems.append(damage_at(self.file, at, what))

    def _check(self, at: int, check: Callable[[], object]) -> None:
        try:
            check()
        except DamagedError as error:
            self._problem(at, error)

    # --- data -----------------------------------------------------------------------------------

    def _data(self, at: int, opcode: int, content: bytes) -> None:
        expected = self._expected
        if opcode != Opcode.MESSAGE_INDEX:
            self._end_indexes()
        if opcode == Opcode.CHUNK:
            self._chunk(at, content)
        elif opcode == Opcode.MESSAGE_INDEX:
            self._message_index(at, content)
        elif opcode == Opcode.ATTACHMENT:
            read = read_attachment(content)
            expected.attachment(at, len(content), read)
            if read.name.startswith(OWN):
                self._own[read.name] = (at, read.data)
        elif opcode == Opcode.METADATA:
            expected.metadata(at, len(content), parse(Metadata, content))
            read_metadata(content)
        else:
            raise DamagedError(f"{name_of(opcode)} among the data")

    def _chunk(self, at: int, content: bytes) -> None:
        chunk = parse(Chunk, content)
        data = unpack(chunk)
        table = messages(data)
        for opcode, inner in records_in(data):
            self._expected.declared(opcode, inner)
        times = [message.time for message in table]
        ends = min(times, default=0), max(times, default=0)
        if (chunk.message_start_time, chunk.message_end_time) != ends:
            raise DamagedError("a chunk's times are not those of its messages")
        indexes: dict[int, MessageIndex] = {}
        for message in table:
            index = indexes.setdefault(message.channel, MessageIndex(message.channel, []))
            index.records.append((message.time, message.record_start))
        self._indexed = (at, indexes)
        self._expected.chunk(at, len(content), chunk, indexes)
        if any(message.channel == CHANGES for message in table):
            self._changes(at, data)
        else:
            self._frames(at, FrameChunk(data))

    def _message_index(self, at: int, content: bytes) -> None:
        read = parse(MessageIndex, content)
        expected = self._indexed[1].pop(read.channel_id, None) if self._indexed else None
        self._expected.message_index(at, len(content), read.channel_id)
        if read != expected:
            raise DamagedError(f"the index of channel {read.channel_id} is not its chunk's")

    def _end_indexes(self) -> None:
        if self._indexed is not None and self._indexed[1]:
            missing = sorted(self._indexed[1])
            self._problem(self._indexed[0], f"the chunk lacks an index of channels {missing}")
        self._indexed = None

    def _frames(self, at: int, chunk: FrameChunk) -> None:
        maker, tables = ChangeMaker(), self._clip_tables
        last = tables.chunks[-1] if tables.chunks else None
        if last is None or chunk.first > last.last + 1:
            self._latched = dict(chunk.latched)
            tables.begin((*key, *latched) for key, latched in chunk.latched.items())
        elif chunk.first <= last.last:
            raise DamagedError(f"frame {chunk.first} comes again")
        elif chunk.latched != self._latched:
            self._latched = dict(chunk.latched)
            self._problem(at, f"the keyframe before frame {chunk.first} differs from the frames")
        time = float("-inf") if last is None else last.end
        start = 0.0
        for frame, message in enumerate(chunk.frames, chunk.first):
            image = read_image(chunk.image(frame))
            if image.stamp[1] < time or message.time != nanoseconds(image.stamp[1]):
                raise DamagedError(f"frame {frame} does not have the time that it should have")
            start = image.stamp[1] if frame == chunk.first else start
            time = image.stamp[1]
            tables.add(image)
            maker.add(image)
            for key, type, payload in image.latched:
                self._latched.pop(key, None)
                if payload is not None:
                    self._latched[key] = (frame, type, payload)
            self._unknown += image.unknown
            self.frames += 1
        record = maker.finish()
        tables.end_chunk(ChunkRow(chunk.first, chunk.count, start, time, at), record)
        self._records[chunk.first] = record

    def _changes(self, at: int, data: ChunkBytes) -> None:
        numbers = {row.first: number for number, row in enumerate(self._clip_tables.chunks)}
        for index, message in enumerate(messages(data)):
            if message.channel != CHANGES:
                raise DamagedError("a chunk of change records has other messages too")
            changes = ChunkChanges.decode(memoryview(data)[message.start : message.end])
            if changes.record != self._records.pop(changes.first, None):
                raise DamagedError(
                    f"the change record of frames from {changes.first} on differs from them"
                )
            self._clip_tables.set_changes_position(numbers[changes.first], at, index)

    def _data_end(self, content: bytes) -> None:
        self._end_indexes()
        if parse(DataEnd, content).data_section_crc != self._crc:
            raise DamagedError("the data do not match their CRC")

    # --- after the data ------------------------------------------------------------------------

    def _end(self, at: int) -> None:
        for first in sorted(self._records):
            self._problem(at, f"there is no change record of the frames from {first} on")
        self._tables(at)
        self._check(at, lambda: self._summary(at))

    def _tables(self, end: int) -> None:
        tables, size = self._clip_tables, self.file.size
        keys = tables.keys
        expected: dict[str, tuple[Callable[[bytes], object], object]] = {
            CHUNK_TABLE: (lambda data: decode_chunks(data, size), tables.chunks),
            OBJECT_TABLE: (decode_objects, tables.objects),
        }
        if keys is not None:
            expected[KEY_TABLE] = (lambda data: decode_keys(data, len(tables.chunks)), keys)
        if MARK_TABLE in self._own:
            self._check(self._own[MARK_TABLE][0], self._marks)
        for name, (decode, right) in expected.items():
            at, data = self._own.get(name, (end, None))
            try:
                if data is None:
                    raise DamagedError(f"the attachment {name} is missing")
                if decode(data) != right:
                    raise DamagedError(f"the attachment {name} differs from the frames")
            except DamagedError as error:
                self._problem(at, error)

    def _marks(self) -> None:
        for mark in decode_marks(self._own[MARK_TABLE][1]):
            if not self._clip_tables.has(mark.frame):
                raise DamagedError(f"the mark {mark.name[:40]!r} is of frame {mark.frame},"
                                   " which is not in the clip")  # fmt: skip

    def _summary(self, at: int) -> None:
        footer = read_footer(self.file)
        if footer.summary_start != at:
            raise DamagedError(f"the summary begins at byte {at}, not at {footer.summary_start}")
        records = read_summary(self.file, footer)
        self._expected.compare(records, at, footer.summary_offset_start)
