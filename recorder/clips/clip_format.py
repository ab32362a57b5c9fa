"""The clip format: its names, numbers and limits (`docs/clip-format.md` is the contract)."""

import json
import zlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from ...errors import DamagedError
from ..packets.layouts.packet_layouts import PACKETS

PROFILE = "playhead"
"""The profile in the file's header: it distinguishes a clip from other MCAP files."""
MAJOR, MINOR = 1, 1
"""The format's version. Another major can't be read; a newer minor only adds to it."""

FRAMES, LATCHED, CHANGES = 1, 2, 3
"""The ids of the channels, the same in every clip."""
CHANNELS = {FRAMES: "frames", LATCHED: "latched", CHANGES: "changes"}
ENCODINGS = {FRAMES: "playhead", LATCHED: "msgpack", CHANGES: "msgpack"}

ABOUT_FILE, ABOUT, CONVENTIONS, GAP = "playhead", "about", "conventions", "gap"
"""Names of metadata records."""
CHECK = "check"
"""The pair of a metadata record that holds the CRC of the others."""

OWN = "playhead/"
"""Attachments whose names begin so are the clip's own."""
CHUNK_TABLE, KEY_TABLE, OBJECT_TABLE = OWN + "chunks", OWN + "keys", OWN + "objects"
MARK_TABLE = OWN + "marks"
"""Marks that were put into the clip after it was saved."""
MSGPACK = "application/msgpack"

CHUNK_BYTES = 1 << 20
"""A chunk ends when it holds this many bytes of frames: about what one seek has to unpack."""
KEYFRAME_SHARE = 8
"""A chunk holds at least this many times its keyframe's bytes, so that keyframes stay a small
part of the file however much is latched."""
MOST_CHUNK = 256 << 20
"""Bytes that a chunk may unpack to. What claims more is refused before it is unpacked."""
MOST_MESSAGES = 1_200_000
"""Messages in a chunk: more than frames of the least size beside the largest latch area."""
MOST_ROWS = 1 << 21
"""Rows of a keyframe and of a change record."""
MOST_KEY_BITS = 1 << 31
"""Bits that the key table may have unpacked: keys times chunks."""
MOST_RATIO = 256
"""LZ4 can't pack better than 255 to 1: what claims more lies."""
CHANGES_BYTES = 256 << 10
"""Change records are gathered to this many bytes before a chunk of them is written."""
SHORT = 1024
"""Latched payloads of up to this many bytes are in the change records too."""
MOST_KEYS = 1 << 20
"""Latched keys that the key table lists; if there are more it is left out."""
MOST_OBJECTS = 1 << 16
"""Objects that the object table lists."""
MOST_MARKS = 100_000
"""Marks that may be put into a clip later."""

Key = tuple[int, int, int]
"""(object, kind, key) of something latched."""
LatchedRow = tuple[int, int, int, int, int, bytes]
"""(object, kind, key, frame, packet type, payload) of something that holds."""


class ChunkRow(msgspec.Struct, array_like=True, frozen=True):
    """One chunk of frames, as the chunk table lists it."""

    first: int
    """The id of its first frame; the others count up by one."""
    count: int
    start: float
    """Time of its first frame, seconds."""
    end: float
    """Time of its last frame."""
    offset: int
    """Where the chunk's record begins in the file."""
    changes_offset: int = 0
    """Where the chunk with its change record begins; 0 if there is none."""
    changes_index: int = 0
    """Which message in that chunk it is, counted from 0."""

    @property
    def last(self) -> int:
        """The id of its last frame."""
        return self.first + self.count - 1


class ObjectTableRow(msgspec.Struct, array_like=True, frozen=True):
    """One object of the recording, as the object table lists it."""

    id: int
    type: str
    """Empty for an agent that only left traces."""
    first: int
    """The first frame with a packet of it; 0 if there is none."""
    last: int
    name: str
    """The last name it had; empty if none."""
    agent: bool
    """Whether it left traces."""


class Gap(NamedTuple):
    """A range of frames that are not in the clip, though frames on both sides are."""

    first: int
    last: int
    reason: str


class ClipDamage(NamedTuple):
    """Something of a file that can't be used."""

    offset: int
    """Where in the file it begins."""
    bytes: int
    """How many bytes of the file it is."""
    what: str

    def __str__(self) -> str:
        return f"byte {self.offset}, {self.bytes} bytes: {self.what}"


