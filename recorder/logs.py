"""Log lines and watched values: the payloads of two small packets."""

import struct

import msgspec

from ..errors import RecordingError

WATCH = struct.Struct("<IId")
"""Number of the name's text, nothing, the value."""

LEVELS = ("debug", "info", "warning", "error")


def checked_level(level: str) -> str:
    """The same level.

    Raises:
        RecordingError: it is none.
    """
    if level not in LEVELS:
        raise RecordingError(f"log level {level!r}: there are {', '.join(LEVELS)}")
    return level


class LogLine(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line of the log."""

    text: str
    level: str = "info"
    """`debug`, `info`, `warning` or `error`."""
    file: str = ""
    line: int = 0
    object: int = 0
    """The object it is about; filled in when read."""
    belongs_to: int = 0
    """The older frame that a line of another process belongs to; 0 for the one it stands in."""
