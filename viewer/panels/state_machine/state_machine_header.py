"""The head of the state machine panel: whose machine it is, its state and its last transition."""

import re
from functools import partial
from typing import NamedTuple

from ...toolkit import palette
from ...toolkit.numpy_painting import elided, one_line
from ...toolkit.pixmap_cache import PixmapCache
from ...toolkit.qt import QFontMetricsF, QPainter, QRectF, Qt
from ...toolkit.theme import color, font, pen
from .state_machine_model import Headline

HEIGHT = 50
"""Pixels."""
_SIDE = 12.0
_SHARE = 0.35
"""Of the line that the state it came from may take; the state it is in may take as much."""
_LONGEST = 140
_DIGIT = re.compile(r"\d")
_MIDDLE = Qt.AlignmentFlag.AlignVCenter
_RIGHT = _MIDDLE | Qt.AlignmentFlag.AlignRight
_ELIDE = Qt.TextElideMode.ElideRight


class MachineHeading(NamedTuple):
    """What the lines say."""

    who: str
    machines: tuple[str, ...]
    """All of the object's; a click shows another."""
    shown: str
    newest: Headline | None
    waits: str
    """The text in place of a transition."""


class MachineChip(NamedTuple):
    """A machine's name in the first line."""

    box: QRectF
    machine: str
    text: str


class StateMachineHeader:
    """Paints the lines. All but the running time is a cached pixmap."""

    def __init__(self) -> None:
        self._pixmaps = PixmapCache(palette.PANEL, most=64)

    def chips(self, head: MachineHeading, box: QRectF) -> list[MachineChip]:
        """Where the machines' names are, as far as they have room."""
        first, metrics = _first_line(box), QFontMetricsF(font(11))
        left = first.left() + QFontMetricsF(font(12)).horizontalAdvance(_who(head, first)) + 10
        chips = []
        for machine in head.machines:
            text = metrics.elidedText(one_line(machine), _ELIDE, _LONGEST)
            width = metrics.horizontalAdvance(text) + 16.0
            if left + width > first.right():
                break
            place = QRectF(left, first.top() + 1, width, first.height() - 2)
            chips.append(MachineChip(place, machine, text))
            left += width + 6
        return chips

    def paint(self, painter: QPainter, head: MachineHeading, box: QRectF, ratio: float) -> None:
        """Draw both lines."""
        newest = head.newest
        # As long as only its figures change, how long the state has lasted takes the same room.
        same = head if newest is None else head._replace(newest=newest._replace(
            dwell=_DIGIT.sub("0", newest.dwell)
        ))  # fmt: skip
        self._pixmaps.draw(painter, box, ratio, same, partial(self._paint, same))
        if newest is not None:
            painter.setFont(font(12))
            painter.setPen(pen(palette.TEXT))
            painter.drawText(_second_line(box), _RIGHT, f"for {newest.dwell}")

    def _paint(self, head: MachineHeading, painter: QPainter, box: QRectF) -> None:
        first = _first_line(box)
        painter.setFont(font(12))
        painter.setPen(pen(palette.DIM))
        painter.drawText(first, _MIDDLE, _who(head, first))
        painter.setFont(font(11))
        chips = self.chips(head, box)
        for chip in chips:
            _paint_chip(painter, chip, marked=chip.machine == head.shown, alone=len(chips) == 1)
        if len(chips) < len(head.machines):
            left = chips[-1].box.right() + 6 if chips else first.left()
            painter.setPen(pen(palette.FAINT))
            painter.drawText(QRectF(left, first.top(), 20, first.height()), _MIDDLE, "…")
        line = _second_line(box)
        if head.newest is None:
            painter.setFont(font(12))
            painter.setPen(pen(palette.FAINT))
            painter.drawText(line, _MIDDLE, head.waits)
        else:
            _paint_transition(painter, head.newest, line)


def _who(head: MachineHeading, line: QRectF) -> str:
    return QFontMetricsF(font(12)).elidedText(one_line(head.who), _ELIDE, line.width() * 0.4)


def _first_line(box: QRectF) -> QRectF:
    return QRectF(box.left() + _SIDE, box.top() + 3, box.width() - 2 * _SIDE, 20)


def _second_line(box: QRectF) -> QRectF:
    return QRectF(box.left() + _SIDE, box.top() + 25, box.width() - 2 * _SIDE, 22)


def _paint_transition(painter: QPainter, newest: Headline, line: QRectF) -> None:
    dwell = QFontMetricsF(font(12)).horizontalAdvance(f"for {newest.dwell}")
    line.adjust(0, 0, -dwell - 10, 0)
    painter.setFont(font(13, bold=True))
    metrics = painter.fontMetrics()
    # Of long names neither may push the other one, or the reason, out of the line.
    source = elided(painter, newest.source or "·", line.width() * _SHARE) + "  →  "
    painter.setPen(pen(palette.DIM))
    painter.drawText(line, _MIDDLE, source)
    line.adjust(metrics.horizontalAdvance(source), 0, 0, 0)
    painter.setPen(pen(palette.lighter(palette.state_color(newest.target))))
    target = elided(painter, newest.target, line.width() * 2 * _SHARE)
    painter.drawText(line, _MIDDLE, target)
    line.adjust(metrics.horizontalAdvance(target) + 10, 0, 0, 0)
    painter.setFont(font(12))
    painter.setPen(pen(palette.TEXT))
    rest = f"at {newest.time}  ·  {newest.won}"
    if painter.fontMetrics().horizontalAdvance(rest) > line.width():
        rest = newest.won  # why is worth more than when
    painter.drawText(line, _MIDDLE, elided(painter, rest, line.width()))


def _paint_chip(painter: QPainter, chip: MachineChip, *, marked: bool, alone: bool) -> None:
    raised = marked and not alone
    painter.setPen(pen("#2f5a94" if raised else palette.EDGE))
    painter.setBrush(color(palette.CHOSEN if raised else palette.PANEL))
    painter.drawRoundedRect(chip.box, 4, 4)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(pen(palette.TEXT if marked else palette.DIM))
    painter.drawText(chip.box, Qt.AlignmentFlag.AlignCenter, chip.text)
