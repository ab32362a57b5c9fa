"""The only module that imports pyqtgraph. It draws plots into an image or onto a widget.

pyqtgraph's own widgets are never on the screen. Such a widget, or its line for the playhead,
would redraw all curves with each move. The plots panel caches the drawn plots instead.
"""

import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

from ...toolkit import palette
from ...toolkit.axis_ticks import ticks
from ...toolkit.qt import QPainter, QRectF, QWidget
from ...toolkit.theme import color, font, pen
from .plot_model import PlotView

_hook = sys.excepthook
import pyqtgraph as pg  # noqa: E402

sys.excepthook = _hook  # it puts its own one there

FOOT = 16
"""Pixels below a plot that has an axis of its own across."""
_GRID = 34
"""How strong the lines of the grid are, of 255."""


class PlotDrawing(NamedTuple):
    """One plot, and where."""

    box: QRectF
    """Where its curves are."""
    left: float
    """Pixels beside that for the axis of values."""
    view: PlotView
    colors: Sequence[str]
    """One for each curve."""
    has_foot: bool
    """Whether it has an axis across of its own, below the box."""


class _Frame:
    """The parts of one plot in pyqtgraph's scene; they are used again for another one."""

    def __init__(self, scene: Any) -> None:
        self.box = pg.ViewBox(enableMenu=False, enableMouse=False)
        self.left = pg.AxisItem("left", linkView=self.box)
        self.foot = pg.AxisItem("bottom", linkView=self.box)
        self.curves: list[Any] = []
        for item in (self.box, self.left, self.foot):
            scene.addItem(item)
        for axis in (self.left, self.foot):
            axis.setPen(pen(palette.EDGE))
            axis.setTickPen(pen(palette.FAINT))
            axis.setTextPen(pen(palette.FAINT))
            axis.enableAutoSIPrefix(False)
            axis.setStyle(tickFont=font(10, mono=True), autoExpandTextSpace=False, tickLength=3)
            axis.setGrid(_GRID)
        self.foot.setHeight(FOOT)

    def show(self, drawing: PlotDrawing) -> None:
        """Be this plot."""
        box, view = drawing.box, drawing.view
        is_empty = view.y is None
        for item in (self.box, self.left):
            item.setVisible(not is_empty)
        self.foot.setVisible(drawing.has_foot and not is_empty)
        if view.y is None:
            return
        self.box.setGeometry(box)
        self.box.setRange(xRange=view.x, yRange=view.y, padding=0, disableAutoRange=True)
        self.left.setTicks([ticks(*view.y, box.height(), log=view.log)])
        self.left.setWidth(drawing.left)
        edge = box.left() - drawing.left
        self.left.setGeometry(QRectF(edge, box.top(), drawing.left, box.height()))
        self.foot.setGeometry(QRectF(box.left(), box.bottom(), box.width(), FOOT))
        while len(self.curves) < len(view.curves):
            # As paths: Qt's arrays of lines never give their memory back.
            self.curves.append(pg.PlotCurveItem(antialias=True, segmentedLineMode="off"))
            self.box.addItem(self.curves[-1])
        for at, curve in enumerate(self.curves):
            curve.setVisible(at < len(view.curves))
            if at < len(view.curves):
                _draw(curve, view, at, drawing.colors[at])


def _draw(item: Any, view: PlotView, at: int, name: str) -> None:
    curve = view.curves[at]
    foot = curve.y.min() if curve.is_bars and view.log else 0.0
    item.setData(
        curve.x, curve.y, pen=pen(name), connect="all" if curve.is_bars else "pairs",
        stepMode="center" if curve.is_bars else None, fillLevel=foot if curve.is_bars else None,
        brush=color(name, 60) if curve.is_bars else None, skipFiniteCheck=True,
    )  # fmt: skip


class PlotPainter:
    """Draws plots.

    Args:
        owner: The widget that they belong to.
    """

    def __init__(self, owner: QWidget) -> None:
        self._scene_view = pg.GraphicsView(owner, background=None)
        self._scene_view.hide()
        self._frames: list[_Frame] = []

    def paint(
        self, painter: QPainter, width: int, height: int, drawings: Sequence[PlotDrawing]
    ) -> None:  # fmt: skip
        """Draw these, and nothing where they are not.

        Args:
            width, height: The image's, in pixels.
        """
        widget_rect = QRectF(0, 0, width, height)
        view = self._scene_view
        view.resize(width, height)
        view.setRange(widget_rect, padding=0, disableAutoPixel=False)
        while len(self._frames) < len(drawings):
            self._frames.append(_Frame(view.scene()))
        for at, frame in enumerate(self._frames):
            if at < len(drawings):
                frame.show(drawings[at])
            else:
                for item in (frame.box, frame.left, frame.foot):
                    item.setVisible(False)
        view.render(painter, widget_rect, widget_rect.toRect())

    def close(self) -> None:
        """Let go of the scene while Qt and Python are both there to take it apart."""
        self._frames.clear()
        self._scene_view.close()
        self._scene_view.deleteLater()
