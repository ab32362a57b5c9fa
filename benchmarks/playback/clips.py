"""A clip of a long recording: opening it, seeking in it, and writing it beside plain lz4."""

import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import lz4.frame  # type: ignore[import-untyped]
import numpy as np

from playhead.native.ring import FrameRing
from playhead.recorder.clips.clip_source import ClipSource
from playhead.recorder.clips.clip_writer import ClipWriter
from playhead.recorder.clips.frame_serialization import latched_before
from playhead.recorder.packets.layouts.layout import layout_from_dtype
from playhead.recorder.packets.layouts.plain_value_codec import encode
from playhead.recorder.packets.log_lines import WATCH
from playhead.recorder.packets.packet_types import FIRST_OBJECT, Kind, PacketType

from ..support.report_table import Line
from ..support.timing import Size

AGENTS = 500
FIELDS = np.dtype(
    [("position", "<f4", (3,)), ("velocity", "<f4", (3,)), ("aim", "<f4", (3,)), ("hp", "<f4"),
     ("ammo", "<u4"), ("state", "<u4"), ("target", "<u8"), ("seen", "<f8")]
)  # fmt: skip
"""64 bytes of fields for each agent."""
RATE = 60
MINUTES = 5
STATE = "Flee"
"""The state that each agent enters once a second."""
STEP = 20
"""Frames of data that the recording is made of, over and over, each with other noise."""


def measure(size: Size) -> list[Line]:
    frames = min(MINUTES * 60 * RATE, 60 * size.rounds * size.frames)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "big.mcap"
        raw, written, lz4_taken = write_clip(path, frames)
        packed, opened = path.stat().st_size, _open(path)
        seeks, steps = _seek(path, frames, 10 * size.rounds), _step(path, frames)
        grown = _memory(path)
    about = f"{AGENTS} agents × {FIELDS.itemsize} B, {frames:,} frames"
    p50, p99 = map(float, np.percentile(seeks, [50, 99]))
    return [
        Line("open to the first frame's objects", opened * 1e3, "ms", 1000.0, about),
        Line("seek to a frame and read its packets, p50", p50 * 1e3, "ms", 20.0),
        Line("seek to a frame and read its packets, p99", p99 * 1e3, "ms", 50.0),
        Line("step to the next frame and read its packets", steps * 1e6, "µs"),
        Line("write, of frames' bytes", raw / written / 1e6, "MB/s",
             note=f"plain lz4 of the same bytes {raw / lz4_taken / 1e6:.0f} MB/s"),
        Line("write ÷ plain lz4 of the same bytes, time", written / lz4_taken, "×"),
        Line("file ÷ frames' bytes", packed / raw, "×",
             note=f"{raw / 1e6:,.0f} MB of frames, {packed / 1e6:,.0f} MB of file"),
        Line("memory taken by opening and 200 seeks", grown, "MiB", 128.0,
             "" if grown is not None else "this system does not say it"),
    ]  # fmt: skip


