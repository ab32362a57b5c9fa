"""Commands of playhead that panels run as processes of their own, with a signal when they end."""

import sys

from ..toolkit.qt import QObject, QProcess, pyqtSignal
from .exit_with_viewer import child_arguments

_PATIENCE = 3000
"""Milliseconds in which a process may end by itself before it is ended."""


class CommandProcess(QObject):
    """A command such as `playhead plan run`, until it ends.

    Args:
        merged: Whether what it says on stderr is among its output.
    """

    ended = pyqtSignal(int, str)
    """Its exit code, and the end of its output."""

    def __init__(self, *arguments: str, merged: bool = True, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._output = ""
        self._process = QProcess(self)
        if merged:
            self._process.setProcessChannelMode(QProcess.ProcessChannelMode.MergedChannels)
        self._process.readyReadStandardOutput.connect(self._hear)
        self._process.finished.connect(self._finished)
        self._process.errorOccurred.connect(self._broken)
        self._process.start(sys.executable, child_arguments(*arguments))

    def stop(self) -> None:
        """Ask it to end; `ended` follows."""
        self._process.terminate()

    def close(self) -> None:
        """End it."""
        end_process(self._process)

    def _hear(self) -> None:
        self._output += self._process.readAllStandardOutput().data().decode(errors="replace")

    def _finished(self, code: int, how: QProcess.ExitStatus) -> None:
        self._hear()
        crashed = how is QProcess.ExitStatus.CrashExit
        self.ended.emit(-1 if crashed else code, self._output)

    def _broken(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            self.ended.emit(-1, f"no process could be started: {sys.executable}")


def end_process(process: QProcess) -> None:
    """End a process now, and hear nothing more of it."""
    process.blockSignals(True)
    if process.state() != QProcess.ProcessState.NotRunning:
        process.closeWriteChannel()
        if not process.waitForFinished(_PATIENCE):
            process.kill()
            process.waitForFinished(_PATIENCE)


def last_words(output: str) -> str:
    """The error that a command ended with, without its name: its last line, or lines."""
    lines = [line for line in output.splitlines() if line.strip()]
    own = [number for number, line in enumerate(lines) if line.startswith("playhead: ")]
    if not own:
        return lines[-1].strip() if lines else ""
    first = last = own[-1]
    while first - 1 in own:
        first -= 1
    return "; ".join(line.removeprefix("playhead: ") for line in lines[first : last + 1])
