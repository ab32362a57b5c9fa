"""The curves of the plots dock with their axes, kept as a picture while the playhead moves."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..clock import Clock
from ..models import palette
from ..models.graphs import Graph
from ..models.lanes import envelope
from ..models.times import step_for, style, told
from ..models.timescale import Timescale
from ..models.tracks import series_color, short
from ..painting import elided
from ..qt import QPainter, QPixmap, QPointF, QRectF, Qt
from ..theme import color, font, pen
from .rows import RowPainter, paint_hatch

LEFT = 54
"""Pixels to the left that the values have."""
FOOT = 18
_TITLE = 20
LEAST = 64
"""Pixels that a curve is high at least; what has no room is scrolled to."""
_MIDDLE = Qt.AlignmentFlag.AlignVCenter


class Place(NamedTuple):
    """What is where."""

    width: int
    height: int
    ratio: float
    """Device pixels for each."""
    scroll: int
    """Pixels of curves that are scrolled past."""
    curves: int
    """How many curves there are."""

    @property
    def room(self) -> float:
        """Pixels that time has."""
        return max(1.0, self.width - LEFT - 8.0)

    @property
    def each(self) -> float:
        """How high a curve is: they share the panel as long as there is room."""
        return max(float(LEAST), (self.height - FOOT) / max(1, self.curves))

    def x_of(self, scale: Timescale, time: float) -> float:
        """Where a time is, in pixels."""
        return LEFT + scale.x(time, self.room)

    def box_of(self, at: int) -> QRectF:
        """Where a curve is."""
        return QRectF(LEFT, at * self.each - self.scroll, self.room, self.each)

    def is_seen(self, at: int) -> bool:
        """Whether anything of a curve is in sight."""
        box = self.box_of(at)
        return box.bottom() > 0 and box.top() < self.height


def color_of(at: int, part: int = 0) -> str:
    """A curve's colour: by its place, and of a vector by the part."""
    return series_color(at + 2 * part)


class PlotStill:
    """Made anew only when what it shows has changed."""

    def __init__(self, clock: Clock, scale: Timescale) -> None:
        self._clock = clock
        self._scale = scale
        self._rows = RowPainter()
        self._picture: QPixmap | None = None
        self._shows: tuple[object, ...] = ()
        self.made = 0
        """How often it was."""

    def picture(self, curves: Sequence[Graph], place: Place, version: object) -> QPixmap:
        """The picture of these curves.

        Args:
            version: Differs if anything in the curves has changed.
        """
        clock, scale = self._clock, self._scale
        shows = (
            place, version, scale.start, scale.end, style(), clock.shown.loop, clock.shown.span
        )  # fmt: skip
        if self._picture is None or shows != self._shows:
            self._shows = shows
            self.made += 1
            self._picture = self._paint(curves, place)
        return self._picture

    def _paint(self, curves: Sequence[Graph], place: Place) -> QPixmap:
        picture = QPixmap(int(place.width * place.ratio), int(place.height * place.ratio))
        picture.setDevicePixelRatio(place.ratio)
        picture.fill(color(palette.PANEL))
        painter = QPainter(picture)
        try:
            self._ruler(painter, place)
            painter.setClipRect(QRectF(0, 0, place.width, place.height - FOOT))
            for at, graph in enumerate(curves):
                if place.is_seen(at):
                    self._curve(painter, graph, at, place)
            self._missing(painter, place)
            self._loop(painter, place)
        finally:
            painter.end()
        return picture

    def _ruler(self, painter: QPainter, place: Place) -> None:
        step = step_for(self._scale.seconds / place.room, 80.0)
        painter.setFont(font(10, mono=True))
        foot = place.height - FOOT
        for number in range(math.ceil(self._scale.start / step), int(self._scale.end / step) + 1):
            x = place.x_of(self._scale, number * step)
            painter.setPen(pen("#1d222b"))
            painter.drawLine(QPointF(x, 0), QPointF(x, foot))
            painter.setPen(pen(palette.FAINT))
            painter.drawText(QPointF(x + 3, foot + 13), told(number * step, 0 if step >= 1 else 1))

    def _curve(self, painter: QPainter, graph: Graph, at: int, place: Place) -> None:
        box = place.box_of(at)
        inside = box.adjusted(0, _TITLE, 0, -4)
        ends = graph.ends
        if ends is not None:
            painter.save()
            painter.setClipRect(box, Qt.ClipOperation.IntersectClip)
            width = max(1, int(box.width()))
            for part in range(graph.parts.shape[1]):
                x, least, most = envelope(
                    graph.times, np.ascontiguousarray(graph.parts[:, part]), self._scale.start,
                    self._scale.end, width,
                )  # fmt: skip
                self._rows.course(
                    painter, x, least, most, ends, color_of(at, part), inside,
                    filled=graph.parts.shape[1] == 1,
                )  # fmt: skip
            painter.restore()
        painter.setPen(pen(palette.EDGE))
        painter.drawLine(QPointF(0, box.bottom() - 0.5), QPointF(place.width, box.bottom() - 0.5))
        self._axis(painter, ends, inside)
        self._title(painter, graph, at, box)

    def _axis(self, painter: QPainter, ends: tuple[float, float] | None, inside: QRectF) -> None:
        if ends is None:
            return
        painter.setFont(font(10, mono=True))
        painter.setPen(pen(palette.FAINT))
        told_at = [(inside.top() + 3, ends[1]), (inside.bottom() - 3, ends[0])]
        if ends[0] == ends[1]:
            told_at = [(inside.center().y(), ends[0])]
        for y, number in told_at:
            place = QRectF(0, y - 7, LEFT - 6, 14)
            painter.drawText(place, _MIDDLE | Qt.AlignmentFlag.AlignRight, short(number))

    def _title(self, painter: QPainter, graph: Graph, at: int, box: QRectF) -> None:
        words = QRectF(box.left() + 6, box.top() + 2, box.width() * 0.5, 18)
        painter.setFont(font(12, bold=True))
        painter.setPen(pen(color_of(at)))
        title = elided(painter, graph.title, words.width() - 40)
        painter.drawText(words, _MIDDLE, title)
        if graph.unit:
            used = painter.fontMetrics().horizontalAdvance(title) + 6
            painter.setFont(font(10))
            painter.setPen(pen(palette.FAINT))
            painter.drawText(words.adjusted(used, 1, 40, 0), _MIDDLE, graph.unit)

    def _missing(self, painter: QPainter, place: Place) -> None:
        clock, scale, foot = self._clock, self._scale, place.height - FOOT
        painter.save()
        painter.setClipRect(QRectF(LEFT, 0, place.room, foot))
        for start, end, why in clock.history.missing(scale.start, scale.end, clock.shown.span):
            left, right = place.x_of(scale, start), place.x_of(scale, end)
            paint_hatch(painter, QRectF(left, 0, right - left, foot), why)
        painter.restore()

    def _loop(self, painter: QPainter, place: Place) -> None:
        loop = self._clock.shown.loop
        if loop is not None:
            xs = (place.x_of(self._scale, one) for one in loop)
            left, right = (min(max(x, LEFT), place.width - 8.0) for x in xs)
            box = QRectF(left, 0, right - left, place.height - FOOT)
            painter.fillRect(box, color(palette.ACCENT, 20))
