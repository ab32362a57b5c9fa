"""The state machine panel: the state, the transition that led to it, and the reasons."""

from collections.abc import Hashable, Sequence
from functools import partial

from ...reader.frame_snapshot import Key
from ...reader.history_entries import UNREAD, ObjectEnd, StateChange
from ...state.agent_beliefs import CurrentBelief
from ...state.viewer_store import ViewerStore
from ...state.workspace import Workspace
from ...toolkit import palette
from ...toolkit.numpy_painting import elided, one_line
from ...toolkit.qt import QPainter, QPointF, QRectF, Qt
from ...toolkit.theme import color, font, pen
from ...toolkit.time_text import span_text, time_text
from ...widgets.text_list import Action, TextList
from ..timeline.lane_cache import LaneCache
from .state_graph import StateGraphPainter
from .state_machine_header import HEIGHT, MachineHeading, StateMachineHeader
from .state_machine_model import (
    LISTED,
    Headline,
    Reason,
    StateGraph,
    belief_rows,
    graph,
    headline,
    outline,
    stays,
    text_of,
    titled,
    transition_reasons,
)

_SIGNS = {
    "won": ("✓", palette.OK), "also": ("✓", palette.DIM), "rejected": ("✕", palette.FAILED),
    "value": ("=", palette.FAINT), "belief": ("◌", palette.RUNNING),
    "held": ("◌", palette.RUNNING), "where": ("↗", palette.ACCENT),
}  # fmt: skip
_SPOKEN = {
    "won": "won", "also": "also true, but came later in the order", "rejected": "lost",
    "value": "a value that the conditions looked at", "belief": "believed then",
}  # fmt: skip
_LEAST_NOTE = 24.0
"""With fewer pixels beside its name a condition's note is left out."""
_MIDDLE = Qt.AlignmentFlag.AlignVCenter
_RIGHT = _MIDDLE | Qt.AlignmentFlag.AlignRight


