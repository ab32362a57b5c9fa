"""One field of 500 objects over ten minutes of a clip on the disk; and smaller questions."""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playhead.recording.open_file import open
from playhead.recording.recording import Recording

from ..support.report_table import Line
from ..support.timing import Size
from .clips import AGENTS, RATE, write_clip

MINUTES = 10


def measure(size: Size) -> list[Line]:
    frames = min(MINUTES * 60 * RATE, 100 * size.rounds * size.frames)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.mcap"
        write_clip(path, frames)
        with open(path) as run:
            streamed = _taken(lambda: _stream(run, frames))
            second = run.span.end - 1 if run.span is not None else 0.0
            single = _taken(lambda: run.history("guard 7", "hp", start=second))
            state = _taken(lambda: run.state(7, "plan", at=second))
            table = _taken(lambda: run.table("objects", start=second))
    share = frames / (MINUTES * 60 * RATE)
    goal = 6.0 if share == 1 else None
    about = f"{AGENTS} objects, {frames:,} frames"
    return [
        Line("one field of all objects, streamed", streamed, "s", goal, about),
        Line("one field of one object over a second", single * 1e3, "ms"),
        Line("the state of one agent at an instant", state * 1e3, "ms"),
        Line("a table of all objects over a second", table * 1e3, "ms"),
    ]


def _stream(run: Recording, frames: int) -> None:
    values = sum(block.values.size for block in run.histories("hp", type="agent"))
    assert values == frames * AGENTS, values


def _taken(ask: Callable[[], Any]) -> float:
    """CPU seconds of the process."""
    start = time.process_time()
    ask()
    return time.process_time() - start
