"""The list of the plan panel: nodes, rules and validations; fields are edited in place."""

from collections.abc import Sequence
from functools import partial

from ....errors import PlanError
from ....recording.decisions.decision_location import RuleLocation
from ...state.decision_question_menu import DecisionController
from ...state.hook_controller import HookController
from ...state.viewer_store import ViewerStore
from ...toolkit import palette
from ...toolkit.hook_dot import RADIUS, paint_hook_sign
from ...toolkit.menu_entries import MenuEntry
from ...toolkit.qt import (
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPointF,
    QRectF,
    Qt,
)
from ...toolkit.text_painting import elided, wrapped_height
from ...toolkit.theme import color, font, pen
from ...widgets.lists.interactive_list import TextList
from ...widgets.value_editor import ValueEditor
from .plan_rows import SIGNS, PlanRow, PlanRowKind
from .plan_view_model import PlanController
from .plan_yaml_document import NODES, RULES, field_text, typed_value
from .recorded_plan import MACHINE

_MIDDLE = Qt.AlignmentFlag.AlignVCenter
_RIGHT = _MIDDLE | Qt.AlignmentFlag.AlignRight
_HEIGHTS = {
    PlanRowKind.HEADING: 24, PlanRowKind.NODE: 24, PlanRowKind.RULE: 24, PlanRowKind.FIELD: 22,
    PlanRowKind.PRECONDITION: 20, PlanRowKind.VALIDATION: 22, PlanRowKind.VALUE: 19,
    PlanRowKind.WRONG: 22,
}  # fmt: skip
_INDENTS = {
    PlanRowKind.FIELD: 34.0, PlanRowKind.PRECONDITION: 34.0, PlanRowKind.VALUE: 34.0,
}  # fmt: skip
_LEFT, _SIGN = 10.0, 18.0
_HUES = {
    "done": palette.OK, "now": palette.RUNNING, "failed": palette.FAILED,
    "waiting": palette.FAINT, "fired": palette.RUNNING, "yes": palette.OK, "no": palette.FAINT,
    "changed": palette.RUNNING,
}  # fmt: skip
_PARTS = (PlanRowKind.NODE, PlanRowKind.RULE)
_FIELD_SHARE = 0.42
"""How much of the width the name of a field has."""
_PULL = 6.0
"""Pixels that the mouse moves before a row is dragged."""


