"""A strip of the seconds around the playhead, in which a click or a drag moves the playhead."""

from ..state.viewer_store import ViewerStore
from ..toolkit import palette
from ..toolkit.no_data_hatching import paint_hatch
from ..toolkit.qt import QPainter, QPointF, QRectF, Qt
from ..toolkit.theme import color, font, pen
from ..toolkit.time_text import time_text

SECONDS = 2.0
"""How much is shown before the playhead, and after it."""
RULER = 16.0
"""Pixels of the ruler with the times below the strip."""


class TimeStrip:
    """Converts between times and pixels in a strip, and paints what all strips have.

    The playhead is in its middle, except while it is dragged in the strip, which then stays still.
    """

    def __init__(self, store: ViewerStore) -> None:
        self._store = store
        self._anchor: float | None = None
        """The time in the middle while the playhead is dragged; None otherwise."""

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
        """Begin to drag the playhead, at a pixel."""
        self._anchor = self.middle
        self._store.grab(self.time_at(x, box))

    def drag(self, x: float, box: QRectF) -> bool:
        """Move the playhead; False if it is not being dragged."""
        if self._anchor is not None:
            self._store.grab(self.time_at(x, box))
        return self._anchor is not None

    def release(self) -> bool:
        """End the drag; False if there was none."""
        was_dragging, self._anchor = self._anchor is not None, None
        if was_dragging:
            self._store.let_go()
        return was_dragging

    def paint_ruler(self, painter: QPainter, box: QRectF) -> None:
        """Paint the times at the ends and in the middle, below the strip."""
        painter.setFont(font(10, mono=True))
        painter.setPen(pen(palette.FAINT))
        line = QRectF(box.left(), box.bottom(), box.width(), RULER)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(line, middle, f"−{SECONDS:g} s")
        painter.drawText(line, middle | Qt.AlignmentFlag.AlignRight, f"+{SECONDS:g} s")
        painter.drawText(line, Qt.AlignmentFlag.AlignCenter, time_text(self.middle))

    def paint_cursor(self, painter: QPainter, box: QRectF) -> None:
        """Paint the playhead."""
        cursor = self._store.cursor
        if cursor is not None and abs(cursor - self.middle) <= SECONDS:
            x = self.x_of(cursor, box)
            painter.fillRect(QRectF(x - 0.5, box.top(), 1, box.height()), color(palette.PLAYHEAD))

    def paint_hover(self, painter: QPainter, box: QRectF, x: float) -> None:
        """Paint a thin line under the mouse."""
        painter.setPen(pen(palette.SELECTED, 1.0, 60))
        painter.drawLine(QPointF(x + 0.5, box.top()), QPointF(x + 0.5, box.bottom()))

    def paint_gaps(self, painter: QPainter, box: QRectF) -> None:
        """Hatch where frames are missing or not read yet."""
        start, end = self.range
        for gap in self._store.history.missing(start, end, self._store.playback.span):
            left, right = self.x_of(gap.start, box), self.x_of(gap.end, box)
            hatch = QRectF(left, box.top(), right - left, box.height())
            paint_hatch(painter, hatch, "", palette.FAINT)

    def paint_missing(self, painter: QPainter, box: QRectF, start: float, end: float) -> None:
        """Hatch the times of which nothing is known: before `start` and after `end`, seconds."""
        left_end, right_start = self.x_of(start, box), self.x_of(end, box)
        for left, right in ((box.left(), left_end), (right_start, box.right())):
            left, right = max(left, box.left()), min(right, box.right())
            if right - left > 2:
                hatch = QRectF(left, box.top(), right - left, box.height())
                paint_hatch(painter, hatch, "", palette.FAINT)
