"""What happened in a game, of a stretch of frames."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from ..errors import EvictedError
from ..recorder.reader import FrameSource
from .damage import DamageLog
from .log_search import frames_in


class RecordedEvent(NamedTuple):
    """Something that happened in a frame."""

    frame: int
    time: float
    """Timeline time, seconds."""
    object: int
    """The id of the object that it happened to; 0 for the world."""
    name: str
    value: Any


def events_of(
    source: FrameSource, name: str | None, object: int | None, first: int, last: int,
    damage: DamageLog,
) -> Iterator[RecordedEvent]:  # fmt: skip
    """The events of that name and object, or all, oldest first."""
    for frame in frames_in(source, first, last):
        try:
            with damage.skipping(frame):
                found = [
                    one
                    for one in source.events(frame)
                    if object in (None, one[0]) and name in (None, one[1])
                ]
                time = source.time(frame) if found else 0.0
                for each in found:
                    yield RecordedEvent(frame, time, *each)
        except EvictedError:
            continue
