"""Paints the part of the timeline that does not move with the playhead, into a pixmap."""

from collections.abc import Sequence
from typing import NamedTuple

from ...state.recorded_pictures import RecordedPictures
from ...state.viewer_store import ViewerStore
from ...toolkit import palette
from ...toolkit.batched_painting import RectBuffer
from ...toolkit.qt import QPainter, QPixmap, QPointF, QRectF, Qt
from ...toolkit.text_painting import elided, paint_empty_text
from ...toolkit.theme import color, font, pen
from ...toolkit.time_text import style
from .overview_and_ruler_painter import GUTTER, TOP, OverviewContent, paint_overview, paint_ruler
from .row_painter import RowPainter, paint_missing
from .time_scale import TimeScale
from .timeline_rows import TimelineRow

_NAME = 82
"""Pixels of the gutter that a name has; the rest is for what its row says at the playhead."""


class TimelineLayout(NamedTuple):
    """What is where."""

    width: int
    height: int
    ratio: float
    """Device pixels for each."""
    scroll: int
    """Pixels of rows that are scrolled past."""
    folded: frozenset[str]
    lit: frozenset[int]
    """Objects whose names stand out: the selected one, the pinned ones."""

    @property
    def room(self) -> float:
        """Pixels that time has."""
        return max(1.0, self.width - GUTTER)


class TimelineBackground:
    """Made again only when what it shows has changed."""

    def __init__(
        self, store: ViewerStore, scale: TimeScale, pictures: RecordedPictures
    ) -> None:  # fmt: skip
        self._store = store
        self._scale = scale
        self._pictures = pictures
        self._painter = RowPainter(pictures)
        self._rects = RectBuffer()
        self._pixmap: QPixmap | None = None
        self._shows: tuple[object, ...] = ()
        self.made = 0
        """How often it was."""

    def pixmap(
        self, rows: Sequence[TimelineRow], layout: TimelineLayout, version: object,
        overview: OverviewContent,
    ) -> QPixmap:  # fmt: skip
        """The image of these rows.

        Args:
            version: Differs if anything in the rows has changed.
        """
        store, scale = self._store, self._scale
        shows = (
            layout, version, scale.start, scale.end, scale.first, scale.last,
            store.progress, store.playback.span, style(), overview.who, overview.has_search,
            self._pictures.version if self._pictures.names else 0,
        )  # fmt: skip
        if self._pixmap is None or shows != self._shows:
            self._shows = shows
            self.made += 1
            self._pixmap = self._paint(rows, layout, overview)
        return self._pixmap

    def _paint(
        self, rows: Sequence[TimelineRow], layout: TimelineLayout, overview: OverviewContent
    ) -> QPixmap:
        ratio = layout.ratio
        pixmap = QPixmap(int(layout.width * ratio), int(layout.height * ratio))
        pixmap.setDevicePixelRatio(ratio)
        pixmap.fill(color(palette.PANEL))
        painter = QPainter(pixmap)
        try:
            paint_overview(
                painter, self._painter, self._rects, self._store, self._scale, layout.width,
                overview,
            )  # fmt: skip
            paint_ruler(painter, self._scale, layout.width, layout.height)
            self._rows(painter, rows, layout)
            painter.setPen(pen(palette.EDGE))
            painter.drawLine(QPointF(GUTTER - 0.5, 0), QPointF(GUTTER - 0.5, layout.height))
        finally:
            painter.end()
        return pixmap

    def _rows(self, painter: QPainter, rows: Sequence[TimelineRow], layout: TimelineLayout) -> None:
        painter.setClipRect(QRectF(0, TOP, layout.width, layout.height - TOP))
        y = float(TOP - layout.scroll)
        for row in rows:
            if y + row.height > TOP and y < layout.height:
                if not row.group:
                    self._lane(painter, row, y, layout)
                self._name(painter, row, y, layout)
            y += row.height
        self._missing(painter, layout)
        if not rows:
            box = QRectF(0, TOP, layout.width, layout.height - TOP)
            paint_empty_text(painter, box, "No states, decisions, marks, log or watched values",
                      "session.trace.state(agent, machine, source, target, won=…)")  # fmt: skip
        painter.setClipping(False)

    def _lane(self, painter: QPainter, row: TimelineRow, y: float, layout: TimelineLayout) -> None:
        box = QRectF(GUTTER, y, layout.room, row.height)
        painter.save()
        painter.setClipRect(box, Qt.ClipOperation.IntersectClip)
        self._painter.paint(painter, row, box, self._scale)
        painter.restore()

    def _name(self, painter: QPainter, row: TimelineRow, y: float, layout: TimelineLayout) -> None:
        middle = Qt.AlignmentFlag.AlignVCenter
        if row.group:
            painter.fillRect(QRectF(0, y, layout.width, row.height), color(palette.GROUP))
            painter.setFont(font(11, bold=True))
            painter.setPen(pen(palette.DIM))
            sign = "▸" if row.group in layout.folded else "▾"
            words = QRectF(10, y, layout.width - 20, row.height)
            painter.drawText(words, middle, f"{sign}  {row.title}")
            return
        lit = row.object in layout.lit
        painter.setFont(font(12))
        painter.setPen(pen(palette.SELECTED if lit and not row.field else palette.TEXT))
        words = QRectF(24, y, _NAME, row.height)
        painter.drawText(words, middle, elided(painter, row.title, _NAME))
        painter.setPen(pen(palette.NEWEST))
        bottom = y + row.height - 0.5
        painter.drawLine(QPointF(0, bottom), QPointF(layout.width, bottom))

    def _missing(self, painter: QPainter, layout: TimelineLayout) -> None:
        """Hatch what is evicted, and where frames are missing."""
        store, scale, height = self._store, self._scale, layout.height - TOP
        painter.save()
        painter.setClipRect(QRectF(GUTTER, TOP, layout.room, height))
        found = store.history.missing(scale.start, scale.end, store.playback.span)
        paint_missing(painter, found, QRectF(GUTTER, TOP, layout.room, height), scale)
        painter.restore()
