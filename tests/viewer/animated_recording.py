"""A small recording of somebody who steers, is animated, and believes things, all of it known."""

import math
from dataclasses import dataclass
from pathlib import Path

from playhead.handlers.camera_handler import CameraHandler
from playhead.handlers.field_handler import FieldHandler
from playhead.handlers.handler_registry import HandlerRegistry
from playhead.recorder.checks.check_policy import UNATTENDED
from playhead.recorder.clips.save_clip import save
from playhead.recorder.packets.layouts.layout import Field
from playhead.recorder.packets.trace_types import AnimationClip, TreeNode
from playhead.recorder.statements.instrumentation_interface import Belief, Rejected
from playhead.session import Session

from ..support.fake_world import DT, FakeWorld

FRAMES = 256
DANCER, RUNNER, STROLLER, CAMERA = 1, 2, 3, 4
BLEND, HOP, LANDS, STILL = 64, 128, 160, 200
"""Frames: idle begins to turn into walk, the hop pops in, it is out, nothing changes any more."""
WEAVES = (96, 192)
"""Frames between which the dancer turns to and fro, eight times a second."""
NODES = (
    TreeNode("Root", "selector"),
    TreeNode("Turn", "sequence", 0),
    TreeNode("Free?", "condition", 1),
    TreeNode("Spin", "action", 1),
    TreeNode("Rest", "action", 0),
)

Vector = tuple[float, float, float]


@dataclass
class Person:
    type = "runner"
    position: Vector = (0.0, 0.0, 0.0)
    angles: Vector = (0.0, 0.0, 0.0)
    visible: bool = True


@dataclass
class Dancer(Person):
    type = "dancer"
    velocity: Vector = (0.0, 0.0, 0.0)
    wish: Vector = (0.0, 0.0, 0.0)


@dataclass
class Eye(Person):
    type = "camera"
    fov: float = 1.0


class Hall(FakeWorld):
    """A dancer along x, a runner towards it, somebody whose velocity is watched, a camera."""

    def __init__(self) -> None:
        self.dancer, self.runner, self.stroller = Dancer(), Person((20.0, 0.0, 0.0)), Person()
        self.stroller.position = (0.0, 50.0, 0.0)
        self.eye = Eye()
        super().__init__({
            DANCER: self.dancer, RUNNER: self.runner, STROLLER: self.stroller, CAMERA: self.eye,
        })  # fmt: skip
        self.during = self.move_all

    def move_all(self) -> None:
        side = 0.0
        if WEAVES[0] <= self.steps < WEAVES[1]:
            side = 1.5 * math.cos(2 * math.pi * 4.0 * (self.steps - WEAVES[0]) * DT)
        self.dancer.velocity, self.dancer.wish = (2.0, side, 0.0), (2.0, 0.0, 0.0)
        self.dancer.position = _moved(self.dancer.position, self.dancer.velocity)
        self.runner.position = _moved(self.runner.position, (-2.0, 0.0, 0.0))
        self.stroller.position = _moved(self.stroller.position, (0.0, 1.0, 0.0))
        self.eye.position = self.dancer.position


def _moved(position: Vector, velocity: Vector) -> Vector:
    x, y, z = (at + by * DT for at, by in zip(position, velocity, strict=True))
    return x, y, z


def handlers() -> HandlerRegistry:
    registry = HandlerRegistry()
    wish = {"wish": Field("m/s", "desired_velocity")}
    registry.register("dancer", FieldHandler(Dancer(), notes=wish))
    registry.register("runner", FieldHandler(Person()))
    registry.register("camera", CameraHandler(Eye()))
    return registry


def clips_at(at: int) -> list[AnimationClip]:
    """The dancer's animation tree in a step."""
    walk = min(1.0, max(0.0, (at - BLEND) / 16))
    hop = 1.0 if HOP <= at < LANDS else 0.0
    tree = [
        AnimationClip("body", 1.0),
        AnimationClip("idle", 1.0 - walk, 0.0, 0.0, "below 1 m/s", 0),
        AnimationClip("walk", walk - hop, 1.5, at * 0.03 % 1.0, "from 1 m/s", 0),
    ]
    return tree if at >= LANDS else [*tree, AnimationClip("hop", hop, 2.0, 0.5, "a beat", 0)]


def tell(session: Session, hall: Hall, at: int) -> None:
    """What is said in a step."""
    if at == 1:
        session.name(DANCER, "Ada")
        session.trace.define_tree(DANCER, "mood", NODES)
        session.trace.state(DANCER, "hands", "", "Open", won="attached")
    if at < STILL:
        session.trace.animation(DANCER, "body", clips_at(at))
    if at % 64 == 1:
        calm = at // 64 % 2 == 0
        session.trace.state(
            DANCER, "legs", "" if at == 1 else "Swing" if calm else "Stand",
            "Stand" if calm else "Swing", won="tired" if calm else "music",
            also_true=("lights",), rejected=(Rejected("crowd", "3 people are not above 5"),),
            values={"beat": at},
        )  # fmt: skip
    if at % 8 == 0:
        spins = at // 64 % 2 == 1
        session.trace.tree(
            DANCER, "mood",
            ("running", "running", "success", "running", "") if spins
            else ("success", "failure", "failure", "", "success"),
            ended_early={} if spins else {1: "no room", 2: "2 m are not free"},
            blackboard={"beat": at // 8} if at % 16 == 0 else {"room": 2.0} if at == 8 else {},
            beliefs=(Belief(RUNNER, (20.0, 0.0, 0.0), 0.0, "heard"),) if at < 128 else (),
        )  # fmt: skip
    session.watch("velocity.y", 1.0, object=STROLLER)
    session.watch("desired_velocity.x", -1.0, object=STROLLER)


def make_clip(path: Path) -> None:
    """A clip of all of it."""
    hall = Hall()
    with Session(hall, "4 MiB", handlers=handlers(), on_check=UNATTENDED) as session:
        for at in range(1, FRAMES + 1):
            hall.step()
            tell(session, hall, at)
            session.update(DT)
        save(path, session.source.ring)
