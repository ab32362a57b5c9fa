"""The side channel: short messages about rounds and errors, beside observations and rewards."""

from collections.abc import Callable
from enum import StrEnum

import msgspec

from .....errors import GameError
from .....recorder.statements.instrumentation_interface import NULL_INSTRUMENTATION, Instrumentation

CHANNEL = "side"
"""The channel of these lines in a recording's log, and so on the bus."""
SAVE = "save"
"""The command without a text: save the model when the next training has finished."""


class LogType(StrEnum):
    """The first field of a message."""

    LOG = "Log"
    WARNING = "Warning"
    ERROR = "Error"


SENT = (LogType.WARNING, LogType.ERROR)
"""What the environment sends; the rest stays in its own log."""


class SideChannelMessage(msgspec.Struct, frozen=True):
    """Fields between bars, the log's type first: `Warning|Result|Win`."""

    type: LogType
    fields: tuple[str, ...]
    """Names, at least one; none contains a bar."""

    @property
    def text(self) -> str:
        """As it is sent."""
        return "|".join((self.type.value, *self.fields))

    @property
    def result(self) -> str | None:
        """`Win` or `Lose`, if it is about the end of a round."""
        if self.type is LogType.WARNING and len(self.fields) == 2 and self.fields[0] == "Result":
            return self.fields[1]
        return None

    @property
    def command(self) -> str | None:
        """The command for Python, if it is one: `save`, unless it has a text."""
        if self.type is not LogType.WARNING or self.fields[0] != "Command":
            return None
        return "|".join(self.fields[1:]) or SAVE


def message(type: LogType, *fields: str) -> SideChannelMessage:
    """A message of these fields; bars in them become strokes.

    Raises:
        GameError: there is no field, or the first is empty.
    """
    if not fields or not fields[0]:
        raise GameError(f"a message of type {type.value} needs a field that says what it is about")
    return SideChannelMessage(type, tuple(str(field).replace("|", "/") for field in fields))


def parse(text: str) -> SideChannelMessage:
    """The message in a text.

    Raises:
        GameError: it has no known type in front, or nothing after it.
    """
    name, bar, rest = text.partition("|")
    try:
        kind = LogType(name)
    except ValueError:
        known = ", ".join(LogType)
        raise GameError(f"message {text!r}: it begins with one of {known}, then a bar") from None
    if not bar or not rest.partition("|")[0]:
        raise GameError(f"message {text!r}: behind {name} and a bar it must say something")
    return SideChannelMessage(kind, tuple(rest.split("|")))


class SideChannel:
    """Sends messages to listeners, and into the recording, and so to the bus.

    A copy, or what is unpickled, has neither listeners nor a recording.
    """

    def __init__(self) -> None:
        self.instruments: Instrumentation = NULL_INSTRUMENTATION
        self._listeners: list[Callable[[SideChannelMessage], object]] = []
        self._readers: list[Callable[[SideChannelMessage], object]] = []

    def __reduce__(self) -> "tuple[type[SideChannel], tuple[()]]":
        return type(self), ()

    def on_message(self, listener: Callable[[SideChannelMessage], object]) -> Callable[[], None]:
        """Have `listener` called, in the game's thread, for each message; returns how to stop."""
        return _added(self._listeners, listener)

    def on_command(self, reader: Callable[[SideChannelMessage], object]) -> Callable[[], None]:
        """Have `reader` called for each message to the environment."""
        return _added(self._readers, reader)

    def send(self, type: LogType, *fields: str, object: int = 0) -> SideChannelMessage:
        """Log a message; those of type Warning and Error go to all listeners."""
        sent = message(type, *fields)
        self._log(sent, object)
        if sent.type in SENT:
            for listener in tuple(self._listeners):
                listener(sent)
        return sent

    def tell(self, text: str) -> SideChannelMessage:
        """Take a message the other way, from Python: it is logged and handed to readers.

        Raises:
            GameError: it is no message.
        """
        sent = parse(text)
        self._log(sent, 0)
        for reader in tuple(self._readers):
            reader(sent)
        return sent

    def result(self, won: bool, object: int = 0) -> SideChannelMessage:
        """Report how a round has ended."""
        return self.send(LogType.WARNING, "Result", "Win" if won else "Lose", object=object)

    def ask(self, command: str = "") -> SideChannelMessage:
        """Send Python a command; by default to save the model after the next training."""
        fields = ("Command", command) if command else ("Command",)
        return self.send(LogType.WARNING, *fields)

    def error(self, about: str, text: str) -> SideChannelMessage:
        """Report that something went wrong."""
        return self.send(LogType.ERROR, about, text)

    def _log(self, sent: SideChannelMessage, object: int) -> None:
        level = "info" if sent.type is LogType.LOG else sent.type.value.lower()
        self.instruments.log(sent.text, level=level, object=object, channel=CHANNEL)


def _added(
    to: list[Callable[[SideChannelMessage], object]], one: Callable[[SideChannelMessage], object]
) -> Callable[[], None]:
    to.append(one)

    def stop() -> None:
        if one in to:
            to.remove(one)

    return stop
