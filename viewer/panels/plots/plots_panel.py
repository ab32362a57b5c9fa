"""The plots panel: fields below one another over the time of the whole recording."""

from collections.abc import Mapping

import numpy as np

from ...reader.history.history_record_types import UNREAD
from ...state.pinned_fields import Group, PlotKind
from ...state.shared_pins_and_histories import PanelContext
from ...state.viewer_store import ViewerStore
from ...toolkit import palette
from ...toolkit.qt import (
    QContextMenuEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QKeyEvent,
    QMenu,
    QMouseEvent,
    QPainter,
    QPointF,
    QRectF,
    Qt,
    QWheelEvent,
)
from ...toolkit.text_painting import paint_empty_text
from ...toolkit.theme import color, font, pen
from ...toolkit.time_text import time_text
from ...toolkit.value_text import short_number
from ...widgets.field_drag import field_of
from ...widgets.lists.interactive_list import paint_card
from ...widgets.painted_panel import PaintedPanel
from ..timeline.time_scale import TimeScale
from .plot_curves import PlotCurve
from .plot_menu import PlotMenu
from .plot_model import Plot, PlotView, Series, histogram, on_axis, plots, value_at, xy_samples
from .plot_mouse import PlotMouse
from .plots_static_layer import FOOT, LEFT, PlotBackground, PlotBoxes, color_of

_MIDDLE = Qt.AlignmentFlag.AlignVCenter
_RIGHT = _MIDDLE | Qt.AlignmentFlag.AlignRight


