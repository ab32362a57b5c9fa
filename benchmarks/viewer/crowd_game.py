"""A game for the viewer's benchmark, recorded by the real recorder: a crowd that thinks aloud.

Most of its frames are light: one agent, the director, changes its state in each of them. In some
stretches the crowd is there, with skeletons and debug lines.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from playhead.handlers.handler_registry import HandlerRegistry
from playhead.handlers.skeletal_pose_handler import SkeletalPoseHandler, Skeleton
from playhead.recorder.checks.check_policy import UNATTENDED
from playhead.recorder.packets.trace_types import TreeNode
from playhead.recorder.statements.instrumentation_interface import Rejected
from playhead.recorder.world_adapter import World
from playhead.session import Session

DT = 1 / 60
JOINTS = 32
THINKERS = 16
"""Of the crowd, those whose states and trees are traced."""
DIRECTOR = 1
STATES = ("Idle", "Patrol", "Investigate", "Chase", "Attack", "TakeCover", "Search", "Stunned")
TREE = (
    TreeNode("root", "selector"),
    TreeNode("fight", "sequence", 0),
    TreeNode("target visible", "condition", 1),
    TreeNode("in range", "condition", 1),
    TreeNode("attack", "action", 1),
    TreeNode("patrol", "sequence", 0),
    TreeNode("has route", "condition", 5),
    TreeNode("walk", "action", 5),
)
FIGHTS = ("running", "running", "success", "success", "running", "", "", "")
WALKS = ("running", "failure", "failure", "", "", "running", "success", "running")

_PARENTS = (
    -1, 0, 1, 2, 3, 3, 5, 6, 7, 8, 8, 8, 3, 12, 13, 14, 15, 15, 15, 0, 20, 21, 22, 23, 0, 24, 25,
    26, 27, 10, 17, 4,
)  # fmt: skip
SKELETON = Skeleton(
    "body", tuple(f"joint {at}" for at in range(JOINTS)),
    tuple(-1 if at == 0 else min(up, at - 1) for at, up in enumerate(_PARENTS)),
)  # fmt: skip


class Shape(NamedTuple):
    """How much is recorded."""

    frames: int
    """All of them; the director's lane has as many spans."""
    stretches: int
    """How often the crowd comes …"""
    stay: int
    """… and for how many frames."""
    agents: int
    memory: str
    lines: int = 1_000
    """Debug lines in each frame that the crowd is in."""

    def has_crowd(self, frame: int) -> bool:
        """Whether the crowd is in a frame, counted from 1: at the end of each stretch."""
        every = self.frames // self.stretches
        return (frame - 1) % every >= every - self.stay

    def crowded(self) -> list[int]:
        """The frames that the crowd is in."""
        return [frame for frame in range(1, self.frames + 1) if self.has_crowd(frame)]


@dataclass
class Agent:
    """One of the crowd."""

    joints: Any
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    angles: tuple[float, float, float] = (0.0, 0.0, 0.0)
    velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    health: float = 100.0
    ammo: int = 30
    state: str = "Idle"
    skeleton: Skeleton = SKELETON


