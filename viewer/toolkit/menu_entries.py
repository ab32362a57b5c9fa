"""Entries of context menus: an action, or the choice of a state's colour."""

from collections.abc import Callable
from typing import NamedTuple

from . import palette
from .qt import QIcon, QPainter, QPixmap, QPointF, QPolygonF
from .theme import color, pen

MenuAction = tuple[str, Callable[[], object]]
"""A label, and what runs when it is chosen."""


class ColorChoice(NamedTuple):
    """A submenu that gives a state another colour."""

    name: str
    chosen: str
    """The colour that the user gave it; empty for the usual one."""
    choose: Callable[[str], object]


class Submenu(NamedTuple):
    """A menu behind an entry."""

    name: str
    actions: tuple[MenuAction, ...]


MenuEntry = MenuAction | ColorChoice | Submenu


def color_swatch(name: str, ratio: float, *, is_chosen: bool) -> QIcon:
    """A colour's icon in a menu.

    Args:
        ratio: Device pixels for each pixel.
        is_chosen: Draw a tick into it: Qt shows either an icon or a check box beside an entry.
    """
    side = 14
    pixmap = QPixmap(round(side * ratio), round(side * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(color(name))
    if is_chosen:
        painter = QPainter(pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(pen(palette.SELECTED, 2.0))
        painter.drawPolyline(QPolygonF([QPointF(3, 7), QPointF(6, 10.5), QPointF(11, 3.5)]))
        painter.end()
    return QIcon(pixmap)
