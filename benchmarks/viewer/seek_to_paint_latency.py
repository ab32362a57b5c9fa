"""A viewer's window on a big recording, in a process of its own: how long moves take.

    python -m benchmarks.viewer.seek_to_paint_latency RING FRAMES STRETCHES STAY AGENTS SECONDS MOST

Prints one JSON object. A move lasts from asking for a frame until every dock that is visible has
painted it; that includes finding and decoding it in the reader's thread.
"""

import json
import random
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from playhead.playback.commands import SeekFrame
from playhead.viewer.app.main_window import MainWindow
from playhead.viewer.app.viewer_main import application
from playhead.viewer.backends.open_target import target_of
from playhead.viewer.reader.frame_snapshot import SnapshotReader
from playhead.viewer.reader.history.lane_data import SpanLane
from playhead.viewer.toolkit.qt import QEvent, QEventLoop, QImage, QPainter, QRectF, QTimer
from playhead.viewer.widgets.painted_panel import PaintedPanel

from .crowd_game import DT, STATES, Shape
from .reference_workload import FixedLoad

PATIENCE = 120.0
"""Seconds after which something that should have happened is taken for lost."""
_WAIT = QEventLoop.ProcessEventsFlag.WaitForMoreEvents
_WARM = 5
"""Moves of each case that do not count."""
_LOADS = 6
"""Moves from one painting of the fixed load to the next."""


