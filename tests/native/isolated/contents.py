"""Frames whose every byte follows from their id, so that any process can tell a true one.

Small frames come in long rows between large ones: a large one then evicts many at once.
"""

import mmap
import struct
from collections.abc import Iterator
from typing import Protocol

import numpy as np
import numpy.typing as npt

from playhead.native import _ring
from playhead.native.ring_type_aliases import RawPacket

LATCH_AREA = 24_000
TABLE = np.tile(np.arange(256, dtype=np.uint8), 8)
LATCHED_FIRST = 48  # the bytes of a latched packet's payload that are the ring's own
RUN_LATCHED = 1

# Object: its state changes every so many frames; each fifth change is its end. Some change so
# seldom that nearly always the frame that said it is gone.
PERIODS = {1: 1, 2: 2, 3: 3, 4: 7, 5: 20, 6: 61, 7: 200, 8: 997, 9: 5000, 10: 20011}
KIND, KEY, LATCH_TYPE = 3, 2**40 + 7, 40

Packet = tuple[int, int, bytes]


class Packets(Protocol):
    def packets(self, frame: int, /) -> list[RawPacket]: ...


class Contents:
    """Args: bytes of a large frame, how many small ones come between."""

    def __init__(self, large: int, small: int) -> None:
        self.large, self.small = large, small

    def is_large(self, frame: int) -> bool:
        return frame % (self.small + 1) == 0

    def singles(self, frame: int) -> list[Packet]:
        """Packets recorded one by one."""
        return [
            (1 + i, 10 + i % 2, TABLE[frame * 7 % 256 :][: (frame * 13 + i * 40) % 300].tobytes())
            for i in range(frame % 4)
        ]

    def batch(self, frame: int) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint8]]:
        """Ids and payloads of a large frame's batch."""
        size = 512 + frame % 3 * 100
        count = max(1, self.large // (size + 40 + 63 & ~63))  # they stand on cache lines
        ids = np.arange(frame, frame + count, dtype=np.uint64)
        payload = np.empty((count, size), np.uint8)
        payload[:] = TABLE[frame % 256 :][:size]
        payload[:, 0] = ids & 0xFF
        payload[:, -8:] = np.frombuffer(struct.pack("<Q", frame), np.uint8)
        return ids, payload

    def write(self, ring: _ring.Ring) -> int:
        frame = ring.begin()
        for object, period in PERIODS.items():
            if frame % period:
                continue
            state = self.state(object, frame)
            if state is None:
                ring.despawn(object, LATCH_TYPE)
            elif not ring.latch(object, LATCH_TYPE, 0, KIND, KEY, state):
                raise RuntimeError("the latch area is too small for this test")
        for id, type, payload in self.singles(frame):
            ring.record(id, type, True, (frame, 0.0, 0.0), (0.0, 0.0, id), payload)
        if self.is_large(frame):
            ids, rows = self.batch(frame)
            positions = np.full((len(ids), 3), frame % 1000, np.float32)
            if not ring.record_batch(20, ids, positions, payload=rows):
                raise RuntimeError("the arena is too small for this test")
        return ring.commit(self.time(frame), 0.25)

    def time(self, frame: int) -> float:
        return frame * 0.25

    def state(self, object: int, frame: int) -> bytes | None:
        """What an object's change at a frame says; None: it ended."""
        if frame // PERIODS[object] % 5 == 4:
            return None
        return b"%d at %d " % (object, frame) + TABLE[frame % 256 :][: frame * 37 % 180].tobytes()

    def latched(self, object: int, frame: int) -> tuple[int, int, bytes] | None:
        began = frame - frame % PERIODS[object]
        state = self.state(object, began) if began else None
        return None if state is None else (began, LATCH_TYPE, state)

    # --- checks: each yields what is wrong --------------------------------------------------

    def wrong_packets(self, ring: Packets, frame: int) -> Iterator[str]:
        packets = ring.packets(frame)
        latched = [packet for packet in packets if packet[7] & RUN_LATCHED]
        expected = self.singles(frame)
        got = [(packet[0], packet[1], packet[8]) for packet in packets if packet not in latched]
        if self.is_large(frame):
            ids, rows = self.batch(frame)
            expected += [(int(id), 20, row.tobytes()) for id, row in zip(ids, rows, strict=True)]
        if got != expected:
            yield f"frame {frame}: {len(got)} packets differ from the {len(expected)} recorded"
        facts = {packet[0]: packet[8][LATCHED_FIRST:] for packet in latched}
        changed = [object for object, period in PERIODS.items() if frame % period == 0]
        if not set(facts) <= set(changed) or any(
            state != (self.state(object, frame) or b"") for object, state in facts.items()
        ):
            yield f"frame {frame}: its latched packets differ"

    def wrong_facts(self, ring: _ring.Ring, frame: int) -> Iterator[str]:
        expected = {object: self.latched(object, frame) for object in PERIODS}
        for object, fact in expected.items():
            got = ring.latched(frame, object, KIND, KEY)
            if got != fact:
                yield f"frame {frame}: latched for {object}: {got}, not {fact}"
        everything = {row[0]: row[3:] for row in ring.latched_all(frame)}
        if everything != {object: fact for object, fact in expected.items() if fact}:
            yield f"frame {frame}: all that is latched differs"
        for object in (1, 4, 7):
            began = [version[0] for version in ring.versions(frame, object, KIND, KEY, 50)]
            if began != sorted(set(began), reverse=True) or any(f > frame for f in began):
                yield f"frame {frame}: versions of {object} out of order: {began}"
            for version in ring.versions(frame, object, KIND, KEY, 50):
                if version[2] != self.state(object, version[0]):
                    yield f"frame {frame}: a version of {object} differs: {version}"

    def wrong_stamp(self, ring: _ring.Ring, frame: int) -> Iterator[str]:
        stamp = ring.stamp(frame)
        if stamp[:3] != (frame, self.time(frame), 0.25) or stamp[5] & ~2:
            yield f"frame {frame}: stamp {stamp}"
        found = ring.find(self.time(frame))
        if found != frame and ring.holds(frame):  # once it is gone, a later one is found
            yield f"frame {frame}: not found by its time"


def read_only(path: str) -> _ring.Ring:
    with open(path, "rb") as file:
        return _ring.Ring(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
