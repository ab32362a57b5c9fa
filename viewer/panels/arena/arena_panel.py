"""The arena panel: places things, orders the agents, and sets how likely blocks are."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ...state.viewer_store import ViewerStore
from ...toolkit import palette
from ...toolkit.menu_entries import MenuEntry
from ...toolkit.numpy_painting import elided
from ...toolkit.qt import (
    QEvent,
    QFontMetricsF,
    QKeyEvent,
    QLineEdit,
    QMenu,
    QMouseEvent,
    QObject,
    QPainter,
    QPointF,
    QRectF,
    Qt,
)
from ...toolkit.theme import color, font, pen
from ...widgets.text_list import TextList
from .arena_model import PlacementTool, odds_order
from .arena_orders import ArenaOrders
from .arena_rows import ArenaCell, ArenaRow, ArenaRowKind, Share, offered, rows_of

_CENTRE = Qt.AlignmentFlag.AlignCenter
_MIDDLE = Qt.AlignmentFlag.AlignVCenter
_HEIGHTS = {
    ArenaRowKind.HEADING: 26,
    ArenaRowKind.WORDS: 22,
    ArenaRowKind.WRONG: 22,
    ArenaRowKind.CHIPS: 28,
    ArenaRowKind.ODDS: 24,
}
_LEFT, _LABEL, _LOCK, _GAP = 10.0, 84.0, 30.0, 5.0
_STEP = 0.05
"""By how much Up and Down change a probability that is typed."""


class ArenaPanel(TextList):
    """Chips choose what a click into the world places, and give targets; bars are probabilities,
    dragged with the mouse or typed after a double click; a lock keeps one as it is.

    Until a mode is chosen it is the start screen: chips choose the mode.

    Up and Down go from field to field, Enter presses one.
    """

    def __init__(self, store: ViewerStore) -> None:
        super().__init__("Arena", store)
        self.orders = ArenaOrders.of(store)
        self._rows: list[ArenaRow] = []
        self._at = (-1, -1)
        """The row and field that keys act on."""
        self._drag: Share | None = None
        """The probability that the mouse is pulling at, with the value that it wants."""
        self._typed: Share | None = None
        """The one that is typed."""
        self._asks = False
        """Whether it is the start screen."""
        self._pressed = True
        """Whether the mouse was pressed since the start screen went away."""
        self._share_edit = QLineEdit(self)
        self._share_edit.hide()
        self._share_edit.installEventFilter(self)
        self._share_edit.editingFinished.connect(self._share_edit.hide)
        self.orders.changed.connect(self.rebuild)
        store.status_changed.connect(self._invalidate)

    @property
    def rows(self) -> list[ArenaRow]:
        """What is listed."""
        self.rebuild_if_stale()
        return self._rows

    # --- what is listed -------------------------------------------------------------------------

    def build_rows(self) -> bool:
        orders, state = self.orders, self.orders.state
        before = self._rows
        self.empty_text = orders.blocked
        self._rows = [] if state is None else rows_of(
            state, orders.tool, orders.error_text, orders.blocked
        )  # fmt: skip
        asks = any(row.asks for row in self._rows)
        if asks is not self._asks:
            # All fields are others now: nothing that was begun on those before goes on here.
            self._asks, self._at, self._drag, self._typed = asks, (-1, -1), None, None
            self._pressed = asks
            self._share_edit.hide()
        if self._cell(self._at) is None:
            self._at = (-1, -1)
        return before != self._rows

    def heights(self) -> Sequence[int]:
        return [self._height(row) for row in self._rows]

    def _height(self, row: ArenaRow) -> int:
        if row.kind not in (ArenaRowKind.WORDS, ArenaRowKind.WRONG):
            return _HEIGHTS[row.kind]
        box = QFontMetricsF(font(12)).boundingRect(
            QRectF(0, 0, max(60.0, self.width() - 2 * _LEFT), 1000),
            Qt.TextFlag.TextWordWrap, row.title,
        )  # fmt: skip
        return max(_HEIGHTS[row.kind], int(box.height()) + 7)

    def accepts_cursor(self, row: int) -> bool:
        return False  # fields are walked through, not rows

    # --- where fields are -----------------------------------------------------------------------

    def fields(self, row: int) -> list[QRectF]:
        """Where the fields of a row are, as it is scrolled now."""
        item, box = self._rows[row], self.box_of(row)
        inside = box.adjusted(_LEFT, 3, -_LEFT, -3)
        if item.kind is ArenaRowKind.ODDS:
            bar = QRectF(inside.left() + 20, inside.top(), inside.width() - 24 - _LOCK, 18)
            return [bar, QRectF(bar.right() + 4, inside.top(), _LOCK, 18)]
        if item.kind is not ArenaRowKind.CHIPS:
            return []
        left = inside.left() + (_LABEL if item.title else 0.0)
        metrics = QFontMetricsF(font(11))
        wanted = [metrics.horizontalAdvance(cell.words) + 18 for cell in item.cells]
        room = inside.right() - left - _GAP * (len(wanted) - 1)
        share = min(1.0, room / sum(wanted))
        places = []
        for wide in wanted:
            places.append(QRectF(left, inside.top(), wide * share, inside.height()))
            left += wide * share + _GAP
        return places

    def _cell(self, at: tuple[int, int]) -> ArenaCell | None:
        row, place = at
        if 0 <= row < len(self._rows) and 0 <= place < len(self._rows[row].cells):
            return self._rows[row].cells[place]
        return None

    def _under(self, at: QPointF) -> tuple[int, int]:
        """The row and field at a point; −1 for none."""
        row = self.row_at(at.y())
        places = self.fields(row) if 0 <= row < len(self._rows) else []
        return row, next((n for n, box in enumerate(places) if box.contains(at)), -1)

    # --- the picture ----------------------------------------------------------------------------

    def paint_row(self, painter: QPainter, row: int, box: QRectF) -> None:
        item = self._rows[row]
        inside = box.adjusted(_LEFT, 0, -_LEFT, 0)
        painter.setFont(font(11 if item.kind is ArenaRowKind.HEADING else 12))
        if item.kind is ArenaRowKind.HEADING:
            painter.fillRect(box, color(palette.GROUP))
            painter.setFont(font(11, bold=True))
            painter.setPen(pen(palette.DIM))
            painter.drawText(inside, _MIDDLE, elided(painter, item.title, inside.width()))
        elif item.kind in (ArenaRowKind.WORDS, ArenaRowKind.WRONG):
            painter.setPen(pen(palette.FAILED if item.kind is ArenaRowKind.WRONG else palette.TEXT))
            painter.drawText(inside, _MIDDLE | Qt.TextFlag.TextWordWrap, item.title)
        elif item.kind is ArenaRowKind.CHIPS:
            painter.setPen(pen(palette.DIM))
            painter.drawText(inside, _MIDDLE, item.title)
            for cell, place in zip(item.cells, self.fields(row), strict=True):
                self._paint_chip(painter, cell, place)
        else:
            self._paint_odds(painter, item, *self.fields(row))
        if self.hasFocus() and self._at[0] == row:
            painter.setPen(pen(palette.ACCENT))
            painter.drawRect(self.fields(row)[self._at[1]].adjusted(-1, -1, 1, 1))

    def _paint_chip(self, painter: QPainter, cell: ArenaCell, place: QRectF) -> None:
        hovered = place.contains(self.mouse) and self.underMouse()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(pen("#2f5a94" if cell.on else palette.EDGE))
        painter.setBrush(
            color(palette.CHOSEN if cell.on else palette.RAISED if hovered else palette.PANEL)
        )
        painter.drawRoundedRect(place, 4, 4)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        painter.setFont(font(11))
        painter.setPen(pen(palette.CHOSEN_TEXT if cell.on else palette.TEXT))
        painter.drawText(place, _CENTRE, elided(painter, cell.words, place.width() - 6))

    def _paint_odds(self, painter: QPainter, item: ArenaRow, bar: QRectF, lock: QRectF) -> None:
        share = item.cells[0].does
        assert isinstance(share, Share)
        painter.setPen(pen(palette.DIM))
        number = QRectF(_LEFT, bar.top(), 18, bar.height())
        painter.drawText(number, _MIDDLE, str(share.difficulty))
        painter.fillRect(bar, color(palette.GROUND))
        filled = QRectF(bar.left(), bar.top(), bar.width() * share.value, bar.height())
        painter.fillRect(filled, color(palette.BAR_LOCKED if share.locked else palette.BAR_CHOSEN))
        drag = self._drag
        if drag is not None and drag[:2] == share[:2]:
            x = bar.left() + bar.width() * drag.value
            painter.fillRect(QRectF(x - 1, bar.top(), 2, bar.height()), color(palette.ACCENT))
        painter.setFont(font(11, mono=True))
        painter.setPen(pen(palette.TEXT))
        painter.drawText(bar.adjusted(0, 0, -6, 0), _MIDDLE | Qt.AlignmentFlag.AlignRight,
                         f"{share.value:.3f}")  # fmt: skip
        _paint_lock(painter, lock.center(), shut=share.locked)

    # --- what is pressed ------------------------------------------------------------------------

    def _press(self, at: tuple[int, int]) -> None:
        cell = self._cell(at)
        if cell is None:
            return
        if isinstance(cell.does, Share):
            self._type(at, cell.does)
        elif isinstance(cell.does, PlacementTool):
            self.orders.choose(None if cell.on else cell.does)
        else:
            self.orders.order(cell.does)

    def mousePressEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        self._pressed = True
        at = self._under(event.position())
        cell = self._cell(at)
        if cell is None or event.button() != Qt.MouseButton.LeftButton:
            super().mousePressEvent(event)
            return
        self._at = at
        if isinstance(cell.does, Share):
            self._drag = cell.does
        else:
            self._press(at)
        self.update()

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        if self._drag is not None:
            self._pull(event.position())
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
        at = self._under(event.position())
        cell = self._cell(at)
        # Who clicks twice chooses once: what comes up meanwhile was not meant.
        if cell is not None and not cell.chooses and self._pressed:
            self._press(at)

    def _pull(self, to: QPointF) -> None:
        """The mouse pulls at a bar: have the value that it is at, in hundredths."""
        assert self._drag is not None
        bar = self.fields(self._at[0])[0]
        value = round(min(1.0, max(0.0, (to.x() - bar.left()) / bar.width())), 2)
        if value != self._drag.value:
            self._drag = self._drag._replace(value=value)
            self.orders.order(odds_order(self._drag.target, self._drag.difficulty, value))
        self.update()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:  # noqa: N802
        assert event is not None
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._go(1 if event.key() == Qt.Key.Key_Down else -1)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._press(self._at)
        else:
            super().keyPressEvent(event)

    def _go(self, by: int) -> None:
        """To the next field, in the order in which they are read."""
        every = [(row, n) for row, item in enumerate(self.rows) for n in range(len(item.cells))]
        if not every:
            return
        if self._at in every:
            place = min(max(every.index(self._at) + by, 0), len(every) - 1)
        else:
            place = 0 if by > 0 else len(every) - 1
        self._at = every[place]
        self.show_row(self._at[0])
        cell = self._cell(self._at)
        self.setAccessibleDescription(cell.help if cell is not None else "")
        self.update()

    # --- a probability that is typed ------------------------------------------------------------

    def _type(self, at: tuple[int, int], share: Share) -> None:
        self._at, self._typed = at, share
        self._share_edit.setAccessibleName(
            f"Probability of {share.target} difficulty {share.difficulty}"
        )
        self._share_edit.setText(f"{share.value:.3f}")
        self._share_edit.setGeometry(self.fields(at[0])[0].adjusted(0, -3, 0, 3).toRect())
        self._share_edit.show()
        self._share_edit.setFocus()
        self._share_edit.selectAll()

    def _take_typed(self) -> None:
        share = self._typed
        self._share_edit.hide()
        self.setFocus()
        if share is None:
            return
        text = self._share_edit.text().strip().replace(",", ".")
        try:
            value = float(text[:-1]) / 100 if text.endswith("%") else float(text)
        except ValueError:
            self.orders.refuse(f"{text!r} is no probability: type 0 to 1, or a percentage")
            return
        self.orders.order(odds_order(share.target, share.difficulty, value))

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:  # noqa: N802
        """Up and Down change what is typed, Enter takes it."""
        steps = {Qt.Key.Key_Up: _STEP, Qt.Key.Key_Down: -_STEP}
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                # A line would hand it on to the panel, where it means to type again.
                self._take_typed()
                return True
            step = next((by for key, by in steps.items() if key == event.key()), 0.0)
            if step:
                try:
                    value = float(self._share_edit.text())
                except ValueError:
                    return True
                self._share_edit.setText(f"{min(1.0, max(0.0, value + step)):.3f}")
                return True
        return super().eventFilter(watched, event)

    # --- in words, and as a menu ----------------------------------------------------------------

    def card(self, row: int, at: QPointF) -> Sequence[str]:
        cell = self._cell(self._under(self.mouse))
        return () if cell is None else (cell.help,)

    def text(self) -> str:
        return "\n".join(row.summary for row in self.rows) or self.empty_text

    def menu(self, row: int) -> QMenu:
        menu = super().menu(row)
        first = menu.actions()[0] if menu.actions() else None
        below = self.placing()
        below.setParent(menu, below.windowFlags())
        menu.insertMenu(first, below)
        return menu

    def menu_entries(self, row: int) -> Sequence[MenuEntry]:
        return ()

    def placing(self) -> QMenu:
        """The menu of all that can be placed and asked."""
        orders, menu = self.orders, QMenu("Place and order", self)
        state = orders.state
        why = orders.blocked or (state.unordered if state is not None else "")
        if why or state is None:
            nothing = menu.addAction(why)
            assert nothing is not None
            nothing.setEnabled(False)
            return menu
        below: dict[str, QMenu] = {"": menu}
        for words, act in offered(state, orders.choose, orders.order):
            path, _, name = words.rpartition("|")
            _add(_below(below, path), name, act)
        if orders.tool is not None:
            menu.addSeparator()
            _add(menu, f"Put away: {orders.tool.title}", partial(orders.choose, None))
        return menu

    def pop_up(self) -> None:
        """Open that menu here."""
        self.placing().exec(self.mapToGlobal(self.rect().center()))


def _below(known: dict[str, QMenu], path: str) -> QMenu:
    """The menu at a path of names with bars between them, made where it is missing."""
    if path not in known:
        above, _, name = path.rpartition("|")
        over = _below(known, above)
        known[path] = QMenu(name, over)
        over.addMenu(known[path])
    return known[path]


def _add(menu: QMenu, words: str, act: Callable[[], Any]) -> None:
    made = menu.addAction(words)
    assert made is not None
    made.triggered.connect(lambda _: act())


def _paint_lock(painter: QPainter, at: QPointF, *, shut: bool) -> None:
    """A padlock, drawn so that no font needs to have it."""
    hue = palette.RUNNING if shut else palette.FAINT
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(pen(hue, 1.5))
    left = at.x() - (3.5 if shut else 7.5)
    painter.drawArc(QRectF(left, at.y() - 7.5, 7, 10), 0, 180 * 16)
    painter.fillRect(QRectF(at.x() - 5.5, at.y() - 2, 11, 8), color(hue))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
