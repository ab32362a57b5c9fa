"""The list of a behaviour tree: the present tick, with the reason beside each node."""

from collections.abc import Hashable, Sequence
from functools import partial

from ....hooks.hook_definition import HookHit
from ....recorder.packets.trace_types import TreeTick
from ....recorder.text.duration_text import duration_text
from ....recording.decisions.decision_location import NodeLocation
from ....recording.decisions.tree_choices import node_paths
from ...reader.frame_snapshot import Key
from ...reader.history.history_record_types import UNREAD, TreeTickEntry
from ...state.decision_question_menu import DecisionController
from ...state.hook_controller import HookController
from ...state.viewer_store import ViewerStore
from ...toolkit import palette
from ...toolkit.hook_dot import paint_hook_sign
from ...toolkit.menu_entries import MenuAction, MenuEntry
from ...toolkit.qt import QKeyEvent, QPainter, QPointF, QRectF, Qt
from ...toolkit.source_location_text import source_location
from ...toolkit.text_painting import elided, one_line
from ...toolkit.theme import color, font, pen
from ...toolkit.time_text import time_text
from ...toolkit.value_text import value_text
from ...widgets.lists.interactive_list import TextList
from ...widgets.value_editor import ValueEditor, value_typed
from .tree_rows import BlackboardEntry, TreeRow, blackboard, status_change, text_of, tree_rows

LOOKS = {
    "success": (palette.OK, "✓"), "failure": (palette.FAILED, "✕"),
    "running": (palette.RUNNING, "▶"),
}  # fmt: skip
KIND_SIGNS = {
    "selector": "?", "fallback": "?", "sequence": "→", "parallel": "⇉", "condition": "◇",
    "decorator": "◎", "action": "●",
}  # fmt: skip
_INDENT = 18
_MIDDLE = Qt.AlignmentFlag.AlignVCenter


