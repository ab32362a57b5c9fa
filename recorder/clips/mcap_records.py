"""Reads the records of an MCAP file, and trusts none of them.

The mcap library knows how each record is laid out. It is given exactly the bytes of the record,
after a check that the file has them, and whatever the library raises becomes a DamagedError.
"""

import os
import stat
import struct
import weakref
import zlib
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import lz4.frame  # type: ignore[import-untyped]
from mcap.data_stream import ReadDataStream
from mcap.exceptions import McapError
from mcap.opcode import Opcode
from mcap.records import Attachment, Chunk, Footer, Header, Metadata
from mcap.writer import MCAP0_MAGIC

from ...errors import DamagedError
from .clip_format import (
    CHECK,
    MOST_CHUNK,
    MOST_MESSAGES,
    MOST_RATIO,
    PROFILE,
    ClipDamage,
    metadata_check,
)

MAGIC = bytes(MCAP0_MAGIC)
HEAD = struct.Struct("<BQ")
"""Opcode and length of what follows."""
FOOTER_BYTES = HEAD.size + 20
MESSAGE = struct.Struct("<HIQQ")
"""Channel, sequence, log time, publish time; the data follow."""
MOST_SUMMARY = 256 << 20
KNOWN = frozenset(int(opcode) for opcode in Opcode)
_LZ4_MARK = b"\x03\x00\x00\x00lz4"
"""In each packed chunk this is so many bytes after the start of the record: """
_MARK_AT = HEAD.size + 28
_BLOCK = 1 << 20
_PIECE = 8 << 20
"""Bytes that are unpacked at once. An ordinary chunk has one to two MiB."""


ChunkBytes = bytes | bytearray
"""What a chunk unpacks to."""

_Record = TypeVar("_Record")


class McapMessage(NamedTuple):
    """A message in an unpacked chunk."""

    channel: int
    sequence: int
    time: int
    record_start: int
    """Where its record begins in the chunk."""
    start: int
    """Where its data begin, and end."""
    end: int


