"""The gateway: the bus over WebSockets, for browsers, for tools without ZeroMQ and for games.

The gateway listens in a thread of its own. Every peer needs the token, also on loopback, because
any web page can reach loopback. The origin of a page must also be on the list. A refused peer gets
no reason.
"""

import asyncio
import hmac
import logging
import socket
import threading
from collections.abc import Callable, Coroutine, Iterable
from concurrent.futures import Future
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from ...errors import CapacityError
from ..messages.address import Address
from ..server.service import Service
from .gateway_connection import GatewayConnection
from .gateway_settings import GatewaySettings
from .messages_from_game import GameQueue

MOST_BYTES = 64 << 20
"""The longest message that is read: a frame. Texts may have less, see `message.MOST_BYTES`."""
MOST_CONNECTIONS = 64
PROTOCOL_PREFIX = "playhead."
"""A browser can't set headers: it may hand the token over as the subprotocol `playhead.TOKEN`."""
_OPEN_WITHIN = 5.0
"""Seconds in which a handshake has to be through."""
_FLUSH_WITHIN = 1.0
"""Seconds in which peers may read what is left for them, when the gateway closes …"""
_CLOSE_WITHIN = 1.0
"""… and then in which they may close the connection."""
_CHECK_EVERY = 0.5
"""Seconds between two looks for peers that have hung up unnoticed."""
_PING_EVERY = 20.0
"""Seconds between pings, which keep what lies between from hanging up. Nobody has to answer in
time: a game may be stopped in a debugger. The system's own probes notice who is really gone."""
_HEARD_EVERY = 10.0
"""Seconds between the gateway's words that its peers are still there."""
_PROBES = {"TCP_KEEPIDLE": 15, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 4}

_logger = logging.getLogger("playhead.gateway")
_logger.addHandler(logging.NullHandler())  # or failed handshakes would be printed


