"""Publishes to all tools: `PlayheadTime` on one socket, events by topic on another."""

import threading
from collections import Counter
from typing import Any

import zmq

from ..messages.address import Address
from ..messages.message import Message, PlayheadTime
from ..messages.message_types import TOPICS, Event, EventBody
from ..messages.msgpack_codec import packed, packed_values
from ..messages.protocol_1_translation import TOPICS as OLDER
from ..messages.protocol_1_translation import event_values

_ALL_TOPICS = (*TOPICS, *OLDER.values())
_EVENTS_QUEUED = 4096
"""Events that may wait for one slow subscriber; it loses those that come then."""
_TIMES_QUEUED = 1024
"""Instants that may wait for one slow subscriber, which must receive every discrete move."""


class Publisher:
    """Two sockets that two threads send on, the game's and the bus's, one at a time.

    A ZeroMQ socket is no thread's own if each use of it is fenced; the lock does that. No call
    waits for a subscriber: what its full queue has no room for is lost to it, which it sees by
    the gap in the numbers. How often that began is counted.
    """

    def __init__(self, context: "zmq.Context[zmq.Socket[bytes]]", origin: str) -> None:
        self.origin = origin
        """The service's own name."""
        self.counts: Counter[str] = Counter()
        """`events`, `times`; `events_dropped`, `times_dropped`: queues that were full."""
        self._lock = threading.Lock()
        self._events = open_socket(context, _EVENTS_QUEUED)
        self._times = open_socket(context, _TIMES_QUEUED)
        self._sequences = dict.fromkeys(TOPICS, 0)
        self._subscribed: Counter[str] = Counter()
        self._subscribed_topics: frozenset[str] = frozenset()
        self._now = PlayheadTime(origin=origin, sequence=0, mode="live")
        self._fresh = [False, False]
        self._closed = False

    def bind(self, address: Address, **secured: Any) -> tuple[int, int]:
        """Listen on two free ports of an address; returns those of events and of time."""
        ports = []
        for socket in (self._events, self._times):
            for option, value in secured.items():
                setattr(socket, option, value)
            socket.bind(address.at(0).endpoint)
            ports.append(port_of(socket))
        return ports[0], ports[1]

    def bind_inside(self, name: str) -> None:
        """Publish within this process too, under `inproc://NAME-events` and `…-times`."""
        self._events.bind(f"inproc://{name}-events")
        self._times.bind(f"inproc://{name}-times")

    # --- what is sent ---------------------------------------------------------------------------

    @property
    def now(self) -> PlayheadTime:
        """The instant that was published last."""
        return self._now

    @property
    def sequences(self) -> dict[str, int]:
        """The newest event's number, by topic."""
        return dict(self._sequences)

    def has_subscribers(self, topic: str) -> bool:
        """Whether anybody listens to a topic."""
        return topic in self._subscribed_topics

    def publish_time(self, time: PlayheadTime) -> int:
        """Publish the present instant, if it differs from the last; returns its sequence number."""
        with self._lock:
            now = self._now
            if _same(time, now):
                return now.sequence
            discrete = time.discrete or time.mode != now.mode or time.mode == "paused"
            self._now = PlayheadTime(
                origin=time.origin or self.origin, sequence=now.sequence + 1, mode=time.mode,
                frame=time.frame, time=time.time, game_time=time.game_time, epoch=time.epoch,
                rate=time.rate, focus=time.focus, hidden=time.hidden, loop=time.loop,
                discrete=discrete,
            )  # fmt: skip
            self._send_time(self._now)
            return self._now.sequence

    def repeat_time(self) -> None:
        """Publish it again: for new subscribers, and as a sign of life."""
        with self._lock:
            self._repeat()

    def _repeat(self) -> None:
        now = self._now
        self._send_time(PlayheadTime(
            origin=now.origin, sequence=now.sequence, mode=now.mode, frame=now.frame,
            time=now.time, game_time=now.game_time, epoch=now.epoch, rate=now.rate,
            focus=now.focus, hidden=now.hidden, loop=now.loop, discrete=now.discrete,
            repeated=True,
        ))  # fmt: skip

    def publish(self, topic: str, event: EventBody, origin: str = "") -> int:
        """Publish an event; returns its sequence number within the topic."""
        with self._lock:
            self._sequences[topic] += 1
            sequence = self._sequences[topic]
            message = Event(origin=origin or self.origin, sequence=sequence, event=event)
            if not self._closed:
                self.counts["events"] += 1
                self._send(self._events, [topic.encode(), packed(message)], "events_dropped")
                older = OLDER.get(topic)
                if older in self._subscribed_topics:
                    parts = [older.encode(), packed_values(event_values(message))]
                    self._send(self._events, parts, "events_dropped")
                self._listen(0)
            return sequence

    def _send_time(self, time: Message) -> None:
        if self._closed:
            return
        self.counts["times"] += 1
        self._send(self._times, [packed(time)], "times_dropped")

    def _send(self, socket: "zmq.Socket[bytes]", parts: list[bytes], dropped: str) -> None:
        if send_or_drop(socket, parts):
            self.counts[dropped] += 1

    # --- who listens ----------------------------------------------------------------------------

    @property
    def handles(self) -> tuple[int, int]:
        """File handles that become readable when subscriptions have come: then call `listen`."""
        return handle_of(self._events), handle_of(self._times)

    def listen(self) -> tuple[bool, bool]:
        """Read new subscriptions; returns whether any is to events, and to time.

        New subscribers must be sent the present state. For time that is done here.
        """
        with self._lock:
            if not self._closed:
                self._listen(0)
                self._listen(1)
            fresh, self._fresh = self._fresh, [False, False]
            if fresh[1]:
                self._repeat()
            return fresh[0], fresh[1]

    def _listen(self, number: int) -> None:
        # Also after each event, for the handle signals only once, and sending may take it
        # in. Not after each time: new subscribers to that receive its repetition anyhow.
        socket = self._times if number else self._events
        while int(socket.getsockopt(zmq.EVENTS)) & zmq.POLLIN:
            message = socket.recv(zmq.NOBLOCK)
            begins, ends = message[:1] == b"\x01", message[:1] == b"\x00"
            if begins:
                self._fresh[number] = True
            if number == 0 and (begins or ends):
                self._count(message[1:].decode(errors="replace"), 1 if begins else -1)

    def _count(self, prefix: str, by: int) -> None:
        # Only those that can match: anybody may subscribe to anything, any number of times, and
        # end what never began.
        if any(topic.startswith(prefix) for topic in _ALL_TOPICS):
            self._subscribed[prefix] = max(self._subscribed[prefix] + by, 0)
            listened = tuple(at for at, count in self._subscribed.items() if count)
            self._subscribed_topics = frozenset(
                topic for topic in _ALL_TOPICS if topic.startswith(listened)
            )

    @property
    def has_new_subscribers(self) -> bool:
        """Whether a new subscriber still has to be sent the present state."""
        return any(self._fresh)

    def close(self) -> None:
        """Send no more."""
        with self._lock:
            self._closed = True
            self._events.close(linger=0)
            self._times.close(linger=0)


