"""A scene with one of everything that a picture can hold, and bridges as people start them."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from playhead.bus.message import Time
from playhead.handlers.field import FieldHandler
from playhead.handlers.model import ModelHandler, Skeleton
from playhead.handlers.registry import HandlerRegistry
from playhead.recorder.world import Conventions, World
from playhead.session import Session

PLAYHEAD = Path(sys.executable).parent / "playhead"
LIMIT = 30.0
RIG = Skeleton("rig", ("hip", "knee", "foot"), (-1, 0, 1))
DT = 1 / 64
Z_UP = Conventions()


@dataclass
class Walker:
    """An animated model, a quarter turn to the left."""

    position: tuple[float, float, float] = (1.0, 2.0, 3.0)
    angles: tuple[float, float, float] = (0.0, 0.0, np.pi / 2)
    visible: bool = True
    hp: int = 7
    state: str = "walking"
    velocity: tuple[float, float, float] = (0.5, 0.0, -1.0)
    rig: Skeleton = RIG
    joints: Any = field(default_factory=lambda: _joints())


def _joints() -> Any:
    matrices = np.zeros((3, 3, 4), np.float32)
    matrices[:, :, :3] = np.eye(3)
    matrices[:, :, 3] = [(0, 0, 1), (1, 0, 0.5), (1, 0, 0)]
    return matrices


@dataclass
class Lamp:
    position: tuple[float, float, float] = (9.0, 0.0, 0.0)
    lit: bool = True
    name: str = "x" * 9


class Scene(World):
    """Walkers and a lamp."""

    def __init__(self, conventions: Conventions, space: str) -> None:
        self.conventions = conventions
        self.things: dict[int, Any] = {1: Walker(), 2: Walker(visible=False), 3: Lamp()}
        self.seconds = 0.0
        self.handlers = HandlerRegistry()
        names = ("position", "angles", "visible", "hp", "state", "velocity")
        walking = ModelHandler(Walker(), names=names, skeleton="rig", space=space)
        self.handlers.register("walker", walking)
        self.handlers.register("lamp", FieldHandler(Lamp()))

    def objects(self) -> list[tuple[int, str, Any]]:
        return [
            (id, "lamp" if isinstance(thing, Lamp) else "walker", thing)
            for id, thing in self.things.items()
        ]

    def time(self) -> float:
        return self.seconds

    def find(self, object_id: int) -> Any | None:
        return self.things.get(object_id)


class Stage:
    """A session of the scene, which is recorded frame by frame."""

    def __init__(
        self, conventions: Conventions = Z_UP, space: str = "model"
    ) -> None:  # fmt: skip
        self.scene = Scene(conventions, space)
        self.session = Session(self.scene, "4 MiB", handlers=self.scene.handlers)
        self.source = self.session.source

    def step(self) -> Time:
        """Record what was said since the last step; returns the instant of the frame."""
        self.scene.seconds += DT
        self.session.update(DT)
        span = self.source.span
        assert span is not None
        return Time(origin="", sequence=1, mode="live", frame=span.newest, time=span.end)


@pytest.fixture
def stage() -> Iterator[Any]:
    """Make stages; they are closed with the test."""
    made: list[Stage] = []

    def make(*args: Any, **rest: Any) -> Stage:
        made.append(Stage(*args, **rest))
        return made[-1]

    yield make
    for one in made:
        one.session.close()


class Bridging:
    """`playhead bridge`, in a process of its own."""

    def __init__(self, *args: str) -> None:
        self.process = subprocess.Popen(
            [PLAYHEAD, "bridge", *args], stderr=subprocess.PIPE, text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1", "RERUN_ANALYTICS_ENABLED": "0"},
        )  # fmt: skip
        assert self.process.stderr is not None
        self.said = self.process.stderr.readline().strip()
        """The line in which it says where it is to be found."""

    @property
    def address(self) -> str:
        """Where it listens."""
        address = self.said.split()[-1]
        assert "://" in address, f"{self.said}\n{self.end()}"
        return address

    def end(self) -> str:
        """Interrupt it, as a person would; returns what else it said."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        _, said = self.process.communicate(timeout=LIMIT)
        assert self.process.returncode == 0, said
        return said

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def bridge() -> Iterator[Any]:
    """Start bridges: a kind, an endpoint, options."""
    started: list[Bridging] = []

    def start(*args: str) -> Bridging:
        started.append(Bridging(*args))
        return started[-1]

    yield start
    for one in started:
        one.close()


@pytest.fixture
def unused_port() -> int:
    """A port of this machine that nobody listens on, for programs that can't find one."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
