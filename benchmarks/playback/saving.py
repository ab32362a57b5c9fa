"""A clip that is saved while the game runs: what the game's frames cost meanwhile.

The game's steps take two milliseconds and come at a fixed rate; it stands in for a game in Python,
which holds the interpreter while it steps. Frames with and without a clip on its way take turns.
"""

import tempfile
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from playhead.recorder.clip_triggers import ClipPolicy
from playhead.recorder.handler_interface import Batch
from playhead.recorder.packets.layouts.layout import layout_from_dtype
from playhead.recorder.world_adapter import World
from playhead.session import Session

from ..support.report_table import Line
from ..support.timing import Size

OBJECTS = 500
FIELDS = np.dtype([("aim", "<f4", (3,)), ("hp", "<f4"), ("seen", "<f8", (5,)), ("target", "<u8")])
"""64 bytes."""
STEP = 0.002
"""Seconds that a step of the game works."""
RATE = 200
FRAMES = 300
"""Frames with a clip on its way, and as many without one."""
MEMORY = 24 << 20


@dataclass
class Columns:
    """The objects as the game holds them."""

    ids: Any
    positions: Any
    payloads: Any
    angles: Any = None
    targetable: Any = None
    visible: Any = None


class Crowd(World):
    """Objects in columns, which move."""

    columnar = True

    def __init__(self) -> None:
        make = np.random.default_rng(1)
        self._made = make.random((16, OBJECTS, 3), np.float32)
        fields = np.zeros(OBJECTS, FIELDS)
        fields["seen"] = make.random((OBJECTS, 5))
        ids = np.arange(1, OBJECTS + 1, dtype=np.uint64)
        self.columns = Columns(ids, self._made[0], fields)
        self.steps = 0

    def step(self) -> None:
        """Work for a while, in Python."""
        self.steps += 1
        self.columns.positions = self._made[self.steps % 16]
        self.columns.payloads["aim"] = self._made[self.steps % 16]
        until = time.perf_counter() + STEP
        while time.perf_counter() < until:
            sum(range(50))

    def objects(self) -> list[tuple[int, str, Any]]:
        return []

    def batches(self) -> list[Batch]:
        return [Batch("agent", layout_from_dtype(FIELDS), self.columns)]

    def time(self) -> float:
        return self.steps / RATE

    def find(self, object_id: int) -> None:
        return None


class Taken:
    """Milliseconds that each frame took."""

    def __init__(self) -> None:
        self.wall: list[float] = []
        """Step and update, by the clock on the wall."""
        self.own: list[float] = []
        """Update alone, of the game's thread's own time."""

    def p(self, percent: float, *, own: bool = False) -> float:
        return float(np.percentile(self.own if own else self.wall, percent))


def measure(size: Size) -> list[Line]:
    quiet, saving, begins, lost = Taken(), Taken(), list[float](), 0
    with tempfile.TemporaryDirectory() as folder:
        world = Crowd()
        policy = ClipPolicy(folder, keep_last=1)
        with Session(world, min(MEMORY, size.memory), clips=policy, strict=True) as session:
            _fill(world, session, min(FRAMES * 2, size.frames * 20))
            frames = min(FRAMES, size.frames * 10)
            for _ in range(max(size.rounds // 4, 2)):
                _run(world, session, frames, quiet)
                start = time.perf_counter()
                clip = session.trigger("benchmark", pre=float("inf"), post=frames / RATE)
                begins.append((time.perf_counter() - start) * 1e3)
                _run(world, session, frames, saving)
                clip.wait()
                lost += clip.lost
                assert clip.error is None, clip.error
            bytes_ = clip.saved.bytes if clip.saved else 0
            bytes_used = session.status.bytes_used
    about = f"{OBJECTS} objects × {FIELDS.itemsize} B, {RATE} frames a second of {STEP * 1e3:g} ms"
    saved = (
        f"{bytes_used / 2**20:.0f} MiB held, a clip of {bytes_ / 2**20:.1f} MiB, {lost} frames lost"
    )
    return [
        Line("trigger(), p50", float(np.median(begins)), "ms", 2.0, about),
        Line("update, own time, p50, no clip on its way", quiet.p(50, own=True), "ms"),
        Line("update, own time, p99, no clip on its way", quiet.p(99, own=True), "ms"),
        Line("update, own time, p50, a clip on its way", saving.p(50, own=True), "ms"),
        Line("update, own time, p99, a clip on its way", saving.p(99, own=True), "ms", 1.0, saved),
        Line("step and update, p50, no clip on its way", quiet.p(50), "ms"),
        Line("step and update, p99, no clip on its way", quiet.p(99), "ms"),
        Line("step and update, p50, with ÷ without a clip", saving.p(50) / quiet.p(50), "×", 1.25),
        Line("step and update, p99, with ÷ without a clip", saving.p(99) / quiet.p(99), "×", 1.5),
    ]  # fmt: skip


def _fill(world: Crowd, session: Session, frames: int) -> None:
    for _ in range(frames):
        world.steps += 1
        session.update(1 / RATE)


def _run(world: Crowd, session: Session, frames: int, taken: Taken) -> None:
    due = time.perf_counter()
    for _ in range(frames):
        due += 1 / RATE
        start = time.perf_counter()
        world.step()
        own = time.thread_time()
        session.update(1 / RATE)
        taken.own.append((time.thread_time() - own) * 1e3)
        now = time.perf_counter()
        taken.wall.append((now - start) * 1e3)
        if now < due:
            time.sleep(due - now)
        else:
            due = now
