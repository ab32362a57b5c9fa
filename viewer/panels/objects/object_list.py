"""The list of objects: everything in the frame by type, with an eye for each."""

import re
from collections.abc import Hashable, Sequence
from typing import NamedTuple

from ...reader.frame_snapshot import FrameSnapshot
from ...state.shared_pins_and_histories import PanelContext
from ...state.viewer_store import ViewerStore
from ...toolkit import palette
from ...toolkit.menu_entries import MenuEntry
from ...toolkit.qt import QKeyEvent, QPainter, QPointF, QRectF, QResizeEvent, Qt
from ...toolkit.text_painting import elided
from ...toolkit.theme import color, font, pen
from ...widgets.lists.interactive_list import TextList
from ...widgets.lists.virtual_list import EqualHeights

_DIGITS = re.compile("([0-9]{1,18})")
_MIDDLE = Qt.AlignmentFlag.AlignVCenter


class ObjectListRow(NamedTuple):
    """A type, or an object of it."""

    title: str
    type: str
    object: int = 0
    note: str = ""
    color: str = palette.DIM


def number_order(name: str) -> list[tuple[int, int, str]]:
    """The key that sorts names as people count: `guard 2` before `guard 10`."""
    parts = _DIGITS.split(name)
    return [(0, int(part), "") if at % 2 else (1, 0, part) for at, part in enumerate(parts)]


