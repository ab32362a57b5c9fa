"""A small game with all that a recording can be asked about, alike in every run."""

from dataclasses import dataclass
from typing import Any

from playhead.handlers.field_handler import FieldHandler
from playhead.handlers.handler_registry import HandlerRegistry
from playhead.recorder.checks.check_policy import UNATTENDED
from playhead.recorder.packets.log_lines import LogLine
from playhead.recorder.packets.trace_types import StateTransition, TreeNode
from playhead.recorder.statements.instrumentation_interface import Belief, Rejected
from playhead.recorder.world_adapter import World
from playhead.session import Session

from ..support.other_process import OtherProcess
from ..support.pictures import picture_bytes

DT = 1 / 64
"""A step without rounding: times are exact."""
FRAMES = 60
FAILS = 40
"""The step in which a check fails."""
VISITOR, CAPTAIN = 9, 7
"""Who comes in step 10 and is gone in step 30; whose name changes in step 20."""


@dataclass
class Guard:
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    velocity: tuple[float, float] = (1.0, 0.5)
    hp: float = 100.0
    ammo: int = 30
    mood: str = "calm"
    visible: bool = True


@dataclass
class Crate:
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    weight: int = 5


class Guards(World):
    """The game and its adapter in one."""

    def __init__(self) -> None:
        self.steps = 0
        self.guards = {id: Guard((float(id), 0.0, 0.0)) for id in (1, 2, CAPTAIN)}
        self.crates = {100 + id: Crate((0.0, float(id), 0.0), id) for id in range(3)}

    def objects(self) -> list[tuple[int, str, Any]]:
        guards = [(id, "Guard", guard) for id, guard in self.guards.items()]
        return guards + [(id, "Crate", crate) for id, crate in self.crates.items()]

    def time(self) -> float:
        return self.steps * DT

    def find(self, object_id: int) -> Any | None:
        return self.guards.get(object_id) or self.crates.get(object_id)

    def step(self) -> None:
        self.steps += 1
        for id, guard in self.guards.items():
            x, y, z = guard.position
            guard.position = (x + guard.velocity[0] * DT, y + guard.velocity[1] * DT, z)
            guard.hp = 100.0 - self.steps * id / 10
            guard.ammo = 30 - self.steps % 7
            guard.mood = "calm" if guard.hp > 90 else "angry"
            guard.visible = self.steps % 5 != 0
        if self.steps == 10:
            self.guards[VISITOR] = Guard((9.0, 9.0, 0.0))
        if self.steps == 30:
            del self.guards[VISITOR]


def session_of(world: Guards, memory: int | str = "4 MiB", **settings: Any) -> Session:
    handlers = HandlerRegistry()
    handlers.register("Guard", FieldHandler(Guard()))
    handlers.register("Crate", FieldHandler(Crate()))
    given = {"on_check": UNATTENDED, "about": {"game": "guards", "seed": 1}, **settings}
    return Session(world, memory, handlers=handlers, **given)


def play(session: Session, world: Guards, frames: int = FRAMES) -> None:
    """Record some steps."""
    for _ in range(frames):
        world.step()
        speak(session, world.steps)
        session.update(DT)


def speak(session: Session, step: int) -> None:
    """What the game and its agents say in a step."""
    if step == 1:
        for id in (1, 2):
            session.name(id, f"guard {id}")
        session.name(CAPTAIN, "recruit")
        session.name(100, "crate")
        session.name(101, "crate")
        nodes = [TreeNode("root", "selector"), TreeNode("flee", parent=0), TreeNode("go", parent=0)]
        session.trace.define_tree(2, "mind", nodes)
    if step == 10:
        session.name(VISITOR, "visitor")
        session.trace.state(VISITOR, "ai", "", "Visit", won="came")
    if step == 20:
        session.name(CAPTAIN, "captain")
    if step == 30:
        session.recorder.despawn(VISITOR)
    if step % 8 == 1:
        states = ("Idle", "Attack", "Flee")
        session.trace.state(
            1, "ai", states[step // 8 % 3], states[(step // 8 + 1) % 3], won=f"step {step}",
            also_true=("bored",), rejected=(Rejected("Sleep", "noise"),),
            values={"step": step, "near": True},
            beliefs=(Belief(2, (float(step), 0.0, 0.0), step * DT, "heard"),),
        )  # fmt: skip
    if step % 5 == 0:
        session.trace.state(1, "legs", "stand", f"walk {step}", won="go")
    if step % 3 == 0:
        session.trace.tree(
            2, "mind", ("running", "failure", "running"), ended_early={1: "no fear"},
            blackboard={"step": step}, beliefs=(Belief(1, (0.0, float(step), 0.0), 0.1),),
        )  # fmt: skip
    session.watch("distance", step / 4, 1)
    if step % 2:
        session.watch("light", step * 2.0)
    if step % 4 == 0:
        session.log(f"line {step}", level="warning" if step % 8 else "debug", object=step % 3)
    session.input("pad", {"left x": step / 60, "A": step % 3 == 0}, object=1)
    for hit in range(step % 3):
        session.event("hit", {"damage": hit, "step": step}, object=1 + hit)
    if step % 20 == 10:
        session.picture(picture_bytes(text=str(step)), width=640, height=360)
        session.picture(picture_bytes("png"), format="png", name="map")
    if step in (5, 35):
        session.phase("waiting" if step == 5 else "boss fight")
    if step == 25:
        session.mark("half way", "a note", object=2)
    if step > 20 and step % 10 == 0:  # said by another process, of a frame that is over
        then = (step - 6) * DT
        OtherProcess(session.recorder).decide(
            2, StateTransition("mood", "", f"m{step}", "late"), time=then
        )
        OtherProcess(session.recorder).line(LogLine(f"late {step}", object=2), time=then)
    session.check(step != FAILS, "guard 1 keeps calm", focus=1)
