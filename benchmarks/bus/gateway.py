"""Frames of a game in another language, through `playhead serve`, beside a bare WebSocket copy.

Both servers are processes of their own and take turns. Compared is the processors' time that each
takes for a frame; how many get through in a second, by the wall's clock, stands beside it.
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
from typing import NamedTuple

from websockets.sync.client import ClientConnection, connect

from playhead.native import _ring

from ..support.report_table import Line
from ..support.timing import Size

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
        rounds = [
            (_round(bare, frames), _round(served, frames))
            for _ in range(max(size.rounds // 4, 2) + 1)
        ][1:]  # the first warms up
    ratio = median(mine.cpu / floor.cpu for floor, mine in rounds)
    floor, mine = (median(each.wall for each in taken) for taken in zip(*rounds, strict=True))
    what = f"{OBJECTS} × {PAYLOAD:,} B: served ÷ bare WebSocket copy"
    note = f"{1 / mine:,.0f} frames a second; bare {1 / floor:,.0f}"
    return [
        Line(what, ratio, "×", 1.5, note),
        Line("time of a frame, served", 1e6 * mine, "µs", 1e6 / 240, "goal: 240 Hz"),
    ]


class Taken(NamedTuple):
    """Seconds for each frame of a round."""

    wall: float
    cpu: float
    """Of the server, all its threads."""


class Peer:
    """A game that sends as fast as it is read."""

    def __init__(self, socket: ClientConnection, server: int) -> None:
        self.socket = socket
        self.server = server
        self.origin = ""
        self.sequence = 0
        self.clock = 0.0
        payload = bytes(range(256)) * (PAYLOAD // 256)
        origin = (0.0, 0.0, 0.0)
        self.image = bytearray(_ring.image_encode(1, 0.0, 1 / 60, 0, [
            (id, GUARD, True, 0, origin, origin, 0, 0, payload) for id in range(1, OBJECTS + 1)
        ]))  # fmt: skip
        struct.pack_into("<I", self.image, 92, 0)  # without a check, as small clients send it

    def ask(self, **ask: object) -> dict[str, object]:
        """Ask something and wait for the answer, which comes behind all that was sent before."""
        self.sequence += 1
        request = {"origin": self.origin, "sequence": self.sequence, "ask": ask}
        self.socket.send(json.dumps(request))
        answer: dict[str, object] = json.loads(self.socket.recv(timeout=WAIT))
        return answer

    def send_frame(self) -> None:
        self.clock += 1 / 60
        struct.pack_into("<d", self.image, 24, self.clock)
        self.socket.send(self.image)


def _round(peer: Peer, frames: int) -> Taken:
    start, before = time.perf_counter(), _cpu(peer.server)
    for _ in range(frames):
        peer.send_frame()
    peer.ask(do="log", line={"text": "that was all"})
    wall, after = time.perf_counter() - start, _cpu(peer.server)
    spent = wall if before is None or after is None else after - before
    return Taken(wall / frames, spent / frames)


def _cpu(pid: int) -> float | None:
    """Seconds that a process has computed; None where the system does not say."""
    try:
        threads = [task.read_text() for task in Path(f"/proc/{pid}/task").glob("*/schedstat")]
    except OSError:
        return None
    return sum(int(thread.split()[0]) for thread in threads) / 1e9 if threads else None


@contextmanager
def _process(*arguments: str | Path) -> Iterator[tuple[str, int]]:
    """Run Python with these arguments; gives the first line that it prints, and its number."""
    process = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline(), process.pid
    finally:
        process.terminate()
        process.communicate()


@contextmanager
def _bare() -> Iterator[Peer]:
    with _process(BARE) as (url, pid), connect(url.strip(), compression=None) as socket:
        yield Peer(socket, pid)


@contextmanager
def _served() -> Iterator[Peer]:
    with (
        _process(*SERVE, *ANYWHERE) as (settings, pid),
        connect(json.loads(settings)["gateway"], compression=None) as socket,
    ):
        peer = Peer(socket, pid)
        welcome = peer.ask(do="hello", name="benchmark", protocol=[2, 0])
        peer.origin = welcome["answer"]["origin"]  # type: ignore[index]
        peer.ask(do="register_game", name="benchmark")
        fields = [["bytes", "|u1", [PAYLOAD]]]
        peer.ask(do="define_type", number=GUARD, name="guard", fields=fields)
        yield peer
