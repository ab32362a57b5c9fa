"""Entries of context menus: an action, or the choice of a state's colour."""

from collections.abc import Callable
from typing import NamedTuple

from . import palette
from .qt import QIcon, QPainter, QPixmap, QPointF, QPolygonF
from .theme import color, pen

MenuAction = tuple[str, Callable[[], object]]
"""A text, and what is done when it is chosen."""


class ColorChoice(NamedTuple):
    """A submenu that gives a state another colour."""

    name: str
    chosen: str
    """The colour that a person gave it; empty for the usual one."""
    choose: Callable[[str], object]


def swatch(name: str, ratio: float, chosen: bool = False) -> QIcon:
    """A colour in a menu; the one that holds has a tick, which a box beside it would hide."""
    side = 14
    picture = QPixmap(round(side * ratio), round(side * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(color(name))
    if chosen:
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(pen(palette.SELECTED, 2.0))
        painter.drawPolyline(QPolygonF([QPointF(3, 7), QPointF(6, 10.5), QPointF(11, 3.5)]))
        painter.end()
    return QIcon(picture)
