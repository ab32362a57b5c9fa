"""The connection to a game that replays demos: with a client and a thread of its own."""

import select
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

from ....bus.messages.events import ValuePublished
from ....bus.messages.message_types import Event
from ....bus.server.thread_waker import ThreadWaker
from ....errors import CommandError, PlayheadError
from ...backends.panel_client import PAUSE, WITHIN, GameClient
from .replay_model import NAME, ReplayState, replay_state_of


class ReplayConnection:
    """Receives the state of the replay, and sends commands, one after another.

    Args:
        connect: Makes the client; on the thread.
        ring: Called from the thread when there is something for `take`.
    """

    def __init__(self, connect: Callable[[], GameClient], ring: Callable[[], object]) -> None:
        self._connect, self._ring = connect, ring
        self._lock = threading.Lock()
        self._commands: deque[dict[str, Any]] = deque()
        self._state: ReplayState | None = None
        self._errors: list[str] = []
        self._closed = threading.Event()
        self._wake = ThreadWaker()
        self._thread = threading.Thread(
            target=self._run, name="playhead viewer replay", daemon=True
        )
        self._thread.start()

    # --- for the window's thread ----------------------------------------------------------------

    def send(self, command: dict[str, Any]) -> None:
        """Queue a command."""
        with self._lock:
            self._commands.append(command)
        self._wake.ring()

    def take(self) -> tuple[ReplayState | None, list[str]]:
        """The replay's state if it has changed, and for each command since the last call why it
        was refused; an empty text if it was not."""
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
            tool.call(NAME, command, WITHIN)
        except PlayheadError as error:
            self._say(str(error))
        else:
            self._say("")

    def _hear(self, event: Event) -> None:
        published = event.event
        if not isinstance(published, ValuePublished) or published.name != NAME:
            return
        state = replay_state_of(published.body)
        if state is not None and not self._closed.is_set():
            with self._lock:
                self._state = state
            self._ring()

    def _say(self, error: str) -> None:
        with self._lock:
            self._errors.append(error)
        if not self._closed.is_set():
            self._ring()
