"""Reads the inputs of a game in a range of frames: pads, keys, messages."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from ..recorder.reading.frame_source import FrameSource
from .log_and_watch_reader import named_values
from .recording_damage import DamageLog


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

    def inputs(frame: int) -> list[tuple[int, str, Any]]:
        return [(*key, value) for key, value in source.inputs(frame).items()]

    for row in named_values(source, inputs, name, object, first, last, damage):
        yield RecordedInput(*row)