class PlanList(TextList):
    """A click on a node or rule shows its fields while a plan is edited, else it goes there; a
    click on a field edits it; a drag puts a node or rule elsewhere.

    Delete takes a node or rule away, Insert adds one, Ctrl+Up and Ctrl+Down move it, Ctrl+Z undoes.
    """

    empty_text = "No plan is followed at this frame"
    empty_hint = "playhead plan run GAME --clip run.mcap"

    def __init__(self, store: ViewerStore, controller: PlanController) -> None:
        super().__init__("Plan", store)
        self.controller, self.editing = controller, controller.editing
        self._rows: list[PlanRow] = []
        self._pressed: tuple[PlanRow, float] | None = None
        """The node or rule that the mouse was pressed on, and where."""
        self._drop: int | None = None
        """The row that a dragged one would take the place of."""
        self._editor = ValueEditor(self)
        self.hooks = HookController.of(store)
        self.hooks.changed.connect(self.update)
        controller.changed.connect(self._invalidate)

    @property
    def rows(self) -> list[PlanRow]:
        """What is listed."""
        self.rebuild_if_stale()
        return self._rows

    # --- what is listed -------------------------------------------------------------------------

    def build_rows(self) -> bool:
        before = self._rows
        self._rows = self.controller.rows()
        return before != self._rows

    def heights(self) -> Sequence[int]:
        return [self._height(row) for row in self._rows]

    def _height(self, row: PlanRow) -> int:
        if row.kind is not PlanRowKind.WRONG:
            return _HEIGHTS[row.kind]
        height = wrapped_height(row.title, self.width() - 2 * _LEFT - _SIGN)
        return max(_HEIGHTS[row.kind], height + 6)

    def accepts_cursor(self, row: int) -> bool:
        return self._rows[row].kind not in (PlanRowKind.HEADING, PlanRowKind.VALUE)

    def row_of(self, part: tuple[str, int], field: str = "") -> int:
        """The row of a node, a rule or a field; −1 if it is not listed."""
        kinds = (PlanRowKind.FIELD,) if field else _PARTS
        return next(
            (at for at, row in enumerate(self.rows)
             if row.part == part and row.field == field and row.kind in kinds), -1,
        )  # fmt: skip

    # --- painting -------------------------------------------------------------------------------

    def paint_row(self, painter: QPainter, row: int, box: QRectF) -> None:
        item = self._rows[row]
        inside = box.adjusted(_LEFT, 0, -_LEFT, 0)
        if item.kind is PlanRowKind.HEADING:
            painter.fillRect(box, color(palette.GROUP))
        elif item.kind is PlanRowKind.WRONG:
            painter.fillRect(box, color(palette.FAILED_GROUND))
        elif row == self.hover:
            painter.fillRect(box, color(palette.HOVER))
        elif item.kind in _PARTS and item.status in ("now", "fired"):
            painter.fillRect(box, color(palette.NEWEST))
        if item.kind is PlanRowKind.WRONG:
            self._paint_wrong(painter, item, inside)
            return
        painter.setFont(font(11, mono=item.kind is PlanRowKind.VALUE))
        painter.setPen(pen(_HUES.get(item.status, palette.DIM)))
        share = 1.0 - _FIELD_SHARE if item.kind in _INDENTS else 0.5
        cell = elided(painter, item.cell, inside.width() * share)
        if item.kind is PlanRowKind.FIELD:
            painter.setPen(pen(palette.TEXT))
            area = self._field_box(row, box)
            painter.fillRect(area.adjusted(-4, 2, 4, -2), color(palette.GROUND))
            painter.drawText(area, _MIDDLE, elided(painter, item.cell, area.width()))
            cell = ""
        painter.drawText(inside, _RIGHT, cell)
        taken = painter.fontMetrics().horizontalAdvance(cell) + 10.0 if cell else 0.0
        words = inside.adjusted(_INDENTS.get(item.kind, 0.0), 0, -taken, 0)
        self._paint_words(painter, item, words)
        if item.kind is PlanRowKind.RULE and item.part is not None and self.is_hooked(item.part):
            paint_hook_sign(painter, QPointF(box.left() + RADIUS, box.center().y()))
        if self._drop == row:
            painter.fillRect(QRectF(box.left(), box.top(), box.width(), 2), color(palette.ACCENT))

    def _paint_words(self, painter: QPainter, item: PlanRow, words: QRectF) -> None:
        is_heading = item.kind is PlanRowKind.HEADING
        painter.setFont(font(11 if is_heading or item.kind in _INDENTS else 12, bold=is_heading))
        sign = SIGNS.get(item.status, "")
        if item.kind in (*_PARTS, PlanRowKind.VALIDATION, PlanRowKind.PRECONDITION):
            painter.setPen(pen(_HUES.get(item.status, palette.DIM)))
            painter.drawText(words, _MIDDLE, sign)
            words = words.adjusted(_SIGN, 0, 0, 0)
        faint = is_heading or item.kind in _INDENTS or item.status in ("waiting", "skipped")
        painter.setPen(pen(palette.DIM if faint else palette.TEXT))
        painter.drawText(words, _MIDDLE, elided(painter, item.title, words.width()))

    def _paint_wrong(self, painter: QPainter, item: PlanRow, inside: QRectF) -> None:
        painter.setFont(font(12))
        painter.setPen(pen(palette.FAILED))
        painter.drawText(inside.adjusted(0, 3, 0, 0), SIGNS["failed"])
        painter.setPen(pen(palette.FAILED_TEXT))
        wrap = _MIDDLE | Qt.TextFlag.TextWordWrap
        painter.drawText(inside.adjusted(_SIGN, 0, 0, 0), wrap, item.title)

    def _field_box(self, row: int, box: QRectF) -> QRectF:
        left = box.left() + max(110.0, box.width() * _FIELD_SHARE)
        return QRectF(left, box.top(), max(40.0, box.right() - _LEFT - left), box.height())

    # --- what is pressed ------------------------------------------------------------------------

    def clicked(self, row: int, at: QPointF, *, twice: bool) -> None:
        item = self._rows[row]
        if item.kind in _PARTS and self.editing.document is not None:
            if twice:
                self._go(item)
            return  # a single one is known when the mouse is let go: it may be a drag
        if not twice:
            self.activated(row)

    def activated(self, row: int) -> None:
        item = self._rows[row]
        if item.kind is PlanRowKind.FIELD and item.part is not None:
            self.edit_field(item.part, item.field)
        elif item.frame:
            self.store.jump(item.frame)
        elif item.kind in _PARTS and item.part is not None and self.editing.document is not None:
            self.editing.toggle(item.part)
        elif item.part is not None:
            self._go(item)

    def _go(self, item: PlanRow) -> None:
        """Go to where a node begins or a rule fires."""
        assert item.part is not None
        kind, index = item.part
        if kind == NODES:
            self.controller.go_to_node(index)
            return
        title = item.title
        if item.kind is not PlanRowKind.RULE:
            title = self._rows[self.row_of(item.part)].title
        self.controller.go_to_rule(title)

    def mousePressEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        super().mousePressEvent(event)
        row = self.row_at(event.position().y())
        item = self._rows[row] if row >= 0 else None
        left = event.button() == Qt.MouseButton.LeftButton
        if item is not None and left and item.kind in _PARTS and self.editing.document is not None:
            self._pressed = item, event.position().y()

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        if self._pressed is None:
            super().mouseMoveEvent(event)
            return
        item, y = self._pressed
        if self._drop is None and abs(event.position().y() - y) < _PULL:
            return
        row = self.row_at(event.position().y())
        over = self._rows[row] if row >= 0 else None
        part = over.part if over is not None else None
        if part is not None and item.part is not None and part[0] == item.part[0]:
            self._drop = self.row_of(part)
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        pressed, drop = self._pressed, self._drop
        self._pressed = self._drop = None
        if pressed is None:
            super().mouseReleaseEvent(event)
            return
        part = pressed[0].part
        if drop is None and part is not None:
            self.editing.toggle(part)
        elif drop is not None and part is not None:
            to = self._rows[drop].part
            if to is not None:
                self.editing.move(part, to[1])
        self.update()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:  # noqa: N802
        assert event is not None
        key = event.key()
        held = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        control = held == Qt.KeyboardModifier.ControlModifier
        part = self._part()
        moves = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        if control and key == Qt.Key.Key_Z:
            self.editing.undo_stack.undo()
        elif (control and key == Qt.Key.Key_Y) or (held == _REDO and key == Qt.Key.Key_Z):
            self.editing.undo_stack.redo()
        elif self.editing.document is None or part is None:
            super().keyPressEvent(event)
        elif key == Qt.Key.Key_Delete:
            self.editing.delete(part)
        elif key == Qt.Key.Key_Insert:
            self.editing.add(part[0], part[1], self._place_near())
        elif control and key in moves:
            to = part[1] + moves[Qt.Key(key)]
            self.editing.move(part, to)
            self.cursor_row = max(self.row_of((part[0], to)), self.cursor_row if to < 0 else -1)
        else:
            super().keyPressEvent(event)
        self.update()

    def _part(self) -> tuple[str, int] | None:
        """The node or rule that the cursor is in."""
        rows = self.rows
        return rows[self.cursor_row].part if 0 <= self.cursor_row < len(rows) else None

    def _place_near(self) -> tuple[float, float, float] | None:
        """Where the player is now, or begins: a new node is there."""
        record, snapshot = self.controller.record, self.store.snapshot
        if record is not None and snapshot is not None:
            seen = snapshot.objects.get(record.player)
            if seen is not None:
                x, y, z = seen.packet.position
                return float(x), float(y), float(z)
        return self.editing.vocabulary.position

    def add(self, kind: str) -> None:
        """A new node where the player is now, or a new rule, after the one that is chosen."""
        part = self._part() or self.editing.opened
        behind = part[1] if part is not None and part[0] == kind else -1
        self.editing.add(kind, behind, self._place_near())
        if self.editing.opened is not None:
            self.cursor_row = self.row_of(self.editing.opened)
            self.show_row(self.cursor_row)

    # --- a field that is typed ------------------------------------------------------------------

    def edit_field(self, part: tuple[str, int], field: str) -> None:
        """Have a field typed, with what may be given at hand."""
        row, known = self.row_of(part, field), self.editing.part(part)
        if row < 0 or known is None:
            return
        self.show_row(row)
        box = self._field_box(row, self.box_of(row)).adjusted(-6, 0, 2, 0)
        name = f"{field.replace('_', ' ')} of {known.title}"
        self._editor.begin(
            box, name, field_text(field, known.fields.get(field)),
            partial(self._take_typed, part, field), self.editing.choices(part, field),
        )  # fmt: skip

    def _take_typed(self, part: tuple[str, int], field: str, text: str) -> None:
        try:
            value = typed_value(field, text, self.editing.vocabulary.values)
        except PlanError as error:
            self.store.message.emit(str(error))
            return
        self.editing.set_field(part, field, value)

    def rule_location(self, part: tuple[str, int]) -> RuleLocation | None:
        """Where hooks on a rule of the recorded plan are set; None if it is none."""
        record = self.controller.record
        if part[0] != RULES or record is None or part[1] >= len(record.plan.rules):
            return None
        return RuleLocation(record.plan.rules[part[1]].title, MACHINE)

    def is_hooked(self, part: tuple[str, int]) -> bool:
        """Whether a hook that may act is on a rule of the recorded plan."""
        record, location = self.controller.record, self.rule_location(part)
        if not self.hooks.hooks or record is None or location is None:
            return False
        return self.hooks.is_hooked(record.player, location)

    def _questions(self, part: tuple[str, int]) -> list[MenuEntry]:
        """What is offered to be asked of a rule of the recorded plan, and to be set on it."""
        record, location = self.controller.record, self.rule_location(part)
        if record is None or location is None:
            return []
        questions = DecisionController.of(self.store)
        return [
            *questions.why_not(record.player, MACHINE, [location.name]),
            questions.again(record.player, MACHINE, self.store.frame),
            *self.hooks.menu(record.player, location),
        ]

    # --- in words, and as a menu ----------------------------------------------------------------

    def menu_entries(self, row: int) -> Sequence[MenuEntry]:
        item = self._rows[row] if 0 <= row < len(self._rows) else None
        offered: list[MenuEntry] = []
        if item is not None and item.part is not None:
            offered += self._offers_of(item, item.part)
            offered += self._questions(item.part)
        editing = self.editing
        if editing.document is not None:
            offered += [
                ("Add a node", partial(self.add, NODES)), ("Add a rule", partial(self.add, RULES)),
            ]  # fmt: skip
            stack = editing.undo_stack
            if stack.canUndo():
                offered.append((f"Undo: {stack.undoText()}", stack.undo))
            if stack.canRedo():
                offered.append((f"Redo: {stack.redoText()}", stack.redo))
        for what, words in (
            ("node", "node"),
            ("validation", "validation"),
            ("rule", "firing rule"),
        ):
            offered.append((f"Next {words}", partial(self.controller.go, what, 1)))
            offered.append((f"Previous {words}", partial(self.controller.go, what, -1)))
        return offered

    def _offers_of(self, item: PlanRow, part: tuple[str, int]) -> list[MenuEntry]:
        kind, index = part
        one = kind.removesuffix("s")
        words = "Go to where it begins" if kind == NODES else "Go to where it fires next"
        offered: list[MenuEntry] = [(words, partial(self._go, item))]
        if self.editing.document is None:
            return offered
        if kind == NODES:
            offered += [
                ("Run from here", partial(self.editing.run, index + 1)),
                ("Run all, show it from here", partial(self.editing.run, 1, index + 1)),
            ]  # fmt: skip
        return [
            *offered,
            (f"Delete the {one}", partial(self.editing.delete, part)),
            (f"Duplicate the {one}", partial(self.editing.duplicate, part)),
            (f"Move the {one} up", partial(self.editing.move, part, index - 1)),
            (f"Move the {one} down", partial(self.editing.move, part, index + 1)),
        ]

    def card(self, row: int, at: QPointF) -> Sequence[str]:
        return self._rows[row].card

    def text(self) -> str:
        return "\n".join(row.summary for row in self.rows) or self.empty_text


_REDO = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
