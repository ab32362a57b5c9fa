"""A game on the bus in a thread of its own, tools in the test's, programs in other processes."""

import contextlib
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pytest

from playhead.bus.client import Client
from playhead.bus.settings import BusSettings
from playhead.handlers.field import FieldHandler
from playhead.handlers.registry import HandlerRegistry
from playhead.recorder.world import World
from playhead.session import Session

from .peers import Peer

_T = TypeVar("_T")
Vector = tuple[float, float, float]

DT = 1 / 64
"""A step without rounding: times are exact."""
LIMIT = 20.0
"""Seconds after which something that should have happened at once is taken for lost."""
PATIENCE = 0.2
"""Seconds after which a command is answered `busy`; short, so that tests are."""
PROGRAMS = Path(__file__).parent / "programs"


@dataclass
class Ball:
    """An object of the game."""

    position: Vector = (0.0, 0.0, 0.0)
    visible: bool = True
    targetable: bool = True
    speed: float = 1.0
    state: str = "rolling"


@dataclass
class Yard(World):
    """The game and its adapter in one; what playback asks for is written down in `calls`."""

    balls: dict[int, Ball] = field(default_factory=dict)
    seconds: float = 0.0
    calls: list[tuple[Any, ...]] = field(default_factory=list)
    during: Callable[[], object] = lambda: None
    """Called in the middle of each step."""
    stands: bool = True
    """What `halt` answers."""

    def __post_init__(self) -> None:
        for number in (1, 2, 3):
            self.balls[number] = Ball((float(number), 0.0, 0.0), speed=float(number))

    def step(self) -> None:
        self.seconds += DT
        for ball in self.balls.values():
            x, y, z = ball.position
            ball.position = (x + ball.speed * DT, y, z)
        self.during()

    def objects(self) -> list[tuple[int, str, Any]]:
        return [(id, "ball", ball) for id, ball in self.balls.items()]

    def time(self) -> float:
        return self.seconds

    def find(self, object_id: int) -> Any | None:
        return self.balls.get(object_id)

    def halt(self) -> bool:
        return self.stands

    def pause(self) -> None:
        self.calls.append(("pause",))

    def resume(self) -> None:
        self.calls.append(("resume",))

    def look_at(self, object_id: int, position: Vector) -> None:
        self.calls.append(("look_at", object_id))


class Game:
    """A game's loop in a thread of its own, which owns world and session.

    It stands between two frames until it is told to `run`, and does at once what it is told over
    the bus, as a game that runs at a high rate would.
    """

    def __init__(self, memory: int | str = "1 MiB", bus: Any = None, **rest: Any) -> None:
        self._jobs: queue.SimpleQueue[Callable[[], object] | None] = queue.SimpleQueue()
        self._asked = threading.Event()
        self._made: Future[None] = Future()
        self.world = Yard()
        self.session: Session
        handlers = HandlerRegistry()
        handlers.register("ball", FieldHandler(Ball()))
        settings = bus if bus is not None else BusSettings("tcp://127.0.0.1:*", patience=PATIENCE)
        given = {"handlers": handlers, "bus": settings, **rest}
        self._thread = threading.Thread(target=self._run, args=(memory, given), name="the game")
        self._thread.start()
        try:
            self._made.result(LIMIT)
        except BaseException:
            self._thread.join(LIMIT)
            raise
        self.bus = self.session.bus
        self.endpoint = "" if self.bus is None else self.bus.endpoint

    def _run(self, memory: int | str, given: dict[str, Any]) -> None:
        try:
            self.session = Session(self.world, memory, **given)
        except BaseException as error:
            self._made.set_exception(error)
            return
        self.session.on_order = lambda: self._jobs.put(self.session.obey)
        self._made.set_result(None)
        while (job := self._jobs.get()) is not None:
            job()
        self.session.close()

    def do(self, call: Callable[[], _T]) -> _T:
        """Have something done on the game's thread, and wait for what comes of it."""
        return self.begin(call).result(LIMIT)

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

    def run(self, frames: int = 1) -> int:
        """Record some frames; returns the newest one's number."""
        return self.do(lambda: self._steps(frames))

    def _steps(self, frames: int) -> int:
        for _ in range(frames):
            assert self.session.live
            self.world.step()
            self.session.update(DT)
        span = self.session.source.span
        assert span is not None
        return span.newest

    @contextlib.contextmanager
    def running(self, rate: float = 500.0) -> Iterator[None]:
        """Frames are recorded (in playback: real time passes) all the while."""
        ended = threading.Event()

        def turn() -> None:
            if self.session.live:
                self.world.step()
            self.session.update(DT)
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