class Gateway:
    """Listens for WebSockets and connects each to the service.

    Args:
        service: What they talk to. Close the gateway before it.
        settings: Where to listen, and whom to let in.
        link: Where a game's frames go; None if no game can be one here.

    Raises:
        CommandError: the address, the token, or what TLS needs, is none.
        RecordingError: other machines can reach it, and there is no TLS.
        CapacityError: the address can't be had.
    """

    def __init__(
        self, service: Service, settings: GatewaySettings, link: GameQueue | None = None
    ) -> None:
        self._address = settings.where()
        self.token = settings.token_text()
        self._tls = settings.tls()
        self._origins = frozenset(settings.origins)
        self._service = service
        self._link = link
        self._peers: set[GatewayConnection] = set()
        self._stop = asyncio.Event()
        # ZeroMQ's sockets need a loop that can watch file handles, also where another is usual.
        self._loop: asyncio.AbstractEventLoop = asyncio.SelectorEventLoop()
        opened: Future[Address] = Future()
        self._thread = threading.Thread(
            target=self._run, args=(opened,), name="playhead gateway", daemon=True
        )
        self._thread.start()
        try:
            self.address = opened.result()
        except BaseException:
            self._thread.join()
            raise

    @property
    def url(self) -> str:
        """Where it listens, with the token: what a client is given."""
        scheme = "wss" if self._tls is not None else "ws"
        return f"{scheme}://{self.address.authority}/?token={quote(self.token)}"

    @property
    def connections(self) -> int:
        """How many peers are connected."""
        return len(self._peers)

    def close(self) -> None:
        """Close every connection."""
        if self._loop.is_closed():
            return
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    # --- the gateway's thread -------------------------------------------------------------------

    def _run(self, opened: "Future[Address]") -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._main(opened))

    async def _main(self, opened: "Future[Address]") -> None:
        try:
            listening = await self._listen()
        except OSError as error:
            opened.set_exception(CapacityError(
                f"can't listen on {self._address.authority}: {error.strerror or error}; give"
                " another address, such as 127.0.0.1:0 for any free port"
            ))  # fmt: skip
            return
        except BaseException as error:
            opened.set_exception(error)
            return
        async with listening:
            opened.set_result(self._address.at(listening.sockets[0].getsockname()[1]))
            hearing = asyncio.create_task(self._keep_alive())
            checking = asyncio.create_task(self._check())
            await self._stop.wait()
            hearing.cancel()
            checking.cancel()
            listening.close(close_connections=False)
            # The game must still receive the order to run on.
            await _all(self._peers, lambda peer: peer.flush(), _FLUSH_WITHIN)
            # The server would wait for each of them, and some never read.
            await _all(self._peers, lambda peer: peer.end(_CLOSE_WITHIN), 2 * _CLOSE_WITHIN)

    async def _listen(self) -> Server:
        return await serve(
            self._serve, self._address.host, self._address.port,
            ssl=self._tls, process_request=self._admit, select_subprotocol=_token_protocol,
            compression=None, server_header=None, open_timeout=_OPEN_WITHIN,
            ping_interval=_PING_EVERY, ping_timeout=None, close_timeout=1.0,
            max_size=MOST_BYTES, max_queue=4, logger=_logger,
        )  # fmt: skip

    def _admit(self, connection: ServerConnection, request: Request) -> Response | None:
        """Let a newcomer in, or turn it away without a word why."""
        origins = request.headers.get_all("Origin")
        if not self._knows_token(request) or not self._origins.issuperset(origins):
            return connection.respond(HTTPStatus.FORBIDDEN, "")
        if len(self._peers) >= MOST_CONNECTIONS:
            return connection.respond(HTTPStatus.SERVICE_UNAVAILABLE, "")
        return None

    def _knows_token(self, request: Request) -> bool:
        tokens = parse_qs(urlsplit(request.path).query).get("token", [])
        for header in request.headers.get_all("Authorization"):
            scheme, _, value = header.partition(" ")
            if scheme.lower() == "bearer":
                tokens.append(value.strip())
        for header in request.headers.get_all("Sec-WebSocket-Protocol"):
            offered = (name.strip() for name in header.split(","))
            tokens += [
                name.removeprefix(PROTOCOL_PREFIX)
                for name in offered
                if name.startswith(PROTOCOL_PREFIX)
            ]
        token = self.token.encode()
        return any(hmac.compare_digest(one.encode(errors="replace"), token) for one in tokens)

    async def _serve(self, websocket: ServerConnection) -> None:
        _probe(websocket.transport.get_extra_info("socket"))
        peer = GatewayConnection(websocket, self._service, self._link)
        self._peers.add(peer)
        try:
            await peer.run()
        finally:
            self._peers.discard(peer)

    async def _check(self) -> None:
        while True:
            await asyncio.sleep(_CHECK_EVERY)
            self._check_all()

    def _check_all(self) -> None:
        for peer in tuple(self._peers):
            peer.check()

    async def _keep_alive(self) -> None:
        while True:
            await asyncio.sleep(_HEARD_EVERY)
            self._service.keep_alive(tuple(self._peers))


async def _all(
    peers: Iterable[GatewayConnection],
    act: Callable[[GatewayConnection], Coroutine[Any, Any, None]],
    within: float,
) -> None:
    """Do something with each of them at once, but for no longer than that."""
    tasks = [asyncio.create_task(act(peer)) for peer in peers]
    if tasks:
        _, late = await asyncio.wait(tasks, timeout=within)
        for task in late:
            task.cancel()


def _token_protocol(_: ServerConnection, offered: Any) -> Subprotocol | None:
    """A browser hangs up if the protocol it offered is not taken; the token was checked before."""
    return next((name for name in offered if name.startswith(PROTOCOL_PREFIX)), None)


def _probe(peer: "socket.socket | None") -> None:
    """Have the system notice a peer whose machine is gone."""
    if peer is None:
        return
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _PROBES.items():
        if hasattr(socket, name):
            peer.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
