"""Clips that would be far larger in memory than they are: bounded, or refused with the reason."""

import struct
import sys
import zlib

import lz4.frame
import msgspec
import pytest
from mcap.records import Chunk

from playhead.errors import DamagedError
from playhead.recorder.clips import mcap_records as records
from playhead.recorder.clips.chunk_change_index import ChunkChanges
from playhead.recorder.clips.clip_chunk_index import (
    decode_chunks,
    decode_keys,
    decode_marks,
    decode_objects,
)
from playhead.recorder.clips.clip_format import FRAMES, LATCHED, MOST_MESSAGES, ChunkRow
from playhead.recorder.clips.frame_chunk import FrameChunk
from playhead.recorder.clips.mcap_records import messages, unpack

from ...support.process import run_process


def packed(data: bytes) -> Chunk:
    return Chunk(
        compression="lz4", data=lz4.frame.compress(data), message_start_time=0,
        message_end_time=0, uncompressed_crc=zlib.crc32(data), uncompressed_size=len(data),
    )  # fmt: skip


@pytest.mark.parametrize("size", [0, 1, 1000, (8 << 20) - 1, 8 << 20, (8 << 20) + 1, 17_000_000])
def test_a_chunk_of_any_size_is_unpacked_to_what_it_was(size):
    data = bytes(i * i % 251 for i in range(1000)) * (size // 1000 + 1)
    assert unpack(packed(data[:size])) == data[:size]


@pytest.mark.parametrize("size", [1000, 17_000_000])
def test_a_chunk_that_unpacks_to_more_or_less_than_announced_is_refused(size):
    chunk = packed(bytes(size))
    for claimed in (size - 500, size - 1, size + 1, size + 500):
        chunk.uncompressed_size = claimed
        with pytest.raises(
            DamagedError, match=f"{claimed}( are announced| bytes announced|: at most)"
        ):
            unpack(chunk)


LARGE = """
import resource, sys, zlib
import lz4.frame
from mcap.records import Chunk
from playhead.recorder.clips.mcap_records import unpack
size, piece = 200 << 20, bytes(1 << 20)
packer = lz4.frame.LZ4FrameCompressor()
data, crc = packer.begin(), 0
for _ in range(200):
    data += packer.compress(piece)
    crc = zlib.crc32(piece, crc)
data += packer.flush()
chunk = Chunk(compression="lz4", data=data, message_start_time=0, message_end_time=0,
              uncompressed_crc=crc, uncompressed_size=size)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
assert len(unpack(chunk)) == size
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before >> 10)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in kilobytes on Linux only")
def test_unpacking_a_large_chunk_takes_its_bytes_once_and_not_twice():
    done = run_process(sys.executable, "-c", LARGE, check=True)
    assert int(done.stdout) < 200 + 60


def message(channel: int, data: bytes) -> bytes:
    return struct.pack("<BQHIQQ", 5, 22 + len(data), channel, 0, 0, 0) + data


def test_a_chunk_of_more_messages_than_any_has_is_refused(monkeypatch):
    assert MOST_MESSAGES > 1_000_000
    monkeypatch.setattr(records, "MOST_MESSAGES", 1000)
    with pytest.raises(DamagedError, match="more than 1000 messages"):
        messages(message(FRAMES, b"") * 1001)


ROWS = b"\xdd" + struct.pack(">I", 30_000_000)
"""How an array of thirty million rows begins in MessagePack."""


def test_a_keyframe_that_claims_absurdly_many_rows_is_refused_before_it_is_decoded():
    frame = struct.pack("<Q", 0)
    chunk = FrameChunk(message(LATCHED, ROWS + bytes(1000)) + message(FRAMES, frame))
    with pytest.raises(DamagedError, match="30000000 rows: 2097152 at most"):
        _ = chunk.latched


def test_tables_that_claim_absurdly_many_rows_are_refused_before_they_are_decoded():
    for decode in (
        lambda: decode_objects(ROWS), lambda: decode_marks(ROWS), lambda: decode_keys(ROWS, 5),
        lambda: decode_chunks(ROWS, 10_000),
    ):  # fmt: skip
        with pytest.raises(DamagedError, match="30000000 rows"):
            decode()


def test_a_change_record_that_claims_absurdly_many_changes_is_refused():
    ends = b"\x90"
    for changes, watched in ((ROWS, ends), (ends, ROWS)):
        packed_record = b"\x85" + b"".join(
            msgspec.msgpack.encode(name) + value
            for name, value in (
                ("first", b"\x01"), ("count", b"\x00"), ("stamps", b"\xc4\x00"),
                ("changes", changes), ("watched", watched),
            )
        )  # fmt: skip
        with pytest.raises(DamagedError):
            ChunkChanges.decode(packed_record)


def test_a_key_table_that_would_unpack_to_gigabytes_of_bits_is_refused():
    chunks = 1 << 20
    rows = [(1, 2, key, chunks - 1, b"\x01") for key in range(10_000)]
    with pytest.raises(DamagedError, match="more than 256 MiB"):
        decode_keys(msgspec.msgpack.encode(rows), chunks)


def test_a_chunk_table_with_more_chunks_than_the_file_has_room_for_is_refused():
    rows = [ChunkRow(first, 1, 0.0, 0.0, first) for first in range(1, 50)]
    with pytest.raises(DamagedError, match="chunks"):
        decode_chunks(msgspec.msgpack.encode(rows), 100_000)
