"""A panel's connection to a running game: it makes calls, and receives a published state."""

import select
import threading
from collections import deque
from collections.abc import Callable, Hashable
from typing import Any, Generic, NamedTuple, TypeVar

from ...bus.messages.events import ValuePublished
from ...bus.messages.message_types import Event
from ...bus.server.thread_waker import ThreadWaker
from ...errors import CommandError, PlayheadError
from .panel_game_client import CALL_TIMEOUT, IDLE_PAUSE, GameClient

S = TypeVar("S")
"""The state that the game publishes, as the panel parses it."""


class PanelCallResult(NamedTuple):
    """What came of a call."""

    command: dict[str, Any] | None
    """What was sent; None if the connection itself failed for good."""
    response: Any
    """What the game returned; None if there is an error."""
    error: str
    """Why the call failed; empty if it did not."""
    context: object = None
    """What the caller gave with the call."""


class _GameCall(NamedTuple):
    command: dict[str, Any]
    key: Hashable = None
    context: object = None


class PanelConnection(Generic[S]):
    """Calls a running game on a thread of its own, one call after another.

    Args:
        connect: Creates the client; runs on the thread.
        on_update: Called from the thread when there is something to `take`.
        name: The name under which the game serves the calls, and publishes its state.
        parse_state: Parses a published state; returns None for a malformed one. With it, the client
            connects at once, and tries again until the game is there. Without it, no state is
            received: the client connects for the first call, which fails if the game is not there.
    """

    def __init__(
        self, connect: Callable[[], GameClient], on_update: Callable[[], object], name: str,
        parse_state: Callable[[Any], S | None] | None = None,
    ) -> None:  # fmt: skip
        self._connect, self._on_update, self._name = connect, on_update, name
        self._parse_state = parse_state
        self._lock = threading.Lock()
        self._calls: deque[_GameCall] = deque()
        self._latest: _GameCall | None = None
        """The request of `request_latest` that waits."""
        self._state: S | None = None
        self._results: list[PanelCallResult] = []
        self._client: GameClient | None = None
        self._closed = threading.Event()
        self._wake = ThreadWaker()
        self._thread = threading.Thread(
            target=self._run, name=f"playhead viewer {name}", daemon=True
        )
        if parse_state is not None:
            self._thread.start()

    # --- for the window's thread ----------------------------------------------------------------

    def send(self, command: dict[str, Any], *, key: Hashable = None) -> None:
        """Queue a call.

        Args:
            key: If the last call that waits has the same key, this one replaces it: of changes of
                one value only the newest is sent.
        """
        with self._lock:
            if key is not None and self._calls and self._calls[-1].key == key:
                self._calls.pop()
            self._calls.append(_GameCall(command, key))
        self._wake_thread()

    def request_latest(self, command: dict[str, Any], context: object = None) -> None:
        """Call this when nothing else waits, instead of what was given here before.

        Args:
            context: Comes back in the result.
        """
        with self._lock:
            self._latest = _GameCall(command, context=context)
        self._wake_thread()

    def cancel_latest(self) -> None:
        """Forget the request of `request_latest`, if it still waits."""
        with self._lock:
            self._latest = None

    def take(self) -> tuple[S | None, list[PanelCallResult]]:
        """The newest state if it has changed since the last call, and the results since then."""
        with self._lock:
            taken = self._state, self._results
            self._state, self._results = None, []
        return taken

    def close(self) -> None:
        """End the thread, after the call that is running."""
        self._closed.set()
        self._wake.ring()
        if self._thread.is_alive():
            self._thread.join()
        self._wake.close()

    def _wake_thread(self) -> None:
        if self._thread.ident is None:
            self._thread.start()
        self._wake.ring()

    # --- the thread -----------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            if self._parse_state is not None and not self._subscribe():
                return
            while not self._closed.is_set():
                call = self._next_call()
                if call is None:
                    self._wait()
                else:
                    self._make(call)
        finally:
            if self._client is not None:
                self._client.close()

    def _subscribe(self) -> bool:
        """Connect and subscribe to the state; False if that will never work, or when closed."""
        while not self._closed.is_set():
            try:
                self._client = self._connect()
            except CommandError as error:
                self._add_result(PanelCallResult(None, None, str(error)))
                return False
            except PlayheadError:  # it may be back soon
                select.select([self._wake.fileno()], [], [], IDLE_PAUSE)
                self._wake.clear()
            else:
                self._client.on("published", self._on_published)
                return True
        return False

    def _next_call(self) -> _GameCall | None:
        with self._lock:
            if self._calls:
                return self._calls.popleft()
            call, self._latest = self._latest, None
            return call

    def _wait(self) -> None:
        """Sleep until there is a call or a message of the game."""
        handles = [] if self._client is None else self._client.handles
        pause = None if self._client is None else IDLE_PAUSE
        select.select([self._wake.fileno(), *handles], [], [], pause)
        self._wake.clear()
        if self._client is not None:
            self._client.dispatch()

    def _make(self, call: _GameCall) -> None:
        response, error = None, ""
        try:
            if self._client is None:
                self._client = self._connect()
            response = self._client.call(self._name, call.command, CALL_TIMEOUT)
        except PlayheadError as failure:
            error = str(failure)
        self._add_result(PanelCallResult(call.command, response, error, call.context))

    def _add_result(self, result: PanelCallResult) -> None:
        with self._lock:
            self._results.append(result)
        if not self._closed.is_set():
            self._on_update()

    def _on_published(self, event: Event) -> None:
        published = event.event
        if not isinstance(published, ValuePublished) or published.name != self._name:
            return
        assert self._parse_state is not None
        state = self._parse_state(published.body)
        if state is not None and not self._closed.is_set():
            with self._lock:
                self._state = state
            self._on_update()
