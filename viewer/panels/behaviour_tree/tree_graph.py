"""The graph view of a behaviour tree, with its running path; it can be zoomed and panned."""

from collections.abc import Sequence
from html import escape

import numpy as np
import numpy.typing as npt

from ....recorder.packets.trace_types import TreeNode, TreeTick
from ...state.viewer_store import ViewerStore
from ...toolkit import palette
from ...toolkit.batched_painting import LineBuffer
from ...toolkit.hook_dot import paint_hook_sign
from ...toolkit.qt import (
    QContextMenuEvent,
    QMouseEvent,
    QPainter,
    QPointF,
    QRectF,
    Qt,
    QWheelEvent,
)
from ...toolkit.text_painting import elided, one_line, paint_empty_text
from ...toolkit.theme import color, font, pen
from ...widgets.painted_panel import PaintedPanel
from .behaviour_tree_panel import KIND_SIGNS, LOOKS, BehaviourTreeList
from .graph_layout import COLUMN, ROW, node_positions
from .tree_rows import plain_status

_BOX = (COLUMN - 40.0, ROW - 6.0)
_MARGIN = 16.0
_LEAST, _MOST = 0.04, 4.0
"""The least and the greatest zoom."""
_READABLE = 0.5
"""The zoom from which on names are written."""
_CLICK = 4.0
"""Pixels within which a press and its release are a click."""
_MIDDLE = Qt.AlignmentFlag.AlignVCenter


