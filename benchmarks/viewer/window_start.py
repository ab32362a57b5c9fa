"""A viewer's start, in a process of its own: when its window is up, and when it shows a frame; how
long it reads the whole recording, and searches it.

    python -m benchmarks.viewer.window_start RECORDING STATE

Prints JSON: `window` and `picture` on the monotonic clock; and in seconds of CPU time of all
threads `started` (Python, Qt and the viewer's modules, before anything is opened), `shown` (from
there to the picture, the window's making included), `read`, `listed` (until the window has the
first hit of a search for the state), `hit` (until the search has it) and `bare` (to read every
frame's packets without the viewer).
"""

import gc
import json
import sys
import time
from collections.abc import Callable
from typing import Any

from playhead.recorder.clips.clip_source import ClipSource
from playhead.recording.recording_damage import DamageLog
from playhead.recording.search.find import Search
from playhead.viewer.app.main_window import MainWindow
from playhead.viewer.app.viewer_main import application
from playhead.viewer.backends.open_target import target_of
from playhead.viewer.panels.world.world_panel import WorldPanel
from playhead.viewer.toolkit.qt import QEventLoop, QTimer


def main() -> None:
    path, state = sys.argv[1:]
    app = application()
    began = time.process_time()
    seen: dict[str, float] = {"started": began}
    window = MainWindow(target_of(path))
    worlds: Any = WorldPanel
    paint = worlds.paintEvent

    def painting(world: WorldPanel, event: Any) -> None:
        paint(world, event)
        if world.store.snapshot is not None:
            seen.setdefault("picture", time.monotonic())
            seen.setdefault("shown", time.process_time())

    worlds.paintEvent = painting
    window.resize(1920, 1080)
    window.show()
    app.processEvents()
    seen["window"] = time.monotonic()
    tick = QTimer()
    tick.start(500)

    def wait(holds: Callable[[], object]) -> None:
        end = time.monotonic() + 60.0
        while not holds() and time.monotonic() < end:
            app.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)

    wait(lambda: "picture" in seen)
    seen["shown"] -= began
    began = time.process_time()
    wait(lambda: window.store.is_settled)
    seen["read"] = time.process_time() - began
    began = time.process_time()
    window.hits.start(f'entered("{state}")')
    wait(lambda: window.hits.hits)
    seen["listed"] = time.process_time() - began
    window.close()
    seen["hit"] = _find_first(path, state)
    seen["bare"] = _read_bare(path)
    json.dump(seen, sys.stdout)


def _find_first(path: str, state: str) -> float:
    """Seconds of CPU time until a search in a clip that was just opened has its first hit."""
    with ClipSource.open(path) as clip:
        assert clip.span is not None
        began = time.process_time()
        search = Search(
            clip, f'entered("{state}")', clip.span.oldest, clip.span.newest, None, DamageLog("find")
        )
        next(search.hits())
        return time.process_time() - began


def _read_bare(path: str) -> float:
    """Seconds of CPU time to read the packets of all frames, one frame after another."""
    gc.collect()
    began = time.process_time()
    with ClipSource.open(path) as clip:
        assert clip.span is not None
        for frame in range(clip.span.oldest, clip.span.newest + 1):
            clip.runs(frame)
    return time.process_time() - began


if __name__ == "__main__":
    main()
