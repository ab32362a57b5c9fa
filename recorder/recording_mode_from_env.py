"""The recording mode: `PLAYHEAD` in the environment switches it without a change of code."""

import enum
import logging
import os
from collections.abc import Mapping

from ..errors import RecordingError
from .text.safe_log import log_safely

VARIABLE = "PLAYHEAD"
_RENAMED = "PLAYHEAD_STRICT"
"""What strict mode was asked for with before."""
_logger = logging.getLogger("playhead")
_logged: set[str] = set()
"""Warnings already logged: an environment belongs to the process, so each is logged once in it."""


class RecordingMode(enum.Enum):
    """Recording as the environment sets it."""

    OFF = "off"
    """Sessions record nothing, and cost next to nothing."""
    ON = "on"
    """They record; what can't be recorded is counted, and logged once."""
    STRICT = "strict"
    """They record; what can't be recorded is raised: for tests."""


def recording_mode(environment: Mapping[str, str] = os.environ) -> RecordingMode:
    """The mode that `PLAYHEAD` sets; `on` where it is not set, or empty.

    Raises:
        RecordingError: it has another value.
    """
    value = environment.get(VARIABLE, "")
    if not value:
        if environment.get(_RENAMED):
            _log_renamed(environment[_RENAMED])
        return RecordingMode.ON
    try:
        return RecordingMode(value)
    except ValueError:
        values = ", ".join(mode.value for mode in RecordingMode)
        raise RecordingError(f"{VARIABLE}={value!r} in the environment: give {values}") from None


def _log_renamed(value: str) -> None:
    if _RENAMED not in _logged:
        _logged.add(_RENAMED)
        log_safely(
            _logger, logging.WARNING,
            "%s=%s is not read any more: set %s=strict (or off, or on)", _RENAMED, value, VARIABLE,
        )  # fmt: skip
