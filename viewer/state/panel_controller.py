"""What a panel and a running game tell each other: commands, refusals, the published state."""

from collections.abc import Callable
from functools import partial
from typing import Any

from ..backends.panel_game_client import GameClient, game_client
from ..backends.panel_game_connection import PanelConnection
from ..toolkit.qt import QObject, pyqtSignal
from .viewer_store import ViewerStore


class PanelController(QObject):
    """Belongs to a store. Close it before its store.

    Args:
        name: The name under which the game serves the calls, and publishes its state.
        client_name: The client's name, as the game lists it.
        error_for_file: The end of the error text if a file is viewed.
        parse_state: Parses a published state; None for a game that publishes none.
    """

    changed = pyqtSignal()
    """What it knows of the game, or the error text, changed."""
    _notified = pyqtSignal()
    nothing_there = "The viewed game takes no such commands"
    """The message for a command before there is a connection."""

    def __init__(
        self, store: ViewerStore, name: str, client_name: str, error_for_file: str,
        parse_state: Callable[[Any], Any] | None = None,
    ) -> None:  # fmt: skip
        super().__init__(store)
        self.store = store
        self.error_text = ""
        """Why the newest command was refused; empty if it was not."""
        self.connect: Callable[[], GameClient] = partial(
            game_client, store.target, client_name, error_for_file
        )
        self._name, self._parse_state = name, parse_state
        self._connection: PanelConnection[Any] | None = None
        self._notified.connect(self._take)

    def command(self, command: dict[str, Any]) -> None:
        """Send a command; a message says if it is refused."""
        if self._connection is None:
            self.store.message.emit(self.nothing_there)
        else:
            self._connection.send(command)

    def _connected(self) -> PanelConnection[Any]:
        """The connection, which is made when it is first asked for."""
        if self._connection is None:
            self._connection = PanelConnection(
                self.connect, self._notified.emit, self._name, self._parse_state
            )
        return self._connection

    def _take(self) -> None:
        if self._connection is None:
            return
        state, results = self._connection.take()
        for result in results:
            self.error_text = result.error
            if result.error:
                self.store.message.emit(result.error)
        if state is not None:
            self._set_state(state)
        self.changed.emit()

    def _set_state(self, state: Any) -> None:
        """Take the newest state that the game has published."""

    def close(self) -> None:
        """End the connection to the game."""
        self._notified.disconnect()
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()
