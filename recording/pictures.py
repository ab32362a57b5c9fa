"""The pictures of a game's screen in a stretch of frames."""

from collections.abc import Iterator
from typing import NamedTuple

from ..errors import EvictedError
from ..recorder.reading.frame_source import FrameSource
from ..recorder.statements.statements import Picture
from .damage import DamageLog
from .log_search import frames_in


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
    for frame in frames_in(source, first, last):
        try:
            with damage.skipping(frame):
                for picture in source.pictures(frame).values():
                    if name in (None, picture.name):
                        yield recorded_picture(source, frame, picture)
        except EvictedError:
            continue
