"""Rings with older tiers: packed when told to, or as they are recorded into."""

import math
import mmap
import random
import struct
from collections.abc import Callable

from playhead.native import _ring
from playhead.native.ring import FrameRing

from ..rings import HERE, ring_of


class Packing:
    """A ring and its older tier without a thread: it packs when it is told to."""

    def __init__(
        self, arena: int = 16_384, room: int = 4096, store: int = 65_536, latch: int = 8000
    ) -> None:
        self.ring = ring_of(arena, latch)
        self.block = mmap.mmap(-1, store)
        self.store = _ring.Ring(self.block, latch // 2 if latch > 8000 else latch)
        self.older_ring = _ring.Ring(memoryview(self.block))
        work = mmap.mmap(-1, _ring.tier_workspace(room) + 64)
        self.raw = _ring.Tier(self.ring, self.store, self.older_ring, work, room)
        self.images: dict[int, bytes] = {}

    def record(self, frames: int, payload: Callable[[int], bytes], late: bool = False) -> None:
        """Frames of three objects and a fact, packed as they come, or not."""
        for _ in range(frames):
            frame = self.ring.begin()
            for id in (1, 2, 3):
                assert self.ring.record(id, 40, True, HERE, HERE, payload(frame))
            assert self.ring.latch(1, 20, 0, 4, 0, b"held since %d" % frame)
            self.ring.commit(frame / 64, 1 / 64)
            self.images[frame] = self.ring.image(frame)
            assert late or self.raw.settle()

    def held(self) -> range:
        oldest = self.older_ring.oldest
        return range(oldest[0], self.raw.complete + 1) if oldest else range(0)

    def begin(self, frame: int) -> bool:
        return self.raw.begin(frame, self.ring.latched_all(frame - 1))


def still(frame: int) -> bytes:
    return b"the same in each frame, whatever comes"


def counting(frame: int) -> bytes:
    return struct.pack("<6d", frame, 0.5 * frame, 1.0, 0.0, 0.0, math.sin(frame))


def noise(frame: int) -> bytes:
    return random.Random(frame).randbytes(200)


def fill(ring: FrameRing, frames: int, size: int = 60) -> dict[int, bytes]:
    """Frames with one packet each; what their images were."""
    images = {}
    for _ in range(frames):
        frame = ring.begin()
        ring.record(1, 40, True, HERE, HERE, bytes([frame % 256]) * size)
        ring.commit(frame / 64, 1 / 64)
        images[frame] = ring.image(frame)
        if ring.older is not None:
            ring.older.settle()
    return images
