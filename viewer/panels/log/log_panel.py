"""The log panel: lines, events, marks and failed checks; a click goes to the frame."""

from collections.abc import Hashable, Sequence
from itertools import pairwise

from ...state.viewer_store import ViewerStore
from ...toolkit import palette
from ...toolkit.menu_entries import MenuEntry
from ...toolkit.qt import (
    QApplication,
    QBoxLayout,
    QHBoxLayout,
    QPainter,
    QPointF,
    QRectF,
    QResizeEvent,
    Qt,
    QToolButton,
    QVBoxLayout,
    QWidget,
)
from ...toolkit.text_painting import elided
from ...toolkit.theme import color, font, pen, restyle
from ...toolkit.time_text import time_text
from ...widgets.lists.filter_edit import filter_edit
from ...widgets.lists.interactive_list import TextList
from ...widgets.lists.virtual_list import EqualHeights
from .log_entries import LEVELS, LogEntries, LogRow, current, entries

_LOOKS = {
    "debug": (palette.FAINT, "·"), "info": (palette.ACCENT, "i"), "warning": (palette.WARNING, "!"),
    "error": (palette.FAILED, "✕"), "assert": (palette.FAILED, "▲"),
    "event": (palette.TEXT, "◆"),
}  # fmt: skip
_SIDE_BY_SIDE = 490
"""In a narrower panel the filter is above the levels' switches."""
_SOURCE = 22
_LEAST_WHO = 34.0
"""Pixels of the sign that opens the source."""
_MIDDLE = Qt.AlignmentFlag.AlignVCenter


