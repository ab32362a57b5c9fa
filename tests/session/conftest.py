"""A small game with objects that hold state, and sessions over it that are closed in the end."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from playhead.handlers.field_handler import FieldHandler
from playhead.handlers.handler_registry import HandlerRegistry

from ..support.fake_world import DT, FakeWorld, Vector
from ..support.process import starting
from ..support.stage import Stage


@dataclass
class Ball:
    """Rolls, bounces off both ends, and can be hidden."""

    position: Vector = (0.0, 0.0, 0.0)
    velocity: Vector = (1.0, 0.0, 0.0)
    visible: bool = True
    state: str = "rolling"
    targetable: bool = True


@dataclass
class Pulse:
    """Beats; recorded, but nobody knows how to play it."""

    position: Vector = (0.0, 5.0, 0.0)
    visible: bool = True
    beats: int = 0


class PulseRecorder:
    """The recording half alone."""

    def __init__(self) -> None:
        fields = FieldHandler(Pulse())
        self.layout, self.size, self.record = fields.layout, fields.size, fields.record


def bounce(thing: Any, dt: float) -> None:
    """One step of a ball or a pulse."""
    if isinstance(thing, Pulse):
        thing.beats += 1
        return
    x, y, z = (a + v * dt for a, v in zip(thing.position, thing.velocity, strict=True))
    vx, vy, vz = thing.velocity
    thing.velocity = (-vx if abs(x) > 5 else vx, vy, vz)
    thing.position = (x, y, z)
    thing.state = "back" if thing.velocity[0] < 0 else "rolling"


def court_of(kind: type[FakeWorld] = FakeWorld) -> FakeWorld:
    """Three balls and a pulse."""
    things: dict[int, Any] = {
        n: Ball((float(n), 0.0, 0.0), (float(n), 0.5, 0.0)) for n in (1, 2, 3)
    }
    return kind({**things, 9: Pulse()}, bounce, DT)


def court_handlers() -> HandlerRegistry:
    """Balls are recorded and played, pulses only recorded."""
    handlers = HandlerRegistry()
    handlers.register("ball", FieldHandler(Ball()))
    handlers.register("pulse", record=PulseRecorder())
    return handlers


class Played(Stage):
    """A session over a court of its own, and the loop that a game would run."""

    DT = DT
    handlers = staticmethod(court_handlers)

    def __init__(self, memory: int | str = "1 MiB", **rest: Any) -> None:
        super().__init__(court_of(), memory, **{"handlers": court_handlers(), **rest})
        self.court = self.world

    def spawn(self, id: int, at: Vector = (0.0, 0.0, 0.0), **rest: Any) -> Ball:
        """One more ball."""
        ball = Ball(at, **rest)
        self.court.things[id] = ball
        return ball


@pytest.fixture
def play() -> Iterator[Callable[..., Played]]:
    """Make sessions; what is given goes to `Session`."""
    yield from starting(Played)
