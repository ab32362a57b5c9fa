"""Reads the events of a game in a range of frames."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from ..recorder.reading.frame_source import FrameSource
from .log_and_watch_reader import named_values
from .recording_damage import DamageLog


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
    for row in named_values(source, source.events, name, object, first, last, damage):
        yield RecordedEvent(*row)
