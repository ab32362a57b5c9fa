"""The plan panel: the list, with buttons to go through a plan, to change it and to try it."""

from collections.abc import Callable
from pathlib import Path

from ...state.viewer_store import ViewerStore
from ...toolkit import palette
from ...toolkit.qt import (
    QFileDialog,
    QHBoxLayout,
    QInputDialog,
    QLabel,
    QMenu,
    QMessageBox,
    QToolButton,
    QVBoxLayout,
    QWidget,
)
from ...toolkit.text_button import text_button
from ...toolkit.theme import restyle
from .plan_editor import SUFFIX, PlanEditor
from .plan_outline_editor import PlanList
from .plan_view_model import PlanController
from .plan_yaml_document import NODES, RULES

_FILES = f"Plans (*{SUFFIX});;All files (*)"


class PlanPanel(QWidget):
    """Rows of buttons above the list; those that there is nothing for are hidden."""

    def __init__(self, store: ViewerStore, editing: PlanEditor) -> None:
        super().__init__()
        self.store, self.editing = store, editing
        self.controller = PlanController(store, editing)
        self.list = PlanList(store, self.controller)
        self.setFocusProxy(self.list)
        self.buttons: dict[str, QToolButton] = {}
        self._steps = QHBoxLayout()
        self._steps.setSpacing(2)
        for words, what in (("Node", "node"), ("Check", "validation"), ("Rule", "rule")):
            self._add_steps(words, what)
        self._steps.addStretch(1)
        edit = text_button(
            "Edit", "Edit the plan of this recording, one in a file, or a new one", padding=4
        )
        self.buttons["Edit"] = edit
        edit.clicked.connect(self._offer_plans)
        self._steps.addWidget(edit)
        self._edits = self._row(
            ("Save", "Save the plan into its file", self.save),
            ("Undo", "Take the newest change back (Ctrl+Z)", editing.undo_stack.undo),
            ("Redo", "Do it again (Ctrl+Y)", editing.undo_stack.redo),
            ("+ Node", "A new node, where the player is now", lambda: self.list.add(NODES)),
            ("+ Rule", "A new rule", lambda: self.list.add(RULES)),
            ("Close", "Edit this plan no longer", self.close_plan),
        )
        self._runs = self._row(
            ("Run", "Carry the plan out from its beginning, and look at it", lambda: editing.run()),
            (
                "From here",
                "Carry it out from the chosen node on, without those before",
                self.try_here,
            ),
            ("Stop", "Stop what runs", editing.stop),
            ("Record", "Play the game: the play is put into the plan", editing.record),
            ("Text …", "Make nodes and rules of steps in English", self.ask_steps),
        )
        inside = QVBoxLayout(self)
        inside.setContentsMargins(6, 6, 6, 2)
        inside.setSpacing(4)
        inside.addLayout(self._steps)
        inside.addWidget(self._edits)
        inside.addWidget(self._runs)
        inside.addWidget(self.list, 1)
        self.controller.changed.connect(self._show)
        self._show()

    def _row(self, *buttons: tuple[str, str, Callable[[], object]]) -> QWidget:
        row = QWidget()
        inside = QHBoxLayout(row)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(3)
        for words, help, does in buttons:
            button = self.buttons[words] = text_button(words, help, padding=4)
            button.clicked.connect(lambda _=False, act=does: act())
            inside.addWidget(button)
        inside.addStretch(1)
        return row

    def _add_steps(self, words: str, what: str) -> None:
        """A word, and the arrows to the one before and to the next."""
        label = QLabel(words)
        restyle(label, f"color: {palette.DIM};")
        self._steps.addWidget(label)
        for arrow, help, by in (("◂", f"Previous {what}", -1), ("▸", f"Next {what}", 1)):
            button = self.buttons[f"{arrow} {words}"] = text_button(arrow, help, padding=4)
            button.clicked.connect(lambda _=False, by=by: self.controller.go(what, by))
            self._steps.addWidget(button)
        self._steps.addSpacing(4)

    def _show(self) -> None:
        editing, record = self.editing, self.controller.record
        edited, free = editing.document is not None, not editing.running
        for words in ("Node", "Check", "Rule"):
            for arrow in "◂▸":
                self.buttons[f"{arrow} {words}"].setEnabled(record is not None)
        self._edits.setVisible(edited)
        self._runs.setVisible(edited)
        buttons, stack = self.buttons, editing.undo_stack
        buttons["Save"].setEnabled(editing.is_unsaved or editing.path is None)
        buttons["Undo"].setEnabled(stack.canUndo())
        buttons["Redo"].setEnabled(stack.canRedo())
        for words in ("Run", "From here", "Record", "Text …"):
            buttons[words].setEnabled(free)
        buttons["Stop"].setEnabled(not free)

    def plans(self) -> QMenu:
        """What can be edited."""
        menu = QMenu(self)
        mine = menu.addAction("Edit the plan of this recording", self.edit_recorded)
        if mine is not None:
            mine.setEnabled(self.controller.record is not None)
        menu.addAction("Open a plan …", self.ask_open)
        menu.addAction("New plan", self.new)
        return menu

    def _offer_plans(self) -> None:
        button = self.buttons["Edit"]
        if may_forget_plan(self, self.editing):
            self.plans().exec(button.mapToGlobal(button.rect().bottomLeft()))

    # --- what the buttons do --------------------------------------------------------------------

    def edit_recorded(self) -> None:
        """Edit the plan that the recording has in it."""
        record = self.controller.record
        if record is not None:
            self.editing.edit_recorded(record)

    def new(self) -> None:
        """Edit a new plan, for the game that is viewed."""
        snapshot = self.store.snapshot
        game = str(snapshot.about.get("game", "")) if snapshot is not None else ""
        self.editing.new(game)

    def ask_open(self) -> None:
        """Ask for a file, and edit the plan in it."""
        name, _ = QFileDialog.getOpenFileName(self, "Edit a plan", "", _FILES)
        if name:
            self.editing.open(Path(name))

    def save(self) -> None:
        """Save the plan; ask where to if it is in no file yet."""
        if self.editing.path is not None:
            self.editing.save()
            return
        name, _ = QFileDialog.getSaveFileName(self, "Save the plan", f"level{SUFFIX}", _FILES)
        if name:
            self.editing.save(Path(name))

    def close_plan(self) -> None:
        """Edit the plan no longer; ask first if it is not saved."""
        if may_forget_plan(self, self.editing):
            self.editing.leave()

    def try_here(self) -> None:
        """Carry the plan out from the chosen node on, where the player begins."""
        opened = self.editing.opened
        rows, at = self.list.rows, self.list.cursor_row
        part = opened if not 0 <= at < len(rows) else rows[at].part or opened
        if part is None or part[0] != NODES:
            self.store.message.emit("Choose a node first: a click on it does")
            return
        self.editing.run(part[1] + 1)

    def ask_steps(self) -> None:
        """Ask for steps in English, and make nodes and rules of them."""
        text, is_given = QInputDialog.getMultiLineText(
            self,
            "Text to plan",
            "Steps in English, a sentence or more a line:",
            self.editing.steps,
        )
        if is_given:
            self.editing.read_text(text)


def may_forget_plan(parent: QWidget, editing: PlanEditor) -> bool:
    """Ask before edits are lost that no file has; False to stay."""
    if not editing.is_unsaved:
        return True
    button = QMessageBox.StandardButton
    chosen = QMessageBox.question(
        parent, "The plan is not saved", f"Forget the changes of {editing.name.rstrip(' *')}?",
        button.Discard | button.Cancel, button.Cancel,
    )  # fmt: skip
    return chosen == button.Discard
