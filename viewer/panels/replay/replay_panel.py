"""The replay panel: which demos are replayed, how far they are, and what came of each."""

from collections.abc import Sequence
from functools import partial

from ...backends.playback_backend import LinkState
from ...state.panel_controller import PanelController
from ...state.viewer_store import ViewerStore
from ...toolkit import palette
from ...toolkit.menu_entries import MenuEntry
from ...toolkit.qt import (
    QHBoxLayout,
    QLabel,
    QPainter,
    QPointF,
    QPolygonF,
    QRectF,
    Qt,
    QVBoxLayout,
    QWidget,
    pyqtSignal,
)
from ...toolkit.text_button import text_button
from ...toolkit.text_painting import elided, one_line, wrapped_height
from ...toolkit.theme import color, font, pen
from ...widgets.lists.interactive_list import TextList
from .recorded_replay import recorded_replay
from .replay_model import (
    NAME,
    ReplayRow,
    ReplayRowKind,
    ReplayState,
    card_of,
    has_replay,
    replay_state_of,
    rows_of,
    selected_all,
    times,
    toggled,
)

_MIDDLE = Qt.AlignmentFlag.AlignVCenter
_RIGHT = _MIDDLE | Qt.AlignmentFlag.AlignRight
_HEIGHTS = {
    ReplayRowKind.HEADING: 26,
    ReplayRowKind.DEMO: 28,
    ReplayRowKind.OUTCOME: 22,
    ReplayRowKind.WORDS: 22,
    ReplayRowKind.WRONG: 22,
    ReplayRowKind.DIVERGENCE: 22,
}
_PLACES = {
    ReplayRowKind.DEMO: "beginning",
    ReplayRowKind.OUTCOME: "failure",
    ReplayRowKind.DIVERGENCE: "divergence",
}
"""What of a demo is where a row leads."""
_BAR = 5.0
"""Pixels that a bar is high."""
_BOX = 13.0
"""Pixels of a check box."""
_LEFT, _INDENT = 11.0, _BOX + 9.0
_RECORDED_DEMO = 22
"""The height of a demo in a recording: it has no bar."""
_COLORS = {
    "finished": palette.OK, "failed": palette.FAILED, "skipped": palette.FAINT,
    "playing": palette.RUNNING, "waiting": palette.DIM,
}  # fmt: skip


class ReplayController(PanelController):
    """What the panel knows of the demos that are replayed in the game or the file that is viewed.

    A running game publishes the state, as soon as the recording says that demos are replayed there.
    Of a file the recording itself tells it.
    """

    nothing_there = "No demos are replayed here"
    appeared = pyqtSignal()
    """A game has published the state of its replay, or a recording tells it: emitted once for each
    of them."""

    def __init__(self, store: ViewerStore) -> None:
        super().__init__(
            store, NAME, "viewer, replay", "nothing can be replayed in it", replay_state_of
        )
        self.state: ReplayState | None = None
        self._last_history: object = None
        for signal in (store.history_grew, store.status_changed):
            signal.connect(self._look)
        store.moved.connect(self._look)

    def _look(self) -> None:
        if self._connection is not None:
            return
        link, history = self.store.backend_state.link, self.store.history
        if link is LinkState.CONNECTED and has_replay(history):
            self._connected()
        elif link in (LinkState.FILE, LinkState.GROWING):
            state = recorded_replay(history, self.store.frame)
            if state != self.state:
                self._set_state(state)
                self.changed.emit()

    def _set_state(self, state: ReplayState | None) -> None:
        self.state = state
        if state is not None and self._last_history is not self.store.history:
            self._last_history = self.store.history
            self.appeared.emit()


