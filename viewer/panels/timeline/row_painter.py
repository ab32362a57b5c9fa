"""How the timeline's rows are painted: spans, curves and events over a range of time."""

from collections.abc import Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from ...reader.history.history_record_types import UnreadRange
from ...reader.history.lane_data import Floats, SpanLane, curve_lines, envelope, finite_ends
from ...state.recorded_pictures import RecordedPictures
from ...toolkit import palette
from ...toolkit.batched_painting import LineBuffer, RectBuffer
from ...toolkit.no_data_hatching import paint_hatch
from ...toolkit.qt import QImage, QPainter, QPointF, QPolygonF, QRectF, Qt
from ...toolkit.text_painting import elided
from ...toolkit.theme import color, font, pen
from .film_strip import paint_film
from .point_events import EventLane, PointEvent
from .problem_signs import warning_sign
from .time_scale import TimeScale
from .timeline_rows import TimelineRow

_DENSE = 0.2
"""With more spans than this for each pixel, colours are mixed instead of drawn one by one."""
_PENNANT = 7.0
"""Pixels that a mark's flag is wide."""
_LEAST_NAME = 26.0
"""Pixels without which a mark's name is left out."""
_TICK = 2.0
"""Pixels that a grave state keeps however short it is."""


class RowPainter:
    """Paints the part of the rows to the right of their names."""

    def __init__(self, pictures: RecordedPictures | None = None) -> None:
        self._rects = RectBuffer()
        self._lines = LineBuffer()
        self._pictures = pictures

    def paint(self, painter: QPainter, row: TimelineRow, box: QRectF, scale: TimeScale) -> None:
        """One row into its box."""
        if row.spans is not None:
            self.spans(painter, row.spans, box.adjusted(0, 2, 0, -2), scale)
        elif row.samples is not None:
            times, values = row.samples
            ends = None
            if row.ghost is not None:
                ends = joint_ends(values, row.ghost.values)
                self.curve(painter, *row.ghost, palette.FAINT, box, scale, ends=ends, filled=False)
            self.curve(painter, times, values, row.color, box, scale, ends=ends)
        elif row.events is not None:
            self._events(painter, row.events, box, scale)
        elif row.film and self._pictures is not None:
            paint_film(painter, self._pictures, row.film, box, scale)
        paint_missing(painter, row.missing, box, scale)

    def spans(self, painter: QPainter, lane: SpanLane, box: QRectF, scale: TimeScale) -> None:
        """The spans of a lane, over all of a box's height."""
        first, last = lane.visible(scale.start, scale.end)
        is_dense = last - first > box.width() * _DENSE
        if is_dense:
            self._mixed(painter, lane, box, scale)
        else:
            self._single(painter, lane, first, last, box, scale)
        self._grave(painter, lane, first, last, box, scale, all_of_them=is_dense)

    def _grave(
        self, painter: QPainter, lane: SpanLane, first: int, last: int, box: QRectF,
        scale: TimeScale, *, all_of_them: bool,
    ) -> None:  # fmt: skip
        """States that never vanish, in front and wide enough to be seen: all, or the short ones."""
        if all_of_them:
            # Of many that would stand on one another one is drawn, as wide as the widest.
            indexes, lasts = lane.grave_ticks(scale.start, scale.end, max(1, int(box.width())))
        else:
            indexes = lane.graves(first, last)
            lasts = lane.ends[indexes] - lane.starts[indexes]
            short = lasts / scale.seconds * box.width() < _TICK
            indexes, lasts = indexes[short], lasts[short]
        x = (lane.starts[indexes] - scale.start) / scale.seconds * box.width()
        wide = lasts / scale.seconds * box.width()
        names = [lane.colors[at] for at in indexes.tolist()]
        painter.setPen(Qt.PenStyle.NoPen)
        for name in set(names):
            mine = [at for at, one in enumerate(names) if one == name]
            rows = np.empty((len(mine), 4))
            rows[:, 0], rows[:, 1] = box.left() + x[mine], box.top()
            rows[:, 2], rows[:, 3] = np.maximum(wide[mine] - 1.0, _TICK), box.height()
            painter.setBrush(color(name))
            self._rects.draw(painter, rows)
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _mixed(self, painter: QPainter, lane: SpanLane, box: QRectF, scale: TimeScale) -> None:
        width = max(1, int(box.width()))
        pixels = lane.pixels(scale.start, scale.end, width)
        pixels[:, :3] = pixels[:, :3].astype(np.uint16) * pixels[:, 3:] // 255
        pixels = np.ascontiguousarray(pixels)
        memory: Any = pixels.data
        image = QImage(memory, width, 1, width * 4, QImage.Format.Format_RGBA8888_Premultiplied)
        painter.drawImage(box, image)  # while `pixels` is alive

    def _single(
        self, painter: QPainter, lane: SpanLane, first: int, last: int, box: QRectF,
        scale: TimeScale,
    ) -> None:  # fmt: skip
        left = box.left() + (lane.starts[first:last] - scale.start) / scale.seconds * box.width()
        right = box.left() + (lane.ends[first:last] - scale.start) / scale.seconds * box.width()
        left = np.clip(left, box.left() - 2, box.right())
        right = np.clip(right, box.left(), box.right() + 2)
        by_color: dict[str, list[int]] = {}
        for at in range(last - first):
            by_color.setdefault(lane.colors[first + at], []).append(at)
        painter.setPen(Qt.PenStyle.NoPen)
        for name, indexes in by_color.items():
            if name:
                rows = np.empty((len(indexes), 4))
                rows[:, 0], rows[:, 1] = left[indexes], box.top()
                rows[:, 2] = np.maximum(right[indexes] - left[indexes] - 1.0, 0.8)
                rows[:, 3] = box.height()
                painter.setBrush(color(name))
                self._rects.draw(painter, rows)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setFont(font(11, bold=True))
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        for at in np.flatnonzero(right - left > 26).tolist():
            start = max(float(left[at]), box.left()) + 5
            room = float(right[at]) - start - 4
            name = lane.names[first + at]
            if room > 14 and name:
                words = QRectF(start, box.top(), room, box.height())
                painter.setPen(pen(palette.ink_on(lane.colors[first + at])))
                painter.drawText(words, flags, elided(painter, name, room))

    def curve(
        self, painter: QPainter, times: Floats, values: Floats, name: str, box: QRectF,
        scale: TimeScale, *, ends: tuple[float, float] | None = None, filled: bool = True,
    ) -> None:  # fmt: skip
        """A curve over a range of values, by default its own; filled down to the box's foot."""
        width = max(1, int(box.width()))
        x, least, most = envelope(times, values, scale.start, scale.end, width)
        ends = finite_ends(values) if ends is None else ends
        if ends is not None:
            self.envelope_curve(painter, x, least, most, ends, name, box, filled=filled)

    def envelope_curve(
        self, painter: QPainter, x: Floats, least: Floats, most: Floats,
        ends: tuple[float, float], name: str, box: QRectF, *, filled: bool = True,
    ) -> None:  # fmt: skip
        """A curve as `envelope` gives it, over a range of values; where it is no number it breaks.

        Args:
            ends: The values at the foot and at the top.
        """
        low, high = ends
        if high - low <= 1e-12 * max(1.0, abs(high), abs(low)):  # the noise of numbers
            pad = max(1.0, abs(high))
            low, high = low - pad, high + pad
        box = box.adjusted(0, 3, 0, -3)
        up = box.height() / (high - low)
        tops = box.bottom() - (most - low) * up
        feet = box.bottom() - (least - low) * up
        left = box.left() + x
        fine = np.isfinite(tops)
        if filled:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color(name, 34))
            # One area for each range without a break.
            cuts = np.flatnonzero(np.diff(fine.astype(np.int8)) != 0) + 1
            for part in np.split(np.arange(len(left)), cuts):
                if len(part) > 1 and fine[part[0]]:
                    painter.drawPolygon(_area(left[part], tops[part], box.bottom()))
            painter.setBrush(Qt.BrushStyle.NoBrush)
        # Wider lines take two to three times as long.
        line = pen(name)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._lines.draw(painter, curve_lines(left, tops, fine)[0], line)
        self._lines.draw(
            painter, np.stack([left, tops, left, feet], axis=1)[fine & (tops != feet)], line
        )
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)

    def _events(self, painter: QPainter, events: EventLane, box: QRectF, scale: TimeScale) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        middle = box.center().y()
        named: list[tuple[float, PointEvent]] = []
        for event in events.to_draw(scale.start, scale.end, box.width()):
            x = box.left() + scale.x(event.time, box.width())
            painter.setBrush(color(event.color))
            if event.mark is not None:
                named.append((x, event))
            if event.is_tick:
                painter.fillRect(QRectF(x - 0.75, box.top() + 3, 1.5, box.height() - 6),
                                 color(event.color))  # fmt: skip
            elif event.grave:
                painter.drawPolygon(warning_sign(_clamped(x, 5.5, box), middle))
            elif event.mark is not None:
                x = _clamped(x, 1.0, box)
                painter.drawPolygon(_pennant(x, middle, is_left=x + _PENNANT > box.right()))
            else:
                painter.drawEllipse(QPointF(_clamped(x, 3.2, box), middle), 3.2, 3.2)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        _paint_names(painter, named, box)