class TreeGraph(PaintedPanel):
    """The wheel zooms at the mouse, a drag moves, a double click fits all in, a click chooses.

    Args:
        tree: The list of the same tree, which says what is shown and what is chosen.
    """

    def __init__(self, store: ViewerStore, tree: BehaviourTreeList) -> None:
        super().__init__("Behaviour tree graph")
        self.store, self._tree = store, tree
        self._nodes: Sequence[TreeNode] = ()
        self._positions: npt.NDArray[np.float64] = np.zeros((0, 2))
        self.zoom = 1.0
        self.origin = QPointF()
        """Where the graph's own origin is in the panel."""
        self._pressed: tuple[QPointF, QPointF] | None = None
        """Where the mouse was pressed, and the origin then."""
        self._is_placed = False
        self._lines = LineBuffer()
        self.setMouseTracking(True)
        for signal in (store.moved, store.selection_changed, store.history_grew):
            signal.connect(self.update)
        tree.hooks.changed.connect(self.update)

    @property
    def nodes(self) -> Sequence[TreeNode]:
        """The nodes that are shown; laid out again where they are others."""
        key, snapshot = self._tree.shown_key, self.store.snapshot
        nodes = () if key is None or snapshot is None else snapshot.trees.get(key, ())
        if nodes is not self._nodes and nodes != self._nodes:
            self._positions = node_positions(nodes) if nodes else np.zeros((0, 2))
            self._is_placed = False
        self._nodes = nodes
        return nodes

    @property
    def _trace(self) -> TreeTick | None:
        return self._tree.shown_trace

    # --- what is seen of it ---------------------------------------------------------------------

    def fit(self) -> None:
        """Zoom so that all is seen; of a large tree as much as can be read, at what runs."""
        if not len(self._positions):
            return
        width, height = self._positions.max(axis=0) + _BOX
        fit_zoom = min(
            (self.width() - 2 * _MARGIN) / width, (self.height() - 2 * _MARGIN) / (height + ROW)
        )
        self.show_at(max(_LEAST, min(fit_zoom, 1.0)), self._positions.max(axis=0) / 2)

    def begin(self) -> None:
        """The first view of a tree: all of it if it can be read, else where it runs."""
        self.fit()
        if self.zoom < _READABLE and len(self._positions):
            statuses = () if self._trace is None else self._trace.statuses
            runs = [at for at, one in enumerate(statuses) if plain_status(one) == "running"]
            self.show_at(
                0.8, self._positions[min(runs[-1] if runs else 0, len(self._positions) - 1)]
            )
        self._is_placed = True

    def show_at(self, zoom: float, target: npt.NDArray[np.float64]) -> None:
        """Show a point in the middle, or everything if it fits."""
        self.zoom = zoom
        middle = target + np.array((_BOX[0] / 2, 0.0))
        left = self.width() / 2 - middle[0] * zoom
        graph_width = (self._positions[:, 0].max() + _BOX[0]) * zoom
        if graph_width + 2 * _MARGIN < self.width():
            left = (self.width() - graph_width) / 2
        else:
            left = min(left, _MARGIN)
        self.origin = QPointF(left, self.height() / 2 - middle[1] * zoom)
        self.update()

    def zoom_at(self, at: QPointF, factor: float) -> None:
        """Zoom; what is under a point stays there."""
        zoom = min(max(self.zoom * factor, _LEAST), _MOST)
        self.origin = at - (at - self.origin) * (zoom / self.zoom)
        self.zoom = zoom
        self.update()

    def box_of(self, node: int) -> QRectF:
        """Where a node is in the panel."""
        x, y = self._positions[node] * self.zoom
        width, height = _BOX[0] * self.zoom, _BOX[1] * self.zoom
        return QRectF(self.origin.x() + x, self.origin.y() + y - height / 2, width, height)

    def node_at(self, at: QPointF) -> int:
        """The node under a point; −1 for none."""
        if not len(self._positions):
            return -1
        x, y = (at.x() - self.origin.x()) / self.zoom, (at.y() - self.origin.y()) / self.zoom
        inside = (
            (self._positions[:, 0] <= x) & (x <= self._positions[:, 0] + _BOX[0])
            & (abs(self._positions[:, 1] - y) <= _BOX[1] / 2)
        )  # fmt: skip
        found = np.flatnonzero(inside)
        return int(found[0]) if len(found) else -1

    # --- painting -------------------------------------------------------------------------------

    def paint(self, painter: QPainter) -> None:
        painter.fillRect(self.rect(), color(palette.PANEL))
        nodes = self.nodes
        if not nodes:
            paint_empty_text(
                painter, QRectF(self.rect()), self._tree.empty_text, self._tree.empty_hint
            )
            return
        if not self._is_placed:
            self.begin()
        trace = self._trace or TreeTick("", ())
        statuses = [
            plain_status(trace.statuses[at]) if at < len(trace.statuses) else ""
            for at in range(len(nodes))
        ]
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_edges(painter, nodes, statuses)
        seen = QRectF(self.rect()).adjusted(-4, -4, 4, 4)
        x, y = (self._positions * self.zoom + (self.origin.x(), self.origin.y())).T
        width, height = _BOX[0] * self.zoom, _BOX[1] * self.zoom
        in_sight = np.flatnonzero(
            (x + width >= seen.left()) & (x <= seen.right())
            & (y + height >= seen.top()) & (y - height <= seen.bottom())
        )  # fmt: skip
        painter.setFont(font(max(8, round(12 * min(self.zoom, 1.5)))))
        for at in in_sight.tolist():
            self._paint_node(painter, at, nodes[at], statuses[at], trace)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)

    def _paint_edges(
        self, painter: QPainter, nodes: Sequence[TreeNode], statuses: Sequence[str]
    ) -> None:
        parents = np.array([node.parent for node in nodes])
        below = np.flatnonzero((parents >= 0) & (parents < np.arange(len(nodes))))
        if not len(below):
            return
        x, y = (self._positions * self.zoom + (self.origin.x(), self.origin.y())).T
        right = x[parents[below]] + _BOX[0] * self.zoom
        half, above = right + 20 * self.zoom, y[parents[below]]
        left, level = x[below], y[below]
        rows = np.stack((
            np.stack((right, above, half, above), 1), np.stack((half, above, half, level), 1),
            np.stack((half, level, left, level), 1),
        ))  # fmt: skip
        child_statuses = np.array([statuses[at] for at in below.tolist()])
        # What runs is drawn over what failed, and both over what was not ticked.
        for status in ("", "failure", "success", "running"):
            these = child_statuses == status
            if these.any():
                name = LOOKS[status][0] if status else palette.EDGE
                shown = pen(name, 1.6 if status else 1.0)
                self._lines.draw(painter, rows[:, these].reshape(-1, 4), shown)

    def _paint_node(
        self, painter: QPainter, at: int, node: TreeNode, status: str, trace: TreeTick
    ) -> None:
        box = self.box_of(at)
        name, sign = LOOKS.get(status, (palette.FAINT, ""))
        is_cut = at in trace.ended_early and node.kind != "condition"
        edge = palette.SELECTED if at == self._tree.node else name if status else palette.EDGE
        painter.setPen(pen(edge, 2.0 if at == self._tree.node else 1.2, dashed=is_cut))
        painter.setBrush(color(palette.mixed(name, 0.86 if status else 0.96, palette.PANEL)))
        round_ = 4 * self.zoom
        painter.drawRoundedRect(box, round_, round_)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if self._tree.is_hooked(at):
            paint_hook_sign(painter, QPointF(box.left(), box.center().y()))
        if self.zoom < _READABLE:
            return
        painter.setPen(pen(palette.TEXT if status else palette.FAINT))
        inside = box.adjusted(6 * self.zoom, 0, -4, 0)
        earlier_status = LOOKS.get(trace.kept.get(at, ""), ("", ""))[1]
        text = one_line(f"{KIND_SIGNS.get(node.kind, '●')}  {node.name}")
        end = sign or earlier_status or ("⊘" if is_cut else "")
        painter.drawText(inside, _MIDDLE | Qt.AlignmentFlag.AlignRight, end)
        room = inside.width() - (16 * self.zoom if end else 0)
        painter.drawText(inside, _MIDDLE, elided(painter, text, room))

    # --- what one does with it ------------------------------------------------------------------

    def text(self) -> str:
        return self._tree.text()

    def wheelEvent(self, event: QWheelEvent | None) -> None:  # noqa: N802
        assert event is not None
        self.zoom_at(event.position(), 1.0015 ** event.angleDelta().y())

    def mousePressEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        self._pressed = event.position(), self.origin

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        if self._pressed is not None:
            self.origin = self._pressed[1] + event.position() - self._pressed[0]
            self.update()
        else:
            text = escape(self.card(self.node_at(event.position()))).replace("\n", "<br>")
            self.setToolTip(text and f"<qt>{text}</qt>")  # names are no HTML of ours

    def card(self, node: int) -> str:
        """The tooltip of the node under the mouse; empty for none."""
        if not 0 <= node < len(self._nodes):
            return ""
        trace = self._trace or TreeTick("", ())
        status = plain_status(trace.statuses[node]) if node < len(trace.statuses) else ""
        earlier_status = trace.kept.get(node, "")
        early = trace.ended_early.get(node, "")
        return "\n".join(filter(None, (
            f"{self._nodes[node].name} · {self._nodes[node].kind}",
            status or (f"{earlier_status} in an earlier tick" if earlier_status else "not ticked"),
            f"ended early: {early}" if early else "",
            trace.reasons.get(node, "") if status else "",
        )))  # fmt: skip

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        pressed, self._pressed = self._pressed, None
        if pressed is not None and (
            (event.position() - pressed[0]).manhattanLength() < _CLICK
        ):  # fmt: skip
            self._tree.node = self.node_at(event.position())
            self._tree.rebuild()
            self.update()

    def mouseDoubleClickEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        self.fit()

    def contextMenuEvent(self, event: QContextMenuEvent | None) -> None:  # noqa: N802
        assert event is not None
        node = self.node_at(QPointF(event.pos()))
        entries = [*self._tree.node_menu(node), *self._tree.question_entries(node)]
        self.menu_of(entries).exec(event.globalPos())
