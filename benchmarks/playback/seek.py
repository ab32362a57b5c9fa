"""A seek to a random time: find the frame, borrow views of its packets, or copy them."""

import importlib
import random
from bisect import bisect_right
from typing import Any

import numpy as np

from playhead.native import _ring

from ..support.record_data import LOGICAL, MODELS, OBJECTS, PAYLOAD, Block, Tape, blocks
from ..support.report_table import Line
from ..support.timing import Case, Size, interleave

arrow: Any
try:
    arrow = importlib.import_module("pyarrow")
except ImportError:
    arrow = None

FRAMES = 600
"""Frames that are held."""
SEEKS = 200
"""Seeks in a round."""


def measure(size: Size) -> list[Line]:
    held = min(FRAMES, size.sources * 2)
    return [
        *_seek(f"{OBJECTS} headers", blocks(min(held, 100), OBJECTS), held, size),
        *_seek(f"{MODELS} × 1,536 B", blocks(min(held, 100), MODELS, PAYLOAD), held, size),
    ]


def _seek(what: str, data: list[Block], held: int, size: Size) -> list[Line]:
    frame_bytes = len(data[0].ids) * (LOGICAL + 64 + data[0].payload.shape[1])
    tape = Tape(held * frame_bytes + (1 << 20))
    frames = [data[i % len(data)] for i in range(held)]
    for frame in frames:
        tape.ring.begin()
        tape.ring.record_batch(*frame.arguments)
        tape.commit()
    find, runs = tape.ring.find, tape.ring.runs
    number = random.Random(2).random
    instants = [number() * (held - 1) / 60 for _ in range(SEEKS)]

    def views() -> int:
        for instant in instants:
            runs(find(instant))
        return SEEKS

    def copies() -> int:
        for instant in instants:
            for run in runs(find(instant)):
                run[3].copy()
                if run[4] is not None:
                    run[4].copy()
        return SEEKS

    cases: dict[str, Case] = {"views": views, "copies": copies}
    cases["numpy"], cases["numpy copies"] = _numpy(frames, instants)
    if arrow is not None:
        cases["arrow"] = _arrow(frames, instants)
    times = interleave(cases, size.rounds)
    lines = [
        Line(f"{what}: views", times.ns("views") / 1e3, "µs", 1.0),
        Line(f"{what}: copies", times.ns("copies") / 1e3, "µs"),
        Line(
            f"{what}: views ÷ views of a numpy ring", times.ratio("views", "numpy"),
            note=f"numpy {times.ns('numpy') / 1e3:.2f} µs",
        ),
        Line(
            f"{what}: copies ÷ copies of a numpy ring", times.ratio("copies", "numpy copies"),
            goal=1.3, note=f"numpy {times.ns('numpy copies') / 1e3:.1f} µs",
        ),
    ]  # fmt: skip
    label = f"{what}: copies ÷ Arrow IPC"
    if arrow is None:
        return [*lines, Line(label, None, note="pyarrow is not installed")]
    note = f"Arrow {times.ns('arrow') / 1e3:.1f} µs, copied too"
    return [*lines, Line(label, times.ratio("copies", "arrow"), "×", 0.7, note)]


def _numpy(frames: list[Block], instants: list[float]) -> tuple[Case, Case]:
    """A hand-made ring: one array of the same packet headers, and one of payloads."""
    times = np.arange(len(frames)) / 60
    headers = np.zeros((len(frames), len(frames[0].ids)), _ring.PACKET_DTYPE)
    for at, frame in enumerate(frames):
        for field, column in (("id", frame.ids), ("position", frame.positions)):
            headers[at][field] = column
        headers[at]["angles"], headers[at]["targetable"] = frame.angles, frame.targetable
    columns: list[Any] = [headers]
    if frames[0].payload.size:
        columns.append(np.stack([frame.payload for frame in frames]))

    def views() -> int:
        for instant in instants:
            at = max(int(times.searchsorted(instant, "right")) - 1, 0)
            for column in columns:
                column[at]
        return len(instants)

    def copies() -> int:
        for instant in instants:
            at = max(int(times.searchsorted(instant, "right")) - 1, 0)
            for column in columns:
                column[at].copy()
        return len(instants)

    return views, copies


def _arrow(frames: list[Block], instants: list[float]) -> Case:
    """An IPC file in memory with one record batch for each frame, columns copied out."""
    batches = []
    for frame in frames:
        columns = {
            "id": arrow.array(frame.ids),
            "position": _lists(frame.positions),
            "angles": _lists(frame.angles),
            "targetable": arrow.array(frame.targetable),
        }
        if frame.payload.size:
            columns["payload"] = _lists(frame.payload)
        batches.append(arrow.record_batch(columns))
    sink = arrow.BufferOutputStream()
    with arrow.ipc.new_file(sink, batches[0].schema) as file:
        for batch in batches:
            file.write_batch(batch)
    reader = arrow.ipc.open_file(sink.getvalue())
    times = [i / 60 for i in range(len(frames))]

    def copies() -> int:
        for instant in instants:
            batch = reader.get_batch(max(bisect_right(times, instant) - 1, 0))
            for column in batch.columns:
                if arrow.types.is_fixed_size_list(column.type):
                    column = column.flatten()
                column.to_numpy(zero_copy_only=False).copy()
        return len(instants)

    return copies


def _lists(column: Any) -> Any:
    return arrow.FixedSizeListArray.from_arrays(arrow.array(column.reshape(-1)), column.shape[1])
