"""The other processes of the bus's benchmark: a game, a tool that follows, and a bare echo.

Each is started with a queue on which it says where it listens, or what it has measured. Clocks are
the system's monotonic one, which all processes share.
"""

import multiprocessing
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any

import zmq

from playhead.bus.client.client import Client
from playhead.bus.messages.message import PlayheadTime
from playhead.recorder.world_adapter import World
from playhead.session import Session

_PROCESSES = multiprocessing.get_context("spawn")
LIMIT = 60.0
"""Seconds after which a process that should have answered is taken for lost."""


class Clock(World):
    """A game without objects whose time is the system's."""

    def objects(self) -> list[tuple[int, str, Any]]:
        return []

    def time(self) -> float:
        return time.monotonic()

    def find(self, object_id: int) -> None:
        return None


@contextmanager
def process(work: Callable[..., None], *arguments: Any) -> Iterator[Connection]:
    """A process that does some work, and a pipe to it; closing that ends it."""
    here, there = _PROCESSES.Pipe()
    started = _PROCESSES.Process(target=work, args=(there, *arguments), daemon=True)
    started.start()
    there.close()
    try:
        yield here
    finally:
        here.close()
        started.join(5.0)
        if started.is_alive():
            started.kill()
            started.join()


def received(pipe: Connection) -> Any:
    """The next value that a process sends."""
    if not pipe.poll(LIMIT):
        raise TimeoutError(f"a process of the benchmark sent nothing for {LIMIT:g} s")
    return pipe.recv()


def echo(pipe: Connection) -> None:
    """Sends every message back: what a round trip costs without a bus."""
    with zmq.Context() as context, context.socket(zmq.ROUTER) as router:
        pipe.send(f"tcp://127.0.0.1:{router.bind_to_random_port('tcp://127.0.0.1')}")
        poller = zmq.Poller()
        poller.register(router, zmq.POLLIN)
        poller.register(pipe.fileno(), zmq.POLLIN)
        while True:
            ready = dict(poller.poll())
            if router in ready:
                router.send_multipart(router.recv_multipart())
            elif ready:
                return


def game(pipe: Connection, rate: float) -> None:
    """A game on the bus: live at so many frames a second, asleep in playback."""
    with Session(Clock(), "4 MiB", bus="tcp://127.0.0.1:*") as session:
        for _ in range(100):
            session.update(1 / rate)
        assert session.bus is not None
        pipe.send(session.bus.endpoint)
        due = time.monotonic()
        while not pipe.poll():
            if not session.live:
                session.wait(0.1)
                due = time.monotonic()
                continue
            session.update(1 / rate)
            due += 1 / rate
            time.sleep(max(due - time.monotonic(), 0.0))


def watcher(pipe: Connection, endpoint: str) -> None:
    """Follows, and says of each instant its frame, its game's time, and when it came."""
    with Client(endpoint, name="watcher") as client:
        heard: list[tuple[int, str, float, float]] = []

        def note(instant: PlayheadTime) -> None:
            heard.append((instant.frame, instant.mode, instant.game_time, time.monotonic()))

        client.on_time(note)
        client.dispatch(1.0)
        pipe.send("follows")
        while True:
            client.dispatch(0.05)
            if heard:
                pipe.send(heard.copy())
                heard.clear()
            if pipe.poll():
                return


def follower(pipe: Connection, endpoint: str) -> None:
    """Follows and does nothing with it."""
    with Client(endpoint, name="follower") as client:
        client.on_time(lambda instant: None)
        client.dispatch(1.0)
        pipe.send("follows")
        while not pipe.poll():
            client.dispatch(0.2)
