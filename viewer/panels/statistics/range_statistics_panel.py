"""The range panel: statistics of the loop, or of the whole recording."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from ....playback.commands import Loop
from ....recorder.text.duration_text import duration_text
from ...state.pinned_fields import ObjectField
from ...state.shared_pins_and_histories import PanelContext
from ...state.viewer_store import ViewerStore
from ...toolkit import palette
from ...toolkit.menu_entries import MenuEntry
from ...toolkit.qt import QPainter, QPointF, QRectF, Qt
from ...toolkit.text_painting import elided
from ...toolkit.theme import color, font, pen
from ...toolkit.time_text import time_text
from ...toolkit.value_text import short_number
from ...widgets.lists.interactive_list import TextList
from ..timeline.lane_cache import LaneCache
from ..timeline.timeline_rows import node_names
from .range_statistics import (
    EventCounts,
    StateTime,
    TimeRange,
    ValueStatistics,
    event_counts,
    field_statistics,
    times_of_lane,
    watch_statistics,
)

_MIDDLE = Qt.AlignmentFlag.AlignVCenter
_RIGHT = _MIDDLE | Qt.AlignmentFlag.AlignRight
_COLUMNS = ("min", "mean", "max", "first", "last")
_TIMES = ("share", "time", "times", "mean")


class StatisticsRow(NamedTuple):
    """A heading, a row of text, a state's time, or a value's figures."""

    title: str
    cells: tuple[str, ...] = ()
    heading: bool = False
    state: StateTime | None = None
    figures: ValueStatistics | None = None


class StatisticsPanel(TextList):
    """Time per state and figures per value of the selected object, and statements in the range."""

    empty_text = "Nothing is recorded yet"

    def __init__(self, store: ViewerStore) -> None:
        super().__init__("Range", store)
        self.context = PanelContext.of(store)
        self._rows: list[StatisticsRow] = []
        self._made_of: tuple[object, ...] = ()
        self._lane_cache = LaneCache()
        self._folded: set[str] = set()
        store.status_changed.connect(self._invalidate)
        self.context.history_read.connect(self._invalidate)

    @property
    def rows(self) -> list[StatisticsRow]:
        """What is listed."""
        self.rebuild_if_stale()
        return self._rows

    @property
    def time_range(self) -> TimeRange | None:
        """The loop, else all that is held."""
        span, loop = self.store.playback.span, self.store.playback.loop
        if span is None:
            return None
        if loop is None:
            return TimeRange(span.start, span.end)
        # What is evicted can't be counted.
        return TimeRange(max(loop[0], span.start), min(loop[1], span.end))

    # --- what is listed -------------------------------------------------------------------------

    def build_rows(self) -> bool:
        store, time_range = self.store, self.time_range
        field_history = self.context.field_history(store.selected) if store.selected else None
        made_of = (
            time_range, store.selected, id(store.history), store.history.version,
            store.playback.loop is None, frozenset(self._folded), store.progress,
            store.names_version,
            (field_history.version, field_history.progress) if field_history is not None else None,
        )  # fmt: skip
        if made_of == self._made_of:
            return False
        self._made_of = made_of
        self._rows, group = [], ""
        for row in [] if time_range is None else self._all_rows(time_range):
            group = row.title if row.heading else group
            if row.heading or group not in self._folded:
                self._rows.append(row)
        return True

    def _all_rows(self, time_range: TimeRange) -> list[StatisticsRow]:
        store, selected = self.store, self.store.selected
        what = "all that is held" if store.playback.loop is None else "loop"
        ends = f"{time_text(time_range.start)} … {time_text(time_range.end)}"
        rows = [StatisticsRow(f"Δ {time_range.seconds:.3f} s · {what}", (ends,), heading=True)]
        rows += _tally_rows(event_counts(store.history, time_range))
        if store.progress < 1.0:
            rows.append(StatisticsRow("Reading the recording …", (f"{store.progress:.0%}",)))
        if not selected:
            return [*rows, StatisticsRow("Select an object for its states and values")]
        name = store.name_of(selected)
        for key in sorted(store.history.changes):
            if key[0] == selected:
                lane = self._lane_cache.states(store.history, key)
                states = times_of_lane(key[1], lane, time_range)
                if states:
                    rows.append(
                        StatisticsRow(f"{name} · {key[1] or 'state'}", _TIMES, heading=True)
                    )
                rows += [_state_row(row) for row in states]
        for key in sorted(store.history.ticks):
            if key[0] == selected:
                lane = self._lane_cache.leaves(store.history, key, node_names(store.snapshot, key))
                rows.append(StatisticsRow(f"{name} · {key[1]} leaf", _TIMES, heading=True))
                rows += [_state_row(row) for row in times_of_lane(key[1], lane, time_range)]
        field_history = self.context.field_history(selected)
        values = watch_statistics(store.history, selected, time_range)
        values += field_statistics(field_history, time_range)
        if values:
            rows.append(StatisticsRow(f"{name} · values", _COLUMNS, heading=True))
            rows += [_value_row(row) for row in values]
        for field, note in field_history.notes.items():
            if note.is_text:
                lane = field_history.lane(field)
                rows.append(StatisticsRow(f"{name} · {field}", _TIMES, heading=True))
                rows += [_state_row(row) for row in times_of_lane(field, lane, time_range)]
        if field_history.progress < 1.0:
            rows.append(
                StatisticsRow(f"Reading {name}'s values …", (f"{field_history.progress:.0%}",))
            )
        return rows

    def heights(self) -> Sequence[int]:
        return [24 if row.heading else 20 for row in self._rows]

    # --- painting -------------------------------------------------------------------------------

    def paint_row(self, painter: QPainter, row: int, box: QRectF) -> None:
        item = self._rows[row]
        name = box.adjusted(10 if item.heading else 24, 0, -10, 0)
        cell = _cell_width(box.width(), len(item.cells))
        if item.heading:
            painter.fillRect(box, color(palette.GROUP))
            painter.setFont(font(11, bold=True))
            painter.setPen(pen(palette.DIM))
            sign = "▸" if item.title in self._folded else "▾"
            words = f"{sign}  {item.title}"
        else:
            if row == self.hover:
                painter.fillRect(box, color(palette.HOVER))
            if item.state is not None:
                self._paint_share(painter, item.state, box)
            painter.setFont(font(12))
            painter.setPen(pen(palette.TEXT if item.cells else palette.DIM))
            words = item.title
        room = name.width() - (cell * len(item.cells) if len(item.cells) > 1 else 110)
        painter.drawText(name, _MIDDLE, elided(painter, words, max(60.0, room)))
        painter.setFont(font(10 if item.heading else 11, mono=True))
        painter.setPen(pen(palette.FAINT if item.heading else palette.TEXT))
        for at, text in enumerate(reversed(item.cells)):
            wide = cell if len(item.cells) > 1 else 190.0
            area = QRectF(name.right() - (at + 1) * wide, box.top(), wide, box.height())
            painter.drawText(area, _RIGHT, text)

    def _paint_share(self, painter: QPainter, state: StateTime, box: QRectF) -> None:
        """How much of the time it was, as a bar behind the words."""
        bar = QRectF(18, box.top() + 2, (box.width() - 28) * state.share, box.height() - 4)
        painter.fillRect(bar, color(palette.state_color(state.state), 70))
        painter.fillRect(QRectF(12, box.top() + 5, 6, box.height() - 10),
                         color(palette.state_color(state.state)))  # fmt: skip

    # --- what can be done -----------------------------------------------------------------------

    def clicked(self, row: int, at: QPointF, *, twice: bool) -> None:
        if self._rows[row].heading:
            self._folded ^= {self._rows[row].title}
            self.rebuild()

    def activated(self, row: int) -> None:
        self.clicked(row, QPointF(), twice=False)

    def menu_entries(self, row: int) -> Sequence[MenuEntry]:
        offered: list[MenuEntry] = []
        found = self._rows[row].figures if 0 <= row < len(self._rows) else None
        if found is not None:
            field = ObjectField(self.store.selected, found.name, found.watch)
            offered.append(("Plot", lambda: self.context.plot(field)))
            offered.append(("Add as lane", lambda: self.context.lane(field)))
        time_range = self.time_range
        if time_range is not None and self.store.playback.loop is None:
            command = Loop(time_range.start, time_range.end)
            offered.append(("Loop all that is held", lambda: self.store.send(command)))
        return offered

    # --- in words -------------------------------------------------------------------------------

    def card(self, row: int, at: QPointF) -> Sequence[str]:
        item = self._rows[row]
        if item.state is not None:
            state = item.state
            return (
                state.state,
                f"{state.seconds:.3f} s, {state.share:.1%} of the time that is known",
                f"{state.times} × {duration_text(state.mean)} on average",
            )
        if item.figures is not None:
            one = item.figures
            return (
                f"{one.name}   {one.unit}".rstrip(),
                f"from {one.least:g} to {one.most:g}, {one.mean:g} on average",
                f"{one.first:g} at first, {one.last:g} at last, in {one.frames:,} frames",
            )
        return ()

    def text(self) -> str:
        lines = []
        for row in self.rows:
            cells = "\t".join(row.cells)
            lines.append(f"{'' if row.heading else '  '}{row.title}\t{cells}".rstrip())
        return "\n".join(lines) or self.empty_text


def _tally_rows(found: EventCounts) -> list[StatisticsRow]:
    rows = [StatisticsRow("frames", (f"{found.frames:,}",))]
    if math.isfinite(found.frame_ms):
        milliseconds = f"{found.frame_ms:.2f} · {found.frame_ms_p99:.2f} ms"
        rows.append(StatisticsRow("frame, mean · 99 %", (milliseconds,)))
    counts = f"{found.lines:,} · {found.asserts:,} · {found.marks:,}"
    return [*rows, StatisticsRow("lines · failed checks · marks", (counts,))]


def _state_row(row: StateTime) -> StatisticsRow:
    cells = (f"{row.share:.0%}", f"{row.seconds:.2f} s", f"{row.times} ×", f"{row.mean:.2f} s")
    return StatisticsRow(row.state, cells, state=row)


def _value_row(row: ValueStatistics) -> StatisticsRow:
    numbers = (row.least, row.mean, row.most, row.first, row.last)
    name = f"|{row.name}|" if row.is_length else row.name
    title = f"{name} {row.unit}".rstrip()
    return StatisticsRow(title, tuple(map(_fitting, numbers)), figures=row)


def _fitting(number: float) -> str:
    """A number in at most seven letters."""
    text = short_number(number)
    return text if len(text) <= 7 else f"{number:.1f}" if abs(number) < 1e4 else f"{number:.1e}"


def _cell_width(width: float, cells: int) -> float:
    return min(66.0, (width - 100) / cells) if cells > 1 else 0.0
