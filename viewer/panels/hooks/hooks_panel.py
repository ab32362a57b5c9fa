"""The hooks panel: breakpoints, traces and replaced results, and the edits of this pause."""

from collections.abc import Hashable, Sequence
from functools import partial

from ...state.hook_controller import HookController
from ...state.viewer_store import ViewerStore
from ...toolkit import palette
from ...toolkit.menu_entries import MenuEntry
from ...toolkit.qt import QKeyEvent, QPainter, QPointF, QRectF, QShowEvent, Qt
from ...toolkit.text_painting import elided, one_line
from ...toolkit.theme import color, font, pen
from ...widgets.lists.interactive_list import TextList
from .hook_rows import HookRow, hook_rows

_MIDDLE = Qt.AlignmentFlag.AlignVCenter
_SIGN = 28
_COLORS = {
    "armed": palette.FAILED, "waiting": palette.RUNNING, "wrong": palette.FAILED,
    "disabled": palette.FAINT, "done": palette.FAINT, "edit": palette.RUNNING,
}  # fmt: skip


class HooksPanel(TextList):
    """A click on a sign switches the hook, one on a row goes to where it acted last; Delete removes
    it. Ctrl+Z and Ctrl+Y take edits back and make them again."""

    empty_hint = "session.hooks.break_at(guard, node=…)  ·  playhead ctl … hook break"

    def __init__(self, store: ViewerStore) -> None:
        super().__init__("Hooks", store)
        self.controller = HookController.of(store)
        self._rows: list[HookRow] = []
        self.controller.changed.connect(self.rebuild)

    def showEvent(self, event: QShowEvent | None) -> None:  # noqa: N802
        super().showEvent(event)
        self.controller.connection.watch()  # a game whose hooks are not shown is left alone

    @property
    def rows(self) -> list[HookRow]:
        """What is listed."""
        self.rebuild_if_stale()
        return self._rows

    def build_rows(self) -> bool:
        before, controller, snapshot = self._rows, self.controller, self.store.snapshot
        ids = {one.hook.object for one in controller.hooks}
        ids |= {one.object for one in controller.edits}
        names = {} if snapshot is None else {id: snapshot.name_of(id) for id in ids if id}
        self._rows = hook_rows(controller.hooks, controller.edits, names)
        self.empty_text = (
            "No hook is set: right click on a node, a transition, a rule or a field"
            if controller.connection.is_live
            else "Hooks act in a running game; of a recording menus tell how often something was"
        )
        return before != self._rows or not self._rows

    def heights(self) -> Sequence[int]:
        self.rebuild_if_stale()
        return [24 if row.state == "heading" else 38 for row in self._rows]

    def cache_key(self, row: int) -> Hashable:
        one = self._rows[row]
        return one.sign, one.text, one.note, one.state

    def paint_row(self, painter: QPainter, row: int, box: QRectF) -> None:
        one = self._rows[row]
        if one.state == "heading":
            painter.fillRect(box, color(palette.GROUP))
            painter.setFont(font(11, bold=True))
            painter.setPen(pen(palette.DIM))
            painter.drawText(box.adjusted(12, 0, 0, 0), _MIDDLE, one.text)
            return
        dim = one.state in ("disabled", "done")
        painter.setFont(font(14))
        painter.setPen(pen(_COLORS.get(one.state, palette.TEXT)))
        painter.drawText(box.adjusted(10, 0, 0, 0), _MIDDLE, one.sign)
        width = box.width() - _SIGN - 12
        upper = QRectF(box.left() + _SIGN, box.top() + 2, width, 18)
        lower = QRectF(box.left() + _SIGN, box.top() + 19, width, 16)
        painter.setFont(font(12))
        painter.setPen(pen(palette.FAINT if dim else palette.TEXT))
        painter.drawText(upper, _MIDDLE, elided(painter, one_line(one.text), width))
        painter.setFont(font(11))
        painter.setPen(pen(palette.FAILED if one.state == "wrong" else palette.DIM))
        painter.drawText(lower, _MIDDLE, elided(painter, one_line(one.note), width))

    # --- what one does with it ------------------------------------------------------------------

    def text(self) -> str:
        self.rebuild_if_stale()
        lines = [f"{one.sign} {one.text}   {one.note}".strip() for one in self._rows]
        return "\n".join(lines) or self.empty_text

    def card(self, row: int, at: QPointF) -> Sequence[str]:
        one = self._rows[row]
        if one.hook is None:
            return ()
        first = f"first in frame {one.hook.first}, last in {one.hook.last}"
        lines = [one.text, one.note, *([first] if one.hook.hits else [])]
        owner = one.hook.owner or "kept, or the game's own"
        return [*lines, f"hook {one.hook.id}, set by {owner}", "a click on its sign switches it"]

    def clicked(self, row: int, at: QPointF, *, twice: bool) -> None:
        one = self._rows[row]
        if one.hook is not None and at.x() < _SIGN:
            self.controller.switch(one.hook)
        elif one.frame:
            self.store.jump(one.frame)

    def activated(self, row: int) -> None:
        if self._rows[row].frame:
            self.store.jump(self._rows[row].frame)

    def menu_entries(self, row: int) -> Sequence[MenuEntry]:
        controller = self.controller
        entries: list[MenuEntry] = []
        hook = self._rows[row].hook if 0 <= row < len(self._rows) else None
        if hook is not None:
            label = "Disable" if hook.state in ("armed", "waiting") else "Enable"
            entries.append((label, partial(controller.switch, hook)))
            entries.append(("Remove", partial(controller.remove, hook)))
            entries.append(("Select whose it is", partial(self.store.select, hook.hook.object)))
        if controller.edits:
            entries.append(("Undo the newest edit", controller.undo))
        if controller.undone:
            entries.append(("Redo the edit", controller.redo))
        return entries

    def keyPressEvent(self, event: QKeyEvent | None) -> None:  # noqa: N802
        assert event is not None
        row = self.cursor_row
        hook = self._rows[row].hook if 0 <= row < len(self._rows) else None
        if event.key() == Qt.Key.Key_Delete and hook is not None:
            self.controller.remove(hook)
        elif not self.controller.takes_key(event):
            super().keyPressEvent(event)
