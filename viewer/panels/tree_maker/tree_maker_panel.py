"""The tree maker: a palette and the tree; edits are checked at once and run when wished."""

import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ...backends.playback_backend import LinkState
from ...state.panel_controller import PanelController
from ...state.viewer_store import ViewerStore
from ...toolkit import palette
from ...toolkit.menu_entries import MenuEntry
from ...toolkit.qt import (
    QDrag,
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QHBoxLayout,
    QInputDialog,
    QLabel,
    QMimeData,
    QMouseEvent,
    QPainter,
    QPointF,
    QRectF,
    Qt,
    QVBoxLayout,
    QWidget,
)
from ...toolkit.text_button import text_button
from ...toolkit.text_painting import elided
from ...toolkit.theme import color, font, pen
from ...widgets.lists.interactive_list import TextList
from .tree_maker_model import (
    NAME,
    MadeTree,
    PaletteItem,
    TreeMakerRow,
    TreeOutlineNode,
    lines_of,
    made_tree_of,
    moved,
    palette_of,
    put,
    removed,
)

MIME = "application/x-playhead-tree-item"
_MIDDLE = Qt.AlignmentFlag.AlignVCenter
_RIGHT = _MIDDLE | Qt.AlignmentFlag.AlignRight
_HIGH = 24
_INDENT = 16.0
_FAR = 8.0
"""Pixels that the mouse goes before it drags."""
_KIND_COLORS = {
    "action": palette.OK, "trigger": palette.SERIES[1], "node": palette.ACCENT,
}  # fmt: skip


_FIELD_HELP = {
    "when": " (an expression, such as health < 30)", "operations": " (names, with , between them)",
    "write": " (key = value, with ; between them)", "goal": " (a place, or a key with one)",
    "python": " (FILE:FUNCTION)", "reachable": " (a place, or a key with one)",
}  # fmt: skip
"""What is typed into a field of an action or a trigger."""


class TreeMakerController(PanelController):
    """What the panel knows of the tree that is made in the game that is viewed."""

    nothing_there = "No tree is made here"

    def __init__(self, store: ViewerStore) -> None:
        super().__init__(
            store, NAME, "viewer, tree maker", "no tree can be made in it", made_tree_of
        )
        self.tree: MadeTree | None = None

    def look(self) -> None:
        """Connect to the game, if it runs and that was not done yet."""
        if self.store.backend_state.link is LinkState.CONNECTED:
            self._connected()

    def command(self, command: dict[str, Any] | None) -> None:
        """Have something done; None, for what makes no sense, does nothing."""
        if command is not None:
            super().command(command)

    def _set_state(self, state: MadeTree) -> None:
        self.tree = state


class _DragList(TextList):
    """A list whose rows can be dragged."""

    def __init__(self, name: str, store: ViewerStore, controller: TreeMakerController) -> None:
        super().__init__(name, store)
        self.controller = controller
        self._pressed: tuple[int, QPointF] | None = None
        self.drag: Callable[[QMimeData], object] = self._start_drag
        controller.changed.connect(self._invalidate)

    def carried(self, row: int) -> dict[str, Any] | None:
        """What the mouse carries away from a row; None if it stays."""
        raise NotImplementedError

    def mousePressEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        super().mousePressEvent(event)
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed = self.row_at(event.position().y()), event.position()

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        super().mouseMoveEvent(event)
        if self._pressed is None or not event.buttons() & Qt.MouseButton.LeftButton:
            return
        row, start = self._pressed
        if (event.position() - start).manhattanLength() < _FAR or row < 0:
            return
        self._pressed = None
        carried = self.carried(row)
        if carried is not None:
            self.drag(data_of(carried))

    def _start_drag(self, data: QMimeData) -> None:
        drag = QDrag(self)
        drag.setMimeData(data)
        drag.exec()


