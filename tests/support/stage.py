"""A session over a fake world, and the loop that a game would run; also in a thread of its own."""

import contextlib
import queue
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from types import TracebackType
from typing import Any, TypeVar

from playhead.bus.server.bus_settings import BusSettings
from playhead.session import Session

from .fake_world import FakeWorld, handlers_of
from .waits import LIMIT

_T = TypeVar("_T")

IMPATIENT = 0.2
"""Seconds after which a command is answered `busy`, in tests that await that answer."""


def loopback(**settings: Any) -> BusSettings:
    """A bus at any free port of this machine, whose commands wait for a game on a loaded one."""
    return BusSettings("tcp://127.0.0.1:*", **{"patience": LIMIT, **settings})


class Stage:
    """A session over a world, and the loop that a game would run. Close it.

    Args:
        world: A world with a `step`; an empty `FakeWorld` if None.
        memory: The session's.
        settings: What else goes to `Session`; `handlers` are made for the things that are there.
    """

    def __init__(self, world: Any = None, memory: int | str = "1 MiB", **settings: Any) -> None:
        self.world = FakeWorld() if world is None else world
        if "handlers" not in settings and isinstance(self.world, FakeWorld):
            settings["handlers"] = handlers_of(self.world)
        self.session = Session(self.world, memory, **settings)
        self.source = self.session.source

    def run(self, frames: int = 1) -> int:
        """Steps and updates, all of them live; returns the newest frame's number."""
        for _ in range(frames):
            assert self.session.live
            self.world.step()
            self.session.update(self.world.dt)
        return self.newest

    @property
    def newest(self) -> int:
        span = self.source.span
        assert span is not None
        return span.newest

    def close(self) -> None:
        self.session.close()

    def __enter__(self) -> "Stage":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self.close()


class StageThread:
    """A stage in a thread of its own, which makes it, and which alone touches world and session.

    It stands between two frames until it is told to `run`, and does at once what it is told over
    the bus, as a game that runs at a high rate would. Close it.

    Args:
        make: Makes the stage, in that thread.
    """

    def __init__(self, make: Callable[[], Any]) -> None:
        self._jobs: queue.SimpleQueue[Callable[[], object] | None] = queue.SimpleQueue()
        made: Future[Any] = Future()
        self._thread = threading.Thread(target=self._run, args=(make, made), name="the game")
        self._thread.start()
        try:
            self.stage = made.result(LIMIT)
        except BaseException:
            self._thread.join(LIMIT)
            raise
        self.world, self.session = self.stage.world, self.stage.session
        self.bus: Any = self.session.bus
        self.endpoint: str = "" if self.bus is None else self.bus.endpoint

    def _run(self, make: Callable[[], Any], made: "Future[Any]") -> None:
        try:
            stage = make()
        except BaseException as error:
            made.set_exception(error)
            return
        stage.session.on_order = lambda: self._jobs.put(stage.session.obey)
        made.set_result(stage)
        try:
            while (job := self._jobs.get()) is not None:
                job()
        finally:
            stage.close()

    def begin(self, call: Callable[[], _T]) -> "Future[_T]":
        """Have something done on the game's thread."""
        outcome: Future[_T] = Future()

        def job() -> None:
            try:
                outcome.set_result(call())
            except BaseException as error:
                outcome.set_exception(error)

        self._jobs.put(job)
        return outcome

    def do(self, call: Callable[[], _T]) -> _T:
        """Have something done on the game's thread, and wait for what comes of it."""
        return self.begin(call).result(LIMIT)

    def run(self, frames: int = 1) -> int:
        """Record some frames; returns the newest one's number."""
        newest: int = self.do(lambda: self.stage.run(frames))
        return newest

    @contextlib.contextmanager
    def running(self, rate: float = 500.0) -> Iterator[None]:
        """Frames are recorded (in playback: real time passes) all the while."""
        ended = threading.Event()

        def turn() -> None:
            if self.session.live:
                self.stage.run(1)
            else:
                self.session.update(self.world.dt)
            if not ended.wait(1 / rate):
                self._jobs.put(turn)

        self._jobs.put(turn)
        try:
            yield
        finally:
            ended.set()
            self.do(lambda: None)

    @contextlib.contextmanager
    def in_a_debugger(self) -> Iterator[None]:
        """The game's thread stands, as at a breakpoint."""
        stands, go_on, went_on = threading.Event(), threading.Event(), threading.Event()

        def breakpoint() -> None:
            stands.set()
            go_on.wait(2 * LIMIT)
            went_on.set()

        self._jobs.put(breakpoint)
        assert stands.wait(LIMIT)
        try:
            yield
        finally:
            go_on.set()
            assert went_on.wait(LIMIT)

    def close(self) -> None:
        """End the loop, and with it the session."""
        self._jobs.put(None)
        self._thread.join(LIMIT)
