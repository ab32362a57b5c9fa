"""The demo's game: a process of its own that ends with the window, on the bus at a free port."""

import re
import shutil
import sys
import tempfile
from pathlib import Path

from ...backends.exit_with_viewer import child_arguments
from ...toolkit.qt import QObject, QProcess, pyqtSignal

_ENDPOINT = re.compile(r"on the bus at (tcp://\S+)")
_PATIENCE = 3000
"""Milliseconds in which it may end by itself before it is ended."""


class DemoProcess(QObject):
    """`playhead demo`, started for a user without a game at hand.

    A guard of it has a flaw; after some seconds a check fails and the game is paused. When it is
    let go it plays its story to the end and leaves a clip.
    """

    on_bus = pyqtSignal(str)
    """It is there, at this address."""
    ended = pyqtSignal(str)
    """It is over: the clip that it has left, or an empty text."""
    failed = pyqtSignal(str)
    """It could not be started, or broke; why."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.endpoint = ""
        self._folder = Path(tempfile.mkdtemp(prefix="playhead-demo-"))
        self._output = ""
        self._process = QProcess(self)
        self._process.readyReadStandardError.connect(self._hear)
        self._process.readyReadStandardOutput.connect(self._process.readAllStandardOutput)
        self._process.finished.connect(self._finished)
        self._process.errorOccurred.connect(self._broken)

    def start(self) -> None:
        """Start it; `on_bus` follows."""
        arguments = ["demo", "--out", str(self._folder), "--bus", "tcp://127.0.0.1:*"]
        self._process.start(sys.executable, child_arguments(*arguments))

    @property
    def clip(self) -> Path:
        """What it leaves."""
        return self._folder / "demo.mcap"

    def close(self) -> None:
        """End it, and take away what it has left."""
        for signal, slot in (
            (self._process.finished, self._finished), (self._process.errorOccurred, self._broken)
        ):  # fmt: skip
            signal.disconnect(slot)
        if self._process.state() != QProcess.ProcessState.NotRunning:
            self._process.closeWriteChannel()
            if not self._process.waitForFinished(_PATIENCE):
                self._process.kill()
                self._process.waitForFinished(_PATIENCE)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _hear(self) -> None:
        self._output += self._process.readAllStandardError().data().decode(errors="replace")
        found = _ENDPOINT.search(self._output)
        if found is not None and not self.endpoint:
            self.endpoint = found[1]
            self.on_bus.emit(self.endpoint)

    def _finished(self, code: int) -> None:
        if code:
            lines = self._output.strip().splitlines()
            self.failed.emit(f"The demo's game has failed: {lines[-1] if lines else code}")
        else:
            self.ended.emit(str(self.clip) if self.clip.is_file() else "")

    def _broken(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            self.failed.emit(f"The demo's game could not be started: {sys.executable}")
