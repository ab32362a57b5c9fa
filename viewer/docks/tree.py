"""The behaviour tree dock: the present tick, with the reason beside each node that failed."""

from collections.abc import Sequence

from ..clock import Clock
from ..listing import Listing
from ..models import palette
from ..models.branches import Branch, branches
from ..models.moment import Key
from ..models.times import told_span
from ..painting import elided
from ..qt import QPainter, QPointF, QRectF, Qt
from ..theme import color, font, pen

_LOOKS = {
    "success": (palette.OK, "✓"), "failure": (palette.FAILED, "✕"),
    "running": (palette.RUNNING, "▶"),
}  # fmt: skip
_KINDS = {
    "selector": "?", "fallback": "?", "sequence": "→", "parallel": "⇉", "condition": "◇",
    "decorator": "◎", "action": "●",
}  # fmt: skip
_INDENT = 18


class TreeDock(Listing):
    """A click on a folded branch opens it."""

    call = "session.trace.define_tree(agent, tree, nodes)  ·  session.trace.tree(…)"

    def __init__(self, clock: Clock) -> None:
        super().__init__("Behaviour tree")
        self.clock = clock
        self._rows: list[Branch] = []
        self._opened: frozenset[int] = frozenset()
        self._keys: list[Key] = []
        self._chosen = 0
        for signal in (clock.moved, clock.picked, clock.grew):
            signal.connect(self._renew)
        self._renew()

    @property
    def rows(self) -> list[Branch]:
        """What is listed."""
        return self._rows

    def _renew(self) -> None:
        clock, rows = self.clock, []
        if clock.moment is not None:
            self._keys = [key for key in clock.moment.trees if key[0] == clock.selected]
            if self._keys:
                key = self._keys[self._chosen % len(self._keys)]
                tick = clock.history.tick_at(key, clock.frame)
                nodes = clock.moment.trees[key]
                rows = branches(nodes, tick, clock.history, key, self._opened)
        if not clock.selected:
            self.empty = "Select an object to see its behaviour tree"
        else:
            self.empty = "No behaviour tree is recorded for this object"
        if rows != self._rows or not rows:
            self._rows = rows
            self.update()

    def heights(self) -> Sequence[int]:
        return [22] * len(self._rows)

    def paint_row(self, painter: QPainter, row: int, box: QRectF) -> None:
        told = self._rows[row]
        name, sign = _LOOKS.get(told.status, (palette.FAINT, ""))
        left = 14 + told.depth * _INDENT
        self._paint_lines(painter, told, box)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(font(12, bold=told.status == "running"))
        kind = _KINDS.get(told.kind, "●")
        text = f"{kind}  {told.name}" + (f"  {sign}" if sign else "")
        width = min(painter.fontMetrics().horizontalAdvance(text) + 16.0, box.width() - left - 8)
        node = QRectF(left, box.top() + 2, width, box.height() - 4)
        painter.setPen(pen(name if told.status else palette.EDGE, 1.2))
        share = 0.86 if told.status == "running" else 0.94
        painter.setBrush(color(palette.mixed(name, share, palette.PANEL)))
        painter.drawRoundedRect(node, 4, 4)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(pen(palette.TEXT if told.status else palette.FAINT))
        inside = node.adjusted(8, 0, -4, 0)
        painter.drawText(
            inside, Qt.AlignmentFlag.AlignVCenter, elided(painter, text, inside.width())
        )
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        note = told.reason
        if told.seconds is not None:
            note = f"{told_span(told.seconds)}   {note}"
        if note:
            painter.setFont(font(12, mono=False))
            painter.setPen(pen(name if told.status else palette.FAINT))
            room = box.width() - node.right() - 16
            words = QRectF(node.right() + 8, box.top(), room, box.height())
            painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, elided(painter, note, room))

    def _paint_lines(self, painter: QPainter, told: Branch, box: QRectF) -> None:
        """The lines from parents to children: which go on is said by `last`."""
        painter.setPen(pen(palette.EDGE))
        middle = box.center().y()
        for level in range(1, told.depth + 1):
            x = 14 + (level - 1) * _INDENT + 8
            own = level == told.depth
            if own or not told.last[level]:
                bottom = middle if own and told.last[level] else box.bottom()
                painter.drawLine(QPointF(x, box.top()), QPointF(x, bottom))
            if own:
                painter.drawLine(QPointF(x, middle), QPointF(x + _INDENT - 8, middle))

    def clicked(self, row: int, at: QPointF, *, twice: bool) -> None:
        told = self._rows[row]
        if not told.status:
            self._opened ^= {told.node}
        elif told.depth == 0 and len(self._keys) > 1:
            self._chosen += 1
        self._renew()
