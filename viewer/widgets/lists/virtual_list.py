"""A painted list of any length, of which only the visible rows cost time."""

from bisect import bisect_right
from collections.abc import Hashable, Iterator, Sequence
from functools import partial
from itertools import accumulate
from typing import overload

from ...toolkit import palette
from ...toolkit.images.pixmap_cache import PixmapCache
from ...toolkit.qt import QMouseEvent, QPainter, QPointF, QRect, QRectF, Qt, QWheelEvent
from ...toolkit.text_painting import paint_empty_text
from ...toolkit.theme import color
from ..painted_panel import PaintedPanel


class EqualHeights(Sequence[int]):
    """The heights of rows that are all equally high, without a list of them."""

    def __init__(self, rows: int, height: int) -> None:
        self.rows = rows
        self.height = height

    def __len__(self) -> int:
        return self.rows

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[int]: ...
    def __getitem__(self, index: int | slice) -> int | Sequence[int]:
        if isinstance(index, slice):
            return [self.height] * len(range(*index.indices(self.rows)))
        if not -self.rows <= index < self.rows:
            raise IndexError(index)
        return self.height


class VirtualList(PaintedPanel):
    """Rows below one another, scrolled by the wheel. A subclass says how many, and paints them."""

    empty_text = "Nothing here"
    """Shown when there are no rows …"""
    empty_hint = ""
    """… with the call or command that would make some."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.offset = 0
        """How far the list is scrolled, in pixels."""
        self.hover = -1
        """The row under the mouse; −1 for none."""
        self.mouse = QPointF()
        self._pixmaps = PixmapCache(palette.PANEL)
        self._painted: tuple[Hashable, list[tuple[QRect, Hashable]]] = None, []
        """What was painted last: the key of the whole list, each visible row's box and key."""
        self.setMouseTracking(True)

    # --- for subclasses -------------------------------------------------------------------------

    def heights(self) -> Sequence[int]:
        """The height of each row, in pixels."""
        raise NotImplementedError

    def paint_row(self, painter: QPainter, row: int, box: QRectF) -> None:
        """Draw one row."""
        raise NotImplementedError

    def cache_key(self, row: int) -> Hashable:
        """All that a row's image depends on besides its size; None if it can't be cached."""
        return None

    def clicked(self, row: int, at: QPointF, *, twice: bool) -> None:
        """A row was clicked with the left button, once or twice; `at` is a point in the row."""

    # --- the list -------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Repaint the rows that have changed since they were painted."""
        edges = self._edges()
        self._clamp_offset(edges[-1])
        (list_key_before, rows_before), list_key = self._painted, self._list_key(edges)
        rows = [(box, self.cache_key(row)) for row, box in self._visible_rows(edges)]
        is_same_list = list_key_before == list_key
        is_same_list &= [box for box, _ in rows_before] == [box for box, _ in rows]
        if not is_same_list or self.hover >= 0:
            self.update()
            return
        self._painted = list_key, rows
        for (box, key), (_, key_before) in zip(rows, rows_before, strict=True):
            if key is None or key != key_before:
                self.update(box)

    def _list_key(self, edges: Sequence[int]) -> Hashable:
        """What the image depends on beside its rows."""
        return self.size(), self.offset, edges[-1], self.devicePixelRatioF(), palette.changes()

    def _visible_rows(self, edges: Sequence[int]) -> Iterator[tuple[int, QRect]]:
        """The rows that can be seen, with their boxes."""
        for row in range(max(0, bisect_right(edges, self.offset) - 1), len(edges) - 1):
            top = edges[row] - self.offset
            if top > self.height():
                break
            yield row, QRect(0, top, self.width(), edges[row + 1] - edges[row])

    def paint(self, painter: QPainter) -> None:
        # Set again at the end: if a row can't be painted, the next refresh repaints everything.
        painted_before, self._painted = self._painted, (None, [])
        edges, ground = self._edges(), color(palette.PANEL)
        if len(edges) == 1:
            painter.fillRect(self.rect(), ground)
            paint_empty_text(painter, QRectF(self.rect()), self.empty_text, self.empty_hint)
            return
        self._clamp_offset(edges[-1])
        is_whole, ratio = self.exposed.contains(self.rect()), self.devicePixelRatioF()
        rows: list[tuple[QRect, Hashable]] = []
        for row, pixels in self._visible_rows(edges):
            if not is_whole and not pixels.intersects(self.exposed):
                continue
            box, key = QRectF(pixels), self.cache_key(row)
            rows.append((pixels, key))
            if key is None:  # cached images have a background of their own
                painter.fillRect(box, ground)
                self.paint_row(painter, row, box)
            else:
                self._pixmaps.draw(painter, box, ratio, key, partial(self._paint_cached, row))
        self._painted = (self._list_key(edges), rows) if is_whole else painted_before
        foot = edges[-1] - self.offset
        if foot < self.height():
            painter.fillRect(QRectF(0, foot, self.width(), self.height() - foot), ground)
        if edges[-1] > self.height():
            share = self.height() / edges[-1]
            length = max(24.0, self.height() * share)
            room = edges[-1] - self.height()
            bar = (self.height() - length) * self.offset / room
            box = QRectF(self.width() - 6, bar + 2, 4, length - 4)
            painter.fillRect(box, color(palette.SCROLL_BAR))

    def _paint_cached(self, row: int, painter: QPainter, box: QRectF) -> None:
        self.paint_row(painter, row, box)

    def _edges(self) -> Sequence[int]:
        """Where each row begins, followed by where the last one ends, in unscrolled pixels."""
        heights = self.heights()
        if isinstance(heights, EqualHeights):
            return range(0, (heights.rows + 1) * heights.height, heights.height)
        return list(accumulate(heights, initial=0))

    def _clamp_offset(self, content_height: int) -> None:
        self.offset = max(0, min(self.offset, content_height - self.height()))

    def box_of(self, row: int) -> QRectF:
        """The rectangle of a row, scrolled as the list is now."""
        edges = self._edges()
        return QRectF(0, edges[row] - self.offset, self.width(), edges[row + 1] - edges[row])

    def show_row(self, row: int, *, middle: bool = False) -> None:
        """Scroll until a row is visible, or in the middle."""
        edges = self._edges()
        if not 0 <= row < len(edges) - 1:
            return
        if middle:
            self.offset = (edges[row] + edges[row + 1] - self.height()) // 2
        elif edges[row] < self.offset:
            self.offset = edges[row]
        elif edges[row + 1] > self.offset + self.height():
            self.offset = edges[row + 1] - self.height()
        self._clamp_offset(edges[-1])
        self.update()

    def row_at(self, y: float) -> int:
        """The row at a height in the widget; −1 if there is none."""
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
        self._clamp_offset(self._edges()[-1])
        self.update()
