"""A game on the bus in a thread of the test's own process, for commands that drive it."""

import contextlib
import importlib
import queue
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

import pytest

from playhead.bus.settings import BusSettings
from playhead.handlers.field import FieldHandler
from playhead.handlers.registry import HandlerRegistry
from playhead.recorder.world import World
from playhead.session import Session

with contextlib.suppress(ImportError):
    # Its runtime opens a pair of sockets for good: not within a test that happens to import it.
    importlib.import_module("rerun")

DT = 1 / 64
"""A step without rounding."""
LIMIT = 20.0


@dataclass
class Cart:
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)


class Rails(World):
    """One cart that moves a metre a second."""

    def __init__(self) -> None:
        self.cart = Cart()
        self.seconds = 0.0

    def objects(self) -> list[tuple[int, str, Cart]]:
        return [(1, "cart", self.cart)]

    def time(self) -> float:
        return self.seconds

    def find(self, object_id: int) -> Cart | None:
        return self.cart if object_id == 1 else None


class Played:
    """The session stands between two frames until it is told to run, and obeys tools at once."""

    def __init__(self, **settings: Any) -> None:
        self._jobs: queue.SimpleQueue[Callable[[], object] | None] = queue.SimpleQueue()
        self._made: Future[None] = Future()
        self.rails = Rails()
        self.session: Session
        self._thread = threading.Thread(target=self._run, args=(settings,), name="played")
        self._thread.start()
        self._made.result(LIMIT)
        assert self.session.bus is not None
        self.endpoint = self.session.bus.endpoint

    def _run(self, settings: dict[str, Any]) -> None:
        handlers = HandlerRegistry()
        handlers.register("cart", FieldHandler(Cart()))
        bus = BusSettings("tcp://127.0.0.1:*", patience=0.2, **settings)
        try:
            self.session = Session(
                self.rails, "1 MiB", handlers=handlers, about={"game": "rails"}, bus=bus
            )
        except BaseException as error:
            self._made.set_exception(error)
            return
        self.session.on_order = lambda: self._jobs.put(self.session.obey)
        self._made.set_result(None)
        with self.session:
            while (job := self._jobs.get()) is not None:
                job()

    def do(self, work: Callable[[], object]) -> None:
        """Have something done on the game's thread."""
        done: Future[None] = Future()

        def job() -> None:
            try:
                work()
            except BaseException as error:
                done.set_exception(error)
            else:
                done.set_result(None)

        self._jobs.put(job)
        done.result(LIMIT)

    def run(self, frames: int) -> None:
        """Record some frames."""

        def steps() -> None:
            for _ in range(frames):
                assert self.session.live
                self.rails.seconds += DT
                self.rails.cart.position = (self.rails.seconds, 0.0, 0.0)
                self.session.update(DT)

        self.do(steps)

    def block(self, until: threading.Event) -> None:
        """The game's thread does nothing until then, as in a long step."""
        self._jobs.put(lambda: until.wait(LIMIT))

    def close(self) -> None:
        self._jobs.put(None)
        self._thread.join(LIMIT)


@pytest.fixture
def played() -> Iterator[Callable[..., Played]]:
    """Start games; what is given goes to the settings of their bus."""
    started: list[Played] = []

    def start(**settings: Any) -> Played:
        started.append(Played(**settings))
        return started[-1]

    yield start
    for one in started:
        one.close()
