"""Log lines and watched values: the payloads of two small packets."""

import struct
from typing import Any

import msgspec

from ...errors import RecordingError

WATCH = struct.Struct("<IId")
"""Number of the name's text, nothing, the value."""

LEVELS = ("debug", "info", "warning", "error")


def checked_level(level: str) -> str:
    """The same level.

    Raises:
        RecordingError: it is none.
    """
    if level not in LEVELS:
        raise _no_level(level)
    return level


def level_of(level: Any) -> str:
    """The level for a name or a number of the module `logging`.

    Raises:
        RecordingError: it is neither.
    """
    if isinstance(level, str):
        name = level.lower()
        if name in LEVELS or name in _OTHER_NAMES:
            return _OTHER_NAMES.get(name, name)
    elif isinstance(level, int) and not isinstance(level, bool) and level > 0:
        return LEVELS[min(max(level // 10, 1), len(LEVELS)) - 1]
    raise _no_level(level)


def _no_level(level: Any) -> RecordingError:
    return RecordingError(
        f"log level {level!r:.80}: there are {', '.join(LEVELS)}, and the names and numbers that"
        " logging has for them"
    )


_OTHER_NAMES = {
    "warn": "warning", "critical": "error", "fatal": "error", "exception": "error",
}  # fmt: skip


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
    """The older frame that a line of another process belongs to; 0: where it was recorded."""
