"""A tool's connection to a service: sockets, the hello, and reconnecting after a loss."""

import contextlib
import math
import time
from collections.abc import Callable, Mapping
from typing import Any

import zmq

from ...errors import BusError, CommandError, DamagedError
from ..messages.address import Address
from ..messages.encryption_keys import ClientKeys
from ..messages.events import ValuePublished
from ..messages.message import PROTOCOL, PlayheadTime
from ..messages.message_types import Event, Request, RequestBody, Response, agrees, other_version
from ..messages.msgpack_codec import event_of, packed, response_of, time_of
from ..messages.plain_values import MOST_NAMES
from ..messages.requests import Bye, Hello
from ..messages.responses import ErrorResponse, Welcome
from ..server.publisher import handle_of

LOST_AFTER = 1.5
"""Seconds without a sign of life after which a service counts as lost; it gives four a second."""
HELLO_EVERY = 0.3
"""Seconds between attempts to find a lost service again."""
_AT_ONCE = 1000
"""Messages of one socket that are taken in before others have their turn."""
TIMES_QUEUED = 4096
"""Instants that may wait for a tool that does not look: a minute of a game that runs."""
KEEP_ALIVE_AFTER = 10.0
"""Seconds of silence after which a hello is sent, so that the service does not drop the tool."""


