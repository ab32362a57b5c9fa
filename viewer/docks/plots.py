"""The plots dock: the selected object's watched values, one below the other over one time."""

import numpy as np

from ..clock import Clock
from ..models import palette
from ..models.lanes import Floats
from ..models.times import step_for, told
from ..models.timescale import Timescale
from ..models.tracks import series_color, short
from ..painting import Panel, elided, say_empty
from ..qt import QMouseEvent, QPainter, QPointF, QRectF, Qt
from ..theme import color, font, pen
from .rows import RowPainter

_LEFT = 54
_FOOT = 18
_LEAST = 64
"""Pixels that a curve is high at least; what has no room is counted."""


class PlotsDock(Panel):
    """Shows the time that the timeline shows. A click or drag seeks."""

    def __init__(self, clock: Clock, scale: Timescale) -> None:
        super().__init__("Plots")
        self.clock = clock
        self.scale = scale
        self._painter = RowPainter()
        self._hover: QPointF | None = None
        self._drags = False
        self.setMouseTracking(True)
        for signal in (clock.moved, clock.grew, clock.picked):
            signal.connect(self.update)

    def curves(self) -> list[tuple[str, Floats, Floats]]:
        """Name, times (seconds) and values of everything watched of the selected object."""
        history = self.clock.history
        return [
            (
                name,
                np.interp(series.frames, history.times.frames, history.times.values),
                series.values,
            )
            for (object, name), series in history.series.items()
            if object == self.clock.selected
        ]

    @property
    def _room(self) -> float:
        return max(1.0, self.width() - _LEFT - 8.0)

    def paint(self, painter: QPainter) -> None:
        painter.fillRect(self.rect(), color(palette.PANEL))
        curves = self.curves()
        if not curves:
            title = "Nothing is watched of the selected object"
            if not self.clock.selected:
                title = "Select an object to see its watched values"
            say_empty(painter, QRectF(self.rect()), title, "session.watch(name, value, object)")
            return
        most = max(1, int((self.height() - _FOOT) // _LEAST))
        height = (self.height() - _FOOT) / min(len(curves), most)
        self._paint_ruler(painter)
        for at, curve in enumerate(curves[:most]):
            box = QRectF(_LEFT, at * height, self._room, height)
            self._paint_curve(painter, curve, series_color(at), box)
        if len(curves) > most:
            painter.setFont(font(11))
            painter.setPen(pen(palette.FAINT))
            words = QRectF(_LEFT, self.height() - _FOOT, self._room, _FOOT)
            flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(words, flags, f"{len(curves) - most} more: make this panel higher")
        self._paint_playhead(painter)

    def _paint_ruler(self, painter: QPainter) -> None:
        step = step_for(self.scale.seconds / self._room, 80.0)
        painter.setFont(font(10, mono=True))
        foot = self.height() - _FOOT
        first = int(np.ceil(self.scale.start / step))
        for number in range(first, int(self.scale.end / step) + 1):
            x = _LEFT + self.scale.x(number * step, self._room)
            painter.setPen(pen("#1d222b"))
            painter.drawLine(QPointF(x, 0), QPointF(x, foot))
            painter.setPen(pen(palette.FAINT))
            painter.drawText(QPointF(x + 3, foot + 13), told(number * step, 0 if step >= 1 else 1))

    def _paint_curve(
        self, painter: QPainter, curve: tuple[str, Floats, Floats], name: str, box: QRectF
    ) -> None:
        title, times, values = curve
        finite = values[np.isfinite(values)]
        painter.save()
        painter.setClipRect(box)
        inside = box.adjusted(0, 20, 0, -4)
        self._painter.curve(painter, times, values, name, inside, self.scale)
        painter.restore()
        painter.setPen(pen(palette.EDGE))
        painter.drawLine(box.bottomLeft(), box.bottomRight())
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(font(12, bold=True))
        painter.setPen(pen(name))
        words = QRectF(box.left() + 6, box.top() + 2, box.width() - 90, 18)
        painter.drawText(words, middle, elided(painter, title, words.width()))
        painter.setFont(font(12, mono=True))
        value = self._reading(times, values)
        right = middle | Qt.AlignmentFlag.AlignRight
        painter.drawText(QRectF(box.right() - 90, box.top() + 2, 88, 18), right, value)
        if len(finite):
            painter.setFont(font(10, mono=True))
            painter.setPen(pen(palette.FAINT))
            ends = [(inside.top(), finite.max()), (inside.bottom(), finite.min())]
            if finite.max() == finite.min():
                ends = [(inside.center().y(), finite.max())]
            for y, number in ends:
                place = QRectF(0, y - 7, _LEFT - 6, 14)
                painter.drawText(place, right, short(float(number)))

    def _reading(self, times: Floats, values: Floats) -> str:
        """The value under the mouse, else at the playhead."""
        time = self.clock.cursor
        if self._hover is not None and self._hover.x() >= _LEFT and not self._drags:
            time = self.scale.time(self._hover.x() - _LEFT, self._room)
        if time is None:
            return ""
        at = int(np.searchsorted(times, time + 1e-9, side="right")) - 1
        return short(float(values[at])) if at >= 0 else "—"

    def _paint_playhead(self, painter: QPainter) -> None:
        foot = self.height() - _FOOT
        if self._hover is not None and self._hover.x() >= _LEFT and not self._drags:
            painter.setPen(pen("#ffffff", 1.0, 60))
            painter.drawLine(QPointF(self._hover.x(), 0), QPointF(self._hover.x(), foot))
        cursor = self.clock.cursor
        if cursor is not None and self.scale.start <= cursor <= self.scale.end:
            x = _LEFT + self.scale.x(cursor, self._room)
            painter.fillRect(QRectF(x - 0.75, 0, 1.5, foot), color(palette.PLAYHEAD))

    # --- the mouse ------------------------------------------------------------------------------

    def _grab(self, event: QMouseEvent) -> None:
        self.clock.grab(self.scale.time(event.position().x() - _LEFT, self._room))

    def mousePressEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        if event.button() == Qt.MouseButton.LeftButton and event.position().x() >= _LEFT:
            self._drags = True
            self._grab(event)

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        self._hover = event.position()
        if self._drags:
            self._grab(event)
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        if self._drags:
            self._drags = False
            self.clock.let_go()

    def leaveEvent(self, event: object) -> None:  # noqa: N802
        self._hover = None
        self.update()