def open_socket(context: "zmq.Context[zmq.Socket[bytes]]", queued: int) -> "zmq.Socket[bytes]":
    """A socket that many can subscribe to, and so many messages may wait for each of them."""
    socket = context.socket(zmq.XPUB)
    socket.setsockopt(zmq.SNDHWM, queued)
    socket.setsockopt(zmq.XPUB_VERBOSER, 1)
    socket.setsockopt(zmq.XPUB_NODROP, 1)
    socket.setsockopt(zmq.LINGER, 0)
    # Subscriptions are the only thing anybody may send here.
    socket.setsockopt(zmq.MAXMSGSIZE, 1024)
    socket.setsockopt(zmq.IPV6, 1)
    return socket


def send_or_drop(socket: "zmq.Socket[bytes]", parts: list[bytes]) -> bool:
    """Send to all who have room, without waiting; returns whether a queue has become full."""
    try:
        _send_parts(socket, parts)
    except zmq.Again:
        # A tool's queue is full. That is noticed only when nothing may be dropped; then it is
        # sent again in the mode in which those with room get it. Until it reads again ZeroMQ
        # passes it over without a word: so its first loss is counted, not each.
        socket.setsockopt(zmq.XPUB_NODROP, 0)
        try:
            _send_parts(socket, parts)
        finally:
            socket.setsockopt(zmq.XPUB_NODROP, 1)
        return True
    return False


def _send_parts(socket: "zmq.Socket[bytes]", parts: list[bytes]) -> None:
    if len(parts) == 1:  # the time of every frame
        socket.send(parts[0], zmq.NOBLOCK)
    else:
        socket.send_multipart(parts, zmq.NOBLOCK)


def handle_of(socket: "zmq.Socket[bytes]") -> int:
    """The file handle that signals, once, that there may be something to do."""
    return int(socket.getsockopt(zmq.FD))


def port_of(socket: "zmq.Socket[bytes]") -> int:
    """The TCP port that a socket was bound to."""
    bound = socket.getsockopt(zmq.LAST_ENDPOINT)
    assert isinstance(bound, bytes)
    return int(bound.decode().rstrip("\0").rpartition(":")[2])


def _same(one: PlayheadTime, other: PlayheadTime) -> bool:
    return (
        one.frame == other.frame
        and one.mode == other.mode
        and one.time == other.time
        and one.rate == other.rate
        and one.focus == other.focus
        and one.loop == other.loop
        and one.hidden == other.hidden
    )