class ReplayList(TextList):
    """The demos, each with a box to check, and the report, whose rows lead to the failures."""

    empty_text = "No demos are replayed here"
    empty_hint = "playhead replay GAME DEMO.csv …"

    def __init__(self, store: ViewerStore, controller: ReplayController) -> None:
        super().__init__("Replay", store)
        self.controller = controller
        self._rows: list[ReplayRow] = []
        controller.changed.connect(self._invalidate)

    @property
    def rows(self) -> list[ReplayRow]:
        """What is listed."""
        self.rebuild_if_stale()
        return self._rows

    def build_rows(self) -> bool:
        state, before = self.controller.state, self._rows
        self._rows = [] if state is None else rows_of(state, self.controller.error_text)
        return before != self._rows

    def heights(self) -> Sequence[int]:
        return [self._height(row) for row in self._rows]

    def _height(self, row: ReplayRow) -> int:
        if row.kind is ReplayRowKind.DIVERGENCE:
            room = self.width() - 2 * _LEFT - _INDENT
            return max(_HEIGHTS[row.kind], wrapped_height(row.title, room) + 6)
        if row.demo is not None and row.demo.is_recorded:
            return _RECORDED_DEMO
        return _HEIGHTS[row.kind]

    def accepts_cursor(self, row: int) -> bool:
        return self._rows[row].kind in (
            ReplayRowKind.DEMO, ReplayRowKind.OUTCOME, ReplayRowKind.DIVERGENCE,
        )  # fmt: skip

    # --- painting -------------------------------------------------------------------------------

    def paint_row(self, painter: QPainter, row: int, box: QRectF) -> None:
        item = self._rows[row]
        inside = box.adjusted(_LEFT, 0, -_LEFT, 0)
        if item.kind is ReplayRowKind.HEADING:
            painter.fillRect(box, color(palette.GROUP))
        elif row == self.hover:
            painter.fillRect(box, color(palette.HOVER))
        room = self._paint_cells(painter, item, inside)
        words = inside.adjusted(0, 0, -room, 0)
        has_box = item.demo is not None and not item.demo.is_recorded
        if has_box or item.kind is ReplayRowKind.DIVERGENCE:
            words.setLeft(words.left() + _INDENT)
        if item.progress is not None and item.kind is ReplayRowKind.DEMO:
            self._paint_bar(painter, item, QRectF(words.left(), box.bottom() - _BAR - 2,
                                                 inside.right() - words.left(), _BAR))  # fmt: skip
            words.setBottom(words.bottom() - _BAR - 2)
        elif item.progress is not None:
            self._paint_bar(painter, item, QRectF(0, box.bottom() - 2, box.width(), 2))
        if item.demo is not None and has_box:
            _paint_box(painter, QPointF(inside.left(), words.center().y()), on=item.demo.selected)
        painter.setFont(font(11 if item.kind is ReplayRowKind.HEADING else 12,
                             bold=item.kind is ReplayRowKind.HEADING))  # fmt: skip
        painter.setPen(pen(_hue(item)))
        if item.kind is ReplayRowKind.DIVERGENCE:
            painter.drawText(words, _MIDDLE | Qt.TextFlag.TextWordWrap, one_line(item.title))
        else:
            painter.drawText(words, _MIDDLE, elided(painter, item.title, words.width()))

    def _paint_cells(self, painter: QPainter, item: ReplayRow, inside: QRectF) -> float:
        """Paint the words at the right; returns their width."""
        painter.setFont(font(11, mono=item.kind is not ReplayRowKind.HEADING))
        painter.setPen(pen(palette.DIM))
        text = "  ".join(item.cells)
        if item.demo is not None:
            painter.setPen(pen(_COLORS.get(item.demo.status, palette.DIM)))
        # What is said comes first in a line that is narrow.
        text = elided(painter, text, inside.width() * 0.5)
        line = inside.adjusted(0, 0, 0, -_BAR - 2) if item.kind is ReplayRowKind.DEMO and (
            item.progress is not None
        ) else inside  # fmt: skip
        painter.drawText(line, _RIGHT, text)
        if not text:
            return 0.0
        return float(painter.fontMetrics().horizontalAdvance(text)) + 10.0

    def _paint_bar(self, painter: QPainter, item: ReplayRow, bar: QRectF) -> None:
        status = "playing" if item.demo is None else item.demo.status
        painter.fillRect(bar, color(palette.GROUND))
        filled = QRectF(bar.left(), bar.top(), bar.width() * (item.progress or 0.0), bar.height())
        hue = palette.ACCENT if item.demo is None else _COLORS.get(status, palette.DIM)
        painter.fillRect(filled, color(hue))

    # --- what can be done -----------------------------------------------------------------------

    def clicked(self, row: int, at: QPointF, *, twice: bool) -> None:
        if not twice:
            self.activated(row)

    def activated(self, row: int) -> None:
        item, state = self._rows[row], self.controller.state
        if item.place is not None:
            self._go(item)
        elif item.demo is not None and state is not None:
            self.controller.command(toggled(state, item.demo.name))

    def _go(self, row: ReplayRow) -> None:
        if row.place is None:
            return
        if row.here:
            self.store.jump(*row.place)
            return
        clip = None if row.outcome is None else row.outcome.clip
        where = f"it is in the clip {clip}" if clip else (
            "with --clips DIR failures of other runs can be looked into"
        )  # fmt: skip
        self.store.message.emit(f"That was in another run of the game: {where}")

    def menu_entries(self, row: int) -> Sequence[MenuEntry]:
        state = self.controller.state
        if state is None:
            return ()
        controller = self.controller
        offered: list[MenuEntry] = []
        if 0 <= row < len(self._rows):
            offered += self._offers_of(self._rows[row], state)
        if state.is_recorded:
            return offered
        if state.running:
            offered.append(
                ("Skip the demo that is played", partial(controller.command, {"do": "skip"}))
            )
            offered.append(("Stop", partial(controller.command, {"do": "stop"})))
        else:
            offered.append(("Start", partial(controller.command, {"do": "start"})))
        return [
            *offered,
            ("Replay all", partial(controller.command, selected_all(state, on=True))),
            ("Skip all", partial(controller.command, selected_all(state, on=False))),
            *(
                (_played(state.times + by), partial(controller.command, times(state, by)))
                for by in (1, -1)
                if state.times + by >= 1
            ),
        ]

    def _offers_of(self, row: ReplayRow, state: ReplayState) -> list[MenuEntry]:
        if row.place is not None:
            return [(f"Go to the {_PLACES[row.kind]}", partial(self._go, row))]
        if row.demo is not None:
            words = f"{'Skip' if row.demo.selected else 'Replay'} {row.demo.name}"
            return [(words, partial(self.controller.command, toggled(state, row.demo.name)))]
        return []

    # --- in words -------------------------------------------------------------------------------

    def card(self, row: int, at: QPointF) -> Sequence[str]:
        return card_of(self._rows[row])

    def text(self) -> str:
        return "\n".join(row.summary for row in self.rows) or self.empty_text


