"""The newest value that a game publishes under each name, and the socket that sends it.

Published values have a socket of their own. So values that change often can't push events out of a
queue.
"""

import threading
import time
from collections import Counter
from typing import Any

import msgspec
import zmq

from ...errors import CapacityError
from ..messages.address import Address
from ..messages.events import ValuePublished
from ..messages.message_types import Event
from ..messages.msgpack_codec import packed, packed_values
from ..messages.plain_values import MOST_NAMES, packed_body
from ..messages.protocol_1_translation import TOPICS as OLDER
from ..messages.protocol_1_translation import event_values
from .publisher import handle_of, open_socket, port_of, send_or_drop

QUEUED = 2 * MOST_NAMES
"""What may wait for one slow subscriber: everything twice. It loses what comes then."""
AGAIN = 1.0
"""Seconds after which the newest is sent again, for those who had no room for it."""

TOPIC = "published"
OLDER_TOPIC = OLDER[TOPIC]


class RetainedTopics:
    """One socket on which the game's thread publishes and the bus's thread repeats, in turns.

    No call waits for a subscriber. Numbers count up over all names, so that the newest of a name
    is known by the highest, however often and in which order it is sent.
    """

    def __init__(self, context: "zmq.Context[zmq.Socket[bytes]]", origin: str) -> None:
        self.counts: Counter[str] = Counter()
        """`published`; `dropped`: queues that were full."""
        self.sequence = 0
        """The number of the newest event that was sent."""
        self._origin = origin
        self._lock = threading.Lock()
        self._socket = open_socket(context, QUEUED)
        self._newest: dict[str, Event] = {}
        self._sent_at: dict[str, float] = {}
        self._subscribed: Counter[str] = Counter()
        self._fresh = self._closed = False

    def bind(self, address: Address, inside: str, **secured: Any) -> int:
        """Listen on a free port of an address, and within this process; returns the port."""
        for option, value in secured.items():
            setattr(self._socket, option, value)
        self._socket.bind(address.at(0).endpoint)
        port = port_of(self._socket)
        self._socket.bind(inside)
        return port

    # --- what is published ----------------------------------------------------------------------

    def publish(self, name: str, body: Any, time: float, frame: int, connection: int = 0) -> None:
        """Keep this as the newest under its name, and send it to subscribers.

        Raises:
            RecordingError: the name is none, or the body not plain.
            CapacityError: the body is too large, or there are too many names.
        """
        body = msgspec.Raw(packed_body(name, body))
        event = ValuePublished(name, body, time, frame, connection)
        with self._lock:
            if name not in self._newest and len(self._newest) >= MOST_NAMES:
                raise CapacityError(
                    f"publish {name!r}: {MOST_NAMES} names are published already: publish more"
                    " under fewer"
                )
            self.sequence += 1
            self._newest[name] = Event(origin=self._origin, sequence=self.sequence, event=event)
            self._send(name)

    def newest(self, name: str) -> ValuePublished | None:
        """The newest that was published under a name."""
        with self._lock:
            event = self._newest.get(name)
        if event is None:
            return None
        published = event.event
        assert isinstance(published, ValuePublished)
        return ValuePublished(
            published.name, msgspec.msgpack.decode(published.body), published.time,
            published.frame, published.connection,
        )  # fmt: skip

    @property
    def names(self) -> tuple[str, ...]:
        """Under which names something was published."""
        with self._lock:
            return tuple(self._newest)

    def repeat(self, everything: bool = False) -> None:
        """Send again what was not sent for a second, or everything, for a new subscriber."""
        before = time.monotonic() - AGAIN
        for name in self.names:
            with self._lock:  # not over all of them: the game's thread has its turns
                if everything or self._sent_at.get(name, 0.0) < before:
                    self._send(name)

    def _send(self, name: str) -> None:
        if self._closed or not self._has_subscribers:
            return
        self._sent_at[name] = time.monotonic()
        self.counts["published"] += 1
        event = self._newest[name]
        if self._is_subscribed(TOPIC) and send_or_drop(
            self._socket, [TOPIC.encode(), packed(event)]
        ):
            self.counts["dropped"] += 1
        if self._is_subscribed(OLDER_TOPIC):
            older = packed_values(event_values(event))
            if send_or_drop(self._socket, [OLDER_TOPIC.encode(), older]):
                self.counts["dropped"] += 1
        self._listen()

    # --- subscriptions --------------------------------------------------------------------------

    @property
    def handle(self) -> int:
        """A file handle that becomes readable when subscriptions have come: then call `listen`."""
        return handle_of(self._socket)

    @property
    def has_new_subscribers(self) -> bool:
        """Whether a new subscriber still has to be sent the newest."""
        return self._fresh

    def listen(self) -> bool:
        """Read new subscriptions; returns whether there are any that must be sent the newest."""
        with self._lock:
            if not self._closed:
                self._listen()
            fresh, self._fresh = self._fresh, False
            return fresh

    def _listen(self) -> None:
        while int(self._socket.getsockopt(zmq.EVENTS)) & zmq.POLLIN:
            message = self._socket.recv(zmq.NOBLOCK)
            kind, prefix = message[:1], message[1:].decode(errors="replace")
            if kind not in (b"\0", b"\1"):
                continue
            if not any(topic.startswith(prefix) for topic in (TOPIC, OLDER_TOPIC)):
                continue
            begins = kind == b"\1"
            self._fresh |= begins
            # Anybody may end what never began.
            self._subscribed[prefix] = max(self._subscribed[prefix] + (1 if begins else -1), 0)

    @property
    def _has_subscribers(self) -> bool:
        return any(self._subscribed.values())

    def _is_subscribed(self, topic: str) -> bool:
        return any(count and topic.startswith(at) for at, count in self._subscribed.items())

    def close(self) -> None:
        """Close the socket; later calls publish nothing."""
        with self._lock:
            self._closed = True
            self._socket.close(linger=0)
