"""A panel's connection to what a game serves and publishes, with a thread of its own."""

import select
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from ...bus.messages.events import ValuePublished
from ...bus.messages.message_types import Event
from ...bus.server.thread_waker import ThreadWaker
from ...errors import CommandError, PlayheadError
from .panel_client import PAUSE, WITHIN, GameClient

S = TypeVar("S")
"""What a panel makes of the published state."""


class PanelConnection(Generic[S]):
    """Receives a state that a game publishes, and sends commands, one after another.

    Args:
        connect: Makes the client; on the thread.
        ring: Called from the thread when there is something for `take`.
        name: Under which the game publishes the state, and serves commands.
        read: The state, of what was published; None if it is none.
    """

    def __init__(
        self, connect: Callable[[], GameClient], ring: Callable[[], object], name: str,
        read: Callable[[Any], S | None],
    ) -> None:  # fmt: skip
        self._connect, self._ring, self._name, self._read = connect, ring, name, read
        self._lock = threading.Lock()
        self._commands: deque[dict[str, Any]] = deque()
        self._state: S | None = None
        self._errors: list[str] = []
        self._closed = threading.Event()
        self._wake = ThreadWaker()
        self._thread = threading.Thread(
            target=self._run, name=f"playhead viewer {name}", daemon=True
        )
        self._thread.start()

    # --- for the window's thread ----------------------------------------------------------------

    def send(self, command: dict[str, Any]) -> None:
        """Queue a command."""
        with self._lock:
            self._commands.append(command)
        self._wake.ring()

    def take(self) -> tuple[S | None, list[str]]:
        """The state if it has changed, and for each command since the last call why it was
        refused; an empty text if it was not."""
        with self._lock:
            taken = self._state, self._errors
            self._state, self._errors = None, []
        return taken

    def close(self) -> None:
        """End the thread, after the request that is under way."""
        self._closed.set()
        self._wake.ring()
        self._thread.join()
        self._wake.close()

    # --- the thread -----------------------------------------------------------------------------

    def _run(self) -> None:
        tool = self._connected()
        if tool is None:
            return
        try:
            while not self._closed.is_set():
                with self._lock:
                    command = self._commands.popleft() if self._commands else None
                if command is not None:
                    self._hand_over(tool, command)
                    continue
                select.select([self._wake.fileno(), *tool.handles], [], [], PAUSE)
                self._wake.clear()
                tool.dispatch()
        finally:
            tool.close()

    def _connected(self) -> GameClient | None:
        while not self._closed.is_set():
            try:
                tool = self._connect()
            except CommandError as error:
                self._say(str(error))
                return None
            except PlayheadError:  # it may be back soon
                select.select([self._wake.fileno()], [], [], PAUSE)
                self._wake.clear()
            else:
                tool.on("published", self._hear)
                return tool
        return None

    def _hand_over(self, tool: GameClient, command: dict[str, Any]) -> None:
        try:
            tool.call(self._name, command, WITHIN)
        except PlayheadError as error:
            self._say(str(error))
        else:
            self._say("")

    def _hear(self, event: Event) -> None:
        published = event.event
        if not isinstance(published, ValuePublished) or published.name != self._name:
            return
        state = self._read(published.body)
        if state is not None and not self._closed.is_set():
            with self._lock:
                self._state = state
            self._ring()

    def _say(self, error: str) -> None:
        with self._lock:
            self._errors.append(error)
        if not self._closed.is_set():
            self._ring()
