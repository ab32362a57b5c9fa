"""Takes pictures of pixels: when they are due, as copies, and compressed on another thread."""

import threading
import time as clocks
from collections import deque
from typing import Any

import msgspec

from ...errors import RecordingError
from ..packets.picture_validation import MOST_BYTES, MOST_NAME
from .image_pixels import MOST_COPIED, Pixels, copied, copied_size, pixels_of
from .jpeg_codec import jpeg_library
from .picture_budget import MOST_NAMES, FunctionTime, PictureBudget, PictureStream
from .picture_encoder import EncodedPicture, PictureEncoder, PictureJob
from .picture_settings import PictureSettings
from .reduce_pixels import reduction

URGENT_WAIT = 0.1
"""Seconds that a game waits at most for the picture of a step in which it is about to stop."""
_URGENT_AGAIN = 1.0
"""Seconds of real time between two such pictures at least."""
SHARE_OF_ONE = 8
"""One picture takes this part of the room for frames at most."""


class PictureStatus(msgspec.Struct, frozen=True):
    """What became of the pictures that a game gave as pixels."""

    recorded: int = 0
    """Pictures in the recording."""
    bytes: int = 0
    """Bytes that these pictures take in the recording."""
    not_due: int = 0
    """Left out, since the budget, the rate, or the time for functions had no picture then."""
    busy: int = 0
    """Left out, since the thread that compresses was behind."""
    failed: int = 0
    """What was no picture, or could not be compressed; also those that came too late."""


class PictureRecorder:
    """Pictures in, files out: `take` copies one, `take_encoded` gives those that are compressed.

    Any thread may call. Nothing here waits but `wait`.

    Args:
        settings: How large pictures are, and what they may take.
        room: The bytes that the ring has for frames.
    """

    def __init__(self, settings: PictureSettings, room: int) -> None:
        self._settings = settings
        self._most_bytes = min(MOST_BYTES, room // SHARE_OF_ONE)
        self._lock = threading.Lock()
        self._budget = PictureBudget(settings, room)
        self._time = FunctionTime()
        self._urgent, self._urged_at = False, float("-inf")
        self._encoded: deque[EncodedPicture] = deque()
        self._encoder = PictureEncoder(self._on_encoded)
        self._counts = dict.fromkeys(PictureStatus.__struct_fields__, 0)

    def take(self, image: Any, name: str, now: float, instant: Any) -> bool:
        """Copy a picture, if one is due, and have it compressed; whether it was taken.

        Args:
            image: Pixels, or a function that is called only now and returns them, or None.
            name: Of which camera.
            now: Timeline seconds: the clock of the budget.
            instant: Comes back with the picture.

        Raises:
            RecordingError: it is no picture, or simplejpeg is missing. Or what the function raises.
        """
        with self._lock:
            urgent = self._urgent
            stream = self._stream(name)
            if not urgent and not (
                self._budget.is_due(stream, now)
                and (not callable(image) or self._time.is_left(clocks.monotonic()))
            ):
                self._counts["not_due"] += 1
                return False
        if urgent:
            self._encoder.wait_for_room(URGENT_WAIT)
        with self._lock:
            if not self._encoder.has_room:
                self._counts["busy"] += 1
                return False
            stream.taken(now)  # now: the function may itself take a picture
        try:
            jpeg_library()
            pixels = self._called(image) if callable(image) else image
            is_nothing = pixels is None and callable(image)  # the function has none this time
            taken = not is_nothing and self._put(pixels_of(pixels), name, stream, instant)
        except BaseException:
            with self._lock:
                stream.returned()
                stream.failed(now)
                self._counts["failed"] += 1
            raise
        if not taken:
            with self._lock:
                stream.returned()
                self._counts["not_due" if is_nothing else "busy"] += 1
        return taken

    def _called(self, function: Any) -> Any:
        """What a function gives, its time being counted."""
        began = clocks.monotonic()
        try:
            return function()
        finally:
            with self._lock:
                self._time.spent(clocks.monotonic() - began)

    def urge(self) -> None:
        """Take this step's pictures although they are not due: a user will look at this step.

        Once a second of real time at most."""
        now = clocks.monotonic()
        with self._lock:
            if now - self._urged_at >= _URGENT_AGAIN:
                self._urgent, self._urged_at = True, now

    def end_step(self) -> None:
        """The step is about to be recorded: pictures that are urgent are waited for."""
        if self._urgent:
            self._urgent = False
            self._encoder.wait(URGENT_WAIT)

    def _stream(self, name: str) -> PictureStream:
        if not isinstance(name, str) or len(name) > MOST_NAME:
            raise RecordingError(
                f"picture {name!r:.100}: a name is a text of {MOST_NAME} characters at most"
            )
        stream = self._budget.stream(name)
        if stream is None:
            raise RecordingError(
                f"picture {name!r:.100}: there are pictures of {MOST_NAMES} other names already;"
                " give all pictures of one camera one name"
            )
        return stream

    def _put(self, pixels: Pixels, name: str, stream: PictureStream, instant: Any) -> bool:
        height, width, _ = pixels.values.shape
        factor = reduction(width, height, self._settings.side)
        # Rows that would be averaged away are not even copied, as far as that is too many pixels.
        row_step = next(
            (one for one in range(1, factor + 1)
             if factor % one == 0 and height // one * width <= MOST_COPIED),
            factor,
        )  # fmt: skip
        buffer = self._encoder.buffer(copied_size(pixels, row_step))
        if buffer is None:
            return False
        try:
            copy = copied(pixels, row_step, buffer)
            self._encoder.put(PictureJob(
                name, instant, copy, buffer, factor // row_step, factor, stream.divisor,
                self._settings.quality, min(self._budget.target_size, self._most_bytes),
                self._most_bytes,
            ))  # fmt: skip
        except BaseException:
            self._encoder.give_back(buffer)
            raise
        return True

    def _on_encoded(self, picture: EncodedPicture) -> None:
        """On the thread that compresses."""
        with self._lock:
            stream = self._budget.streams[picture.name]
            if picture.error is None:
                stream.compressed(len(picture.data), picture.divisor, self._budget.target_size)
            else:
                stream.returned()
            self._encoded.append(picture)

    def take_encoded(self) -> list[EncodedPicture]:
        """The pictures that are compressed and were not taken away yet, in their order."""
        if not self._encoded:
            return []
        with self._lock:
            encoded, self._encoded = list(self._encoded), deque()
        return encoded

    def count(self, picture: EncodedPicture, *, recorded: bool) -> None:
        """A picture is in the recording now, or will never be."""
        with self._lock:
            if recorded:
                self._counts["recorded"] += 1
                self._counts["bytes"] += len(picture.data)
            else:
                self._counts["failed"] += 1

    @property
    def has_encoded(self) -> bool:
        """Whether compressed pictures wait to be taken away."""
        return bool(self._encoded)

    @property
    def is_idle(self) -> bool:
        """Whether no picture is under way or waits to be taken away."""
        return self._encoder.is_idle and not self._encoded

    def wait(self, timeout: float) -> bool:
        """Wait until all pictures are compressed; False if some are not after `timeout` seconds."""
        return self._encoder.wait(timeout)

    @property
    def status(self) -> PictureStatus:
        """What became of the pictures so far."""
        with self._lock:
            return PictureStatus(**self._counts)

    def close(self) -> None:
        """End the thread."""
        self._encoder.close()
