"""A game that somebody else has written from docs/protocol.md alone: a corridor."""

import contextlib
import json
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from websockets.exceptions import ConnectionClosed

from playhead.agents.replay.demos.remote_demo_recorder import record_remote_demo
from playhead.agents.replay.remote_game import RemoteGame
from playhead.native import _ring
from playhead.playback.pads.pad import Pad

from ...games.remote.game import Peer
from ...support.waits import LIMIT

STEP, SPEED, LENGTH = 1 / 60, 3.0, 2.0
REAL = 1 / 180
"""Seconds of real time for each step."""
Change = Callable[[dict[str, Any]], None]
"""Makes of an observation one that can't be."""


class ForeignGame:
    """Runs in a thread of its own until it is closed. x is where the player is.

    Args:
        silent: Whether it sends no frames until somebody changes that.
        conventions: What positions mean.
        facts: What else it says of itself.
    """

    def __init__(
        self, url: str, *, silent: bool = False, conventions: dict[str, str] | None = None,
        **facts: Any,
    ) -> None:  # fmt: skip
        self.conventions = conventions or {}
        self.facts = {
            "name": "foreign", "interval": 1 / 30, "player": 1, "restarts": True,
            "columns": {"coins": "float"}, "levels": ["hall"], **facts,
        }  # fmt: skip
        self.url = url
        self.change: Change | None = None
        """Applied to every observation from now on."""
        self.silent, self.leaves = silent, False
        self.returns_after: float | None = None
        """Seconds after which it connects again that has left."""
        self.seeds: list[int | None] = []
        self._begin()
        self._ended = threading.Event()
        self.connected = threading.Event()
        self._thread = threading.Thread(target=self._run, name="foreign game")
        self._thread.start()
        assert self.connected.wait(LIMIT)

    def _begin(self) -> None:
        self.x, self.steps = 0.0, 0
        self.pad: dict[str, Any] = {}
        self._paused = False

    def close(self) -> None:
        self._ended.set()
        self._thread.join(LIMIT)

    def _run(self) -> None:
        while not self._ended.is_set():
            with contextlib.suppress(ConnectionClosed), Peer(self.url) as peer:
                self._play(peer)
            if self.returns_after is None or self._ended.wait(self.returns_after):
                return
            self.leaves = False
            self._begin()

    def _play(self, peer: Peer) -> None:
        peer.hello("foreign")
        peer.ask(do="register_game", name="foreign", pads=1, can_restore=False,
                 conventions=self.conventions)  # fmt: skip
        peer.ask(do="define_type", number=40, name="player", fields=[])
        peer.ask(do="serve", names=["replay.game", "replay.restart"])
        self.connected.set()
        due = time.monotonic()
        while not self._ended.is_set() and not self.leaves:
            due += REAL
            while (left := due - time.monotonic()) > 0:
                with contextlib.suppress(TimeoutError):
                    message = peer.socket.recv(timeout=left)
                    if isinstance(message, str):  # images can't be put back here
                        self._order(peer, json.loads(message))
            if not (self._paused or self.silent):
                self._step(peer)

    def _order(self, peer: Peer, message: dict[str, Any]) -> None:
        order = message.get("order")
        if order is None:
            return
        if order["order"] == "pad":
            self.pad = order
        elif order["order"] == "pause":
            self._paused = True
            peer.post(do="paused")
        elif order["order"] == "resume":
            self._paused = False
            peer.post(do="resumed")
        elif order["order"] == "call":
            result = self.facts if order["name"] == "replay.game" else None
            if order["name"] == "replay.restart":
                self.seeds.append(order["argument"]["seed"])
                self._begin()
            peer.post(do="return", call=order["call"], result=result)

    def _step(self, peer: Peer) -> None:
        self.steps += 1
        left = self.pad.get("left", [0.0, 0.0])
        self.x += left[0] * SPEED * STEP
        place, zero = (self.x, 0.0, 0.0), (0.0, 0.0, 0.0)
        packets = [(1, 40, True, 0, place, zero, 0, 0, b"")]
        now = self.steps * STEP
        peer.socket.send(_ring.image_encode(1, now, STEP, 0, packets))
        if self.steps % 2:
            return
        seen = {
            "position": [self.x, 0.0, 0.0], "level": "hall", "finished": self.x >= LENGTH,
            "extras": {"coins": 0.0},
        }  # fmt: skip
        body = {"game_time": now, "seen": seen, "pad": {"left": left}}
        if self.change is not None:
            self.change(body)
        peer.send(0, do="publish", name="observation", body=body)


def record_foreign_demo(port: RemoteGame, folder: Path) -> Path:
    """A walk to the end, held by a script."""
    out = folder / "walk.csv"
    port.restart(0)
    played = record_remote_demo(
        port, out, seconds=None, script=lambda seen: Pad(left=(1.0, 0.0)), goes_on=lambda: True
    )
    port.hold(Pad())
    assert played.seen.finished
    return out
