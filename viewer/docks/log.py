"""The log dock: what was said and which checks failed; a double click goes there."""

from collections.abc import Sequence

from ..clock import Clock
from ..listing import Listing
from ..models import palette
from ..models.journal import LEVELS, Entry, current, entries
from ..models.times import told
from ..painting import elided
from ..qt import (
    QHBoxLayout,
    QLineEdit,
    QPainter,
    QPointF,
    QRectF,
    Qt,
    QToolButton,
    QVBoxLayout,
    QWidget,
)
from ..theme import color, font, pen

_LOOKS = {
    "debug": (palette.FAINT, "·"), "info": (palette.ACCENT, "i"), "warning": (palette.WARNING, "!"),
    "error": (palette.FAILED, "✕"), "assert": (palette.FAILED, "▲"),
}  # fmt: skip


class LogList(Listing):
    """The lines; what is in the future of the playhead is dim."""

    empty = "Nothing was logged, and no check failed"
    call = "session.log(text)  ·  session.check(condition, message)"

    def __init__(self, clock: Clock) -> None:
        super().__init__("Log")
        self.clock = clock
        self.levels = frozenset(LEVELS)
        self.words = ""
        self._rows: list[Entry] = []
        self._now = -1
        clock.grew.connect(self.renew)
        clock.moved.connect(self._moved)

    @property
    def rows(self) -> list[Entry]:
        """What is listed."""
        return self._rows

    def renew(self) -> None:
        """Make the rows anew."""
        moment = self.clock.moment

        def name_of(object: int) -> str:
            return moment.name_of(object) if moment is not None else str(object)

        self._rows = entries(self.clock.history, name_of, self.levels, self.words)
        filtered = bool(self.words) or self.levels != frozenset(LEVELS)
        self.empty = "Nothing matches" if filtered else LogList.empty
        self._moved()

    def _moved(self) -> None:
        now = current(self._rows, self.clock.frame)
        if now != self._now:
            self._now = now
            if now >= 0 and self.hover < 0:
                self.show_row(now, middle=True)
        self.update()

    def heights(self) -> Sequence[int]:
        return [20] * len(self._rows)

    def paint_row(self, painter: QPainter, row: int, box: QRectF) -> None:
        told_row = self._rows[row]
        name, sign = _LOOKS[told_row.level]
        now = told_row.frame == self.clock.frame or row == self._now
        future = told_row.frame > self.clock.frame
        if now:
            painter.fillRect(box, color(palette.PLAYHEAD, 36))
            painter.fillRect(QRectF(0, box.top(), 2, box.height()), color(palette.PLAYHEAD))
        elif told_row.level == "assert":
            painter.fillRect(box, color(palette.FAILED, 22))
        elif row == self.hover:
            painter.fillRect(box, color("#181c24"))
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(font(11, mono=True))
        painter.setPen(pen(palette.FAINT))
        painter.drawText(box.adjusted(10, 0, 0, 0), middle, told(told_row.time))
        painter.setFont(font(11, bold=True))
        painter.setPen(pen(palette.FAINT if future else name))
        painter.drawText(QRectF(82, box.top(), 14, box.height()), middle, sign)
        who_width = 0.0
        if told_row.who:
            painter.setFont(font(11))
            who = elided(painter, told_row.who, 96)
            who_width = painter.fontMetrics().horizontalAdvance(who) + 10.0
            painter.setPen(pen(palette.FAINT))
            right = middle | Qt.AlignmentFlag.AlignRight
            painter.drawText(box.adjusted(0, 0, -12, 0), right, who)
        painter.setFont(font(12, bold=told_row.level == "assert"))
        bright = (
            palette.TEXT if told_row.level in ("info", "debug") else palette.lighter(name, 0.25)
        )
        painter.setPen(pen(palette.FAINT if future else bright))
        words = box.adjusted(100, 0, -12 - who_width, 0)
        painter.drawText(words, middle, elided(painter, told_row.text, words.width()))

    def clicked(self, row: int, at: QPointF, *, twice: bool) -> None:
        if twice:
            told_row = self._rows[row]
            self.clock.jump(told_row.frame, told_row.object)


class LogDock(QWidget):
    """The lines, with a filter and a switch for each level above."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self.list = LogList(clock)
        self.filter = QLineEdit()
        self.filter.setPlaceholderText("Filter log")
        self.filter.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.filter.textChanged.connect(self._filtered)
        row = QHBoxLayout()
        row.setSpacing(4)
        row.addWidget(self.filter, 1)
        for level in LEVELS:
            chip = QToolButton()
            chip.setText("warn" if level == "warning" else level)
            chip.setMinimumWidth(30)
            chip.setCheckable(True)
            chip.setChecked(True)
            chip.setProperty("chip", True)
            chip.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            chip.clicked.connect(lambda on, level=level: self._switch(level, on))
            row.addWidget(chip)
        inside = QVBoxLayout(self)
        inside.setContentsMargins(6, 6, 6, 2)
        inside.setSpacing(6)
        inside.addLayout(row)
        inside.addWidget(self.list, 1)

    def _switch(self, level: str, on: bool) -> None:
        self.list.levels = self.list.levels | {level} if on else self.list.levels - {level}
        self.list.renew()

    def _filtered(self, text: str) -> None:
        self.list.words = text
        self.list.renew()
