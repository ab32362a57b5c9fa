"""The bus client of a panel that calls a running game."""

from collections.abc import Callable
from typing import Any, Protocol

from ...bus.client.client import Client
from ...bus.messages.message_types import Event
from ...errors import CommandError
from .live_backend import LiveBackend
from .open_target import ViewTarget

CALL_TIMEOUT = 3.0
"""Seconds that a game has to answer."""
IDLE_PAUSE = 0.5
"""Seconds between two checks of the connection while there is nothing to call."""


class GameClient(Protocol):
    """The part of a client that panels use."""

    @property
    def handles(self) -> Any: ...
    def on(self, topic: str, callback: Callable[[Event], object]) -> None: ...
    def call(self, name: str, argument: Any = None, timeout: float | None = None) -> Any: ...
    def dispatch(self, timeout: float = 0.0) -> int: ...
    def close(self) -> None: ...


def game_client(target: ViewTarget, name: str, error_for_file: str) -> GameClient:
    """A client of the game that is viewed.

    Args:
        name: The client's name, as the game lists it.
        error_for_file: The end of the error text if a file is viewed.

    Raises:
        CommandError: a file is viewed.
        BusError: no game answers.
    """
    backend = target.open()
    try:
        if not isinstance(backend, LiveBackend):
            raise CommandError(f"{target.title} is a recording: {error_for_file}")
        endpoint, keys = backend.client.endpoint, backend.keys
    finally:
        backend.close()
    return Client(endpoint, name=name, keys=keys, timeout=CALL_TIMEOUT)