class PaletteList(_DragList):
    """What a tree can be made of: drag it into the tree; Enter puts it below the chosen node."""

    empty_text = ""

    def __init__(
        self, store: ViewerStore, controller: TreeMakerController, tree: "TreeList"
    ) -> None:
        super().__init__("Palette", store, controller)
        self._tree = tree
        self._items: list[PaletteItem] = []

    @property
    def items(self) -> list[PaletteItem]:
        """What is listed."""
        self.rebuild_if_stale()
        return self._items

    def build_rows(self) -> bool:
        before, tree = self._items, self.controller.tree
        self._items = [] if tree is None else palette_of(tree)
        return before != self._items

    def heights(self) -> Sequence[int]:
        return [_HIGH] * len(self._items)

    def accepts_cursor(self, row: int) -> bool:
        return bool(self._items[row].kind)

    def carried(self, row: int) -> dict[str, Any] | None:
        item = self._items[row]
        return {"item": item.name} if item.kind else None

    def activated(self, row: int) -> None:
        self._tree.put_below_chosen(self._items[row].name)

    def clicked(self, row: int, at: QPointF, *, twice: bool) -> None:
        if twice and self.accepts_cursor(row):
            self.activated(row)

    def paint_row(self, painter: QPainter, row: int, box: QRectF) -> None:
        item = self._items[row]
        if not item.kind:
            painter.fillRect(box, color(palette.GROUP))
        elif row == self.hover:
            painter.fillRect(box, color(palette.HOVER))
        painter.setFont(font(12 if item.kind else 11, bold=not item.kind))
        painter.setPen(pen(_KIND_COLORS.get(item.kind, palette.DIM)))
        inside = box.adjusted(10, 0, -8, 0)
        painter.drawText(inside, _MIDDLE, elided(painter, item.name, inside.width()))

    def card(self, row: int, at: QPointF) -> Sequence[str]:
        item = self._items[row]
        return (item.name, f"{item.kind}: drag it into the tree") if item.kind else ()

    def text(self) -> str:
        return "\n".join(item.name for item in self.items)


