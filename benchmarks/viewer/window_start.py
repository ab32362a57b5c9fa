"""A viewer's start, in a process of its own: when its window is up, and when it shows a frame.

    python -m benchmarks.viewer.window_start RECORDING

Prints both instants as JSON, on the system's monotonic clock.
"""

import json
import sys
import time
from typing import Any

from playhead.viewer.app.main_window import MainWindow
from playhead.viewer.app.viewer_main import application
from playhead.viewer.backends.view_target import target_of
from playhead.viewer.panels.world.world_panel import WorldPanel
from playhead.viewer.toolkit.qt import QEventLoop, QTimer


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
    tick, end = QTimer(), time.monotonic() + 60.0
    tick.start(500)
    while "picture" not in seen and time.monotonic() < end:
        app.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
    window.close()
    json.dump(seen, sys.stdout)


if __name__ == "__main__":
    main()
