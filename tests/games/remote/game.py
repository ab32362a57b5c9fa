"""A small game at the other end of a WebSocket, and a host that records it, for tests."""

import contextlib
import json
import struct
import threading
from collections import deque
from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Any, NamedTuple

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from playhead.bus.client.client import Client
from playhead.bus.gateway.gateway import Gateway
from playhead.bus.gateway.gateway_settings import GatewaySettings
from playhead.bus.server.bus_settings import BusSettings
from playhead.bus.server.service import Service
from playhead.games.remote.remote_recorder import RemoteRecorder
from playhead.games.remote.remote_world import RemoteWorld
from playhead.native import _ring
from playhead.session import Session

from ...support.waits import LIMIT

GUARD, ROCK = 32, 33
NAMES = {GUARD: "guard", ROCK: "rock"}
HP = struct.Struct("<f")

Answer = dict[str, Any]
Objects = Mapping[int, tuple[int, float]]
"""Ids to type and hp."""


def image(objects: Objects, time: float, delta: float = 0.1, id: int = 1) -> bytes:
    """A frame by itself in which each object stands at x = its hp."""
    return _ring.image_encode(id, time, delta, 0, [
        (object, type, True, 0, (hp, 0.0, 0.0), (0.0, 0.0, 0.0), 0, 0, HP.pack(hp))
        for object, (type, hp) in objects.items()
    ])  # fmt: skip


def hps(frame: bytes) -> dict[int, float]:
    """The objects of such a frame and their hp."""
    return {packet[0]: HP.unpack(packet[8])[0] for packet in _ring.image_packets(frame)}


class Show(NamedTuple):
    """A `show` order, as it came with its image."""

    order: Answer
    objects: dict[int, float]

    @property
    def frame(self) -> int:
        return int(self.order["frame"])


class Peer:
    """A connection to a gateway that speaks the protocol."""

    def __init__(self, url: str, **options: Any) -> None:
        self._stack = contextlib.ExitStack()
        self.socket: ClientConnection = self._stack.enter_context(
            connect(url, max_size=None, **options)
        )
        self.origin = ""
        self.sequence = 0
        self.heard: deque[Any] = deque()
        """What came meanwhile: events, times, orders, images."""

    def send(self, sequence: int, **ask: Any) -> None:
        self.socket.send(json.dumps({"origin": self.origin, "sequence": sequence, "ask": ask}))

    def post(self, **ask: Any) -> int:
        """Ask, and don't wait."""
        self.sequence += 1
        self.send(self.sequence, **ask)
        return self.sequence

    def ask(self, **ask: Any) -> Answer:
        return self.answer(self.post(**ask))

    def answer(self, sequence: int) -> Answer:
        """The answer to this; what comes before it is kept."""
        for message in tuple(self.heard):
            if _answers(message, sequence):
                self.heard.remove(message)
                return dict(message["answer"])
        while True:
            message = self._receive()
            if _answers(message, sequence):
                return dict(message["answer"])
            self.heard.append(message)

    def next(self, key: str) -> Any:
        """The next message with this key (`order`, `event`, `mode` of a time); others are lost."""
        while True:
            message = self.heard.popleft() if self.heard else self._receive()
            if isinstance(message, dict) and key in message:
                return message

    def bytes(self) -> bytes:
        """The next message, which is binary."""
        message = self.heard.popleft() if self.heard else self._receive()
        assert isinstance(message, bytes), f"{message} where an image was to be"
        return message

    def _receive(self) -> Any:
        message = self.socket.recv(timeout=LIMIT)
        return json.loads(message) if isinstance(message, str) else message

    def hello(self, name: str = "game") -> Answer:
        welcome = self.ask(do="hello", name=name, protocol=[2, 0])
        self.origin = welcome["origin"]
        return welcome

    def closed(self) -> int:
        """Wait until the service hangs up; its close code."""
        try:
            while True:
                self.socket.recv(timeout=LIMIT)
        except ConnectionClosed as end:
            return 1006 if end.rcvd is None else end.rcvd.code

    def kill(self) -> None:
        """Vanish as a killed process does."""
        with contextlib.suppress(OSError):
            self.socket.socket.shutdown(2)
        self.close()

    def close(self) -> None:
        self._stack.close()

    def __enter__(self) -> "Peer":
        return self

    def __exit__(
        self, type: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self.close()


class Game(Peer):
    """A peer that is the game, with guards and rocks that have hp."""

    def __init__(self, url: str, *, options: Mapping[str, Any] | None = None, **about: Any) -> None:
        super().__init__(url, **(options or {}))
        self.clock = 0.0
        self.hello()
        assert self.ask(do="register_game", name="test game", **about) == {"is": "done"}
        for number, name in NAMES.items():
            self.post(do="define_type", number=number, name=name, fields=[["hp", "<f4", []]])
        assert self.answer(self.sequence) == {"is": "done"}

    def frame(self, objects: Objects, delta: float = 0.1) -> None:
        """End a step."""
        self.clock = round(self.clock + delta, 6)
        self.socket.send(image(objects, self.clock, delta))

    def say(self, **statement: Any) -> None:
        """A statement that is answered only if it fails."""
        self.send(0, **statement)

    def order(self) -> Answer:
        """The next order."""
        return dict(self.next("order")["order"])

    def pauses(self) -> None:
        """Be told to pause, and do so."""
        assert self.order() == {"order": "pause"}
        self.say(do="paused")

    def show(self) -> Show:
        """The next order, which is to show a frame, with what comes with it."""
        order = self.order()
        assert order["order"] == "show", order
        return Show(order, hps(self.bytes()) if order["image"] else {})

    def shows(self, frame: int) -> Show:
        """The order to show this frame; orders for others before it are obeyed."""
        while (show := self.show()).frame != frame:
            pass
        return show

    def resumes(self) -> Show:
        """Be shown how everything was, and be told to run on."""
        while True:
            show = self.show()
            order = self.order()
            if order == {"order": "resume"}:
                with contextlib.suppress(ConnectionClosed):  # if that was the service's last word
                    self.say(do="resumed")
                return show
            self.heard.appendleft({"order": order})


class Served(NamedTuple):
    """A host in a thread of this process."""

    session: Session
    world: RemoteWorld
    service: Service
    gateway: Gateway
    host: RemoteRecorder

    @property
    def url(self) -> str:
        return self.gateway.url

    def client(self) -> Client:
        return Client(self.service.endpoint, name="tool", timeout=LIMIT, conflate=False)


@contextlib.contextmanager
def served(patience: float = LIMIT, memory: str = "8 MiB") -> Iterator[Served]:
    """All of `playhead serve` but the command line."""
    world = RemoteWorld(patience=patience)
    bus = BusSettings("tcp://127.0.0.1:*", patience=LIMIT)
    with Session(world, memory, handlers=world.handlers, bus=bus) as session:
        assert session.bus is not None
        host = RemoteRecorder(session, world, session.bus)
        with contextlib.closing(
            Gateway(session.bus, GatewaySettings("127.0.0.1:0"), host.link)
        ) as gateway:
            thread = threading.Thread(target=host.run, name="host")
            thread.start()
            try:
                yield Served(session, world, session.bus, gateway, host)
            finally:
                host.stop()
                thread.join()


def _answers(message: Any, sequence: int) -> bool:
    return isinstance(message, dict) and "answer" in message and message["sequence"] == sequence
