"""The interface of the plots panel that its mouse handler and its menu use."""

from collections.abc import Mapping
from typing import Protocol

from ...state.pinned_fields import Group
from ...state.shared_pins_and_histories import PanelContext
from ...state.viewer_store import ViewerStore
from ...toolkit.qt import QMenu, QPainter, QPoint, QPointF, QRectF, QWidget
from ..timeline.time_scale import TimeScale
from .plot_model import Plot, PlotView
from .plots_static_layer import PlotBackground, PlotBoxes


class PlotsInterface(Protocol):
    """What is plotted, where it is, and what can be done to it; the plots panel has it all."""

    store: ViewerStore
    context: PanelContext
    scale: TimeScale
    scrolled: int
    at_plot: int
    background: PlotBackground

    @property
    def room(self) -> float: ...
    @property
    def boxes(self) -> PlotBoxes: ...
    def width(self) -> int: ...
    def height(self) -> int: ...
    def window(self) -> QWidget | None: ...
    def hasFocus(self) -> bool: ...  # noqa: N802
    def mapToGlobal(self, point: QPoint, /) -> QPoint: ...  # noqa: N802
    def update(self) -> None: ...
    def plots(self) -> list[Plot]: ...
    def groups(self) -> tuple[Group, ...]: ...
    def time_at(self, x: float) -> float: ...
    def plot_at(self, y: float) -> int: ...
    def inside_of(self, at: int) -> QRectF: ...
    def time_under(self, here: QPointF, at: int) -> float | None: ...
    def menu(self, point: QPointF) -> QMenu: ...
    def paint_moving(
        self, painter: QPainter, every: list[Plot], boxes: PlotBoxes, views: Mapping[int, PlotView],
        here: QPointF | None,
    ) -> None: ...  # fmt: skip
