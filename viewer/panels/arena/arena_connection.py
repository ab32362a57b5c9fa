"""Sends orders to an arena: with a client and a thread of its own."""

import select
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from ....bus.server.thread_waker import ThreadWaker
from ....errors import PlayheadError
from ...backends.panel_client import PAUSE, WITHIN, GameClient
from .arena_model import NAME, PlacementGhost, PlacementPreview


class OrderResult(NamedTuple):
    """The result of an order."""

    order: dict[str, Any]
    error: str
    """Why it was not carried out; empty if it was."""


class ArenaConnection:
    """Sends orders, one after another; of previews only the newest is asked for.

    The thread and its client begin with the first order.

    Args:
        connect: Makes the client; on the thread.
        ring: Called from the thread when there is something for `take`.
    """

    def __init__(self, connect: Callable[[], GameClient], ring: Callable[[], object]) -> None:
        self._connect, self._ring = connect, ring
        self._lock = threading.Lock()
        self._orders: deque[dict[str, Any]] = deque()
        self._ghost: PlacementGhost | None = None
        self._done: list[OrderResult] = []
        self._seen: PlacementGhost | None = None
        self._client: GameClient | None = None
        self._closed = threading.Event()
        self._wake = ThreadWaker()
        self._thread = threading.Thread(
            target=self._run, name="playhead viewer orders", daemon=True
        )

    # --- for the window's thread ----------------------------------------------------------------

    def send(self, order: dict[str, Any]) -> None:
        """Queue an order. Of waiting changes of one value only the newest is sent."""
        with self._lock:
            if self._orders and _is_newer(order, self._orders[-1]):
                self._orders.pop()
            self._orders.append(order)
        self._begin()

    def ask(self, ghost: PlacementGhost | None) -> None:
        """Request a preview of what this would place; None to stop."""
        with self._lock:
            self._ghost = ghost
        if ghost is not None:
            self._begin()

    def take(self) -> tuple[list[OrderResult], PlacementGhost | None]:
        """The results of orders since the last call, and the newest preview from the game."""
        with self._lock:
            taken = self._done, self._seen
            self._done, self._seen = [], None
        return taken

    def close(self) -> None:
        """End the thread, after the request that is under way."""
        self._closed.set()
        self._wake.ring()
        if self._thread.is_alive():
            self._thread.join()
        self._wake.close()

    def _begin(self) -> None:
        if not self._thread.ident:
            self._thread.start()
        self._wake.ring()

    # --- the thread -----------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            while not self._closed.is_set():
                if not self._turn():
                    self._rest()
        finally:
            if self._client is not None:
                self._client.close()

    def _rest(self) -> None:
        handles = [] if self._client is None else self._client.handles
        pause = None if self._client is None else PAUSE
        select.select([self._wake.fileno(), *handles], [], [], pause)
        self._wake.clear()
        if self._client is not None:
            self._client.dispatch()

    def _turn(self) -> bool:
        """Send the next order or preview request; False if there is none."""
        with self._lock:
            order = self._orders.popleft() if self._orders else None
            ghost, self._ghost = (self._ghost, None) if order is None else (None, self._ghost)
        if order is not None:
            error = self._call_game(order)[1]
            with self._lock:
                self._done.append(OrderResult(order, error))
        elif ghost is not None:
            seen = self._looked(ghost)
            with self._lock:
                self._seen = seen
        else:
            return False
        if not self._closed.is_set():
            self._ring()
        return True

    def _looked(self, ghost: PlacementGhost) -> PlacementGhost:
        body, error = self._call_game({"order": "preview", "of": ghost.tool.order(*ghost.at)})
        if not error:
            try:
                preview = msgspec.convert(body, PlacementPreview)
            except msgspec.ValidationError as wrong:
                error = f"the game's preview makes no sense: {wrong}"
            else:
                return ghost._replace(asked=ghost.at, preview=preview, refused=preview.refused)
        return ghost._replace(asked=ghost.at, preview=None, refused=error)

    def _call_game(self, body: dict[str, Any]) -> tuple[Any, str]:
        """The game's answer, and the error; empty if there was none."""
        try:
            if self._client is None:
                self._client = self._connect()
            return self._client.call(NAME, body, WITHIN), ""
        except PlayheadError as error:
            return None, str(error)


def _is_newer(order: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether both set the same value, so that the earlier one is of no use any more."""
    return order["order"] == other["order"] == "set_odds" and all(
        order[part] == other[part] for part in ("target", "difficulty")
    )
