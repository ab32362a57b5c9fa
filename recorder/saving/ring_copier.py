"""Copies frames out of a ring that goes on recording, for several clips, into bounded memory.

Copying must be fast: a frame that was not copied in time is evicted. Usually the writing thread
copies. If eviction comes near, the game's own thread copies too.
"""

import threading
from collections import deque
from collections.abc import Iterable

from ...errors import DamagedError, EvictedError
from ...native.ring import FrameRing
from ..clips.clip_format import LatchedRow
from ..clips.frame_serialization import latched_before
from .clip_copy_plan import ClipCopyPlan, CopiedFrames

AHEAD = 256 << 10
"""Bytes that the game's thread copies between two frames if the ring's end is near, or three times
its newest frame's: recording one evicts about as much as it takes."""
NEAR = 16
"""Frames from the ring's end that are near it, or an eighth of all that are held."""


class _SharedFrame:
    """A frame that was copied, and how many clips still have to write it."""

    __slots__ = ("frame", "image", "time", "users")

    def __init__(self, frame: int, time: float, image: bytes) -> None:
        self.frame, self.time, self.image, self.users = frame, time, image, 0


class RingCopier:
    """Copies planned frames, oldest first, and keeps them until they are fetched. For any thread.

    An image that several clips share is kept once. What is latched at the start of a range is
    kept besides; that is never more than the ring's own latch area.

    Args:
        ring: Where the frames are.
        most: Bytes that images may take.
    """

    def __init__(self, ring: FrameRing, most: int) -> None:
        self._ring, self._most = ring, most
        self._lock = threading.Lock()
        self._open: list[ClipCopyPlan] = []
        self._queues: dict[ClipCopyPlan, deque[tuple[CopiedFrames, _SharedFrame]]] = {}
        self._shared_frames: dict[int, _SharedFrame] = {}
        self.bytes = 0
        """What images take now."""
        self._was_full = self._drains = False

    @property
    def busy(self) -> bool:
        """Whether anything is still to be copied."""
        return bool(self._open)

    def add(self, plan: ClipCopyPlan) -> None:
        """Copy for another clip."""
        with self._lock:
            self._queues[plan] = deque()
            self._open.append(plan)
            self._sort_out()

    def forget(self, plan: ClipCopyPlan) -> None:
        """Copy nothing more for it, and drop what was copied."""
        with self._lock:
            for _, shared in self._queues.pop(plan, ()):
                self._drop(shared)
            self._sort_out()

    def end_all(self, among: Iterable[ClipCopyPlan]) -> None:
        """End these plans at the newest frame: they get no frames that are not recorded yet."""
        with self._lock:
            newest = self._ring.newest
            for plan in among:
                plan.end_at(newest[0] if newest is not None else 0)
            self._sort_out()

    def fetch(self) -> tuple[ClipCopyPlan, CopiedFrames] | None:
        """The oldest frame that was copied, and its plan; None if nothing waits."""
        with self._lock:
            waiting = [one for one, queue in self._queues.items() if queue]
            if not waiting:
                return None
            plan = min(waiting, key=lambda one: self._queues[one][0][0].frame)
            copied, shared = self._queues[plan].popleft()
            self._drop(shared)
            return plan, copied

    def is_through(self, plan: ClipCopyPlan) -> bool:
        """Whether all that it will ever get was fetched."""
        with self._lock:
            return plan.complete and not self._queues.get(plan)

    # --- copying --------------------------------------------------------------------------------

    def copy(self, most: int) -> bool:
        """Copy frames until this many bytes are reached; True if there were any."""
        with self._lock:
            return self._copy(most)

    def copy_ahead(self) -> None:
        """For the game's thread, between two frames: copy what the next ones may evict."""
        with self._lock:
            newest, oldest = self._ring.newest, self._ring.oldest
            if newest is None or oldest is None or not self._open:
                return
            first = min(plan.next for plan in self._open)
            if first > newest[0] or first - oldest[0] > max(NEAR, len(self._ring) // 8):
                return
            most = max(AHEAD, 3 * self._ring.stamp(newest[0])[7])
            if self._ring.accounts["gap"] <= 4 * most:
                self._copy(most)

    def _copy(self, most: int) -> bool:
        done = 0
        while done < most:
            copied = self._copy_one()
            if not copied:
                break
            done += copied
        return done > 0

    def _copy_one(self) -> int:
        """Copy the oldest planned frame; returns its bytes, 0 if there is none, or no room.

        Frames that can't be had are passed over.
        """
        while self._open:
            frame = min(plan.next for plan in self._open)
            newest, oldest = self._ring.newest, self._ring.oldest
            if self._ring.raw.finished:  # nothing more can be had
                for plan in self._open:
                    plan.end_at(plan.next - 1)
                self._sort_out()
                return 0
            if newest is None or oldest is None or frame > newest[0]:
                return 0
            try:
                size = self._copy_frame(frame)
            except EvictedError:
                oldest = self._ring.oldest or oldest
                self._drains = self._was_full
                self._lose(max(oldest[0], frame + 1), "evicted before it was copied")
            except DamagedError as error:
                self._lose(frame + 1, f"damaged: {error}")
            else:
                if size is not None:
                    return size
        return 0

    def _copy_frame(self, frame: int) -> int | None:
        """Returns its bytes, 0 if there is no room, None if no clip needs it after all."""
        shared = self._shared_frames.get(
            frame
        )  # for a clip that began earlier, and not written yet
        if shared is not None:
            time, size = shared.time, 0
        else:
            _, time, *_, size = self._ring.stamp(frame)
        users = [one for one in self._open if one.next == frame and one.takes(frame, time)]
        self._sort_out()
        if not users:
            return None
        if size > self._most:
            self._lose(frame + 1, f"larger than the buffer of {self._most} bytes")
            return None
        if not self._has_room(size):
            return 0
        image = self._ring.image(frame) if shared is None else shared.image
        latched = None
        if not all(one.follows for one in users):
            latched = latched_before(self._ring, frame, image)
        if shared is None:
            shared = self._shared_frames[frame] = _SharedFrame(frame, time, image)
            self.bytes += len(image)
        self._queue_copy(users, shared, latched)
        return len(image)

    def _has_room(self, size: int) -> bool:
        """Where frames were lost already there is room only when half is free again: a few long
        gaps, and not one after every frame."""
        if self._drains and self.bytes > self._most // 2:
            return False
        self._drains = False
        self._was_full = self.bytes + size > self._most
        return not self._was_full

    def _queue_copy(
        self, users: list[ClipCopyPlan], shared: _SharedFrame, latched: list[LatchedRow] | None
    ) -> None:
        frame, time, image = shared.frame, shared.time, shared.image
        for plan in users:
            rows = None if plan.follows else latched
            self._queues[plan].append((CopiedFrames(frame, time, image, rows, plan.why), shared))
            shared.users += 1
            plan.took()
        self._sort_out()

    def _drop(self, shared: _SharedFrame) -> None:
        shared.users -= 1
        if not shared.users:
            self.bytes -= len(shared.image)
            del self._shared_frames[shared.frame]

    def _lose(self, to: int, why: str) -> None:
        for plan in self._open:
            plan.lose(to, why)
        self._sort_out()

    def _sort_out(self) -> None:
        self._open = [one for one in self._open if one in self._queues and not one.complete]
