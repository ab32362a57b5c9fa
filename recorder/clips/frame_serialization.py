"""Frame images: reading what a clip's indexes need, and making one from any `RawFrames`."""

import struct
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...errors import DamagedError
from ...native import _ring
from ...native.ring_type_aliases import RUN_LATCHED, RawPacket
from ..packets.layouts.packet_layouts import PACKETS, is_unknown
from ..packets.log_lines import WATCH
from ..packets.packet_types import FIRST_OBJECT, PacketType
from ..packets.trace_types import TRACE_TYPES
from ..reading.raw_frames import VERSION_BYTES, RawFrames
from .clip_format import Key, LatchedRow

NONE = 0xFFFF_FFFF_FFFF_FFFF
FRAME = struct.Struct("<QQQddQQQQQIIII")
RUN = struct.Struct("<IIIIIHH")
PACKET = struct.Struct("<QHBBI6f")
VERSION = struct.Struct("<QQQQQIHH")
ENDED = 1
"""Flag of a version: its key ends with it."""

WATCH_DTYPE = PACKETS[PacketType.WATCH].layout.dtype
_AGENTS = frozenset(map(int, (*TRACE_TYPES, PacketType.TREE_CHANGE)))

Stamp = tuple[int, float, float, int, int, int, int, int]
"""(id, time, delta, packets, epoch, flags, offset, bytes), as `RawFrames.stamp` gives it."""


WatchedRun = tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32], npt.NDArray[np.float64]]
"""A run of watched values: objects, numbers of the names, values."""


class LatchedPacket(NamedTuple):
    """A version that began in a frame."""

    key: Key
    type: int
    payload: bytes | None
    """None if its key ended."""


class ReadImage(NamedTuple):
    """A frame image, checked and looked through once."""

    stamp: Stamp
    latched: list[LatchedPacket]
    """The latched packets, in the order in which they were recorded."""
    watched: list[WatchedRun]
    objects: dict[int, bytes]
    """The ids of the objects that have packets, as u64, by packet type."""
    agents: set[int]
    """Objects that left traces."""
    unknown: Counter[int]
    """How many packets of each type there are that only a newer version knows."""


def read_image(image: bytes | memoryview) -> ReadImage:
    """Look through a frame image.

    Raises:
        DamagedError: it is broken.
    """
    stamp = _ring.image_stamp(image)
    latched: list[LatchedPacket] = []
    watched: list[WatchedRun] = []
    objects: dict[int, bytes] = {}
    agents: set[int] = set()
    unknown: Counter[int] = Counter()
    for type, _, flags, headers, payloads in _ring.image_runs(image):
        if is_unknown(type):
            unknown[type] += len(headers)
        if type in _AGENTS:
            agents.update(headers["id"].tolist())
        if flags & RUN_LATCHED and payloads is not None:
            latched += _versions(stamp[0], type, headers, payloads)
        elif type >= FIRST_OBJECT:
            ids = headers["id"].tobytes()
            objects[type] = objects[type] + ids if type in objects else ids
        elif type == PacketType.WATCH and payloads is not None and payloads.shape[1] == WATCH.size:
            values = np.ascontiguousarray(payloads).view(WATCH_DTYPE)[:, 0]
            watched.append((headers["id"].copy(), values["name"], values["value"]))
    return ReadImage(stamp, latched, watched, objects, agents, unknown)


def _versions(frame: int, type: int, headers: Any, payloads: Any) -> Iterator[LatchedPacket]:
    for object, payload in zip(headers["id"].tolist(), payloads, strict=True):
        packed = payload.tobytes()
        began, _, _, _, key, _, kind, flags = VERSION.unpack_from(packed)
        if began != frame:
            raise DamagedError(f"frame {frame} has a latched packet that is of frame {began}")
        body = None if flags & ENDED else packed[VERSION_BYTES:]
        yield LatchedPacket((object, kind, key), type, body)


def image_of(frames: RawFrames, frame: int) -> bytes:
    """A frame as an image: the store's own if it can make one, otherwise put together here.

    Raises:
        EvictedError: the frame is not in the recording.
        DamagedError: the store is damaged.
    """
    ready: Callable[[int], bytes] | None = getattr(frames, "image", None)
    return compose_image(frames, frame) if ready is None else ready(frame)


def compose_image(frames: RawFrames, frame: int) -> bytes:
    """A frame's image from its stamp and its packets. It has no check of its own (0)."""
    id, time, delta, _, epoch, flags, _, _ = frames.stamp(frame)
    packets = frames.packets(frame)
    runs = [list(run) for _, run in groupby(packets, _alike)]
    last = len(runs) - 1
    parts = [_run_bytes(run, index == last) for index, run in enumerate(runs)]
    length = FRAME.size + sum(map(len, parts))
    first = FRAME.size if runs else NONE
    header = FRAME.pack(
        id, NONE, NONE, time, delta, first + RUN.size if runs else NONE, first, NONE,
        length, length, len(packets), flags, epoch, 0,
    )  # fmt: skip
    return b"".join([header, *parts])


def _alike(packet: RawPacket) -> tuple[int, int, int, int]:
    return packet[1], packet[6], packet[7] & RUN_LATCHED, len(packet[8])


def _run_bytes(packets: list[RawPacket], is_last: bool) -> bytes:
    type, channels, flags, size = _alike(packets[0])
    stride = (PACKET.size + size + 7) // 8 * 8
    bytes_ = RUN.size + len(packets) * stride
    parts = [RUN.pack(0 if is_last else bytes_ // 8, len(packets), stride, size, channels,
                      type, flags)]  # fmt: skip
    for remaining, packet in zip(range(len(packets) - 1, -1, -1), packets, strict=True):
        id, _, targetable, marks, position, angles, _, _, payload = packet
        step = stride if remaining else 0 if is_last else stride + RUN.size
        if flags & RUN_LATCHED:
            payload = _unlinked(payload) + payload[VERSION_BYTES:]
        parts.append(PACKET.pack(id, type, targetable, marks, step // 8, *position, *angles))
        parts.append(payload.ljust(stride - PACKET.size, b"\0"))
    return b"".join(parts)


def _unlinked(payload: bytes) -> bytes:
    frame, _, _, ordinal, key, _, kind, flags = VERSION.unpack_from(payload)
    return VERSION.pack(frame, NONE, NONE, ordinal, key, 0, kind, flags)


def latched_before(frames: RawFrames, frame: int, image: bytes) -> list[LatchedRow]:
    """All that was latched right before a frame, whose image is given.

    Raises:
        EvictedError: the frame is not in the recording.
        DamagedError: the store is damaged.
    """
    started = Counter(packet.key for packet in read_image(image).latched)
    rows = [row for row in frames.latched_all(frame) if row[:3] not in started]
    for key, count in started.items():
        for began, type, payload in frames.versions(frame, *key, count + 1):
            if began < frame:
                if payload is not None:
                    rows.append((*key, began, type, payload))
                break
    return rows
