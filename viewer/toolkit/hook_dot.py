"""The dot beside what a hook is on, as debuggers paint it beside a line with a breakpoint."""

from . import palette
from .qt import QPainter, QPointF, Qt
from .theme import color, pen

RADIUS = 4.0
"""The radius of the dot, pixels."""


def paint_hook_sign(painter: QPainter, at: QPointF) -> None:
    """Paint the dot, with its middle there."""
    painter.setPen(pen(palette.PANEL))
    painter.setBrush(color(palette.FAILED))
    painter.drawEllipse(at, RADIUS, RADIUS)
    painter.setBrush(Qt.BrushStyle.NoBrush)
