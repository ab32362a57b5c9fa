"""A ring in a mapped file, once all its pages were written, beside one in plain memory."""

import tempfile
from itertools import count
from pathlib import Path

from playhead.native.ring import FrameRing

from ..support.record_data import MODELS, OBJECTS, PAYLOAD, Block, blocks, repeated
from ..support.report_table import Line
from ..support.timing import Case, Size, interleave

TMPFS = Path("/dev/shm")


def measure(size: Size) -> list[Line]:
    return [
        *_compare("headers", blocks(size.sources, OBJECTS), size),
        *_compare("1,536 B payloads", blocks(size.sources, MODELS, PAYLOAD), size),
    ]


def _compare(what: str, data: list[Block], size: Size) -> list[Line]:
    memory = min(64 << 20, size.memory)
    folders = {"disk": tempfile.TemporaryDirectory(dir=Path.cwd())}
    if TMPFS.is_dir():
        folders["tmpfs"] = tempfile.TemporaryDirectory(dir=TMPFS)
    rings = {name: FrameRing(memory, path=Path(at.name) / "ring") for name, at in folders.items()}
    rings["heap"] = FrameRing(memory)
    try:
        cases = {name: _recording(ring, data, memory, size) for name, ring in rings.items()}
        times = interleave(cases, size.rounds)
    finally:
        for ring in rings.values():
            ring.close()
        for folder in folders.values():
            folder.cleanup()
    lines = []
    for name, goal in (("tmpfs", 1.05), ("disk", 1.25)):
        label = f"{what}: {name} ÷ heap"
        if name in rings:
            note = f"{times.ns(name):.1f} ns an object; heap {times.ns('heap'):.1f} ns"
            lines.append(Line(label, times.ratio(name, "heap"), "×", goal, note))
        else:
            lines.append(Line(label, None, goal=goal, note=f"there is no {TMPFS}"))
    return lines


def _recording(ring: FrameRing, data: list[Block], memory: int, size: Size) -> Case:
    clock = count()
    frames = repeated(data, size.frames)
    objects = len(data[0].ids)

    def record() -> int:
        for frame in frames:
            ring.begin()
            ring.record_batch(*frame.arguments)
            ring.commit(next(clock) / 60, 1 / 60)
        return len(frames) * objects

    while not ring.accounts["frames_evicted"]:  # until it is full, so that all pages were written
        record()
    return record
