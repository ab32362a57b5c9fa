"""A list of frames in a recording: each row leads to a frame, and to whom it is about."""

from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

from ...toolkit import palette
from ...toolkit.menu_entries import MenuEntry
from ...toolkit.qt import QPainter, QPointF, QRectF, Qt
from ...toolkit.text_painting import elided
from ...toolkit.theme import color, font, pen
from ...toolkit.time_text import time_text
from .interactive_list import TextList
from .virtual_list import EqualHeights

_ROW = 22
_MIDDLE = Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
_LEAST_NOTE = 40.0
_DESCRIBED = 40
"""Rows that are reported to a screen reader."""


class JumpRow(NamedTuple):
    """A row that can be jumped to, or a heading."""

    text: str
    frame: int = 0
    """Where it leads to; 0 if it leads to no frame."""
    time: float | None = None
    """Seconds; shown in front of the text, if given."""
    object: int = 0
    """The object that it is about and that it selects; 0 for none."""
    note: str = ""
    """The text at the right."""
    sign: str = ""
    color: str = ""
    """The sign's colour, as a name in the palette; empty for that of the text."""
    is_heading: bool = False
    swatch: str = ""
    """The colour of a small box in front of the note, as `#rrggbb`."""


class JumpList(TextList):
    """Rows to be clicked; the ones at the playhead are marked. A subclass builds `_rows`."""

    _rows: Sequence[JumpRow] = ()

    @property
    def rows(self) -> Sequence[JumpRow]:
        """What is listed."""
        self.rebuild_if_stale()
        return self._rows

    def heights(self) -> Sequence[int]:
        return EqualHeights(len(self._rows), _ROW)

    def is_here(self, row: int) -> bool:
        """Whether the playhead is at a row."""
        return self._rows[row].time is not None and self._rows[row].frame == self.store.frame

    def accepts_cursor(self, row: int) -> bool:
        return not self._rows[row].is_heading

    # --- painting -------------------------------------------------------------------------------

    def cache_key(self, row: int) -> Hashable:
        return self._rows[row], self.is_here(row), row == self.hover

    def paint_row(self, painter: QPainter, row: int, box: QRectF) -> None:
        entry = self._rows[row]
        if entry.is_heading:
            self._paint_heading(painter, entry, box)
            return
        if self.is_here(row):
            painter.fillRect(box, color(palette.ACCENT, 40))
            painter.fillRect(QRectF(0, box.top(), 2, box.height()), color(palette.PLAYHEAD))
        elif row == self.hover:
            painter.fillRect(box, color(palette.HOVER))
        left = 10.0
        if entry.time is not None:
            painter.setFont(font(11, mono=True))
            painter.setPen(pen(palette.FAINT))
            text = time_text(entry.time)
            painter.drawText(box.adjusted(left, 0, 0, 0), _MIDDLE, text)
            left = max(82.0, 18.0 + painter.fontMetrics().horizontalAdvance(text))
        if entry.sign:
            painter.setFont(font(11, bold=True))
            painter.setPen(pen(entry.color or palette.TEXT))
            painter.drawText(QRectF(left, box.top(), 14, box.height()), _MIDDLE, entry.sign)
            left += 18.0
        note_width = self._paint_note(painter, entry, box, left)
        painter.setFont(font(12))
        painter.setPen(pen(palette.TEXT))
        words = box.adjusted(left, 0, -12 - note_width, 0)
        painter.drawText(words, _MIDDLE, elided(painter, entry.text, words.width()))

    def _paint_heading(self, painter: QPainter, entry: JumpRow, box: QRectF) -> None:
        painter.fillRect(box, color(palette.GROUP))
        painter.setFont(font(11, bold=True))
        painter.setPen(pen(palette.DIM))
        painter.drawText(box.adjusted(10, 0, -10, 0), _MIDDLE, entry.text)
        painter.setFont(font(11))
        painter.drawText(box.adjusted(10, 0, -12, 0), _RIGHT, entry.note)

    def _paint_note(self, painter: QPainter, entry: JumpRow, box: QRectF, left: float) -> float:
        """Paint the note at the right; returns the width that it takes."""
        if not entry.note:
            return 0.0
        painter.setFont(font(12))
        needs = painter.fontMetrics().horizontalAdvance(entry.text) * 1.02
        painter.setFont(font(11))
        room = max(_LEAST_NOTE, box.width() - left - needs - 30, (box.width() - left) * 0.3)
        note = elided(painter, entry.note, room)
        width = painter.fontMetrics().horizontalAdvance(note) + 10.0
        painter.setPen(pen(palette.DIM if entry.swatch else palette.FAINT))
        painter.drawText(box.adjusted(0, 0, -12, 0), _RIGHT, note)
        if entry.swatch:
            middle, right = box.center().y(), box.right() - 12 - width + 4
            painter.fillRect(QRectF(right - 9, middle - 4, 8, 8), color(entry.swatch))
            width += 14.0
        return width

    # --- what can be done -----------------------------------------------------------------------

    def jump(self, row: int) -> None:
        """Go where a row leads."""
        entry = self._rows[row]
        if entry.frame:
            self.store.jump(entry.frame, entry.object)
        elif entry.object:
            self.store.select(entry.object)

    def clicked(self, row: int, at: QPointF, *, twice: bool) -> None:
        if not twice and not self._rows[row].is_heading:
            self.jump(row)

    def activated(self, row: int) -> None:
        self.jump(row)

    def menu_entries(self, row: int) -> Sequence[MenuEntry]:
        if not 0 <= row < len(self._rows) or self._rows[row].is_heading:
            return ()
        go: tuple[str, Callable[[], object]] = ("Go there", lambda: self.jump(row))
        return (go,)

    # --- in words -------------------------------------------------------------------------------

    def card(self, row: int, at: QPointF) -> Sequence[str]:
        entry = self._rows[row]
        if entry.is_heading:
            return ()
        lines = [entry.text]
        if entry.time is not None:
            lines.append(f"{time_text(entry.time)}   frame {entry.frame}")
        if entry.note:
            lines.append(entry.note)
        return lines

    def text(self) -> str:
        return self._text_of(self.rows)

    def description(self) -> str:
        return self._text_of(self.rows[:_DESCRIBED])

    def _text_of(self, rows: Sequence[JumpRow]) -> str:
        lines = []
        for row in rows:
            time = "" if row.time is None else time_text(row.time)
            parts = [part for part in (time, row.sign, row.text, row.note) if part]
            lines.append("   ".join(parts) if row.is_heading else "  " + "   ".join(parts))
        return "\n".join(lines) or self.empty_text