class Crowd(World):
    """Agents that walk in circles; at a time they are there, or only the director is."""

    def __init__(self, count: int) -> None:
        self.step_number = 0
        self.here = False
        self.has_come = False
        """Whether the crowd was not there in the frame before."""
        self._rest = _rest_pose()
        self._joints = np.zeros((count, JOINTS, 3, 4), np.float32)
        self._joints[..., :3] = np.eye(3)
        self._numbers = np.arange(count)
        self._columns = math.ceil(math.sqrt(count))
        self.agents = [Agent(self._joints[at]) for at in range(count)]
        self.director = Agent(np.zeros((0, 3, 4), np.float32))

    def step(self, *, here: bool) -> None:
        """The next frame."""
        self.step_number += 1
        self.has_come, self.here = here and not self.here, here
        if not here:
            return
        time = self.step_number * DT
        phase = time * 4 + self._numbers * 0.7
        swing = np.sin(phase[:, None] + np.arange(JOINTS) * 0.9) * 0.16
        self._joints[..., 3] = self._rest
        self._joints[..., 0, 3] += swing * self._rest[:, 2:].T * 0.5
        self._joints[..., 2, 3] += np.abs(swing) * 0.2
        turn = time * 0.6 + self._numbers
        x = (self._numbers % self._columns - self._columns / 2) * 3 + np.cos(turn)
        y = (self._numbers // self._columns - self._columns / 2) * 3 + np.sin(turn)
        facing = turn + math.pi / 2
        rows = zip(self.agents, x.tolist(), y.tolist(), facing.tolist(), strict=True)
        for agent, at_x, at_y, angle in rows:
            agent.position, agent.angles = (at_x, at_y, 0.0), (0.0, 0.0, angle)
            agent.velocity = (math.cos(angle) * 0.6, math.sin(angle) * 0.6, 0.0)
            agent.health = 60 + 40 * math.sin(at_x + time)

    def objects(self) -> Iterator[tuple[int, str, Agent]]:
        yield DIRECTOR, "director", self.director
        if self.here:
            for at, agent in enumerate(self.agents):
                yield DIRECTOR + 1 + at, ("soldier", "raider")[at * 2 // len(self.agents)], agent

    def time(self) -> float:
        return self.step_number * DT

    def find(self, object_id: int) -> None:
        return None


def _rest_pose() -> npt.NDArray[np.float32]:
    """Where the joints are, (JOINTS, 3): a trunk with two arms, two legs and a head."""
    rest = np.zeros((JOINTS, 3), np.float32)
    rest[0] = (0.0, 0.0, 0.95)
    steps = {range(1, 5): (0.0, 0.0, 0.19), range(5, 12): (0.0, 0.1, -0.07),
             range(12, 20): (0.0, -0.1, -0.07), range(20, 24): (0.05, 0.09, -0.24),
             range(24, 29): (0.05, -0.09, -0.2), range(29, 32): (0.06, 0.02, 0.05)}  # fmt: skip
    for joints, step in steps.items():
        for joint in joints:
            rest[joint] = rest[SKELETON.parents[joint]] + step
    return rest


def record(path: Path, shape: Shape) -> None:
    """Leave a ring's file, as a killed game would: it is opened as such."""
    world, handlers = Crowd(shape.agents), HandlerRegistry()
    for type in ("director", "soldier", "raider"):
        example = world.director if type == "director" else world.agents[0]
        names = ("position", "angles", "velocity", "health", "ammo", "state")
        handlers.register(type, SkeletalPoseHandler(example, names=names, skeleton="skeleton"))
    with Session(world, shape.memory, handlers=handlers, path=path, on_check=UNATTENDED) as session:
        for frame in range(1, shape.frames + 1):
            world.step(here=shape.has_crowd(frame))
            _tell(session, world, frame, shape.lines)
            session.update(DT)
        assert session.status.frames_held == shape.frames, "the ring is too small for that"


def _tell(session: Session, world: Crowd, frame: int, lines: int) -> None:
    """What is said of a frame beside its objects."""
    if frame == 1:
        session.name(DIRECTOR, "director")
    if world.has_come:
        for agent in range(2, THINKERS + 2):
            session.name(agent, f"guard {agent - 1}")
            session.trace.define_tree(agent, "brain", TREE)
    _think(session, DIRECTOR, frame, frame)
    for agent in range(2, THINKERS + 2):
        if frame % 100 == agent:
            _think(session, agent, frame, frame // 100 + agent)
        if world.here:
            statuses = FIGHTS if (frame + agent) // 7 % 2 else WALKS
            session.trace.tree(
                agent, "brain", statuses,
                ended_early={} if statuses is FIGHTS else {2: "wall in between"},
            )  # fmt: skip
    session.watch("load", math.sin(frame / 300) * 4 + frame % 7, DIRECTOR)
    session.watch("suspicion", frame % 240 / 240, 2)
    session.watch("distance", 12 + math.cos(frame / 40), 2)
    if frame % 50 == 0:
        level = ("info", "debug", "warning")[frame // 50 % 3]
        session.log(f"the director is at step {frame}", level=level, object=frame // 50 % 20)
    if world.here:
        _draw(session, world, frame, lines)


def _think(session: Session, agent: int, frame: int, number: int) -> None:
    session.trace.state(
        agent, "mind", STATES[(number - 1) * 5 % 8], STATES[number * 5 % 8],
        won="the next step was due", rejected=(Rejected("Flee", "hp 80 is not below 35"),),
        values={"step": frame},
    )  # fmt: skip


def _draw(session: Session, world: Crowd, frame: int, lines: int) -> None:
    """Lines by the crowd, and some of everything else."""
    draw, agents = session.draw, world.agents
    for number in range(lines):
        at, system = number % len(agents), number * 2 // lines
        x, y, _ = agents[at].position
        turn = number * 0.6 + frame * 0.02
        draw.line(
            (x, y, 0.1), (x + math.cos(turn), y + math.sin(turn), 0.1 + number % 3 * 0.2),
            object=DIRECTOR + 1 + at, channel=("ai", "fx")[system],
            color=((216, 181, 69), (63, 176, 189))[system],
        )  # fmt: skip
    for number in range(8):
        draw.box((number * 6 - 24, -38, 1), (4, 1, 2), color=(90, 100, 120))
    draw.sphere(agents[0].position, 2.0, object=2, channel="ai", color=(242, 85, 90, 150))
    draw.polygon(((-4, -4, 0), (4, -4, 0), (4, 4, 0), (-4, 4, 0)), color=(95, 143, 69, 90))
    draw.text((0, 0, 3), "crowd", color=(215, 220, 229))
