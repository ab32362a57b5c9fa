"""Which frame of a recording is to be read next: new ones first, then what is not read yet."""

from collections import deque
from collections.abc import Iterable

from ...recorder.packets.recorded_frame import FrameRange


class FrameScan:
    """Goes over a whole recording once, while it grows and is evicted."""

    def __init__(self) -> None:
        self._again: deque[int] = deque()
        self._newest = 0
        """All frames from `_older` on up to this one were given out …"""
        self._older = 0
        """… and these, below it, are read backwards."""
        self.is_new = True

    def begin(self, span: FrameRange, *, backwards: bool) -> None:
        """Start at the newest and go back, for a live game; or at the oldest and go on."""
        start = span.newest if backwards else span.oldest
        self._newest, self._older = start - 1, start
        self.is_new = False

    def again(self, frames: Iterable[int]) -> None:
        """These have changed since: of those that were given out, read them again."""
        self._again.extend(at for at in frames if self._older <= at <= self._newest)

    def next(self, span: FrameRange) -> int | None:
        """The frame to be read now; None if there is nothing to do."""
        while self._again:
            frame = self._again.popleft()
            if span.oldest <= frame <= span.newest:
                return frame
        if self._newest < span.newest:
            self._newest = max(self._newest + 1, span.oldest)
            self._older = min(self._older, self._newest)
            return self._newest
        if self._older > span.oldest:
            self._older -= 1
            return self._older
        return None

    def behind(self, span: FrameRange) -> int:
        """How many of the newest frames have not been given out."""
        return span.newest - max(self._newest, span.oldest - 1)

    def unread(self, span: FrameRange) -> int:
        """How many of all frames that are held have not been given out."""
        return self.behind(span) + max(0, self._older - span.oldest)

    def progress(self, span: FrameRange) -> float:
        """How much of what is held has been given out, 0 … 1."""
        first, last = max(self._older, span.oldest), min(self._newest, span.newest)
        return max(0.0, (last - first + 1) / max(1, span.newest - span.oldest + 1))