class ObjectListView(TextList):
    """Types can be folded; a click on an object selects it, one on its eye hides it."""

    empty_text = "No objects in this frame"
    empty_hint = "handlers.register(…)  and  World.objects()"

    def __init__(self, store: ViewerStore) -> None:
        super().__init__("Objects", store)
        self.filter = ""
        self._rows: list[ObjectListRow] = []
        self._made_of: tuple[object, ...] = ()
        self._folded: set[str] = set()
        self._shown_selection = 0
        self._tracked: frozenset[int] = frozenset()

    @property
    def rows(self) -> list[ObjectListRow]:
        """What is listed."""
        self.rebuild_if_stale()
        return self._rows

    # --- what is listed -------------------------------------------------------------------------

    def build_rows(self) -> bool:
        snapshot = self.store.snapshot
        if snapshot is None:
            self._rows, self._made_of = [], ()
            return True
        history = self.store.history
        # Who decides in this very frame is known before all else is read.
        item = (*history.changes, *history.ticks, *snapshot.states, *snapshot.trees)
        self._tracked = frozenset(agent for agent, _ in item)
        words = tuple(self.filter.lower().split())
        there = tuple((group.type, tuple(group.ids)) for group in snapshot.objects.groups)
        names = tuple(snapshot.names.items())
        made_of = (there, names, words, frozenset(self._folded))
        if made_of != self._made_of:
            self._made_of = made_of
            self._rows = self._listed(snapshot, words)
            self.empty_text = "Nothing matches" if self.filter else ObjectListView.empty_text
        if self._shown_selection != self.store.selected:
            self._shown_selection = self.store.selected
            self._show_selected()
        # States change with nearly every frame, and are asked for while painting.
        return True

    def _listed(self, snapshot: FrameSnapshot, words: tuple[str, ...]) -> list[ObjectListRow]:
        objects = snapshot.objects
        members: dict[str, list[tuple[str, int]]] = {type: [] for type in objects.types}
        for group in objects.groups:
            for id in group.ids:
                name = objects.name_of(id)
                item = f"{name} {group.type} {id}".lower()
                if all(word in item for word in words):
                    members[group.type].append((name, id))
        rows: list[ObjectListRow] = []
        for type, found in members.items():
            if not found:
                continue
            rows.append(ObjectListRow(type, type, note=str(len(found))))
            if type not in self._folded or words:
                shade = palette.type_color(type, objects.types)
                found.sort(key=lambda one: (number_order(one[0]), one[1]))
                rows += [ObjectListRow(name, type, id, color=shade) for name, id in found]
        return rows

    def _show_selected(self) -> None:
        ids = [row.object for row in self._rows]
        if self.store.selected and self.store.selected in ids:
            self.show_row(ids.index(self.store.selected))

    def resizeEvent(self, event: QResizeEvent | None) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._show_selected()

    def heights(self) -> Sequence[int]:
        return EqualHeights(len(self._rows), 20)

    def is_tracked(self, object: int) -> bool:
        """Whether an object leaves traces: then it has lanes in the timeline."""
        return object in self._tracked

    def state_of(self, object: int) -> str:
        """The state that it is in now; empty if nothing says so."""
        return "" if self.store.snapshot is None else self.store.snapshot.state_of(object)

    # --- painting -------------------------------------------------------------------------------

    def cache_key(self, row: int) -> Hashable:
        item, store, hovered = self._rows[row], self.store, row == self.hover
        if not item.object:
            hidden = bool(store.hidden) and self._members(item.type) <= store.hidden
            return item, item.type in self._folded, hidden, hovered
        id = item.object
        return (
            item, self.state_of(id), id == store.selected, id in store.hidden,
            self.is_tracked(id), hovered,
        )  # fmt: skip

    def paint_row(self, painter: QPainter, row: int, box: QRectF) -> None:
        item = self._rows[row]
        if not item.object:
            self._paint_type(painter, row, item, box)
            return
        selected, hidden = item.object == self.store.selected, item.object in self.store.hidden
        if selected:
            painter.fillRect(box, color(palette.CHOSEN))
        elif row == self.hover:
            painter.fillRect(box, color(palette.HOVER))
        self._paint_dot(painter, item, QPointF(32, box.center().y()), hidden)
        right = 26 if hidden or row == self.hover else 10
        note, note_width = self.state_of(item.object), 0.0
        if note:
            painter.setFont(font(11))
            note_width = min(painter.fontMetrics().horizontalAdvance(note) + 8.0, box.width() / 2)
            painter.setPen(pen(palette.lighter(palette.state_color(note))))
            painter.drawText(
                box.adjusted(0, 0, -right, 0), _MIDDLE | Qt.AlignmentFlag.AlignRight,
                elided(painter, note, note_width),
            )  # fmt: skip
        painter.setFont(font(12))
        name = palette.SELECTED if selected else palette.FAINT if hidden else palette.TEXT
        painter.setPen(pen(name))
        words = box.adjusted(44, 0, -right - note_width - 4, 0)
        painter.drawText(words, _MIDDLE, elided(painter, item.title, words.width()))
        if hidden or row == self.hover:
            _paint_eye(painter, QPointF(box.right() - 15, box.center().y()), shut=hidden)

    def _paint_type(self, painter: QPainter, row: int, item: ObjectListRow, box: QRectF) -> None:
        painter.setFont(font(11, bold=True))
        painter.setPen(pen(palette.DIM))
        sign = "▸" if item.type in self._folded else "▾"
        name = elided(painter, f"{sign}  {item.title}", box.width() - 60)
        painter.drawText(box.adjusted(10, 0, 0, 0), _MIDDLE, name)
        after = 10 + painter.fontMetrics().horizontalAdvance(name) + 8
        painter.setPen(pen(palette.FAINT))
        painter.drawText(box.adjusted(after, 0, 0, 0), _MIDDLE, item.note)
        shut = self._members(item.type) <= self.store.hidden
        if shut or row == self.hover:
            _paint_eye(painter, QPointF(box.right() - 15, box.center().y()), shut=shut)

    def _paint_dot(self, painter: QPainter, item: ObjectListRow, at: QPointF, hidden: bool) -> None:
        """Full for an object that leaves traces, a ring for any other."""
        shade = palette.FAINT if hidden else item.color
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.is_tracked(item.object):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color(shade))
            painter.drawEllipse(at, 3.8, 3.8)
        else:
            painter.setPen(pen(shade, 1.3))
            painter.drawEllipse(at, 3.0, 3.0)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)

    # --- what can be done -----------------------------------------------------------------------

    def _members(self, type: str) -> frozenset[int]:
        snapshot = self.store.snapshot
        groups = () if snapshot is None else snapshot.objects.groups
        return frozenset(id for group in groups if group.type == type for id in group.ids)

    def switch_eye(self, row: int) -> None:
        """Hide an object, or a whole type, in this window, or show it again."""
        item, hidden = self._rows[row], self.store.hidden
        mine = frozenset((item.object,)) if item.object else self._members(item.type)
        self.store.hide(hidden - mine if mine <= hidden else hidden | mine)

    def clicked(self, row: int, at: QPointF, *, twice: bool) -> None:
        item = self._rows[row]
        if at.x() > self.width() - 26:
            self.switch_eye(row)
        elif item.object:
            self.store.select(item.object)
        else:
            self._folded ^= {item.type}
            self.rebuild()

    def activated(self, row: int) -> None:
        self.clicked(row, QPointF(), twice=False)

    def keyPressEvent(self, event: QKeyEvent | None) -> None:  # noqa: N802
        """Besides: Shift+Enter hides what the cursor is on, or shows it again."""
        assert event is not None
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if is_enter and shift and 0 <= self.cursor_row < len(self._rows):
            self.switch_eye(self.cursor_row)
        else:
            super().keyPressEvent(event)

    def menu_entries(self, row: int) -> Sequence[MenuEntry]:
        if not 0 <= row < len(self._rows):
            return ()
        item, store = self._rows[row], self.store
        mine = frozenset((item.object,)) if item.object else self._members(item.type)
        words = f"Show {item.title}" if mine <= store.hidden else f"Hide {item.title}"
        offered: list[MenuEntry] = [(words, lambda: self.switch_eye(row))]
        if store.hidden:
            offered.append(("Show everything", lambda: store.hide(frozenset())))
        if item.object:
            others = frozenset(store.snapshot.objects if store.snapshot is not None else ()) - mine
            offered.append(("Show nothing else", lambda: store.hide(others)))
            context = PanelContext.of(store)
            words = "Unpin" if item.object in context.pins.objects else "Pin"
            offered.append((f"{words} its lanes", lambda: context.pin(item.object)))
        return offered

    # --- in words -------------------------------------------------------------------------------

    def card(self, row: int, at: QPointF) -> Sequence[str]:
        item = self._rows[row]
        if at.x() > self.width() - 26:
            return (f"Show or hide {item.title} in this window",)
        if not item.object:
            return (f"{item.title}   {item.note}", "Click folds them, or opens them again")
        lines = [f"{item.title}   {item.type} · id {item.object}"]
        state = self.state_of(item.object)
        if state:
            lines.append(state)
        if self.is_tracked(item.object):
            lines.append("● leaves traces: it has lanes in the timeline")
        if item.object in self.store.hidden:
            lines.append("hidden in this window")
        return lines

    def text(self) -> str:
        lines = [self.empty_text] if not self.rows else []
        for row in self._rows:
            if row.object:
                state = self.state_of(row.object)
                lines.append(f"  {row.title}   id {row.object}   {state}".rstrip())
            else:
                lines.append(f"{row.title}   {row.note}")
        return "\n".join(lines)


def _paint_eye(painter: QPainter, at: QPointF, *, shut: bool) -> None:
    """An eye, drawn so that no font needs to have it."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(pen(palette.FAINT if shut else palette.DIM, 1.2))
    box = QRectF(at.x() - 6, at.y() - 6, 12, 12)
    painter.drawChord(box.adjusted(0, 2.5, 0, 2.5), 30 * 16, 120 * 16)
    painter.drawChord(box.adjusted(0, -2.5, 0, -2.5), 210 * 16, 120 * 16)
    if shut:
        painter.drawLine(QPointF(at.x() - 5, at.y() + 4.5), QPointF(at.x() + 5, at.y() - 4.5))
    else:
        painter.setBrush(color(palette.DIM))
        painter.drawEllipse(at, 1.6, 1.6)
        painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
