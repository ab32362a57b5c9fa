"""Small rings and frames to try things on."""

import mmap

from playhead.native import _ring
from playhead.native.ring import FrameRing

HERE = (0.0, 0.0, 0.0)
DAMAGED, LATCHES, DROPPED, REFUSED = 1, 2, 4, 8


def ring_of(arena: int, latch: int = 0) -> _ring.Ring:
    """A ring whose arena has just so many bytes."""
    probe = _ring.Ring(mmap.mmap(-1, 1 << 20), latch).accounts
    ring = _ring.Ring(mmap.mmap(-1, probe["total"] - probe["capacity"] + arena), latch)
    assert ring.accounts["capacity"] == arena
    return ring


def record_frame(ring: _ring.Ring | FrameRing, time: float, *payloads: bytes) -> int:
    """One frame with a packet for each payload; its id."""
    ring.begin()
    for i, payload in enumerate(payloads, 1):
        assert ring.record(i, 1, True, HERE, HERE, payload)
    return ring.commit(time, 0.0)


def payloads(ring: _ring.Ring | FrameRing, frame: int) -> list[bytes]:
    return [packet[8] for packet in ring.packets(frame)]
