"""What other panels draw over the world, and put or move in it."""

from typing import Protocol

from ...scene.view_camera import CameraProjection
from ...toolkit.qt import QKeyEvent, QPainter, QPointF


class Overlay(Protocol):
    """Something drawn over the world that the mouse may hold."""

    @property
    def holds(self) -> bool: ...
    def paint(self, painter: QPainter, view: CameraProjection) -> None: ...


class Placer(Overlay, Protocol):
    """Takes clicks into the world, and some keys, while it holds something to be put there."""

    def hover(self, at: QPointF) -> None: ...
    def leave(self) -> None: ...
    def click(self, at: QPointF) -> None: ...
    def key(self, event: QKeyEvent) -> bool: ...


class Markers(Overlay, Protocol):
    """Things drawn over the world, some of which the left button moves."""

    def grab(self, at: QPointF) -> bool: ...
    def drag(self, at: QPointF) -> None: ...
    def drop(self) -> None: ...
