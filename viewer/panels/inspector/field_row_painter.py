"""How a row of the inspector is painted: star, name, unit, curve, value, and the two arrows."""

from collections.abc import Callable, Sequence

import numpy as np

from ...reader.history.lane_data import Floats, curve_lines
from ...toolkit import palette
from ...toolkit.batched_painting import LineBuffer
from ...toolkit.images.pixmap_cache import PixmapCache
from ...toolkit.no_data_hatching import paint_hatch
from ...toolkit.qt import QPainter, QRectF, Qt
from ...toolkit.text_painting import elided
from ...toolkit.theme import color, font, pen
from .inspector_rows import FieldRow

SECONDS = 2.0
"""What a curve shows before and after the playhead."""
ARROWS = 44
"""Pixels of the two buttons that lead to the value's last and next change."""
STAR = 22
"""Pixels of the star that keeps a field on top."""
_CURVE = 74
_MIDDLE = Qt.AlignmentFlag.AlignVCenter


class FieldPainter:
    """Paints one row at a time."""

    def __init__(self) -> None:
        self._lines = LineBuffer()
        self._pixmaps = PixmapCache(palette.PANEL)

    def heading(self, painter: QPainter, field: FieldRow, box: QRectF, *, folded: bool) -> None:
        """The name of a group."""
        painter.fillRect(box, color(palette.GROUP))
        painter.setFont(font(11, bold=True))
        painter.setPen(pen(palette.DIM))
        sign = "▸" if folded else "▾"
        painter.drawText(box.adjusted(10, 0, 0, 0), _MIDDLE, f"{sign}  {field.title}")

    def row(
        self, painter: QPainter, field: FieldRow, box: QRectF, *, gone: bool, hovered: bool,
        arrows: bool, now: float, curve: Callable[[], tuple[Floats, Floats]],
        unread: Callable[[], Sequence[tuple[float, float]]],
    ) -> None:  # fmt: skip
        """A field.

        Args:
            gone: Whether its object is not there: the value is an old one.
            arrows: Whether the two buttons are shown.
            now: Where the playhead is, seconds.
            curve: Gives times and values around it; where a value is no number it breaks.
            unread: Gives what of that is not read yet: from … to, seconds.
        """
        if hovered:
            painter.fillRect(box, color(palette.HOVER))
        painter.setFont(font(12))
        if not field.value:
            name = (
                palette.ACCENT
                if field.frame
                else palette.FAILED
                if field.error_text
                else palette.DIM
            )
            painter.setPen(pen(name))
            words = box.adjusted(24, 0, -8, 0)
            painter.drawText(words, _MIDDLE, elided(painter, field.title, words.width()))
            return
        wide = box.width() > 300
        left = 24.0 + round(max(84.0, box.width() * 0.27))
        self._front(painter, field, QRectF(0, box.top(), left, box.height()), gone, hovered)
        if field.curve and wide:
            if not gone:
                area = QRectF(left, box.top() + 3, _CURVE, box.height() - 6)
                self._curve(painter, *curve(), now, area)
                for start, end in unread():
                    ends = np.clip((start - now, end - now), -SECONDS, SECONDS)
                    one, other = (area.center().x() + ends * area.width() / (2 * SECONDS)).tolist()
                    hatch = QRectF(one, area.top(), other - one, area.height())
                    paint_hatch(painter, hatch, "", palette.FAINT)
            left += _CURVE + 8
        right = box.right() - 12 - (ARROWS if arrows else 0)
        value = QRectF(left, box.top() + 1, right - left, box.height() - 2)
        if field.changed:
            painter.fillRect(value.adjusted(2, 1, 6, -1), color(palette.RUNNING, 34))
        painter.setFont(font(12, mono=True))
        usual = palette.FAINT if gone else palette.TEXT
        painter.setPen(pen(palette.RUNNING if field.changed else usual))
        text = field.value
        if painter.fontMetrics().horizontalAdvance(text) > value.width():
            text = text.replace("   ", " ")
        text = elided(painter, text, value.width())
        painter.drawText(value, _MIDDLE | Qt.AlignmentFlag.AlignRight, text)
        if arrows:
            painter.setPen(pen(palette.ACCENT))
            area = QRectF(box.right() - ARROWS - 6, box.top(), ARROWS, box.height())
            painter.drawText(area, Qt.AlignmentFlag.AlignCenter, "◂  ▸")

    def _front(
        self, painter: QPainter, field: FieldRow, box: QRectF, gone: bool, hovered: bool
    ) -> None:
        """Star, name and unit: while values change these stay, and are kept as an image."""
        hue = palette.FAILED if field.error_text else palette.FAINT if gone else palette.DIM

        def paint(inside: QPainter, room: QRectF) -> None:
            inside.setFont(font(12))
            self._star(inside, field, room, hovered)
            inside.setPen(pen(hue))
            self._name(inside, field, room.adjusted(24, 0, 0, 0))

        if hovered:
            paint(painter, box)
            return
        device = painter.device()
        ratio = device.devicePixelRatioF() if device is not None else 1.0
        look = field.title, field.unit, field.starred, hue
        self._pixmaps.draw(painter, box, ratio, look, paint)

    def _star(self, painter: QPainter, field: FieldRow, box: QRectF, hovered: bool) -> None:
        if field.starred or hovered:
            painter.setPen(pen(palette.ACCENT if field.starred else palette.FAINT))
            area = QRectF(4, box.top(), STAR - 4, box.height())
            painter.drawText(area, Qt.AlignmentFlag.AlignCenter, "★" if field.starred else "☆")

    def _name(self, painter: QPainter, field: FieldRow, words: QRectF) -> None:
        title = elided(painter, field.title, words.width() - 6)
        painter.drawText(words, _MIDDLE, title)
        if field.unit:
            used = painter.fontMetrics().horizontalAdvance(title) + 6
            painter.setFont(font(10))
            painter.setPen(pen(palette.FAINT))
            unit = words.adjusted(used, 1, -4, 0)
            text = elided(painter, field.unit, unit.width())
            if text[:1].isalnum() or text == field.unit:  # not a lone "…"
                painter.drawText(unit, _MIDDLE, text)

    def _curve(
        self, painter: QPainter, times: Floats, values: Floats, now: float, box: QRectF
    ) -> None:
        fine = np.isfinite(values)
        if fine.any():
            low, high = float(values[fine].min()), float(values[fine].max())
            x = box.left() + (times - now + SECONDS) / (2 * SECONDS) * box.width()
            room = high - low or 1.0
            y = box.bottom() - 1 - (values - low) / room * (box.height() - 2)
            if high == low:
                y[:] = box.center().y()
            ends, begins = curve_lines(x, y, fine)
            past = times[begins] <= now + 1e-9
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._lines.draw(painter, ends[past], pen(palette.ACCENT))
            self._lines.draw(painter, ends[~past], pen(palette.OUTLINE))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        painter.fillRect(
            QRectF(box.center().x(), box.top(), 1, box.height()), color(palette.PLAYHEAD)
        )
