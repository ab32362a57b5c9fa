"""`record_batch`, one call for a frame's columns, beside copying the same number of bytes."""

from typing import Any

import numpy as np

from ..support.record_data import MODELS, OBJECTS, PAYLOAD, Arena, Block, Tape, blocks, repeated
from ..support.report_table import Line
from ..support.timing import Case, Size, Times, interleave, once

HOT = 8
"""Frames that stay in the cache."""


def measure(size: Size) -> list[Line]:
    lines = []
    for kind, frames in (("cold", size.sources), ("hot", HOT)):
        data = blocks(frames, OBJECTS)
        lines.append(_compare(f"headers, {kind}", data, 64 << 20, 1.4, size))
    for kind, frames in (("cold", size.sources), ("hot", HOT)):
        data = blocks(frames, MODELS, PAYLOAD)
        for memory in (256 << 20, 64 << 20):
            text = f"1,536 B payloads, {kind}, {memory >> 20} MiB"
            lines.append(_compare(text, data, memory, 0.85, size))
    return [*lines, _read_back(blocks(HOT, MODELS, PAYLOAD), size)]


def _compare(what: str, data: list[Block], memory: int, goal: float, size: Size) -> Line:
    memory = min(memory, size.memory)
    tape, arena = Tape(memory), Arena(memory)
    objects = len(data[0].ids)
    given = repeated([frame.arguments for frame in data], 2 * size.frames)
    flat = repeated([frame.flat for frame in data], 2 * size.frames)

    def record() -> int:
        for arguments in given:
            tape.ring.begin()
            tape.ring.record_batch(*arguments)
            tape.commit()
        return len(given) * objects

    def copy() -> int:
        for source in flat:
            arena.put(source)
        return len(flat) * objects

    times = interleave({"record": record, "copy": copy}, size.rounds)
    note = f"{times.ns('record'):.1f} ns an object; memcpy {times.ns('copy'):.1f} ns"
    return Line(f"{what} ÷ memcpy", times.ratio("record", "copy"), "×", goal, note)


def _read_back(data: list[Block], size: Size) -> Line:
    """Streamed payloads are not in the cache: what it costs to read a frame at once."""
    memory = min(64 << 20, size.memory)
    tape, arena = Tape(memory), Arena(memory)

    def total(words: Any) -> Case:
        def read() -> int:
            np.add.reduce(words, axis=None)
            return 1

        return read

    taken: dict[str, list[float]] = {"streamed": [], "copied": []}
    for number in range(size.rounds * 4):
        frame = data[number % len(data)]
        tape.ring.begin()
        tape.ring.record_batch(*frame.arguments)
        tape.commit()
        payloads: Any = tape.ring.runs(number + 1)[0][4]
        words = payloads.view(np.uint64)
        taken["streamed"].append(once(total(words)))
        copy = arena.put(frame.flat)[: frame.payload.size]
        words = copy.view(np.uint64).reshape(MODELS, -1)
        taken["copied"].append(once(total(words)))
    times = Times(taken)
    note = f"{times.ns('streamed') / 1e3:.1f} µs for 307 KB; {times.ns('copied') / 1e3:.1f} µs"
    ratio = times.ratio("streamed", "copied")
    return Line("reading a frame just streamed ÷ just copied", ratio, note=note)
