"""Messages and frames that a game on the gateway sends, queued for the thread that records.

The gateway's thread puts messages in, the recording thread takes them out. There is one game at a
time. The queue is bounded: while it is full, nothing more is read from the game, so the game waits
and nothing is lost.
"""

import threading
from collections import deque
from collections.abc import Callable
from typing import NamedTuple, Protocol, TypeAlias

from ..messages.gateway_messages import RegisterGame
from ..messages.message_types import Order, Request, ResponseBody

MOST_ITEMS = 1024
"""Messages that may wait …"""
MOST_BYTES = 16 << 20
"""… and their bytes together; one larger than that is taken when it is alone."""


class GatewayGame(Protocol):
    """The gateway's side of a connected game; every call is for the recording thread."""

    @property
    def unsent(self) -> int:
        """Orders that are on their way to it, because it does not read."""

    def order(self, order: Order, image: bytes | None = None) -> None:
        """Send it an order; an image follows the order at once."""

    def answer(self, sequence: int, result: ResponseBody) -> None:
        """Answer one of its requests; with sequence 0, report an error of its own to it."""

    def read_on(self) -> None:
        """There is room again for what it sends."""


class GameConnected(NamedTuple):
    """A game is there; all that follows is this one's."""

    game: GatewayGame
    register: RegisterGame
    sequence: int
    origin: str


class GameMessage(NamedTuple):
    """A message of the game: a statement, a type, a skeleton, `paused` or `resumed`."""

    request: Request
    size: int


class GameFrame(NamedTuple):
    """It sent a frame by itself."""

    image: bytes

    @property
    def size(self) -> int:
        return len(self.image)


class GameDisconnected(NamedTuple):
    """It has hung up, or was killed."""


Item: TypeAlias = GameConnected | GameMessage | GameFrame | GameDisconnected


class GameQueue:
    """A queue of what the one game says.

    Args:
        notify: Called when something was put in or could be sent; by any thread.
    """

    def __init__(self, notify: Callable[[], object]) -> None:
        self.notify = notify
        self._items: deque[Item] = deque()
        self._bytes = 0
        self._lock = threading.Lock()
        self._game: GatewayGame | None = None
        self._full = False

    # --- for the gateway --------------------------------------------------------------------

    def attach(self, item: GameConnected) -> bool:
        """Accept a connection as the game; False if there is one."""
        with self._lock:
            if self._game is not None:
                return False
            self._game, self._full = item.game, False
            self._items.append(item)
        self.notify()
        return True

    def put(self, item: GameMessage | GameFrame) -> bool:
        """Put in what the game sent; False if it is to be read no further until `read_on`."""
        with self._lock:
            self._items.append(item)
            self._bytes += item.size
            self._full = len(self._items) >= MOST_ITEMS or self._bytes >= MOST_BYTES
            full = self._full
        self.notify()
        return not full

    def detach(self, game: GatewayGame) -> None:
        """The game is gone; another may come."""
        with self._lock:
            if self._game is not game:
                return
            self._game = None
            self._items.append(GameDisconnected())
        self.notify()

    # --- for the thread that records --------------------------------------------------------

    def take(self) -> Item | None:
        """The oldest item that waits; None if there is none."""
        with self._lock:
            if not self._items:
                return None
            item = self._items.popleft()
            if isinstance(item, GameMessage | GameFrame):
                self._bytes -= item.size
            room = len(self._items) <= MOST_ITEMS // 2 and self._bytes <= MOST_BYTES // 2
            again = self._game if self._full and room else None
            if again is not None:
                self._full = False
        if again is not None:
            again.read_on()
        return item

    @property
    def waiting(self) -> int:
        """How many items wait."""
        return len(self._items)