def _paint_names(
    painter: QPainter, named: list[tuple[float, PointEvent]], box: QRectF
) -> None:  # fmt: skip
    """The names of marks beside their flags, where there is room up to the next one."""
    named.sort(key=itemgetter(0))
    painter.setFont(font(10))
    for at, (x, event) in enumerate(named):
        start = x + _PENNANT + 4
        end = named[at + 1][0] - 8 if at + 1 < len(named) else box.right()
        if end - start < _LEAST_NAME:
            continue
        painter.setPen(pen(palette.FAILED if event.grave else palette.DIM))
        words = QRectF(start, box.top(), end - start, box.height())
        text = event.text if event.number == 1 else f"×{event.number}  {event.text}"
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, elided(painter, text, words.width()))


def _area(x: Floats, y: Floats, foot: float) -> QPolygonF:
    """What is under a curve."""
    area = [QPointF(float(x[0]), foot)]
    area += [QPointF(a, b) for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    return QPolygonF([*area, QPointF(float(x[-1]), foot)])


def _clamped(x: float, half: float, box: QRectF) -> float:
    """The middle of a sign that is fully inside its row: the last one must not be cut in half."""
    inside = box.left() <= x <= box.right()
    return min(max(x, box.left() + half), box.right() - half) if inside else x


def _pennant(x: float, y: float, *, is_left: bool) -> QPolygonF:
    """A mark's flag: it begins at its time and points away from it, to the right where it can."""
    side = -1.0 if is_left else 1.0
    return QPolygonF([
        QPointF(x - side * 0.8, y - 6), QPointF(x + side * _PENNANT, y - 2.5),
        QPointF(x + side * 0.8, y + 1), QPointF(x + side * 0.8, y + 6),
        QPointF(x - side * 0.8, y + 6),
    ])  # fmt: skip


def paint_missing(
    painter: QPainter, missing: Sequence[UnreadRange], box: QRectF, scale: TimeScale
) -> None:  # fmt: skip
    """Hatch what of a range of time can't be shown; however short it is, there is something of it
    to be seen.

    Args:
        box: What the whole of `scale` has.
    """
    for start, end, why in missing:
        ends = (min(max(one, scale.start), scale.end) for one in (start, end))
        left, right = (box.left() + scale.x(one, box.width()) for one in ends)
        if end > scale.start and start < scale.end:
            paint_hatch(painter, QRectF(left, box.top(), max(right - left, 2.0), box.height()), why)


def joint_ends(values: Floats, others: Floats) -> tuple[float, float] | None:
    """The least and the greatest value of two curves; None if neither has any."""
    found = [ends for one in (values, others) if (ends := finite_ends(one)) is not None]
    if not found:
        return None
    return min(low for low, _ in found), max(high for _, high in found)
