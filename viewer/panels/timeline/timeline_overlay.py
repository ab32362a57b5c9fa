"""Paints what moves over the timeline: values at the playhead, the loop, and the playhead."""

from functools import partial

from ...reader.history.history_record_types import UNREAD
from ...toolkit import palette
from ...toolkit.qt import QPainter, QPointF, QRect, QRectF, Qt
from ...toolkit.text_painting import elided
from ...toolkit.theme import color, font, pen
from ...toolkit.time_text import time_text
from ...widgets.playhead_marker import flag_box, paint_flag
from .overview_and_ruler_painter import GUTTER, OVERVIEW, RULER, TOP, paint_ruler_labels
from .timeline_mouse import TimelineMouse
from .timeline_panel_protocol import TimelineInterface
from .timeline_rows import reading

_FLAG = 360
"""More pixels than the playhead's flag and a number of the ruler have, whatever the time format."""


def moving_boxes(panel: TimelineInterface) -> list[QRect]:
    """Where an image has the readings and the playhead: all that a move of it changes."""
    cursor, height = panel.store.cursor, panel.height()
    boxes = [QRect(0, TOP, GUTTER, height - TOP)]
    if cursor is not None:
        inside, line = int(panel.x_of(cursor)), int(_in_overview(panel, cursor))
        # At either end the flag is beside its line.
        boxes.append(QRect(inside - _FLAG, OVERVIEW, 2 * _FLAG, RULER))
        boxes.append(QRect(inside - 8, OVERVIEW, 16, height - OVERVIEW))
        boxes.append(QRect(line - 3, 0, 6, OVERVIEW))
    return boxes


def _in_overview(panel: TimelineInterface, time: float) -> float:
    there = max(panel.scale.last - panel.scale.first, 1e-9)
    return GUTTER + (time - panel.scale.first) / there * panel.room


def paint_readings(painter: QPainter, panel: TimelineInterface) -> None:
    """What each row says at the playhead, in front of it."""
    cursor = panel.store.cursor
    if cursor is None:
        return
    painter.setClipRect(QRectF(0, TOP, GUTTER, panel.height() - TOP))
    y, ratio = float(TOP - panel.scrolled), panel.devicePixelRatioF()
    for row in panel.rows():
        if not row.group and y + row.height > TOP and y < panel.height():
            text, name = reading(row, cursor, panel.store.history)
            if text:
                is_state, box = row.spans is not None, QRectF(106, y, GUTTER - 114, row.height)
                paint = partial(_paint_reading, text, name, is_state)
                panel.readings.draw(painter, box, ratio, (text, name, is_state), paint)
        y += row.height
    painter.setClipping(False)


def _paint_reading(
    text: str, name: str, is_state: bool, painter: QPainter, box: QRectF
) -> None:  # fmt: skip
    known = text != UNREAD  # it must differ from a state's name, and needs room
    painter.setFont(font(11, bold=is_state, mono=not is_state) if known else font(10))
    painter.setPen(pen(name))
    flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
    painter.drawText(box, flags, elided(painter, text, box.width()))


def paint_loop(painter: QPainter, panel: TimelineInterface, pointer: TimelineMouse) -> None:
    """The range that is played round and round, and how long it is."""
    loop = pointer.loop
    if loop is None:
        return
    left, right = panel.x_of(loop[0]), panel.x_of(loop[1])
    painter.setClipRect(QRectF(GUTTER, 0, panel.room, panel.height()))
    painter.fillRect(QRectF(left, TOP, right - left, panel.height()), color(palette.ACCENT, 20))
    painter.fillRect(QRectF(left, OVERVIEW, right - left, RULER), color(palette.ACCENT, 60))
    painter.setPen(pen(palette.ACCENT))
    for x in (left, right):
        painter.drawLine(QPointF(x, OVERVIEW), QPointF(x, panel.height()))
    frames = panel.store.history.times.values.searchsorted(loop)
    text = f"Δ {loop[1] - loop[0]:.3f} s · {frames[1] - frames[0]} f"
    painter.setFont(font(11, mono=True))
    width = painter.fontMetrics().horizontalAdvance(text) + 12
    seen = max(left, GUTTER), min(right, float(panel.width()))
    if seen[1] - seen[0] > width + 8 or pointer.gesture == "loop":
        middle = min(max((seen[0] + seen[1] - width) / 2, GUTTER + 4), panel.width() - width - 4)
        box = QRectF(middle, panel.height() - 22, width, 18)
        painter.fillRect(box, color(palette.RANGE, 235))
        painter.setPen(pen(palette.CHOSEN_TEXT))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
    painter.setClipping(False)


def paint_playhead(painter: QPainter, panel: TimelineInterface) -> None:
    """Paint the playhead, in the overview and over the rows, and the ruler's numbers beside it."""
    cursor = panel.store.cursor
    if cursor is not None:
        x = _in_overview(panel, cursor)
        painter.fillRect(QRectF(x - 1, 0, 2, OVERVIEW), color(palette.PLAYHEAD))
    x = GUTTER - 2.0 if cursor is None else panel.x_of(cursor)
    is_seen = cursor is not None and GUTTER - 1 <= x <= panel.width() + 1
    box = QRectF(GUTTER, OVERVIEW, panel.room, panel.height() - OVERVIEW)
    text = "" if cursor is None else time_text(cursor)
    flag = flag_box(painter, box, x, text) if is_seen else None
    paint_ruler_labels(painter, panel.scale, panel.width(), flag)
    if is_seen:
        paint_flag(painter, box, x, text, RULER)
