"""The picture of a state machine: its states as boxes, the newest transitions as arrows."""

import math

from ...toolkit import palette
from ...toolkit.numpy_painting import elided
from ...toolkit.qt import QPainter, QPointF, QPolygonF, QRectF, Qt
from ...toolkit.theme import color, font, pen
from .state_machine_model import StateGraph

NODE = (96.0, 24.0)
"""Width and height of a state, pixels."""
_GAP = 22


class StateGraphPainter:
    """States in rows that go back and forth, so that neighbours in time stay neighbours."""

    @staticmethod
    def columns(width: float) -> int:
        """How many states fit beside each other."""
        return max(1, int((width - 8) // (NODE[0] + 20)))

    def height(self, graph: StateGraph, width: float) -> int:
        """Pixels that it needs in a panel of this width."""
        lines = -(-len(graph.states) // self.columns(width))
        return int(lines * (NODE[1] + _GAP) + 6)

    def place(self, at: int, box: QRectF) -> QRectF:
        """Where a state is, by its place in the order."""
        columns = self.columns(box.width())
        room = (box.width() - 8) / columns
        line, column = divmod(at, columns)
        if line % 2:
            column = columns - 1 - column
        left = box.left() + 4 + column * room + (room - NODE[0]) / 2
        return QRectF(left, box.top() + 8 + line * (NODE[1] + _GAP), *NODE)

    def state_at(self, graph: StateGraph, box: QRectF, at: QPointF) -> str:
        """The state under a point; empty for none."""
        return next(
            (
                name
                for place, name in enumerate(graph.states)
                if self.place(place, box).contains(at)
            ),
            "",
        )

    def paint(self, painter: QPainter, graph: StateGraph, box: QRectF) -> None:
        """Draw it."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        places = {name: self.place(at, box) for at, name in enumerate(graph.states)}
        for (source, target), fresh in sorted(graph.edges.items(), key=lambda edge: edge[1]):
            if source != target:
                name = palette.mixed(palette.state_color(target), 1 - fresh, "#323a47")
                _arrow(painter, places[source], places[target], name, 1.0 + fresh)
        painter.setFont(font(11, bold=True))
        for name, place in places.items():
            hue = palette.state_color(name)
            active = name == graph.active
            painter.setPen(pen(palette.SELECTED if active else hue, 1.5 if active else 1.0))
            painter.setBrush(color(hue if active else palette.mixed(hue, 0.85, palette.PANEL)))
            painter.drawRoundedRect(place, 5, 5)
            painter.setPen(pen(palette.ink_on(hue) if active else palette.lighter(hue)))
            words = elided(painter, name, place.width() - 8)
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, words)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)


def _arrow(painter: QPainter, source: QRectF, target: QRectF, name: str, width: float) -> None:
    """From one box's edge to another's, a little to the left, so that both ways can be seen."""
    a, b = source.center(), target.center()
    length = math.hypot(b.x() - a.x(), b.y() - a.y()) or 1.0
    x, y = (b.x() - a.x()) / length, (b.y() - a.y()) / length
    aside = QPointF(y * 5, -x * 5)
    start, end = _edge(source, x, y) + aside, _edge(target, -x, -y) + aside
    painter.setPen(pen(name, width))
    painter.drawLine(start, end)
    painter.setBrush(color(name))
    painter.setPen(Qt.PenStyle.NoPen)
    back = end - QPointF(x * 7, y * 7)
    side = QPointF(-y * 3.5, x * 3.5)
    painter.drawPolygon(QPolygonF([end, back + side, back - side]))
    painter.setBrush(Qt.BrushStyle.NoBrush)


def _edge(box: QRectF, x: float, y: float) -> QPointF:
    """Where a ray from a box's middle leaves it."""
    reach = min(
        box.width() / 2 / abs(x) if x else math.inf, box.height() / 2 / abs(y) if y else math.inf
    )
    return box.center() + QPointF(x * reach, y * reach)
