"""The frames of a recording as a sequence."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, overload

from ..errors import EvictedError
from ..recorder.packets.recorded_frame import FrameFlag
from ..recorder.reading.frame_source import FrameSource
from .frame_lookup import frame_of


class Frame(NamedTuple):
    """One recorded step of the game."""

    number: int
    """Counts up by one from frame to frame, from 1. It stays the same when frames are evicted."""
    time: float
    """Timeline time, seconds."""
    dt: float
    """Seconds since the frame before."""
    epoch: int
    """Counts the starts of the game, or of a level: game time may start again with each."""
    damaged: bool
    """Whether a handler failed in it, or something found no room: then it lacks something."""


class RecordedFrames(Sequence[Frame]):
    """The frames that were held when it was asked for, oldest first.

    Indexes count places, as in a list: `frames[0]` is the oldest frame, whatever its number. By
    its number or by a time a frame is found with `number` and `at`. A live game goes on: frames
    that were evicted meanwhile raise EvictedError; a new `recording.frames` has the present ones.
    """

    def __init__(
        self,
        source: FrameSource,
        stretches: Sequence[tuple[int, int]] | None = None,
        indexes: range | None = None,
    ) -> None:
        self._source = source
        self._stretches = source.stretches if stretches is None else stretches
        count = sum(last - first + 1 for first, last in self._stretches)
        self._indexes = range(count) if indexes is None else indexes

    def __len__(self) -> int:
        return len(self._indexes)

    @overload
    def __getitem__(self, index: int) -> Frame: ...
    @overload
    def __getitem__(self, index: slice) -> "RecordedFrames": ...
    def __getitem__(self, index: int | slice) -> "Frame | RecordedFrames":
        if isinstance(index, slice):
            return RecordedFrames(self._source, self._stretches, self._indexes[index])
        return self._frame(self._number(self._indexes[index]))

    def __iter__(self) -> Iterator[Frame]:
        for index in self._indexes:
            yield self._frame(self._number(index))

    def __contains__(self, frame: object) -> bool:
        number, before = frame.number if isinstance(frame, Frame) else frame, 0
        for first, last in self._stretches:
            if isinstance(number, int) and first <= number <= last:
                return before + number - first in self._indexes
            before += last - first + 1
        return False

    def at(self, time: float) -> Frame:
        """The newest frame at or before a time, seconds, to a microsecond.

        Raises:
            EvictedError: the time is not recorded; the message says what is.
            CommandError: it is no number.
        """
        return self._frame(frame_of(self._source, None, time))

    def number(self, number: int) -> Frame:
        """The frame of a number.

        Raises:
            EvictedError: it is not recorded; the message says what is.
            CommandError: it is no whole number.
        """
        return self._frame(frame_of(self._source, number, None))

    def _number(self, index: int) -> int:
        for first, last in self._stretches:
            if index <= last - first:
                return first + index
            index -= last - first + 1
        raise IndexError(index)

    def _frame(self, number: int) -> Frame:
        try:
            stamp = self._source.stamp(number)
        except EvictedError:
            frame_of(self._source, number, None)  # says what is held instead
            raise
        flags = FrameFlag.DAMAGED | FrameFlag.DROPPED | FrameFlag.REFUSED
        return Frame(number, stamp.time, stamp.delta, stamp.epoch, bool(stamp.flags & flags))

    def __repr__(self) -> str:
        if not self._indexes:
            return "<no frames>"
        first, last = self._number(self._indexes[0]), self._number(self._indexes[-1])
        return f"<{len(self):,} frames, {first} to {last}>"
