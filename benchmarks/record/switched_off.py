"""What stays of a session's cost with `PLAYHEAD=off`, beside an empty context manager."""

import os
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import playhead as ph
from playhead.recorder.recording_mode_from_env import VARIABLE

from ..support.report_table import Line
from ..support.timing import Case, Size, interleave

FRAMES = 1_000


class Empty(ph.World):
    def objects(self) -> list[tuple[int, str, Any]]:
        return []

    def time(self) -> float:
        return 0.0

    def find(self, object_id: int) -> None:
        return None


def measure(size: Size) -> list[Line]:
    nothing = nullcontext()
    session = _switched_off()
    cases = {"empty": _frames(lambda dt: nothing), "off": _frames(session.frame)}
    cases["check"] = _checks(session)
    times = interleave(cases, size.rounds)
    return [
        Line(
            "a frame ÷ an empty context manager", times.ratio("off", "empty"), "×", 2.0,
            f"{times.ns('off'):.0f} ns",
        ),
        Line("a check", times.ns("check"), "ns"),
    ]  # fmt: skip


def _switched_off() -> ph.Session:
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = "off"
    try:
        return ph.Session(Empty())
    finally:
        os.environ.pop(VARIABLE) if before is None else os.environ.update({VARIABLE: before})


def _frames(frame: Callable[[float], Any]) -> Case:
    def case() -> int:
        for _ in range(FRAMES):
            with frame(1 / 60):
                pass
        return FRAMES

    return case


def _checks(session: ph.Session) -> Case:
    def case() -> int:
        for _ in range(FRAMES):
            session.check(True, "it holds", focus=7)
        return FRAMES

    return case
