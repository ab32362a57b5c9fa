"""The arena panel: places things, gives targets, and sets how likely blocks are."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ...state.viewer_store import ViewerStore
from ...toolkit import palette
from ...toolkit.menu_entries import MenuEntry
from ...toolkit.qt import (
    QFontMetricsF,
    QKeyEvent,
    QMenu,
    QMouseEvent,
    QPainter,
    QPointF,
    QRectF,
    Qt,
)
from ...toolkit.text_painting import elided, wrapped_height
from ...toolkit.theme import color, font, pen
from ...widgets.lists.interactive_list import TextList
from .arena_control_rows import (
    ArenaCell,
    ArenaRow,
    ArenaRowKind,
    Probability,
    menu_entries_of,
    rows_of,
)
from .arena_placement_model import PlacementTool, odds_order
from .arena_tool_state import ArenaToolState
from .probability_editor import ProbabilityEditor

_CENTRE = Qt.AlignmentFlag.AlignCenter
_MIDDLE = Qt.AlignmentFlag.AlignVCenter
_HEIGHTS = {
    ArenaRowKind.HEADING: 26,
    ArenaRowKind.TEXT: 22,
    ArenaRowKind.ERROR: 22,
    ArenaRowKind.CHIPS: 28,
    ArenaRowKind.ODDS: 24,
}
_LEFT, _LABEL, _LOCK, _GAP = 10.0, 84.0, 30.0, 5.0


class ArenaPanel(TextList):
    """Chips choose what a click into the world places, and give targets.

    Bars are probabilities, which are dragged with the mouse or typed after a double click; a lock
    keeps one as it is. Until a mode is chosen the panel is the start screen, whose chips choose
    the mode. Up and Down move from cell to cell, Enter presses one.
    """

    def __init__(self, store: ViewerStore) -> None:
        super().__init__("Arena", store)
        self.orders = ArenaToolState.of(store)
        self._rows: list[ArenaRow] = []
        self._cursor = (-1, -1)
        """The row and cell that keys act on."""
        self._drag: Probability | None = None
        """The probability that the mouse is dragging, with the value at the mouse."""
        self._is_start_screen = False
        self._was_pressed = True
        """False from when the start screen disappears until the mouse is pressed."""
        self._editor = ProbabilityEditor(self)
        self.orders.changed.connect(self.rebuild)
        store.status_changed.connect(self._invalidate)

    @property
    def rows(self) -> list[ArenaRow]:
        """The rows of the panel."""
        self.rebuild_if_stale()
        return self._rows

    # --- the rows -------------------------------------------------------------------------------

    def build_rows(self) -> bool:
        orders, state = self.orders, self.orders.state
        before = self._rows
        self.empty_text = orders.blocked
        self._rows = [] if state is None else rows_of(
            state, orders.tool, orders.error_text, orders.blocked
        )  # fmt: skip
        is_start_screen = any(row.is_start_screen for row in self._rows)
        if is_start_screen is not self._is_start_screen:
            # All cells are other ones now: end what was begun on those before.
            self._is_start_screen = self._was_pressed = is_start_screen
            self._cursor, self._drag = (-1, -1), None
            self._editor.hide()
        if self._cell(self._cursor) is None:
            self._cursor = (-1, -1)
        return before != self._rows

    def heights(self) -> Sequence[int]:
        return [self._height(row) for row in self._rows]

    def _height(self, row: ArenaRow) -> int:
        if row.kind not in (ArenaRowKind.TEXT, ArenaRowKind.ERROR):
            return _HEIGHTS[row.kind]
        return max(_HEIGHTS[row.kind], wrapped_height(row.title, self.width() - 2 * _LEFT) + 7)

    def accepts_cursor(self, row: int) -> bool:
        return False  # keys move from cell to cell, not from row to row

    # --- the cells ------------------------------------------------------------------------------

    def cell_boxes(self, row: int) -> list[QRectF]:
        """The rectangles of the cells of a row, scrolled as the list is now."""
        item, box = self._rows[row], self.box_of(row)
        inside = box.adjusted(_LEFT, 3, -_LEFT, -3)
        if item.kind is ArenaRowKind.ODDS:
            bar = QRectF(inside.left() + 20, inside.top(), inside.width() - 24 - _LOCK, 18)
            return [bar, QRectF(bar.right() + 4, inside.top(), _LOCK, 18)]
        if item.kind is not ArenaRowKind.CHIPS:
            return []
        left = inside.left() + (_LABEL if item.title else 0.0)
        metrics = QFontMetricsF(font(11))
        widths = [metrics.horizontalAdvance(cell.text) + 18 for cell in item.cells]
        room = inside.right() - left - _GAP * (len(widths) - 1)
        scale = min(1.0, room / sum(widths))
        boxes = []
        for width in widths:
            boxes.append(QRectF(left, inside.top(), width * scale, inside.height()))
            left += width * scale + _GAP
        return boxes

    def _cell(self, at: tuple[int, int]) -> ArenaCell | None:
        row, index = at
        if 0 <= row < len(self._rows) and 0 <= index < len(self._rows[row].cells):
            return self._rows[row].cells[index]
        return None

    def _cell_at(self, at: QPointF) -> tuple[int, int]:
        """The row and the cell at a point; −1 for none."""
        row = self.row_at(at.y())
        boxes = self.cell_boxes(row) if 0 <= row < len(self._rows) else []
        return row, next((index for index, box in enumerate(boxes) if box.contains(at)), -1)

    # --- painting -------------------------------------------------------------------------------

    def paint_row(self, painter: QPainter, row: int, box: QRectF) -> None:
        item = self._rows[row]
        inside = box.adjusted(_LEFT, 0, -_LEFT, 0)
        painter.setFont(font(11 if item.kind is ArenaRowKind.HEADING else 12))
        if item.kind is ArenaRowKind.HEADING:
            painter.fillRect(box, color(palette.GROUP))
            painter.setFont(font(11, bold=True))
            painter.setPen(pen(palette.DIM))
            painter.drawText(inside, _MIDDLE, elided(painter, item.title, inside.width()))
        elif item.kind in (ArenaRowKind.TEXT, ArenaRowKind.ERROR):
            painter.setPen(pen(palette.FAILED if item.kind is ArenaRowKind.ERROR else palette.TEXT))
            painter.drawText(inside, _MIDDLE | Qt.TextFlag.TextWordWrap, item.title)
        elif item.kind is ArenaRowKind.CHIPS:
            painter.setPen(pen(palette.DIM))
            painter.drawText(inside, _MIDDLE, item.title)
            for cell, cell_box in zip(item.cells, self.cell_boxes(row), strict=True):
                self._paint_chip(painter, cell, cell_box)
        else:
            self._paint_odds(painter, item, *self.cell_boxes(row))
        if self.hasFocus() and self._cursor[0] == row:
            painter.setPen(pen(palette.ACCENT))
            painter.drawRect(self.cell_boxes(row)[self._cursor[1]].adjusted(-1, -1, 1, 1))

    def _paint_chip(self, painter: QPainter, cell: ArenaCell, box: QRectF) -> None:
        is_hovered = box.contains(self.mouse) and self.underMouse()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(pen(palette.CHOSEN_OUTLINE if cell.on else palette.EDGE))
        painter.setBrush(
            color(palette.CHOSEN if cell.on else palette.RAISED if is_hovered else palette.PANEL)
        )
        painter.drawRoundedRect(box, 4, 4)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        painter.setFont(font(11))
        painter.setPen(pen(palette.CHOSEN_TEXT if cell.on else palette.TEXT))
        painter.drawText(box, _CENTRE, elided(painter, cell.text, box.width() - 6))

    def _paint_odds(self, painter: QPainter, item: ArenaRow, bar: QRectF, lock: QRectF) -> None:
        probability = item.cells[0].action
        assert isinstance(probability, Probability)
        painter.setPen(pen(palette.DIM))
        number = QRectF(_LEFT, bar.top(), 18, bar.height())
        painter.drawText(number, _MIDDLE, str(probability.difficulty))
        painter.fillRect(bar, color(palette.GROUND))
        filled = QRectF(bar.left(), bar.top(), bar.width() * probability.value, bar.height())
        painter.fillRect(
            filled, color(palette.BAR_LOCKED if probability.locked else palette.BAR_CHOSEN)
        )
        drag = self._drag
        if drag is not None and drag[:2] == probability[:2]:
            x = bar.left() + bar.width() * drag.value
            painter.fillRect(QRectF(x - 1, bar.top(), 2, bar.height()), color(palette.ACCENT))
        painter.setFont(font(11, mono=True))
        painter.setPen(pen(palette.TEXT))
        painter.drawText(bar.adjusted(0, 0, -6, 0), _MIDDLE | Qt.AlignmentFlag.AlignRight,
                         f"{probability.value:.3f}")  # fmt: skip
        _paint_lock(painter, lock.center(), is_locked=probability.locked)

    # --- mouse and keys -------------------------------------------------------------------------

    def _press(self, at: tuple[int, int]) -> None:
        cell = self._cell(at)
        if cell is None:
            return
        if isinstance(cell.action, Probability):
            self._begin_typing(at, cell.action)
        elif isinstance(cell.action, PlacementTool):
            self.orders.choose(None if cell.on else cell.action)
        else:
            self.orders.order(cell.action)

    def mousePressEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        self._was_pressed = True
        at = self._cell_at(event.position())
        cell = self._cell(at)
        if cell is None or event.button() != Qt.MouseButton.LeftButton:
            super().mousePressEvent(event)
            return
        self._cursor = at
        if isinstance(cell.action, Probability):
            self._drag = cell.action
        else:
            self._press(at)
        self.update()

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        if self._drag is not None:
            self._drag_to(event.position())
        else:
            super().mouseMoveEvent(event)
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        self._drag = None
        super().mouseReleaseEvent(event)
        self.update()

    def mouseDoubleClickEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        self._drag = None
        at = self._cell_at(event.position())
        cell = self._cell(at)
        # The first click of a double click may have chosen the mode: the second one must not press
        # what has appeared under the mouse.
        if cell is not None and not cell.chooses and self._was_pressed:
            self._press(at)

    def _drag_to(self, to: QPointF) -> None:
        """Change the dragged probability to the value at a point, in hundredths."""
        assert self._drag is not None
        bar = self.cell_boxes(self._cursor[0])[0]
        value = round(min(1.0, max(0.0, (to.x() - bar.left()) / bar.width())), 2)
        if value != self._drag.value:
            self._drag = self._drag._replace(value=value)
            self.orders.order(odds_order(self._drag.target, self._drag.difficulty, value))
        self.update()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:  # noqa: N802
        assert event is not None
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._move_to_cell(1 if event.key() == Qt.Key.Key_Down else -1)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._press(self._cursor)
        else:
            super().keyPressEvent(event)

    def _move_to_cell(self, by: int) -> None:
        """Move to the next cell, or to the one before."""
        cells = [
            (row, index) for row, item in enumerate(self.rows) for index in range(len(item.cells))
        ]
        if not cells:
            return
        if self._cursor in cells:
            position = min(max(cells.index(self._cursor) + by, 0), len(cells) - 1)
        else:
            position = 0 if by > 0 else len(cells) - 1
        self._cursor = cells[position]
        self.show_row(self._cursor[0])
        cell = self._cell(self._cursor)
        self.setAccessibleDescription(cell.help if cell is not None else "")
        self.update()

    # --- typing a probability -------------------------------------------------------------------

    def _begin_typing(self, at: tuple[int, int], probability: Probability) -> None:
        self._cursor = at
        self._editor.begin(
            self.cell_boxes(at[0])[0].adjusted(0, -3, 0, 3),
            f"Probability of {probability.target} difficulty {probability.difficulty}",
            f"{probability.value:.3f}",
            partial(self._take_typed, probability),
        )

    def _take_typed(self, probability: Probability, text: str) -> None:
        text = text.replace(",", ".")
        try:
            value = float(text[:-1]) / 100 if text.endswith("%") else float(text)
        except ValueError:
            self.orders.refuse(f"{text!r} is no probability: type 0 to 1, or a percentage")
            return
        self.orders.order(odds_order(probability.target, probability.difficulty, value))

    # --- texts and menus ------------------------------------------------------------------------

    def card(self, row: int, at: QPointF) -> Sequence[str]:
        cell = self._cell(self._cell_at(self.mouse))
        return () if cell is None else (cell.help,)

    def text(self) -> str:
        return "\n".join(row.summary for row in self.rows) or self.empty_text

    def menu(self, row: int) -> QMenu:
        menu = super().menu(row)
        first = menu.actions()[0] if menu.actions() else None
        submenu = self.placing_menu()
        submenu.setParent(menu, submenu.windowFlags())
        menu.insertMenu(first, submenu)
        return menu

    def menu_entries(self, row: int) -> Sequence[MenuEntry]:
        return ()

    def placing_menu(self) -> QMenu:
        """The menu of all that can be placed and ordered."""
        orders, menu = self.orders, QMenu("Place and order", self)
        state = orders.state
        reason = orders.blocked or (state.unordered if state is not None else "")
        if reason or state is None:
            action = menu.addAction(reason)
            assert action is not None
            action.setEnabled(False)
            return menu
        menus: dict[str, QMenu] = {"": menu}
        for label, run in menu_entries_of(state, orders.choose, orders.order):
            path, _, name = label.rpartition("|")
            _add_action(_submenu(menus, path), name, run)
        if orders.tool is not None:
            menu.addSeparator()
            _add_action(menu, f"Put away: {orders.tool.title}", partial(orders.choose, None))
        return menu

    def open_menu(self) -> None:
        """Open the placing menu in the middle of the panel."""
        self.placing_menu().exec(self.mapToGlobal(self.rect().center()))


def _submenu(menus: dict[str, QMenu], path: str) -> QMenu:
    """The menu at a path of names with bars between them, created where it is missing."""
    if path not in menus:
        parent_path, _, name = path.rpartition("|")
        parent = _submenu(menus, parent_path)
        menus[path] = QMenu(name, parent)
        parent.addMenu(menus[path])
    return menus[path]


def _add_action(menu: QMenu, label: str, run: Callable[[], Any]) -> None:
    action = menu.addAction(label)
    assert action is not None
    action.triggered.connect(lambda _: run())


def _paint_lock(painter: QPainter, at: QPointF, *, is_locked: bool) -> None:
    """Paint a padlock: not every font has its sign."""
    hue = palette.RUNNING if is_locked else palette.FAINT
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(pen(hue, 1.5))
    left = at.x() - (3.5 if is_locked else 7.5)
    painter.drawArc(QRectF(left, at.y() - 7.5, 7, 10), 0, 180 * 16)
    painter.fillRect(QRectF(at.x() - 5.5, at.y() - 2, 11, 8), color(hue))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