class ClipFile:
    """A file's bytes by offset. Closed when it is no longer used.

    Raises:
        DamagedError: it can't be read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            if not stat.S_ISREG(os.stat(path).st_mode):  # opening a pipe might wait for ever
                raise DamagedError(f"{path}: this is no file")
            self._fd = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        except OSError as error:
            raise DamagedError(f"{path}: can't be read: {error.strerror}") from error
        self.close = weakref.finalize(self, os.close, self._fd)
        self.size = os.fstat(self._fd).st_size

    def read(self, at: int, length: int) -> bytes:
        """Exactly so many bytes.

        Raises:
            DamagedError: the file does not have them.
        """
        if at < 0 or length < 0 or at + length > self.size:
            raise DamagedError(f"the file ends at byte {self.size}, before byte {at + length}")
        parts = []
        try:
            while length and (part := self._read(at, length)):
                parts.append(part)
                at, length = at + len(part), length - len(part)
        except OSError as error:
            raise DamagedError(f"byte {at} can't be read: {error.strerror}") from error
        if length:
            raise DamagedError(f"the file shrank while it was read: byte {at} is gone")
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _read(self, at: int, length: int) -> bytes:
        if hasattr(os, "pread"):
            return os.pread(self._fd, length, at)
        os.lseek(self._fd, at, os.SEEK_SET)
        return os.read(self._fd, length)

    def head(self, at: int) -> tuple[int, int]:
        """Opcode and length of the record at an offset.

        Raises:
            DamagedError: the file ends before the record does.
        """
        opcode, length = HEAD.unpack(self.read(at, HEAD.size))
        if length > self.size - at - HEAD.size:
            raise DamagedError(f"{name_of(opcode)} of {length} bytes at byte {at} is cut off")
        return opcode, length

    def content(self, at: int, opcode: Opcode) -> bytes:
        """The content of the record at an offset, which must have this opcode."""
        found, length = self.head(at)
        if found != opcode:
            raise DamagedError(f"{name_of(found)} at byte {at} where {name_of(opcode)} should be")
        return self.read(at + HEAD.size, length)

    def is_record(self, at: int) -> bool:
        """Whether something that looks like a record of a known kind begins there."""
        try:
            return self.head(at)[0] in KNOWN
        except DamagedError:
            return False

    def next_chunk(self, at: int) -> int | None:
        """The offset of the next packed chunk after an offset, found by its pattern."""
        at += _MARK_AT + 1
        while at < self.size:
            block = self.read(at, min(_BLOCK + len(_LZ4_MARK), self.size - at))
            found = block.find(_LZ4_MARK)
            while found >= 0:
                start = at + found - _MARK_AT
                if self.is_record(start) and self.head(start)[0] == Opcode.CHUNK:
                    return start
                found = block.find(_LZ4_MARK, found + 1)
            at += _BLOCK
        return None


def name_of(opcode: int) -> str:
    """What a record is called in messages."""
    if opcode not in KNOWN:
        return f"a record of the unknown kind {opcode}"
    return f"a record {Opcode(opcode).name.lower().replace('_', ' ')}"


def parse(kind: type[_Record], content: bytes) -> _Record:
    """A record of the library's class `kind` from its content.

    Raises:
        DamagedError: it is broken.
    """
    stream = ReadDataStream(BytesIO(content))
    try:
        record = kind.read(stream)  # type: ignore[attr-defined]
    except (struct.error, UnicodeDecodeError, McapError, OverflowError, MemoryError) as error:
        raise DamagedError(f"a record {kind.__name__} is broken: {error}") from None
    if stream.count != len(content):
        raise DamagedError(
            f"a record {kind.__name__} of {len(content)} bytes claims to have {stream.count}"
        )
    assert isinstance(record, kind)
    return record


def read_header(file: ClipFile) -> int:
    """Check how a file begins; returns where its second record is.

    Raises:
        DamagedError: it is no clip.
    """
    if file.size < len(MAGIC) or file.read(0, len(MAGIC)) != MAGIC:
        raise DamagedError("this is no clip: it does not begin like an MCAP file")
    header = parse(Header, file.content(len(MAGIC), Opcode.HEADER))
    if header.profile != PROFILE:
        raise DamagedError(
            f"this is no clip: an MCAP file with the profile {header.profile[:40]!r},"
            f" not {PROFILE!r}"
        )
    return len(MAGIC) + HEAD.size + file.head(len(MAGIC))[1]


def read_metadata(content: bytes) -> tuple[str, dict[str, str]]:
    """Name and pairs of a metadata record, the check left out.

    Raises:
        DamagedError: it is broken, or does not match its check.
    """
    record = parse(Metadata, content)
    pairs = dict(record.metadata)
    if metadata_check(record.name, pairs) != pairs.pop(CHECK, ""):
        raise DamagedError(f"the metadata {record.name[:40]!r} do not match their check")
    return record.name, pairs


def read_attachment(content: bytes) -> Attachment:
    """An attachment, its CRC checked.

    Raises:
        DamagedError: it is broken.
    """
    if len(content) < 4 or zlib.crc32(content[:-4]) != int.from_bytes(content[-4:], "little"):
        raise DamagedError("an attachment does not match its CRC")
    return parse(Attachment, content)


def read_footer(file: ClipFile) -> Footer:
    """The footer of a file that is not cut off.

    Raises:
        DamagedError: there is none.
    """
    at = file.size - FOOTER_BYTES - len(MAGIC)
    if at < len(MAGIC) or file.read(file.size - len(MAGIC), len(MAGIC)) != MAGIC:
        raise DamagedError("the file does not end like an MCAP file: it is cut off, or still"
                           " being written")  # fmt: skip
    return parse(Footer, file.content(at, Opcode.FOOTER))


def read_summary(file: ClipFile, footer: Footer) -> list[tuple[int, bytes]]:
    """Opcodes and contents of the summary's records.

    Raises:
        DamagedError: there is no summary, or it does not match its CRC.
    """
    start, end = footer.summary_start, file.size - FOOTER_BYTES - len(MAGIC)
    if not len(MAGIC) <= start <= end or end - start > MOST_SUMMARY:
        raise DamagedError(f"by the footer a summary begins at byte {start}")
    data = file.read(start, end - start)
    sealed = zlib.crc32(data + file.read(end, FOOTER_BYTES - 4))
    if sealed != footer.summary_crc:
        raise DamagedError("the summary does not match its CRC")
    return list(records_in(data))


def records_in(data: ChunkBytes) -> Iterator[tuple[int, bytes]]:
    """Opcodes and contents of records that follow one another.

    Raises:
        DamagedError: the last one is cut off.
    """
    at = 0
    while at < len(data):
        opcode, length = record_at(data, at)
        at += HEAD.size + length
        yield opcode, bytes(data[at - length : at])


def record_at(data: ChunkBytes, at: int) -> tuple[int, int]:
    """Opcode and length of a record that begins somewhere in some bytes."""
    if at + HEAD.size > len(data):
        raise DamagedError(f"{len(data)} bytes end within a record, which begins at {at}")
    opcode, length = HEAD.unpack_from(data, at)
    if length > len(data) - at - HEAD.size:
        raise DamagedError(f"a record of {length} bytes at byte {at} of {len(data)}")
    return opcode, length


def unpack(chunk: Chunk) -> ChunkBytes:
    """The records in a chunk, its CRC checked.

    Raises:
        DamagedError: it is broken, or claims to unpack to more than a chunk may.
    """
    size = chunk.uncompressed_size
    if size > MOST_CHUNK or size > MOST_RATIO * len(chunk.data):
        raise DamagedError(
            f"a chunk of {len(chunk.data)} bytes claims to unpack to {size}: at most"
            f" {MOST_CHUNK} bytes and {MOST_RATIO} to 1 can be"
        )
    data: ChunkBytes
    if chunk.compression == "":
        data = chunk.data
    elif chunk.compression == "lz4":
        data = _unpack_lz4(chunk.data, size)
    else:
        raise DamagedError(f"a chunk is packed with {chunk.compression[:40]!r}, not with lz4")
    if len(data) != size:
        raise DamagedError(f"a chunk unpacks to {len(data)} bytes where {size} are announced")
    if zlib.crc32(data) != chunk.uncompressed_crc:
        raise DamagedError("a chunk does not match its CRC")
    return data


def _unpack_lz4(data: bytes, size: int) -> ChunkBytes:
    unpacker = lz4.frame.LZ4FrameDecompressor()
    try:
        # One more than announced, so that a frame with more in it is noticed and no more taken.
        unpacked: ChunkBytes
        if size <= _PIECE:
            unpacked = unpacker.decompress(data, max_length=size + 1)
        else:  # the library has what it gives back twice, for a moment: so it gives a little
            unpacked = _unpack_pieces(unpacker, data, size + 1)
    except (RuntimeError, ValueError, EOFError, MemoryError) as error:
        raise DamagedError(f"a chunk can't be unpacked: {error}") from None
    if not unpacker.eof:
        raise DamagedError(
            f"a chunk unpacks to {'more' if len(unpacked) > size else 'less'} than the {size}"
            " bytes announced"
        )
    if unpacker.unused_data:
        raise DamagedError(f"{len(unpacker.unused_data)} bytes too many in a chunk")
    return unpacked


def _unpack_pieces(unpacker: Any, data: bytes, most: int) -> bytearray:
    unpacked, at, given = bytearray(most), 0, data
    while at < most and not unpacker.eof:
        piece = unpacker.decompress(given, max_length=min(_PIECE, most - at))
        if not piece and not given:
            break  # it claims more than there is
        unpacked[at : at + len(piece)] = piece
        at, given = at + len(piece), b""
    del unpacked[at:]
    return unpacked


def messages(data: ChunkBytes) -> list[McapMessage]:
    """The messages of an unpacked chunk, in order.

    Raises:
        DamagedError: its records are broken.
    """
    found: list[McapMessage] = []
    at, size = 0, len(data)
    while at < size:
        opcode, length = record_at(data, at)
        start = at + HEAD.size
        if opcode == Opcode.MESSAGE and length < MESSAGE.size:
            raise DamagedError(f"a message of {length} bytes at byte {at} of a chunk's content")
        if opcode == Opcode.MESSAGE:
            if len(found) >= MOST_MESSAGES:
                raise DamagedError(f"more than {MOST_MESSAGES} messages in a chunk")
            channel, sequence, time, _ = MESSAGE.unpack_from(data, start)
            found.append(
                McapMessage(channel, sequence, time, at, start + MESSAGE.size, start + length)
            )
        at = start + length
    return found


def damage_at(file: ClipFile, at: int, what: object) -> ClipDamage:
    """The damage of a record, with the length that it claims."""
    try:
        length = HEAD.size + file.head(at)[1]
    except DamagedError:
        length = max(file.size - at, 0)
    return ClipDamage(at, length, str(what))
