"""What came from outside, of a stretch of frames."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from ..errors import EvictedError
from ..recorder.reader import FrameSource
from .damage import DamageLog
from .log_search import frames_in


class RecordedInput(NamedTuple):
    """The value of an input in a frame."""

    frame: int
    time: float
    """Timeline time, seconds."""
    object: int
    """The id of the object that it steers; 0 for the world's."""
    name: str
    value: Any


def inputs_of(
    source: FrameSource, name: str | None, object: int | None, first: int, last: int,
    damage: DamageLog,
) -> Iterator[RecordedInput]:  # fmt: skip
    """The inputs of that name and object, or of all, oldest first."""
    for frame in frames_in(source, first, last):
        try:
            with damage.skipping(frame):
                found = [
                    (*key, value)
                    for key, value in source.inputs(frame).items()
                    if object in (None, key[0]) and name in (None, key[1])
                ]
                time = source.time(frame) if found else 0.0
                for each in found:
                    yield RecordedInput(frame, time, *each)
        except EvictedError:
            continue
