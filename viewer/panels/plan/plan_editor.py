"""The plan that is edited in a window: its text, undo, what is wrong with it, and its processes.

It belongs to the window and not to a panel: another recording makes the panels again.
"""

import json
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ....errors import CommandError, PlanError
from ...backends.command_process import CommandProcess, last_words
from ...state.settings import write_whole
from ...toolkit.qt import QObject, QTimer, QUndoCommand, QUndoStack, pyqtSignal
from .plan_rows import PlanTextProblem, recorded_fields
from .plan_service_process import PlanService, PlanVocabulary
from .plan_yaml_document import MOVEMENTS, NODES, RULES, PlanDocument, PlanPart
from .recorded_plan import PlanAtFrame

SUFFIX = ".plan.yaml"
_REST = 250
"""Milliseconds after an edit, after which the text is checked."""


class _ReplaceText(QUndoCommand):
    """One text in place of another."""

    def __init__(self, editing: "PlanEditor", words: str, text: str) -> None:
        super().__init__(words)
        self._editing, self._before, self._after = editing, editing.text, text

    def undo(self) -> None:
        self._editing.take(self._before)

    def redo(self) -> None:
        self._editing.take(self._after)


class PlanEditor(QObject):
    """One plan at a time is edited; one command at a time runs."""

    changed = pyqtSignal()
    """The text, what is wrong with it, or what runs is another."""
    message = pyqtSignal(str)
    """A message for the person."""
    clip_made = pyqtSignal(str)
    """A run has left this clip."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.document: PlanDocument | None = None
        self.path: Path | None = None
        self.vocabulary = PlanVocabulary()
        self.problems: list[PlanTextProblem] = []
        self.opened: tuple[str, int] | None = None
        """The node or rule whose fields are shown."""
        self.begin_at = 0
        """The node, counted from 1, from which on the run that was just opened is to be seen."""
        self._run_from, self._show_from = 1, 0
        self.running = ""
        """What runs: `run`, `record`, `text`; empty for nothing."""
        self.steps = ""
        """The steps in English that were read last, unless they were understood."""
        self.undo_stack = QUndoStack(self)
        self._asked = 0
        self._service: PlanService | None = None
        self._command: CommandProcess | None = None
        self._folder: Path | None = None
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(_REST)
        self._rest.timeout.connect(self._check)

    # --- the text -------------------------------------------------------------------------------

    @property
    def text(self) -> str:
        """The plan as YAML; empty while none is edited."""
        return self.document.text if self.document is not None else ""

    @property
    def name(self) -> str:
        """What it is called, with a star while it is not saved."""
        if self.document is None:
            return ""
        name = self.path.name.removesuffix(SUFFIX) if self.path is not None else "new plan"
        return name if self.undo_stack.isClean() and self.path is not None else f"{name} *"

    @property
    def is_unsaved(self) -> bool:
        """Whether there are edits that no file has."""
        return self.document is not None and not self.undo_stack.isClean()

    def open(self, path: Path) -> None:
        """Edit the plan in a file; if that is no plan, an error is shown and nothing changes."""
        try:
            text = path.read_text("utf-8")
            document = PlanDocument(text)
        except (OSError, UnicodeDecodeError) as error:
            self._refuse(f"{path} can't be read: {error}")
        except PlanError as error:
            self._refuse(f"{path}: {error}")
        else:
            self._begin(document, path)

    def new(self, game: str) -> None:
        """Edit a new plan for a game, with one node."""
        line = f"game: {game}\n" if game else ""
        self._begin(PlanDocument(f"{line}nodes:\n  - {{location: [0, 0, 0]}}\n"), None)

    def edit_recorded(self, record: PlanAtFrame) -> None:
        """Edit the plan that a recording has in it."""
        game = record.plan.game
        document = PlanDocument(f"game: {game}\n" if game else "")
        nodes = [recorded_fields(node) for node in record.plan.nodes]
        rules = [{"when": list(rule.when), **recorded_fields(rule)} for rule in record.plan.rules]
        document = PlanDocument(document.added(NODES, 0, nodes))
        if rules:
            document = PlanDocument(document.added(RULES, 0, rules))
        self._begin(document, None)

    def leave(self) -> None:
        """Edit it no longer."""
        self.document = self.path = self.opened = None
        self.problems = []
        self.undo_stack.clear()
        self._end_service()
        self.changed.emit()

    def save(self, path: Path | None = None) -> bool:
        """Write the text into its file, or another one; False if that can't be."""
        to = path or self.path
        if to is None or self.document is None:
            return False
        if not to.name.endswith((".yaml", ".yml")):
            to = to.with_name(to.name + SUFFIX)
        try:
            write_whole(to, self.text)
        except (CommandError, OSError) as error:
            self._refuse(f"{to} can't be written: {error}")
            return False
        self.path = to
        self.undo_stack.setClean()
        self.message.emit(f"Saved {to}")
        self.changed.emit()
        return True

    def take(self, text: str) -> None:
        """Have this text, as undo and redo do."""
        self.document = PlanDocument(text)
        opened = self.opened
        if opened is not None and opened[1] >= len(self.document.parts(opened[0])):
            self.opened = None
        self._rest.start()
        self.changed.emit()

    def _begin(self, document: PlanDocument, path: Path | None) -> None:
        self.document, self.path, self.opened = document, path, None
        self.undo_stack.clear()
        self.problems = []
        self._serve()
        self._rest.start()
        self.changed.emit()

    def _refuse(self, text: str) -> None:
        self.message.emit(text)

    # --- edits ----------------------------------------------------------------------------------

    def part(self, at: tuple[str, int]) -> PlanPart | None:
        """A node or rule by its kind and index."""
        parts = self.document.parts(at[0]) if self.document is not None else []
        return parts[at[1]] if 0 <= at[1] < len(parts) else None

    def toggle(self, at: tuple[str, int]) -> None:
        """Show the fields of a node or rule, or hide them."""
        self.opened = None if self.opened == at else at
        self.changed.emit()

    def _edit(self, words: str, text: str) -> bool:
        """Have another text, which can be undone; False if it is no plan."""
        if text == self.text:
            return False
        try:
            PlanDocument(text)
        except PlanError as error:
            self._refuse(f"{words} can't be done: {error}")
            return False
        self.undo_stack.push(_ReplaceText(self, words, text))
        return True

    def set_field(self, at: tuple[str, int], field: str, value: Any) -> None:
        """Change a field of a node or rule; None takes it away."""
        if self.document is not None and self.part(at) is not None:
            words = f"Change {field.replace('_', ' ')}"
            self._edit(words, self.document.with_field(*at, field, value))

    def add(self, kind: str, behind: int = -1, place: Sequence[float] | None = None) -> None:
        """A new node or rule after another one; −1 for the end."""
        if self.document is None:
            return
        count = len(self.document.parts(kind))
        at = count if behind < 0 else min(behind + 1, count)
        if kind == NODES:
            row: dict[str, Any] = {
                "location": [round(float(part), 2) for part in place or (0, 0, 0)]
            }
        else:
            types = self.vocabulary.types
            about = "enemy" if "enemy" in types or not types else types[0]
            taken = [part.title for part in self.document.rules]
            row = {"when": [{"actor": about, "within": 3}]}
            if f"go to {about}" in taken:
                row["name"] = f"rule {count + 1}"
        if self._edit(f"Add a {kind[:-1]}", self.document.added(kind, at, [row])):
            self.opened = kind, at
            self.changed.emit()

    def delete(self, at: tuple[str, int]) -> None:
        """Take a node or rule away; the last node stays, since a plan has one."""
        if self.document is None or self.part(at) is None:
            return
        if at[0] == NODES and len(self.document.nodes) == 1:
            self._refuse("A plan has at least one node: change it instead")
            return
        self.opened = None
        self._edit(f"Delete the {at[0][:-1]}", self.document.without(*at))

    def duplicate(self, at: tuple[str, int]) -> None:
        """A copy after it. A rule's copy has a name of its own: no two may be called alike."""
        if self.document is None or (part := self.part(at)) is None:
            return
        text = self.document.duplicated(*at)
        if at[0] == RULES:
            copy = PlanDocument(text)
            name, taken = f"{part.title} again", {one.title for one in self.document.rules}
            while name in taken:
                name += " again"
            text = copy.with_field(RULES, at[1] + 1, "name", name)
        self._edit(f"Duplicate the {at[0][:-1]}", text)

    def move(self, at: tuple[str, int], to: int) -> None:
        """Put a node or rule elsewhere among those of its kind."""
        if self.document is None or self.part(at) is None:
            return
        to = min(max(to, 0), len(self.document.parts(at[0])) - 1)
        if to != at[1]:
            if self.opened == at:
                self.opened = at[0], to
            self._edit(f"Move the {at[0][:-1]}", self.document.moved(*at, to))

    def insert(self, text: str, words: str) -> None:
        """Put the nodes and rules of another plan after the opened node, or at the end."""
        try:
            other = PlanDocument(text)
        except PlanError as error:
            self._refuse(f"{words}: {error}")
            return
        if self.document is None:
            self._begin(other, None)
            return
        opened, document = self.opened, self.document
        at = opened[1] + 1 if opened is not None and opened[0] == NODES else len(document.nodes)
        document = PlanDocument(document.with_parts_of(other, NODES, at))
        document = PlanDocument(document.with_parts_of(other, RULES, len(document.rules)))
        self._edit(words, document.text)

    def choices(self, at: tuple[str, int], field: str) -> list[str]:
        """What may be given for a field, as far as the game says it."""
        known, part = self.vocabulary, self.part(at)
        if field == "movement":
            return list(MOVEMENTS)
        if field == "actor":
            return sorted({*known.types, *known.names})
        if field != "action" or part is None:
            return []
        about = str(part.fields.get("actor") or "")
        can = {action for actor in known.meant(about) for action in actor.actions}
        if not about:
            can = {name for name, somewhere in known.actions.items() if somewhere}
        return sorted(can or known.actions)

    # --- the game -------------------------------------------------------------------------------

    @property
    def game(self) -> str:
        """The game that the plan is for."""
        return self.document.game if self.document is not None else ""

    def _serve(self) -> None:
        game = self.game
        if self._service is not None and self._service.game == game:
            return
        self._end_service()
        if game:
            self._service = PlanService(game, self)
            self._service.offered.connect(self._offered)
            self._service.checked.connect(self._checked)
            self._service.failed.connect(self._lost)

    def _end_service(self) -> None:
        service, self._service = self._service, None
        if service is not None:
            service.close()
            service.deleteLater()
        self.vocabulary = PlanVocabulary()

    def _offered(self, vocabulary: PlanVocabulary) -> None:
        self.vocabulary = vocabulary
        self.changed.emit()

    def _check(self) -> None:
        self._serve()
        if self.document is None:
            return
        if self._service is None:
            if not self.game:
                self.problems = [PlanTextProblem(0, "the plan names no game: write `game:` in it")]
                self.changed.emit()
            return
        self._asked += 1
        self._service.ask(self._asked, self.text)

    def _checked(self, number: int, problems: list[PlanTextProblem]) -> None:
        if number == self._asked:
            self.problems = problems
            self.changed.emit()

    def _lost(self, why: str) -> None:
        self.problems = [PlanTextProblem(0, f"it can't be checked: {why}")]
        self.changed.emit()

    # --- commands -------------------------------------------------------------------------------

    def run(self, begin: int = 1, show: int = 0) -> None:
        """Carry the text out as it is now, and look at it.

        Args:
            begin: The node to begin with, counted from 1; those before it are skipped.
            show: The node from which on it is to be seen; 0 for all of it.
        """
        if self.document is None or not self._free():
            return
        self._run_from, self._show_from = begin, show
        plan, clip = self._place("plan" + SUFFIX), self._place("run.mcap")
        clip.unlink(missing_ok=True)
        plan.write_text(self.text, "utf-8")
        which = ("--from", str(begin), "--json") if begin > 1 else ("--json",)
        self._start("run", "plan", "run", str(plan), "--clip", str(clip), *which)

    def record(self) -> None:
        """Record a play of the game as a plan: what comes of it is put into this one."""
        if not self._free():
            return
        if not self.game:
            self._refuse("The plan names no game to be played: write `game:` in it")
            return
        out = self._place("recorded" + SUFFIX)
        out.unlink(missing_ok=True)
        self._start("record", "plan", "record", self.game, str(out))

    def read_text(self, steps: str) -> None:
        """Make nodes and rules of steps in English, and put them into this plan."""
        if not self._free() or not steps.strip():
            return
        if not self.game:
            self._refuse("The plan names no game whose actors could be meant: write `game:` in it")
            return
        given, out = self._place("steps.txt"), self._place("read" + SUFFIX)
        out.unlink(missing_ok=True)
        given.write_text(steps, "utf-8")
        self.steps = steps
        self._start("text", "plan", "from-text", str(given), "--game", self.game, "-o", str(out))

    def stop(self) -> None:
        """End what runs."""
        if self._command is not None:
            self._command.stop()

    def _free(self) -> bool:
        if self.running:
            self._refuse("Something runs already: stop it first")
        return not self.running

    def _start(self, what: str, *arguments: str) -> None:
        self.running = what
        self._command = CommandProcess(*arguments, parent=self)
        self._command.ended.connect(self._ended)
        self.changed.emit()

    def _ended(self, code: int, output: str) -> None:
        what, self.running = self.running, ""
        command, self._command = self._command, None
        if command is not None:
            command.deleteLater()
        self.changed.emit()
        if what == "run":
            clip = self._place("run.mcap")
            if clip.is_file():
                self.begin_at = self._show_from
                self.clip_made.emit(str(clip))
                if self._run_from > 1 and _is_unreached(output, self._run_from):
                    reason = f"Node {self._run_from} can't be reached without those before it"
                    self._refuse(f"{reason}: its menu has “Run all, show it from here”")
            else:
                self._refuse(f"The plan did not run: {last_words(output) or 'it was stopped'}")
            return
        out = self._place(("recorded" if what == "record" else "read") + SUFFIX)
        if out.is_file():
            words = "Insert the recorded play" if what == "record" else "Insert the steps"
            self.insert(out.read_text("utf-8"), words)
            self.steps = ""
        elif what == "text":
            self._refuse(_not_understood(output, self._place("steps.txt")))
        else:
            self._refuse(f"Nothing was recorded: {last_words(output) or f'it ended with {code}'}")

    def _place(self, name: str) -> Path:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="playhead-plan-"))
        return self._folder / name

    def close(self) -> None:
        """End all processes, and take away what they have left."""
        self._rest.stop()
        self._end_service()
        command, self._command = self._command, None
        if command is not None:
            command.close()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


def _not_understood(output: str, steps: Path) -> str:
    """What of the steps was not understood, in a line."""
    start = f"{steps}:"
    problems = [
        f"Line {line.removeprefix(start)}" for line in output.splitlines() if line.startswith(start)
    ]
    return "   ·   ".join(problems[:3]) or last_words(output) or "No plan was made of the text"


def _is_unreached(output: str, node: int) -> bool:
    """Whether a run failed because the node that it began with could not be gone to."""
    for line in output.splitlines():
        if line.startswith("{"):
            failure = json.loads(line)["failure"] or {}
            return failure.get("node") == node and failure.get("kind") in ("navigation", "actor")
    return False
