"""What a single call costs that a game or an agent makes in mid-frame."""

from collections.abc import Callable

from playhead.recorder.recorder import Recorder
from playhead.recorder.statements.instrumentation_interface import NULL_INSTRUMENTATION

from ..support.report_table import Line
from ..support.timing import Case, Size, interleave

CALLS = 300
"""Calls in a frame."""


def measure(size: Size) -> list[Line]:
    recorder = Recorder(min(64 << 20, size.memory), strict=False)
    draw, trace = recorder.draw, recorder.trace
    start, end = (0.0, 0.0, 0.0), (1.0, 2.0, 3.0)
    works: dict[str, Callable[[], object]] = {
        "draw.line": lambda: draw.line(start, end, object=7),
        "draw.sphere": lambda: draw.sphere(start, 0.5, object=7),
        "watch": lambda: recorder.watch("speed", 4.5, 7),
        "log": lambda: recorder.log("reloading", object=7),
        "trace.state": lambda: trace.state(7, "brain", "search", "attack", won="sees the player"),
        "no recorder: draw.line": lambda: NULL_INSTRUMENTATION.draw.line(start, end, object=7),
    }
    try:
        cases = {name: _frame(recorder, work) for name, work in works.items()}
        times = interleave(cases, size.rounds)
        assert not recorder.status.calls_refused, recorder.status.newest_fault
    finally:
        recorder.close()
    return [Line(name, times.ns(name) / 1e3, "µs", note="a call") for name in works]


def _frame(recorder: Recorder, work: Callable[[], object]) -> Case:
    def case() -> int:
        for _ in range(CALLS):
            work()
        recorder.update((), 1 / 60)
        return CALLS

    return case
