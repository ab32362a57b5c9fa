"""`record_list`, one call for a frame's list of tuples, beside a deque of tuples."""

from ..support.record_data import OBJECTS, Row, Tape, appending, repeated, rows
from ..support.report_table import Line
from ..support.timing import Size, interleave


def measure(size: Size) -> list[Line]:
    lines = []
    for kind, frames in (("hot", 1), ("cold", size.sources)):
        lines += _compare(kind, rows(frames), size)
    return lines


def _compare(kind: str, data: list[list[Row]], size: Size) -> list[Line]:
    tape = Tape(min(64 << 20, size.memory))
    data = repeated(data, size.frames)

    def record() -> int:
        for frame in data:
            tape.ring.begin()
            tape.ring.record_list(frame)
            tape.commit()
        return len(data) * OBJECTS

    times = interleave({"record": record, "tuples": appending(data)}, size.rounds)
    note = f"{times.ns('record'):.1f} ns an object; the deque {times.ns('tuples'):.1f} ns"
    return [
        Line(f"{kind} data ÷ a deque of tuples", times.ratio("record", "tuples"), "×", 0.38, note)
    ]
