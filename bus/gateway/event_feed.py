"""The subscriptions of one gateway connection: passes events and time on as they come."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Collection
from typing import Any

import msgspec
import zmq
import zmq.asyncio
from websockets.exceptions import ConnectionClosed

from ...errors import DamagedError
from ..client.subscriptions import Instants
from ..messages.json_codec import text_of, text_of_packed
from ..messages.msgpack_codec import time_of
from ..messages.plain_values import MOST_NAMES
from ..server.retained_topics import OLDER_TOPIC, TOPIC

_QUEUED = 1000
"""Events that may wait for a connection that reads slowly; it loses those that come then."""


class _Name(msgspec.Struct):
    name: str


class _Named(msgspec.Struct):
    """As much of what is published as must be known to pass it on."""

    event: _Name


_named = msgspec.msgpack.Decoder(_Named)

Send = Callable[[str], Awaitable[None]]
OnDamaged = Callable[[str, DamagedError], object]
"""Called with the topic of an event that JSON can't express, and why."""


class EventFeed:
    """Subscriptions within this process, which end with the connection.

    A connection that does not read holds up only its own subscription: when it reads again it gets
    the discrete moves and the newest instant, and of events what fitted into the queue.
    """

    def __init__(
        self, context: "zmq.Context[Any]", service: str, send: Send, on_damaged: OnDamaged
    ) -> None:
        self._context = zmq.asyncio.Context.shadow(context.underlying)
        self._service = service
        self._send = send
        self._on_damaged = on_damaged
        self._topics: set[str] = set()
        self._events: zmq.asyncio.Socket | None = None
        self._times: zmq.asyncio.Socket | None = None
        self._published: zmq.asyncio.Socket | None = None
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def listen(self, topics: Collection[str], time: bool) -> None:
        """Choose the topics to pass on from now on, and whether to pass on time."""
        published = {TOPIC, OLDER_TOPIC}.intersection(topics)
        added = set(topics) - published
        if self._events is None and added:
            self._events = self._open("events")
        if self._events is not None:
            for topic in self._topics - added:
                self._events.unsubscribe(topic)
            for topic in added:  # known ones too: a new subscription is sent the present state
                if topic in self._topics:
                    self._events.unsubscribe(topic)
                self._events.subscribe(topic)
        self._topics = added
        if self._times is not None:
            self._close("times", self._times)
            self._times = None
        if time:
            self._times = self._open("times", rcvhwm=_QUEUED)
            self._times.subscribe(b"")
        if self._published is not None:
            self._close("published", self._published)
            self._published = None
        if published:
            self._published = self._open("published", rcvhwm=2 * MOST_NAMES)
            for topic in published:
                self._published.subscribe(topic)

    def _open(self, what: str, **options: int) -> zmq.asyncio.Socket:
        socket = self._context.socket(zmq.SUB)
        for name, value in {"linger": 0, "rcvhwm": _QUEUED, **options}.items():
            setattr(socket, name, value)
        socket.connect(f"inproc://{self._service}-{what}")
        pass_on = {"published": self._pass_on_newest, "times": self._pass_on_instants}
        self._tasks[what] = asyncio.create_task(pass_on.get(what, self._pass_on)(socket))
        return socket

    async def _pass_on(self, socket: zmq.asyncio.Socket) -> None:
        with contextlib.suppress(ConnectionClosed):  # its reader closes this feed
            while True:
                topic, message = await socket.recv_multipart()
                await self._pass(topic, message)

    async def _pass(self, topic: bytes, message: bytes) -> None:
        """Pass an event on; one that can't be is lost, and costs those after it nothing."""
        try:
            text = text_of_packed(message)
        except DamagedError as error:
            self._on_damaged(topic.decode(errors="replace"), error)
        else:
            await self._send(text)

    async def _pass_on_instants(self, socket: zmq.asyncio.Socket) -> None:
        """Time: each discrete move, and only the newest of the other moves that wait."""
        waiting, fresh = Instants(_QUEUED), asyncio.Event()
        taking = asyncio.create_task(_read_times(socket, waiting, fresh))
        try:
            with contextlib.suppress(ConnectionClosed):
                while True:
                    await fresh.wait()
                    while len(waiting):
                        await self._send(text_of(waiting.take()))
                    fresh.clear()
        finally:
            taking.cancel()

    async def _pass_on_newest(self, socket: zmq.asyncio.Socket) -> None:
        """Published values: only the newest of each name of all that wait."""
        with contextlib.suppress(ConnectionClosed):
            while True:
                newest: dict[tuple[bytes, str], bytes] = {}  # a topic has two names
                topic, message = await socket.recv_multipart()
                with contextlib.suppress(zmq.Again):
                    while True:
                        newest[topic, _named.decode(message).event.name] = message
                        topic, message = await socket.recv_multipart(zmq.NOBLOCK)
                for (topic, _), message in newest.items():
                    await self._pass(topic, message)

    def _close(self, what: str, socket: zmq.asyncio.Socket) -> None:
        self._tasks.pop(what).cancel()
        socket.close(linger=0)

    def close(self) -> None:
        """End all subscriptions."""
        if self._times is not None:
            self._close("times", self._times)
        if self._events is not None:
            self._close("events", self._events)
        if self._published is not None:
            self._close("published", self._published)
        self._times = self._events = self._published = None


async def _read_times(socket: zmq.asyncio.Socket, waiting: Instants, fresh: asyncio.Event) -> None:
    """Take in all instants as they come, however slowly they are passed on."""
    newest = -1
    while True:
        *_, message = await socket.recv_multipart()
        instant = time_of(message)
        if instant.sequence > newest or not len(waiting):  # a repetition is a sign of life
            newest = max(instant.sequence, newest)
            waiting.put(instant)
            fresh.set()
