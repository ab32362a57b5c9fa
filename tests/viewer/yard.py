"""A small recording with something of everything, and a game that can be followed live."""

import math
import threading
from pathlib import Path
from typing import Any

import numpy as np

from playhead.bus.settings import BusSettings
from playhead.handlers.model import ModelHandler, Skeleton
from playhead.handlers.registry import HandlerRegistry
from playhead.recorder.checks import UNATTENDED
from playhead.recorder.clips.save import save
from playhead.recorder.clips.writer import ClipWriter
from playhead.recorder.instruments import Belief, Rejected
from playhead.recorder.traces import TreeNode
from playhead.recorder.world import World
from playhead.session import Session

DT = 1 / 64
"""A step without rounding: times are exact."""
FRAMES = 256
FAILS = 160
"""The frame in which a check fails, about walker 2."""
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


class Yard(World):
    """Two walkers, 1 and 2."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.walkers = {1: Walker(3.0), 2: Walker(5.0)}

    def step(self) -> None:
        self.seconds += DT
        for walker in self.walkers.values():
            walker.go(self.seconds)

    def objects(self) -> list[tuple[int, str, Any]]:
        return [(id, "walker", walker) for id, walker in self.walkers.items()]

    def time(self) -> float:
        return self.seconds

    def find(self, object_id: int) -> Any | None:
        return self.walkers.get(object_id)


def handlers() -> HandlerRegistry:
    registry = HandlerRegistry()
    names = ("position", "angles", "visible", "state", "hp")
    registry.register("walker", ModelHandler(Walker(1.0), names=names, skeleton="skeleton"))
    return registry


def tell(session: Session, world: Yard, step: int) -> None:
    """What is said in the step that leads to frame `step`."""
    first = world.walkers[1]
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


def record(session: Session, world: Yard, frames: int = FRAMES) -> None:
    """Record so many frames."""
    span = session.source.span
    done = 0 if span is None else span.newest
    for step in range(done + 1, done + frames + 1):
        world.step()
        tell(session, world, step)
        session.update(DT)


def make_ring(path: Path) -> None:
    """A ring file, as a killed game would leave it."""
    world = Yard()
    with Session(world, "2 MiB", handlers=handlers(), path=path, on_check=UNATTENDED) as session:
        record(session, world)


def make_clip(path: Path, *parts: tuple[int, int]) -> None:
    """A clip of everything, or of these stretches with gaps between."""
    world = Yard()
    with Session(world, "4 MiB", handlers=handlers(), on_check=UNATTENDED) as session:
        record(session, world)
        if not parts:
            save(path, session.source.ring)
            return
        with ClipWriter(path) as writer:
            for start, end in parts:
                writer.copy(session.source.ring, start, end)
            writer.finish()


class LiveGame:
    """A game on the bus, in a thread of its own, that steps until it is closed.

    Args:
        waits: Whether it records nothing before `begin` is called, as one that still loads.
    """

    def __init__(self, endpoint: str = "tcp://127.0.0.1:*", *, waits: bool = False) -> None:
        self._ended = threading.Event()
        self._begun = threading.Event()
        if not waits:
            self._begun.set()
        self._ready = threading.Event()
        self.world = Yard()
        self.endpoint = ""
        self.live = True
        self._thread = threading.Thread(target=self._run, args=(endpoint,), name="the game")
        self._thread.start()
        assert self._ready.wait(20)

    def _run(self, endpoint: str) -> None:
        settings = BusSettings(endpoint, patience=2.0)
        with Session(
            self.world, "1 MiB", handlers=handlers(), on_check=UNATTENDED, bus=settings
        ) as session:  # fmt: skip
            assert session.bus is not None
            self.endpoint = session.bus.endpoint
            self._ready.set()
            self._begun.wait()
            while not self._ended.wait(DT / 2):
                self.live = session.live
                if self.live:
                    record(session, self.world, 1)
                else:
                    session.update(DT)

    def begin(self) -> None:
        """Record from now on."""
        self._begun.set()

    def close(self) -> None:
        self._ended.set()
        self._begun.set()
        self._thread.join(20)
