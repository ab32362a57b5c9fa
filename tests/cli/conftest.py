"""Commands in the test's own process, and a game on the bus in a thread of it to be driven."""

import json
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from playhead.cli import main as cli

from ..support.fake_world import DT, FakeWorld
from ..support.process import starting
from ..support.stage import Stage, StageThread, loopback
from ..support.waits import LIMIT


@dataclass
class Cart:
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)


def ride(cart: Cart, dt: float) -> None:
    x, y, z = cart.position
    cart.position = (x + dt, y, z)


class Played(StageThread):
    """A cart that rides a metre a second; what is given goes to the settings of its bus."""

    def __init__(self, **settings: Any) -> None:
        world = FakeWorld({1: Cart()}, ride, DT)
        about, bus = {"game": "rails"}, loopback(**settings)
        super().__init__(lambda: Stage(world, about=about, bus=bus))
        self.cart = world.things[1]

    def block(self, until: threading.Event) -> None:
        """The game's thread does nothing until then, as in a long step."""
        self.begin(lambda: until.wait(LIMIT))


@pytest.fixture
def played() -> Iterator[Callable[..., Played]]:
    """Start games; what is given goes to the settings of their bus."""
    yield from starting(Played)


class Done(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def facts(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def run_here(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., Done]]:
    """Run commands in this process: a tenth of a second sooner than in one of their own."""
    monkeypatch.setattr(sys, "path", [*sys.path])

    def run(*args: str | Path) -> Done:
        with pytest.raises(SystemExit) as exit:
            cli.main([*map(str, args)])
        shown = capsys.readouterr()
        return Done(exit.value.code, shown.out, shown.err)

    yield run
    # Games that stand in this test's folder are its own.
    for name, module in [*sys.modules.items()]:
        if str(getattr(module, "__file__", None)).startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.fixture
def mistaken(run_here: Callable[..., Done]) -> Callable[..., str]:
    """Run a command that must fail as a person's mistake does; returns what it says."""

    def run(*args: str | Path) -> str:
        done = run_here(*args)
        assert (done.code, done.out) == (2, "")
        assert "Traceback" not in done.err
        assert 1 <= done.err.count("\n") <= 2, done.err
        return done.err

    return run