class TreeList(_DragList):
    """The tree from its root down, and below it all that is wrong."""

    empty_text = "No tree is made here"
    empty_hint = "playhead run GAME --tree WORKSPACE"

    def __init__(self, store: ViewerStore, controller: TreeMakerController) -> None:
        super().__init__("Tree maker", store, controller)
        self._lines: list[TreeMakerRow] = []
        self._target: tuple[int, float] | None = None
        """The row that something is dragged over, and how far down it."""
        self.setAcceptDrops(True)

    @property
    def lines(self) -> list[TreeMakerRow]:
        """What is listed."""
        self.rebuild_if_stale()
        return self._lines

    def build_rows(self) -> bool:
        before, tree = self._lines, self.controller.tree
        self._lines = [] if tree is None else lines_of(tree, self.controller.error_text)
        return before != self._lines

    def heights(self) -> Sequence[int]:
        return [_HIGH] * len(self._lines)

    def put_below_chosen(self, item: str) -> None:
        """Put something below the node of the cursor, or after it if that is a leaf."""
        tree = self.controller.tree
        if tree is not None:
            row = self.cursor_row if 0 <= self.cursor_row < len(tree.rows) else 0
            inner = tree.rows[row].kind not in ("action", "trigger") if tree.rows else True
            self.controller.command(put(tree, item, row, 0.5 if inner else 1.0))

    def rename(self, node: TreeOutlineNode, new: str) -> None:
        """Call a node otherwise."""
        if new and new != node.name:
            self.controller.command({"do": "rename", "name": node.name, "new": new})

    # --- dragging -------------------------------------------------------------------------------

    def carried(self, row: int) -> dict[str, Any] | None:
        node = self._lines[row].node
        return {"node": row} if node is not None and node.parent else None

    def dragEnterEvent(self, event: QDragEnterEvent | None) -> None:  # noqa: N802
        assert event is not None
        if carried_in(event.mimeData()) is not None:
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent | None) -> None:  # noqa: N802
        assert event is not None
        self._target = self._row_and_share(event.position())
        event.acceptProposedAction()
        self.update()

    def dragLeaveEvent(self, event: object) -> None:  # noqa: N802
        self._target = None
        self.update()

    def dropEvent(self, event: QDropEvent | None) -> None:  # noqa: N802
        assert event is not None
        self._target = None
        self.drop(carried_in(event.mimeData()), *self._row_and_share(event.position()))
        event.acceptProposedAction()
        self.update()

    def drop(self, carried: dict[str, Any] | None, row: int, share: float) -> None:
        """Put what was carried on a row, `share` of its height down."""
        tree = self.controller.tree
        if tree is None or carried is None:
            return
        item, node = carried.get("item"), carried.get("node")
        if isinstance(item, str):
            self.controller.command(put(tree, item, row, share))
        elif isinstance(node, int) and 0 <= node < len(tree.rows):
            self.controller.command(moved(tree, tree.rows[node], row, share))

    def _row_and_share(self, at: QPointF) -> tuple[int, float]:
        row = self.row_at(at.y())
        if row < 0:
            return -1, 0.0
        box = self.box_of(row)
        return row, (at.y() - box.top()) / box.height()

    # --- painting -------------------------------------------------------------------------------

    def paint_row(self, painter: QPainter, row: int, box: QRectF) -> None:
        line = self._lines[row]
        if row == self.hover:
            painter.fillRect(box, color(palette.HOVER))
        inside = box.adjusted(10, 0, -10, 0)
        if line.node is not None:
            inside.setLeft(inside.left() + _INDENT * line.node.depth)
            painter.setFont(font(11))
            painter.setPen(pen(palette.DIM))
            painter.drawText(inside, _RIGHT, elided(painter, line.detail, inside.width() * 0.45))
            inside.setRight(inside.right() - inside.width() * 0.45)
        painter.setFont(font(12))
        painter.setPen(pen(_hue(line)))
        painter.drawText(inside, _MIDDLE, elided(painter, line.title, inside.width()))

    def paint_over(self, painter: QPainter) -> None:
        if self._target is None or self._target[0] < 0:
            return
        row, share = self._target
        box = self.box_of(row)
        painter.setPen(pen(palette.ACCENT, 2.0))
        if 0.25 <= share <= 0.75:
            painter.drawRect(box.adjusted(2, 1, -2, -1))
        else:
            y = box.top() if share < 0.5 else box.bottom()
            painter.drawLine(QPointF(box.left() + 8, y), QPointF(box.right() - 8, y))

    # --- what can be done -----------------------------------------------------------------------

    def menu_entries(self, row: int) -> Sequence[MenuEntry]:
        command = self.controller.command
        offered: list[MenuEntry] = []
        node = self._lines[row].node if 0 <= row < len(self._lines) else None
        if node is not None and node.parent:
            offered.append((f"Take {node.name} away", partial(command, removed(node))))
        if node is not None and node.kind not in ("action", "trigger"):
            offered.append((f"Rename {node.name} …", partial(self._ask_name, node)))
        tree = self.controller.tree
        if node is not None and tree is not None:
            offered += [
                (f"Change its {field} …", partial(self._ask_field, node, field))
                for field in tree.fields.get(node.name, {})
            ]
        return [
            *offered,
            ("Undo", partial(command, {"do": "undo"})),
            ("Redo", partial(command, {"do": "redo"})),
        ]

    def keyPressEvent(self, event: Any) -> None:  # noqa: N802
        node = (
            self._lines[self.cursor_row].node if 0 <= self.cursor_row < len(self._lines) else None
        )
        if event.key() == Qt.Key.Key_Delete and node is not None:
            self.controller.command(removed(node))
        else:
            super().keyPressEvent(event)

    def activated(self, row: int) -> None:
        node = self._lines[row].node
        tree = self.controller.tree
        if node is None or tree is None:
            return
        fields = tree.fields.get(node.name, {})
        if node.kind not in ("action", "trigger"):
            self._ask_name(node)
        elif fields:
            self._ask_field(node, next((one for one in fields if fields[one]), next(iter(fields))))

    def set_field(self, node: TreeOutlineNode, field: str, text: str) -> None:
        """Give a field of an action or a trigger another value."""
        self.controller.command({
            "do": "set_field", "name": node.name, "field": field, "text": text,
        })  # fmt: skip

    def _ask_field(self, node: TreeOutlineNode, field: str) -> None:
        tree = self.controller.tree
        before = "" if tree is None else tree.fields.get(node.name, {}).get(field, "")
        help = _FIELD_HELP.get(field, "")
        text, given = QInputDialog.getText(self, node.name, f"{field}{help}", text=before)
        if given and text != before:
            self.set_field(node, field, text)

    def _ask_name(self, node: TreeOutlineNode) -> None:
        new, given = QInputDialog.getText(self, "Rename", "Name", text=node.name)
        if given:
            self.rename(node, new.strip())

    # --- in words -------------------------------------------------------------------------------

    def card(self, row: int, at: QPointF) -> Sequence[str]:
        line = self._lines[row]
        return (line.title, line.detail, *line.about) if line.detail else (line.title,)

    def text(self) -> str:
        return (
            "\n".join(
                f"{'  ' * (line.node.depth if line.node else 0)}{line.title}" for line in self.lines
            )
            or self.empty_text
        )


