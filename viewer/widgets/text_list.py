"""A list with a cursor: moved by keys, full text on hover, copied as plain text."""

from collections.abc import Sequence

from ..state.viewer_store import ViewerStore
from ..toolkit import palette
from ..toolkit.menu_entries import ColorChoice, MenuAction
from ..toolkit.qt import (
    QContextMenuEvent,
    QKeyEvent,
    QMenu,
    QMouseEvent,
    QPainter,
    QPointF,
    QRectF,
    Qt,
)
from ..toolkit.theme import color, font, pen
from .virtual_list import VirtualList

Action = MenuAction | ColorChoice
"""What a menu offers."""
_LINE = 17


class TextList(VirtualList):
    """Up and Down move a cursor over the rows, Enter does what the row is for; the menu has more.

    A subclass says besides what each row is for.
    """

    def __init__(self, name: str, store: ViewerStore) -> None:
        super().__init__(name)
        self.store = store
        self.at_row = -1
        """The row that keys act on; −1 for none."""
        self._stale = True
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        for signal in (store.moved, store.selection_changed, store.history_grew):
            signal.connect(self._heard)

    # --- what is shown --------------------------------------------------------------------------

    def _heard(self) -> None:
        """The playhead moved. A hidden list does its work when it is shown."""
        self._stale = True
        # To Qt a panel behind another one's tab is visible as well; in front it is painted.
        if not self.visibleRegion().isEmpty():
            self.fresh()

    def fresh(self) -> None:
        """Rebuild the rows, if they are not those of the shown frame."""
        if self._stale:
            self._stale = False
            if self.renew():
                self.refresh()

    def change(self) -> None:
        """Rebuild the rows of the same frame."""
        self._stale = True
        self.fresh()
        self.update()

    # --- for subclasses -------------------------------------------------------------------------

    def renew(self) -> bool:
        """Take the rows from the store; returns whether to repaint."""
        raise NotImplementedError

    def text(self) -> str:
        """What is shown, as plain text."""
        raise NotImplementedError

    def card(self, row: int, at: QPointF) -> Sequence[str]:
        """What the hover card says of a row, line by line; nothing for no card."""
        return ()

    def entered(self, row: int) -> None:
        """Enter was pressed on a row."""

    def offers(self, row: int) -> Sequence[Action]:
        """What a row's menu offers beside copying; −1 for the panel itself."""
        return ()

    def paint_over(self, painter: QPainter) -> None:
        """Draw what is above the rows."""

    def reachable(self, row: int) -> bool:
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
            self._walk(steps[Qt.Key(key)])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._holds(self.at_row):
            self.entered(self.at_row)
        else:
            super().keyPressEvent(event)
            return
        self.update()

    def _walk(self, by: int) -> None:
        rows = [row for row in range(len(self.heights())) if self.reachable(row)]
        if not rows:
            return
        ahead = [row for row in rows if (row - self.at_row) * by > 0]
        if self.at_row not in rows:
            near = rows[0] if by > 0 or self.at_row < 0 else rows[-1]
        elif not ahead:
            near = self.at_row
        elif by > 0:
            near = ahead[min(by, len(ahead)) - 1]
        else:
            near = ahead[max(by, -len(ahead))]
        self.at_row = near
        self.show_row(near)
        self.setAccessibleDescription(" ".join(self.card(near, QPointF())))

    def _holds(self, row: int) -> bool:
        return 0 <= row < len(self.heights()) and self.reachable(row)

    # --- the mouse ------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        row = self.row_at(event.position().y())
        if row >= 0 and self.reachable(row):
            self.at_row = row
        super().mousePressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent | None) -> None:  # noqa: N802
        assert event is not None
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        # The menu opens where the card would be.
        self.hover = -1
        self.update()
        self.menu(self.at_row if by_key else self.row_at(event.y())).exec(event.globalPos())

    def menu(self, row: int) -> QMenu:
        """The menu of a row."""
        return self.menu_of(self.offers(row))

    # --- painting -------------------------------------------------------------------------------

    def paint(self, painter: QPainter) -> None:
        self.fresh()
        super().paint(painter)
        self.paint_over(painter)
        if self.hasFocus() and self._holds(self.at_row):
            painter.setPen(pen(palette.ACCENT))
            painter.drawRect(self.box_of(self.at_row).adjusted(1, 0, -7, -1))
        if self.hover >= 0:
            paint_card(painter, QRectF(self.rect()), self.mouse, self.card(
                self.hover, self.mouse - self.box_of(self.hover).topLeft()
            ))  # fmt: skip


def paint_card(
    painter: QPainter, room: QRectF, mouse: QPointF, lines: Sequence[str],
    about: QRectF | None = None,
) -> QRectF:  # fmt: skip
    """A hover card beside the mouse, inside of the panel; its first line is its title.

    Args:
        about: What it explains: it is below or above that, if there is room at all.

    Returns where it is.
    """
    if not lines:
        return QRectF()
    painter.setFont(font(12))
    metrics = painter.fontMetrics()
    most = max(metrics.horizontalAdvance(line) for line in lines) + 24.0
    width = min(most, room.width() - 12)
    wrap = Qt.TextFlag.TextWordWrap
    heights = [
        max(_LINE, metrics.boundingRect(0, 0, int(width - 20), 10_000, wrap, line).height() + 2)
        for line in lines
    ]
    height = sum(heights) + 10.0
    x = min(mouse.x() + 14, room.right() - width - 6)
    under, over = mouse.y() + 18, mouse.y() - 8
    if about is not None:
        under, over = max(under, about.bottom() + 4), min(over, about.top() - 4)
    y = under if under + height < room.bottom() else max(room.top() + 2, over - height)
    box = QRectF(max(x, room.left() + 6), y, width, height)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(pen("#3a4352"))
    painter.setBrush(color(palette.CARD))
    painter.drawRoundedRect(box, 4, 4)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
    top = box.top() + 5
    for place, (line, high) in enumerate(zip(lines, heights, strict=True)):
        painter.setPen(pen(palette.DIM if place else palette.TEXT))
        painter.drawText(QRectF(box.left() + 10, top, width - 20, high), wrap, line)
        top += high
    return box
