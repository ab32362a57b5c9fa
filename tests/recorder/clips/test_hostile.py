"""Files that were made to do harm: right checksums, wrong content."""

import os
import struct
import sys
import time
import tracemalloc
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any

import lz4.frame
import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcap.data_stream import RecordBuilder
from mcap.opcode import Opcode
from mcap.records import (
    Attachment,
    AttachmentIndex,
    Chunk,
    DataEnd,
    Footer,
    Header,
    Message,
    Metadata,
    MetadataIndex,
)

from playhead.errors import DamagedError, PlayheadError
from playhead.recorder.clips import clip_format as clip_format
from playhead.recorder.clips.clip_file_reader import ClipFrames
from playhead.recorder.clips.clip_format import CHUNK_TABLE, KEY_TABLE, OBJECT_TABLE, metadata_check
from playhead.recorder.clips.clip_source import ClipSource
from playhead.recorder.clips.mcap_records import MAGIC, ClipFile, messages, unpack
from playhead.recorder.clips.verify_clip import verify

ENCODE = msgspec.msgpack.encode


def written(record: Any) -> bytes:
    builder = RecordBuilder()
    record.write(builder)
    return builder.end()


def packed(content: bytes, **other: Any) -> Chunk:
    result: dict[str, Any] = {
        "compression": "lz4", "data": lz4.frame.compress(content), "message_start_time": 0,
        "message_end_time": 0, "uncompressed_size": len(content),
        "uncompressed_crc": zlib.crc32(content),
    }  # fmt: skip
    return Chunk(**(result | other))


def described(format: str = "1.0", **pairs: str) -> Metadata:
    result = {"format": format, "playhead": "9.9", **pairs}
    return Metadata("playhead", {**result, "check": metadata_check("playhead", result)})


class Made:
    """A file put together record by record, with all checksums right."""

    def __init__(self, profile: str = "playhead", first: Metadata | None = None) -> None:
        self.data = MAGIC + written(Header(profile, "a test"))
        self.indexes: list[bytes] = []
        self.metadata(described() if first is None else first)

    def metadata(self, record: Metadata) -> None:
        data = written(record)
        self.indexes.append(written(MetadataIndex(len(self.data), len(data), record.name)))
        self.data += data

    def chunk(self, chunk: Chunk) -> int:
        at = len(self.data)
        self.data += written(chunk)
        return at

    def attach(self, name: str, data: bytes) -> None:
        record = written(Attachment(0, 0, name, "", data))
        self.indexes.append(
            written(AttachmentIndex(len(self.data), len(record), 0, 0, len(data), name, ""))
        )
        self.data += record

    def end(self, path: Path) -> Path:
        self.data += written(DataEnd(zlib.crc32(self.data)))
        start, summary = len(self.data), b"".join(self.indexes)
        footer = written(Footer(start, 0, 0))
        crc = zlib.crc32(summary + footer[:-4])
        path.write_bytes(self.data + summary + written(Footer(start, 0, crc)) + MAGIC)
        return path


def frames_of(small: Path) -> tuple[list[bytes], list[Any]]:
    with ClipFrames(small) as clip:
        return [clip.image(frame) for frame in range(1, 6)], clip.latched_all(1)


def frame_chunk(images: list[bytes], rows: Any, first: int = 1) -> bytes:
    builder = RecordBuilder()
    Message(2, 0, ENCODE(rows), 0, first & 0xFFFF_FFFF).write(builder)
    for frame, image in enumerate(images, first):
        Message(1, 0, image, 0, frame & 0xFFFF_FFFF).write(builder)
    return builder.end()


def try_everything(path: Path) -> ClipSource | None:
    """Read all of a file; nothing but this project's errors may come of it."""
    try:
        clip = ClipSource.open(path)
    except DamagedError:
        return None
    for read in (
        clip.info, clip.marks, lambda: clip.clip.changed(0, 7, 0),
        lambda: clip.clip.watched(1, 1), lambda: list(zip(range(50), clip.stamps(1, 2**62),
                                                          strict=False)),
    ):  # fmt: skip
        with suppress(PlayheadError):
            read()
    for frame in range(1, 8):
        for look in (clip.stamp, clip.packets, clip.facts, clip.decoded, clip.drawn, clip.traces,
                     clip.machines, clip.logs, clip.clip.latched_all):  # fmt: skip
            with suppress(PlayheadError):
                look(frame)
        with suppress(PlayheadError):
            clip.clip.versions(frame, 0, 7, 0, 100)
    with suppress(DamagedError):
        verify(path)
    return clip


# --- versions and profiles ----------------------------------------------------------------------


