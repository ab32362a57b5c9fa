"""Paints the graph of a state machine: its states as boxes, its transitions as arrows."""

import math

from ...toolkit import palette
from ...toolkit.qt import QPainter, QPointF, QPolygonF, QRectF, Qt
from ...toolkit.text_painting import elided
from ...toolkit.theme import color, font, pen
from .state_machine_model import StateGraph

NODE = (96.0, 24.0)
"""Width and height of a state's box, in pixels."""
_GAP = 22


class StateGraphPainter:
    """Paints the states in rows of alternating direction.

    So states that follow one another in time are neighbours, at the ends of rows too.
    """

    @staticmethod
    def columns(width: float) -> int:
        """How many states fit beside each other."""
        return max(1, int((width - 8) // (NODE[0] + 20)))

    def height(self, graph: StateGraph, width: float) -> int:
        """The pixels that the graph needs in a panel of this width."""
        rows = -(-len(graph.states) // self.columns(width))
        return int(rows * (NODE[1] + _GAP) + 6)

    def state_box(self, index: int, box: QRectF) -> QRectF:
        """The rectangle of a state, by its index in the graph."""
        columns = self.columns(box.width())
        column_width = (box.width() - 8) / columns
        row, column = divmod(index, columns)
        if row % 2:
            column = columns - 1 - column
        left = box.left() + 4 + column * column_width + (column_width - NODE[0]) / 2
        return QRectF(left, box.top() + 8 + row * (NODE[1] + _GAP), *NODE)

    def state_at(self, graph: StateGraph, box: QRectF, at: QPointF) -> str:
        """The state under a point; empty for none."""
        return next(
            (
                name
                for index, name in enumerate(graph.states)
                if self.state_box(index, box).contains(at)
            ),
            "",
        )

    def paint(self, painter: QPainter, graph: StateGraph, box: QRectF) -> None:
        """Paint the graph into a box."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        boxes = {name: self.state_box(index, box) for index, name in enumerate(graph.states)}
        for (source, target), highlight in sorted(graph.edges.items(), key=lambda edge: edge[1]):
            if source != target:
                name = palette.mixed(palette.state_color(target), 1 - highlight, palette.RECENT)
                _paint_arrow(painter, boxes[source], boxes[target], name, 1.0 + highlight)
        painter.setFont(font(11, bold=True))
        for name, state_box in boxes.items():
            hue = palette.state_color(name)
            active = name == graph.active
            painter.setPen(pen(palette.SELECTED if active else hue, 1.5 if active else 1.0))
            painter.setBrush(color(hue if active else palette.mixed(hue, 0.85, palette.PANEL)))
            painter.drawRoundedRect(state_box, 5, 5)
            painter.setPen(pen(palette.ink_on(hue) if active else palette.lighter(hue)))
            text = elided(painter, name, state_box.width() - 8)
            painter.drawText(state_box, Qt.AlignmentFlag.AlignCenter, text)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)


def _paint_arrow(
    painter: QPainter, source: QRectF, target: QRectF, name: str, width: float
) -> None:  # fmt: skip
    """Paint an arrow from one box to another.

    It is a little to the left of the line between the middles, so that it does not cover the arrow
    in the other direction.
    """
    a, b = source.center(), target.center()
    length = math.hypot(b.x() - a.x(), b.y() - a.y()) or 1.0
    x, y = (b.x() - a.x()) / length, (b.y() - a.y()) / length
    aside = QPointF(y * 5, -x * 5)
    start, end = _edge_point(source, x, y) + aside, _edge_point(target, -x, -y) + aside
    painter.setPen(pen(name, width))
    painter.drawLine(start, end)
    painter.setBrush(color(name))
    painter.setPen(Qt.PenStyle.NoPen)
    back = end - QPointF(x * 7, y * 7)
    side = QPointF(-y * 3.5, x * 3.5)
    painter.drawPolygon(QPolygonF([end, back + side, back - side]))
    painter.setBrush(Qt.BrushStyle.NoBrush)


def _edge_point(box: QRectF, x: float, y: float) -> QPointF:
    """The point at which a ray from a box's middle leaves the box."""
    length = min(
        box.width() / 2 / abs(x) if x else math.inf, box.height() / 2 / abs(y) if y else math.inf
    )
    return box.center() + QPointF(x * length, y * length)
