"""A scene with one of everything that a picture can hold, and bridges as people start them."""

import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from playhead.bus.messages.message import PlayheadTime
from playhead.handlers.field_handler import FieldHandler
from playhead.handlers.handler_registry import HandlerRegistry
from playhead.handlers.skeletal_pose_handler import SkeletalPoseHandler, Skeleton
from playhead.recorder.world_adapter import Conventions

from ...support.fake_world import FakeWorld
from ...support.process import PLAYHEAD, Process, starting
from ...support.stage import Stage

RIG = Skeleton("rig", ("hip", "knee", "foot"), (-1, 0, 1))
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


def handlers(space: str) -> HandlerRegistry:
    registry = HandlerRegistry()
    names = ("position", "angles", "visible", "hp", "state", "velocity")
    registry.register(
        "walker", SkeletalPoseHandler(Walker(), names=names, skeleton="rig", space=space)
    )
    registry.register("lamp", FieldHandler(Lamp()))
    return registry


class Scene(Stage):
    """Walkers and a lamp, which are recorded frame by frame."""

    def __init__(self, conventions: Conventions = Z_UP, space: str = "model") -> None:
        things = {1: Walker(), 2: Walker(visible=False), 3: Lamp()}
        world = FakeWorld(things, conventions=conventions)
        super().__init__(world, "4 MiB", handlers=handlers(space))

    def step(self) -> PlayheadTime:
        """Record what was said since the last step; returns the instant of the frame."""
        newest = self.run()
        span = self.source.span
        assert span is not None
        return PlayheadTime(origin="", sequence=1, mode="live", frame=newest, time=span.end)


@pytest.fixture
def stage() -> Iterator[Callable[..., Scene]]:
    """Make scenes; they are closed with the test."""
    yield from starting(Scene)


class Bridging(Process):
    """`playhead bridge`, in a process of its own."""

    def __init__(self, *args: str) -> None:
        super().__init__(PLAYHEAD, "bridge", *args, env={"RERUN_ANALYTICS_ENABLED": "0"})
        self.address_line = self.line("stderr")
        """The line in which it says where it is to be found."""

    @property
    def address(self) -> str:
        """Where it listens."""
        address = self.address_line.split()[-1]
        assert "://" in address, self.output
        return address

    def ended(self) -> str:
        """Interrupt it, as a person would; returns what else it said."""
        code, _, message = self.interrupt()
        assert code == 0, self.output
        return message


@pytest.fixture
def bridge() -> Iterator[Callable[..., Bridging]]:
    """Start bridges: a kind, an endpoint, options."""
    yield from starting(Bridging)


@pytest.fixture
def unused_port() -> int:
    """A port of this machine that nobody listens on, for programs that can't find one."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
