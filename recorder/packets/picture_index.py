"""The index of pictures: where each is recorded, without a frame being read."""

import msgspec

MOST_LATE = 600
"""Frames that may lie between a picture and the frame that it is recorded in. One that is
compressed later than that is lost."""


class PictureIndex(msgspec.Struct, frozen=True, array_like=True):
    """What a frame latches as `Kind.PICTURE` for each picture that is recorded in it."""

    frame: int
    """The frame that it is a picture of."""
    name: int
    """The number of its name."""
    bytes: int
    """The size of its file."""
