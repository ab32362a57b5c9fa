"""What one connection of the gateway has asked to hear: events and time, passed on as they come."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Collection
from typing import Any

import zmq
import zmq.asyncio
from websockets.exceptions import ConnectionClosed

from .json_text import text_of_packed

_QUEUED = 1000
"""Events that may wait for a connection that reads slowly; it loses those that come then."""

Send = Callable[[str], Awaitable[None]]


class Feed:
    """Two subscriptions within this process, which end with the connection.

    A connection that does not read holds up only its own subscription: of time it gets the newest
    when it reads again, of events what fitted into the queue.
    """

    def __init__(self, context: "zmq.Context[Any]", service: str, send: Send) -> None:
        self._context = zmq.asyncio.Context.shadow(context.underlying)
        self._service = service
        self._send = send
        self._topics: set[str] = set()
        self._events: zmq.asyncio.Socket | None = None
        self._times: zmq.asyncio.Socket | None = None
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def listen(self, topics: Collection[str], time: bool) -> None:
        """From now on pass on these topics, and time or not."""
        wanted = set(topics)
        if self._events is None and wanted:
            self._events = self._open("events")
        if self._events is not None:
            for topic in self._topics - wanted:
                self._events.unsubscribe(topic)
            for topic in wanted:  # known ones too: who asks again is told how things stand
                if topic in self._topics:
                    self._events.unsubscribe(topic)
                self._events.subscribe(topic)
        self._topics = wanted
        if self._times is not None:
            self._close("times", self._times)
            self._times = None
        if time:
            self._times = self._open("times", conflate=1)
            self._times.subscribe(b"")

    def _open(self, what: str, **options: int) -> zmq.asyncio.Socket:
        socket = self._context.socket(zmq.SUB)
        for name, value in {"linger": 0, "rcvhwm": _QUEUED, **options}.items():
            setattr(socket, name, value)
        socket.connect(f"inproc://{self._service}-{what}")
        self._tasks[what] = asyncio.create_task(self._pass_on(socket))
        return socket

    async def _pass_on(self, socket: zmq.asyncio.Socket) -> None:
        with contextlib.suppress(ConnectionClosed):  # whoever reads from it closes this feed
            while True:
                *_, message = await socket.recv_multipart()
                await self._send(text_of_packed(message))

    def _close(self, what: str, socket: zmq.asyncio.Socket) -> None:
        self._tasks.pop(what).cancel()
        socket.close(linger=0)

    def close(self) -> None:
        """Hear nothing more."""
        if self._times is not None:
            self._close("times", self._times)
        if self._events is not None:
            self._close("events", self._events)
        self._times = self._events = None
