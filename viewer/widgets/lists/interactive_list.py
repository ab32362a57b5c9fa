"""A list with a keyboard cursor, hover cards, a context menu, and a plain-text copy."""

from collections.abc import Sequence

from ...state.viewer_store import ViewerStore
from ...toolkit import palette
from ...toolkit.menu_entries import MenuEntry
from ...toolkit.qt import (
    QContextMenuEvent,
    QKeyEvent,
    QMenu,
    QMouseEvent,
    QPainter,
    QPointF,
    QRectF,
    Qt,
)
from ...toolkit.theme import color, font, pen
from .virtual_list import VirtualList

_LINE_HEIGHT = 17


class TextList(VirtualList):
    """Up and Down move a cursor over the rows, Enter activates the row; a menu offers more.

    The rows come from the store. They are rebuilt when it changes, but only while the list is
    visible.
    """

    def __init__(self, name: str, store: ViewerStore) -> None:
        super().__init__(name)
        self.store = store
        self.cursor_row = -1
        """The row that keys act on; −1 for none."""
        self._is_stale = True
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        for signal in (store.moved, store.selection_changed, store.history_grew):
            signal.connect(self._invalidate)

    # --- rebuilding -----------------------------------------------------------------------------

    def _invalidate(self) -> None:
        """The store changed: rebuild the rows, a hidden list as soon as it is painted again."""
        self._is_stale = True
        # isVisible() is also true for a panel behind another one's tab.
        if not self.visibleRegion().isEmpty():
            self.rebuild_if_stale()

    def rebuild_if_stale(self) -> None:
        """Rebuild the rows if the store has changed since."""
        if self._is_stale:
            self._is_stale = False
            if self.build_rows():
                self.refresh()

    def rebuild(self) -> None:
        """Rebuild the rows now, and repaint."""
        self._is_stale = True
        self.rebuild_if_stale()
        self.update()

    # --- for subclasses -------------------------------------------------------------------------

    def build_rows(self) -> bool:
        """Build the rows from the store; returns whether to repaint."""
        raise NotImplementedError

    def text(self) -> str:
        """What is shown, as plain text."""
        raise NotImplementedError

    def card(self, row: int, at: QPointF) -> Sequence[str]:
        """The lines of a row's hover card; none for no card. `at` is a point in the row."""
        return ()

    def activated(self, row: int) -> None:
        """Enter was pressed on a row."""

    def menu_entries(self, row: int) -> Sequence[MenuEntry]:
        """The entries of a row's menu before "Copy as text"; −1 for the panel itself."""
        return ()

    def paint_over(self, painter: QPainter) -> None:
        """Draw over the rows."""

    def accepts_cursor(self, row: int) -> bool:
        """Whether the cursor stops at a row."""
        return True

    # --- keys -----------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent | None) -> None:  # noqa: N802
        assert event is not None
        key = event.key()
        steps = {
            Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_PageUp: -8, Qt.Key.Key_PageDown: 8,
        }  # fmt: skip
        if key in steps:
            self._move_cursor(steps[Qt.Key(key)])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._has_cursor:
            self.activated(self.cursor_row)
        else:
            super().keyPressEvent(event)
            return
        self.update()

    def _move_cursor(self, by: int) -> None:
        rows = [row for row in range(len(self.heights())) if self.accepts_cursor(row)]
        if not rows:
            return
        ahead = [row for row in rows if (row - self.cursor_row) * by > 0]
        if self.cursor_row not in rows:
            self.cursor_row = rows[0] if by > 0 or self.cursor_row < 0 else rows[-1]
        elif ahead and by > 0:
            self.cursor_row = ahead[min(by, len(ahead)) - 1]
        elif ahead:
            self.cursor_row = ahead[max(by, -len(ahead))]
        self.show_row(self.cursor_row)
        self.setAccessibleDescription(" ".join(self.card(self.cursor_row, QPointF())))

    @property
    def _has_cursor(self) -> bool:
        return 0 <= self.cursor_row < len(self.heights()) and self.accepts_cursor(self.cursor_row)

    # --- the mouse ------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        row = self.row_at(event.position().y())
        if row >= 0 and self.accepts_cursor(row):
            self.cursor_row = row
        super().mousePressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent | None) -> None:  # noqa: N802
        assert event is not None
        is_by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        # Hide the hover card: the menu opens in the same place.
        self.hover = -1
        self.update()
        self.menu(self.cursor_row if is_by_key else self.row_at(event.y())).exec(event.globalPos())

    def menu(self, row: int) -> QMenu:
        """The menu of a row."""
        return self.menu_of(self.menu_entries(row))

    # --- painting -------------------------------------------------------------------------------

    def paint(self, painter: QPainter) -> None:
        self.rebuild_if_stale()
        super().paint(painter)
        self.paint_over(painter)
        if self.hasFocus() and self._has_cursor:
            painter.setPen(pen(palette.ACCENT))
            painter.drawRect(self.box_of(self.cursor_row).adjusted(1, 0, -7, -1))
        if self.hover >= 0:
            paint_card(painter, QRectF(self.rect()), self.mouse, self.card(
                self.hover, self.mouse - self.box_of(self.hover).topLeft()
            ))  # fmt: skip


def paint_card(
    painter: QPainter, room: QRectF, mouse: QPointF, lines: Sequence[str],
    about: QRectF | None = None,
) -> QRectF:  # fmt: skip
    """Paint a hover card beside the mouse, inside of the panel; its first line is its title.

    Args:
        room: The panel.
        about: What the card explains: if there is room, the card is below or above it.

    Returns:
        The card's rectangle; empty without lines.
    """
    if not lines:
        return QRectF()
    painter.setFont(font(12))
    metrics = painter.fontMetrics()
    most = max(metrics.horizontalAdvance(line) for line in lines) + 24.0
    width = min(most, room.width() - 12)
    wrap = Qt.TextFlag.TextWordWrap
    heights = [
        max(
            _LINE_HEIGHT,
            metrics.boundingRect(0, 0, int(width - 20), 10_000, wrap, line).height() + 2,
        )
        for line in lines
    ]
    height = sum(heights) + 10.0
    x = min(mouse.x() + 14, room.right() - width - 6)
    below, above = mouse.y() + 18, mouse.y() - 8
    if about is not None:
        below, above = max(below, about.bottom() + 4), min(above, about.top() - 4)
    y = below if below + height < room.bottom() else max(room.top() + 2, above - height)
    box = QRectF(max(x, room.left() + 6), y, width, height)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(pen(palette.OUTLINE))
    painter.setBrush(color(palette.CARD))
    painter.drawRoundedRect(box, 4, 4)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
    top = box.top() + 5
    for index, (line, line_height) in enumerate(zip(lines, heights, strict=True)):
        painter.setPen(pen(palette.DIM if index else palette.TEXT))
        painter.drawText(QRectF(box.left() + 10, top, width - 20, line_height), wrap, line)
        top += line_height
    return box