def check_rows(data: bytes | memoryview, most: int, what: str) -> None:
    """Check how many rows a MessagePack array claims to have, before it is decoded.

    A row of a few bytes is hundreds as Python objects: a small file could else take all memory.

    Raises:
        DamagedError: they are more than `most`.
    """
    rows = 0
    if data[:1] == b"\xdc":
        rows = int.from_bytes(data[1:3], "big")
    elif data[:1] == b"\xdd":
        rows = int.from_bytes(data[1:5], "big")
    if rows > most:
        raise DamagedError(f"{what} has {rows} rows: {most} at most can be")


def metadata_check(name: str, pairs: Mapping[str, str]) -> str:
    """The CRC-32 of a metadata record's name and pairs, which MCAP itself does not protect."""
    parts = [name, *(text for key in sorted(pairs) if key != CHECK for text in (key, pairs[key]))]
    return f"{zlib.crc32(b''.join(_ended(text) for text in parts)):08x}"


def _ended(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass") + b"\0"


def version_of(text: str) -> tuple[int, int]:
    """The major and minor number in `1.0`.

    Raises:
        DamagedError: it is no version.
    """
    major, dot, minor = text.partition(".")
    if not (dot and major.isascii() and minor.isascii() and major.isdigit() and minor.isdigit()):
        raise DamagedError(f"format {text[:40]!r} is no version such as 1.0")
    if len(text) > 16:
        raise DamagedError(f"format {text[:40]!r}… is no version")
    return int(major), int(minor)


def frame_schema() -> bytes:
    """What a stranger needs to decode a message of the channel `frames`, as JSON."""
    version = [
        ["frame", "<u8", 0], ["previous", "<u8", 8], ["jump", "<u8", 16], ["ordinal", "<u8", 24],
        ["key", "<u8", 32], ["entry", "<u4", 40], ["kind", "<u2", 44], ["flags", "<u2", 46],
    ]  # fmt: skip
    return json.dumps(
        {
            "title": "One frame of a game: a header, then runs of packets, with nothing between",
            "byte order": "little-endian; fields are [name, format, offset, shape]",
            "frame": {
                "bytes": 96,
                "fields": [
                    ["id", "<u8", 0], ["previous", "<u8", 8], ["next", "<u8", 16],
                    ["time", "<f8", 24], ["delta", "<f8", 32], ["packets", "<u8", 40],
                    ["runs", "<u8", 48], ["jump", "<u8", 56], ["bytes", "<u8", 64],
                    ["end", "<u8", 72], ["packet_count", "<u4", 80], ["flags", "<u4", 84],
                    ["epoch", "<u4", 88], ["check", "<u4", 92],
                ],
            },
            "run": {
                "bytes": 24,
                "fields": [
                    ["next", "<u4", 0], ["count", "<u4", 4], ["stride", "<u4", 8],
                    ["size", "<u4", 12], ["channels", "<u4", 16], ["type", "<u2", 20],
                    ["flags", "<u2", 22],
                ],
                "note": "count packets follow, stride bytes apart; next is in steps of 8 bytes from"
                " the run's own start, 0 for the last run; flag 1: latched",
            },
            "packet": {
                "bytes": 40,
                "fields": [
                    ["id", "<u8", 0], ["type", "<u2", 8], ["targetable", "|u1", 10],
                    ["flags", "|u1", 11], ["next", "<u4", 12], ["position", "<f4", 16, [3]],
                    ["angles", "<f4", 28, [3]],
                ],
                "note": "size bytes of payload follow; a latched packet's begin with the version"
                " header; flags: 1 damaged, 2 not visible, 4 a text is cut, 8 not all of it was"
                " written; id 0 is the world",
            },
            "version": {"bytes": 48, "fields": version},
            "payload": "MessagePack of the latched fact (object 0, kind 1, key = packet type) in"
            " the channel latched: its `layout` lists the payload's fields; of types below 32 that"
            " have no such fact the same is in `packets`",
            "packets": {
                str(int(type)): msgspec.to_builtins(packet) for type, packet in PACKETS.items()
            },
        },
        separators=(",", ":"),
    ).encode()  # fmt: skip


def texts_of(values: Any) -> dict[str, str]:
    """Plain values by name as the texts that metadata has; nothing if they are no such map."""
    pairs = values if isinstance(values, dict) else {}
    return {
        str(key): value if isinstance(value, str) else json.dumps(value, default=str)
        for key, value in pairs.items()
    }
