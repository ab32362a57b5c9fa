"""A ring and its older tier, read as one: frames that leave the ring stay, packed, for longer.

The tier is a block of memory of its own, allocated once: a second ring with the packed frames, room
for packing, and room for two unpacked groups. One thread packs. It takes the interpreter's lock
only to restart.
"""

import contextlib
import os
import sys
import threading
import weakref
from typing import ClassVar

from ..errors import CapacityError, EvictedError, PlayheadError
from . import _ring
from .ring_memory import allocate
from .ring_type_aliases import RawPacket, Run

GROUP_SHARE = 24
"""A group of frames has one part in this many of the tier's memory …"""
GROUP_LEAST, GROUP_MOST = 16 << 10, 1 << 20
"""… but not less nor more than this many bytes."""
LINE = 64
NICE = 15
"""The packing thread's priority: it gets a small part of a processor that others need."""

Stamp = tuple[int, float, float, int, int, int, int, int]
Version = tuple[int, int, bytes]


class OlderTier:
    """The frames of a ring and those that have left it, as one recording.

    The reading methods are those of the ring; what is of frames that have left it is unpacked.

    Args:
        ring: One that is recorded into, and holds no frame yet.
        memory: Bytes that the tier may take.
        latch: Bytes of them for latched state.

    Raises:
        CapacityError: the memory is too small, or can't be had.
    """

    def __init__(self, ring: _ring.Ring, memory: int, latch: int) -> None:
        room = min(max(memory // GROUP_SHARE, GROUP_LEAST), GROUP_MOST)
        room = min(room, max(ring.accounts["capacity"] // 4, LINE)) // LINE * LINE
        work = -(-_ring.tier_workspace(room) // LINE) * LINE
        store = (memory - work) // LINE * LINE
        if store < latch + 4 * room:
            least = work + latch + 4 * room
            raise CapacityError(
                f"{memory} bytes are too few for an older tier: with {latch} bytes for latched"
                f" state it needs {least} at least"
            )
        block = memoryview(allocate(memory))
        self._ring = ring
        self._store = _ring.Ring(block[:store], latch)
        self._reader = _ring.Ring(block[:store])
        self._raw = _ring.Tier(ring, self._store, self._reader, block[store : store + work], room)
        self.memory = memory
        """All bytes that it takes."""
        self._fault: list[str] = []
        self._anew = threading.Lock()
        self._thread = threading.Thread(
            target=_pack, args=(self._raw, ring, self._anew, self._fault), name="playhead-older",
            daemon=True,
        )  # fmt: skip
        self._thread.start()
        self.close = weakref.finalize(self, _stop, self._raw, self._thread)
        """Ends the packing; what is packed can be read on."""

    def forked(self) -> None:
        """This is a forked child, which has no thread that packs: nothing of it may be used."""
        self.close.detach()
        self.inherited.append((self._raw, self._thread))

    inherited: ClassVar[list[object]] = []
    """What a child keeps for ever: the thread may have held its locks when the child began."""

    # --- both ---------------------------------------------------------------------------------

    @property
    def newest(self) -> tuple[int, float] | None:
        return self._ring.newest

    @property
    def oldest(self) -> tuple[int, float] | None:
        """Id and time of the oldest recorded frame in either; None while there is none."""
        in_ring = self._ring.oldest
        if in_ring is None or self._raw.complete + 1 < in_ring[0]:
            return in_ring
        here = self._reader.oldest
        return here if here is not None and here[0] < in_ring[0] else in_ring

    def find(self, time: float, /) -> int:
        found = self._ring.find(time)
        in_ring = self._ring.oldest
        if in_ring is None or time >= in_ring[1]:
            return found
        oldest = self.oldest
        if oldest is None or oldest[0] >= in_ring[0]:
            return found
        try:
            return min(self._reader.find(time), in_ring[0])
        except EvictedError:  # just now, because the tier starts again
            return in_ring[0]

    def stamp(self, frame: int, /) -> Stamp:
        try:
            return self._ring.stamp(frame)
        except EvictedError:
            self._check(frame)
            return self._raw.stamp(frame)

    def packets(self, frame: int, /) -> list[RawPacket]:
        try:
            return self._ring.packets(frame)
        except EvictedError:
            return _ring.image_packets(self._image(frame))

    def runs(self, frame: int, /) -> list[Run]:
        try:
            return self._ring.runs(frame)
        except EvictedError:
            return _ring.image_runs(self._image(frame))

    def image(self, frame: int, /) -> bytes:
        try:
            return self._ring.image(frame)
        except EvictedError:
            return self._image(frame)

    def verify(self, frame: int, /) -> bool:
        try:
            return self._ring.verify(frame)
        except EvictedError:
            return _ring.image_verify(self._image(frame))

    def holds(self, frame: int, /) -> bool:
        return self._ring.holds(frame) or self._tier_holds(frame)

    def latched(self, frame: int, object: int, kind: int, key: int, /) -> Version | None:
        try:
            return self._ring.latched(frame, object, kind, key)
        except EvictedError:
            self._check(frame)
            return self._reader.latched(frame, object, kind, key)

    def latched_all(self, frame: int, /) -> list[tuple[int, int, int, int, int, bytes]]:
        try:
            return self._ring.latched_all(frame)
        except EvictedError:
            self._check(frame)
            return self._reader.latched_all(frame)

    def versions(
        self, frame: int, object: int, kind: int, key: int, limit: int, /
    ) -> list[tuple[int, int, bytes | None]]:
        try:
            rows = self._ring.versions(frame, object, kind, key, limit)
        except EvictedError:
            self._check(frame)
            return self._reader.versions(frame, object, kind, key, limit)
        # What began in frames that the ring holds is all there; of what began before, it has one.
        in_ring = self._ring.oldest
        if in_ring is None or not self._tier_holds(in_ring[0] - 1):
            return rows
        newer = [row for row in rows if row[0] >= in_ring[0]]
        if len(newer) < limit:
            older = min(frame, in_ring[0] - 1)
            try:
                return newer + self._reader.versions(older, object, kind, key, limit - len(newer))
            except EvictedError:  # just now: the tier starts again, and the ring has all there is
                return rows
        return newer

    def settle(self) -> None:
        """Pack now what is due: then nothing leaves the tier until more is recorded."""
        if not self._raw.settle():
            with contextlib.suppress(EvictedError):
                _begin(self._raw, self._ring, self._anew)

    # --- the tier alone -----------------------------------------------------------------------

    def _tier_holds(self, frame: int) -> bool:
        in_ring, here = self._ring.oldest, self._reader.oldest
        if in_ring is None or here is None:
            return False
        complete = self._raw.complete
        return here[0] <= frame <= complete and complete + 1 >= in_ring[0]

    def _check(self, frame: int) -> None:
        if not self._tier_holds(frame):
            raise EvictedError(f"frame {frame} is not held")

    def _image(self, frame: int) -> bytes:
        self._check(frame)
        return self._raw.image(frame)

    @property
    def accounts(self) -> dict[str, int]:
        """Frames recorded and packed so far, bytes before and after, frames lost and waiting."""
        in_ring, oldest = self._ring.oldest, self.oldest
        frames = in_ring[0] - oldest[0] if in_ring and oldest else 0
        return {"memory": self.memory, "held": frames, **self._raw.accounts}

    @property
    def fault(self) -> str:
        """What ended the packing before its time; empty while all is well."""
        return self._fault[0] if self._fault else ""


def _pack(raw: _ring.Tier, ring: _ring.Ring, lock: threading.Lock, fault: list[str]) -> None:
    _yield_processor()
    while raw.run():
        try:
            _begin(raw, ring, lock)
        except EvictedError:  # the game was faster: from where it is now
            raw.nudge()
        except PlayheadError as error:
            fault.append(str(error))
            return


def _begin(raw: _ring.Tier, ring: _ring.Ring, lock: threading.Lock) -> None:
    """Start again, so far from the ring's end that there is time to pack."""
    with lock:
        oldest, newest = ring.oldest, ring.newest
        if not raw.is_lost or oldest is None or newest is None:
            return
        frame = max(raw.next + 1, oldest[0] + 1, (oldest[0] + newest[0]) // 2)
        if frame <= newest[0]:
            raw.begin(frame, ring.latched_all(frame - 1))


def _yield_processor() -> None:
    """Let this thread have what others leave: where all processors are busy the game goes first."""
    if sys.platform == "linux":  # elsewhere this would be of the whole process
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)


def _stop(raw: _ring.Tier, thread: threading.Thread) -> None:
    raw.stop()
    if thread is not threading.current_thread():
        thread.join()