class LogList(TextList):
    """The lines; what is in the future of the playhead is dim."""

    empty_text = "Nothing was logged, and no check failed"
    empty_hint = "session.log(text)  ·  session.check(condition, message)"

    def __init__(self, store: ViewerStore) -> None:
        super().__init__("Log", store)
        self.levels = frozenset(LEVELS)
        self.words = ""
        self._entries = LogEntries()
        self._rows: list[LogRow] = []
        self._now = -1
        self._shown_version: tuple[object, ...] = ()

    @property
    def rows(self) -> list[LogRow]:
        """What is listed."""
        self.rebuild_if_stale()
        return self._rows

    @property
    def counts(self) -> dict[str, int]:
        """How many lines there are of each level, listed or not."""
        self._entries.every(self.store.history, self._name_of, self._named)
        return self._entries.counts

    @property
    def _named(self) -> tuple[object, ...]:
        snapshot = self.store.snapshot
        names = () if snapshot is None else tuple(snapshot.names.items())
        return (*names, self.store.names_version)

    def _name_of(self, object: int) -> str:
        return self.store.name_of(object)

    def build_rows(self) -> bool:
        history = self.store.history
        self._rows = entries(
            history, self._name_of, self.levels, self.words, self._entries, self._named
        )
        is_filtered = bool(self.words) or self.levels != frozenset(LEVELS)
        self.empty_text = "Nothing matches" if is_filtered else LogList.empty_text
        if not self.store.knows_all:
            self.empty_text = f"{self.empty_text}{self.store.so_far}"
        now = current(self._rows, self.store.frame)
        if now != self._now:
            self._now = now
            # Who reads elsewhere is not pulled away.
            if now >= 0 and self.hover < 0:
                self.show_row(now, middle=True)
        before, self._shown_version = self._shown_version, (
            len(self._rows), now, self.store.frame, self._unread, self.empty_text
        )  # fmt: skip
        return before != self._shown_version or is_filtered

    @property
    def _unread(self) -> str:
        """The note on lines that are not read yet; empty if all are."""
        store = self.store
        if store.knows_all or store.snapshot is None:
            return ""
        return f"Read so far: {store.progress:.0%} · lines of the rest are not known"

    def heights(self) -> Sequence[int]:
        return EqualHeights(len(self._rows), 20)

    # --- painting -------------------------------------------------------------------------------

    def cache_key(self, row: int) -> Hashable:
        entry, at = self._rows[row], self.store.frame
        return entry, entry.frame == at or row == self._now, entry.frame > at, row == self.hover

    def paint_row(self, painter: QPainter, row: int, box: QRectF) -> None:
        entry = self._rows[row]
        name, sign = _LOOKS[entry.level]
        now = entry.frame == self.store.frame or row == self._now
        future = entry.frame > self.store.frame
        if now:
            # Red is for what went wrong.
            painter.fillRect(box, color(palette.ACCENT, 40))
            painter.fillRect(QRectF(0, box.top(), 2, box.height()), color(palette.PLAYHEAD))
        elif entry.level == "assert":
            painter.fillRect(box, color(palette.FAILED, 22))
        elif row == self.hover:
            painter.fillRect(box, color(palette.HOVER))
        painter.setFont(font(11, mono=True))
        painter.setPen(pen(palette.FAINT))
        time = time_text(entry.time)
        painter.drawText(box.adjusted(10, 0, 0, 0), _MIDDLE, time)
        left = max(82.0, 18.0 + painter.fontMetrics().horizontalAdvance(time))
        painter.setFont(font(11, bold=True))
        painter.setPen(pen(palette.FAINT if future else name))
        painter.drawText(QRectF(left, box.top(), 14, box.height()), _MIDDLE, sign)
        right = 12.0
        if row == self.hover and entry.file:
            right = _SOURCE + 6.0
            painter.setPen(pen(palette.ACCENT))
            area = QRectF(box.right() - _SOURCE - 4, box.top(), _SOURCE, box.height())
            painter.drawText(area, Qt.AlignmentFlag.AlignCenter, "↗")
        who_width = 0.0
        if entry.who:
            painter.setFont(font(11))
            # The text comes first. The object's name gets the rest of the width; on hover, all.
            needs = painter.fontMetrics().horizontalAdvance(entry.text) * 1.1
            left_over = box.width() - left - 18 - right - needs - 10
            who = elided(painter, entry.who, min(96.0, max(_LEAST_WHO, left_over)))
            who_width = painter.fontMetrics().horizontalAdvance(who) + 10.0
            painter.setPen(pen(palette.FAINT))
            at_right = _MIDDLE | Qt.AlignmentFlag.AlignRight
            painter.drawText(box.adjusted(0, 0, -right, 0), at_right, who)
        painter.setFont(font(12, bold=entry.level == "assert"))
        bright = (
            palette.TEXT
            if entry.level in ("info", "debug", "event")
            else palette.lighter(name, 0.25)
        )
        painter.setPen(pen(palette.FAINT if future else bright))
        words = box.adjusted(left + 18, 0, -right - who_width, 0)
        painter.drawText(words, _MIDDLE, elided(painter, entry.text, words.width()))

    def paint_over(self, painter: QPainter) -> None:
        if not self._unread or not self._rows:
            return
        box = QRectF(0, self.height() - 20, self.width(), 20)
        painter.fillRect(box, color(palette.WARNING_GROUND))
        painter.setFont(font(11))
        painter.setPen(pen(palette.WARNING_TEXT))
        words = box.adjusted(10, 0, -10, 0)
        painter.drawText(words, _MIDDLE, elided(painter, self._unread, words.width()))

    # --- what can be done -----------------------------------------------------------------------

    def clicked(self, row: int, at: QPointF, *, twice: bool) -> None:
        entry = self._rows[row]
        if entry.file and (twice or at.x() > self.width() - _SOURCE - 6):
            self.store.source_requested.emit(entry.file, entry.line)
        if not twice or self.store.frame != entry.frame:
            self.store.jump(entry.frame, entry.object)

    def activated(self, row: int) -> None:
        entry = self._rows[row]
        self.store.jump(entry.frame, entry.object)

    def menu_entries(self, row: int) -> Sequence[MenuEntry]:
        if not 0 <= row < len(self._rows):
            return ()
        entry = self._rows[row]
        offered: list[MenuEntry] = [
            ("Go there", lambda: self.store.jump(entry.frame, entry.object)),
            ("Copy this line", lambda: _copy(_line(entry))),
        ]
        if entry.file:
            offered.append((
                f"Open {entry.where}",
                lambda: self.store.source_requested.emit(entry.file, entry.line),
            ))  # fmt: skip
        return offered

    # --- in words -------------------------------------------------------------------------------

    def card(self, row: int, at: QPointF) -> Sequence[str]:
        entry = self._rows[row]
        lines = [entry.text, f"{time_text(entry.time)}   frame {entry.frame}   {entry.level}"]
        if entry.who:
            lines.append(f"about {entry.who}")
        if entry.file:
            lines.append(f"{entry.where} · double click or ↗ opens it")
        return lines

    def text(self) -> str:
        lines = "\n".join(map(_line, self.rows)) or self.empty_text
        return "\n".join(filter(None, (lines, self._unread)))


