"""A game on the bus in a thread of the test's own process, for commands that drive it."""

import contextlib
import importlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from ..support.fake_world import DT, FakeWorld
from ..support.process import starting
from ..support.stage import Stage, StageThread, loopback
from ..support.waits import LIMIT

with contextlib.suppress(ImportError):
    # Its runtime opens a pair of sockets for good: not within a test that happens to import it.
    importlib.import_module("rerun")


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
