"""A recording for the world view: skeletons, stand-ins, a camera, and every kind of drawing."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from playhead.handlers.camera_handler import CameraHandler
from playhead.handlers.field_handler import FieldHandler
from playhead.handlers.handler_registry import HandlerRegistry
from playhead.handlers.skeletal_pose_handler import SkeletalPoseHandler, Skeleton
from playhead.recorder.checks.check_policy import UNATTENDED
from playhead.session import Session

from ..support.fake_world import DT, FakeWorld

FRAMES = 20
CHAIN = Skeleton("chain", ("foot", "middle", "head"), (-1, 0, 1))
WIDE = math.radians(90)
Vector = tuple[float, float, float]


@dataclass
class Crate:
    """Without joints."""

    position: Vector
    angles: Vector = (0.0, 0.0, 0.0)
    weight: float = 4.0


@dataclass
class Camera:
    position: Vector = (0.0, -10.0, 2.0)
    angles: Vector = (0.0, 0.0, math.pi / 2)
    """It looks along y."""
    fov: float = WIDE


def _chain() -> Any:
    joints = np.zeros((3, 3, 4))
    joints[:, :, :3] = np.eye(3)
    joints[1:, 2, 3] = 1.0
    return joints


@dataclass
class Dancer:
    """A chain of three joints, each a metre above its parent."""

    position: Vector
    angles: Vector = (0.0, 0.0, 0.0)
    state: str = "Dance"
    joints: Any = field(default_factory=_chain)
    skeleton: Skeleton = CHAIN


def plaza() -> FakeWorld:
    """Dancers 1 and 2, whose joints are in their parents' spaces; crates 3 and 4; camera 5."""
    world = FakeWorld({
        1: Dancer((0.0, 0.0, 0.0)), 2: Dancer((4.0, 0.0, 0.0)),
        3: Crate((-4.0, 2.0, 0.0)), 4: Crate((-4.0, 5.0, 0.0)), 5: Camera(),
    })  # fmt: skip

    def dance() -> None:
        world.things[1].position = (0.1 * world.steps, 0.0, 0.0)

    world.during = dance
    return world


def draw(session: Session) -> None:
    """One of each kind, and more of those that come in batches."""
    draw = session.draw
    for at in range(3):
        draw.line((at, 0, 0), (at, 0, 1 + at), object=1, channel="ai", color=(255, 0, 0))
    draw.line((9, 9, 0), (9, 9, 1), object=2, channel="fx", color=(0, 0, 255, 128))
    draw.lines([[(0, 6, 0), (1, 6, 0)], [(1, 6, 0), (1, 6, 1)]], color=(0, 255, 255))
    draw.sphere((0, 3, 1), 0.5, object=1, color=(255, 255, 0))
    draw.box((-4, -3, 1), (2, 2, 2), angles=(0, 0, 0.3), color=(0, 255, 0))
    draw.polygon(((3, 3, 0), (5, 3, 0), (5, 5, 0), (3, 5, 0)), object=2, color=(255, 0, 255))
    draw.text((2, -3, 0), "here", object=2, color=(250, 250, 250))


def record(path: Path, draw: Callable[[Session], None] = draw) -> None:
    """A ring's file, as a killed game would leave it, with these drawings in each frame."""
    world, handlers = plaza(), HandlerRegistry()
    names = ("position", "angles", "state")
    dancers = SkeletalPoseHandler(
        world.things[1], names=names, skeleton="skeleton", space="parent"
    )  # fmt: skip
    handlers.register("dancer", dancers)
    handlers.register("crate", FieldHandler(world.things[3]))
    handlers.register("camera", CameraHandler(world.things[5]))
    with Session(world, "1 MiB", handlers=handlers, path=path, on_check=UNATTENDED) as session:
        for _ in range(FRAMES):
            world.step()
            if world.steps == 1:
                session.name(1, "first")
                session.draw.box((6, 6, 0.5), (1, 1, 1), latch="post", color=(9, 9, 9))
            draw(session)
            session.update(DT)
