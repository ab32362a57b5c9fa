"""The header of the state machine panel: the object, its machines, and the newest transition."""

import re
from functools import partial
from typing import NamedTuple

from ...toolkit import palette
from ...toolkit.images.pixmap_cache import PixmapCache
from ...toolkit.qt import QFontMetricsF, QPainter, QRectF, Qt
from ...toolkit.text_painting import elided, one_line
from ...toolkit.theme import color, font, pen
from .state_machine_model import Headline

HEIGHT = 50
_MARGIN = 12.0
_STATE_SHARE = 0.35
"""The share of the line that source and target state may each take."""
_LONGEST_CHIP = 140
_DIGIT = re.compile(r"\d")
_MIDDLE = Qt.AlignmentFlag.AlignVCenter
_RIGHT = _MIDDLE | Qt.AlignmentFlag.AlignRight
_ELIDE = Qt.TextElideMode.ElideRight


class HeaderContent(NamedTuple):
    """What the header shows."""

    object_name: str
    machines: tuple[str, ...]
    """All machines of the object."""
    chosen_machine: str
    newest: Headline | None
    empty_text: str
    """Shown if there is no newest transition."""


class MachineChip(NamedTuple):
    """A machine's name in the first line; a click on it shows that machine."""

    box: QRectF
    machine: str
    text: str


class StateMachineHeader:
    """Paints both lines. All but the running time is a cached pixmap."""

    def __init__(self) -> None:
        self._pixmaps = PixmapCache(palette.PANEL, capacity=64)

    def chips(self, content: HeaderContent, box: QRectF) -> list[MachineChip]:
        """The chips of the machines, as many as there is room for."""
        line, metrics = _first_line(box), QFontMetricsF(font(11))
        name = _elided_name(content, line)
        left = line.left() + QFontMetricsF(font(12)).horizontalAdvance(name) + 10
        chips = []
        for machine in content.machines:
            text = metrics.elidedText(one_line(machine), _ELIDE, _LONGEST_CHIP)
            width = metrics.horizontalAdvance(text) + 16.0
            if left + width > line.right():
                break
            chip_box = QRectF(left, line.top() + 1, width, line.height() - 2)
            chips.append(MachineChip(chip_box, machine, text))
            left += width + 6
        return chips

    def paint(self, painter: QPainter, content: HeaderContent, box: QRectF, ratio: float) -> None:
        """Paint both lines into a box."""
        newest = content.newest
        # All digits have the same width: with zeros the cached pixmap fits until there are more.
        cached = content if newest is None else content._replace(newest=newest._replace(
            dwell=_DIGIT.sub("0", newest.dwell)
        ))  # fmt: skip
        self._pixmaps.draw(painter, box, ratio, cached, partial(self._paint, cached))
        if newest is not None:
            painter.setFont(font(12))
            painter.setPen(pen(palette.TEXT))
            painter.drawText(_second_line(box), _RIGHT, f"for {newest.dwell}")

    def _paint(self, content: HeaderContent, painter: QPainter, box: QRectF) -> None:
        """Paint everything but the running time."""
        first = _first_line(box)
        painter.setFont(font(12))
        painter.setPen(pen(palette.DIM))
        painter.drawText(first, _MIDDLE, _elided_name(content, first))
        painter.setFont(font(11))
        chips = self.chips(content, box)
        for chip in chips:
            is_chosen = chip.machine == content.chosen_machine
            _paint_chip(painter, chip, is_chosen=is_chosen, is_only=len(chips) == 1)
        if len(chips) < len(content.machines):
            left = chips[-1].box.right() + 6 if chips else first.left()
            painter.setPen(pen(palette.FAINT))
            painter.drawText(QRectF(left, first.top(), 20, first.height()), _MIDDLE, "…")
        second = _second_line(box)
        if content.newest is None:
            painter.setFont(font(12))
            painter.setPen(pen(palette.FAINT))
            painter.drawText(second, _MIDDLE, content.empty_text)
        else:
            _paint_transition(painter, content.newest, second)


def _elided_name(content: HeaderContent, line: QRectF) -> str:
    name = one_line(content.object_name)
    return QFontMetricsF(font(12)).elidedText(name, _ELIDE, line.width() * 0.4)


def _first_line(box: QRectF) -> QRectF:
    return QRectF(box.left() + _MARGIN, box.top() + 3, box.width() - 2 * _MARGIN, 20)


def _second_line(box: QRectF) -> QRectF:
    return QRectF(box.left() + _MARGIN, box.top() + 25, box.width() - 2 * _MARGIN, 22)


def _paint_transition(painter: QPainter, newest: Headline, line: QRectF) -> None:
    dwell = QFontMetricsF(font(12)).horizontalAdvance(f"for {newest.dwell}")
    line.adjust(0, 0, -dwell - 10, 0)
    painter.setFont(font(13, bold=True))
    metrics = painter.fontMetrics()
    # Long names are shortened, so that both names and the reason fit into the line.
    source = elided(painter, newest.source or "·", line.width() * _STATE_SHARE) + "  →  "
    painter.setPen(pen(palette.DIM))
    painter.drawText(line, _MIDDLE, source)
    line.adjust(metrics.horizontalAdvance(source), 0, 0, 0)
    painter.setPen(pen(palette.lighter(palette.state_color(newest.target))))
    target = elided(painter, newest.target, line.width() * 2 * _STATE_SHARE)
    painter.drawText(line, _MIDDLE, target)
    line.adjust(metrics.horizontalAdvance(target) + 10, 0, 0, 0)
    painter.setFont(font(12))
    painter.setPen(pen(palette.TEXT))
    rest = f"at {newest.time}  ·  {newest.won}"
    if painter.fontMetrics().horizontalAdvance(rest) > line.width():
        rest = newest.won  # the reason is more useful than the time
    painter.drawText(line, _MIDDLE, elided(painter, rest, line.width()))


def _paint_chip(painter: QPainter, chip: MachineChip, *, is_chosen: bool, is_only: bool) -> None:
    is_filled = is_chosen and not is_only
    painter.setPen(pen(palette.CHOSEN_OUTLINE if is_filled else palette.EDGE))
    painter.setBrush(color(palette.CHOSEN if is_filled else palette.PANEL))
    painter.drawRoundedRect(chip.box, 4, 4)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(pen(palette.TEXT if is_chosen else palette.DIM))
    painter.drawText(chip.box, Qt.AlignmentFlag.AlignCenter, chip.text)