class BehaviourTreeList(TextList):
    """A click on a branch folds or opens it; its blackboard is below the tree. Alt+Up and Alt+Down
    go to the previous and the next change of the node that was clicked. A double click on an entry
    of the blackboard edits it in the paused game; Ctrl+Z and Ctrl+Y take that back and forth."""

    empty_hint = "rec.add(tree)  ·  session.trace.define_tree(…), session.trace.tree(…)"

    def __init__(self, store: ViewerStore) -> None:
        super().__init__("Behaviour tree", store)
        self._rows: list[TreeRow] = []
        self._board: list[BlackboardEntry] = []
        self._tick: TreeTickEntry | None = None
        self._known = True
        """Whether all statements up to this frame have been read."""
        self._turned: frozenset[int] = frozenset()
        self._keys: list[Key] = []
        self._chosen = ""
        self.words = ""
        """Only nodes with these are listed, and those above them."""
        self.only_running = False
        """Whether only the nodes at the ends of the running path are listed."""
        self.node = -1
        """The node that was clicked last; −1 for none."""
        self.hooks = HookController.of(store)
        self._editor = ValueEditor(self)
        self.hooks.changed.connect(self.rebuild)
        self.hooks.acted.connect(self._acted)

    @property
    def rows(self) -> list[TreeRow]:
        """The nodes that are listed."""
        self.rebuild_if_stale()
        return self._rows

    @property
    def board(self) -> list[BlackboardEntry]:
        """The blackboard's entries, which are listed below."""
        self.rebuild_if_stale()
        return self._board

    @property
    def key(self) -> Key | None:
        """The tree that is shown."""
        chosen = (key for key in self._keys if key[1] == self._chosen)
        return next(chosen, self._keys[0] if self._keys else None)

    def build_rows(self) -> bool:
        store = self.store
        before = self._rows, self._board, self._tick, self.key, self._known
        self._rows, self._board, self._tick, self._keys = [], [], None, []
        if store.snapshot is not None:
            self._keys = sorted(key for key in store.snapshot.trees if key[0] == store.selected)
            key = self.key
            if key is not None:
                tick = store.history.tick_at(key, store.frame)
                self._known = store.knows(tick.frame if tick is not None else 0)
                self._tick = tick if self._known else None
                nodes = store.snapshot.trees[key]
                self._rows = tree_rows(
                    nodes, self._tick, store.history, key, self._turned, known=self._known,
                    words=self.words, running=self.only_running,
                )  # fmt: skip
                self._board = blackboard(store.history, key, self._tick)
        if self._keys and (self.words or self.only_running):
            self.empty_text = "Nothing matches" if self.words else "No node is running"
        elif not store.selected:
            self.empty_text = "Select an object to see its behaviour tree"
        else:
            self.empty_text = "No behaviour tree is recorded for this object"
        now = self._rows, self._board, self._tick, self.key, self._known
        return before != now or not self._rows

    @property
    def shown_key(self) -> Key | None:
        """The tree that is shown at this frame."""
        self.rebuild_if_stale()
        return self.key

    @property
    def shown_trace(self) -> TreeTick | None:
        """The tick that is shown."""
        self.rebuild_if_stale()
        return None if self._tick is None else self._tick.trace

    def choose(self, tree: str) -> None:
        """Show another tree of the object."""
        self._chosen, self._turned, self.node = tree, frozenset(), -1
        self.rebuild()

    # --- the list -------------------------------------------------------------------------------

    def heights(self) -> Sequence[int]:
        self.rebuild_if_stale()
        if not self._rows:
            return []
        board = [24, *(20 for _ in self._board)] if self._board else []
        return [26, *(22 for _ in self._rows), *board]

    def _entry(self, row: int) -> BlackboardEntry | None:
        at = row - len(self._rows) - 2
        return self._board[at] if 0 <= at < len(self._board) else None

    def _branch(self, row: int) -> TreeRow | None:
        return self._rows[row - 1] if 0 < row <= len(self._rows) else None

    def accepts_cursor(self, row: int) -> bool:
        return self._branch(row) is not None or self._entry(row) is not None

    def cache_key(self, row: int) -> Hashable:
        branch, entry = self._branch(row), self._entry(row)
        if branch is not None:
            looks = self._note(branch), branch.node == self.node, self.is_hooked(branch.node)
            return branch._replace(seconds=None), *looks
        if entry is not None:
            value = value_text(entry.value), self._edited(entry)
            return entry.name, *value, entry.fresh, entry.before
        return self._board_title if row else (self._title(), self._ticked())

    def paint_row(self, painter: QPainter, row: int, box: QRectF) -> None:
        branch, entry = self._branch(row), self._entry(row)
        if branch is not None:
            self._paint_branch(painter, branch, box)
        elif entry is not None:
            self._paint_entry(painter, entry, box)
        elif row:
            painter.fillRect(box, color(palette.GROUP))
            painter.setFont(font(11, bold=True))
            painter.setPen(pen(palette.DIM))
            painter.drawText(box.adjusted(12, 0, 0, 0), _MIDDLE, self._board_title)
        else:
            self._paint_headline(painter, box)

    def _paint_headline(self, painter: QPainter, box: QRectF) -> None:
        painter.setFont(font(12))
        painter.setPen(pen(palette.DIM))
        painter.drawText(box.adjusted(12, 0, -130, 0), _MIDDLE,
                         elided(painter, self._title(), box.width() - 150))  # fmt: skip
        painter.setFont(font(11, mono=True))
        painter.setPen(pen(palette.FAINT))
        right = _MIDDLE | Qt.AlignmentFlag.AlignRight
        painter.drawText(box.adjusted(0, 0, -12, 0), right, self._ticked())

    @property
    def _board_title(self) -> str:
        # What was written last before what has been read may be missing.
        return "Blackboard" if self.store.knows() else f"Blackboard · older entries {UNREAD}"

    def _title(self) -> str:
        store, key = self.store, self.key
        if store.snapshot is None or key is None:
            return ""
        at = self._keys.index(key) + 1
        more = f" · {at} of {len(self._keys)} trees, click" if len(self._keys) > 1 else ""
        return f"{store.snapshot.name_of(store.selected)} · {key[1]}{more}"

    def _ticked(self) -> str:
        store = self.store
        if not self._known:
            return UNREAD
        if self._tick is None or store.snapshot is None:
            return "not ticked yet"
        ago = store.snapshot.time - self._tick.time
        return "ticked now" if ago < 1e-6 else f"ticked {duration_text(ago)} ago"

    def _paint_branch(self, painter: QPainter, branch: TreeRow, box: QRectF) -> None:
        name, sign = LOOKS.get(branch.status, (palette.FAINT, ""))
        if branch.kept:  # faint, as what was not ticked, with the sign of what it was
            sign = LOOKS.get(branch.kept, ("", ""))[1]
        left = 14 + branch.depth * _INDENT
        self._paint_lines(painter, branch, box)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(font(12, bold=branch.status == "running"))
        kind = KIND_SIGNS.get(branch.kind, "●")
        text = one_line(f"{kind}  {branch.name}") + (f"  {sign}" if sign else "")
        width = min(painter.fontMetrics().horizontalAdvance(text) + 16.0, box.width() - left - 8)
        node = QRectF(left, box.top() + 2, width, box.height() - 4)
        # Who was cut off in the middle has a dashed edge, and says so after it.
        cut = branch.early and branch.kind != "condition"
        edge = palette.SELECTED if branch.node == self.node else name if branch.status else None
        painter.setPen(pen(edge or palette.EDGE, 1.2, dashed=cut))
        share = 0.86 if branch.status == "running" else 0.94
        painter.setBrush(color(palette.mixed(name, share, palette.PANEL)))
        painter.drawRoundedRect(node, 4, 4)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(pen(palette.TEXT if branch.status else palette.FAINT))
        inside = node.adjusted(8, 0, -4, 0)
        painter.drawText(inside, _MIDDLE, elided(painter, text, inside.width()))
        if self.is_hooked(branch.node):
            paint_hook_sign(painter, QPointF(node.left(), node.center().y()))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        note = self._note(branch)
        if note:
            painter.setFont(font(12))
            painter.setPen(pen(name if branch.status else palette.FAINT))
            room = box.width() - node.right() - 16
            beside = QRectF(node.right() + 8, box.top(), room, box.height())
            painter.drawText(beside, _MIDDLE, elided(painter, one_line(note), room))

    def _note(self, branch: TreeRow) -> str:
        note = branch.reason
        if branch.early and branch.kind != "condition":
            note = f"⊘ ended early: {note}" if note else "⊘ ended early"
        return note if branch.seconds is None else f"{branch.seconds_text}   {note}".rstrip()

    def _paint_entry(self, painter: QPainter, entry: BlackboardEntry, box: QRectF) -> None:
        painter.setFont(font(12))
        painter.setPen(pen(palette.DIM))
        half = (box.width() - 36) / 2
        name = QRectF(24, box.top(), half, box.height())
        painter.drawText(name, _MIDDLE, elided(painter, entry.name, half))
        painter.setFont(font(12, mono=True))
        painter.setPen(pen(palette.RUNNING if entry.fresh else palette.TEXT))
        value = QRectF(24 + half, box.top(), half, box.height())
        right = _MIDDLE | Qt.AlignmentFlag.AlignRight
        text = value_text(entry.value)
        text = f"{entry.before} → {text}" if entry.before else text
        edited = self._edited(entry)
        if edited:
            painter.setPen(pen(palette.ACCENT))
            text = f"{text} ✎ {edited}"
        painter.drawText(value, right, elided(painter, one_line(text), half))

    def _paint_lines(self, painter: QPainter, branch: TreeRow, box: QRectF) -> None:
        """The lines from parents to children; `last` says which of them continue."""
        painter.setPen(pen(palette.EDGE))
        middle = box.center().y()
        for level in range(1, branch.depth + 1):
            x = 14 + (level - 1) * _INDENT + 8
            own = level == branch.depth
            if own or not branch.last[level]:
                bottom = middle if own and branch.last[level] else box.bottom()
                painter.drawLine(QPointF(x, box.top()), QPointF(x, bottom))
            if own:
                painter.drawLine(QPointF(x, middle), QPointF(x + _INDENT - 8, middle))

    # --- what one does with it ------------------------------------------------------------------

    def text(self) -> str:
        self.rebuild_if_stale()
        store, key = self.store, self.key
        if store.snapshot is None or key is None or not self._rows:
            return self.empty_text
        name = store.snapshot.name_of(store.selected)
        return text_of(
            name, f"{key[1]} · {self._ticked()}", self._rows, self._board, known=self._known
        )

    def card(self, row: int, at: QPointF) -> Sequence[str]:
        branch, entry = self._branch(row), self._entry(row)
        if branch is not None:
            status = branch.status or ("not ticked" if self._known else "not read yet")
            if branch.kept:
                status = f"{branch.kept} in an earlier tick, not ticked in this one"
            if branch.seconds is not None:
                status += f" for {branch.seconds_text}"
            lines = [f"{branch.name} · {branch.kind}", status]
            if branch.reason:
                early = "ended early: " if branch.early else ""
                lines.append(f"{early}{branch.reason.removeprefix('▸ ')}")
            return lines
        if entry is not None:
            when = "by this tick" if entry.fresh else f"at {time_text(entry.time)}"
            was = f", it was {entry.before}" if entry.before else ""
            return [f"{entry.name} = {value_text(entry.value)}", f"written {when}{was}"]
        return [self._title(), self._ticked()] if not row else ()

    def clicked(self, row: int, at: QPointF, *, twice: bool) -> None:
        branch, entry = self._branch(row), self._entry(row)
        if entry is not None and twice:
            self._edit(row, entry)
        elif branch is not None:
            self.node = branch.node
            self._turn(row)
            self.rebuild()
        elif not row and len(self._keys) > 1 and self.key is not None:
            names = [name for _, name in self._keys]
            self.choose(names[(names.index(self.key[1]) + 1) % len(names)])

    def activated(self, row: int) -> None:
        entry = self._entry(row)
        if entry is not None:
            self.store.jump(entry.frame)
        else:
            self._turn(row)

    def _turn(self, row: int) -> None:
        branch = self._branch(row)
        if branch is not None and branch.folds:
            self._turned ^= {branch.node}
            self.rebuild()

    def menu_entries(self, row: int) -> Sequence[MenuEntry]:
        branch, entry, tick = self._branch(row), self._entry(row), self._tick
        actions: list[MenuEntry] = []
        if branch is not None and branch.folds:
            actions.append(("Open" if branch.folded else "Fold", lambda: self._turn(row)))
        if branch is not None:
            actions.append(("Previous change of its status", lambda: self.seek(branch.node, -1)))
            actions.append(("Next change of its status", lambda: self.seek(branch.node, 1)))
            actions += self.question_entries(branch.node)
            actions += self.node_menu(branch.node)
        if entry is not None:
            actions.append(("Go to where it was written", lambda: self.store.jump(entry.frame)))
            actions.append(("Edit in the paused game", lambda: self._edit(row, entry)))
        if tick is not None and tick.trace.file:
            file, line = tick.trace.file, tick.trace.line
            name = f"Open {source_location(file, line)}"
            actions.append((name, lambda: self.store.source_requested.emit(file, line)))
        others = [name for _, name in self._keys if self.key is not None and name != self.key[1]]
        actions += [(f"Show {name}", partial(self.choose, name)) for name in others]
        return actions

    def question_entries(self, node: int) -> list[MenuAction]:
        """Menu entries that ask about a node, and about the tick."""
        key, snapshot = self.key, self.store.snapshot
        if key is None or snapshot is None or node < 0:
            return []
        questions, nodes = DecisionController.of(self.store), snapshot.trees[key]
        paths = node_paths([one.name for one in nodes], [one.parent for one in nodes])
        entries = questions.why_not(*key, paths[node : node + 1])
        return [*entries, questions.again(*key, self.store.frame)]

    def keyPressEvent(self, event: QKeyEvent | None) -> None:  # noqa: N802
        assert event is not None
        way = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        if way is not None and event.modifiers() == Qt.KeyboardModifier.AltModifier:
            self.seek_chosen(way)
        elif not self.hooks.takes_key(event):
            super().keyPressEvent(event)

    # --- hooks and edits ------------------------------------------------------------------------

    def location_of(self, node: int) -> NodeLocation | None:
        """Where hooks on a node are set; None if it is not there."""
        key, snapshot = self.shown_key, self.store.snapshot
        nodes = () if key is None or snapshot is None else snapshot.trees.get(key, ())
        if key is None or not 0 <= node < len(nodes):
            return None
        return NodeLocation(nodes[node].name, node, key[1])

    def node_menu(self, node: int) -> list[MenuEntry]:
        """What can be set on a node."""
        location = self.location_of(node)
        return [] if location is None else self.hooks.menu(self.store.selected, location)

    def is_hooked(self, node: int) -> bool:
        """Whether a hook that may act is on a node."""
        if not self.hooks.hooks:
            return False
        location = self.location_of(node)
        return location is not None and self.hooks.is_hooked(self.store.selected, location)

    def _acted(self, hit: HookHit) -> None:
        """A break on a node has paused the game: choose that node."""
        if isinstance(hit.location, NodeLocation) and self.store.snapshot is not None:
            for (agent, tree), nodes in self.store.snapshot.trees.items():
                names = [node.name for node in nodes]
                if agent == hit.object and hit.location.name in names:
                    self.choose(tree)
                    self.node = names.index(hit.location.name)
                    self.rebuild()
                    listed = [row.node for row in self._rows]
                    if self.node in listed:
                        self.show_row(1 + listed.index(self.node))
                    return

    def _edited(self, entry: BlackboardEntry) -> str:
        """What an entry was edited to, and is from the next step on."""
        edit = self.hooks.edited(0, entry.name)
        return "" if edit is None else value_text(edit.after)

    def _edit(self, row: int, entry: BlackboardEntry) -> None:
        box = self.box_of(row)
        half = QRectF(box.center().x(), box.top(), box.width() / 2, box.height())
        edit = partial(self.hooks.edit_key, entry.name)
        self._editor.begin(
            half, entry.name, value_text(entry.value), lambda text: edit(value_typed(text))
        )

    def seek_chosen(self, direction: int) -> None:
        """Go to where the node that was clicked, or that keys act on, changes its status."""
        branch = self._branch(self.cursor_row)
        node = branch.node if branch is not None else self.node
        if node < 0:
            self.store.message.emit("Click a node first: its changes are what this goes to")
        else:
            self.seek(node, direction)

    def seek(self, node: int, direction: int) -> None:
        """Go to where a node's status changes, or changed before."""
        key = self.key
        found = None if key is None else status_change(
            self.store.history.ticks.get(key, ()), node, self.store.frame, direction
        )  # fmt: skip
        if found is None:
            self.store.message.emit(
                f"Its status does not change any more in that direction{self.store.so_far}"
            )
        else:
            self.store.jump(found)
