"""The entries of the plots' menu: how a plot is drawn, with which others, and its export."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from ....errors import RecordingError
from ....recorder.saving.atomic_file import new_file
from ...state.pinned_fields import PlotKind, PlotStyle, joined_groups, split_groups
from ...toolkit.menu_entries import MenuAction
from ...toolkit.qt import QFileDialog, QImage, QPainter, QRect, QSize, QSvgGenerator
from .plot_csv import save_csv
from .plot_model import Plot
from .plots_panel_protocol import PlotsInterface
from .plots_static_layer import FOOT, LEAST, PlotBoxes

_FINE = 2.0
"""Pixels of an exported image for each of the panel's."""
_KINDS = {
    PlotKind.TIME: "Over time", PlotKind.XY: "One over the other (XY)",
    PlotKind.HISTOGRAM: "Histogram",
}  # fmt: skip


class PlotMenu:
    """Belongs to a plots panel."""

    def __init__(self, panel: PlotsInterface) -> None:
        self._panel = panel

    def menu_entries(self, at: int) -> list[MenuAction]:
        """The entries for a plot; −1 for none."""
        panel, context = self._panel, self._panel.context
        plots, offered = panel.plots(), list[MenuAction]()
        if at >= 0:
            offered += [*self._fields(plots[at]), *self._looks(plots[at]), *self._groups(at)]
        if context.pins.plots:
            offered.append(("Plot what the selected object has", context.clear_plots))
        offered.append(("Show all time", panel.scale.fit))
        if plots:
            offered.append(("Save as picture …", self._ask_image_file))
            if at >= 0:
                one = [plots[at]]
                offered.append(("Save its values as CSV …", lambda: self._ask_csv(one)))
            if len(plots) > 1:
                offered.append(("Save all values as CSV …", lambda: self._ask_csv(panel.plots())))
        return offered

    def _fields(self, plot: Plot) -> list[MenuAction]:
        context, offered = self._panel.context, list[MenuAction]()
        for graph in plot.graphs:
            field = graph.field
            of = f": {graph.title}" if len(plot.graphs) > 1 else ""
            is_picked, has_lane = field in context.pins.plots, field in context.pins.lanes
            offered += [
                (("Stop plotting" if is_picked else "Plot whoever is selected") + of,
                 partial(context.plot, field)),
                (("Remove its lane" if has_lane else "Add as lane") + of,
                 partial(context.lane, field)),
            ]  # fmt: skip
        return offered

    def _looks(self, plot: Plot) -> list[MenuAction]:
        def become(style: PlotStyle) -> Callable[[], object]:
            return lambda: self._panel.context.style_plot(plot.group, style._replace(span=None))

        style = plot.style

        kinds = [
            kind for kind in PlotKind
            if kind is not plot.kind and (kind is not PlotKind.XY or plot.can_be_xy)
        ]  # fmt: skip
        offered: list[MenuAction] = [
            (_KINDS[kind], become(style._replace(kind=kind))) for kind in kinds
        ]
        words = "Linear axis" if style.log else "Logarithmic axis"
        offered.append((words, become(style._replace(log=not style.log))))
        if style.span is not None:
            offered.append(("Show all values", become(style)))
        return offered

    def _groups(self, at: int) -> list[MenuAction]:
        panel, offered = self._panel, list[MenuAction]()
        groups, group = panel.groups(), panel.plots()[at].group
        index = groups.index(group)
        if index:
            joined = joined_groups(groups, index)
            offered.append(("Join with the plot above", lambda: panel.context.set_plots(joined)))
        if len(group) > 1:
            split = split_groups(groups, index)
            offered.append(("Each field by itself", lambda: panel.context.set_plots(split)))
        if len(group) == 2 and panel.plots()[at].kind is PlotKind.XY:
            offered.append(("Swap both axes", lambda: self._swap(index)))
        return offered

    def _swap(self, index: int) -> None:
        context, groups = self._panel.context, self._panel.groups()
        swapped = groups[index][::-1]
        context.pins.style_plot(swapped, PlotStyle(PlotKind.XY))
        context.set_plots((*groups[:index], swapped, *groups[index + 1 :]))

    # --- export ---------------------------------------------------------------------------------

    def _ask_image_file(self) -> None:
        path, kind = QFileDialog.getSaveFileName(
            self._panel.window(),
            "Save the plots as a picture",
            "plots.png",
            "PNG (*.png);;SVG (*.svg)",
        )
        if path:
            ending = ".svg" if "svg" in kind else ".png"
            chosen = Path(path)
            self._save(chosen if chosen.suffix else chosen.with_suffix(ending), self._image_file)

    def _ask_csv(self, plots: list[Plot]) -> None:
        path, _ = QFileDialog.getSaveFileName(
            self._panel.window(), "Save values of the time in sight", "plots.csv", "CSV (*.csv)"
        )
        if path:
            scale, history = self._panel.scale, self._panel.store.history
            chosen = Path(path)
            self._save(
                chosen if chosen.suffix else chosen.with_suffix(".csv"),
                lambda path: save_csv(path, plots, history, scale.start, scale.end),
            )

    def _save(self, path: Path, save: Callable[[Path], object]) -> None:
        """Save something, and show the result."""
        try:
            save(path)
        except RecordingError as error:
            self._panel.store.message.emit(str(error))
        else:
            self._panel.store.message.emit(f"{path} is saved")

    def _image_file(self, path: Path) -> None:
        """Write all plots, also those that are scrolled past, as the panel shows them.

        Raises:
            RecordingError: it can't be written there.
        """
        panel = self._panel
        plots = panel.plots()
        high = max(panel.height(), LEAST * len(plots) + FOOT)
        with new_file(path, overwrite=True) as part:
            if path.suffix.lower() == ".svg":
                written = self._svg(part, plots, PlotBoxes(panel.width(), high, 1.0, 0, len(plots)))
            else:
                written = self._png(
                    part, plots, PlotBoxes(panel.width(), high, _FINE, 0, len(plots))
                )
            if not written:
                raise RecordingError(f"{path}: the picture can't be written there")

    def _png(self, path: Path, plots: list[Plot], boxes: PlotBoxes) -> bool:
        size = QSize(round(boxes.width * _FINE), round(boxes.height * _FINE))
        image = QImage(size, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(_FINE)
        painter = QPainter(image)
        try:
            self._draw(painter, plots, boxes)
        finally:
            painter.end()
        return image.save(str(path), "PNG")

    def _svg(self, path: Path, plots: list[Plot], boxes: PlotBoxes) -> bool:
        svg = QSvgGenerator()
        svg.setFileName(str(path))
        svg.setSize(QSize(boxes.width, boxes.height))
        svg.setViewBox(QRect(0, 0, boxes.width, boxes.height))
        svg.setTitle("Plots")
        painter = QPainter()
        if not painter.begin(svg):
            return False
        try:
            self._draw(painter, plots, boxes)
        finally:
            painter.end()
        return True

    def _draw(self, painter: QPainter, plots: list[Plot], boxes: PlotBoxes) -> None:
        panel = self._panel
        views = panel.background.draw(painter, plots, boxes)
        panel.paint_moving(painter, plots, boxes, views, None)
