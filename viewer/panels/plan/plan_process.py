"""The processes behind the plan panel: one knows the game, and one runs a plan or reads text."""

import json
import sys
from collections.abc import Mapping

import msgspec

from ...backends.child_process import child_arguments
from ...toolkit.qt import QObject, QProcess, pyqtSignal
from .plan_record import Place
from .plan_rows import PlanProblem

_PATIENCE = 3000
"""Milliseconds in which a process may end by itself before it is ended."""


class OfferedActor(msgspec.Struct, frozen=True):
    """An actor that is there when the game begins."""

    id: int
    name: str
    type: str
    position: Place
    actions: tuple[str, ...] = ()


class Vocabulary(msgspec.Struct, frozen=True):
    """All that a plan for a game may name."""

    actors: tuple[OfferedActor, ...] = ()
    position: Place | None = None
    """Where the player begins."""
    types: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    actions: Mapping[str, bool] = {}
    """By name: whether it can be done without an actor."""
    values: tuple[str, ...] = ()

    def meant(self, name: str) -> list[OfferedActor]:
        """The actors that a name or a type means."""
        return [one for one in self.actors if one.name == name] or [
            one for one in self.actors if one.type == name
        ]


class _Problem(msgspec.Struct):
    line: int
    message: str


class _Answer(msgspec.Struct):
    number: int
    problems: list[_Problem]


class PlanService(QObject):
    """`playhead plan serve GAME`: says what the game has, and what is wrong with a text."""

    offered = pyqtSignal(object)
    """What the game has: a `Vocabulary`."""
    checked = pyqtSignal(int, object)
    """What is wrong with the text of that number: a list of `PlanProblem`."""
    failed = pyqtSignal(str)
    """It could not be started, or ended; why."""

    def __init__(self, game: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.game = game
        self._is_offered = False
        self._output, self._errors = "", ""
        self._process = QProcess(self)
        self._process.readyReadStandardOutput.connect(self._hear)
        self._process.readyReadStandardError.connect(self._hear_error)
        self._process.finished.connect(self._finished)
        self._process.errorOccurred.connect(self._broken)
        # Its input ends with the viewer, and it with that.
        self._process.start(sys.executable, ["-m", "playhead", "plan", "serve", "--", game])

    def ask(self, number: int, text: str) -> None:
        """Have a text checked; `checked` follows."""
        self._process.write(json.dumps({"number": number, "text": text}).encode() + b"\n")

    def close(self) -> None:
        """End it."""
        if not self._is_offered:
            # It still loads the game, and would hear only after that that its input has ended.
            self._process.kill()
        end_process(self._process)

    def _hear(self) -> None:
        self._output += self._process.readAllStandardOutput().data().decode(errors="replace")
        *lines, self._output = self._output.split("\n")
        for line in lines:
            try:
                if self._is_offered:
                    answer = msgspec.json.decode(line, type=_Answer)
                    found = [PlanProblem(one.line, one.message) for one in answer.problems]
                    self.checked.emit(answer.number, found)
                else:
                    self._is_offered = True
                    self.offered.emit(msgspec.json.decode(line, type=Vocabulary))
            except msgspec.DecodeError as error:
                self.failed.emit(f"the game's answer makes no sense: {error}")

    def _hear_error(self) -> None:
        self._errors += self._process.readAllStandardError().data().decode(errors="replace")

    def _finished(self) -> None:
        self._hear_error()
        self.failed.emit(last_words(self._errors) or f"{self.game} has ended")

    def _broken(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            self.failed.emit(f"no process could be started: {sys.executable}")


class PlanCommand(QObject):
    """A command such as `playhead plan run`, until it ends."""

    ended = pyqtSignal(int, str)
    """Its exit code, and what it said in the end."""

    def __init__(self, *arguments: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._output = ""
        self._process = QProcess(self)
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
