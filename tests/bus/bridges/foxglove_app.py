"""As much of the Foxglove app as tests of the bridge need: it speaks its WebSocket protocol."""

import contextlib
import itertools
import json
import struct
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from ...support.waits import LIMIT

sync = pytest.importorskip("websockets.sync.client")

PLAYING, PAUSED = 0, 1


class State(NamedTuple):
    """What the server says of its playback."""

    status: int
    time: float
    rate: float
    jumped: bool
    request: str


class App:
    """As much of Foxglove as it takes: it subscribes to everything and keeps what came last."""

    def __init__(self, socket: Any) -> None:
        self._socket = socket
        self.topics: dict[int, str] = {}
        self._requests = itertools.count(1)
        self.info: dict[str, Any] = {}
        self.time = -1.0
        self.states: list[State] = []
        self.newest: dict[str, tuple[float, bytes]] = {}
        """By topic: the time of the newest message, and the message."""

    def take(self) -> None:
        """One message, whatever it is."""
        message = self._socket.recv(timeout=LIMIT)
        if isinstance(message, str):
            self._take_text(json.loads(message))
        elif message[0] == 1:
            subscription, nanos = struct.unpack_from("<IQ", message, 1)
            self.newest[self.topics[subscription]] = (nanos / 1e9, message[13:])
        elif message[0] == 2:
            self.time = struct.unpack_from("<Q", message, 1)[0] / 1e9
        elif message[0] == 5:
            status, nanos, rate, jumped, size = struct.unpack_from("<BQfBI", message, 1)
            request = message[19 : 19 + size].decode()
            self.states.append(State(status, nanos / 1e9, rate, bool(jumped), request))

    def _take_text(self, received: dict[str, Any]) -> None:
        if received["op"] == "serverInfo":
            self.info = received
        elif received["op"] == "advertise":
            subscriptions = []
            for channel in received["channels"]:
                self.topics[channel["id"]] = channel["topic"]
                subscriptions.append({"id": channel["id"], "channelId": channel["id"]})
            self._socket.send(json.dumps({"op": "subscribe", "subscriptions": subscriptions}))

    def until(self, found: Any) -> None:
        end = time.monotonic() + LIMIT
        while not found():
            assert time.monotonic() < end, (self.time, self.states[-3:])
            self.take()

    def await_frame(self, frame: int) -> dict[str, Any]:
        """Wait until that frame is shown; returns what is said of the playhead."""

        def found() -> bool:
            topics = ("/scene", "/values", "/playhead")
            if not self.newest.keys() >= set(topics) or self.json("/playhead")["frame"] != frame:
                return False
            # Time and messages wait in two queues of the server's: one may come before the other.
            return {self.newest[topic][0] for topic in topics} == {self.time}

        self.until(found)
        return self.json("/playhead")

    def json(self, topic: str) -> Any:
        return json.loads(self.newest[topic][1])

    def ask(self, *, plays: bool, rate: float = 1.0, seek: float | None = None) -> State:
        """Use the buttons or the bar; returns how the server answers."""
        request = f"request {next(self._requests)}"
        name = request.encode()
        self._socket.send(struct.pack(
            "<BBfBQI", 3, 0 if plays else 1, rate, seek is not None,
            round((seek or 0.0) * 1e9), len(name),
        ) + name)  # fmt: skip
        self.until(lambda: any(state.request == request for state in self.states))
        return next(state for state in self.states if state.request == request)

    def entities(self) -> dict[str, dict[int, list[Any]]]:
        """The scene's entities by their ids."""
        fields = protobuf(self.newest["/scene"][1])
        assert [protobuf(one)[2] for one in fields[1]] == [[1]], "all that was there goes first"
        entities = [protobuf(entity) for entity in fields[2]]
        return {entity[3][0].decode(): entity for entity in entities}


def protobuf(data: bytes) -> dict[int, list[Any]]:
    """A protobuf message as its field numbers and raw values."""
    fields: dict[int, list[Any]] = {}
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        number, kind = key >> 3, key & 7
        if kind == 0:
            value: Any = varint()
        elif kind == 1:
            value, at = struct.unpack_from("<d", data, at)[0], at + 8
        elif kind == 5:
            value, at = struct.unpack_from("<f", data, at)[0], at + 4
        else:
            size = varint()
            value, at = data[at : at + size], at + size
        fields.setdefault(number, []).append(value)
    return fields


def vector(data: bytes) -> list[float]:
    fields = protobuf(data)
    return [fields.get(number, [0.0])[0] for number in (1, 2, 3)]


def location_of(entity: dict[int, list[Any]]) -> list[float]:
    """Where an object's arrow stands."""
    pose = protobuf(protobuf(entity[7][0])[1][0])
    return vector(pose[1][0])


@contextlib.contextmanager
def app(url: str) -> Iterator[App]:
    with sync.connect(url, subprotocols=["foxglove.sdk.v1"], max_size=None) as socket:
        yield App(socket)


def answers(url: str) -> bool:
    try:
        with app(url):
            return True
    except OSError:
        return False


def seconds(received: dict[str, int]) -> float:
    return received["sec"] + received["nsec"] / 1e9