@pytest.mark.parametrize("format", ["2.0", "0.9", "11.3"])
def test_another_major_version_is_refused_by_name(tmp_path, format):
    path = Made(first=described(format)).end(tmp_path / "new.mcap")
    for read in (ClipFrames, verify):
        with pytest.raises(DamagedError, match=rf"format {format}, written by playhead 9\.9.*1\.x"):
            read(path)


def test_a_newer_minor_version_is_read_with_a_warning(small_clip, tmp_path):
    images, rows = frames_of(small_clip)
    made = Made(first=described("1.7", new="thing"))
    at = made.chunk(packed(frame_chunk(images, rows)))
    made.attach(CHUNK_TABLE, ENCODE([[1, 5, 0.0, 9.0, at, 0, 0, "new"]]))
    made.attach("playhead/new", b"what nobody knows yet")
    with ClipSource.open(made.end(tmp_path / "new.mcap")) as clip:
        assert clip.clip.count == 5
        assert clip.clip.damage == []
        [warning] = clip.info()["warnings"]
        assert "format 1.7" in warning
        assert f"knows {clip_format.MAJOR}.{clip_format.MINOR}" in warning
        assert clip.clip.image(3) == images[2]
        assert sorted(clip.clip.latched_all(1)) == sorted(rows)
        assert dict(clip.clip.attachments) == {}


def test_the_present_version_has_no_warning(small_clip):
    with ClipFrames(small_clip) as clip:
        assert clip.warnings == []
        assert clip.metadata["playhead"]["format"] == (
            f"{clip_format.MAJOR}.{clip_format.MINOR}"
        )  # fmt: skip


@pytest.mark.parametrize("format", ["", "1", "1.x", "one.zero", "1." + "0" * 5000, "-1.0", "1.²"])
def test_a_version_that_is_none_is_taken_for_the_present_one_and_reported(
    small_clip, tmp_path, format
):
    images, rows = frames_of(small_clip)
    made = Made(first=described(format))
    at = made.chunk(packed(frame_chunk(images, rows)))
    made.attach(CHUNK_TABLE, ENCODE([[1, 5, 0.0, 9.0, at, 0, 0]]))
    with ClipFrames(made.end(tmp_path / "odd.mcap")) as clip:
        assert clip.count == 5
        assert "can't be read" in clip.warnings[0]


def test_another_profile_is_no_clip(tmp_path):
    path = Made("ros2").end(tmp_path / "robot.mcap")
    with pytest.raises(DamagedError, match=r"robot\.mcap: this is no clip.*'ros2'"):
        ClipFrames(path)


# --- bombs --------------------------------------------------------------------------------------


def test_a_chunk_that_claims_to_unpack_to_too_much_is_refused_before_it_is_unpacked(tmp_path):
    small = lz4.frame.compress(bytes(1 << 20))
    for size in (clip_format.MOST_CHUNK + 1, 1 << 62, 300 * len(small)):
        tracemalloc.start()
        with pytest.raises(DamagedError, match=f"claims to unpack to {size}"):
            unpack(packed(b"", data=small, uncompressed_size=size))
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
        tracemalloc.stop()


@pytest.mark.parametrize("stored", [True, False])
def test_a_chunk_that_unpacks_to_more_than_it_claims_is_not_unpacked_to_its_end(stored):
    bomb = lz4.frame.compress(bytes(64 << 20), store_size=stored)
    tracemalloc.start()
    with pytest.raises(DamagedError, match="unpacks to more than the 1000 bytes"):
        unpack(packed(b"", data=bomb, uncompressed_size=1000))
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()


def test_a_chunk_that_unpacks_to_less_than_it_claims_is_damaged():
    data = lz4.frame.compress(os.urandom(1000), store_size=False)
    with pytest.raises(DamagedError, match="1000 bytes where 2000 are announced"):
        unpack(packed(b"", data=data, uncompressed_size=2000))
    with pytest.raises(DamagedError, match="less than the 1000"):
        unpack(packed(b"", data=data[:-8], uncompressed_size=1000))
    with pytest.raises(DamagedError, match="3 bytes too many"):
        unpack(packed(b"", data=data + b"abc", uncompressed_size=1000))


def test_what_is_packed_otherwise_or_not_at_all_is_damaged():
    good = os.urandom(100)
    assert unpack(packed(good)) == good
    assert unpack(packed(good, compression="", data=good)) == good
    with pytest.raises(DamagedError, match="packed with 'zstd'"):
        unpack(packed(good, compression="zstd"))
    with pytest.raises(DamagedError, match="can't be unpacked"):
        unpack(packed(good, data=b"not lz4 at all, but long enough"))
    with pytest.raises(DamagedError, match="does not match its CRC"):
        unpack(packed(good, uncompressed_crc=1))


