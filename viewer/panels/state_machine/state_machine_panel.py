"""The state machine panel: the graph, the transitions with their reasons, and the beliefs."""

from collections.abc import Hashable, Sequence
from functools import partial

from ....recorder.text.duration_text import duration_text
from ....recording.decisions.decision_location import Location, RuleLocation, TransitionLocation
from ...reader.frame_snapshot import Key
from ...reader.history.history_record_types import UNREAD, ObjectEnd, StateChange
from ...state.agent_beliefs import CurrentBelief
from ...state.decision_question_menu import DecisionController
from ...state.hook_controller import HookController
from ...state.shared_pins_and_histories import PanelContext
from ...state.viewer_store import ViewerStore
from ...toolkit import palette
from ...toolkit.menu_entries import MenuEntry
from ...toolkit.qt import QPainter, QPointF, QRectF, Qt
from ...toolkit.text_painting import elided, one_line
from ...toolkit.theme import color, font, pen
from ...toolkit.time_text import time_text
from ...widgets.lists.interactive_list import TextList
from ..timeline.lane_cache import LaneCache
from .state_graph_painter import StateGraphPainter
from .state_machine_header import HEIGHT, HeaderContent, StateMachineHeader
from .state_machine_model import (
    LISTED,
    Headline,
    ReasonRow,
    StateGraph,
    belief_rows,
    graph_at,
    headline,
    panel_text,
    state_visits,
    transition_rows,
    transition_text,
    whole_graph,
)

_SIGNS = {
    "won": ("✓", palette.OK), "also": ("✓", palette.DIM), "rejected": ("✕", palette.FAILED),
    "value": ("=", palette.FAINT), "belief": ("◌", palette.RUNNING),
    "current belief": ("◌", palette.RUNNING), "where": ("↗", palette.ACCENT),
    "code": ("", palette.DIM),
}  # fmt: skip
_CARD_TEXTS = {
    "won": "won", "also": "also true, but came later in the order", "rejected": "lost",
    "value": "a value that the conditions looked at", "belief": "believed then",
}  # fmt: skip
_MIN_NOTE_WIDTH = 24.0
"""Pixels: with less room beside the text a row's note is left out."""
_MIDDLE = Qt.AlignmentFlag.AlignVCenter
_RIGHT = _MIDDLE | Qt.AlignmentFlag.AlignRight


