"""A viewer's start, in a process of its own: when its window is up, and when it shows a frame; how
long it reads the whole recording, and searches it.

    python -m benchmarks.viewer.window_start RECORDING

Prints JSON: `window` and `picture` on the monotonic clock, `read` in seconds of CPU time of
the whole process, `hit` in seconds until the first hit of a search for a state.
"""

import json
import sys
import time
from collections.abc import Callable
from typing import Any

from playhead.viewer.app.main_window import MainWindow
from playhead.viewer.app.viewer_main import application
from playhead.viewer.backends.view_target import target_of
from playhead.viewer.panels.world.world_panel import WorldPanel
from playhead.viewer.toolkit.qt import QEventLoop, QTimer

from .crowd_game import STATES


def main() -> None:
    app = application()
    window = MainWindow(target_of(sys.argv[1]))
    seen: dict[str, float] = {}
    worlds: Any = WorldPanel
    paint = worlds.paintEvent

    def painting(world: WorldPanel, event: Any) -> None:
        paint(world, event)
        if world.store.snapshot is not None:
            seen.setdefault("picture", time.monotonic())

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
    began = time.process_time()
    wait(lambda: window.store.is_settled)
    seen["read"] = time.process_time() - began
    began = time.monotonic()
    window.hits.start(f'entered("{STATES[-1]}")')
    wait(lambda: window.hits.hits)
    seen["hit"] = time.monotonic() - began
    window.close()
    json.dump(seen, sys.stdout)


if __name__ == "__main__":
    main()
