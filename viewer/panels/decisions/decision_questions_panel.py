"""The decisions panel: answers what would be decided now, and what kept something from coming."""

from collections.abc import Hashable, Sequence
from typing import Any

import msgspec

from ....recording.decisions.reexecuted_decision import ReexecutedDecision
from ....recording.decisions.why_not_answer import WhyNot
from ...backends.command_process import CommandProcess, last_words
from ...state.decision_question_menu import DecisionController, DecisionQuestion
from ...state.viewer_store import ViewerStore
from ...toolkit import palette
from ...toolkit.menu_entries import MenuEntry
from ...toolkit.qt import QFileDialog, QPainter, QPointF, QRectF, Qt
from ...toolkit.text_painting import elided, one_line
from ...toolkit.theme import color, font, pen
from ...widgets.lists.interactive_list import TextList
from .decision_answer_rows import DecisionRow, rows_of

_SIGNS = {
    "choice": ("→", palette.TEXT), "obstacle": ("⊘", palette.FAILED), "yes": ("✓", palette.OK),
    "no": ("✕", palette.FAILED), "running": ("▶", palette.RUNNING), "value": ("=", palette.FAINT),
    "warning": ("!", palette.RUNNING), "detail": ("", palette.DIM),
}  # fmt: skip
_MIDDLE = Qt.AlignmentFlag.AlignVCenter
_RIGHT = _MIDDLE | Qt.AlignmentFlag.AlignRight
_EDITS = "An edit (*.py *.yaml *.json *.yml *.tsv);;All files (*)"