class PlotsPanel(PaintedPanel):
    """Shows the time that the timeline shows. A click or drag seeks, the wheel zooms at the mouse.

    Fields can be dragged here from the inspector. The curves are kept as an image: while the
    playhead moves only it and the values are drawn.
    """

    def __init__(self, store: ViewerStore, scale: TimeScale) -> None:
        super().__init__("Plots")
        self.store = store
        self.context = PanelContext.of(store)
        self.scale = scale
        self.scrolled = 0
        """Pixels of plots that are scrolled past."""
        self.at_plot = -1
        """The plot that keys act on; −1 for none."""
        self.background = PlotBackground(store, scale, self)
        self._plots: list[Plot] = []
        self._plots_of: tuple[object, ...] = ()
        self._pointer = PlotMouse(self)
        self._menu = PlotMenu(self)
        self.setMouseTracking(True)
        self.setAcceptDrops(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        scale.watchers.append(self.update)
        for signal in (
            store.moved,
            store.history_grew,
            store.selection_changed,
            self.context.pins_changed,
            self.context.history_read,
        ):
            signal.connect(self.update)

    def plots(self) -> list[Plot]:
        """What is plotted, from top to bottom."""
        store, pins = self.store, self.context.pins
        objects = sorted({field.object for field in pins.plots} or {store.selected})
        field_histories = [self.context.field_history(one) for one in objects if one]
        made_of = (
            id(store.history), store.history.version, store.selected, pins.plot_groups,
            tuple(pins.plot_styles.items()),
            tuple((one.version, one.progress) for one in field_histories), store.history.span,
            store.history.complete, store.names_version,
        )  # fmt: skip
        if made_of != self._plots_of:
            self._plots_of = made_of
            self._plots = plots(
                store.history, store.selected, pins.plot_groups, pins.plot_styles,
                self.context.field_history, store.name_of,
            )  # fmt: skip
        return self._plots

    def curves(self) -> list[PlotCurve]:
        """The fields that are plotted, from top to bottom."""
        return [graph for plot in self.plots() for graph in plot.graphs]

    def groups(self) -> tuple[Group, ...]:
        """What is plotted, as a list of picked fields."""
        return self.context.pins.plot_groups or tuple(plot.group for plot in self.plots())

    # --- positions ------------------------------------------------------------------------------

    @property
    def room(self) -> float:
        """Pixels that time has."""
        return self.boxes.room

    def x_of(self, time: float) -> float:
        """Where a time is, in this widget's pixels."""
        return LEFT + self.scale.x(time, self.room)

    def time_at(self, x: float) -> float:
        """The time at one of this widget's pixels."""
        return self.scale.time(x - LEFT, self.room)

    @property
    def boxes(self) -> PlotBoxes:
        """What is where."""
        count = len(self.plots())
        return PlotBoxes(
            self.width(), self.height(), self.devicePixelRatioF(), self.scrolled, count
        )

    def plot_at(self, y: float) -> int:
        """The plot at a height; −1 if there is none."""
        at = int((y + self.scrolled) // self.boxes.each)
        return at if 0 <= at < len(self.plots()) and y < self.height() - FOOT else -1

    def inside_of(self, at: int) -> QRectF:
        """Where a plot's curves are."""
        return self.boxes.inside_of(at, self.plots()[at])

    def time_under(self, here: QPointF, at: int) -> float | None:
        """The time at a point of a plot; None if the point is in no plot."""
        if here.x() < LEFT or at < 0:
            return None
        plot = self.plots()[at]
        if plot.kind is PlotKind.TIME:
            return self.time_at(here.x())
        return self._nearest(here, at, plot) if plot.kind is PlotKind.XY else None

    def _nearest(self, here: QPointF, at: int, plot: Plot) -> float | None:
        """When an XY plot was nearest to a point in it."""
        view, box = self.background.views.get(at), self.inside_of(at)
        if view is None or view.y is None:
            return None
        times, x, others = xy_samples(plot, self.scale.start, self.scale.end)
        across = box.left() + (x - view.x[0]) / (view.x[1] - view.x[0]) * box.width()
        best, found = np.inf, None
        for values in others:
            y = on_axis(values, log=view.log)
            down = box.bottom() - (y - view.y[0]) / (view.y[1] - view.y[0]) * box.height()
            away = np.hypot(across - here.x(), down - here.y())
            away[~np.isfinite(away)] = np.inf
            if len(away) and away.min() < best:
                best, found = float(away.min()), float(times[away.argmin()])
        return found

    # --- painting -------------------------------------------------------------------------------

    def paint(self, painter: QPainter) -> None:
        every = self.plots()
        if not every:
            self._paint_empty(painter)
            self._pointer.paint(painter)
            return
        content = self.boxes.each * len(every)
        self.scrolled = round(max(0.0, min(self.scrolled, content - (self.height() - FOOT))))
        self.at_plot = min(self.at_plot, len(every) - 1)
        boxes = self.boxes
        painter.drawPixmap(0, 0, self.background.pixmap(every, boxes, self._plots_of))
        here = self._pointer.here
        self.paint_moving(painter, every, boxes, self.background.views, here)
        self._paint_bar(painter, content)
        self._pointer.paint(painter)
        if here is not None:
            paint_card(painter, QRectF(self.rect()), here, self.card(here))

    def paint_moving(
        self, painter: QPainter, every: list[Plot], boxes: PlotBoxes, views: Mapping[int, PlotView],
        here: QPointF | None,
    ) -> None:  # fmt: skip
        """Over the image: the values, the playhead, and the line under the mouse."""
        painter.save()
        painter.setClipRect(QRectF(0, 0, boxes.width, boxes.height - FOOT))
        time = self.store.cursor
        if here is not None:
            under = self.time_under(here, self.plot_at(here.y()))
            time = time if under is None else under
        for at, plot in enumerate(every):
            if boxes.is_seen(at):
                self._paint_values(painter, plot, at, boxes.box_of(at), time)
                self._paint_playhead(painter, plot, boxes.box_of(at), here)
                view = views.get(at)
                if view is not None and view.y is not None and plot.kind is not PlotKind.TIME:
                    self._paint_instant(painter, plot, view, boxes.inside_of(at, plot))
        painter.restore()

    def _paint_empty(self, painter: QPainter) -> None:
        painter.fillRect(self.rect(), color(palette.PANEL))
        title = "Nothing of the selected object is a number"
        if not self.store.selected:
            title = "Select an object to see its values over time"
        elif (
            self.context.field_history(self.store.selected).progress < 1.0
            or not self.store.knows_all
        ):
            title = "Reading the selected object's values …"
        paint_empty_text(painter, QRectF(self.rect()), title, "session.watch(name, value, object)")

    def _paint_values(
        self, painter: QPainter, plot: Plot, at: int, box: QRectF, time: float | None
    ) -> None:
        """The value of each curve at a time, in the upper right corner."""
        right = box.right() - 4
        is_xy = plot.kind is PlotKind.XY
        curves = plot.pair if is_xy else plot.series
        painter.setFont(font(12, mono=True))
        for curve, series in reversed(list(enumerate(curves))):
            text = self._reading(series, time)
            if text == UNREAD and curve and curves[curve - 1].graph is series.graph:
                continue  # reported once for all parts
            words = f"{series.name} {text}".strip() if text != UNREAD else text
            painter.setPen(pen(color_of(at, curve) if text != UNREAD else palette.FAINT))
            width = painter.fontMetrics().horizontalAdvance(words) + 10.0
            where = QRectF(right - width, box.top() + 2, width, 18)
            painter.fillRect(where, color(palette.PANEL))  # a long title ends there
            painter.drawText(where, _RIGHT, words)
            right -= width

    def _paint_playhead(
        self, painter: QPainter, plot: Plot, box: QRectF, here: QPointF | None
    ) -> None:
        """The playhead over time, and the line under the mouse."""
        cursor = self.store.cursor
        if plot.kind is not PlotKind.TIME:
            return
        if here is not None and here.x() >= LEFT:
            painter.setPen(pen(palette.SELECTED, 1.0, 60))
            painter.drawLine(QPointF(here.x(), box.top()), QPointF(here.x(), box.bottom()))
        if cursor is not None and self.scale.start <= cursor <= self.scale.end:
            x = box.left() + self.scale.x(cursor, box.width()) - 0.75
            painter.fillRect(QRectF(x, box.top(), 1.5, box.height()), color(palette.PLAYHEAD))

    def _paint_instant(self, painter: QPainter, plot: Plot, view: PlotView, box: QRectF) -> None:
        """Where the playhead's values are in a plot that has no time across."""
        cursor = self.store.cursor
        if cursor is None:
            return
        is_xy = plot.kind is PlotKind.XY
        values = [value_at(series, cursor) for series in (plot.pair if is_xy else plot.series)]
        columns = [None if one is None else box.left() + view.across(one) * box.width()
                  for one in values]  # fmt: skip
        painter.save()
        painter.setClipRect(box, Qt.ClipOperation.IntersectClip)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color(palette.PLAYHEAD))
        for x, value in zip(columns, values, strict=True):
            if not is_xy and x is not None:
                painter.drawRect(QRectF(x - 0.75, box.top(), 1.5, box.height()))
            up = view.share_of(value) if is_xy and value is not None else None
            if up is not None and value is not values[0] and columns[0] is not None:
                painter.drawEllipse(QPointF(columns[0], box.bottom() - up * box.height()), 4, 4)
        painter.restore()

    def _paint_bar(self, painter: QPainter, content: float) -> None:
        """Where one is among more plots than have room."""
        seen = self.height() - FOOT
        if content > seen + 0.5:
            length = max(24.0, seen * seen / content)
            top = (seen - length) * self.scrolled / (content - seen)
            box = QRectF(self.width() - 6, top + 2, 4, length - 4)
            painter.fillRect(box, color(palette.SCROLL_BAR))

    # --- in words -------------------------------------------------------------------------------

    def card(self, here: QPointF) -> list[str]:
        """What the hover card says."""
        at = self.plot_at(here.y())
        if at < 0:
            return []
        plot = self.plots()[at]
        if here.x() < LEFT:
            return [
                "Drag moves the values, a double click shows all of them",
                "Ctrl+wheel zooms them, the wheel scrolls",
            ]
        time, lines = self.time_under(here, at), []
        if plot.kind is PlotKind.HISTOGRAM:
            lines += self._bin(here, at, plot)
        for graph in plot.graphs:
            lines.append(f"{graph.title}   {graph.unit}".rstrip())
            if time is not None:
                lines.append(f"{time_text(time)}   {self._value_text(graph, time)}")
            progress = self._progress(graph)
            if graph.ends is not None:
                of = "the whole recording" if progress >= 1.0 else "what was read so far"
                ends = " to ".join(short_number(one) for one in graph.ends)
                lines.append(f"from {ends}, of {of}")
            if progress < 1.0:
                lines.append(f"reading … {progress:.0%}")
        return lines

    def _bin(self, here: QPointF, at: int, plot: Plot) -> list[str]:
        """The range and the count of a histogram's bar, as text."""
        view, box = self.background.views.get(at), self.inside_of(at)
        edges, counts = histogram(plot, self.scale.start, self.scale.end)
        if view is None or not len(edges):
            return []
        value = view.x[0] + (here.x() - box.left()) / box.width() * (view.x[1] - view.x[0])
        index = min(max(int(np.searchsorted(edges, value, "right")) - 1, 0), len(edges) - 2)
        times = ", ".join(
            f"{series.name} {int(one[index])} of {int(one.sum())}".strip()
            for series, one in zip(plot.series, counts, strict=True)
        )
        return [
            f"{short_number(edges[index])} … {short_number(edges[index + 1])}: {times} in sight"
        ]

    def _progress(self, graph: PlotCurve) -> float:
        """How much of a curve has been read, 0 … 1."""
        if graph.field.watch:
            return 1.0 if self.store.knows_all else self.store.progress
        return self.context.field_history(graph.field.object).progress

    def _reading(self, series: Series, time: float | None) -> str:
        """The value of a curve at a time."""
        if time is None:
            return "—"
        if series.graph.why_missing(time) == UNREAD:
            return UNREAD
        value = value_at(series, time)
        return "—" if value is None else short_number(value)

    def _value_text(self, graph: PlotCurve, time: float) -> str:
        values = graph.at(time)
        if graph.why_missing(time) == UNREAD:
            return UNREAD
        if values is None or not np.isfinite(values).any():
            return "—"
        pairs = zip(graph.names, values.tolist(), strict=True)
        return "   ".join(f"{name} {short_number(value)}".strip() for name, value in pairs)

    def text(self) -> str:
        """What each curve says at the playhead."""
        cursor = self.store.cursor
        if cursor is None or not self.plots():
            return "Nothing is plotted"
        lines = [time_text(cursor)]
        for plot in self.plots():
            kind = "" if plot.kind is PlotKind.TIME else f"   {plot.kind.value}"
            for graph in plot.graphs:
                ends = graph.ends
                around = (
                    ""
                    if ends is None
                    else f"   ({short_number(ends[0])} … {short_number(ends[1])})"
                )
                title = f"{graph.title} {graph.unit}".rstrip()
                lines.append(f"  {title}   {self._value_text(graph, cursor)}{around}{kind}")
        return "\n".join(lines)

    # --- the menu -------------------------------------------------------------------------------

    def menu(self, point: QPointF) -> QMenu:
        """The menu at a point."""
        return self.menu_of(self._menu.menu_entries(self.plot_at(point.y())))

    def contextMenuEvent(self, event: QContextMenuEvent | None) -> None:  # noqa: N802
        """For the menu key only: the right button pans, and opens the menu when released."""
        assert event is not None
        if event.reason() != QContextMenuEvent.Reason.Mouse:
            point = QPointF(event.pos())
            if self.at_plot >= 0:
                point = self.boxes.box_of(self.at_plot).center()
            self.menu(point).exec(self.mapToGlobal(point.toPoint()))

    # --- mouse and keys -------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        self._pointer.press(event)

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        self._pointer.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        self._pointer.release(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        self._pointer.double_click(event)

    def leaveEvent(self, event: object) -> None:  # noqa: N802
        self._pointer.leave()

    def wheelEvent(self, event: QWheelEvent | None) -> None:  # noqa: N802
        assert event is not None
        self._pointer.turn(event)

    def keyPressEvent(self, event: QKeyEvent | None) -> None:  # noqa: N802
        assert event is not None
        if not self._pointer.key(event):
            super().keyPressEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent | None) -> None:  # noqa: N802
        assert event is not None
        if field_of(event.mimeData()) is not None:
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent | None) -> None:  # noqa: N802
        assert event is not None
        if field_of(event.mimeData()) is not None:
            self._pointer.carry(event.position())
            event.acceptProposedAction()

    def dragLeaveEvent(self, event: QDragLeaveEvent | None) -> None:  # noqa: N802
        self._pointer.carry(None)

    def dropEvent(self, event: QDropEvent | None) -> None:  # noqa: N802
        assert event is not None
        field = field_of(event.mimeData())
        if field is not None:
            self._pointer.drop(field, event.position())
            event.acceptProposedAction()
