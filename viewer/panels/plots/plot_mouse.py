"""Mouse and keys over the plots: seek, pan, zoom, and dropping fields on them."""

import math

from ...state.pinned_fields import ObjectField, placed, without
from ...toolkit import palette
from ...toolkit.qt import (
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPoint,
    QPointF,
    QRectF,
    Qt,
    QWheelEvent,
)
from ...toolkit.theme import color, font, pen
from .plot_model import zoomed
from .plots_panel_protocol import PlotsInterface
from .plots_static_layer import FOOT, LEFT

_TREMBLE = 4.0
_EDGE = 14.0
"""Pixels above and below the line between two plots where a field gets a plot of its own."""
_STEP = 0.8
"""How much of an axis of values is left by one step of zooming in."""
_SHIFT, _CTRL, _ALT = (
    Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
)  # fmt: skip


class PlotMouse:
    """Belongs to a plots panel."""

    def __init__(self, panel: PlotsInterface) -> None:
        self._panel = panel
        self._mouse: QPointF | None = None
        self._gesture = ""
        self._from = QPointF()
        self._began: tuple[float, int, tuple[float, float]] = (0.0, 0, (0.0, 1.0))
        """The state when the gesture began: time, scrolling, both ends of the axis of values."""
        self._at = -1
        """The plot that the gesture began in."""
        self._moved = False
        self._carried: QPointF | None = None
        """Where a field is that is being dragged over the panel."""

    @property
    def here(self) -> QPointF | None:
        """Where the mouse looks at something; None while it does something."""
        return self._mouse if not self._gesture and self._carried is None else None

    # --- the mouse ------------------------------------------------------------------------------

    def press(self, event: QMouseEvent) -> None:
        """A button went down."""
        panel, point = self._panel, event.position()
        self._mouse = self._from = point
        self._moved = False
        self._at = panel.plot_at(point.y())
        if self._at >= 0:
            panel.at_plot = self._at
        view = panel.background.views.get(self._at)
        ends = (0.0, 1.0) if view is None or view.y is None else view.y
        self._began = panel.scale.start, panel.scrolled, ends
        if event.button() != Qt.MouseButton.LeftButton:
            self._gesture = "pan"
        elif point.x() >= LEFT:
            self._gesture = "scrub"
            self._seek(point)
        elif view is not None and view.y is not None:
            self._gesture = "values"

    def _seek(self, point: QPointF) -> None:
        panel = self._panel
        time = panel.time_at(point.x()) if self._at < 0 else panel.time_under(point, self._at)
        if time is not None:
            panel.store.grab(time)

    def move(self, event: QMouseEvent) -> None:
        """The mouse moved, with a button held or not."""
        panel, point = self._panel, event.position()
        self._mouse = point
        away = point - self._from
        self._moved = self._moved or away.manhattanLength() > _TREMBLE
        start, scroll, (low, high) = self._began
        if self._gesture == "scrub":
            # Left of the plots, too, one is still where one began.
            self._seek(QPointF(max(point.x(), LEFT), point.y()))
        elif self._gesture == "pan" and self._moved:
            seconds = away.x() / panel.room * panel.scale.seconds
            panel.scale.pan(start - panel.scale.start - seconds)
            panel.scrolled = scroll - int(away.y())
        elif self._gesture == "values" and self._moved and self._at < len(panel.plots()):
            by = away.y() / panel.inside_of(self._at).height() * (high - low)
            self._show(self._at, (low + by, high + by))
        panel.update()

    def release(self, event: QMouseEvent) -> None:
        """A button came up."""
        panel, gesture = self._panel, self._gesture
        self._gesture = ""
        if gesture == "scrub":
            panel.store.let_go()
        elif gesture == "pan" and not self._moved and event.button() == Qt.MouseButton.RightButton:
            point = event.position()
            panel.menu(point).popup(panel.mapToGlobal(QPoint(int(point.x()), int(point.y()))))
        panel.update()

    def double_click(self, event: QMouseEvent) -> None:
        """On an axis of values: all of them."""
        if event.position().x() < LEFT and event.button() == Qt.MouseButton.LeftButton:
            self._show(self._panel.plot_at(event.position().y()), None)
        else:
            self.press(event)

    def leave(self) -> None:
        """The mouse is elsewhere."""
        self._mouse = None
        self._panel.update()

    def turn(self, event: QWheelEvent) -> None:
        """The wheel was turned."""
        panel, point, keys = self._panel, event.position(), event.modifiers()
        # While Alt is pressed, Qt reports the wheel as turned to the side.
        turned = event.angleDelta().y() or event.angleDelta().x()
        if keys & _CTRL:
            at = panel.plot_at(point.y())
            if at >= 0:
                box = panel.inside_of(at)
                share = (box.bottom() - point.y()) / box.height()
                self._zoom(at, math.exp(-turned / 600), min(max(share, 0.0), 1.0))
        elif keys & _SHIFT:
            panel.scale.pan(-turned * 0.0012 * panel.scale.seconds)
        elif keys & _ALT or point.x() < LEFT:
            panel.scrolled = max(0, panel.scrolled - turned // 3)
        else:
            panel.scale.zoom(math.exp(-turned / 600), panel.time_at(point.x()))
        panel.update()

    # --- keys -----------------------------------------------------------------------------------

    def key(self, event: QKeyEvent) -> bool:
        """A key went down; False if it is nothing to the plots."""
        panel = self._panel
        count, keys = len(panel.plots()), event.modifiers()
        step = {int(Qt.Key.Key_Up): -1, int(Qt.Key.Key_Down): 1}.get(event.key(), 0)
        at = panel.at_plot
        if step and keys & _SHIFT and at >= 0:
            self._zoom(at, _STEP if step < 0 else 1 / _STEP, 0.5)
        elif step and keys & _CTRL and at >= 0:
            self._pan(at, -0.1 * step)
        elif step and not keys & (_SHIFT | _CTRL | _ALT) and count:
            panel.at_plot = min(max(at + step, 0), count - 1)
            self._bring(panel.at_plot)
        elif event.key() == Qt.Key.Key_Backspace and at >= 0:
            self._show(at, None)
        elif event.key() == Qt.Key.Key_Delete and 0 <= at < count:
            groups = panel.groups()
            for field in panel.plots()[at].group:
                groups = without(groups, field)
            panel.context.set_plots(groups)
        else:
            return False
        panel.update()
        return True

    def _bring(self, at: int) -> None:
        """Scroll a plot into sight."""
        panel = self._panel
        box, room = panel.boxes.box_of(at), panel.height() - FOOT
        if box.top() < 0:
            panel.scrolled += int(box.top())
        elif box.bottom() > room:
            panel.scrolled += math.ceil(box.bottom() - room)

    # --- the axis of values ---------------------------------------------------------------------

    def _show(self, at: int, span: tuple[float, float] | None) -> None:
        """Have a plot show these values; all of them without."""
        panel = self._panel
        if 0 <= at < len(panel.plots()):
            plot = panel.plots()[at]
            panel.context.style_plot(plot.group, plot.style._replace(span=span))

    def _zoom(self, at: int, factor: float, share: float) -> None:
        view = self._panel.background.views.get(at)
        if view is not None and view.y is not None:
            self._show(at, zoomed(view.y, factor, view.y_at(share)))

    def _pan(self, at: int, share: float) -> None:
        view = self._panel.background.views.get(at)
        if view is not None and view.y is not None:
            by = share * (view.y[1] - view.y[0])
            self._show(at, (view.y[0] + by, view.y[1] + by))

    # --- fields that are dropped ----------------------------------------------------------------

    def carry(self, point: QPointF | None) -> None:
        """A field is dragged over the panel, or not any more."""
        self._carried = point
        self._panel.update()

    def target(self, point: QPointF) -> tuple[int, bool]:
        """Where a field goes that is dropped here: a plot, and whether it shares its axis or gets
        one of its own in front of it."""
        panel = self._panel
        count = len(panel.plots())
        at = panel.plot_at(point.y())
        if at < 0:
            return count, False
        box = panel.boxes.box_of(at)
        if point.y() - box.top() < _EDGE:
            return at, False
        if box.bottom() - point.y() < _EDGE:
            return at + 1, False
        return at, True

    def drop(self, field: ObjectField, point: QPointF) -> None:
        """Plot a field where it was dropped; what is plotted already stays where it is."""
        panel = self._panel
        at, shared = self.target(point)
        plots, groups = panel.plots(), panel.groups()
        if at < len(plots):
            # Of some that were picked nothing may have been read so far: these have no plot.
            before, at = plots[at], groups.index(plots[at].group)
        else:
            before, at = None, len(groups)
        self._carried = None
        groups = placed(groups, field, at, shared=shared)
        if shared and before is not None:
            joined = next(group for group in groups if field in group)
            panel.context.pins.style_plot(joined, before.style._replace(span=None))
        panel.context.set_plots(groups)

    # --- painting -------------------------------------------------------------------------------

    def paint(self, painter: QPainter) -> None:
        """Where a carried field would go, and which plot keys act on."""
        panel = self._panel
        boxes, count = panel.boxes, len(panel.plots())
        if self._carried is None:
            if panel.hasFocus() and 0 <= panel.at_plot < count:
                painter.setPen(pen(palette.ACCENT))
                box = boxes.box_of(panel.at_plot)
                painter.drawRect(QRectF(1, box.top() + 1, boxes.width - 8, box.height() - 3))
            return
        at, shared = self.target(self._carried)
        if shared:
            title = panel.plots()[at].graphs[0].title
            box, words = boxes.box_of(at), f"on the axis of {title}"
            painter.fillRect(box, color(palette.ACCENT, 30))
            painter.setPen(pen(palette.ACCENT))
            painter.drawRect(box.adjusted(1, 1, -1, -2))
        else:
            y = min(max(boxes.box_of(at).top(), 1.0), float(boxes.height - FOOT)) if count else 1.0
            box, words = QRectF(LEFT, y - 12, boxes.room, 24), "a plot of its own"
            painter.fillRect(QRectF(LEFT, y - 1.5, boxes.room, 3), color(palette.ACCENT))
        _say(painter, box, words)


def _say(painter: QPainter, box: QRectF, words: str) -> None:
    painter.setFont(font(11, bold=True))
    width = painter.fontMetrics().horizontalAdvance(words) + 16.0
    label = QRectF(box.center().x() - width / 2, max(box.center().y() - 10, 1.0), width, 20)
    painter.fillRect(label, color(palette.RANGE, 235))
    painter.setPen(pen(palette.CHOSEN_TEXT))
    painter.drawText(label, Qt.AlignmentFlag.AlignCenter, words)
