"""The processes behind the plan panel: one knows the game, and one runs a plan or reads text."""

import json
import sys
from collections.abc import Mapping

import msgspec

from ...backends.command_process import end_process, last_words
from ...toolkit.qt import QObject, QProcess, pyqtSignal
from .plan_rows import PlanTextProblem
from .recorded_plan import Place


class OfferedActor(msgspec.Struct, frozen=True):
    """An actor that is there when the game begins."""

    id: int
    name: str
    type: str
    position: Place
    actions: tuple[str, ...] = ()


class PlanVocabulary(msgspec.Struct, frozen=True):
    """All that a plan for a game may name."""

    actors: tuple[OfferedActor, ...] = ()
    position: Place | None = None
    """Where the player begins."""
    types: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    actions: Mapping[str, bool] = {}
    """Whether each action can be done without an actor, by name."""
    values: tuple[str, ...] = ()

    def meant(self, name: str) -> list[OfferedActor]:
        """The actors that a name or a type means."""
        return [one for one in self.actors if one.name == name] or [
            one for one in self.actors if one.type == name
        ]


class _Problem(msgspec.Struct):
    line: int
    message: str


class _CheckResponse(msgspec.Struct):
    number: int
    problems: list[_Problem]


class PlanService(QObject):
    """`playhead plan serve GAME`: says what the game has, and what is wrong with a text."""

    offered = pyqtSignal(object)
    """What the game has: a `PlanVocabulary`."""
    checked = pyqtSignal(int, object)
    """What is wrong with the text of that number: a list of `PlanTextProblem`."""
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
                    answer = msgspec.json.decode(line, type=_CheckResponse)
                    found = [PlanTextProblem(one.line, one.message) for one in answer.problems]
                    self.checked.emit(answer.number, found)
                else:
                    self._is_offered = True
                    self.offered.emit(msgspec.json.decode(line, type=PlanVocabulary))
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
