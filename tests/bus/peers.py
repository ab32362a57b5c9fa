"""Tools that speak the protocol with bare sockets."""

from collections.abc import Callable
from typing import Any

import zmq

from playhead.bus.messages.address import Address
from playhead.bus.messages.message import PROTOCOL, PlayheadTime
from playhead.bus.messages.message_types import Event, Request, Response
from playhead.bus.messages.msgpack_codec import event_of, packed, response_of, time_of
from playhead.bus.messages.requests import Hello
from playhead.bus.messages.responses import Welcome

LIMIT = 90_000
"""Milliseconds."""


class Peer:
    """A tool that speaks the protocol with bare sockets, as one in another language would."""

    def __init__(self, endpoint: str) -> None:
        self.address = Address.of(endpoint)
        self.context: Any = zmq.Context()
        self.requests = self.context.socket(zmq.DEALER)
        self.requests.linger, self.requests.ipv6 = 0, 1
        self.requests.connect(endpoint)
        self.sockets = [self.requests]
        self.sequence = 0
        self.origin = ""
        self.welcome: Any = None

    def send(self, ask: Any, *, sequence: int | None = None, origin: str | None = None) -> int:
        self.sequence += 1
        number = self.sequence if sequence is None else sequence
        self.requests.send(packed(Request(
            origin=self.origin if origin is None else origin, sequence=number, body=ask
        )))  # fmt: skip
        return number

    def answer(self) -> Response:
        assert self.requests.poll(LIMIT), "no answer"
        return response_of(self.requests.recv())

    def ask(self, ask: Any) -> Any:
        number = self.send(ask)
        answer = self.answer()
        assert answer.sequence == number
        return answer.body

    def hello(self, name: str = "peer") -> "Peer":
        self.welcome = self.ask(Hello(name, PROTOCOL))
        assert isinstance(self.welcome, Welcome)
        self.origin = self.welcome.origin
        return self

    def listen(self, *topics: str, times: bool = False) -> Any:
        """A subscribed socket that is known to hear."""
        socket = self.context.socket(zmq.SUB)
        self.sockets.append(socket)
        socket.linger, socket.rcvhwm = 0, 0
        port = self.welcome.times if times else self.welcome.events
        socket.connect(self.address.at(port).endpoint)
        for topic in [""] if times else [*topics, "span"]:
            socket.subscribe(topic)
        assert socket.poll(LIMIT), "it does not hear"
        return socket

    def close(self) -> None:
        for socket in self.sockets:
            socket.close()
        self.context.term()


def event(socket: Any, wait: int = LIMIT) -> Event | None:
    """The next event that is no span."""
    while socket.poll(wait):
        topic, data = socket.recv_multipart()
        result = event_of(data)
        assert topic.decode() == result.event.__struct_config__.tag
        if topic != b"span":
            return result
    return None


def both(socket: Any, number: int = 2) -> dict[str, Any]:
    """The next events, by their topics: these come in any order."""
    result = [event(socket) for _ in range(number)]
    assert all(result)
    return {one.event.__struct_config__.tag: one.event for one in result if one}


def times(socket: Any, until: Callable[[PlayheadTime], bool]) -> list[PlayheadTime]:
    """What was told up to an instant, without repetitions."""
    received: list[PlayheadTime] = []
    while not received or not until(received[-1]):
        assert socket.poll(LIMIT), f"only {received}"
        time = time_of(socket.recv())
        if not time.repeated:
            received.append(time)
    return received
