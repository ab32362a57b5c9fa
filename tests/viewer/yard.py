"""A small recording with something of everything, and a game that can be followed live."""

import contextlib
import math
from pathlib import Path

import numpy as np

from playhead.bus.server.bus_settings import BusSettings
from playhead.handlers.handler_registry import HandlerRegistry
from playhead.handlers.skeletal_pose_handler import SkeletalPoseHandler, Skeleton
from playhead.recorder.checks.check_policy import UNATTENDED
from playhead.recorder.clips.clip_writer import ClipWriter
from playhead.recorder.clips.save_clip import save
from playhead.recorder.packets.trace_types import TreeNode
from playhead.recorder.statements.instrumentation_interface import Belief, Rejected
from playhead.session import Session

from ..support.fake_world import DT, FakeWorld
from ..support.stage import Stage, StageThread

FRAMES = 256
FAILS = 160
"""The frame in which a check fails, about walker 2."""
GONE = 150
"""The frame from which on walker 1 is gone, in the recording in which it goes."""
LEGS = Skeleton("legs", ("hip", "knee", "foot"), (-1, 0, 1))
NODES = (
    TreeNode("Root", "selector"),
    TreeNode("Fight", "sequence", 0),
    TreeNode("Sees?", "condition", 1),
    TreeNode("Strike", "action", 1),
    TreeNode("Walk", "action", 0),
)


class Walker:
    """Goes in a circle; looks to where it goes."""

    skeleton = LEGS

    def __init__(self, radius: float) -> None:
        self.radius = radius
        self.position = (radius, 0.0, 0.0)
        self.angles = (0.0, 0.0, 0.0)
        self.visible = True
        self.targetable = True
        self.state = "Patrol"
        self.hp = 100.0
        self.joints = np.zeros((3, 3, 4))
        self.joints[:, :, :3] = np.eye(3)
        self.joints[:, 2, 3] = (0.9, 0.5, 0.0)

    def go(self, time: float) -> None:
        x, y = self.radius * math.cos(time), self.radius * math.sin(time)
        self.position, self.angles = (x, y, 0.0), (0.0, 0.0, time + math.pi / 2)


def make_yard() -> FakeWorld:
    """Two walkers, 1 and 2."""
    world = FakeWorld({1: Walker(3.0), 2: Walker(5.0)}, dt=DT)
    world.move = lambda walker, dt: walker.go(world.seconds)
    return world


def handlers() -> HandlerRegistry:
    registry = HandlerRegistry()
    names = ("position", "angles", "visible", "state", "hp")
    registry.register("walker", SkeletalPoseHandler(Walker(1.0), names=names, skeleton="skeleton"))
    return registry


def tell(session: Session, world: FakeWorld, step: int) -> None:
    """What is said in the step that leads to frame `step`."""
    if 1 not in world.things:
        session.log("all is quiet", object=1)
        return
    first = world.things[1]
    session.watch("speed", 1.0 + step % 32, object=1)
    if step == 1:
        session.name(1, "north")
        session.name(2, "south")
        session.trace.define_tree(1, "brain", NODES)
        session.trace.state(1, "guard", "", "Patrol", won="attached")
    if step % 64 == 0:
        source, target = ("Patrol", "Chase") if step % 128 else ("Chase", "Patrol")
        first.state, first.hp = target, first.hp - 10.0
        session.trace.state(
            1, "guard", source, target, won="sees", also_true=("hears",),
            rejected=(Rejected("hurt", "hp is not below 35"),), values={"hp": first.hp},
            beliefs=(Belief(2, (9.0, 9.0, 0.0), world.seconds - 1.0, "last seen"),),
        )  # fmt: skip
    fights = step // 64 % 2 == 1
    session.trace.tree(
        1, "brain",
        ("running", "running", "success", "running", "") if fights
        else ("success", "failure", "failure", "", "success"),
        ended_early={} if fights else {2: "wall in between"},
    )  # fmt: skip
    if step == 100:
        session.log("path is long", level="warning", object=2)
    if step == 40:
        session.log("path request failed", level="error", object=2)
    if step == 120:
        session.mark("here", "by hand")
    session.draw.line((0, 0, 0), first.position, object=1, channel="ai", color=(255, 0, 0))
    session.draw.box((0, 0, 1), (1, 1, 2), color=(0, 255, 0))
    if step == FAILS:
        session.check(False, "walkers stay inside", focus=2)


def record(session: Session, world: FakeWorld, frames: int = FRAMES) -> None:
    """Record so many frames."""
    span = session.source.span
    done = 0 if span is None else span.newest
    for step in range(done + 1, done + frames + 1):
        world.step()
        tell(session, world, step)
        session.update(DT)


def make_ring(path: Path) -> None:
    """A ring file, as a killed game would leave it."""
    world = make_yard()
    with Session(world, "2 MiB", handlers=handlers(), path=path, on_check=UNATTENDED) as session:
        record(session, world)


def make_clip(path: Path, *parts: tuple[int, int]) -> None:
    """A clip of everything, or of these stretches with gaps between."""
    world = make_yard()
    with Session(world, "4 MiB", handlers=handlers(), on_check=UNATTENDED) as session:
        record(session, world)
        if not parts:
            save(path, session.source.ring)
            return
        with ClipWriter(path) as writer:
            for start, end in parts:
                writer.copy(session.source.ring, start, end)
            writer.finish()


def make_short_life(path: Path) -> None:
    """A clip in which walker 1 is gone from the frame `GONE` on: only others speak of it."""
    world = make_yard()
    with Session(world, "4 MiB", handlers=handlers(), on_check=UNATTENDED) as session:
        record(session, world, GONE - 1)
        del world.things[1]
        record(session, world, FRAMES - GONE + 1)
        save(path, session.source.ring)


class LiveGame(StageThread):
    """A game on the bus, in a thread of its own, that steps until it is closed.

    Args:
        waits: Whether it records nothing before `begin_now` is called, as one that still loads.
    """

    def __init__(self, endpoint: str = "tcp://127.0.0.1:*", *, waits: bool = False) -> None:
        bus = BusSettings(endpoint, patience=2.0)
        super().__init__(
            lambda: Recorded(make_yard(), handlers=handlers(), on_check=UNATTENDED, bus=bus)
        )
        self._running = contextlib.ExitStack()
        if not waits:
            self.begin_now()

    def begin_now(self) -> None:
        """Record from now on, in real time.

        Faster, and a window in the same process, whose reader takes turns with the game and with
        all that paints, would not get to what was recorded before it came.
        """
        self._running.enter_context(self.running(1 / DT))

    @property
    def live(self) -> bool:
        return self.session.live

    def close(self) -> None:
        self._running.close()
        super().close()


class Recorded(Stage):
    """The yard, whose steps are told."""

    def run(self, frames: int = 1) -> int:
        record(self.session, self.world, frames)
        return self.newest
