"""Finds the recorded pictures, and decodes those that panels want, on the reader's thread."""

import time
from collections.abc import Callable, Iterable
from typing import NamedTuple

from ...errors import PlayheadError
from ...recorder.packets.picture_index import MOST_LATE
from ...recorder.packets.recorded_frame import FrameRange
from ...recorder.reading.frame_source import FrameSource
from ...recorder.reading.picture_lookup import PictureEntry
from ..toolkit.images.decode_picture import decoded_picture
from ..toolkit.qt import QImage
from .background_query_base import BackgroundQuery

_FRAMES_AT_ONCE = 2000
"""Frames whose pictures are looked for between two looks at the clock."""
_PAUSE = 0.2
"""Seconds between two looks at what a game that runs has recorded since."""


class ScannedPicture(NamedTuple):
    """A picture of a recording."""

    frame: int
    """The frame that it is of."""
    time: float
    """Timeline time of that frame, seconds."""
    name: str
    entry: PictureEntry


class PictureRequest(NamedTuple):
    """A picture that a panel wants to paint."""

    picture: ScannedPicture
    height: int = 0
    """Pixels that it shall have; 0 for its own."""


class PictureUpdate(NamedTuple):
    """What the scan has found since it was asked last."""

    found: list[ScannedPicture]
    images: list[tuple[PictureRequest, QImage]]
    """Decoded pictures; one that can't be read has no pixels."""
    oldest: int
    """The oldest recorded frame."""
    is_complete: bool
    """Whether all that is recorded was looked through."""
    restarted: bool
    """Whether all from before is of another recording."""


class PictureScan(BackgroundQuery):
    """Looks through the index of pictures, then decodes requested ones, the most urgent first.

    Recordings of older versions have no index of pictures: none is found in them.
    """

    def __init__(self, ring: Callable[[], None]) -> None:
        super().__init__(ring)
        self._known: set[tuple[int, str, int]] = set()
        self._looked_until = 0
        self._looked_at = float("-inf")
        self._pending: dict[PictureRequest, None] = {}
        self._found: list[ScannedPicture] = []
        self._images: list[tuple[PictureRequest, QImage]] = []
        self._oldest = 0
        self._is_complete = self._restarted = False

    # --- for the window's thread ----------------------------------------------------------------

    def want(self, requests: Iterable[PictureRequest]) -> None:
        """Decode these from now on, in this order, and nothing that was requested before."""
        with self._lock:
            self._pending = dict.fromkeys(requests)

    def take(self) -> PictureUpdate:
        """What is new."""
        with self._lock:
            found, self._found = self._found, []
            images, self._images = self._images, []
            restarted, self._restarted = self._restarted, False
            return PictureUpdate(found, images, self._oldest, self._is_complete, restarted)

    # --- for the reader's thread ----------------------------------------------------------------

    def restart(self) -> None:
        self._known, self._looked_until, self._looked_at = set(), 0, float("-inf")
        with self._lock:
            self._pending, self._found, self._images = {}, [], []
            self._oldest, self._is_complete, self._restarted = 0, False, True

    def go_on(
        self, source: FrameSource, span: FrameRange, until: float, *, backwards: bool
    ) -> bool:
        is_new = self._decode(source, until)
        while time.monotonic() < until and self._is_behind(span):
            is_new |= self._look(source, span)
        if is_new:
            self._ring()
        with self._lock:
            return bool(self._pending) or self._is_behind(span)

    def _is_behind(self, span: FrameRange) -> bool:
        if span.newest - self._looked_until > MOST_LATE or not self._looked_until:
            return True
        rested = time.monotonic() - self._looked_at >= _PAUSE
        return span.newest > self._looked_until and (rested or not self._is_complete)

    def _look(self, source: FrameSource, span: FrameRange) -> bool:
        """Look for the pictures of some more frames; returns whether there is news."""
        # Those that were compressed late are of frames that were looked at before.
        first = max(self._looked_until + 1 - MOST_LATE, span.oldest)
        last = min(max(self._looked_until, span.oldest - 1) + _FRAMES_AT_ONCE, span.newest)
        found = []
        try:
            for entry, name in source.picture_entries(first, last) or ():
                key = (entry.frame, name, entry.recorded)
                if key not in self._known:
                    self._known.add(key)
                    found.append(ScannedPicture(entry.frame, source.time(entry.frame), name, entry))
        except PlayheadError:  # evicted meanwhile, or damaged: the next frames are looked through
            pass
        self._looked_until, self._looked_at = last, time.monotonic()
        if len(self._known) > 2 * (span.newest - span.oldest + MOST_LATE):
            self._known = {key for key in self._known if key[0] >= span.oldest}
        with self._lock:
            self._found += found
            is_news = bool(found) or self._is_complete != (last >= span.newest)
            self._oldest, self._is_complete = span.oldest, last >= span.newest
        return is_news

    def _decode(self, source: FrameSource, until: float) -> bool:
        """Decode what is requested; returns whether there is something to report."""
        is_new = False
        while time.monotonic() < until:
            with self._lock:
                request = next(iter(self._pending), None)
            if request is None:
                break
            image = self._image(source, request)
            with self._lock:
                self._pending.pop(request, None)
                self._images.append((request, image))
            is_new = True
        return is_new

    @staticmethod
    def _image(source: FrameSource, request: PictureRequest) -> QImage:
        try:
            found = source.picture_at(request.picture.entry)
        except PlayheadError:  # evicted, damaged, or the game is gone
            return QImage()
        return QImage() if found is None else decoded_picture(found.data, request.height)
