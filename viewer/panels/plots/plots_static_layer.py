"""Paints the plots and their axes into a pixmap that is reused while the playhead moves."""

import math
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from ...state.pinned_fields import PlotKind
from ...state.viewer_store import ViewerStore
from ...toolkit import palette
from ...toolkit.qt import QPainter, QPixmap, QPointF, QRectF, Qt, QWidget
from ...toolkit.text_painting import elided
from ...toolkit.theme import color, font, pen
from ...toolkit.time_text import ruler_step, style, time_text
from ..timeline.row_painter import paint_missing
from ..timeline.time_scale import TimeScale
from ..timeline.timeline_rows import series_color
from .plot_curves import PlotCurve
from .plot_model import Plot, PlotView, missing_of_all, view_of

if TYPE_CHECKING:
    from .pyqtgraph_adapter import PlotPainter

LEFT = 54
"""Pixels to the left that the values have."""
FOOT = 18
"""Pixels at the foot that the times have."""
LEAST = 64
"""Pixels that a plot is high at least; what has no room is scrolled to."""
_TITLE = 20
_OWN_FOOT = 16
"""Pixels of an axis across that a plot has for itself."""
_MIDDLE = Qt.AlignmentFlag.AlignVCenter


class PlotBoxes(NamedTuple):
    """What is where."""

    width: int
    height: int
    ratio: float
    """Device pixels for each."""
    scroll: int
    """Pixels of plots that are scrolled past."""
    plots: int
    """How many plots there are."""

    @property
    def room(self) -> float:
        """Pixels that time has."""
        return max(1.0, self.width - LEFT - 8.0)

    @property
    def each(self) -> float:
        """How high a plot is: they share the panel as long as there is room."""
        return max(float(LEAST), (self.height - FOOT) / max(1, self.plots))

    def x_of(self, scale: TimeScale, time: float) -> float:
        """Where a time is, in pixels."""
        return LEFT + scale.x(time, self.room)

    def box_of(self, at: int) -> QRectF:
        """Where a plot is."""
        return QRectF(LEFT, at * self.each - self.scroll, self.room, self.each)

    def inside_of(self, at: int, plot: Plot) -> QRectF:
        """Where a plot's curves are."""
        foot = 4 if plot.kind is PlotKind.TIME else 4 + _OWN_FOOT
        return self.box_of(at).adjusted(0, _TITLE, 0, -foot)

    def is_seen(self, at: int) -> bool:
        """Whether anything of a plot is in sight."""
        box = self.box_of(at)
        return box.bottom() > 0 and box.top() < self.height


def color_of(at: int, curve: int = 0) -> str:
    """A curve's colour: by its plot's index, and by its own in that."""
    # An odd step goes through all colours before one comes again.
    return series_color(at + 3 * curve)


