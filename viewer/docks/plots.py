"""The plots dock: fields one below the other over one time, from end to end of the recording."""

import math
from collections.abc import Callable

import numpy as np

from ..clock import Clock
from ..desk import Desk
from ..models import palette
from ..models.graphs import Graph, graphs
from ..models.times import told
from ..models.timescale import Timescale
from ..models.tracks import short
from ..painting import Panel, say_empty
from ..qt import (
    QContextMenuEvent,
    QMenu,
    QMouseEvent,
    QPainter,
    QPoint,
    QPointF,
    QRectF,
    Qt,
    QWheelEvent,
)
from ..theme import color, font, pen
from .plot_still import FOOT, LEFT, Place, PlotStill, color_of
from .readable import paint_card

_TREMBLE = 4.0
_MIDDLE = Qt.AlignmentFlag.AlignVCenter


class PlotsDock(Panel):
    """Shows the time that the timeline shows. A click or drag seeks, the wheel zooms at the mouse.

    The curves are kept as a picture: while the playhead moves only it and the values are drawn.
    """

    def __init__(self, clock: Clock, scale: Timescale) -> None:
        super().__init__("Plots")
        self.clock = clock
        self.desk = Desk.of(clock)
        self.scale = scale
        self.scrolled = 0
        """Pixels of curves that are scrolled past."""
        self._curves: list[Graph] = []
        self._curves_of: tuple[object, ...] = ()
        self._still = PlotStill(clock, scale)
        self._here: QPointF | None = None
        self._gesture = ""
        self._from: tuple[float, float, float, int] = (0.0, 0.0, 0.0, 0)
        self._moved = False
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        scale.watchers.append(self.update)
        for signal in (clock.moved, clock.grew, clock.picked, self.desk.picked, self.desk.read):
            signal.connect(self.update)

    def curves(self) -> list[Graph]:
        """What is plotted, from top to bottom."""
        clock, picked = self.clock, self.desk.picks.plots
        objects = sorted({field.object for field in picked} or {clock.selected})
        read = tuple(self.desk.course(one).version for one in objects if one)
        made_of = (id(clock.history), clock.history.version, clock.selected, picked, read)
        if made_of != self._curves_of:
            self._curves_of = made_of
            self._curves = graphs(
                clock.history, clock.selected, picked, self.desk.course, self._name_of
            )
        return self._curves

    def _name_of(self, object: int) -> str:
        return self.clock.moment.name_of(object) if self.clock.moment is not None else str(object)

    # --- places ---------------------------------------------------------------------------------

    @property
    def room(self) -> float:
        """Pixels that time has."""
        return max(1.0, self.width() - LEFT - 8.0)

    def x_of(self, time: float) -> float:
        """Where a time is, in this widget's pixels."""
        return LEFT + self.scale.x(time, self.room)

    def time_at(self, x: float) -> float:
        """The time at one of this widget's pixels."""
        return self.scale.time(x - LEFT, self.room)

    @property
    def place(self) -> Place:
        """What is where."""
        count = len(self.curves())
        return Place(self.width(), self.height(), self.devicePixelRatioF(), self.scrolled, count)

    def curve_at(self, y: float) -> int:
        """The curve at a height; −1 if there is none."""
        at = int((y + self.scrolled) // self.place.each)
        return at if 0 <= at < len(self.curves()) and y < self.height() - FOOT else -1

    # --- the picture ----------------------------------------------------------------------------

    def paint(self, painter: QPainter) -> None:
        curves = self.curves()
        if not curves:
            self._paint_empty(painter)
            return
        content = self.place.each * len(curves)
        self.scrolled = round(max(0.0, min(self.scrolled, content - (self.height() - FOOT))))
        place = self.place
        painter.drawPixmap(0, 0, self._still.picture(curves, place, self._curves_of))
        painter.setClipRect(QRectF(0, 0, self.width(), self.height() - FOOT))
        time = self.clock.cursor
        here = self._here if self._here is not None and not self._gesture else None
        if here is not None and here.x() >= LEFT:
            time = self.time_at(here.x())
        for at, graph in enumerate(curves):
            if place.is_seen(at):
                self._paint_values(painter, graph, at, place.box_of(at), time)
        painter.setClipping(False)
        self._paint_lines(painter, here)
        self._paint_bar(painter, content)
        if here is not None:
            paint_card(painter, QRectF(self.rect()), here, self.card(here))

    def _paint_empty(self, painter: QPainter) -> None:
        painter.fillRect(self.rect(), color(palette.PANEL))
        title = "Nothing of the selected object is a number"
        if not self.clock.selected:
            title = "Select an object to see its values over time"
        elif self.desk.course(self.clock.selected).progress < 1.0:
            title = "Reading the selected object's values …"
        say_empty(painter, QRectF(self.rect()), title, "session.watch(name, value, object)")

    def _paint_values(
        self, painter: QPainter, graph: Graph, at: int, box: QRectF, time: float | None
    ) -> None:
        """What a curve says at a time, in its upper right corner."""
        values = None if time is None else graph.at(time)
        right, place = _MIDDLE | Qt.AlignmentFlag.AlignRight, box.right() - 4
        painter.setFont(font(12, mono=True))
        told_parts = list(enumerate(graph.names))
        for part, name in reversed(told_parts):
            number = "—" if values is None or not np.isfinite(values[part]) else short(values[part])
            text = f"{name} {number}".strip()
            painter.setPen(pen(color_of(at, part)))
            width = painter.fontMetrics().horizontalAdvance(text) + 10.0
            painter.drawText(QRectF(place - width, box.top() + 2, width, 18), right, text)
            place -= width

    def _paint_lines(self, painter: QPainter, here: QPointF | None) -> None:
        """The playhead, and the line under the mouse."""
        foot = self.height() - FOOT
        if here is not None and here.x() >= LEFT:
            painter.setPen(pen("#ffffff", 1.0, 60))
            painter.drawLine(QPointF(here.x(), 0), QPointF(here.x(), foot))
        cursor = self.clock.cursor
        if cursor is not None and self.scale.start <= cursor <= self.scale.end:
            painter.fillRect(
                QRectF(self.x_of(cursor) - 0.75, 0, 1.5, foot), color(palette.PLAYHEAD)
            )

    def _paint_bar(self, painter: QPainter, content: float) -> None:
        """Where one is among more curves than have room."""
        seen = self.height() - FOOT
        if content > seen + 0.5:
            length = max(24.0, seen * seen / content)
            top = (seen - length) * self.scrolled / (content - seen)
            painter.fillRect(QRectF(self.width() - 6, top + 2, 4, length - 4), color("#343b49"))

    # --- in words -------------------------------------------------------------------------------

    def card(self, here: QPointF) -> list[str]:
        """What the hover card says."""
        at = self.curve_at(here.y())
        if at < 0:
            return []
        graph, ends = self.curves()[at], self.curves()[at].ends
        lines = [f"{graph.title}   {graph.unit}".rstrip()]
        if here.x() >= LEFT:
            time = self.time_at(here.x())
            lines.append(f"{told(time)}   {self._said(graph, time)}")
        if ends is not None:
            lines.append(f"from {short(ends[0])} to {short(ends[1])}, of the whole recording")
        course = None if graph.field.watch else self.desk.course(graph.field.object)
        if course is not None and course.progress < 1.0:
            lines.append(f"reading … {course.progress:.0%}")
        return lines

    def _said(self, graph: Graph, time: float) -> str:
        values = graph.at(time)
        if values is None or not np.isfinite(values).any():
            return "—"
        pairs = zip(graph.names, values.tolist(), strict=True)
        return "   ".join(f"{name} {short(value)}".strip() for name, value in pairs)

    def text(self) -> str:
        """What each curve says at the playhead."""
        cursor = self.clock.cursor
        if cursor is None or not self.curves():
            return "Nothing is plotted"
        lines = [told(cursor)]
        for graph in self.curves():
            ends = graph.ends
            around = "" if ends is None else f"   ({short(ends[0])} … {short(ends[1])})"
            title = f"{graph.title} {graph.unit}".rstrip()
            lines.append(f"  {title}   {self._said(graph, cursor)}{around}")
        return "\n".join(lines)

    # --- the menu -------------------------------------------------------------------------------

    def menu(self, place: QPointF) -> QMenu:
        """The menu at a place."""
        desk = self.desk
        offered: list[tuple[str, Callable[[], object]]] = []
        at = self.curve_at(place.y())
        if at >= 0:
            field = self.curves()[at].field
            is_picked, has_lane = field in desk.picks.plots, field in desk.picks.lanes
            offered += [
                ("Plot no more" if is_picked else "Plot whoever is selected",
                 lambda: desk.plot(field)),
                ("Remove its lane" if has_lane else "Add as lane", lambda: desk.lane(field)),
            ]  # fmt: skip
        if desk.picks.plots:
            offered.append(("Plot what the selected object has", desk.clear_plots))
        return self.menu_of([*offered, ("Show all time", self.scale.fit)])

    def contextMenuEvent(self, event: QContextMenuEvent | None) -> None:  # noqa: N802
        """By the keyboard only: the right button pans, and opens the menu when it is let go."""
        assert event is not None
        if event.reason() != QContextMenuEvent.Reason.Mouse:
            self.menu(QPointF(event.pos())).exec(event.globalPos())

    # --- the mouse ------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        place = event.position()
        self._here, self._moved = place, False
        self._from = (place.x(), place.y(), self.scale.start, self.scrolled)
        if event.button() != Qt.MouseButton.LeftButton:
            self._gesture = "pan"
        elif place.x() >= LEFT:
            self._gesture = "scrub"
            self.clock.grab(self.time_at(place.x()))

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        self._here = event.position()
        x, y, start, scroll = self._from
        away = abs(self._here.x() - x) + abs(self._here.y() - y)
        self._moved = self._moved or away > _TREMBLE
        if self._gesture == "scrub":
            self.clock.grab(self.time_at(self._here.x()))
        elif self._gesture == "pan" and self._moved:
            seconds = (self._here.x() - x) / self.room * self.scale.seconds
            self.scale.pan(start - self.scale.start - seconds)
            self.scrolled = scroll - int(self._here.y() - y)
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        gesture, self._gesture = self._gesture, ""
        if gesture == "scrub":
            self.clock.let_go()
        elif gesture == "pan" and not self._moved and event.button() == Qt.MouseButton.RightButton:
            place = event.position()
            self.menu(place).popup(self.mapToGlobal(QPoint(int(place.x()), int(place.y()))))
        self.update()

    def leaveEvent(self, event: object) -> None:  # noqa: N802
        self._here = None
        self.update()

    def wheelEvent(self, event: QWheelEvent | None) -> None:  # noqa: N802
        assert event is not None
        turned = event.angleDelta().y() or event.angleDelta().x()
        keys = event.modifiers()
        if keys & Qt.KeyboardModifier.ShiftModifier:
            self.scale.pan(-turned * 0.0012 * self.scale.seconds)
        elif keys & Qt.KeyboardModifier.AltModifier or event.position().x() < LEFT:
            self.scrolled = max(0, self.scrolled - turned // 3)
        else:
            self.scale.zoom(math.exp(-turned / 600), self.time_at(event.position().x()))
        self.update()
