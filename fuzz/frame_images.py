"""Frames by themselves, changed in a few places: read, checked and recorded into a ring."""

import struct

from playhead.errors import CapacityError, DamagedError, RecordingError
from playhead.native import _ring
from playhead.native.ring_memory import allocate

from . import seeds

SEEDS = [bytes([number, 0]) + bytes(12) for number in range(len(seeds.images()))]
IMAGES = seeds.images()
TYPES = {40: (40, 1), 41: (41, 0), 42: (42, 2)}
EDIT = struct.Struct("<HBQ")
"""Where, how many bytes as a power of two, and what."""
RING = _ring.Ring(allocate(1 << 16), 1 << 12)
CLOCK = [0.0]


def changed(data: bytes) -> bytes:
    """An image, by the first byte's number, with edits; or the rest itself, if that is even."""
    if len(data) < 2:
        return data
    image = bytearray(IMAGES[data[0] % len(IMAGES)])
    edits = data[2:]
    for at in range(0, len(edits) - EDIT.size + 1, EDIT.size):
        place, width, value = EDIT.unpack_from(edits, at)
        size = 1 << (width & 3)
        place %= max(len(image) - size, 1)
        if width & 4:  # a small step from what is there
            known = int.from_bytes(image[place : place + size], "little")
            value = (known + value % 17 - 8) % (1 << 8 * size)
        image[place : place + size] = (value % (1 << 8 * size)).to_bytes(size, "little")
        if width & 8:
            del image[place:]
    if data[1] & 1:  # as a client may, who computes no check
        image[92:96] = bytes(4)
    return bytes(image)


def one_input(data: bytes) -> None:
    image = changed(data)
    readable: list[bool] = []
    for read in (_ring.image_stamp, _ring.image_packets, _ring.image_runs, _ring.image_verify):
        try:
            readable.append(bool(read(image)) or True)
        except DamagedError:
            readable.append(False)
    RING.begin()
    try:
        RING.ingest(image, TYPES)
    except (DamagedError, RecordingError, CapacityError):
        RING.abort()
        return
    assert all(readable), "it was recorded, and can't be read by itself"
    CLOCK[0] += 0.25
    frame = RING.commit(CLOCK[0], 0.25)
    assert RING.verify(frame)
    RING.packets(frame)
    assert _ring.image_verify(RING.image(frame))