@pytest.mark.parametrize("length", [22, 1 << 40, (1 << 64) - 1])
def test_records_that_claim_any_length_are_damaged(length):
    with pytest.raises(DamagedError):
        messages(struct.pack("<BQ", Opcode.MESSAGE, length) + bytes(21))
    with pytest.raises(DamagedError):
        messages(bytes([5]))
    with pytest.raises(DamagedError, match="a message of 3 bytes"):
        messages(struct.pack("<BQ", Opcode.MESSAGE, 3) + bytes(3))


def test_a_footer_may_point_anywhere(small_clip, tmp_path):
    data, path = bytearray(small_clip.read_bytes()), tmp_path / "odd.mcap"
    footer = len(data) - 8 - 29
    for start in (0, 7, len(data), 1 << 63, (1 << 64) - 1, footer, 8):
        struct.pack_into("<Q", data, footer + 9, start)
        path.write_bytes(data)
        with ClipFrames(path) as clip:
            assert clip.count == 40
            assert clip.damage


# --- tables that lie ----------------------------------------------------------------------------

HUGE = (1 << 62, 1 << 63, (1 << 64) - 1)


@pytest.mark.parametrize(
    "row",
    [
        *([size, 5, 0.0, 9.0, None, 0, 0] for size in HUGE),
        *([1, size, 0.0, 9.0, None, 0, 0] for size in (0, -1, 1 << 40, *HUGE)),
        *([1, 5, 0.0, 9.0, size, 0, 0] for size in (0, -1, *HUGE)),
        *([1, 5, 0.0, 9.0, None, size, 0] for size in (-1, *HUGE)),
        [1, 5, 0.0, 9.0, None, 0, -1], [0, 5, 0.0, 9.0, None, 0, 0], [-9, 5, 0.0, 9.0, None, 0, 0],
        [1, 5, 9.0, 0.0, None, 0, 0], [1, 5, float("nan"), 9.0, None, 0, 0],
        [1, 5, 0.0, float("inf"), None, 0, 0], [1, 5], "text", None, [], [1, "5", 0, 0, 0, 0, 0],
    ],
)  # fmt: skip
def test_a_table_of_chunks_that_lies_is_not_believed(small_clip, tmp_path, row):
    images, rows = frames_of(small_clip)
    made = Made()
    at = made.chunk(packed(frame_chunk(images, rows)))
    if isinstance(row, list):
        row = [at if value is None else value for value in row]
    made.attach(CHUNK_TABLE, ENCODE([row]))
    clip = try_everything(made.end(tmp_path / "lie.mcap"))
    assert clip is not None
    if clip.clip.damage:  # noticed at once: all was found by looking through the file
        assert clip.clip.count == 5
        assert clip.clip.image(5) == images[4]


@pytest.mark.parametrize("row", [[1, 4, 0.0, 9.0], [2, 5, 0.0, 9.0], [1, 6, 0.0, 9.0]])
def test_a_table_that_names_other_frames_than_the_chunk_has_is_noticed(small_clip, tmp_path, row):
    images, rows = frames_of(small_clip)
    made = Made()
    at = made.chunk(packed(frame_chunk(images, rows)))
    made.attach(CHUNK_TABLE, ENCODE([[*row, at, 0, 0]]))
    clip = ClipFrames(made.end(tmp_path / "lie.mcap"))
    with pytest.raises(DamagedError, match="can't be read"):
        clip.packets(row[0])
    assert not verify(tmp_path / "lie.mcap").ok


@pytest.mark.parametrize(
    "keys",
    [[[0, 7, 0, 1 << 60, b"\xff"]], [[0, 7, 0, 0, b"\xff" * 1000]], [[0, 7, 0, -1, b"\xff"]], 5,
     [[0, 7, 0, 0, b"\xff"]], [[0, 7, 0]], []],
)  # fmt: skip
@pytest.mark.parametrize("objects", [5, [[1, 2]], [], [[1, "a", 1 << 63, -1, "x", True]]])
def test_tables_of_keys_and_objects_that_lie_do_no_harm(small_clip, tmp_path, keys, objects):
    images, rows = frames_of(small_clip)
    made = Made()
    at = made.chunk(packed(frame_chunk(images, rows)))
    made.attach(CHUNK_TABLE, ENCODE([[1, 5, 0.0, 9.0, at, 0, 0]]))
    made.attach(KEY_TABLE, ENCODE(keys))
    made.attach(OBJECT_TABLE, ENCODE(objects))
    clip = try_everything(made.end(tmp_path / "lie.mcap"))
    assert clip is not None
    assert clip.clip.image(2) == images[1]