class PlotBackground:
    """Made again only when what it shows has changed."""

    def __init__(self, store: ViewerStore, scale: TimeScale, owner: QWidget) -> None:
        self._store = store
        self._scale = scale
        self._owner = owner
        self._pixmap: QPixmap | None = None
        self._shows: tuple[object, ...] = ()
        self.views: dict[int, PlotView] = {}
        """How the plots in sight are drawn in the image, by their indexes."""
        self.made = 0
        """How often it was."""

    @cached_property
    def _painter(self) -> "PlotPainter":
        # Here and not above: who never looks at plots need not wait for pyqtgraph to be read.
        from .pyqtgraph_adapter import PlotPainter

        return PlotPainter(self._owner)

    def close(self) -> None:
        """Let go of what pyqtgraph holds; it is made again if something is drawn after all."""
        painter = self.__dict__.pop("_painter", None)
        if painter is not None:
            painter.close()

    def pixmap(self, plots: Sequence[Plot], boxes: PlotBoxes, version: object) -> QPixmap:
        """The image of these plots.

        Args:
            version: Differs if anything in the plots has changed.
        """
        store, scale = self._store, self._scale
        shows = (
            boxes, version, scale.start, scale.end, style(), store.playback.loop,
            store.playback.span,
        )  # fmt: skip
        if self._pixmap is None or shows != self._shows:
            self._shows = shows
            self.made += 1
            self._pixmap = self._paint(plots, boxes)
        return self._pixmap

    def _paint(self, plots: Sequence[Plot], boxes: PlotBoxes) -> QPixmap:
        pixmap = QPixmap(int(boxes.width * boxes.ratio), int(boxes.height * boxes.ratio))
        pixmap.setDevicePixelRatio(boxes.ratio)
        painter = QPainter(pixmap)
        try:
            self.views = self.draw(painter, plots, boxes)
        finally:
            painter.end()
        return pixmap

    def draw(
        self, painter: QPainter, plots: Sequence[Plot], boxes: PlotBoxes
    ) -> dict[int, PlotView]:
        """Draw plots onto anything; how they are drawn, by their indexes."""
        painter.fillRect(QRectF(0, 0, boxes.width, boxes.height), color(palette.PANEL))
        seen = [at for at in range(len(plots)) if boxes.is_seen(at)]
        self._ruler(painter, plots, seen, boxes)
        painter.save()
        painter.setClipRect(QRectF(0, 0, boxes.width, boxes.height - FOOT))
        views = self._curves(painter, plots, seen, boxes)
        for at in seen:
            self._around(painter, plots[at], at, views[at], boxes)
        painter.restore()
        return views

    def _curves(
        self, painter: QPainter, plots: Sequence[Plot], seen: Sequence[int], boxes: PlotBoxes
    ) -> dict[int, PlotView]:  # fmt: skip
        from .pyqtgraph_adapter import PlotDrawing

        scale, drawings, views = self._scale, [], {}
        for at in seen:
            plot, box = plots[at], boxes.inside_of(at, plots[at])
            pixels = max(1, int(box.width() * boxes.ratio))
            view = views[at] = view_of(plot, scale.start, scale.end, pixels)
            colors = [color_of(at, curve) for curve in range(len(view.curves))]
            if plot.kind is PlotKind.XY:  # the first one is across
                colors = [color_of(at, curve + 1) for curve in range(len(view.curves))]
            drawings.append(PlotDrawing(box, LEFT, view, colors, plot.kind is not PlotKind.TIME))
        self._painter.paint(painter, boxes.width, boxes.height - FOOT, drawings)
        return views

    def _ruler(
        self, painter: QPainter, plots: Sequence[Plot], seen: Sequence[int], boxes: PlotBoxes
    ) -> None:
        step = ruler_step(self._scale.seconds / boxes.room, 80.0)
        painter.setFont(font(10, mono=True))
        foot = boxes.height - FOOT
        time_boxes = [boxes.box_of(at) for at in seen if plots[at].kind is PlotKind.TIME]
        for number in range(math.ceil(self._scale.start / step), int(self._scale.end / step) + 1):
            x = boxes.x_of(self._scale, number * step)
            painter.setPen(pen(palette.GRID))
            for box in time_boxes:
                bottom = min(box.bottom(), float(foot))
                painter.drawLine(QPointF(x, box.top()), QPointF(x, bottom))
            painter.setPen(pen(palette.FAINT))
            painter.drawText(
                QPointF(x + 3, foot + 13), time_text(number * step, 0 if step >= 1 else 1)
            )

    def _around(
        self, painter: QPainter, plot: Plot, at: int, view: PlotView, boxes: PlotBoxes
    ) -> None:
        """Paint what is above and beside a plot's curves."""
        box = boxes.box_of(at)
        if plot.kind is PlotKind.TIME:
            painter.save()
            painter.setClipRect(box, Qt.ClipOperation.IntersectClip)
            paint_missing(painter, missing_of_all(plot.graphs), box, self._scale)
            painter.restore()
            self._loop(painter, box)
        painter.setPen(pen(palette.EDGE))
        painter.drawLine(QPointF(0, box.bottom() - 0.5), QPointF(boxes.width, box.bottom() - 0.5))
        if view.y is None:
            self._nothing(painter, plot, boxes.inside_of(at, plot))
        self._title(painter, plot, at, box)

    def _nothing(self, painter: QPainter, plot: Plot, box: QRectF) -> None:
        is_number = any(graph.ends is not None for graph in plot.graphs)
        why = "no values in sight"
        if plot.kind is PlotKind.TIME and is_number and plot.style.log:
            why = "no value is above 0: a logarithmic axis can't show the others"
        elif plot.kind is PlotKind.TIME and not is_number:
            why = "no values"
        painter.setFont(font(11))
        painter.setPen(pen(palette.DIM))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, why)

    def _title(self, painter: QPainter, plot: Plot, at: int, box: QRectF) -> None:
        left, end = box.left() + 6, box.left() + 6 + box.width() * 0.5
        curve = 0
        for graph in plot.graphs:
            left = _name(
                painter, graph, QRectF(left, box.top() + 2, end - left, 18), color_of(at, curve)
            )
            curve += graph.parts.shape[1] if plot.kind is not PlotKind.XY else 1
        captions = [
            word for word, holds in (
                ("XY", plot.kind is PlotKind.XY), ("histogram", plot.kind is PlotKind.HISTOGRAM),
                ("log", plot.style.log), ("zoomed", plot.style.span is not None),
            ) if holds
        ]  # fmt: skip
        painter.setFont(font(10))
        painter.setPen(pen(palette.FAINT))
        words = QRectF(left, box.top() + 3, max(0.0, end + 40 - left), 18)
        if words.width() > 30:
            painter.drawText(words, _MIDDLE, elided(painter, " · ".join(captions), words.width()))

    def _loop(self, painter: QPainter, box: QRectF) -> None:
        loop = self._store.playback.loop
        if loop is not None:
            xs = (box.left() + self._scale.x(one, box.width()) for one in loop)
            left, right = (min(max(x, box.left()), box.right()) for x in xs)
            painter.fillRect(
                QRectF(left, box.top(), right - left, box.height()), color(palette.ACCENT, 20)
            )


def _name(painter: QPainter, graph: PlotCurve, words: QRectF, name: str) -> float:
    """A field's name with its unit; where the next one can be."""
    if words.width() < 24:
        return words.left()
    painter.setFont(font(12, bold=True))
    painter.setPen(pen(name))
    # The end of an object's name and its field says more than the beginning.
    mode = Qt.TextElideMode.ElideRight
    if graph.title != graph.field.name:
        mode = Qt.TextElideMode.ElideLeft
    title = painter.fontMetrics().elidedText(graph.title, mode, int(words.width() - 24))
    painter.drawText(words, _MIDDLE, title)
    used = painter.fontMetrics().horizontalAdvance(title) + 6
    if graph.unit:
        painter.setFont(font(10))
        painter.setPen(pen(palette.FAINT))
        painter.drawText(words.adjusted(used, 1, 64, 0), _MIDDLE, graph.unit)
        used += painter.fontMetrics().horizontalAdvance(graph.unit) + 8
    return words.left() + used + 4
