"""The plan of one clip: its frames, and which of them are still to be copied."""

import math
from typing import NamedTuple

from ..clips.clip_format import LatchedRow


class CopiedFrames(NamedTuple):
    """A frame on its way from the ring to a clip's file."""

    frame: int
    time: float
    image: bytes
    latched: list[LatchedRow] | None
    """What held right before it, where it does not follow on the one before."""
    why: str
    """Why the frames between are missing."""


class ClipCopyPlan:
    """A range of frames, the end of which may still have to be recorded.

    Args:
        start: The first frame.
        end: The last one; None if time decides.
        at: The frame of the trigger …
        post: … and the seconds after it: the first frame that is so much later is the last one.
        since: Time of the newest frame when it was triggered: counts if that frame itself is lost.
    """

    def __init__(
        self, start: int, end: int | None = None, *, at: int = 0, post: float = 0.0,
        since: float = math.inf,
    ) -> None:  # fmt: skip
        self.next = start
        """The frame that is to be copied next."""
        self.end = end
        self.lost = 0
        """Frames of the plan that were evicted, or could not be read, when their turn came."""
        self.why = ""
        self.follows = False
        """Whether `next` follows on the newest frame that was copied."""
        self._by_time = end is None
        self._at, self._post, self._since = at, post, since
        self._until: float | None = None

    @property
    def complete(self) -> bool:
        """Whether no frame is to be copied any more."""
        return self.end is not None and self.next > self.end

    @property
    def until(self) -> float | None:
        """Timeline time that decides about the end, if it is known by now."""
        return self._until

    def takes(self, frame: int, time: float) -> bool:
        """Whether the frame that comes next belongs to it; if not, it is complete."""
        if self._by_time:
            if self._until is None and frame >= self._at:
                since = time if frame == self._at else min(time, self._since)
                self._until = since + self._post
            # After frames that were lost the first one may be long after the end.
            if self._until is not None and time >= self._until:
                self._by_time = False
                self.end = frame - 1 if time > self._until and not self.follows else frame
        return not self.complete

    def took(self) -> None:
        """The next frame was copied."""
        self.next += 1
        self.follows = True

    def lose(self, to: int, why: str) -> None:
        """The frames in front of this one can't be had any more."""
        end = to if self.end is None else min(to, self.end + 1)
        if end <= self.next:
            return
        self.lost += end - self.next
        self.next, self.follows, self.why = to, False, why

    def end_at(self, newest: int) -> None:
        """No more than what is recorded by now."""
        if self.end is None or self.end > newest:
            self.end = newest
