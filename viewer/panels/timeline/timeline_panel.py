"""The timeline panel: overview, ruler and rows, and a playhead that can be dragged."""

from collections.abc import Iterator
from itertools import islice

from ....playback.commands import Loop
from ...reader.picture_scan import PictureRequest
from ...state.expression_hits import ExpressionHits
from ...state.recorded_pictures import RecordedPictures
from ...state.shared_pins_and_histories import PanelContext
from ...state.viewer_store import ViewerStore
from ...toolkit import palette
from ...toolkit.batched_painting import RectBuffer
from ...toolkit.images.pixmap_cache import PixmapCache
from ...toolkit.qt import (
    QContextMenuEvent,
    QMenu,
    QMouseEvent,
    QPainter,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    Qt,
    QWheelEvent,
)
from ...toolkit.text_painting import paint_empty_text
from ...toolkit.theme import color, pen
from ...toolkit.time_text import time_text
from ...widgets.lists.interactive_list import paint_card
from ...widgets.painted_panel import LONGEST_DESCRIPTION, PaintedPanel
from .film_strip import FilmSlot, paint_enlarged, slot_at
from .lane_cache import LaneCache
from .overview_and_ruler_painter import GUTTER, TOP, OverviewContent, paint_hits, paint_search_label
from .point_events import PointEvent
from .time_scale import TimeScale
from .timeline_menu import menu_items
from .timeline_mouse import SNAP, TimelineMouse
from .timeline_overlay import moving_boxes, paint_loop, paint_playhead, paint_readings
from .timeline_rows import LaneRequest, TimelineRow, node_names, reading, rows_of
from .timeline_static_layer import TimelineBackground, TimelineLayout
from .timeline_tooltip import tooltip_lines