@pytest.mark.parametrize(
    "rows",
    [5, [[1, 2, 3]], [[0, 1, 1, 0, 13, "text"]], [[-5, 1 << 63, 1, 0, 13, b""]],
     [[0, 1, 40, 1 << 63, 99, b"\xc1"]], [[0, 7, 0, 1 << 63, 12, b"\x80"]]],
)  # fmt: skip
def test_a_keyframe_that_lies_does_no_harm(small_clip, tmp_path, rows):
    images, _ = frames_of(small_clip)
    made = Made()
    at = made.chunk(packed(frame_chunk(images, rows)))
    made.attach(CHUNK_TABLE, ENCODE([[1, 5, 0.0, 9.0, at, 0, 0]]))
    clip = try_everything(made.end(tmp_path / "lie.mcap"))
    assert clip is not None
    assert clip.clip.image(2) == images[1]


def test_chunks_that_say_the_same_frames_twice_or_backwards_are_damage(small_clip, tmp_path):
    images, rows = frames_of(small_clip)
    made = Made()
    for first in (3, 1, 3, 4):
        made.chunk(packed(frame_chunk(images[first - 1 : first + 1], rows, first)))
    path = made.end(tmp_path / "twice.mcap")
    clip = try_everything(path)
    assert clip is not None
    assert clip.span[:2] == (3, 4)
    assert len(clip.clip.damage) == 4
    assert not verify(path).ok


def test_a_chunk_without_a_keyframe_or_with_torn_frames_is_damage(small_clip, tmp_path):
    images, rows = frames_of(small_clip)
    for data in (
        frame_chunk(images, rows)[9 + 22 + len(ENCODE(rows)) :],
        frame_chunk([], rows),
        frame_chunk([images[0], images[2]], rows),
        frame_chunk([images[0], images[1][:-8]], rows),
        frame_chunk([images[0], b""], rows),
        b"",
    ):
        made = Made()
        made.chunk(packed(data))
        clip = try_everything(made.end(tmp_path / "torn.mcap"))
        assert clip is not None
        assert clip.span is None
        assert len(clip.clip.damage) == 2


@settings(
    max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(data=st.data())
def test_nothing_but_damage_comes_of_any_values_in_the_tables(small_clip, tmp_path, data):
    images, rows = frames_of(small_clip)
    values = st.recursive(
        st.one_of(
            st.integers(-(1 << 63), (1 << 64) - 1), st.integers(0, 7), st.floats(), st.binary(),
            st.text(max_size=3), st.none(), st.booleans(),
        ),
        lambda inner: st.lists(inner, max_size=7) | st.dictionaries(st.text(max_size=3), inner),
        max_leaves=20,
    )  # fmt: skip
    made = Made()
    at = made.chunk(packed(frame_chunk(images, data.draw(st.just(rows) | values))))
    builder = RecordBuilder()
    Message(3, 0, ENCODE(data.draw(values)), 0, 1).write(builder)
    changes = made.chunk(packed(builder.end()))
    row = [1, 5, 0.0, 9.0, at, changes, data.draw(st.integers(0, 2))]
    made.attach(CHUNK_TABLE, ENCODE(data.draw(st.just([row]) | values)))
    made.attach(KEY_TABLE, ENCODE(data.draw(values)))
    made.attach(OBJECT_TABLE, ENCODE(data.draw(values)))
    start = time.thread_time()
    clip = try_everything(made.end(tmp_path / "odd.mcap"))
    assert time.thread_time() - start < 5
    if clip is not None and clip.clip.count == 5 and clip.clip.holds(5):
        assert clip.clip.image(5) == images[4]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such pipes")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DamagedError, match="this is no file"):
        ClipFile(tmp_path / "pipe")


def complete(small_clip: Path, path: Path, add: Any) -> ClipFrames:
    """A clip of a few frames to which something was added."""
    images, rows = frames_of(small_clip)
    made = Made()
    made.chunk(packed(frame_chunk(images, rows)))
    add(made)
    return ClipFrames(made.end(path))


def test_a_gap_that_does_not_name_its_frames_is_reported_and_the_rest_read(small_clip, tmp_path):
    pairs = {"first": "7", "reason": "evicted"}
    pairs["check"] = metadata_check(clip_format.GAP, pairs)
    path = tmp_path / "gap.mcap"
    with complete(
        small_clip, path, lambda made: made.metadata(Metadata(clip_format.GAP, pairs))
    ) as clip:
        assert (clip.oldest[0], clip.newest[0]) == (1, 5)
        whats = [damage.what for damage in clip.damage]
    assert any("the metadata of a gap do not name its frames" in what for what in whats)


def test_marks_that_can_not_be_read_are_reported_and_the_frames_are_there(small_clip, tmp_path):
    path = tmp_path / "marks.mcap"
    with complete(
        small_clip, path, lambda made: made.attach(clip_format.MARK_TABLE, b"\xc1")
    ) as clip:
        before = len(clip.damage)
        assert clip.marks == ()
        assert len(clip.damage) > before
        assert clip.image(3)