class StateMachinePanel(TextList):
    """A click on a transition goes to its frame, on its sign it opens the reasons; a click on a
    state goes to where it was entered last."""

    call = "session.trace.state(agent, machine, source, target, won=…)"

    def __init__(self, store: ViewerStore) -> None:
        super().__init__("State machine", store)
        self._keys: list[Key] = []
        self._chosen = ""
        self._folded: frozenset[int] = frozenset()
        self._rows: list[Reason] = []
        self._held: list[CurrentBelief] = []
        self._graph: StateGraph | None = None
        self._outlined: tuple[list[StateChange], int, int, StateGraph] = (
            [],
            0,
            0,
            StateGraph((), {}, ""),
        )
        """Of which transitions, how many of them, after how many rewrites; and the outline."""
        self._changes: list[StateChange] = []
        self._gone: ObjectEnd | None = None
        """Where the object was gone since the newest transition: no state holds any longer."""
        self._lane_cache = LaneCache()
        self._picture = StateGraphPainter()
        self._header = StateMachineHeader()

    @property
    def rows(self) -> list[Reason]:
        """What is listed below the graph."""
        self.fresh()
        return self._rows

    @property
    def key(self) -> Key | None:
        """The machine that is shown."""
        chosen = (key for key in self._keys if key[1] == self._chosen)
        return next(chosen, self._keys[0] if self._keys else None)

    @property
    def headline(self) -> Headline | None:
        """The newest transition."""
        snapshot = self.store.snapshot
        return None if snapshot is None else headline(self._changes, snapshot, self._gone)

    def renew(self) -> bool:
        store = self.store
        self._keys = [key for key in sorted(store.history.changes) if key[0] == store.selected]
        key, snapshot = self.key, store.snapshot
        self._rows, self._graph, self._changes, self._held = [], None, [], []
        self._gone = None
        if snapshot is not None and store.selected:
            held = store.beliefs()
            self._held = held or []
            self._rows = (
                [Reason("heading", "Believes now", UNREAD)] if held is None
                else belief_rows(held, snapshot.conventions.unit)
            )  # fmt: skip
            if key is not None:
                changes = store.history.changes_until(key, store.frame, LISTED)
                if store.knows(changes[0].frame if changes else 0):
                    self._changes = changes
                if self._changes:
                    since = self._changes[0].frame - 1
                    self._gone = store.history.end_of(key[0], since, store.frame)
                self._graph = graph(
                    self._outline_of(key), self._changes, gone=self._gone is not None
                )
                self._rows += transition_reasons(self._changes, snapshot, folded=self._folded)
        if not store.selected:
            self.empty = "Select an object to see what it decides"
        elif not store.knows_all:
            self.empty = "Being read …"
        else:
            self.empty = "No state machine is recorded for this object"
        return True

    def _outline_of(self, key: Key) -> StateGraph:
        """Of all that was read of a machine; made anew only when there is more of it."""
        every = self.store.history.changes[key]
        of, count, rewrites, shown = self._outlined
        if of is not every or (count, rewrites) != (len(every), self.store.history.rewrites):
            shown = outline(every)
            self._outlined = every, len(every), self.store.history.rewrites, shown
        return shown

    def choose(self, machine: str) -> None:
        """Show another machine of the object."""
        self._chosen, self._folded = machine, frozenset()
        self.change()

    # --- the list -------------------------------------------------------------------------------

    def _above(self) -> int:
        """How many rows are above the listed ones: first line and graph, where there is one."""
        return 2 if self._graph is not None else 0

    def heights(self) -> Sequence[int]:
        self.fresh()
        above = []
        if self._graph is not None:
            above = [HEIGHT, self._picture.height(self._graph, self.width())]
        return [*above, *(23 if row.kind in ("transition", "heading") else 19
                          for row in self._rows)]  # fmt: skip

    def _row(self, row: int) -> Reason | None:
        at = row - self._above()
        return self._rows[at] if 0 <= at < len(self._rows) else None

    def reachable(self, row: int) -> bool:
        return self._row(row) is not None

    def looks(self, row: int) -> Hashable:
        shown, hovered = self._row(row), row == self.hover
        if shown is not None:
            # Where it leads does not show.
            return shown._replace(frame=0), hovered and shown.kind == "transition"
        told_graph = self._graph
        if not row or told_graph is None:
            return None
        return told_graph.states, tuple(told_graph.edges.items()), told_graph.active

    def paint_row(self, painter: QPainter, row: int, box: QRectF) -> None:
        shown = self._row(row)
        if shown is not None:
            self._paint_reason(painter, shown, box, row == self.hover)
        elif row == 0:
            self._header.paint(painter, self._heading_text(), box, self.devicePixelRatioF())
        elif self._graph is not None:
            self._picture.paint(painter, self._graph, box)

    def _heading_text(self) -> MachineHeading:
        snapshot, key = self.store.snapshot, self.key
        return MachineHeading(
            "" if snapshot is None else snapshot.name_of(self.store.selected),
            tuple(name for _, name in self._keys), "" if key is None else key[1], self.headline,
            "No transition so far" if self.store.knows() else "Being read …",
        )  # fmt: skip

    def _paint_reason(self, painter: QPainter, row: Reason, box: QRectF, hovered: bool) -> None:
        if row.kind == "heading":
            painter.fillRect(box, color(palette.GROUP))
            painter.setFont(font(11, bold=True))
            painter.setPen(pen(palette.DIM))
            painter.drawText(box.adjusted(12, 0, -12, 0), _MIDDLE, one_line(row.text))
            painter.setFont(font(11))
            painter.setPen(pen(palette.FAINT))
            painter.drawText(box.adjusted(0, 0, -12, 0), _RIGHT, row.note)
        elif row.kind == "transition":
            painter.fillRect(box, color(palette.NEWEST if row.newest or hovered else palette.PANEL))
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

    def _paint_detail(self, painter: QPainter, row: Reason, box: QRectF) -> None:
        sign, name = _SIGNS[row.kind]
        painter.setFont(font(12))
        painter.setPen(pen(name))
        painter.drawText(QRectF(30, box.top(), 14, box.height()), _MIDDLE, sign)
        room = box.width() - 62
        strong = row.kind in ("won", "also", "held")
        painter.setPen(pen(palette.ACCENT if row.file else palette.TEXT if strong
                           else palette.DIM))  # fmt: skip
        # The name comes first: the note beside it gets what is left, on hover all of it.
        text = elided(painter, row.text, room)
        painter.drawText(QRectF(48, box.top(), room, box.height()), _MIDDLE, text)
        used = painter.fontMetrics().horizontalAdvance(text) + 12.0
        if row.note and room - used > _LEAST_NOTE:
            painter.setFont(font(11, mono=row.kind == "value"))
            painter.setPen(pen(palette.FAILED if row.kind == "rejected" else palette.FAINT
                               if row.kind in ("also", "where") else palette.DIM))  # fmt: skip
            note = elided(painter, row.note, room - used)
            painter.drawText(QRectF(48 + used, box.top(), room - used, box.height()), _RIGHT, note)

    # --- what one does with it ------------------------------------------------------------------

    def text(self) -> str:
        self.fresh()
        store, key = self.store, self.key
        snapshot = store.snapshot
        if snapshot is None or (key is None and not self._held):
            return self.empty
        return text_of(
            snapshot.name_of(store.selected), key[1] if key is not None else "beliefs",
            self.headline, self._rows, self._held, snapshot.conventions.unit,
        )  # fmt: skip

    def card(self, row: int, at: QPointF) -> Sequence[str]:
        shown = self._row(row)
        if shown is not None:
            return self._card_of(shown)
        if row == 1:
            return self._card_of_state(self._state_at(at))
        newest = self.headline
        if newest is None or row:
            return ()
        first = f"{newest.source or '·'} → {newest.target} at {newest.time}"
        return [first, f"because {newest.won}", f"for {newest.dwell}"]

    def _card_of(self, row: Reason) -> Sequence[str]:
        match row.kind:
            case "heading":
                return ()
            case "transition":
                change = self._change_of(row)
                won = [f"because {change.trace.won}"] if change is not None else []
                return [row.text, f"at {row.note}, frame {row.frame}", *won, "click goes there"]
            case "where":
                return [f"{row.file}:{row.line}", "click opens it in the editor"]
            case "held":
                place = next(
                    (one for one in self._held if one.object == row.object), None
                )  # fmt: skip
                where = (
                    "" if place is None
                    else "at " + ", ".join(f"{part:.2f}" for part in place.position)
                )  # fmt: skip
                return [f"{row.text}, as it is believed now", where, row.note]
            case _:
                lines = [row.text, *([row.note] if row.note else [])]
                return [*lines, _SPOKEN[row.kind]]

    def _change_of(self, row: Reason) -> StateChange | None:
        """The transition that a row tells: one frame may have several."""
        return next(
            (one for one in self._changes if one.frame == row.frame and titled(one) == row.text),
            None,
        )  # fmt: skip

    def _state_at(self, at: QPointF) -> str:
        if self._graph is None:
            return ""
        box = QRectF(0, 0, self.width(), self._picture.height(self._graph, self.width()))
        return self._picture.state_at(self._graph, box, at)

    def _card_of_state(self, state: str) -> Sequence[str]:
        store, key = self.store, self.key
        if not state or key is None:
            return ()
        history = store.history
        lane = self._lane_cache.states(history, key) if key in history.changes else None
        stay = stays(history.changes.get(key, ()), state, store.frame, lane)
        times = {1: "once", 2: "twice"}.get(stay.times, f"{stay.times} times")
        of = "in all" if store.knows_all else "in what was read so far"
        lines = [state, f"entered {times}, {span_text(stay.seconds)} {of}"]
        if stay.last is not None:
            lines.append(f"last at {time_text(stay.last.time)}, because {stay.last.trace.won}")
            lines.append("click goes there")
        return lines

    def clicked(self, row: int, at: QPointF, *, twice: bool) -> None:
        shown = self._row(row)
        if shown is not None:
            if shown.kind == "transition" and at.x() >= 26:
                self.store.jump(shown.frame)
            else:
                self._act(shown)
        elif row == 0:
            box = QRectF(0, 0, self.width(), HEIGHT)
            for chip in self._header.chips(self._heading_text(), box):
                if chip.box.left() <= at.x() < chip.box.right():
                    self.choose(chip.machine)
        else:
            self._enter_state(self._state_at(at))

    def entered(self, row: int) -> None:
        shown = self._row(row)
        if shown is not None:
            self._act(shown)

    def _act(self, row: Reason) -> None:
        """What a row is for."""
        if row.kind == "transition":
            self._folded ^= {row.frame}
            self.change()
        elif row.file:
            self.store.source_requested.emit(row.file, row.line)
        elif row.kind in ("held", "belief") and row.object:
            self.store.select(row.object)
        elif row.kind == "heading" and row.frame:
            self.store.jump(row.frame)

    def _enter_state(self, state: str) -> None:
        key, store = self.key, self.store
        if state and key is not None:
            every = store.history.changes.get(key, ())
            # On the very frame of an entry one has seen it: the one before is meant.
            stay = stays(every, state, store.frame - 1)
            if stay.last is not None:
                store.jump(stay.last.frame)

    def offers(self, row: int) -> Sequence[Action]:
        store, item, key = self.store, self._row(row), self.key
        listed: list[Action] = []
        if item is not None and item.kind == "transition":
            words = "Fold" if item.opened else "Open its reasons"
            listed.append((words, lambda: self._act(item)))
            listed.append(("Go to this transition", lambda: store.jump(item.frame)))
            change = self._change_of(item)
            if change is not None:
                listed.append(Workspace.of(store).colors_for(change.trace.target))
        elif item is not None and item.file:
            name = f"Open {item.text}"
            listed.append((name, lambda: self._act(item)))
        elif item is not None and item.object:
            listed.append(("Select what it is about", lambda: self._act(item)))
        if row == 1:
            state = self._state_at(self.mouse - self.box_of(1).topLeft())
            if state:
                listed.append((f"Go to the last entry of {state}",
                               lambda: self._enter_state(state)))  # fmt: skip
                listed.append(Workspace.of(store).colors_for(state))
        others = [name for _, name in self._keys if key is not None and name != key[1]]
        listed += [(f"Show {name}", partial(self.choose, name)) for name in others]
        return listed
