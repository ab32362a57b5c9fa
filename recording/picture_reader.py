"""Reads the pictures of a game's screen in a range of frames."""

from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import EvictedError
from ..recorder.pictures.jpeg_codec import decompressed
from ..recorder.reading.frame_source import FrameSource
from ..recorder.statements.statement_messages import Picture
from .decode_image import decoded_image
from .log_and_watch_reader import frames_in
from .recording_damage import DamageLog


class RecordedPicture(NamedTuple):
    """A compressed picture of the screen in a frame."""

    frame: int
    time: float
    """Timeline time, seconds."""
    name: str
    format: str
    """`jpeg`, `png` or `webp`."""
    width: int
    """Pixels; 0 if unknown."""
    height: int
    data: bytes
    """A whole file of that format."""

    def pixels(self) -> npt.NDArray[np.uint8]:
        """Its pixels: H × W × 3, red, green and blue, from 0 to 255.

        Raises:
            DamagedError: it is no complete file of its format.
            RecordingError: what reads it is not installed: for JPEG the extra `pictures`, for the
                other formats `video`.
        """
        what = f"picture {self.name!r} of frame {self.frame}"
        if self.format == "jpeg":
            return decompressed(self.data, what)
        return decoded_image(self.data, what)


def recorded_picture(source: FrameSource, frame: int, picture: Picture) -> RecordedPicture:
    """A picture with the time of its frame."""
    return RecordedPicture(
        frame, source.time(frame), picture.name, picture.format, picture.width, picture.height,
        picture.data,
    )  # fmt: skip


def pictures_of(
    source: FrameSource, name: str | None, first: int, last: int, damage: DamageLog
) -> Iterator[RecordedPicture]:
    """The pictures of that name, or all, oldest first; one frame's at a time are in memory."""
    entries = source.picture_entries(first, last)
    if entries is not None:
        for entry, own in entries:
            if name in (None, own):
                with suppress(EvictedError), damage.skipping(entry.recorded):
                    found = source.picture_at(entry)
                    if found is not None:
                        yield recorded_picture(source, entry.frame, found)
        return
    for frame in frames_in(source, first, last):
        try:
            with damage.skipping(frame):
                for picture in source.pictures(frame).values():
                    if name in (None, picture.name):
                        yield recorded_picture(source, frame, picture)
        except EvictedError:
            continue