class TreeMakerPanel(QWidget):
    """The palette beside the tree, with buttons above."""

    def __init__(self, store: ViewerStore) -> None:
        super().__init__()
        self.controller = TreeMakerController(store)
        self.tree = TreeList(store, self.controller)
        self.palette_list = PaletteList(store, self.controller, self.tree)
        self.setFocusProxy(self.tree)
        command = self.controller.command
        self.run = text_button("Run", "Save the tree, and let the agent go on by it")
        self.run.clicked.connect(lambda: command({"do": "save"}))
        self.stop = text_button("Stop", "Stop the tree from driving the character")
        self.stop.clicked.connect(lambda: command({"do": "stop"}))
        self.undo = text_button("Undo", "Take the newest edit back")
        self.undo.clicked.connect(lambda: command({"do": "undo"}))
        self.redo = text_button("Redo", "Do again what was taken back")
        self.redo.clicked.connect(lambda: command({"do": "redo"}))
        buttons = QHBoxLayout()
        buttons.setSpacing(4)
        for button in (self.run, self.stop, self.undo, self.redo):
            buttons.addWidget(button)
        buttons.addStretch(1)
        self.problems = QLabel("")
        buttons.addWidget(self.problems)
        lists = QHBoxLayout()
        lists.setSpacing(6)
        lists.addWidget(self.palette_list, 2)
        lists.addWidget(self.tree, 5)
        inside = QVBoxLayout(self)
        inside.setContentsMargins(6, 6, 6, 2)
        inside.setSpacing(6)
        inside.addLayout(buttons)
        inside.addLayout(lists, 1)
        for signal in (store.history_grew, store.status_changed):
            signal.connect(self._look)
        self.controller.changed.connect(self._show)
        self._show()

    def showEvent(self, event: Any) -> None:  # noqa: N802
        super().showEvent(event)
        self.controller.look()

    def _look(self) -> None:
        if self.isVisible():
            self.controller.look()

    def _show(self) -> None:
        tree = self.controller.tree
        self.run.setEnabled(tree is not None and tree.is_sound)
        self.run.setText("Run •" if tree is not None and tree.unsaved else "Run")
        self.stop.setEnabled(tree is not None and bool(tree.driving))
        self.undo.setEnabled(tree is not None and tree.can_undo)
        self.redo.setEnabled(tree is not None and tree.can_redo)
        count = 0 if tree is None else len(tree.problems) + len(tree.failures)
        self.problems.setText(f"{count} problem{'s' if count > 1 else ''}" if count else "")


def data_of(carried: dict[str, Any]) -> QMimeData:
    """What the mouse carries."""
    data = QMimeData()
    data.setData(MIME, json.dumps(carried).encode())
    return data


def carried_in(data: QMimeData | None) -> dict[str, Any] | None:
    """What is carried; None if it is something else."""
    if data is None or not data.hasFormat(MIME):
        return None
    try:
        carried = json.loads(data.data(MIME).data())
    except ValueError:
        return None
    return carried if isinstance(carried, dict) else None


def _hue(line: TreeMakerRow) -> str:
    if line.status == "wrong":
        return palette.FAILED
    if line.status == "warning":
        return palette.WARNING
    if line.node is not None:
        return _KIND_COLORS.get(line.node.kind, palette.TEXT)
    return palette.TEXT
