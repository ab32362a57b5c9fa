"""The thread that makes pictures smaller and compresses them, so that the game does not wait."""

import threading
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...errors import PlayheadError, RecordingError
from .image_pixels import PixelBuffers, Pixels
from .jpeg_codec import compressed
from .reduce_pixels import as_bytes, reduced

MOST_WAITING = 3
"""Copies of pictures at a time. While there are so many no other is taken."""
LEAST_SIDE = 160
"""Pixels of the longer side that pictures are not made smaller than for the sake of the budget …"""
_SMALLEST_SIDE = 16
"""… nor than this for the sake of a ring that is too small for them."""


class PictureJob(NamedTuple):
    """A copied picture that is to be compressed."""

    name: str
    instant: Any
    """What it is a picture of, for the caller."""
    pixels: Pixels
    buffer: npt.NDArray[np.uint8]
    """The memory that the pixels lie in."""
    down: int
    """What its rows are reduced by …"""
    across: int
    """… and its columns …"""
    divisor: int
    """… and then both, for the sake of bytes: by this to begin with."""
    quality: int
    wanted_bytes: float
    """What it shall have at most, unless it became smaller than `LEAST_SIDE` by that."""
    most_bytes: int
    """What it must have at most."""


class EncodedPicture(NamedTuple):
    """A compressed picture, or why there is none."""

    name: str
    instant: Any
    data: bytes = b""
    width: int = 0
    height: int = 0
    divisor: int = 1
    """What its sides were divided by for the sake of bytes."""
    error: PlayheadError | None = None


class PictureEncoder:
    """Compresses pictures on a thread, which begins with the first one and ends with `close`.

    At most `MOST_WAITING` pictures are copied, compressed, or wait to be taken away: who makes more
    gets the answer that there is no room, and never waits.

    Args:
        on_encoded: Called on the thread with each picture.
    """

    def __init__(self, on_encoded: Callable[[EncodedPicture], object]) -> None:
        self._on_encoded = on_encoded
        self._changed = threading.Condition()
        self._buffers = PixelBuffers()
        self._jobs: deque[PictureJob] = deque()
        self._busy = 0
        """Pictures that are being copied, wait, or are being compressed."""
        self._thread: threading.Thread | None = None
        self._closed = False

    def buffer(self, size: int) -> npt.NDArray[np.uint8] | None:
        """Memory for a copy of so many bytes; None if there are as many pictures as may be."""
        with self._changed:
            if self._closed or self._busy >= MOST_WAITING:
                return None
            self._busy += 1
            return self._buffers.take(size)

    def give_back(self, buffer: npt.NDArray[np.uint8]) -> None:
        """A copy is not needed any more."""
        with self._changed:
            self._busy -= 1
            self._buffers.give_back(buffer)
            self._changed.notify_all()

    def put(self, job: PictureJob) -> None:
        """Have a picture compressed whose buffer came from here."""
        with self._changed:
            self._jobs.append(job)
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._work, name="playhead-pictures", daemon=True
                )
                self._thread.start()
            self._changed.notify_all()

    @property
    def has_room(self) -> bool:
        """Whether another picture could be taken."""
        return self._busy < MOST_WAITING and not self._closed

    @property
    def is_idle(self) -> bool:
        """Whether no picture is under way."""
        return not self._busy

    def wait(self, timeout: float) -> bool:
        """Wait until no picture is under way; False if some still are after `timeout` seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._busy, timeout)

    def wait_for_room(self, timeout: float) -> None:
        """Wait until another picture could be taken, or so many seconds have passed."""
        with self._changed:
            self._changed.wait_for(lambda: self.has_room or self._closed, timeout)

    def close(self) -> None:
        """End the thread; pictures that wait are given up."""
        with self._changed:
            self._closed = True
            self._jobs.clear()
            self._changed.notify_all()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()
            self._thread = None

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._jobs or self._closed)
                if self._closed:
                    return
                job = self._jobs.popleft()
            try:
                self._on_encoded(_encoded(job))
            finally:
                self.give_back(job.buffer)


def _encoded(job: PictureJob) -> EncodedPicture:
    """A picture's file, smaller and coarser until it has as few bytes as it may."""
    try:
        full_size, divisor = as_bytes(job.pixels), job.divisor
        while True:
            pixels = reduced(full_size, job.down * divisor, job.across * divisor)
            height, width, _ = pixels.values.shape
            data, side = compressed(pixels, job.quality), max(width, height)
            may_shrink = side * divisor // (divisor + 1) >= LEAST_SIDE
            if len(data) <= (job.wanted_bytes if may_shrink else job.most_bytes):
                return EncodedPicture(job.name, job.instant, data, width, height, divisor)
            if side <= _SMALLEST_SIDE:
                raise RecordingError(
                    f"a picture has {len(data)} bytes at {width} × {height} pixels, and the"
                    f" recording has room for {job.most_bytes} of one: give it more memory"
                )
            divisor += 1
    except PlayheadError as error:
        return EncodedPicture(job.name, job.instant, error=error)
    except Exception as error:  # of the library: the thread goes on with the next picture
        failed = RecordingError(f"a picture can't be compressed: {error!r:.200}")
        failed.__cause__ = error
        return EncodedPicture(job.name, job.instant, error=failed)
