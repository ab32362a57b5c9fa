"""Launches the viewer's window on a running game, in a process of its own.

So drawing takes no time from a step of the game, and either may crash without the other.
"""

import contextlib
import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from ..viewer_process import python_path

CLOSE_TIMEOUT = 10.0
"""Seconds that the window may take to close before it is ended."""


class GameWindow:
    """A window of its own process on a game that is on the bus. Close it.

    Args:
        endpoint: Where the game listens.
        on_event: Called, by a thread, when there is a command, or the window is ready or gone.
        focus: The object to look at.
        played: Whether keys and gamepads are the game's pad.
        turns: Whether the pad's sticks point along the world's axes.
        ring: The game's ring file, to look into if this process is killed.
    """

    def __init__(
        self, endpoint: str, on_event: Callable[[], object], *, focus: int = 0,
        played: bool = False, turns: bool = False, ring: str | None = None,
    ) -> None:  # fmt: skip
        command = [sys.executable, "-P", "-m", f"{__package__}.window_process_main", endpoint]
        command += ["--focus", str(focus), *["--played"] * played, *["--turns"] * turns]
        command += [] if ring is None else ["--ring", str(Path(ring).absolute())]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env=python_path(),
        )  # fmt: skip
        self._on_news = on_event
        self._commands: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self.ready = False
        """Whether the window shows the game."""
        self.code: int | None = None
        """How the window's process ended; None while it is there."""
        self._thread = threading.Thread(target=self._listen, name="screen", daemon=True)
        self._thread.start()

    def take_command(self) -> str:
        """The next command that does not come over the bus: `pause`, `demo`, or empty."""
        try:
            return self._commands.get_nowait()
        except queue.Empty:
            return ""

    def send(self, line: str) -> None:
        """Send a line to the window: see `viewer.app.processes.live_window_process.Visit`."""
        line = " ".join(line.splitlines())
        pipe = self._process.stdin
        assert pipe is not None
        with self._lock, contextlib.suppress(OSError, ValueError):  # it may be gone
            pipe.write(f"{line}\n".encode())
            pipe.flush()

    def close(self) -> int:
        """Close the window if it is there; returns its process's exit code."""
        self.send("close")
        try:
            self._process.wait(CLOSE_TIMEOUT)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._thread.join()
        assert self.code is not None
        return self.code

    def _listen(self) -> None:
        process = self._process
        assert process.stdout is not None
        assert process.stdin is not None
        for line in process.stdout:
            word = line.decode(errors="replace").strip()
            if word == "ready":
                self.ready = True
            else:
                self._commands.put(word)
            self._on_news()
        process.stdout.close()
        self.code = process.wait()
        with self._lock, contextlib.suppress(OSError):
            process.stdin.close()
        self._on_news()
