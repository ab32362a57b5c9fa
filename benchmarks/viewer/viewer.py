"""The desktop viewer on real recordings: moves of the playhead, its start, its memory."""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from ..playback.clips import AGENTS, STATE, write_clip
from ..support.report_table import Line
from ..support.timing import FULL, QUICK, Size
from .crowd_game import Shape, record

FRAME_RATE = 60
CLIP_SECONDS = 300
_GOALS = {"median": 10.0, "p99": 20.0}
_ROOT = Path(__file__).resolve().parents[2]


def measure(size: Size) -> list[Line]:
    """All figures of a window without a display; skipped where Qt is not installed."""
    if importlib.util.find_spec("PyQt6") is None:
        return [Line("playhead moved → all docks repainted", None, "ms",
                     note="PyQt6 is not installed: pip install playhead[viewer]")]  # fmt: skip
    if size.rounds >= FULL.rounds:
        shape, clip = Shape(100_000, 10, 24, 500, "448 MiB"), CLIP_SECONDS * FRAME_RATE
    elif size.rounds >= QUICK.rounds:
        shape, clip = Shape(10_000, 5, 24, 500, "160 MiB"), 20 * FRAME_RATE
    else:
        shape, clip = Shape(200, 2, 4, 20, "4 MiB"), 60
    with tempfile.TemporaryDirectory() as folder:
        ring, path = Path(folder) / "crowd.ring", Path(folder) / "five.mcap"
        record(ring, shape)
        results = _run(
            "seek_to_paint_latency", ring, *shape[:4], min(size.rounds // 4 + 1, 7), size.rounds * 3
        )  # fmt: skip
        write_clip(path, clip)
        began = time.monotonic()
        start = _run("window_start", path, STATE)
        bare = _bare_window()
    return [*_moves(results, shape), *_rest(results), *_start(start, bare, began, clip)]


def _moves(results: dict[str, Any], shape: Shape) -> list[Line]:
    lines = []
    about = f"{shape.agents} × 32 joints, {shape.lines:,} lines, a lane of {shape.frames:,} spans"
    for name, case in results["cases"].items():
        for which in ("median", "p95", "p99"):
            note = about if which == "median" else ""
            if which == "p95":
                note = f"window's thread {case['worked']:.1f} ms, {case['moves']} moves"
            lines.append(Line(f"{name}: {which}", case[which], "ms", _GOALS.get(which), note))
        lines.append(Line(
            f"{name}: ÷ a fixed load of QPainter", case["ratio"], "×",
            note=f"the load: {case['load']:.2f} ms",
        ))  # fmt: skip
        spent = sorted(case["spent"].items(), key=lambda one: -one[1])
        parts = ", ".join(f"{dock} {took:.1f}" for dock, took in spent if took >= 0.05)
        lines.append(Line(f"{name}: the slowest part", spent[0][1], "ms", note=parts))
    return lines


def _rest(results: dict[str, Any]) -> list[Line]:
    lines = []
    for spans, lane in results["lanes"].items():
        goal = 3.0 if spans == "1,000,000" else None
        lines.append(Line(f"a lane of {spans} spans, whole", lane["whole"], "ms", goal))
        lines.append(Line(f"a lane of {spans} spans, 1 % of it", lane["1 %"], "ms", goal))
    slope = results["slope"]
    return [
        *lines,
        Line("the whole recording looked through", results["settled"], "s"),
        Line("memory kept of each move", None if slope is None else max(slope, 1.0) / 1024, "KiB",
             note="too few moves to tell" if slope is None else
             "the slope of what is resident; ten minutes: tools/soak.py scrub"),
    ]  # fmt: skip


def _start(start: dict[str, float], bare: float, began: float, clip: int) -> list[Line]:
    """A clip of a large crowd: its window, its first picture, reading and searching it."""
    picture = start["picture"] - began
    about = f"{clip / FRAME_RATE:.0f} s at {FRAME_RATE} frames a second, {AGENTS} agents"
    return [
        Line("window up, from the process's start", start["window"] - began, "s", 1.0),
        Line("first picture of a clip, from the process's start", picture, "s", 1.0, about),
        Line("… ÷ an empty window of Qt and numpy, from its process's start", picture / bare, "×",
             note=f"which takes {bare:.2f} s"),
        Line("… of this until anything is opened: Python, Qt, the viewer's modules; CPU time",
             start["started"], "s"),
        Line("… and from opening the clip to its picture, window included; CPU time of all threads",
             start["shown"], "s", 0.3),
        Line("the same clip read whole, CPU time of all threads", start["read"], "s", 3.0,
             "a change of state by each agent every second"),
        Line("… ÷ reading all packets without a window", start["read"] / start["bare"], "×",
             note=f"which takes {start['bare']:.2f} s"),
        Line("find in time: first hit of a state, CPU time", start["hit"] * 1000, "ms", 100.0),
        Line("… until the window lists it, CPU time of all threads", start["listed"] * 1000, "ms"),
    ]  # fmt: skip


_BARE_WINDOW = """
import numpy
from PyQt6.QtWidgets import QApplication, QMainWindow
app = QApplication([])
window = QMainWindow()
window.resize(1920, 1080)
window.show()
app.processEvents()
"""


def _bare_window() -> float:
    """Seconds until a process shows a window with nothing in it, the best of three."""
    taken = []
    for _ in range(3):
        began = time.monotonic()
        environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
        subprocess.run([sys.executable, "-c", _BARE_WINDOW], env=environment, check=True)
        taken.append(time.monotonic() - began)
    return min(taken)


def _run(module: str, *arguments: object) -> dict[str, Any]:
    """The results of a module of this folder, run in a process of its own."""
    paths = [str(_ROOT), os.environ.get("PYTHONPATH", "")]
    command = [sys.executable, "-m", f"benchmarks.viewer.{module}", *map(str, arguments)]
    # Panels have the default layout, which is not saved.
    with tempfile.TemporaryDirectory() as settings:
        environment = {
            **os.environ, "QT_QPA_PLATFORM": "offscreen", "XDG_CONFIG_HOME": settings,
            "PYTHONPATH": os.pathsep.join(path for path in paths if path),
        }  # fmt: skip
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=300, check=False
        )
    if done.returncode:
        raise RuntimeError(f"{module}: {done.stderr.strip()[-2000:]}")
    results: dict[str, Any] = json.loads(done.stdout)
    return results
