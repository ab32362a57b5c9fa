"""Pictures of the game's screen: which can be recorded, and how their packets begin."""

import struct
from numbers import Integral
from typing import Any

from ...errors import RecordingError
from ..statements.statement_messages import Picture

PICTURE = struct.Struct("<IHH4s")
"""Number of the name's text, width, height, and the format, padded with zeros; the bytes follow."""
LATE = struct.Struct("<Q")
"""What precedes all that in a picture of an older frame: that frame."""
FORMATS = ("jpeg", "png", "webp")
MOST_BYTES = (1 << 20) - 4096
"""Bytes of a picture: a request to the bus has 1 MiB with all that is around it."""
MOST_NAME = 200
"""Characters of a picture's name."""
MOST_SIDE = (1 << 16) - 1
"""Pixels of a side."""


def checked_picture(picture: Picture) -> None:
    """See that a picture can be recorded.

    Raises:
        RecordingError: it can't be; the message has the reason.
    """
    data: Any = picture.data
    where = f"picture {picture.name!r:.100}"
    if not isinstance(data, bytes):
        raise RecordingError(
            f"{where}: data is a {type(data).__name__}: give the bytes of a compressed picture,"
            " such as those of a JPEG file"
        )
    if not isinstance(picture.name, str) or len(picture.name) > MOST_NAME:
        raise RecordingError(f"{where}: a name is a text of {MOST_NAME} characters at most")
    if picture.format not in FORMATS:
        raise RecordingError(
            f"{where}: format {picture.format!r:.100}: there are {', '.join(FORMATS)}"
        )
    if not data:
        raise RecordingError(f"{where}: data is empty: give the bytes of a {picture.format} file")
    if not is_of(picture.format, data):
        raise RecordingError(
            f"{where}: data begins with {data[:12]!r}, which is no {picture.format}: give the bytes"
            " of a whole file, and the format that it has"
        )
    if len(data) > MOST_BYTES:
        raise RecordingError(
            f"{where}: {len(data)} bytes; {MOST_BYTES} is the most: make it smaller, or compress it"
            " more"
        )
    for side, pixels in (("width", picture.width), ("height", picture.height)):
        is_integer = isinstance(pixels, Integral) and not isinstance(pixels, bool)
        if not is_integer or not 0 <= pixels <= MOST_SIDE:
            raise RecordingError(
                f"{where}: {side} {pixels!r:.100}: give a whole number of pixels from 0 (unknown)"
                f" to {MOST_SIDE}"
            )


def is_of(format: str, data: bytes) -> bool:
    """Whether some bytes begin as all files of a format do."""
    match format:
        case "jpeg":
            return data.startswith(b"\xff\xd8\xff")
        case "png":
            return data.startswith(b"\x89PNG\r\n\x1a\n")
    return data.startswith(b"RIFF") and data[8:12] == b"WEBP"