class DecisionsPanel(TextList):
    """A click on a row goes to its frame.

    The game's code is called in a process of its own, which ends with the viewer: whatever it does
    there, nothing happens here.
    """

    empty_text = "Right-click a state, a node of a tree or a rule of a plan, and ask why not"
    empty_hint = "playhead why-not CLIP AGENT STATE  ·  playhead ask CLIP --agent AGENT"

    def __init__(self, store: ViewerStore) -> None:
        super().__init__("Decisions", store)
        self._rows: list[DecisionRow] = []
        self._question: DecisionQuestion | None = None
        self._command: CommandProcess | None = None
        DecisionController.of(store).asked.connect(self.ask)

    @property
    def rows(self) -> list[DecisionRow]:
        """What is listed."""
        return self._rows

    @property
    def is_waiting(self) -> bool:
        """Whether an answer is still to come."""
        return self._command is not None

    def ask(self, question: DecisionQuestion) -> None:
        """Answer a question; the one before is given up."""
        if self._command is not None:
            self._command.close()
        self._question = question
        self._show([DecisionRow("heading", question.title), DecisionRow("detail", "Asking …")])
        self._command = CommandProcess(
            *_arguments(self.store.target.location, question), merged=False, parent=self
        )
        self._command.ended.connect(self._answered)

    def _answered(self, code: int, output: str) -> None:
        question, self._command = self._question, None
        assert question is not None
        kind: Any = WhyNot if question.state else ReexecutedDecision
        try:
            self._show(rows_of(msgspec.json.decode(output, type=kind)))
        except msgspec.DecodeError:
            message = _error_of(output) or last_words(output) or f"no answer came: exit code {code}"
            self._show([DecisionRow("heading", question.title), DecisionRow("warning", message)])

    def _show(self, rows: list[DecisionRow]) -> None:
        self._rows, self.cursor_row = rows, -1
        self.refresh()
        self.update()

    # --- the list -------------------------------------------------------------------------------

    def build_rows(self) -> bool:
        return False

    def heights(self) -> Sequence[int]:
        return [26 if row.kind == "heading" else 21 for row in self._rows]

    def accepts_cursor(self, row: int) -> bool:
        return bool(self._rows[row].frame)

    def cache_key(self, row: int) -> Hashable:
        return self._rows[row], row == self.hover

    def paint_row(self, painter: QPainter, row: int, box: QRectF) -> None:
        item = self._rows[row]
        is_heading = item.kind == "heading"
        if is_heading:
            painter.fillRect(box, color(palette.GROUP))
        elif row == self.hover and item.frame:
            painter.fillRect(box, color(palette.HOVER))
        left = 12.0
        if not is_heading:
            sign, hue = _SIGNS[item.kind]
            painter.setFont(font(12))
            painter.setPen(pen(hue))
            painter.drawText(QRectF(12, box.top(), 14, box.height()), _MIDDLE, sign)
            left = 30.0
        painter.setFont(font(11 if is_heading else 12, bold=is_heading or item.kind == "obstacle"))
        room = box.width() - left - 12
        if item.kind == "obstacle":  # how often is never left out
            room -= painter.fontMetrics().horizontalAdvance(item.note) + 24.0
        is_bright = item.kind in ("choice", "obstacle", "warning", "heading")
        painter.setPen(pen(palette.TEXT if is_bright else palette.DIM))
        text = elided(painter, one_line(item.text), room)
        painter.drawText(QRectF(left, box.top(), room, box.height()), _MIDDLE, text)
        used = painter.fontMetrics().horizontalAdvance(text) + 14.0
        room = box.width() - left - 12
        if item.note and room - used > 24.0:
            painter.setFont(font(11, mono=item.kind == "value"))
            painter.setPen(pen(palette.TEXT if item.kind == "value" else palette.FAINT))
            note = elided(painter, one_line(item.note), room - used)
            painter.drawText(
                QRectF(left + used, box.top(), room - used, box.height()), _RIGHT, note
            )

    def text(self) -> str:
        rows = (f"{row.text}  {row.note}".rstrip() for row in self._rows)
        return "\n".join(rows) or self.empty_text

    def card(self, row: int, at: QPointF) -> Sequence[str]:
        item = self._rows[row]
        if item.kind == "heading":
            return ()
        goes = ["click goes there"] if item.frame else []
        return [item.whole or item.text, *([item.note] if item.note else []), *goes]

    def clicked(self, row: int, at: QPointF, *, twice: bool) -> None:
        self.activated(row)

    def activated(self, row: int) -> None:
        item, question = self._rows[row], self._question
        if item.frame and question is not None:
            self.store.jump(item.frame, question.agent)

    def menu_entries(self, row: int) -> Sequence[MenuEntry]:
        question = self._question
        if question is None:
            return ()
        frame = self._rows[row].frame if 0 <= row < len(self._rows) else 0
        frame = frame or question.frame
        entries: list[MenuEntry] = [("Ask again", lambda: self.ask(question))]
        if frame:
            again = DecisionQuestion(question.agent, question.decider, frame=frame)
            entries.append((f"Go to frame {frame}", lambda: self.activated(row)))
            entries.append((f"Make the decision of frame {frame} again", lambda: self.ask(again)))
            entries.append(("… by an edited file", lambda: self._ask_by_edit(again)))
        return entries

    def _ask_by_edit(self, question: DecisionQuestion) -> None:
        name, _ = QFileDialog.getOpenFileName(self, "Decide by an edited file", "", _EDITS)
        if name:
            self.ask(question._replace(edit=name))


def _arguments(place: str, question: DecisionQuestion) -> list[str]:
    decider = ["--decider", question.decider] if question.decider else []
    if question.state:
        return ["why-not", "--json", *decider, "--", place, str(question.agent), question.state]
    edit = ["--with", question.edit] if question.edit else []
    return [
        "ask", "--json", "--agent", str(question.agent), "--at", f"#{question.frame}", *decider,
        *edit, "--", place,
    ]  # fmt: skip


def _error_of(output: str) -> str:
    """The message of an error that a command has printed as JSON."""
    try:
        return str(msgspec.json.decode(output)["error"]["message"])
    except (msgspec.DecodeError, KeyError, TypeError):
        return ""
