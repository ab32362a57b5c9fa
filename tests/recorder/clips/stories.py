"""Recordings of all that can be recorded, and all that can be read of one."""

import random
import struct
from types import SimpleNamespace
from typing import Any

import numpy as np

from playhead.recorder.handler_interface import HandlerSpec
from playhead.recorder.packets.layouts.layout import Field, Layout
from playhead.recorder.packets.log_lines import LogLine
from playhead.recorder.packets.packet_types import Kind
from playhead.recorder.packets.trace_types import (
    AnimationClip,
    AnimationFrame,
    StateTransition,
    TreeNode,
    TreeTick,
)
from playhead.recorder.reading.frame_source import FrameSource
from playhead.recorder.recorder import Recorder
from playhead.recorder.statements.statement_messages import SetMark
from playhead.recorder.world_adapter import Conventions

from ...support.other_process import OtherProcess

AGENTS, MACHINES, NAMES = (1, 2, 2**62 + 1), ("plan", "aim", ""), ("hp", "speed", "ammo")
ACTS = (
    "watch", "watch", "log", "state", "state", "define_tree", "tree", "animation", "name", "fact",
    "fact", "long fact", "line", "latched sphere", "text", "mark", "end", "late state",
    "late state", "late log", "late mark", "late tree",
)  # fmt: skip
"""What may happen in a frame."""
STATUSES = ("running", "success", "failure", "")


class Guard:
    """A handler whose payloads have a record and a tail of any length."""

    layout = Layout(
        (("hp", "<f8", ()), ("aim", "<f4", (3,)), ("ammo", "<u2", ())), "utf8", (), "thought",
        notes={"hp": Field(role="health")},
    )  # fmt: skip

    def size(self, guard: SimpleNamespace) -> int:
        return 22 + len(guard.thought.encode())

    def record(self, guard: SimpleNamespace, packet: Any) -> None:
        packet.position = (guard.hp, 0.0, 1.0)
        packet.visible = guard.hp > 10
        struct.pack_into("<d3fH", packet, 0, guard.hp, 1.0, 2.0, 3.0, int(guard.hp))
        packet.payload[22:] = guard.thought.encode()


class Crate:
    """A handler of small things, all alike."""

    layout = Layout((("x", "<i4", ()),))

    def size(self, crate: SimpleNamespace) -> int:
        return 4

    def record(self, crate: SimpleNamespace, packet: Any) -> None:
        struct.pack_into("<i", packet, 0, crate.x)