class StateMachinePanel(TextList):
    """The header, the graph, and below them the list of beliefs and transitions with their reasons.

    A click on a transition goes to its frame; a click on the sign before it opens or folds its
    reasons. A click on a state in the graph goes to its last entry.
    """

    empty_hint = "session.trace.state(agent, machine, source, target, won=…)"

    def __init__(self, store: ViewerStore) -> None:
        super().__init__("State machine", store)
        self._keys: list[Key] = []
        self._chosen_machine = ""
        self._toggled: frozenset[int] = frozenset()
        self._rows: list[ReasonRow] = []
        self._beliefs: list[CurrentBelief] = []
        self._graph: StateGraph | None = None
        self._whole_graph: tuple[list[StateChange], int, int, StateGraph] = (
            [], 0, 0, StateGraph((), {}, "")
        )  # fmt: skip
        """The cached graph of all transitions. Before it their list, its length and the history's
        rewrites, which show whether it is still valid."""
        self._changes: list[StateChange] = []
        """The newest transitions up to the shown frame, newest first."""
        self._end: ObjectEnd | None = None
        """Where the object disappeared after the newest transition; None if it did not."""
        self._lane_cache = LaneCache()
        self._graph_painter = StateGraphPainter()
        self._header = StateMachineHeader()

    @property
    def rows(self) -> list[ReasonRow]:
        """The rows of the list below the graph."""
        self.rebuild_if_stale()
        return self._rows

    @property
    def key(self) -> Key | None:
        """The machine that is shown."""
        matches = (key for key in self._keys if key[1] == self._chosen_machine)
        return next(matches, self._keys[0] if self._keys else None)

    @property
    def headline(self) -> Headline | None:
        """The newest transition."""
        snapshot = self.store.snapshot
        return None if snapshot is None else headline(self._changes, snapshot, self._end)

    def build_rows(self) -> bool:
        store = self.store
        self._keys = [key for key in sorted(store.history.changes) if key[0] == store.selected]
        key, snapshot = self.key, store.snapshot
        self._rows, self._graph, self._changes, self._beliefs = [], None, [], []
        self._end = None
        if snapshot is not None and store.selected:
            beliefs = store.beliefs()
            self._beliefs = beliefs or []
            self._rows = (
                [ReasonRow("heading", "Believes now", UNREAD)] if beliefs is None
                else belief_rows(beliefs, snapshot.conventions.unit)
            )  # fmt: skip
            if key is not None:
                changes = store.history.changes_until(key, store.frame, LISTED)
                if store.knows(changes[0].frame if changes else 0):
                    self._changes = changes
                if self._changes:
                    since = self._changes[0].frame - 1
                    self._end = store.history.end_of(key[0], since, store.frame)
                self._graph = graph_at(
                    self._whole_graph_of(key), self._changes, is_gone=self._end is not None
                )
                self._rows += transition_rows(
                    self._changes, snapshot, self._toggled, PanelContext.of(store).sources.line
                )
        if not store.selected:
            self.empty_text = "Select an object to see what it decides"
        elif not store.knows_all:
            self.empty_text = "Being read …"
        else:
            self.empty_text = "No state machine is recorded for this object"
        return True

    def _whole_graph_of(self, key: Key) -> StateGraph:
        """The graph of all transitions of a machine, rebuilt only when there are more of them."""
        history = self.store.history
        changes = history.changes[key]
        cached_for, count, rewrites, whole = self._whole_graph
        if cached_for is not changes or (count, rewrites) != (len(changes), history.rewrites):
            whole = whole_graph(changes)
            self._whole_graph = changes, len(changes), history.rewrites, whole
        return whole

    def choose(self, machine: str) -> None:
        """Show another machine of the object."""
        self._chosen_machine, self._toggled = machine, frozenset()
        self.rebuild()

    # --- the list -------------------------------------------------------------------------------

    def _rows_above(self) -> int:
        """How many rows are above the reasons: header and graph, if there is a graph."""
        return 2 if self._graph is not None else 0

    def heights(self) -> Sequence[int]:
        self.rebuild_if_stale()
        above = []
        if self._graph is not None:
            above = [HEIGHT, self._graph_painter.height(self._graph, self.width())]
        return [*above, *(23 if row.kind in ("transition", "heading") else 19
                          for row in self._rows)]  # fmt: skip

    def _reason_at(self, row: int) -> ReasonRow | None:
        index = row - self._rows_above()
        return self._rows[index] if 0 <= index < len(self._rows) else None

    def accepts_cursor(self, row: int) -> bool:
        return self._reason_at(row) is not None

    def cache_key(self, row: int) -> Hashable:
        reason, is_hovered = self._reason_at(row), row == self.hover
        if reason is not None:
            # The frame is not painted.
            return reason._replace(frame=0), is_hovered and reason.kind == "transition"
        graph = self._graph
        if not row or graph is None:
            return None
        return graph.states, tuple(graph.edges.items()), graph.active

    def paint_row(self, painter: QPainter, row: int, box: QRectF) -> None:
        reason = self._reason_at(row)
        if reason is not None:
            self._paint_reason(painter, reason, box, row == self.hover)
        elif row == 0:
            self._header.paint(painter, self._header_content(), box, self.devicePixelRatioF())
        elif self._graph is not None:
            self._graph_painter.paint(painter, self._graph, box)

    def _header_content(self) -> HeaderContent:
        snapshot, key = self.store.snapshot, self.key
        return HeaderContent(
            "" if snapshot is None else snapshot.name_of(self.store.selected),
            tuple(name for _, name in self._keys), "" if key is None else key[1], self.headline,
            "No transition so far" if self.store.knows() else "Being read …",
        )  # fmt: skip

    def _paint_reason(
        self, painter: QPainter, row: ReasonRow, box: QRectF, is_hovered: bool
    ) -> None:
        if row.kind == "heading":
            painter.fillRect(box, color(palette.GROUP))
            painter.setFont(font(11, bold=True))
            painter.setPen(pen(palette.DIM))
            painter.drawText(box.adjusted(12, 0, -12, 0), _MIDDLE, one_line(row.text))
            painter.setFont(font(11))
            painter.setPen(pen(palette.FAINT))
            painter.drawText(box.adjusted(0, 0, -12, 0), _RIGHT, row.note)
        elif row.kind == "transition":
            painter.fillRect(
                box, color(palette.NEWEST if row.newest or is_hovered else palette.PANEL)
            )
            painter.setFont(font(12, bold=row.newest))
            painter.setPen(pen(palette.TEXT if row.newest else palette.DIM))
            sign = "▾" if row.opened else "▸"
            painter.drawText(box.adjusted(12, 0, -90, 0), _MIDDLE,
                             elided(painter, f"{sign}  {row.text}", box.width() - 102))  # fmt: skip
            painter.setFont(font(11, mono=True))
            painter.setPen(pen(palette.FAINT))
            painter.drawText(box.adjusted(0, 0, -12, 0), _RIGHT, row.note)
        else:
            self._paint_detail(painter, row, box)

    def _paint_detail(self, painter: QPainter, row: ReasonRow, box: QRectF) -> None:
        sign, name = _SIGNS[row.kind]
        painter.setFont(font(12))
        painter.setPen(pen(name))
        painter.drawText(QRectF(30, box.top(), 14, box.height()), _MIDDLE, sign)
        room = box.width() - 62
        is_bright = row.kind in ("won", "also", "current belief")
        is_code = row.kind == "code"
        is_link = bool(row.file) and not is_code
        painter.setFont(font(11, mono=True) if is_code else font(12))
        painter.setPen(pen(palette.ACCENT if is_link else palette.TEXT if is_bright or is_code
                           else palette.DIM))  # fmt: skip
        # The note gets the room that the text leaves; the hover card has all of it.
        text = elided(painter, row.text, room)
        painter.drawText(QRectF(48, box.top(), room, box.height()), _MIDDLE, text)
        used = painter.fontMetrics().horizontalAdvance(text) + 12.0
        if row.note and room - used > _MIN_NOTE_WIDTH:
            painter.setFont(font(11, mono=row.kind == "value"))
            painter.setPen(pen(palette.FAILED if row.kind == "rejected" else palette.FAINT
                               if row.kind in ("also", "where") else palette.DIM))  # fmt: skip
            note = elided(painter, row.note, room - used)
            painter.drawText(QRectF(48 + used, box.top(), room - used, box.height()), _RIGHT, note)

    # --- text, cards and input ------------------------------------------------------------------

    def text(self) -> str:
        self.rebuild_if_stale()
        store, key = self.store, self.key
        snapshot = store.snapshot
        if snapshot is None or (key is None and not self._beliefs):
            return self.empty_text
        return panel_text(
            snapshot.name_of(store.selected), key[1] if key is not None else "beliefs",
            self.headline, self._rows, self._beliefs, snapshot.conventions.unit,
        )  # fmt: skip

    def card(self, row: int, at: QPointF) -> Sequence[str]:
        reason = self._reason_at(row)
        if reason is not None:
            return self._reason_card(reason)
        if row == 1:
            return self._state_card(self._state_at(at))
        newest = self.headline
        if newest is None or row:
            return ()
        title = f"{newest.source or '·'} → {newest.target} at {newest.time}"
        return [title, f"because {newest.won}", f"for {newest.dwell}"]

    def _reason_card(self, row: ReasonRow) -> Sequence[str]:
        match row.kind:
            case "heading":
                return ()
            case "transition":
                change = self._change_of(row)
                won = [f"because {change.trace.won}"] if change is not None else []
                return [row.text, f"at {row.note}, frame {row.frame}", *won, "click goes there"]
            case "where":
                return [f"{row.file}:{row.line}", "click opens it in the editor"]
            case "current belief":
                beliefs = (belief for belief in self._beliefs if belief.object == row.object)
                belief = next(beliefs, None)
                position = (
                    "" if belief is None
                    else "at " + ", ".join(f"{part:.2f}" for part in belief.position)
                )  # fmt: skip
                return [f"{row.text}, as it is believed now", position, row.note]
            case _:
                lines = [row.text, *([row.note] if row.note else [])]
                return [*lines, _CARD_TEXTS[row.kind]]

    def _change_of(self, row: ReasonRow) -> StateChange | None:
        """The transition of a row; compared by its text too, as one frame may have several."""
        return next(
            (
                change for change in self._changes
                if change.frame == row.frame and transition_text(change) == row.text
            ),
            None,
        )  # fmt: skip

    def _state_at(self, at: QPointF) -> str:
        if self._graph is None:
            return ""
        box = QRectF(0, 0, self.width(), self._graph_painter.height(self._graph, self.width()))
        return self._graph_painter.state_at(self._graph, box, at)

    def _state_card(self, state: str) -> Sequence[str]:
        store, key = self.store, self.key
        if not state or key is None:
            return ()
        history = store.history
        lane = self._lane_cache.states(history, key) if key in history.changes else None
        visits = state_visits(history.changes.get(key, ()), state, store.frame, lane)
        count = {1: "once", 2: "twice"}.get(visits.entries, f"{visits.entries} times")
        extent = "in all" if store.knows_all else "in what was read so far"
        lines = [state, f"entered {count}, {duration_text(visits.seconds)} {extent}"]
        if visits.last is not None:
            lines.append(f"last at {time_text(visits.last.time)}, because {visits.last.trace.won}")
            lines.append("click goes there")
        return lines

    def clicked(self, row: int, at: QPointF, *, twice: bool) -> None:
        reason = self._reason_at(row)
        if reason is not None:
            if reason.kind == "transition" and at.x() >= 26:
                self.store.jump(reason.frame)
            else:
                self._activate_reason(reason)
        elif row == 0:
            box = QRectF(0, 0, self.width(), HEIGHT)
            for chip in self._header.chips(self._header_content(), box):
                if chip.box.left() <= at.x() < chip.box.right():
                    self.choose(chip.machine)
        else:
            self._go_to_last_entry(self._state_at(at))

    def activated(self, row: int) -> None:
        reason = self._reason_at(row)
        if reason is not None:
            self._activate_reason(reason)

    def _activate_reason(self, row: ReasonRow) -> None:
        """Do what a click on a row does."""
        if row.kind == "transition":
            self._toggled ^= {row.frame}
            self.rebuild()
        elif row.file:
            self.store.source_requested.emit(row.file, row.line)
        elif row.kind in ("current belief", "belief") and row.object:
            self.store.select(row.object)
        elif row.kind == "heading" and row.frame:
            self.store.jump(row.frame)

    def _go_to_last_entry(self, state: str) -> None:
        key, store = self.key, self.store
        if state and key is not None:
            changes = store.history.changes.get(key, ())
            # If this frame itself is an entry, go to the one before.
            visits = state_visits(changes, state, store.frame - 1)
            if visits.last is not None:
                store.jump(visits.last.frame)

    def _hooks_on(self, location: Location) -> list[MenuEntry]:
        return HookController.of(self.store).menu(self.store.selected, location)

    def menu_entries(self, row: int) -> Sequence[MenuEntry]:
        store, reason, key = self.store, self._reason_at(row), self.key
        entries: list[MenuEntry] = []
        if reason is not None and reason.kind == "transition":
            label = "Fold" if reason.opened else "Open its reasons"
            entries.append((label, lambda: self._activate_reason(reason)))
            entries.append(("Go to this transition", lambda: store.jump(reason.frame)))
            change = self._change_of(reason)
            if key is not None:
                entries.append(DecisionController.of(store).again(*key, reason.frame))
            if change is not None:
                entries.append(PanelContext.of(store).colors_for(change.trace.target))
                entries += self._hooks_on(TransitionLocation(
                    change.trace.source, change.trace.target, change.trace.machine
                ))  # fmt: skip
        elif reason is not None and reason.kind in ("won", "also", "rejected") and key is not None:
            name = reason.text.partition(", hook ")[0]
            entries += self._hooks_on(RuleLocation(name, key[1]))
        elif reason is not None and reason.file:
            entries.append((f"Open {reason.text}", lambda: self._activate_reason(reason)))
        elif reason is not None and reason.object:
            entries.append(("Select what it is about", lambda: self._activate_reason(reason)))
        if row == 1:
            state = self._state_at(self.mouse - self.box_of(1).topLeft())
            if state:
                entries.append((f"Go to the last entry of {state}",
                                lambda: self._go_to_last_entry(state)))  # fmt: skip
                entries.append(PanelContext.of(store).colors_for(state))
                if key is not None:
                    entries += DecisionController.of(store).why_not(*key, [state])
                    entries += self._hooks_on(TransitionLocation("", state, key[1]))
        if key is not None:
            entries.append(DecisionController.of(store).why_not_typed(*key, self))
        others = [name for _, name in self._keys if key is not None and name != key[1]]
        entries += [(f"Show {name}", partial(self.choose, name)) for name in others]
        return entries
