"""Searches frames for log lines, watched values, and other values by object and name."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import DamagedError, EvictedError
from ..recorder.packets.log_lines import LEVELS, checked_level
from ..recorder.reading.frame_source import FrameSource
from .frame_lookup import stretches_in
from .objects.field_history import FieldRows
from .recording_damage import DamageLog


class RecordedLogLine(NamedTuple):
    """A line of the log."""

    frame: int
    """The frame that it belongs to."""
    time: float
    """Timeline time, seconds."""
    object: int
    """The id of the object that it is about; 0 for the world."""
    level: str
    """`debug`, `info`, `warning` or `error`."""
    text: str
    file: str
    line: int


def frames_in(source: FrameSource, first: int, last: int) -> Iterator[int]:
    """The frames from `first` to `last` that are in the recording; evicted ones are passed over."""
    for low, high in stretches_in(source, first, last):
        frame = low
        while frame <= high:
            yield frame
            frame += 1
            if frame % 64 == 0:  # a live game may have moved on
                span = source.span
                frame = frame if span is None else max(frame, span.oldest)


def log_lines(
    source: FrameSource, first: int, last: int, level: str | None, object: int | None,
    text: str, damage: DamageLog,
) -> Iterator[RecordedLogLine]:  # fmt: skip
    """The lines of at least that level, about that object, with that text in them, oldest first.

    Raises:
        RecordingError: there is no such level.
    """
    levels = set(LEVELS[LEVELS.index(checked_level(level)) :]) if level is not None else None
    for frame in frames_in(source, first, last):
        try:
            with damage.skipping(frame):
                lines = [
                    one
                    for one in source.logs(frame)
                    if (levels is None or one.level in levels)
                    and object in (None, one.object)
                    and text in one.text
                ]
                time = source.time(frame) if lines else 0.0
                for one in lines:
                    yield RecordedLogLine(
                        frame, time, one.object, one.level, one.text, one.file, one.line
                    )
        except EvictedError:
            continue


def watched_rows(
    source: FrameSource, object: int, name: str, first: int, last: int, damage: DamageLog
) -> FieldRows:
    """A watched value in the frames from `first` to `last`."""
    frames, values = _watched(source, object, name, first, last, damage)
    present: list[int] = []
    times: list[float] = []
    for position, frame in enumerate(frames.tolist()):
        try:
            with damage.skipping(frame):
                times.append(source.time(frame))
                present.append(position)
        except EvictedError:
            continue
    return FieldRows(frames[present], np.array(times, np.float64), values[present])


def _watched(
    source: FrameSource, object: int, name: str, first: int, last: int, damage: DamageLog
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    try:
        return source.watched(object, name, first, last)
    except (DamagedError, EvictedError):
        pass  # some of it can be read all the same, frame by frame
    rows = []
    for frame in frames_in(source, first, last):
        try:
            with damage.skipping(frame):
                value = source.watches(frame).get((object, name))
                if value is not None:
                    rows.append((frame, value))
        except EvictedError:
            continue
    frames = np.array([frame for frame, _ in rows], np.int64)
    return frames, np.array([value for _, value in rows], np.float64)


def named_values(
    source: FrameSource, values_in: Callable[[int], Iterable[tuple[int, str, Any]]],
    name: str | None, object: int | None, first: int, last: int, damage: DamageLog,
) -> Iterator[tuple[int, float, int, str, Any]]:  # fmt: skip
    """Frame, time, object, name and value of what frames hold by object and name, oldest first.

    Args:
        values_in: Objects, names and values of a frame.
        name, object: Only of these; None for any.
    """
    for frame in frames_in(source, first, last):
        try:
            with damage.skipping(frame):
                found = [
                    row
                    for row in values_in(frame)
                    if object in (None, row[0]) and name in (None, row[1])
                ]
                time = source.time(frame) if found else 0.0
                for row in found:
                    yield frame, time, *row
        except EvictedError:
            continue