class Story:
    """A recorder to which something happens in each frame."""

    def __init__(self, memory: str = "1 MiB", seed: int = 1, latch: str = "64 KiB") -> None:
        self.random = random.Random(seed)
        self.recorder = Recorder(
            memory, latch=latch, strict=True, about={"game": "yard", "seed": seed},
            conventions=Conventions(up="y", unit="cm"),
        )  # fmt: skip
        self.recorder.add_handler(HandlerSpec("guard", Guard(), None, ("ai",)))
        self.recorder.add_handler(HandlerSpec("crate", Crate(), None, ()))
        self.time, self.count = 0.0, 0

    def frame(self, acts: list[str], delta: float = 0.25, jump: bool = False) -> int:
        """One frame in which this happens."""
        for act in acts:
            self.act(act)
        self.time = 0.0 if jump else self.time + delta
        guards = [
            (agent, "guard", SimpleNamespace(hp=float(self.count % 100), thought="hm" * agent))
            for agent in AGENTS[:2]
            if self.random.random() < 0.9
        ]
        crates = [(100 + n, "crate", SimpleNamespace(x=self.count)) for n in range(3)]
        return self.recorder.update(guards + crates, 0.0, self.time)

    def act(self, act: str) -> None:
        """Something that happens in the frame to come; each thing has a number of its own."""
        self.count += 1
        pick, recorder, n = self.random.choice, self.recorder, self.count
        agent, machine = pick(AGENTS), pick(MACHINES)
        ago = self.recorder.source.span
        when = None if ago is None else self.random.uniform(ago.start, ago.end)
        match act:
            case "watch":
                recorder.watch(pick(NAMES), n / 3, pick((0, *AGENTS)))
            case "log":
                recorder.log(f"line {n}", object=agent)
            case "state":
                recorder.trace.state(agent, machine, "", f"s{n}", won="because", values={"n": n})
            case "define_tree":
                recorder.trace.define_tree(agent, "tree", [TreeNode(f"root {n}")])
            case "tree":
                recorder.trace.tree(agent, "tree", ["running"], blackboard={"n": n})
            case "animation":
                recorder.trace.animation(agent, "body", [AnimationClip(f"walk {n}", 1.0)])
            case "name":
                recorder.name(agent, f"guard {n}")
            case "fact":
                recorder.fact(agent, pick(NAMES), [n])
            case "long fact":
                recorder.fact(agent, "long", "x" * (1000 + n % 2 * 100))
            case "line":
                recorder.draw.line((n, 0, 0), (0, 1, 0), object=agent, channel="ai")
            case "latched sphere":
                recorder.draw.sphere((n, 0, 0), 1.0, object=agent, latch=pick(NAMES))
            case "text":
                recorder.draw.text((0, 0, n), f"text {n}")
            case "mark":
                recorder.emit(SetMark(f"mark {n}", "", agent, pick(("mark", "check"))))
            case "end":
                recorder.despawn(agent)
            case "late state":
                OtherProcess(recorder).decide(
                    agent, StateTransition(machine, "", f"s{n}", ""), time=when
                )
            case "late tree":
                OtherProcess(recorder).decide(
                    agent, TreeTick("tree", STATUSES[n % 3 : n % 3 + 2]), time=when
                )
                message = AnimationFrame("body", (AnimationClip(f"late {n}", 1.0),))
                OtherProcess(recorder).decide(agent, message, time=when)
            case "late log":
                OtherProcess(recorder).line(LogLine(f"line {n}", object=agent), time=when)
            case "late mark":
                OtherProcess(recorder).set_mark(f"mark {n}", time=when)

    def close(self) -> None:
        self.recorder.close()


def recorded(frames: int = 60, memory: str = "1 MiB", seed: int = 1, **rest: Any) -> Story:
    """A story in which a few things happen in each frame."""
    story = Story(memory, seed, **rest)
    for _ in range(frames):
        story.frame([story.random.choice(ACTS) for _ in range(story.random.randrange(4))])
    return story


def plain(value: Any) -> Any:
    """The same with numpy's arrays as lists, so that it can be compared."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    return value


def at(source: FrameSource, frame: int, *, neighbours: bool = True) -> dict[str, Any]:
    """All that a source says of a frame."""
    stamp = source.stamp(frame)
    facts = source.facts(frame)
    return {
        "stamp": stamp if neighbours else stamp._replace(previous=None, next=None),
        "found": source.frame_at(stamp.time),
        "packets": source.packets(frame),
        "objects": source.objects(frame),
        "types": source.recorded_types(frame),
        "layouts": [source.layout(frame, type) for type in ("guard", "crate", ".line", "none")],
        "conventions": source.conventions(frame),
        "about": source.about(frame),
        "decoded": [(packet, plain(result)) for packet, result in source.decoded(frame)],
        "facts": {
            key: value._replace(values=plain(value.values)) if key[1] == Kind.DRAWN else value
            for key, value in facts.items()
        },
        "latched": {key: source.latched(frame, *key) for key in facts if key[1] != Kind.DRAWN},
        "trees": [source.tree(frame, agent, "tree") for agent in AGENTS],
        "channels": source.channel_names(frame),
        "drawn": [one._replace(values=plain(one.values)) for one in source.drawn(frame)],
        "watches": source.watches(frame),
        "logs": source.logs(frame),
        "traces": source.traces(frame),
        "machines": source.machines(frame),
        "transitions": [
            source.transitions(frame, agent, machine, limit)
            for agent in AGENTS
            for machine in MACHINES
            for limit in (1, 3, 100)
        ],
    }


def whole(source: FrameSource) -> dict[str, Any]:
    """All that a source says."""
    span = source.span
    if span is None:
        return {"span": None, "marks": source.marks()}
    frames = range(span.oldest, span.newest + 1)
    return {
        "span": span,
        "marks": [source.marks(), source.marks(2)],
        "stamps": list(source.stamps(span.oldest, span.newest)),
        "frames": {frame: at(source, frame) for frame in frames},
    }