def _line(entry: LogRow) -> str:
    cells = [time_text(entry.time), entry.level, entry.text, entry.who, entry.where]
    return "   ".join(filter(None, cells))


def _copy(text: str) -> None:
    clipboard = QApplication.clipboard()
    if clipboard is not None:
        clipboard.setText(text)


class LogPanel(QWidget):
    """The lines, with a filter and a switch for each level above."""

    def __init__(self, store: ViewerStore) -> None:
        super().__init__()
        self.list = LogList(store)
        self.filter = filter_edit(
            "Filter log", "Filter the log", self._filtered, self.list.setFocus, width=90
        )
        self.setFocusProxy(self.list)
        self.levels: dict[str, QToolButton] = {}
        """The switches, by level."""
        row = QHBoxLayout()
        row.setSpacing(3)  # side by side they all fit into the narrowest panel
        for level in LEVELS:
            self.levels[level] = self._switch_of(level)
            row.addWidget(self.levels[level])
        self._bar = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self._bar.setSpacing(5)
        self._bar.addWidget(self.filter, 1)
        self._bar.addLayout(row)
        inside = QVBoxLayout(self)
        inside.setContentsMargins(6, 6, 6, 2)
        inside.setSpacing(6)
        inside.addLayout(self._bar)
        inside.addWidget(self.list, 1)
        # Only now are they in one window, which is what an order can be of.
        for one, other in pairwise((self.filter, *self.levels.values(), self.list)):
            QWidget.setTabOrder(one, other)
        self._counted: dict[str, int] = {}
        for signal in (store.history_grew, store.moved):
            signal.connect(self._count)

    def _switch_of(self, level: str) -> QToolButton:
        chip = QToolButton()
        chip.setText("warn" if level == "warning" else level)
        chip.setAccessibleName(f"Show lines of the level {level}")
        chip.setCheckable(True)
        chip.setChecked(True)
        chip.setProperty("chip", True)
        name = _LOOKS[level][0] if level in ("warning", "error", "assert") else palette.TEXT
        # Its words are never cut: what is left out would be what one looks for.
        restyle(
            chip, f"QToolButton {{ padding: 3px 2px; }} QToolButton:checked {{ color: {name}; }}"
        )
        chip.setMinimumWidth(chip.fontMetrics().horizontalAdvance(chip.text()) + 8)
        # Tab leads here from the filter; a click leaves the keyboard where it was.
        chip.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        chip.setToolTip(f"{level} (Alt+{LEVELS.index(level) + 1})")
        chip.clicked.connect(lambda on: self._switch(level, on))
        return chip

    def resizeEvent(self, event: QResizeEvent | None) -> None:  # noqa: N802
        super().resizeEvent(event)
        wide = self.width() > _SIDE_BY_SIDE
        directions = QBoxLayout.Direction
        self._bar.setDirection(directions.LeftToRight if wide else directions.TopToBottom)

    def _count(self) -> None:
        if self.isVisible() and self._counted != self.list.counts:
            self._counted = self.list.counts
            for level, count in self._counted.items():
                self.levels[level].setToolTip(
                    f"{count:,} × {level} (Alt+{LEVELS.index(level) + 1})"
                )

    def _switch(self, level: str, on: bool) -> None:
        self.list.levels = self.list.levels | {level} if on else self.list.levels - {level}
        self.list.rebuild()

    def switch_level(self, number: int) -> None:
        """Show or hide one of `LEVELS`, by its index there."""
        self.levels[LEVELS[number]].click()

    def _filtered(self, text: str) -> None:
        self.list.words = text
        self.list.rebuild()
