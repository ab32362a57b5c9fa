"""The seconds around the playhead, drawn as a strip that one clicks to go to a time."""

from ..state.viewer_store import ViewerStore
from ..toolkit import palette
from ..toolkit.hatch import paint_hatch
from ..toolkit.qt import QPainter, QPointF, QRectF, Qt
from ..toolkit.theme import color, font, pen
from ..toolkit.time_text import time_text

SECONDS = 2.0
"""What is shown before and after the playhead."""
RULER = 16.0
"""Pixels of the line below the strip that tells its times."""


class TimeStrip:
    """Where times are in a strip. It stays where it is while one drags the playhead in it."""

    def __init__(self, store: ViewerStore) -> None:
        self._store = store
        self._anchor: float | None = None

    @property
    def middle(self) -> float:
        """The time in the middle, seconds."""
        if self._anchor is not None:
            return self._anchor
        snapshot = self._store.snapshot
        return snapshot.time if snapshot is not None else 0.0

    @property
    def range(self) -> tuple[float, float]:
        """The times at its two ends, seconds."""
        return self.middle - SECONDS, self.middle + SECONDS

    def x_of(self, time: float, box: QRectF) -> float:
        return box.left() + (time - self.middle + SECONDS) / (2 * SECONDS) * box.width()

    def time_at(self, x: float, box: QRectF) -> float:
        return self.middle - SECONDS + (x - box.left()) / max(1.0, box.width()) * 2 * SECONDS

    def press(self, x: float, box: QRectF) -> None:
        """Take hold of the playhead at a pixel."""
        self._anchor = self.middle
        self._store.grab(self.time_at(x, box))

    def drag(self, x: float, box: QRectF) -> bool:
        """Move it; False if it is not held."""
        if self._anchor is not None:
            self._store.grab(self.time_at(x, box))
        return self._anchor is not None

    def release(self) -> bool:
        """Let go of it; False if it was not held."""
        held, self._anchor = self._anchor is not None, None
        if held:
            self._store.let_go()
        return held

    def paint_ruler(self, painter: QPainter, box: QRectF) -> None:
        """The times at the ends and in the middle, below the strip."""
        painter.setFont(font(10, mono=True))
        painter.setPen(pen(palette.FAINT))
        line = QRectF(box.left(), box.bottom(), box.width(), RULER)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(line, middle, f"−{SECONDS:g} s")
        painter.drawText(line, middle | Qt.AlignmentFlag.AlignRight, f"+{SECONDS:g} s")
        painter.drawText(line, Qt.AlignmentFlag.AlignCenter, time_text(self.middle))

    def paint_cursor(self, painter: QPainter, box: QRectF) -> None:
        """The playhead."""
        cursor = self._store.cursor
        if cursor is not None and abs(cursor - self.middle) <= SECONDS:
            x = self.x_of(cursor, box)
            painter.fillRect(QRectF(x - 0.5, box.top(), 1, box.height()), color(palette.PLAYHEAD))

    def paint_hover(self, painter: QPainter, box: QRectF, x: float) -> None:
        """A thin line under the mouse."""
        painter.setPen(pen("#ffffff", 1.0, 60))
        painter.drawLine(QPointF(x + 0.5, box.top()), QPointF(x + 0.5, box.bottom()))

    def paint_gaps(self, painter: QPainter, box: QRectF) -> None:
        """Hatch where frames are missing or not read yet."""
        start, end = self.range
        for one in self._store.history.missing(start, end, self._store.playback.span):
            left, right = self.x_of(one.start, box), self.x_of(one.end, box)
            hatch = QRectF(left, box.top(), right - left, box.height())
            paint_hatch(painter, hatch, "", palette.FAINT)

    def paint_missing(self, painter: QPainter, box: QRectF, start: float, end: float) -> None:
        """Hatch what nothing is known of: before `start` and after `end`, seconds."""
        left, right = self.x_of(start, box), self.x_of(end, box)
        for one, other in ((box.left(), left), (right, box.right())):
            one, other = max(one, box.left()), min(other, box.right())
            if other - one > 2:
                hatch = QRectF(one, box.top(), other - one, box.height())
                paint_hatch(painter, hatch, "", palette.FAINT)
