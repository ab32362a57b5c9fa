"""A small game for commands to run: two tops. Tests write games of their own beside, from it."""

from dataclasses import dataclass
from typing import Any

from playhead.recorder.statements.instrumentation_interface import (
    NULL_INSTRUMENTATION,
    Instrumentation,
)

from .fake_world import FakeWorld, handlers_of
from .process import LENIENT, WITH_SUPPORT

RUN = {**LENIENT, **WITH_SUPPORT}
"""The environment of commands that run such a game."""


@dataclass
class Top:
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    spin: float = 1.0


class Tops:
    """What `playhead run` takes: a world, handlers, a step."""

    name = "tops"

    def __init__(self, seed: int | None = 1, dt: float = 1 / 10) -> None:
        self.dt, self.seed, self.about = dt, seed, {"seed": seed}
        self.world = FakeWorld({1: Top(), 2: Top()}, dt=dt)
        self.handlers = handlers_of(self.world)
        self.instruments: Instrumentation = NULL_INSTRUMENTATION

    def attach(self, instruments: Instrumentation) -> None:
        self.instruments = instruments

    def step(self) -> None:
        self.world.step()

    def state_hash(self) -> str:
        return f"{self.seed}/{self.world.steps}"

    def close(self) -> None:
        """Nothing is to be closed."""

    def __enter__(self) -> "Tops":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()