class ReplayPanel(QWidget):
    """The list, with its buttons above."""

    def __init__(self, store: ViewerStore) -> None:
        super().__init__()
        self.controller = ReplayController(store)
        self.list = ReplayList(store, self.controller)
        self.setFocusProxy(self.list)
        command = self.controller.command
        self.start = text_button("Start", "Play the demos that are checked")
        self.start.clicked.connect(lambda: command({"do": "start"}))
        self.stop = text_button("Stop", "Stop now; the rest is skipped")
        self.stop.clicked.connect(lambda: command({"do": "stop"}))
        self.skip = text_button("Skip", "Leave this demo, go on with the next one")
        self.skip.clicked.connect(lambda: command({"do": "skip"}))
        self.less = text_button("−", "Play the whole set once less")
        self.less.clicked.connect(lambda: self._change_times(-1))
        self.more = text_button("+", "Play the whole set again")
        self.more.clicked.connect(lambda: self._change_times(1))
        self.times = QLabel("× 1")
        self.times.setAccessibleName("How many times the whole set is played")
        self.controls = QWidget()
        row = QHBoxLayout(self.controls)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        for button in (self.start, self.stop, self.skip):
            row.addWidget(button)
        row.addStretch(1)
        for widget in (self.less, self.times, self.more):
            row.addWidget(widget)
        inside = QVBoxLayout(self)
        inside.setContentsMargins(6, 6, 6, 2)
        inside.setSpacing(6)
        inside.addWidget(self.controls)
        inside.addWidget(self.list, 1)
        self.controller.changed.connect(self._show)
        self._show()

    def _change_times(self, by: int) -> None:
        state = self.controller.state
        if state is not None:
            self.controller.command(times(state, by))

    def _show(self) -> None:
        state = self.controller.state
        controlled = state is not None and not state.is_recorded
        running = state is not None and state.running
        self.controls.setVisible(controlled)  # nothing can be started in a recording
        self.start.setEnabled(controlled and not running)
        self.stop.setEnabled(running)
        self.skip.setEnabled(running)
        self.less.setEnabled(state is not None and state.times > 1)
        self.times.setText(f"× {1 if state is None else state.times}")


def _played(times: int) -> str:
    return "Play once" if times == 1 else f"Play {times} times"


def _hue(row: ReplayRow) -> str:
    if row.kind is ReplayRowKind.HEADING:
        return palette.DIM
    if row.kind is ReplayRowKind.WRONG:
        return palette.FAILED
    if row.kind is ReplayRowKind.DIVERGENCE:
        return palette.TEXT
    if row.outcome is not None:
        hue = _COLORS.get(row.outcome.status, palette.TEXT)
        return palette.lighter(hue, 0.25) if row.outcome.failure is not None else hue
    if row.demo is not None and not (row.demo.selected or row.demo.is_recorded):
        return palette.DIM
    return palette.TEXT


def _paint_box(painter: QPainter, at: QPointF, *, on: bool) -> None:
    """A check box, drawn so that no font needs to have it."""
    box = QRectF(at.x(), at.y() - _BOX / 2, _BOX, _BOX)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(pen(palette.ACCENT if on else palette.FAINT, 1.2))
    painter.setBrush(color(palette.CHOSEN if on else palette.GROUND))
    painter.drawRoundedRect(box, 2.5, 2.5)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if on:
        painter.setPen(pen(palette.CHOSEN_TEXT, 1.8))
        painter.drawPolyline(QPolygonF([
            QPointF(box.left() + 3, at.y()), QPointF(box.left() + 5.5, at.y() + 3),
            QPointF(box.right() - 2.5, at.y() - 3.5),
        ]))  # fmt: skip
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
