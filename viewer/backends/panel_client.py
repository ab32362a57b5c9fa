"""A client of its own for a panel that has a running game do things."""

from collections.abc import Callable
from typing import Any, Protocol

from ...bus.client.client import Client
from ...bus.messages.message_types import Event
from ...errors import CommandError
from .live_backend import LiveBackend
from .view_target import ViewTarget

WITHIN = 3.0
"""Seconds that a game has to answer."""
PAUSE = 0.5
"""Seconds between two looks at the connection while nothing is wanted."""


class GameClient(Protocol):
    """The part of a client that such a panel uses."""

    @property
    def handles(self) -> Any: ...
    def on(self, topic: str, callback: Callable[[Event], object]) -> None: ...
    def call(self, name: str, argument: Any = None, timeout: float | None = None) -> Any: ...
    def dispatch(self, timeout: float = 0.0) -> int: ...
    def close(self) -> None: ...


def game_client(target: ViewTarget, name: str, of_files: str) -> GameClient:
    """A client of the game that is viewed.

    Args:
        name: What it is called there.
        of_files: What is wrong if a file is viewed, for the end of a sentence.

    Raises:
        CommandError: it is a file.
        BusError: nobody answers there.
    """
    backend = target.open()
    try:
        if not isinstance(backend, LiveBackend):
            raise CommandError(f"{target.title} is a recording: {of_files}")
        endpoint, keys = backend.client.endpoint, backend.keys
    finally:
        backend.close()
    return Client(endpoint, name=name, keys=keys, timeout=WITHIN)
