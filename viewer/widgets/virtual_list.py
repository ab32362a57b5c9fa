"""A painted list: only the rows in sight cost anything, however long it is."""

from bisect import bisect_right
from collections.abc import Hashable, Iterator, Sequence
from functools import partial
from itertools import accumulate
from typing import overload

from ..toolkit import palette
from ..toolkit.numpy_painting import say_empty
from ..toolkit.pixmap_cache import PixmapCache
from ..toolkit.qt import QMouseEvent, QPainter, QPointF, QRect, QRectF, Qt, QWheelEvent
from ..toolkit.theme import color
from .painted_panel import PaintedPanel


class EvenRows(Sequence[int]):
    """The heights of rows that are all alike, however many: none of them is made."""

    def __init__(self, rows: int, height: int) -> None:
        self.rows = rows
        self.height = height

    def __len__(self) -> int:
        return self.rows

    @overload
    def __getitem__(self, at: int) -> int: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[int]: ...
    def __getitem__(self, at: int | slice) -> int | Sequence[int]:
        if isinstance(at, slice):
            return [self.height] * len(range(*at.indices(self.rows)))
        if not -self.rows <= at < self.rows:
            raise IndexError(at)
        return self.height


class VirtualList(PaintedPanel):
    """Rows below one another, scrolled by the wheel. A subclass says how many, and paints them."""

    empty = "Nothing here"
    """What is said when there are no rows …"""
    call = ""
    """… and the call that would make some."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.offset = 0
        """Pixels that are scrolled past."""
        self.hover = -1
        """The row under the mouse; −1 for none."""
        self.mouse = QPointF()
        self._pixmaps = PixmapCache(palette.PANEL)
        self._seen: tuple[Hashable, list[tuple[QRect, Hashable]]] = None, []
        """What the picture depends on as a whole, and of each row in sight its box and look."""
        self.setMouseTracking(True)

    # --- for subclasses -------------------------------------------------------------------------

    def heights(self) -> Sequence[int]:
        """How high each row is, in pixels."""
        raise NotImplementedError

    def paint_row(self, painter: QPainter, row: int, box: QRectF) -> None:
        """Draw one row."""
        raise NotImplementedError

    def looks(self, row: int) -> Hashable:
        """All that a row's picture depends on besides its size; None if it is never the same."""
        return None

    def clicked(self, row: int, at: QPointF, *, twice: bool) -> None:
        """A row was clicked with the left button; `at` is inside of the row."""

    # --- the list -------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Have those rows painted anew that look otherwise than in the picture."""
        edges = self._edges()
        self._clamp(edges[-1])
        (whole, before), now_whole = self._seen, self._outline(edges)
        now = [(box, self.looks(row)) for row, box in self._in_sight(edges)]
        alike = whole == now_whole and [box for box, _ in before] == [box for box, _ in now]
        if not alike or self.hover >= 0:
            self.update()
            return
        self._seen = now_whole, now
        for (box, look), (_, old) in zip(now, before, strict=True):
            if look is None or look != old:
                self.update(box)

    def _outline(self, edges: Sequence[int]) -> Hashable:
        """What the picture depends on beside its rows."""
        return self.size(), self.offset, edges[-1], self.devicePixelRatioF(), palette.changes()

    def _in_sight(self, edges: Sequence[int]) -> Iterator[tuple[int, QRect]]:
        """The rows that can be seen, and where."""
        for row in range(max(0, bisect_right(edges, self.offset) - 1), len(edges) - 1):
            top = edges[row] - self.offset
            if top > self.height():
                break
            yield row, QRect(0, top, self.width(), edges[row + 1] - edges[row])

    def paint(self, painter: QPainter) -> None:
        # Without rows, or if one of them can't be painted, nothing of it is worth keeping.
        kept, self._seen = self._seen, (None, [])
        edges, ground = self._edges(), color(palette.PANEL)
        if len(edges) == 1:
            painter.fillRect(self.rect(), ground)
            say_empty(painter, QRectF(self.rect()), self.empty, self.call)
            return
        self._clamp(edges[-1])
        all_of_it, ratio = self.exposed.contains(self.rect()), self.devicePixelRatioF()
        seen: list[tuple[QRect, Hashable]] = []
        for row, place in self._in_sight(edges):
            if not all_of_it and not place.intersects(self.exposed):
                continue
            box, look = QRectF(place), self.looks(row)
            seen.append((place, look))
            if look is None:  # the others' pictures have a ground of their own
                painter.fillRect(box, ground)
                self.paint_row(painter, row, box)
            else:
                self._pixmaps.draw(painter, box, ratio, look, partial(self._paint_row, row))
        self._seen = (self._outline(edges), seen) if all_of_it else kept
        foot = edges[-1] - self.offset
        if foot < self.height():
            painter.fillRect(QRectF(0, foot, self.width(), self.height() - foot), ground)
        if edges[-1] > self.height():
            share = self.height() / edges[-1]
            length = max(24.0, self.height() * share)
            room = edges[-1] - self.height()
            bar = (self.height() - length) * self.offset / room
            painter.fillRect(QRectF(self.width() - 6, bar + 2, 4, length - 4), color("#343b49"))

    def _paint_row(self, row: int, painter: QPainter, box: QRectF) -> None:
        self.paint_row(painter, row, box)

    def _edges(self) -> Sequence[int]:
        """Where each row begins, and at last where the last one ends."""
        heights = self.heights()
        if isinstance(heights, EvenRows):
            return range(0, (heights.rows + 1) * heights.height, heights.height)
        return list(accumulate(heights, initial=0))

    def _clamp(self, content: int) -> None:
        self.offset = max(0, min(self.offset, content - self.height()))

    def box_of(self, row: int) -> QRectF:
        """Where a row is now."""
        edges = self._edges()
        return QRectF(0, edges[row] - self.offset, self.width(), edges[row + 1] - edges[row])

    def show_row(self, row: int, *, middle: bool = False) -> None:
        """Scroll so that a row is in sight."""
        edges = self._edges()
        if not 0 <= row < len(edges) - 1:
            return
        if middle:
            self.offset = (edges[row] + edges[row + 1] - self.height()) // 2
        elif edges[row] < self.offset:
            self.offset = edges[row]
        elif edges[row + 1] > self.offset + self.height():
            self.offset = edges[row + 1] - self.height()
        self._clamp(edges[-1])
        self.update()

    def row_at(self, y: float) -> int:
        """The row at a height; −1 if there is none."""
        edges = self._edges()
        row = bisect_right(edges, y + self.offset) - 1
        return row if 0 <= row < len(edges) - 1 else -1

    # --- the mouse ------------------------------------------------------------------------------

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        self.mouse = event.position()
        self.hover = self.row_at(self.mouse.y())
        self.update()

    def leaveEvent(self, event: object) -> None:  # noqa: N802
        self.hover = -1
        self.update()

    def mousePressEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        self._click(event, twice=False)

    def mouseDoubleClickEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        self._click(event, twice=True)

    def _click(self, event: QMouseEvent | None, *, twice: bool) -> None:
        assert event is not None
        row = self.row_at(event.position().y())
        if row >= 0 and event.button() == Qt.MouseButton.LeftButton:
            inside = event.position() - self.box_of(row).topLeft()
            self.clicked(row, inside, twice=twice)
            self.update()

    def wheelEvent(self, event: QWheelEvent | None) -> None:  # noqa: N802
        assert event is not None
        self.offset -= event.angleDelta().y() // 2
        self._clamp(self._edges()[-1])
        self.update()
