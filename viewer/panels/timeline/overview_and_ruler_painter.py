"""The top of the timeline: an overview of everything there is, and the ruler."""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...reader.history.history_record_types import UNREAD
from ...reader.history.lane_data import Floats, SpanLane
from ...search.problem_list import problems
from ...state.viewer_store import ViewerStore
from ...toolkit import palette
from ...toolkit.batched_painting import RectBuffer
from ...toolkit.no_data_hatching import paint_hatch
from ...toolkit.qt import QPainter, QPointF, QRectF, Qt
from ...toolkit.text_painting import elided
from ...toolkit.theme import color, font, pen
from ...toolkit.time_text import ruler_step, time_text
from .problem_signs import paint_sign_counts, signs_at, warning_sign
from .row_painter import RowPainter
from .time_scale import TimeScale

GUTTER = 178
"""Pixels to the left that names have."""
OVERVIEW = 30
RULER = 26
TOP = OVERVIEW + RULER
_FLAT = 1.5
"""Times the usual time between frames: if none was longer, the strip is left out."""
_SIGN = 4.5
"""Half the width of a problem's sign."""


class OverviewContent(NamedTuple):
    """What the overview shows beside the time between frames."""

    states: SpanLane | None = None
    """The selected agent's states: shown where the time between frames says nothing."""
    who: str = ""
    """Whose states they are."""
    has_search: bool = False
    """Whether the lower half of the label's room is for a search."""


def paint_overview(
    painter: QPainter, rows: RowPainter, rects: RectBuffer, store: ViewerStore, scale: TimeScale,
    across: float, content: OverviewContent,
) -> None:  # fmt: skip
    """How long each frame took to come, or an agent's states, with problems, over everything."""
    room = max(1.0, across - GUTTER)
    painter.fillRect(QRectF(0, 0, across, OVERVIEW), color(palette.GROUND))
    history = store.history
    times, deltas = history.times.values, history.deltas.values
    there = scale.last - scale.first
    usual = max(float(np.median(deltas)), 1e-6) if len(deltas) else 1e-6
    label = "Frame time"
    if content.states is not None and len(deltas) and float(deltas.max()) <= _FLAT * usual:
        label = content.who
        box = QRectF(GUTTER, 6, room, OVERVIEW - 12)
        rows.spans(painter, content.states, box, scale.over_everything())
    elif len(times) and there > 0:
        columns = ((times - scale.first) / there * (room - 1)).astype(np.int64)
        begins = np.flatnonzero(np.append(True, np.diff(columns) > 0))
        worst = np.maximum.reduceat(deltas, begins)
        height = np.clip(worst / usual, 0.0, 4.0) / 4.0 * (OVERVIEW - 8)
        x = GUTTER + columns[begins].astype(float)
        wide = np.diff(np.append(x, across))
        wide = np.minimum(wide, max(2.0, room / len(times) * 1.6))
        bars = np.stack([x, OVERVIEW - 1.0 - height, wide, height], axis=1)
        late = np.clip((worst / usual > 1.5).astype(int) + (worst / usual > 3.0), 0, 2)
        painter.setPen(Qt.PenStyle.NoPen)
        for group, name in enumerate((palette.QUIET, palette.WARNING, palette.FAILED)):
            painter.setBrush(color(name))
            rects.draw(painter, bars[late == group])
    if store.progress < 1.0 and len(history):
        label = f"Reading … {store.progress:.0%}"
    painter.setFont(font(11))
    painter.setPen(pen(palette.FAINT))
    label_height = OVERVIEW / 2 if content.has_search else OVERVIEW
    label_box = QRectF(10, 0, GUTTER - 16, label_height)
    middle = Qt.AlignmentFlag.AlignVCenter
    painter.drawText(label_box, middle, elided(painter, label, label_box.width()))
    for one in history.missing(scale.first, scale.last, store.playback.span):
        if one.why == UNREAD:
            left, right = (GUTTER + (at - scale.first) / max(there, 1e-9) * room for at in one[:2])
            paint_hatch(painter, QRectF(left, 0, right - left, OVERVIEW), "")
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color(palette.FAILED))
    at = [GUTTER + (one.time - scale.first) / max(there, 1e-9) * room for one in problems(history)]
    signs = signs_at(at, GUTTER + _SIGN, across - _SIGN)  # whole at both ends
    for sign in signs:
        painter.drawPolygon(warning_sign(sign.x, 6, _SIGN))
    paint_sign_counts(painter, signs, QRectF(GUTTER, 0, room, 14), _SIGN)
    painter.setBrush(color(palette.FAILED))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    left, right = (
        GUTTER + (at - scale.first) / max(there, 1e-9) * room for at in (scale.start, scale.end)
    )
    shade = color(palette.GROUND, 165)
    painter.fillRect(QRectF(GUTTER, 0, left - GUTTER, OVERVIEW), shade)
    painter.fillRect(QRectF(right, 0, across - right, OVERVIEW), shade)
    painter.setPen(pen(palette.ACCENT))
    painter.drawRect(QRectF(left + 0.5, 0.5, max(3.0, right - left - 1.5), OVERVIEW - 2))