class TimelinePanel(PaintedPanel):
    """Drag scrubs, the wheel zooms at the mouse, shift-drag makes a loop, other buttons pan."""

    def __init__(self, store: ViewerStore) -> None:
        super().__init__("Timeline")
        self.store = store
        self.context = PanelContext.of(store)
        self.scale = TimeScale()
        self.scrolled = 0
        """Pixels of rows that are scrolled past."""
        self.pointer = TimelineMouse(self)
        self.pictures = RecordedPictures.of(store)
        self._background = TimelineBackground(store, self.scale, self.pictures)
        self.hits = ExpressionHits.of(store)
        self._rects = RectBuffer()
        self.readings = PixmapCache()
        """What rows say at the playhead."""
        self._lane_cache = LaneCache()
        self._rows: list[TimelineRow] = []
        self._rows_of: tuple[object, ...] = ()
        self._folded: frozenset[str] = frozenset()
        self._cursor: float | None = None
        self._painted: tuple[object, ...] = ()
        """What the last picture depends on but for the playhead …"""
        self.card_box = QRectF()
        """Where the hover card was painted last."""
        self._marked: list[QRect] = []
        """… and where that is in it."""
        self.setMouseTracking(True)
        self.setMinimumHeight(120)
        self.scale.watchers.append(self.update)
        store.moved.connect(self._moved)
        store.status_changed.connect(self._step)
        store.history_grew.connect(self._grew)
        store.selection_changed.connect(self.update)
        self.hits.changed.connect(self.update)
        self.context.pins_changed.connect(self.update)
        self.context.history_read.connect(self._read)
        self.context.colors_changed.connect(self._colored)
        self.pictures.changed.connect(self._pictured)

    # --- what is shown --------------------------------------------------------------------------

    def _grew(self) -> None:
        span = self.store.playback.span or self.store.history.span
        if span is not None:
            times = self.store.history.times.values
            # What was seen and is evicted by now stays on the line, hatched.
            first = min(span.start, float(times[0])) if len(times) else span.start
            self.scale.extend(first, max(self.store.history.end, self.store.cursor or 0.0))
        self.update()

    def _colored(self) -> None:
        self._lane_cache = LaneCache()  # lanes hold the colours of their spans
        self.update()

    def _pictured(self) -> None:
        if self.pictures.names:
            self.update()

    def _read(self) -> None:
        if any(not field.watch for field in self.context.pins.lanes):
            self.update()

    def _moved(self) -> None:
        cursor = self.store.cursor
        if cursor is not None and cursor > self.scale.last:
            self._grew()
        # Only where the playhead itself went is followed: one may look elsewhere meanwhile.
        if cursor is not None and cursor != self._cursor and not self.pointer.gesture:
            self.scale.page_to(cursor)
        self._cursor = cursor
        self._step()

    def _step(self) -> None:
        """Have repainted what a move of the playhead changes, if that is all that changed."""
        if self.pointer.here is not None or self.pointer.gesture or self._painted != self._look():
            self.update()
            return
        for box in (*self._marked, *moving_boxes(self)):
            self.update(box)

    def _look(self) -> tuple[object, ...]:
        """All that the picture depends on but for where the playhead is."""
        scale, playback = self.scale, self.store.playback
        return (
            self.size(), self.devicePixelRatioF(), self.scrolled, self._version,
            self.hits.version, self.hits.summary, playback.span is None, playback.loop,
            scale.start, scale.end, scale.first, scale.last,
        )  # fmt: skip

    def zoom(self, factor: float) -> None:
        """Show `factor` times as much around the playhead."""
        cursor = self.store.cursor
        middle = (self.scale.start + self.scale.end) / 2
        inside = cursor is not None and self.scale.start <= cursor <= self.scale.end
        self.scale.zoom(factor, cursor if inside and cursor is not None else middle)
        self.update()

    def fit(self) -> None:
        """Show the loop, or everything."""
        loop = self.store.playback.loop
        self.scale.fit(*loop) if loop and self.scale.whole else self.scale.fit()
        self.update()

    def zoom_to(self, start: float, end: float) -> None:
        """Show a range, and play it round and round."""
        self.scale.fit(start, end)
        if end > start:
            self.store.send(Loop(start, end))
        self.update()

    def pin(self) -> None:
        """Keep the selected object's lanes on top with any selection, or no more."""
        if not self.store.selected:
            self.store.message.emit("Select an object first: pinning keeps its lanes on top")
            return
        self.context.pin(self.store.selected)
        is_pinned = self.store.selected in self.context.pins.objects
        name = self.name_of(self.store.selected)
        self.store.message.emit(
            f"{name} is {'pinned: its lanes stay' if is_pinned else 'not pinned'}"
        )

    def name_of(self, object: int) -> str:
        """What to call an object."""
        return self.store.name_of(object)

    @property
    def _version(self) -> tuple[object, ...]:
        """Differs if what the rows say has changed."""
        store, pins = self.store, self.context.pins
        read = tuple(
            (
                self.context.field_history(object).version,
                self.context.field_history(object).progress,
            )
            for object in sorted({field.object for field in pins.lanes if not field.watch})
        )
        return (
            id(store.history), store.history.version, store.history.spoken, store.selected,
            self._folded, pins.lanes, pins.objects, read, palette.changes(),
            store.names_version, store.history.complete, self.pictures.names,
        )  # fmt: skip

    def rows(self) -> list[TimelineRow]:
        """The rows from top to bottom."""
        version = self._version
        if version != self._rows_of:
            self._rows_of = version
            store, pins = self.store, self.context.pins
            self._rows = rows_of(
                store.history, store.selected, self.name_of, self._folded,
                lambda key: node_names(store.snapshot, key),
                LaneRequest(
                    pins.objects, pins.lanes, self.context.field_history, self.pictures.names
                ),
                self._lane_cache,
            )  # fmt: skip
        return self._rows

    # --- positions ------------------------------------------------------------------------------

    @property
    def room(self) -> float:
        """Pixels that time has."""
        return max(1.0, self.width() - GUTTER)

    def x_of(self, time: float) -> float:
        """Where a time is, in this widget's pixels."""
        return GUTTER + self.scale.x(time, self.room)

    def time_at(self, x: float) -> float:
        """The time at one of this widget's pixels."""
        return self.scale.time(max(x, float(GUTTER)) - GUTTER, self.room)

    def row_at(self, y: float) -> TimelineRow | None:
        """The row at a height."""
        offset = y - TOP + self.scrolled
        if y < TOP:
            return None
        for row in self.rows():
            if offset < row.height:
                return row
            offset -= row.height
        return None

    def about(self, y: float) -> QRectF | None:
        """What a hover card at a height explains: the lane there."""
        offset = y - TOP + self.scrolled
        if y < TOP:
            return None
        top = float(TOP - self.scrolled)
        for row in self.rows():
            if offset < row.height:
                return QRectF(0, top, self.width(), row.height)
            offset, top = offset - row.height, top + row.height
        return None

    def is_heading(self, y: float) -> bool:
        """Whether the heading of a group is there."""
        row = self.row_at(y)
        return row is not None and bool(row.group)

    def event_at(self, point: QPointF) -> PointEvent | None:
        """The mark, line of the log or event of the game that the mouse is on."""
        row = self.row_at(point.y())
        if row is None or row.events is None or point.x() < GUTTER:
            return None
        within = (SNAP + 2) / self.room * self.scale.seconds
        return row.events.near(self.time_at(point.x()), within)

    def click_name(self, y: float) -> None:
        """Select whom a row is about; of a heading, fold or open its group."""
        row = self.row_at(y)
        if row is None:
            return
        if row.group:
            self._folded ^= {row.group}
        elif row.object:
            self.store.select(row.object)
        self.update()

    def scroll_to(self, offset: int) -> None:
        """Scroll past so many pixels of rows."""
        content = sum(row.height for row in self.rows())
        self.scrolled = max(0, min(offset, content - (self.height() - TOP)))
        self.update()

    def reveal(self) -> None:
        """Show the lanes of the selected object: they are the first ones."""
        self._folded -= {"selected"}
        self.scroll_to(0)

    # --- painting -------------------------------------------------------------------------------

    def paint(self, painter: QPainter) -> None:
        if self.store.playback.span is None:
            painter.fillRect(self.rect(), color(palette.PANEL))
            paint_empty_text(painter, QRectF(self.rect()), "Nothing is recorded yet")
            return
        lit = frozenset((self.store.selected, *self.context.pins.objects))
        layout = TimelineLayout(
            self.width(), self.height(), self.devicePixelRatioF(), self.scrolled, self._folded, lit
        )
        pixmap = self._background.pixmap(self.rows(), layout, self._version, self._overview())
        painter.drawPixmap(0, 0, pixmap)
        self._painted, self._marked = self._look(), moving_boxes(self)
        paint_readings(painter, self)
        if self.hits.text:
            paint_hits(painter, self._rects, self.hits.times, self.scale, self.width())
            paint_search_label(painter, self.hits.summary)
        paint_loop(painter, self, self.pointer)
        here = self.pointer.here
        if here is not None and not self.pointer.gesture and here.x() >= GUTTER and here.y() >= TOP:
            painter.setPen(pen(palette.SELECTED, 1.0, 50))
            painter.drawLine(QPointF(here.x() + 0.5, TOP), QPointF(here.x() + 0.5, self.height()))
        paint_playhead(painter, self)
        if here is not None and not self.pointer.gesture:
            lines, about = tooltip_lines(self, self.pointer, here), self.about(here.y())
            if not self._paint_picture(painter, here, about):
                self.card_box = paint_card(painter, QRectF(self.rect()), here, lines, about)

    def _paint_picture(self, painter: QPainter, here: QPointF, about: QRectF | None) -> bool:
        """The picture that the mouse is on, larger; whether there is one."""
        row = self.row_at(here.y())
        slot = self.film_slot_at(here)
        if row is None or slot is None or about is None:
            self.pictures.images("enlarged", ())
            return False
        (image,) = self.pictures.images("enlarged", (PictureRequest(slot.picture),))
        if image is not None and not image.isNull():
            paint_enlarged(painter, image, QRectF(self.rect()), about, here.x())
        return True

    def film_slot_at(self, point: QPointF) -> FilmSlot | None:
        """The thumbnail of the film strip at a point."""
        row = self.row_at(point.y())
        if row is None or not row.film or point.x() < GUTTER:
            return None
        return slot_at(self.pictures, row.film, self.scale, self.room, point.x() - GUTTER)

    def _overview(self) -> OverviewContent:
        """What the overview shows of the selected agent, and that something is searched for."""
        history, selected = self.store.history, self.store.selected
        key = next((key for key in sorted(history.changes) if key[0] == selected), None)
        has_search = bool(self.hits.text)
        if not selected or key is None:
            return OverviewContent(has_search=has_search)
        return OverviewContent(
            self._lane_cache.states(history, key), self.name_of(selected), has_search
        )

    def text(self) -> str:
        """What each row says at the playhead, row by row."""
        return "\n".join(self._lines(most_events=None))

    def description(self) -> str:
        # Of hundreds of agents the lanes further down are not made only to be read aloud.
        lines: list[str] = []
        length = 0
        for line in self._lines(most_events=10):
            lines.append(line)
            length += len(line) + 1
            if length > LONGEST_DESCRIPTION:
                break
        return "\n".join(lines)

    def _lines(self, most_events: int | None) -> Iterator[str]:
        cursor = self.store.cursor
        if cursor is None:
            yield "Nothing is recorded yet"
            return
        yield f"{time_text(cursor)}   frame {self.store.frame}"
        if (loop := self.store.playback.loop) is not None:
            yield f"loop {time_text(loop[0])} … {time_text(loop[1])}   Δ {loop[1] - loop[0]:.3f} s"
        for row in self.rows():
            if row.group:
                yield ""
                yield row.title
            elif row.film:
                yield f"  {row.title}   pictures"
            elif row.events is not None:
                for one in islice(row.events, most_events):
                    yield f"  {row.title}   {time_text(one.time)}   {one.text}"
            else:
                yield f"  {row.title}   {reading(row, cursor, self.store.history)[0]}"

    # --- the menu -------------------------------------------------------------------------------

    def menu(self, point: QPointF) -> QMenu:
        """The menu at a point."""
        return self.menu_of(menu_items(self, point))

    def contextMenuEvent(self, event: QContextMenuEvent | None) -> None:  # noqa: N802
        """For the menu key only: the right button pans, and opens the menu when released."""
        assert event is not None
        if event.reason() != QContextMenuEvent.Reason.Mouse:
            self.menu(QPointF(event.pos())).exec(event.globalPos())

    # --- the mouse ------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        self.pointer.press(event)
        self.update()

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        self.pointer.move(event)
        on_edge = (
            self.pointer.gesture == "loop" or self.pointer.loop_edge(event.position()) is not None
        )
        shape = Qt.CursorShape.SizeHorCursor if on_edge else Qt.CursorShape.ArrowCursor
        self.setCursor(shape)
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        if self.pointer.release(event):
            point = event.position()
            self.menu(point).popup(self.mapToGlobal(QPoint(int(point.x()), int(point.y()))))
        self.update()

    def mouseDoubleClickEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        self.pointer.twice(event)
        self.update()

    def leaveEvent(self, event: object) -> None:  # noqa: N802
        self.pointer.leave()
        self.update()

    def wheelEvent(self, event: QWheelEvent | None) -> None:  # noqa: N802
        assert event is not None
        self.pointer.wheel(event)
        self.update()
