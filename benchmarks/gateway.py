"""Frames of a game in another language, through `playhead serve`, beside a bare WebSocket copy.

Both servers are processes of their own and take turns. Unlike elsewhere the clock is the wall's:
what counts is how many frames a second get through.
"""

import json
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median

from websockets.sync.client import ClientConnection, connect

from playhead.native import _ring

from .measure import Size
from .report import Line

OBJECTS, PAYLOAD = 200, 1536
GUARD = 32
BARE = Path(__file__).with_name("bare_websocket.py")
SERVE = ("-c", "from playhead.cli.main import main; main()", "serve", "--json")
ANYWHERE = ("--bind", "tcp://127.0.0.1:*", "--gateway", "127.0.0.1:0")
WAIT = 60.0


def measure(size: Size) -> list[Line]:
    frames = size.frames * 10
    with ExitStack() as stack:
        bare = stack.enter_context(_bare())
        served = stack.enter_context(_served())
        taken: dict[str, list[float]] = {"bare": [], "served": []}
        for number in range(max(size.rounds // 4, 2) + 1):
            for name, peer in (("bare", bare), ("served", served)):
                seconds = _round(peer, frames)
                if number:  # the first warms up
                    taken[name].append(seconds / frames)
    ratio = median(mine / floor for mine, floor in zip(taken["served"], taken["bare"], strict=True))
    per_second = {name: 1 / median(seconds) for name, seconds in taken.items()}
    what = f"{OBJECTS} × {PAYLOAD:,} B: served ÷ bare WebSocket copy"
    note = f"{per_second['served']:,.0f} frames a second; bare {per_second['bare']:,.0f}"
    return [
        Line(what, ratio, "×", 1.5, note),
        Line("time of a frame, served", 1e6 * median(taken["served"]), "µs", 1e6 / 240, "240 Hz"),
    ]


class Peer:
    """A game that sends as fast as it is read."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.origin = ""
        self.sequence = 0
        self.clock = 0.0
        payload = bytes(range(256)) * (PAYLOAD // 256)
        origin = (0.0, 0.0, 0.0)
        self.image = bytearray(_ring.make_image(1, 0.0, 1 / 60, 0, [
            (id, GUARD, True, 0, origin, origin, 0, 0, payload) for id in range(1, OBJECTS + 1)
        ]))  # fmt: skip
        struct.pack_into("<I", self.image, 92, 0)  # without a check, as small clients send it

    def ask(self, **ask: object) -> dict[str, object]:
        """Ask something and wait for the answer, which comes behind all that was sent before."""
        self.sequence += 1
        request = {"origin": self.origin, "sequence": self.sequence, "ask": ask}
        self.socket.send(json.dumps(request))
        said: dict[str, object] = json.loads(self.socket.recv(timeout=WAIT))
        return said

    def send_frame(self) -> None:
        self.clock += 1 / 60
        struct.pack_into("<d", self.image, 24, self.clock)
        self.socket.send(self.image)


def _round(peer: Peer, frames: int) -> float:
    start = time.perf_counter()
    for _ in range(frames):
        peer.send_frame()
    peer.ask(do="log", line={"text": "that was all"})
    return time.perf_counter() - start


@contextmanager
def _process(*arguments: str | Path) -> Iterator[str]:
    """Run Python with these arguments; gives the first line that it prints."""
    process = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline()
    finally:
        process.terminate()
        process.communicate()


@contextmanager
def _bare() -> Iterator[Peer]:
    with _process(BARE) as url, connect(url.strip(), compression=None) as socket:
        yield Peer(socket)


@contextmanager
def _served() -> Iterator[Peer]:
    with (
        _process(*SERVE, *ANYWHERE) as told,
        connect(json.loads(told)["gateway"], compression=None) as socket,
    ):
        peer = Peer(socket)
        welcome = peer.ask(do="hello", name="benchmark", protocol=[1, 0])
        peer.origin = welcome["answer"]["origin"]  # type: ignore[index]
        peer.ask(do="game", name="benchmark")
        fields = [["bytes", "|u1", [PAYLOAD]]]
        peer.ask(do="type", number=GUARD, name="guard", fields=fields)
        yield peer
