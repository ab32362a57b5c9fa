"""A game on the bus in a thread of its own, tools in the test's, programs in other processes."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from playhead.bus.client.client import Client

from ..support.fake_world import DT, HaltingWorld, Vector
from ..support.process import WITH_SUPPORT, Process, starting
from ..support.stage import Stage, StageThread, loopback
from ..support.waits import LIMIT
from .peers import Peer

PROGRAMS = Path(__file__).parent / "programs"


@dataclass
class Ball:
    """An object of the game."""

    position: Vector = (0.0, 0.0, 0.0)
    visible: bool = True
    targetable: bool = True
    speed: float = 1.0
    state: str = "rolling"


def roll(ball: Ball, dt: float) -> None:
    x, y, z = ball.position
    ball.position = (x + ball.speed * dt, y, z)


class Game(StageThread):
    """Three balls that roll along x; what else is given goes to `Session`."""

    def __init__(self, memory: int | str = "1 MiB", bus: Any = None, **rest: Any) -> None:
        balls = {n: Ball((float(n), 0.0, 0.0), speed=float(n)) for n in (1, 2, 3)}
        world = HaltingWorld(balls, roll, DT)
        bus = loopback() if bus is None else bus
        super().__init__(lambda: Stage(world, memory, bus=bus, **rest))


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


@pytest.fixture(scope="session")
def game_of_balls() -> type[Game]:
    """The class itself, for tests that make games without the fixture."""
    return Game


@pytest.fixture
def tool() -> Iterator[Callable[..., Client]]:
    """Connect tools to a game, or to an endpoint; what else is given goes to `Client`."""

    def connect(to: Game | str, **rest: Any) -> Client:
        endpoint = to if isinstance(to, str) else to.endpoint
        return Client(endpoint, timeout=rest.pop("timeout", LIMIT), **rest)

    yield from starting(connect)


@pytest.fixture
def program(start_process: Callable[..., Process]) -> Callable[..., Process]:
    """Start scripts of `programs/` in other processes; they talk by lines of text."""

    def start(name: str, *arguments: object) -> Process:
        script = PROGRAMS / f"{name}.py"
        return start_process(
            sys.executable, "-W", "error", script, *arguments, talks=True, env=WITH_SUPPORT
        )

    return start


@pytest.fixture
def peer() -> Iterator[Callable[..., Peer]]:
    """Connect bare sockets to a game."""

    def connect(game: Any, *, hello: bool = True) -> Peer:
        made = Peer(game.endpoint)
        return made.hello() if hello else made

    yield from starting(connect)
