"""Settings of recorded pictures: how large, how many, and how much memory they may take."""

import math
from numbers import Real

import msgspec

from ...errors import CapacityError, CommandError
from ...native.ring_memory import parse_size

SHARE = 240
"""The part of a ring for the pictures of a second by default: half the ring for two minutes."""
MOST_PER_SECOND = 1 << 20
"""Bytes a second that pictures take by default at most, however large the ring is."""


class PictureSettings(msgspec.Struct, frozen=True):
    """How large the pictures of a game are, how many there are, and what they may take.

    Raises:
        CommandError: a number makes no sense.
        CapacityError: the budget is no size.
    """

    budget: int | str | None = None
    """Bytes that the pictures of one second of the timeline may take, such as `200 KiB`, over all
    cameras. By default a 240th of the memory for frames, 1 MiB at most, so that two minutes of
    pictures take half of it."""
    per_second: float = 30.0
    """How many pictures of each name a second of the timeline may have. There are fewer if the
    budget is not enough for so many."""
    side: int = 640
    """Pixels of the longer side. A larger picture is reduced by the whole number that brings it
    nearest to this, so that each pixel is the mean of a square."""
    quality: int = 75
    """The quality of the JPEG files, from 1 to 100."""

    def __post_init__(self) -> None:
        if self.budget is not None and parse_size(self.budget) < 1:
            raise CapacityError(f"budget {self.budget!r}: give the bytes of a second, or None")
        rate = self.per_second
        if isinstance(rate, bool) or not isinstance(rate, Real) or not 0 < rate < math.inf:
            raise CommandError(
                f"per_second {rate!r:.80}: give the number of pictures in a second, above 0"
            )
        _check_whole("side", self.side, 16, 4096)
        _check_whole("quality", self.quality, 1, 100)

    def bytes_per_second(self, room: int) -> int:
        """The budget in bytes, in a ring that has `room` bytes for frames."""
        if self.budget is None:
            return max(min(room // SHARE, MOST_PER_SECOND), 1)
        return parse_size(self.budget)


def _check_whole(name: str, value: object, least: int, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise CommandError(f"{name} {value!r:.80}: give a whole number from {least} to {most}")


def settings_of(given: "PictureSettings | bool") -> PictureSettings | None:
    """The settings that a session was given; None to record no picture.

    Raises:
        CommandError: they are none.
    """
    if given is True:
        return PictureSettings()
    if given is False:
        return None
    if isinstance(given, PictureSettings):
        return given
    raise CommandError(f"pictures={given!r:.80}: give PictureSettings(…), True or False")