class Bench:
    """One window, and what its moves took."""

    def __init__(self, path: Path, shape: Shape, seconds: float, most: int) -> None:
        self.app = application()
        self.shape = shape
        self.frames = shape.crowded()
        self._seconds, self._most = seconds, most
        self._spent: dict[str, list[float]] = {}
        self._load = FixedLoad()
        # Without anything to wake it, an event loop would wait for ever for what never comes.
        self._tick = QTimer()
        self._tick.start(500)
        self.window = MainWindow(target_of(str(path)), focus=2)
        self.window.resize(1920, 1080)
        self.window.show()

    def until(self, holds: Callable[[], object]) -> None:
        """Let Qt work until something holds."""
        end = time.monotonic() + PATIENCE
        while not holds():
            if time.monotonic() > end:
                raise TimeoutError(f"the viewer did not get there within {PATIENCE:g} s")
            self.app.processEvents(_WAIT)

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Note how long each panel paints, and each moment is read."""
        panels: Any = PaintedPanel
        readers: Any = SnapshotReader
        paint, read = panels.paintEvent, readers.read

        def painting(panel: PaintedPanel, event: Any) -> None:
            start = time.perf_counter()
            paint(panel, event)
            self._note(type(panel).__name__, time.perf_counter() - start)

        def reading(moments: SnapshotReader, frame: int) -> Any:
            start = time.perf_counter()
            moment = read(moments, frame)
            self._note("reading", time.perf_counter() - start)
            return moment

        panels.paintEvent, readers.read = painting, reading
        try:
            yield
        finally:
            panels.paintEvent, readers.read = paint, read

    def _note(self, what: str, seconds: float) -> None:
        self._spent.setdefault(what, []).append(seconds)

    def move(self, frame: int) -> tuple[float, float]:
        """Seconds until a frame is painted, and of these what this thread worked."""
        store, world = self.window.store, self.window.world
        start, worked, painted = time.perf_counter(), time.thread_time(), world.paint_count
        store.send(SeekFrame(frame))
        # All that is to be repainted is painted in one go, the world always with it.
        self.until(lambda: store.frame == frame and world.paint_count > painted)
        return time.perf_counter() - start, time.thread_time() - worked

    def case(self, frames: list[int]) -> dict[str, Any]:
        """Go to these frames one after another, as far as there is time."""
        rows: list[tuple[float, float]] = []
        loads: list[float] = []
        end = time.monotonic() + self._seconds
        self._spent.clear()
        for number, frame in enumerate(frames[: self._most + _WARM]):
            if number > 2 * _WARM and time.monotonic() > end:
                break
            if frame == self.window.store.frame:
                continue
            row = self.move(frame)
            if number >= _WARM or len(frames) <= _WARM:
                rows.append(row)
            # Now and then, as the machine changes its speed; each costs the next move its caches.
            if number % _LOADS == 0:
                loads.append(self._load.paint())
        whole, worked = np.array(rows).T * 1e3
        median, p95, p99 = np.percentile(whole, [50, 95, 99]).tolist()
        # Of all moves, also those for which a dock had nothing new to paint.
        spent = {name: sum(took) * 1e3 / max(len(rows), 1) for name, took in self._spent.items()}
        return {
            "median": median, "p95": p95, "p99": p99, "worked": float(np.median(worked)),
            "load": float(np.median(loads)) * 1e3, "moves": len(rows), "spent": spent,
            "ratio": float(np.median(whole) / 1e3 / np.median(loads)),
        }  # fmt: skip

    def cases(self) -> dict[str, Any]:
        """All of them."""
        window, chance, results = self.window, random.Random(1), {}
        stay = self.shape.stay
        first = len(self.frames) // stay // 2 * stay
        near = self.frames[first : first + stay]  # what a timeline that is zoomed in shows
        inside = [
            frame for _ in range(8 * self.shape.stretches) for frame in chance.sample(near, stay)
        ]
        every = chance.sample(self.frames, len(self.frames)) * 8
        with self.timed():
            window.timeline.scale.fit(near[0] * DT - 4, near[-1] * DT + 4)
            results["sequential"] = self.case(near * 8 * self.shape.stretches)
            results["random, zoomed"] = self.case(inside)
            window.timeline.scale.fit()
            window.timeline.update()
            results["random, whole"] = self.case(every)
            window.world.see_all()
            results["all in view"] = self.case(every)
        return results

    def slope(self) -> float | None:
        """Bytes that scrubbing keeps of each move, after all that is kept once is there."""
        statm = Path("/proc/self/statm")
        if not statm.exists():
            return None
        chance, sizes = random.Random(2), []
        end = time.monotonic() + self._seconds
        while time.monotonic() < end:
            self.move(chance.choice([at for at in self.frames if at != self.window.store.frame]))
            sizes.append(int(statm.read_text().split()[1]) * 4096)
        half = sizes[len(sizes) // 2 :]
        if len(half) < 4:
            return None
        return float(np.polyfit(np.arange(len(half)), half, 1)[0])

    def close(self) -> None:
        """Close the window and delete it: Qt crashes if a window outlives its application."""
        self.window.close()
        self.window.deleteLater()
        self.app.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def lane_times(spans: int, rounds: int) -> dict[str, float]:
    """Milliseconds that painting a lane of so many spans takes, in sight as a whole or 1 %."""
    from playhead.viewer.panels.timeline.row_painter import RowPainter
    from playhead.viewer.panels.timeline.time_scale import TimeScale
    from playhead.viewer.panels.timeline.timeline_rows import SPANS, TimelineRow

    starts = np.arange(spans) * DT
    names = [STATES[at * 5 % len(STATES)] for at in range(spans)]
    lane = SpanLane(starts.tolist(), spans * DT, names)
    row, rows = TimelineRow("state", SPANS, 1, lane=lambda: lane), RowPainter()
    image = QImage(1700, 24, QImage.Format.Format_RGB32)
    results = {}
    for what, share in (("whole", 1.0), ("1 %", 0.01)):
        scale = TimeScale()
        scale.extend(0.0, spans * DT)
        if share < 1:
            scale.fit(spans * DT * 0.4, spans * DT * (0.4 + share))
        times = []
        for _ in range(max(rounds, 3)):
            painter = QPainter(image)
            start = time.perf_counter()
            rows.paint(painter, row, QRectF(0, 0, 1700, 21), scale)
            times.append(time.perf_counter() - start)
            painter.end()
        results[what] = float(np.median(times)) * 1e3
    return results


def main() -> None:
    path, *numbers = sys.argv[1:]
    frames, stretches, stay, agents, seconds, most = map(int, numbers)
    bench = Bench(Path(path), Shape(frames, stretches, stay, agents, ""), seconds, most)
    try:
        start = time.perf_counter()
        bench.until(lambda: bench.window.store.is_settled)
        results: dict[str, Any] = {"settled": time.perf_counter() - start, "cases": bench.cases()}
        results["slope"] = bench.slope()
        make = partial(lane_times, rounds=most // 8)
        results["lanes"] = {f"{spans:,}": make(spans) for spans in (frames, 10 * frames)}
    finally:
        bench.close()
    json.dump(results, sys.stdout)


if __name__ == "__main__":
    main()