def _recording() -> Callable[[int], FrameRing]:
    """A function that records the next second or so into a ring, which forgets the one before."""
    make, clock = np.random.default_rng(1), iter(range(1 << 62))
    ring = FrameRing("16 MiB")
    layout = {"name": "agent", "layout": layout_from_dtype(FIELDS)}
    ids = np.arange(1, AGENTS + 1, dtype=np.uint64)
    fields = np.zeros(AGENTS, FIELDS)
    fields["hp"], fields["ammo"] = 100.0, 30
    walk = make.normal(0, 0.02, (STEP, AGENTS, 3)).astype(np.float32)

    def record(frames: int) -> FrameRing:
        for _ in range(frames):
            tick = next(clock)
            ring.begin()
            if tick == 0:
                ring.latch(0, PacketType.FACT, 0, Kind.TYPE, FIRST_OBJECT, encode(layout))
                for number, text in enumerate(("plan", "speed"), 1):
                    ring.latch(0, PacketType.FACT, 0, Kind.STRING, number, encode(text, str))
                for agent in range(1, AGENTS + 1):
                    name = encode(f"guard {agent}", str)
                    ring.latch(agent, PacketType.FACT, 0, Kind.NAME, 0, name)
            for agent in range(tick % RATE * AGENTS // RATE, (tick % RATE + 1) * AGENTS // RATE):
                state = encode({"machine": "plan", "source": "Idle", "target": STATE,
                                "won": "hp < 20", "values": {"hp": float(tick % 100)}})  # fmt: skip
                ring.latch(agent + 1, PacketType.STATE, 0, Kind.STATE, 1, state)
            for agent in (1, 2, 3):
                watched = WATCH.pack(2, 0, tick / 7)
                ring.record(agent, PacketType.WATCH, False, (0, 0, 0), (0, 0, 0), watched)
            fields["velocity"] = walk[tick % STEP]
            fields["position"] += fields["velocity"]
            fields["seen"] = tick / RATE
            ring.record_batch(
                FIRST_OBJECT, ids, fields["position"], None, None,
                fields.view(np.uint8).reshape(AGENTS, -1),
            )  # fmt: skip
            ring.commit(tick / RATE, 1 / RATE)
        return ring

    return record


def write_clip(path: Path, frames: int) -> tuple[int, float, float]:
    """Bytes of the frames, seconds that writing took, and seconds for lz4 alone.

    They are recorded stretch by stretch, so that it needs no room for the whole; recording is not
    counted.
    """
    record, raw, written, packed, frame = _recording(), 0, 0.0, 0.0, 1
    start = time.perf_counter()
    writer = ClipWriter(path)
    written += time.perf_counter() - start
    while frame <= frames:
        some = min(STEP * 5, frames - frame + 1)
        ring = record(some)
        images = [ring.image(number) for number in range(frame, frame + some)]
        raw += sum(map(len, images))
        start = time.perf_counter()
        if frame == 1:
            writer.set_latched(latched_before(ring, 1, images[0]))
        for image in images:
            writer.add(image)
        written += time.perf_counter() - start
        start = time.perf_counter()
        for at in range(0, some, STEP):
            lz4.frame.compress(b"".join(images[at : at + STEP]))
        packed += time.perf_counter() - start
        frame += some
    start = time.perf_counter()
    writer.finish()
    return raw, written + time.perf_counter() - start, packed


def _open(path: Path) -> float:
    """Seconds until the first frame's objects are there, the best of three."""
    taken = []
    for _ in range(3):
        start = time.perf_counter()
        with ClipSource.open(path) as clip:
            assert clip.span is not None
            assert len(clip.decoded(clip.span.oldest)) == AGENTS
        taken.append(time.perf_counter() - start)
    return min(taken)


def _seek(path: Path, frames: int, count: int) -> list[float]:
    """Seconds for each of so many seeks to random times."""
    number, taken = random.Random(2).random, []
    with ClipSource.open(path) as clip:
        for _ in range(count):
            instant = number() * frames / RATE
            start = time.perf_counter()
            clip.clip.packets(clip.frame_at(instant))
            taken.append(time.perf_counter() - start)
    return taken


def _step(path: Path, frames: int) -> float:
    """Seconds for a frame when all are read in order."""
    steps = min(frames, 600)
    with ClipSource.open(path) as clip:
        start = time.perf_counter()
        for frame in range(1, steps + 1):
            clip.clip.packets(frame)
        return (time.perf_counter() - start) / steps


_READ_HERE_AND_THERE = """
import random, sys
from playhead.recorder.clips.clip_source import ClipSource

def peak():
    for line in open("/proc/self/status"):
        if line.startswith("VmHWM"):
            return int(line.split()[1]) * 1024

number, before = random.Random(3), peak()
clip = ClipSource.open(sys.argv[1])
for _ in range(200):
    frame = number.randint(clip.span.oldest, clip.span.newest)
    clip.objects(frame), clip.clip.latched_all(frame)
print(peak() - before)
"""


def _memory(path: Path) -> float | None:
    """MiB by which a process of its own grows while it reads here and there; None if not known."""
    if not Path("/proc/self/status").exists():
        return None
    command = [sys.executable, "-c", _READ_HERE_AND_THERE, str(path)]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    return int(done.stdout) / (1 << 20)
