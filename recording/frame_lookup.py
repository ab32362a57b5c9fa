"""Resolves a caller's frame numbers and times to frames; errors name what is held."""

import math
import operator
from collections.abc import Iterator

from ..errors import CommandError, EvictedError
from ..recorder.monotonic_timeline import exactly
from ..recorder.packets.recorded_frame import FrameRange
from ..recorder.reading.frame_source import TOLERANCE, FrameSource

ROUNDED = 0.0006
"""Seconds by which a time may lie outside of a recording: a person has read and typed it."""


def span_text(span: FrameRange | None) -> str:
    """The ends of a recording, as text."""
    if span is None:
        return "it holds no frame so far"
    return (
        f"it holds the frames {span.oldest} to {span.newest},"
        f" {exactly(span.start)} to {exactly(span.end)} s"
    )


def span_of(source: FrameSource) -> FrameRange:
    """The ends of what is held now.

    Raises:
        EvictedError: nothing is.
    """
    span = source.span
    if span is None:
        raise EvictedError("the recording holds no frame so far")
    return span


def whole_number(value: object, name: str) -> int:
    """A frame's number as a caller gives it.

    Raises:
        CommandError: it is no whole number.
    """
    try:
        if isinstance(value, bool):
            raise TypeError
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise CommandError(
            f"{name}={value!r}: give the number of a frame; a time, in seconds, is given as"
            f" {'at' if name == 'frame' else 'start' if name == 'first' else 'end'}="
        ) from None


def seconds(value: object, name: str) -> float:
    """A time as a caller gives it.

    Raises:
        CommandError: it is no number.
    """
    try:
        if isinstance(value, bool | str | bytes):
            raise TypeError
        time = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise CommandError(f"{name}={value!r}: give a number of seconds") from None
    if math.isnan(time):
        raise CommandError(f"{name}={value!r}: give a number of seconds")
    return time


def frame_of(source: FrameSource, frame: int | None, at: float | None) -> int:
    """The frame that is meant by its number or by a time; by neither, the newest.

    Raises:
        CommandError: both are given, or something that is no number.
        EvictedError: it is not held.
    """
    span = span_of(source)
    if frame is not None and at is not None:
        raise CommandError(f"frame={frame!r} and at={at!r}: give one of them, not both")
    if frame is not None:
        number = whole_number(frame, "frame")
        if not span.oldest <= number <= span.newest or source.settle(number) != number:
            raise EvictedError(f"frame {number} is not held: {_span_and_gaps_text(source, span)}")
        return number
    if at is None:
        return span.newest
    time = seconds(at, "at")
    last = source.stamp(span.newest).delta if time > span.end else 0.0
    if not span.start - ROUNDED <= time <= span.end + max(last, ROUNDED):
        if time < span.start and span.oldest == 1:  # nothing was evicted: there never was one
            raise EvictedError(
                f"no frame was recorded by {time:g} s: the first frame is at"
                f" {exactly(span.start)} s; {_span_and_gaps_text(source, span)}"
            )
        raise EvictedError(f"{time:g} s is not held: {_span_and_gaps_text(source, span)}")
    return source.frame_at(time)


def range_of(
    source: FrameSource, first: int | None, last: int | None,
    start: float | None, end: float | None,
) -> tuple[int, int]:  # fmt: skip
    """The first and the last frame that are meant, by numbers or by times; by neither, all.

    What would come after the newest frame is cut off, and what would come before the first frame
    that there ever was.

    Raises:
        CommandError: one end is given twice, or is no number.
        EvictedError: the beginning was evicted, or nothing of it is held.
    """
    span = span_of(source)
    if first is not None and start is not None:
        raise CommandError(f"first={first!r} and start={start!r}: give one of them, not both")
    if last is not None and end is not None:
        raise CommandError(f"last={last!r} and end={end!r}: give one of them, not both")
    low, high, named = span.oldest, span.newest, "these frames"
    if first is not None:
        low, named = whole_number(first, "first"), f"frame {first}"
    elif start is not None:
        time = seconds(start, "start")
        named = f"{time:g} s"
        if time < span.start - ROUNDED:
            low = 0
        elif time > span.end + ROUNDED:
            low = span.newest + 1
        elif time > span.start:
            low = source.frame_at(time)
            if source.time(low) < time - TOLERANCE:
                low += 1
    if low < span.oldest:
        if span.oldest > 1:
            raise EvictedError(f"{named} is not held any more: {_span_and_gaps_text(source, span)}")
        low = span.oldest
    if last is not None:
        high = whole_number(last, "last")
    elif end is not None:
        time = seconds(end, "end")
        high = source.frame_at(time) if time >= span.start - ROUNDED else span.oldest - 1
    if low > span.newest or high < span.oldest:
        where = named if low > span.newest else f"up to {last if end is None else f'{end:g} s'}"
        raise EvictedError(
            f"nothing of that is held ({where}): {_span_and_gaps_text(source, span)}"
        )
    return low, min(high, span.newest)


def stretches_in(source: FrameSource, first: int, last: int) -> Iterator[tuple[int, int]]:
    """The stretches of frames without a gap from one frame to another, both included."""
    for low, high in source.stretches:
        if low <= last and high >= first:
            yield max(low, first), min(high, last)


def _span_and_gaps_text(source: FrameSource, span: FrameRange) -> str:
    gaps = [
        f"{before[1] + 1} to {after[0] - 1}"
        for before, after in zip(source.stretches, source.stretches[1:], strict=False)
    ]
    without = f", without {', '.join(gaps[:5])}" if gaps else ""
    return span_text(span) + without
