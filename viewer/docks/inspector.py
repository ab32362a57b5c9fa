"""The inspector dock: every field of the selected object, with its curve around the playhead."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..clock import Clock
from ..listing import Listing
from ..models import palette
from ..models.fields import FieldRow, field_rows
from ..models.times import told
from ..painting import LineBuffer, elided
from ..qt import QApplication, QContextMenuEvent, QMenu, QPainter, QPointF, QRectF, Qt
from ..theme import color, font, pen

_SECONDS = 2.0
"""What a curve shows before and after the playhead."""
_CURVE = 74
_ARROWS = 44
"""Pixels of the two buttons that lead to the value's last and next change."""


class InspectorDock(Listing):
    """◂ ▸ at a row lead to where its value changed before and changes next."""

    empty = "Select an object to see its fields"

    def __init__(self, clock: Clock) -> None:
        super().__init__("Inspector")
        self.clock = clock
        self._rows: list[FieldRow] = []
        self._folded: set[str] = set()
        self._lines = LineBuffer()
        clock.moved.connect(self._renew)
        clock.picked.connect(self._renew)
        clock.grew.connect(self.update)

    @property
    def rows(self) -> list[FieldRow]:
        """What is listed."""
        return self._rows

    def _renew(self) -> None:
        moment, selected = self.clock.moment, self.clock.selected
        every = (
            []
            if moment is None or not selected
            else field_rows(moment, selected, self.clock.before)
        )
        self._rows, group = [], ""
        for row in every:
            group = row.title if row.heading else group
            if row.heading or group not in self._folded:
                self._rows.append(row)
        self.empty = self._why_empty()
        self.update()

    def _why_empty(self) -> str:
        clock = self.clock
        if not clock.selected or clock.moment is None:
            return "Select an object to see its fields"
        name = clock.moment.name_of(clock.selected)
        near = min(clock.around, key=lambda at: abs(at - clock.frame), default=None)
        where = "" if near is None else f"; it is at {told(clock.around[near].time)}"
        return f"{name} does not exist in this frame{where}"

    def heights(self) -> Sequence[int]:
        return [24 if row.heading else 22 for row in self._rows]

    def paint_row(self, painter: QPainter, row: int, box: QRectF) -> None:
        told = self._rows[row]
        middle = Qt.AlignmentFlag.AlignVCenter
        if told.heading:
            painter.fillRect(box, color("#171b22"))
            painter.setFont(font(11, bold=True))
            painter.setPen(pen(palette.DIM))
            sign = "▸" if told.title in self._folded else "▾"
            painter.drawText(box.adjusted(10, 0, 0, 0), middle, f"{sign}  {told.title}")
            return
        if row == self.hover:
            painter.fillRect(box, color("#181c24"))
        wide = box.width() > 300
        name_width = max(84.0, box.width() * 0.27)
        painter.setFont(font(12))
        painter.setPen(pen(palette.FAILED if told.trouble else palette.DIM))
        if not told.value:
            words = box.adjusted(24, 0, -8, 0)
            painter.drawText(words, middle, elided(painter, told.title, words.width()))
            return
        words = QRectF(24, box.top(), name_width, box.height())
        title = elided(painter, told.title, name_width - 6)
        painter.drawText(words, middle, title)
        if told.unit:
            used = painter.fontMetrics().horizontalAdvance(title) + 6
            painter.setFont(font(10))
            painter.setPen(pen(palette.FAINT))
            unit = words.adjusted(used, 1, 4, 0)
            painter.drawText(unit, middle, elided(painter, told.unit, unit.width()))
        left = 24 + name_width
        if told.curve and wide:
            self._paint_curve(painter, told, QRectF(left, box.top() + 3, _CURVE, box.height() - 6))
        if wide and told.curve:
            left += _CURVE + 8
        right = box.right() - 12 - (_ARROWS if row == self.hover and told.field else 0)
        value = QRectF(left, box.top() + 1, right - left, box.height() - 2)
        if told.changed:
            painter.fillRect(value.adjusted(2, 1, 6, -1), color(palette.RUNNING, 34))
        painter.setFont(font(12, mono=True))
        painter.setPen(pen(palette.RUNNING if told.changed else palette.TEXT))
        text = told.value
        painter.drawText(
            value, middle | Qt.AlignmentFlag.AlignRight, elided(painter, text, value.width())
        )
        if row == self.hover and told.field:
            painter.setPen(pen(palette.ACCENT))
            buttons = QRectF(box.right() - _ARROWS - 6, box.top(), _ARROWS, box.height())
            painter.drawText(buttons, Qt.AlignmentFlag.AlignCenter, "◂  ▸")

    def curve_of(self, row: FieldRow) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Times (seconds) and values of a row's curve around the playhead."""
        clock = self.clock
        now = clock.cursor or 0.0
        if row.watch:
            series = clock.history.series.get((clock.selected, row.curve))
            if series is None:
                return np.empty(0), np.empty(0)
            column = clock.history.times
            times = np.interp(series.frames, column.frames, column.values)
            inside = slice(*np.searchsorted(times, (now - _SECONDS, now + _SECONDS)).tolist())
            return times[inside], series.values[inside]
        told = [
            (spot.time, spot.numbers[row.curve])
            for spot in clock.around.values()
            if abs(spot.time - now) <= _SECONDS and row.curve in spot.numbers
        ]
        table = np.array(sorted(told), np.float64).reshape(-1, 2)
        return table[:, 0], table[:, 1]

    def _paint_curve(self, painter: QPainter, row: FieldRow, box: QRectF) -> None:
        now = self.clock.cursor or 0.0
        times, values = self.curve_of(row)
        fine = np.isfinite(values)
        times, values = times[fine], values[fine]
        if len(times) > 1:
            low, high = float(values.min()), float(values.max())
            x = box.left() + (times - now + _SECONDS) / (2 * _SECONDS) * box.width()
            room = high - low or 1.0
            y = box.bottom() - 1 - (values - low) / room * (box.height() - 2)
            if high == low:
                y[:] = box.center().y()
            ends = np.stack([x[:-1], y[:-1], x[1:], y[1:]], axis=1)
            past = times[1:] <= now + 1e-9
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._lines.draw(painter, ends[past], pen(palette.ACCENT))
            self._lines.draw(painter, ends[~past], pen("#3a4352"))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        painter.fillRect(
            QRectF(box.center().x(), box.top(), 1, box.height()), color(palette.PLAYHEAD)
        )

    def clicked(self, row: int, at: QPointF, *, twice: bool) -> None:
        told = self._rows[row]
        if told.heading:
            self._folded ^= {told.title}
            self._renew()
        elif told.field and at.x() > self.width() - _ARROWS - 6:
            right_one = at.x() > self.width() - _ARROWS / 2 - 6
            self.clock.find_change(told.field, 1 if right_one else -1)

    def contextMenuEvent(self, event: QContextMenuEvent | None) -> None:  # noqa: N802
        assert event is not None
        row = self.row_at(event.y())
        if row < 0 or self._rows[row].heading:
            return
        told, menu = self._rows[row], QMenu(self)
        clipboard = QApplication.clipboard()
        copy = menu.addAction("Copy value")
        back = menu.addAction("Previous change") if told.field else None
        on = menu.addAction("Next change") if told.field else None
        chosen = menu.exec(event.globalPos())
        if chosen is None:
            return
        if chosen is copy and clipboard is not None:
            clipboard.setText(told.value)
        elif chosen in (back, on):
            self.clock.find_change(told.field, 1 if chosen is on else -1)
