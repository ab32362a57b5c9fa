"""The interface of the world view that its mouse handler uses."""

from typing import Protocol

from ...scene.view_camera import ViewCamera
from ...toolkit.qt import QPoint, QPointF
from .hover_card import HoverCard
from .overlay_protocols import Markers, Placer


class WorldInterface(Protocol):
    """The camera, what lies over the image, and what a click does; the world panel has it all."""

    camera: ViewCamera
    follow: bool
    card: HoverCard
    placer: Placer | None
    markers: Markers | None

    def height(self) -> int: ...
    def setFocus(self) -> None: ...  # noqa: N802
    def update(self) -> None: ...
    def take_over(self) -> None: ...
    def dolly(self, factor: float) -> None: ...
    def hover(self, at: QPointF, *, drawings_first: bool = False) -> None: ...
    def click(self, at: QPointF, *, to_source: bool = False) -> None: ...
    def offer(self, at: QPoint) -> None: ...