class ClientTransport:
    """Sockets and what is needed to keep them connected. For one thread; never waits.

    Args:
        endpoint: The service's address, as `Address.of` takes it.
        name: What people call the tool.
        keys: For a service that is locked.
    """

    def __init__(self, endpoint: str, name: str, *, keys: ClientKeys | None = None) -> None:
        self.address = Address.of(endpoint)
        self.welcome: Welcome | None = None
        """The service's, while it is there; None while it is not."""
        self.topics: set[str] = set()
        self.on_response: Callable[[Response], None] = lambda response: None
        self.on_event: Callable[[Event], None] = lambda event: None
        self.on_time: Callable[[PlayheadTime], None] = lambda time: None
        self.on_welcome: Callable[[Welcome], None] = lambda welcome: None
        self.on_disconnect: Callable[[], None] = lambda: None
        self.refused: ErrorResponse | None = None
        """Why the service refused this tool; None if it did not."""
        self._name = name
        self._options: Mapping[str, Any] = {} if keys is None else keys.client_options
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._poller = zmq.Poller()
        self._requests = self._socket(zmq.DEALER, immediate=1)
        try:
            self._requests.connect(self.address.endpoint)
        except zmq.ZMQError as error:
            self._context.destroy(linger=0)
            raise CommandError(
                f"address {endpoint!r} is none to connect to ({error}): give the one that the"
                " service says it listens on"
            ) from None
        self._poller.register(self._requests, zmq.POLLIN)
        self._events: zmq.Socket[bytes] | None = None
        self._times: zmq.Socket[bytes] | None = None
        self._published: zmq.Socket[bytes] | None = None
        """Values that the game publishes; only if this tool subscribed to them."""
        self._sequence = 0
        self._hello = 0
        """Sequence number of the hello that was sent last."""
        self._received_at = self._sent_at = self._hello_at = float("-inf")
        self._pumped_at = time.monotonic()
        self._subscribed = [False, False]
        self.closed = False
        """Whether `close` was called."""
        self.listened = 0
        """How often its sockets, and so its handles, have changed."""

    @property
    def ready(self) -> bool:
        """Whether the service is there and everything it sends from now on will arrive."""
        return self.welcome is not None and all(self._subscribed)

    @property
    def origin(self) -> str:
        """The tool's name on the bus."""
        return "" if self.welcome is None else self.welcome.origin

    # --- requests -------------------------------------------------------------------------------

    def send(self, body: RequestBody) -> int:
        """Send a request; returns the sequence number that the answer will have.

        Raises:
            BusError: the service is not there, or takes no more just now.
        """
        if self.closed:
            raise BusError(f"{self._where}: this client is closed")
        if self.welcome is None:
            raise BusError(f"{self._where}: the service is not there")
        return self._send(body)

    def _send(self, body: RequestBody) -> int:
        self._sequence += 1
        request = Request(origin=self.origin, sequence=self._sequence, body=body)
        try:
            self._requests.send(packed(request), zmq.NOBLOCK)
        except zmq.Again:
            raise BusError(f"{self._where}: the service takes nothing more just now") from None
        self._sent_at = time.monotonic()
        return self._sequence

    @property
    def _where(self) -> str:
        return self.address.endpoint

    def pump(self, timeout: float = 0.0) -> None:
        """Take in what has come, or wait up to `timeout` seconds for something to come.

        After a flood there may be more: then the next call takes it in at once.
        """
        if self.closed:
            raise BusError(f"{self._where}: this client is closed")
        # Time without a poll is no silence of the service.
        unseen = time.monotonic() - self._pumped_at
        if unseen > HELLO_EVERY:
            self._received_at += unseen
        self._keep_alive()
        for socket, _ in self._poller.poll(math.ceil(1000 * min(max(timeout, 0.0), HELLO_EVERY))):
            self._receive(socket)
        self._keep_alive()
        self._pumped_at = time.monotonic()

    def _receive(self, socket: "zmq.Socket[bytes]") -> None:
        """What has come on a socket, but not without end."""
        if socket is self._requests:
            receive = self._receive_response
        elif socket is self._times:
            receive = self._receive_time
        elif socket is self._events or socket is self._published:
            receive = self._receive_event
        else:  # closed just now, for another service is there
            return
        # Of time all that waits is taken, or an instant might be delivered that is long over.
        for _ in range(TIMES_QUEUED if receive == self._receive_time else _AT_ONCE):
            try:
                parts = socket.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                return
            try:
                receive(parts)
            except DamagedError:
                continue  # what is no message of this protocol is ignored
            self._received_at = time.monotonic()

    def _receive_response(self, parts: list[bytes]) -> None:
        response = response_of(parts[-1])
        if response.sequence == self._hello:
            self._on_hello_response(response)
            return
        if isinstance(response.body, ErrorResponse) and response.body.kind == "hello":
            self._disconnect()  # another run of the service, which does not know this tool
        self.on_response(response)

    def _receive_event(self, parts: list[bytes]) -> None:
        event = event_of(parts[-1])
        if not isinstance(event.event, ValuePublished):  # those come on a socket of their own
            self._subscribed[0] = True
        if event.event.__struct_config__.tag in self.topics:
            self.on_event(event)

    def _receive_time(self, parts: list[bytes]) -> None:
        instant = time_of(parts[-1])
        self._subscribed[1] = True
        self.on_time(instant)

    # --- keeping connected ----------------------------------------------------------------------

    def _keep_alive(self) -> None:
        now = time.monotonic()
        if self.welcome is not None:
            if now - self._received_at > LOST_AFTER:
                self._disconnect()
            elif now - max(self._sent_at, self._hello_at) > KEEP_ALIVE_AFTER:
                self._send_hello(now)
        pause = HELLO_EVERY if self.refused is None else KEEP_ALIVE_AFTER
        if self.welcome is None and now - self._hello_at > pause:
            self._send_hello(now)

    def _send_hello(self, now: float) -> None:
        try:
            self._hello = self._send(Hello(self._name, PROTOCOL))
        except BusError:  # not connected yet: tried again as soon as it is
            self._poller.modify(self._requests, zmq.POLLIN | zmq.POLLOUT)
            return
        self._hello_at = now
        self._poller.modify(self._requests, zmq.POLLIN)

    def _on_hello_response(self, response: Response) -> None:
        if isinstance(response.body, ErrorResponse):
            self.refused = response.body
            return
        if not isinstance(response.body, Welcome):
            return
        if not agrees(response.body.protocol):
            self.refused = other_version(response.body.protocol, PROTOCOL)
            return
        self.refused = None
        before, self.welcome = self.welcome, response.body
        self._received_at = time.monotonic()
        if before is not None and before.service == self.welcome.service:
            return
        self._listen(self.welcome)
        self.on_welcome(self.welcome)

    def _listen(self, welcome: Welcome) -> None:
        self._close_subscriptions()
        self._subscribed = [False, False]
        self._events = self._socket(zmq.SUB)
        self._times = self._socket(zmq.SUB, rcvhwm=TIMES_QUEUED)
        for socket, port in ((self._events, welcome.events), (self._times, welcome.times)):
            socket.connect(self.address.at(port).endpoint)
            self._poller.register(socket, zmq.POLLIN)
        self._times.subscribe(b"")
        if "published" in self.topics:
            self._listen_to_published(welcome)
        for topic in self.topics - {"span", "published"}:
            self._events.subscribe(topic.encode())
        # Always, and last, to see that the socket works: each new subscriber is sent the span.
        self._events.subscribe(b"span")

    def _listen_to_published(self, welcome: Welcome) -> None:
        if welcome.published:
            # No more may wait than the service sends at once: what waits there grows old.
            self._published = self._socket(zmq.SUB, rcvhwm=2 * MOST_NAMES)
            self._published.connect(self.address.at(welcome.published).endpoint)
            self._poller.register(self._published, zmq.POLLIN)
            self._published.subscribe(b"published")
            self.listened += 1

    def _close_subscriptions(self) -> None:
        for socket in (self._events, self._times, self._published):
            if socket is not None:
                self._poller.unregister(socket)
                socket.close(linger=0)
        self._events = self._times = self._published = None
        self.listened += 1

    def subscribe(self, topic: str) -> None:
        """Subscribe to a topic."""
        if topic in self.topics:
            return
        self.topics.add(topic)
        if topic == "published":
            if self.welcome is not None:
                self._listen_to_published(self.welcome)
        elif topic != "span" and self._events is not None:
            self._events.subscribe(topic.encode())

    def _disconnect(self) -> None:
        if self.welcome is not None:
            self.welcome = None
            self._hello_at = float("-inf")
            self._close_subscriptions()  # another service may use those ports next
            self.on_disconnect()

    # --- sockets --------------------------------------------------------------------------------

    @property
    def handles(self) -> tuple[int, ...]:
        """File handles that become readable when there may be something to take in.

        They signal only once: call `pump` until nothing has come, also after sending.
        """
        sockets = (self._requests, self._events, self._times, self._published)
        return tuple(handle_of(socket) for socket in sockets if socket is not None)

    def _socket(self, kind: int, **options: Any) -> "zmq.Socket[bytes]":
        socket = self._context.socket(kind)
        for option, value in {
            "linger": 0, "ipv6": 1, "reconnect_ivl": 50, "reconnect_ivl_max": 500,
            **self._options, **options,
        }.items():  # fmt: skip
            setattr(socket, option, value)
        return socket

    def close(self) -> None:
        """Send a goodbye and close the sockets."""
        if self.closed:
            return
        if self.welcome is not None:
            with contextlib.suppress(BusError):  # or it notices the silence
                self._send(Bye())
        self.closed = True
        self._close_subscriptions()
        self._requests.close(linger=100)
        self._context.term()