def _ruler_times(scale: TimeScale, room: float) -> Iterator[tuple[float, float]]:
    """The times on the ruler, and their pixels, in steps that leave room for their numbers."""
    step = ruler_step(scale.seconds / room)
    for number in range(math.ceil(scale.start / step), int(scale.end / step) + 1):
        yield number * step, GUTTER + scale.x(number * step, room)


def paint_ruler(painter: QPainter, scale: TimeScale, across: float, down: float) -> None:
    """The ruler without its numbers, with lines down through the rows."""
    painter.fillRect(QRectF(0, OVERVIEW, across, RULER), color(palette.HEADER))
    for _, x in _ruler_times(scale, max(1.0, across - GUTTER)):
        painter.setPen(pen(palette.GRID))
        painter.drawLine(QPointF(x, TOP), QPointF(x, down))
        painter.setPen(pen(palette.FAINT))
        painter.drawLine(QPointF(x, TOP - 6), QPointF(x, TOP))


def paint_ruler_labels(
    painter: QPainter, scale: TimeScale, across: float, flag: QRectF | None
) -> None:  # fmt: skip
    """The numbers of the ruler. One that the playhead's flag would cover is left out, as half a
    number would be read as another one."""
    room = max(1.0, across - GUTTER)
    step = ruler_step(scale.seconds / room)
    digits = 0 if step >= 1 else 1 if step >= 0.1 else 3
    painter.setFont(font(11, mono=True))
    painter.setPen(pen(palette.DIM))
    metrics = painter.fontMetrics()
    for time, x in _ruler_times(scale, room):
        text = time_text(time, digits)
        box = QRectF(x + 4, OVERVIEW, metrics.horizontalAdvance(text) + 4, RULER)
        if box.right() <= across and (flag is None or not box.intersects(flag)):
            painter.drawText(QPointF(x + 4, OVERVIEW + 16), text)


def paint_hits(
    painter: QPainter, rects: RectBuffer, times: Floats, scale: TimeScale, across: float
) -> None:  # fmt: skip
    """Ticks where something that was searched for was found: in the overview, and on the ruler."""
    if not len(times):
        return
    room = max(1.0, across - GUTTER)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color(palette.HIT))
    for first, last, top, height in (
        (scale.first, scale.last, OVERVIEW - 8.0, 8.0), (scale.start, scale.end, TOP - 7.0, 7.0),
    ):  # fmt: skip
        inside = times[slice(*np.searchsorted(times, (first, last + 1e-9)).tolist())]
        columns = np.unique(((inside - first) / max(last - first, 1e-9) * room).astype(np.int64))
        rows = np.empty((len(columns), 4))
        rows[:, 0], rows[:, 1] = GUTTER - 1.0 + columns, top
        rows[:, 2], rows[:, 3] = 2.0, height
        rects.draw(painter, rows)
    painter.setBrush(Qt.BrushStyle.NoBrush)


def paint_search_label(painter: QPainter, text: str) -> None:
    """How a search goes, below the overview's own label."""
    painter.setFont(font(11))
    painter.setPen(pen(palette.HIT))
    box = QRectF(10, OVERVIEW / 2 - 1, GUTTER - 16, OVERVIEW / 2)
    painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, elided(painter, text, box.width()))