@pytest.fixture
def game() -> Iterator[Callable[..., Game]]:
    """Make games; what is given goes to `Game` and from there to `Session`."""
    made: list[Game] = []

    def make(*args: Any, **rest: Any) -> Game:
        made.append(Game(*args, **rest))
        return made[-1]

    yield make
    for one in made:
        one.close()
    faults = [one.bus.status.newest_fault for one in made if one.bus and one.bus.status.faults]
    assert not faults, "something failed within a service"


@pytest.fixture
def tool() -> Iterator[Callable[..., Client]]:
    """Connect tools to a game, or to an endpoint; what else is given goes to `Client`."""
    made: list[Client] = []

    def make(to: Game | str, **rest: Any) -> Client:
        endpoint = to if isinstance(to, str) else to.endpoint
        made.append(Client(endpoint, timeout=rest.pop("timeout", LIMIT), **rest))
        return made[-1]

    yield make
    for one in made:
        one.close()


class Program:
    """A script of `programs/` in a process of its own; it talks by lines of text."""

    def __init__(self, name: str, *arguments: object) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-W", "error", str(PROGRAMS / f"{name}.py"), *map(str, arguments)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )  # fmt: skip

    def line(self) -> str:
        """The next line that it says; empty at its end."""
        assert self.process.stdout is not None
        timer = threading.Timer(LIMIT, self.process.kill)
        timer.start()
        try:
            return self.process.stdout.readline().strip()
        finally:
            timer.cancel()
            timer.join()

    def say(self, line: str = "") -> None:
        """Tell it something."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")

    def wait(self) -> int:
        """Its exit code."""
        return self.process.wait(LIMIT)

    def kill(self) -> None:
        """End it without warning, as a crash would."""
        self.process.kill()
        self.process.wait(LIMIT)

    def close(self) -> None:
        self.process.kill()
        self.process.wait(LIMIT)
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()


@pytest.fixture
def program() -> Iterator[Callable[..., Program]]:
    """Start programs in other processes; they are ended with the test."""
    started: list[Program] = []

    def start(name: str, *arguments: object) -> Program:
        started.append(Program(name, *arguments))
        return started[-1]

    yield start
    for one in started:
        one.close()


def until(found: Callable[[], _T], client: Client | None = None, limit: float = LIMIT) -> _T:
    """Wait until something is found, dispatching what comes to a client meanwhile."""
    end = time.monotonic() + limit
    pause = threading.Event()
    while not (result := found()):
        assert time.monotonic() < end, "it did not happen in time"
        if client is None:
            pause.wait(0.005)
        else:
            client.dispatch(0.02)
    return result


class Helpers:
    """What tests of the bus share beside fixtures."""

    DT, LIMIT, PATIENCE = DT, LIMIT, PATIENCE
    Game, Yard, Ball = Game, Yard, Ball
    until = staticmethod(until)


@pytest.fixture(scope="session")
def bus() -> type[Helpers]:
    return Helpers


@pytest.fixture
def peer() -> Iterator[Callable[..., Peer]]:
    made: list[Peer] = []

    def connect(game: Any, *, hello: bool = True) -> Peer:
        made.append(Peer(game.endpoint))
        return made[-1].hello() if hello else made[-1]

    yield connect
    for one in made:
        one.close()
