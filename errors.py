"""Every error that playhead raises, in one small hierarchy.

Each message names the value, the place and what to do about it.
"""

import os


class PlayheadError(Exception):
    """The base of all of them: catch this to catch every error of playhead."""


class CapacityError(PlayheadError, ValueError):
    """Something asked for can never fit in the memory that was given."""


class EvictedError(PlayheadError, LookupError):
    """The requested frame is not in the recording: it was evicted, or never recorded."""


class DamagedError(PlayheadError, ValueError):
    """Bytes from outside are not what they must be: another format, cut off or torn."""


class RecordingError(PlayheadError, ValueError):
    """Something handed to the recorder can't be recorded: an id, a time, a shape, a type."""


class HandlerError(PlayheadError):
    """A handler broke its contract, or handlers were registered wrongly."""


class CommandError(PlayheadError, ValueError):
    """A command can't be carried out: its numbers make no sense, or its target is unknown."""


class ExpressionError(CommandError):
    """An expression to be searched for can't be read, or names what is not recorded.

    `column` is the position of the mistake in the expression, from 1, where it has one; else 0.
    Blanks at the expression's ends do not count.
    """

    def __init__(self, message: str, column: int = 0) -> None:
        super().__init__(message)
        self.column = column


class PlanError(PlayheadError, ValueError):
    """A plan can't be read, or asks for what its game does not have."""


class TreeError(PlayheadError, ValueError):
    """A behaviour tree can't be read, can't be built, or asks for what its game does not have."""


class AgentError(PlayheadError, ValueError):
    """Your own states or rules for an agent can't be read, or don't fit together."""


class GameError(PlayheadError, RuntimeError):
    """A game could not be started, or stopped answering."""


class BusError(PlayheadError, ConnectionError):
    """No answer on the bus, the connection was lost, or the other end has another protocol."""


class BusyError(CommandError):
    """The game did not take a command up in time: it is in a long step, or in a debugger."""


def message_with_path(error: DamagedError, path: str | os.PathLike[str]) -> str:
    """The error's message with the file's path before it, unless it begins with the path."""
    message = str(error)
    return message if message.startswith(str(path)) else f"{path}: {message}"
