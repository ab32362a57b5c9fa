"""The timeline dock: overview, ruler and rows, and the playhead to be grabbed."""

import math

from ...playback.command import Loop
from ..clock import Clock
from ..models import palette
from ..models.times import told, told_span
from ..models.timescale import Timescale
from ..models.tracks import Row, node_names, reading, rows_of
from ..painting import Panel, RectBuffer, elided, say_empty
from ..playhead_mark import paint_flag
from ..qt import QMouseEvent, QPainter, QPixmap, QPointF, QRectF, Qt, QWheelEvent
from ..theme import color, font, pen
from .overview import GUTTER, OVERVIEW, RULER, TOP, paint_overview, paint_ruler
from .rows import RowPainter, paint_hatch

_SNAP = 4.0
"""Pixels within which the mouse snaps to marks and loop ends; Alt held it doesn't."""


class TimelineDock(Panel):
    """Drag scrubs, the wheel zooms at the mouse, shift-drag makes a loop, middle drag pans."""

    def __init__(self, clock: Clock) -> None:
        super().__init__("Timeline")
        self.clock = clock
        self.scale = Timescale()
        self._rows: list[Row] = []
        self._rows_of: tuple[object, ...] = ()
        self._folded: frozenset[str] = frozenset()
        self._scroll = 0
        self._cursor: float | None = None
        self._drag = ""
        self._drag_from = (0.0, 0.0, 0.0, 0)
        self._hover: QPointF | None = None
        self._still: QPixmap | None = None
        self._still_of: tuple[object, ...] = ()
        self._painter = RowPainter()
        self._rects = RectBuffer()
        self.setMouseTracking(True)
        self.setMinimumHeight(120)
        clock.moved.connect(self._moved)
        clock.stood.connect(self.update)
        clock.grew.connect(self._grew)
        clock.picked.connect(self.update)

    # --- what is shown --------------------------------------------------------------------------

    def _grew(self) -> None:
        span = self.clock.shown.span or self.clock.history.span
        if span is not None:
            times = self.clock.history.times.values
            # What was seen and is evicted by now stays on the line, hatched.
            first = min(span.start, float(times[0])) if len(times) else span.start
            self.scale.extend(first, max(self.clock.history.end, self.clock.cursor or 0.0))
        self.update()

    def _moved(self) -> None:
        cursor = self.clock.cursor
        if cursor is not None and cursor > self.scale.last:
            self._grew()
        # Only where the playhead itself went is followed: one may look elsewhere meanwhile.
        if cursor is not None and cursor != self._cursor and not self._drag:
            self.scale.page_to(cursor)
        self._cursor = cursor
        self.update()

    def zoom(self, factor: float) -> None:
        """Show `factor` times as much around the playhead."""
        cursor = self.clock.cursor
        middle = (self.scale.start + self.scale.end) / 2
        inside = cursor is not None and self.scale.start <= cursor <= self.scale.end
        self.scale.zoom(factor, cursor if inside and cursor is not None else middle)
        self.update()

    def fit(self) -> None:
        """Show the loop, or everything."""
        loop = self.clock.shown.loop
        self.scale.fit(*loop) if loop and self.scale.whole else self.scale.fit()
        self.update()

    def rows(self) -> list[Row]:
        """What stands below one another."""
        clock = self.clock
        made_of = (clock.history.version, clock.selected, self._folded, id(clock.history))
        if made_of != self._rows_of:
            self._rows_of = made_of

            def name_of(object: int) -> str:
                return clock.moment.name_of(object) if clock.moment is not None else str(object)

            self._rows = rows_of(
                clock.history, clock.selected, name_of, self._folded,
                lambda key: node_names(clock.moment, key),
            )  # fmt: skip
        return self._rows

    @property
    def _room(self) -> float:
        """Pixels that time has."""
        return max(1.0, self.width() - GUTTER)

    def x_of(self, time: float) -> float:
        """Where a time is, in this widget's pixels."""
        return GUTTER + self.scale.x(time, self._room)

    def time_at(self, x: float) -> float:
        """The time at one of this widget's pixels."""
        return self.scale.time(x - GUTTER, self._room)

    # --- the picture ----------------------------------------------------------------------------

    def paint(self, painter: QPainter) -> None:
        if self.clock.shown.span is None:
            painter.fillRect(self.rect(), color(palette.PANEL))
            say_empty(painter, QRectF(self.rect()), "Nothing is recorded yet")
            return
        painter.drawPixmap(0, 0, self._made_still())
        self._paint_readings(painter)
        self._paint_loop(painter)
        self._paint_hover(painter)
        self._paint_playhead(painter)

    def _made_still(self) -> QPixmap:
        """All that does not move with the playhead."""
        ratio = self.devicePixelRatioF()
        made_of = (
            self.width(), self.height(), ratio, self.scale.start, self.scale.end, self.scale.first,
            self.scale.last, self._scroll, self.clock.history.version, self.clock.selected,
            self._folded, self.clock.progress, self.clock.shown.span,
        )  # fmt: skip
        if self._still is None or made_of != self._still_of:
            self._still_of = made_of
            self._still = QPixmap(int(self.width() * ratio), int(self.height() * ratio))
            self._still.setDevicePixelRatio(ratio)
            self._still.fill(color(palette.PANEL))
            painter = QPainter(self._still)
            try:
                paint_overview(painter, self._rects, self.clock, self.scale, self.width())
                paint_ruler(painter, self.scale, self.width(), self.height())
                self._paint_rows(painter)
                self._paint_missing(painter)
                painter.setPen(pen(palette.EDGE))
                painter.drawLine(QPointF(GUTTER - 0.5, 0), QPointF(GUTTER - 0.5, self.height()))
            finally:
                painter.end()
        return self._still

    def _paint_rows(self, painter: QPainter) -> None:
        painter.save()
        painter.setClipRect(QRectF(0, TOP, self.width(), self.height() - TOP))
        rows = self.rows()
        if not rows:
            box = QRectF(0, TOP, self.width(), self.height() - TOP)
            say_empty(painter, box, "No states, marks, log lines or watched values so far",
                      "session.trace.state(agent, machine, source, target, won=…)")  # fmt: skip
        y = float(TOP - self._scroll)
        for row in rows:
            if y + row.height > TOP and y < self.height():
                self._paint_row(painter, row, y)
            y += row.height
        painter.restore()

    def _paint_row(self, painter: QPainter, row: Row, y: float) -> None:
        if row.group:
            painter.fillRect(QRectF(0, y, self.width(), row.height), color("#171b22"))
            painter.setFont(font(11, bold=True))
            painter.setPen(pen(palette.DIM))
            sign = "▸" if row.group in self._folded else "▾"
            words = QRectF(10, y, self.width() - 20, row.height)
            painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, f"{sign}  {row.title}")
            return
        painter.setFont(font(12))
        painter.setPen(pen(palette.TEXT))
        words = QRectF(24, y, GUTTER - 98, row.height)
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, elided(painter, row.title, 90))
        painter.save()
        painter.setClipRect(
            QRectF(GUTTER, max(y, TOP), self._room, row.height), Qt.ClipOperation.IntersectClip
        )
        box = QRectF(GUTTER, y, self._room, row.height)
        self._painter.paint(painter, row, box, self.scale, self.clock.history)
        painter.restore()
        painter.setPen(pen("#1b2028"))
        bottom = y + row.height - 0.5
        painter.drawLine(QPointF(0, bottom), QPointF(self.width(), bottom))

    def _paint_missing(self, painter: QPainter) -> None:
        """Hatch what is evicted, and where frames are missing."""
        span = self.clock.shown.span
        height = self.height() - TOP
        stretches = [(gap.start, gap.end, "no data") for gap in self.clock.history.gaps()]
        if span is not None:
            stretches.append((self.scale.start, span.start, "evicted"))
        painter.save()
        painter.setClipRect(QRectF(GUTTER, TOP, self._room, height))
        for start, end, text in stretches:
            if end > start:
                left = max(self.x_of(start), GUTTER)
                paint_hatch(painter, QRectF(left, TOP, self.x_of(end) - left, height), text)
        painter.restore()

    def _paint_readings(self, painter: QPainter) -> None:
        """What each row says at the playhead, in front of it."""
        cursor = self.clock.cursor
        if cursor is None:
            return
        painter.setClipRect(QRectF(0, TOP, GUTTER, self.height() - TOP))
        y = float(TOP - self._scroll)
        for row in self.rows():
            if not row.group and y + row.height > TOP and y < self.height():
                text, name = reading(row, cursor, self.clock.history)
                if text:
                    painter.setFont(
                        font(11, bold=row.spans is not None, mono=row.curve is not None)
                    )
                    painter.setPen(pen(name))
                    flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
                    words = QRectF(96, y, GUTTER - 104, row.height)
                    painter.drawText(words, flags, elided(painter, text, words.width()))
            y += row.height
        painter.setClipping(False)

    def _paint_loop(self, painter: QPainter) -> None:
        loop = self.clock.shown.loop
        if self._drag == "loop" and self._hover is not None:
            loop = self._dragged_loop()
        if loop is None:
            return
        left, right = self.x_of(loop[0]), self.x_of(loop[1])
        painter.setClipRect(QRectF(GUTTER, 0, self._room, self.height()))
        painter.fillRect(QRectF(left, TOP, right - left, self.height()), color(palette.ACCENT, 20))
        painter.fillRect(QRectF(left, OVERVIEW, right - left, RULER), color(palette.ACCENT, 60))
        painter.setPen(pen(palette.ACCENT))
        for x in (left, right):
            painter.drawLine(QPointF(x, OVERVIEW), QPointF(x, self.height()))
        text = f"Δ {loop[1] - loop[0]:.3f} s"
        painter.setFont(font(11, mono=True))
        width = painter.fontMetrics().horizontalAdvance(text) + 12
        if right - left > width + 8:
            box = QRectF(max(left + 4, GUTTER + 4), self.height() - 22, width, 18)
            painter.fillRect(box, color("#10233c", 235))
            painter.setPen(pen("#bfe0ff"))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
        painter.setClipping(False)

    def _paint_hover(self, painter: QPainter) -> None:
        """The time under the mouse, and what the row there says."""
        here = self._hover
        if here is None or here.x() < GUTTER or self._drag:
            return
        time = self.time_at(here.x())
        painter.setPen(pen("#ffffff", 1.0, 50))
        painter.drawLine(QPointF(here.x() + 0.5, TOP), QPointF(here.x() + 0.5, self.height()))
        text, name = self._card(here, time)
        painter.setFont(font(12))
        text = told(time) + (f"   {text}" if text else "")
        width = min(painter.fontMetrics().horizontalAdvance(text) + 20.0, self._room - 12)
        y = here.y() + 16 if here.y() + 46 < self.height() else here.y() - 34
        box = QRectF(min(here.x() + 10, self.width() - width - 6), y, width, 24)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(pen(name or palette.EDGE))
        painter.setBrush(color("#0b0d11", 240))
        painter.drawRoundedRect(box, 4, 4)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(pen(palette.TEXT))
        inside = box.adjusted(10, 0, -8, 0)
        painter.drawText(
            inside, Qt.AlignmentFlag.AlignVCenter, elided(painter, text, inside.width())
        )
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)

    def _card(self, here: QPointF, time: float) -> tuple[str, str]:
        row = self._row_at(here.y())
        if row is None:
            return "", ""
        if row.events is not None:
            near = [
                event for event in row.events if abs(self.x_of(event.time) - here.x()) <= _SNAP + 2
            ]
            return (near[-1].text, near[-1].color) if near else ("", "")
        text, name = reading(row, time, self.clock.history)
        if row.spans is not None and text:
            at = row.spans.at(time)
            assert at is not None
            text += f"   {told_span(float(row.spans.ends[at] - row.spans.starts[at]))}"
        return (f"{row.title}   {text}" if text else row.title), name

    def _paint_playhead(self, painter: QPainter) -> None:
        cursor = self.clock.cursor
        if cursor is None:
            return
        there = max(self.scale.last - self.scale.first, 1e-9)
        x = GUTTER + (cursor - self.scale.first) / there * self._room
        painter.fillRect(QRectF(x - 1, 0, 2, OVERVIEW), color(palette.PLAYHEAD))
        x = self.x_of(cursor)
        if GUTTER - 1 <= x <= self.width() + 1:
            paint_flag(
                painter, QRectF(GUTTER, OVERVIEW, self._room, self.height() - OVERVIEW), x,
                told(cursor), RULER,
            )  # fmt: skip

    # --- the mouse ------------------------------------------------------------------------------

    def _row_at(self, y: float) -> Row | None:
        place = y - TOP + self._scroll
        if y < TOP:
            return None
        for row in self.rows():
            if place < row.height:
                return row
            place -= row.height
        return None

    def _snapped(self, event: QMouseEvent) -> float:
        """The time under the mouse, or of the mark or loop end that is close to it."""
        time = self.time_at(event.position().x())
        if event.modifiers() & Qt.KeyboardModifier.AltModifier:
            return time
        targets = [mark.time for mark in self.clock.history.marks]
        targets += list(self.clock.shown.loop or ())
        near = min(targets, key=lambda at: abs(at - time), default=time)
        return near if abs(self.x_of(near) - event.position().x()) <= _SNAP else time

    def _dragged_loop(self) -> tuple[float, float]:
        assert self._hover is not None
        start, end = sorted((self._drag_from[0], self.time_at(self._hover.x())))
        return max(start, self.scale.first), min(end, self.scale.last)

    def mousePressEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        x, y = event.position().x(), event.position().y()
        if event.button() != Qt.MouseButton.LeftButton:
            self._drag, self._drag_from = "pan", (x, y, self.scale.start, self._scroll)
        elif x < GUTTER or self._is_heading(y):
            self._click_name(y)
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._drag, self._drag_from = "loop", (self._snapped(event), y, 0.0, 0)
        elif (edge := self._loop_edge(x, y)) is not None:
            self._drag, self._drag_from = "loop", (edge, y, 0.0, 0)
        else:
            self._drag = "jump" if y < OVERVIEW else "scrub"
            self._scrub(event)

    def _loop_edge(self, x: float, y: float) -> float | None:
        """The other end of the loop, if the mouse holds one of its ends on the ruler."""
        loop = self.clock.shown.loop
        if loop is None or not OVERVIEW <= y < TOP:
            return None
        for edge, other in ((loop[0], loop[1]), (loop[1], loop[0])):
            if abs(self.x_of(edge) - x) <= _SNAP:
                return other
        return None

    def _is_heading(self, y: float) -> bool:
        row = self._row_at(y)
        return row is not None and bool(row.group)

    def _click_name(self, y: float) -> None:
        row = self._row_at(y)
        if row is None:
            return
        if row.group:
            self._folded ^= {row.group}
            self.update()
        elif row.object:
            self.clock.select(row.object)

    def _scrub(self, event: QMouseEvent) -> None:
        x = event.position().x()
        if self._drag == "jump":
            there = self.scale.last - self.scale.first
            self.clock.grab(self.scale.first + (x - GUTTER) / self._room * there)
            self.scale.page_to(self.clock.cursor or 0.0)
        else:
            self.clock.grab(self._snapped(event))

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        self._hover = event.position()
        if self._drag in ("scrub", "jump"):
            self._scrub(event)
        elif self._drag == "pan":
            x, y, start, scroll = self._drag_from
            self.scale.pan(start - self.scale.start - (self._hover.x() - x) / self._room
                           * self.scale.seconds)  # fmt: skip
            self._scroll_to(scroll - int(self._hover.y() - y))
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        self._hover = event.position()
        if self._drag == "loop":
            start, end = self._dragged_loop()
            if end - start > 1e-6:
                self.clock.send(Loop(start, end))
        if self._drag in ("scrub", "jump"):
            self.clock.let_go()
        self._drag = ""
        self.update()

    def mouseDoubleClickEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        """On a span: zoom to it and play it round and round."""
        assert event is not None
        row = self._row_at(event.position().y())
        if row is None or event.position().x() < GUTTER:
            return
        if row.spans is not None:
            at = row.spans.at(self.time_at(event.position().x()))
            if at is not None:
                start, end = float(row.spans.starts[at]), float(row.spans.ends[at])
                self.scale.fit(start, end)
                if end > start:
                    self.clock.send(Loop(start, end))
        elif row.events is not None:
            x = event.position().x()
            near = min(row.events, key=lambda one: abs(self.x_of(one.time) - x), default=None)
            if near is not None and abs(self.x_of(near.time) - x) <= _SNAP + 2:
                self.clock.jump(near.frame, near.object)
        self.update()

    def leaveEvent(self, event: object) -> None:  # noqa: N802
        self._hover = None
        self.update()

    def wheelEvent(self, event: QWheelEvent | None) -> None:  # noqa: N802
        assert event is not None
        turned = event.angleDelta().y() or event.angleDelta().x()
        keys = event.modifiers()
        if keys & Qt.KeyboardModifier.ShiftModifier:
            self.scale.pan(-turned * 0.0012 * self.scale.seconds)
        elif keys & Qt.KeyboardModifier.AltModifier or event.position().x() < GUTTER:
            self._scroll_to(self._scroll - turned // 3)
        else:
            around = self.time_at(max(float(GUTTER), event.position().x()))
            self.scale.zoom(math.exp(-turned / 600), around)
        self.update()

    def _scroll_to(self, place: int) -> None:
        content = sum(row.height for row in self.rows())
        self._scroll = max(0, min(place, content - (self.height() - TOP)))
