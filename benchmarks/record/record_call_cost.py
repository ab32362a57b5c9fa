"""`record`, one call for each object, beside an empty call and beside a deque of tuples."""

import numpy as np

from playhead.native import _ring

from ..support.record_data import (
    MODELS,
    OBJECTS,
    PAYLOAD,
    TYPE,
    Arena,
    Row,
    Tape,
    appending,
    blocks,
    recording,
    repeated,
    rows,
)
from ..support.report_table import Line
from ..support.timing import Size, interleave


def measure(size: Size) -> list[Line]:
    lines = []
    for kind, frames in (("hot", 1), ("cold", size.sources)):
        lines += _headers(kind, rows(frames), size)
    return lines + _payloads(size)


def _headers(kind: str, data: list[list[Row]], size: Size) -> list[Line]:
    tape = Tape(min(64 << 20, size.memory))
    data = repeated(data, size.frames)

    def empty() -> int:
        call = _ring.noop
        for frame in data:
            for a, b, c, d, e in frame:
                call(a, b, c, d, e)
        return len(data) * OBJECTS

    cases = {"empty": empty, "record": recording(tape, data), "tuples": appending(data)}
    times = interleave(cases, size.rounds)
    note = f"{times.ns('record'):.1f} ns; an empty call {times.ns('empty'):.1f} ns"
    return [
        Line(f"{kind} data ÷ an empty C call", times.ratio("record", "empty"), "×", 1.7, note),
        Line(
            f"{kind} data ÷ a deque of tuples", times.ratio("record", "tuples"),
            goal=0.6 if kind == "cold" else None, note=f"the deque {times.ns('tuples'):.1f} ns",
        ),
    ]  # fmt: skip


def _payloads(size: Size) -> list[Line]:
    """With a payload in each call, beside copying just these bytes away with numpy."""
    data = blocks(min(size.sources, 60), MODELS, PAYLOAD)
    memory = min(64 << 20, size.memory)
    tape, arena, origin = Tape(memory), Arena(memory), (0.0, 0.0, 0.0)
    given = repeated([[np.array(row) for row in frame.payload] for frame in data], size.frames)

    def record() -> int:
        call = tape.ring.record
        for frame in given:
            tape.ring.begin()
            for payload in frame:
                call(7, TYPE, True, origin, origin, payload)
            tape.commit()
        return len(given) * MODELS

    def copy() -> int:
        for frame in given:
            for payload in frame:
                arena.put(payload)
        return len(given) * MODELS

    times = interleave({"record": record, "copy": copy}, size.rounds)
    note = f"{times.ns('record'):.0f} ns"
    return [Line("1,536 B payload ÷ np.copyto", times.ratio("record", "copy"), note=note)]
