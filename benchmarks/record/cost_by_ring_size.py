"""What a frame costs in rings of any size, and in one ring that holds more and more frames."""

import os
import random
from functools import partial

from ..support.record_data import OBJECTS, TYPE, Block, Tape, blocks, repeated
from ..support.report_table import Line
from ..support.timing import Case, Size, interleave, once

SIZES = (16 << 20, 256 << 20, 1 << 30, 4 << 30)
STEPS = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
FRAME = 160
"""Bytes of a frame with one header: 96 + 24 + 40."""
FINDS = 1_000


def measure(size: Size) -> list[Line]:
    return [*_by_memory(size), *_by_frames(size)]


def spare_memory() -> int:
    """Bytes that can be had without hurting anybody; where that is unknown, 1 GiB."""
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * 2 // 3
    except (ValueError, OSError, AttributeError):
        return 1 << 30


def _by_memory(size: Size) -> list[Line]:
    """The same frames into rings of different sizes, all of them full."""
    data = blocks(size.sources, OBJECTS)
    spare = spare_memory() if size.memory >= SIZES[1] else size.memory
    fitting, left = [], spare
    for memory in SIZES:
        if memory <= min(left, size.memory):
            fitting.append(memory)
            left -= memory
    fitting = fitting or [size.memory]
    tapes = {f"{memory >> 20} MiB": Tape(memory) for memory in fitting}
    cases = {name: _batches(tape, data, size) for name, tape in tapes.items()}
    times = interleave(cases, size.rounds)
    names = list(cases)
    floor = names[min(1, len(names) - 1)]  # the smallest may fit in the cache: that is cheaper
    lines = [Line(f"ring of {floor}", times.ns(floor), "ns", note="an object, in a batch")]
    for name in names:
        if name != floor:
            note = f"{times.ns(name):.2f} ns"
            lines.append(
                Line(f"ring of {name} ÷ {floor}", times.ratio(name, floor), "×", 1.25, note)
            )
    for memory in SIZES:
        if memory not in fitting and memory <= size.memory:
            label = f"ring of {memory >> 20} MiB"
            lines.append(Line(label, None, note="too little memory is free"))
    return lines


def _batches(tape: Tape, data: list[Block], size: Size) -> Case:
    frames = repeated(data, size.frames)

    def record() -> int:
        for frame in frames:
            tape.ring.begin()
            tape.ring.record_batch(*frame.arguments)
            tape.commit()
        return len(frames) * OBJECTS

    while not tape.ring.accounts["frames_evicted"]:
        record()
    return record


def _by_frames(size: Size) -> list[Line]:
    """Small frames, more and more of them: what one costs, and what finding one costs."""
    steps = [frames for frames in STEPS if frames <= size.most]
    while len(steps) > 1 and steps[-1] * FRAME * 9 // 8 > spare_memory():
        steps.pop()
    tape = Tape(steps[-1] * FRAME * 9 // 8)
    begin, record, commit = tape.ring.begin, tape.ring.record, tape.commit
    find, origin = tape.ring.find, (0.0, 0.0, 0.0)
    number = random.Random(3).random

    def grow(frames: int) -> int:
        for _ in range(frames):
            begin()
            record(1, TYPE, True, origin, origin)
            commit()
        return frames

    lines, grown = [], 0
    costs: list[float] = []
    for step in steps:
        part = min(step - grown, 200_000)  # the newest frames before this step
        grow(step - grown - part)
        costs.append(once(partial(grow, part)))
        grown = step
        instants = [number() * (grown - 1) / 60 for _ in range(FINDS)]

        def seek(instants: list[float] = instants) -> int:
            for instant in instants:
                find(instant)
            return FINDS

        times = interleave({"find": seek}, size.rounds)
        note = f"a frame with one packet costs {costs[-1]:.0f} ns"
        lines.append(Line(f"find among {grown:,} frames", times.ns("find") / 1e3, "µs", note=note))
    lines.append(
        Line(f"a frame after {steps[-1]:,} ÷ after {steps[0]:,}", costs[-1] / costs[0], goal=1.25)
    )
    return lines
