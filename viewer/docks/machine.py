"""The state machine dock: which state, by which transition, and why that one and no other."""

import math
from collections.abc import Sequence

from ..clock import Clock
from ..listing import Listing
from ..models import palette
from ..models.history import Change
from ..models.machine import Graph, Reason, account, graph, headline
from ..models.moment import Key
from ..painting import elided
from ..qt import QPainter, QPointF, QPolygonF, QRectF, Qt
from ..theme import color, font, pen

_NODE = (96.0, 24.0)
_SIGNS = {
    "won": ("✓", palette.OK), "also": ("✓", palette.DIM), "rejected": ("✕", palette.FAILED),
    "value": ("=", palette.FAINT), "belief": ("◌", palette.RUNNING), "where": ("", palette.FAINT),
}  # fmt: skip


class MachineDock(Listing):
    """A click on a transition goes to its frame; on its sign it opens the reasons."""

    call = "session.trace.state(agent, machine, source, target, won=…)"

    def __init__(self, clock: Clock) -> None:
        super().__init__("State machine")
        self.clock = clock
        self._keys: list[Key] = []
        self._chosen = ""
        self._opened: frozenset[int] = frozenset()
        self._rows: list[Reason] = []
        self._graph: Graph | None = None
        self._changes: list[Change] = []
        for signal in (clock.moved, clock.picked, clock.grew):
            signal.connect(self._renew)
        self._renew()

    @property
    def rows(self) -> list[Reason]:
        """What is listed below the graph."""
        return self._rows

    def _renew(self) -> None:
        clock = self.clock
        self._keys = [key for key in sorted(clock.history.changes) if key[0] == clock.selected]
        key = next((one for one in self._keys if one[1] == self._chosen), None)
        if key is None and self._keys:
            key = self._keys[0]
        self._rows, self._graph, self._changes = [], None, []
        if clock.moment is not None and key is not None:
            self._changes = clock.history.changes_until(key, clock.frame)
            self._rows = account(self._changes, clock.moment, opened=self._opened)
            self._graph = graph(clock.history.changes[key], self._changes)
        if not clock.selected:
            self.empty = "Select an object to see what it decides"
        else:
            self.empty = "No state machine is recorded for this object"
        self.update()

    # --- the list -------------------------------------------------------------------------------

    def heights(self) -> Sequence[int]:
        if self._graph is None:
            return []
        return [28, self._graph_height(), *(23 if row.kind == "transition" else 19
                                            for row in self._rows)]  # fmt: skip

    def _columns(self) -> int:
        return max(1, int((self.width() - 8) // (_NODE[0] + 20)))

    def _graph_height(self) -> int:
        assert self._graph is not None
        lines = -(-len(self._graph.states) // self._columns())
        return int(lines * (_NODE[1] + 22) + 6)

    def paint_row(self, painter: QPainter, row: int, box: QRectF) -> None:
        if row == 0:
            self._paint_headline(painter, box)
        elif row == 1:
            self._paint_graph(painter, box)
        else:
            self._paint_reason(painter, self._rows[row - 2], box, row == self.hover)

    def _paint_headline(self, painter: QPainter, box: QRectF) -> None:
        moment = self.clock.moment
        if moment is None:
            return
        state, since = headline(self._changes, moment)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(font(12))
        painter.setPen(pen(palette.DIM))
        machine = self._changes[0].trace.machine if self._changes else ""
        more = f" · {len(self._keys)} machines, click for the next" if len(self._keys) > 1 else ""
        text = f"{moment.name_of(self.clock.selected)} · {machine}{more}"
        painter.drawText(box.adjusted(12, 0, -150, 0), middle, elided(painter, text, 260))
        painter.setFont(font(12, bold=True))
        painter.setPen(pen(palette.lighter(palette.state_color(state)) if state else palette.DIM))
        right = middle | Qt.AlignmentFlag.AlignRight
        painter.drawText(box.adjusted(0, 0, -12, 0), right, f"{state}  {since}" if state else "—")

    def _place(self, at: int, box: QRectF) -> QRectF:
        columns = self._columns()
        room = (box.width() - 8) / columns
        line, column = divmod(at, columns)
        if line % 2:
            column = columns - 1 - column  # back and forth: neighbours in time stay neighbours
        left = box.left() + 4 + column * room + (room - _NODE[0]) / 2
        return QRectF(left, box.top() + 4 + line * (_NODE[1] + 22), *_NODE)

    def _paint_graph(self, painter: QPainter, box: QRectF) -> None:
        told = self._graph
        assert told is not None
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        places = {name: self._place(at, box) for at, name in enumerate(told.states)}
        for (source, target), fresh in sorted(told.edges.items(), key=lambda edge: edge[1]):
            if source != target:
                name = palette.mixed(palette.state_color(target), 1 - fresh, "#323a47")
                _arrow(painter, places[source], places[target], name, 1.0 + fresh)
        painter.setFont(font(11, bold=True))
        for name, place in places.items():
            hue = palette.state_color(name)
            active = name == told.active
            painter.setPen(pen(palette.SELECTED if active else hue, 1.5 if active else 1.0))
            painter.setBrush(color(hue if active else palette.mixed(hue, 0.85, palette.PANEL)))
            painter.drawRoundedRect(place, 5, 5)
            painter.setPen(pen("#ffffff" if active else palette.lighter(hue)))
            words = elided(painter, name, place.width() - 8)
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, words)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)

    def _paint_reason(self, painter: QPainter, row: Reason, box: QRectF, hovered: bool) -> None:
        middle = Qt.AlignmentFlag.AlignVCenter
        right = middle | Qt.AlignmentFlag.AlignRight
        if row.kind == "transition":
            painter.fillRect(box, color("#1b212b" if row.newest or hovered else palette.PANEL))
            opened = row.newest or row.frame in self._opened
            painter.setFont(font(12, bold=row.newest))
            painter.setPen(pen(palette.TEXT if row.newest else palette.DIM))
            sign = "▾" if opened else "▸"
            painter.drawText(box.adjusted(12, 0, -90, 0), middle, f"{sign}  {row.text}")
            painter.setFont(font(11, mono=True))
            painter.setPen(pen(palette.FAINT))
            painter.drawText(box.adjusted(0, 0, -12, 0), right, row.note)
            return
        sign, name = _SIGNS[row.kind]
        painter.setFont(font(12))
        painter.setPen(pen(name))
        painter.drawText(QRectF(30, box.top(), 14, box.height()), middle, sign)
        room = box.width() - 62
        strong = row.kind in ("won", "also")
        painter.setPen(pen(palette.TEXT if strong else palette.DIM))
        text = elided(painter, row.text, room if not row.note else room * 0.5)
        painter.drawText(QRectF(48, box.top(), room, box.height()), middle, text)
        if row.note:
            used = painter.fontMetrics().horizontalAdvance(text) + 12.0
            painter.setFont(font(11, mono=row.kind == "value"))
            painter.setPen(pen(palette.FAILED if row.kind == "rejected" else palette.FAINT
                               if row.kind == "also" else palette.DIM))  # fmt: skip
            note = elided(painter, row.note, room - used)
            painter.drawText(QRectF(48 + used, box.top(), room - used, box.height()), right, note)

    def clicked(self, row: int, at: QPointF, *, twice: bool) -> None:
        if row == 0 and len(self._keys) > 1:
            names = [name for _, name in self._keys]
            now = names.index(self._chosen) if self._chosen in names else 0
            self._chosen = names[(now + 1) % len(names)]
            self._renew()
        if row < 2:
            return
        told = self._rows[row - 2]
        if told.kind != "transition":
            return
        if at.x() < 26 and not told.newest:
            self._opened ^= {told.frame}
            self._renew()
        else:
            self.clock.jump(told.frame)


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
