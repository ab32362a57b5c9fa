"""The marks panel: all named instants, filtered by words; a click goes to one."""

from collections.abc import Sequence

from ....recorder.packets.mark import Mark
from ...backends.annotation_store import BY_HAND, ChangeMark
from ...state.shared_pins_and_histories import PanelContext
from ...state.viewer_store import ViewerStore
from ...toolkit import palette
from ...toolkit.menu_entries import MenuEntry
from ...toolkit.qt import QPointF, QVBoxLayout, QWidget
from ...toolkit.source_location_text import source_location
from ...toolkit.text_painting import one_line
from ...widgets.lists.filter_edit import filter_edit
from ...widgets.lists.jump_list import JumpList, JumpRow

_BLUNDERS = ("check", "loss")
_KINDS = {"mark": "", BY_HAND: "by hand"}
"""What kinds are called that do not call themselves."""


class MarksList(JumpList):
    """The marks, oldest first."""

    empty_text = "No marks"
    empty_hint = 'M sets one here  ·  session.mark("boss")'

    def __init__(self, store: ViewerStore) -> None:
        super().__init__("Marks", store)
        self.words = ""
        self._marks: list[Mark] = []
        self._built: tuple[object, ...] = ()

    def build_rows(self) -> bool:
        store = self.store
        built = id(store.history), store.history.marks, self.words, store.names_version
        if built != self._built:
            self._built = built
            words = self.words.casefold().split()
            self._marks = [mark for mark in store.history.marks if self._fits(mark, words)]
            self._rows = [self._row(mark) for mark in self._marks]
            self.empty_text = "Nothing matches" if words else MarksList.empty_text
        return True

    def _fits(self, mark: Mark, words: Sequence[str]) -> bool:
        if not words:
            return True
        who = self.store.name_of(mark.object) if mark.object else ""
        text = " ".join((mark.name, mark.note, mark.kind, who)).casefold()
        return all(word in text for word in words)

    def _row(self, mark: Mark) -> JumpRow:
        is_blunder = mark.kind in _BLUNDERS
        parts = [
            one_line(mark.note), self.store.name_of(mark.object) if mark.object else "",
            _KINDS.get(mark.kind, mark.kind),
        ]  # fmt: skip
        return JumpRow(
            one_line(mark.name), mark.frame, mark.time, mark.object,
            "  ·  ".join(part for part in parts if part),
            "▲" if is_blunder else "⚑", palette.FAILED if is_blunder else palette.ACCENT,
        )  # fmt: skip

    def menu_entries(self, row: int) -> Sequence[MenuEntry]:
        offered = list(super().menu_entries(row))
        if not offered:
            return ()
        mark, context = self._marks[row], PanelContext.of(self.store)
        if mark.file:
            offered.append((
                f"Open {source_location(mark.file, mark.line)}",
                lambda: self.store.source_requested.emit(mark.file, mark.line),
            ))  # fmt: skip
        if mark.kind == BY_HAND:
            offered += [
                ("Rename this mark …", lambda: context.renaming.emit(mark)),
                ("Remove this mark", lambda: context.annotate(ChangeMark(mark))),
            ]
        return offered

    def card(self, row: int, at: QPointF) -> Sequence[str]:
        mark = self._marks[row]
        lines = list(super().card(row, at))
        if mark.expression:
            lines.append(mark.expression)
        if mark.file:
            lines.append(source_location(mark.file, mark.line))
        return lines


class MarksPanel(QWidget):
    """The list of marks below its filter."""

    def __init__(self, store: ViewerStore) -> None:
        super().__init__()
        self.list = MarksList(store)
        self.filter = filter_edit(
            "Filter", "Filter the marks", self._filtered, self.list.setFocus, in_tab_order=True
        )
        self.setFocusProxy(self.list)
        inside = QVBoxLayout(self)
        inside.setContentsMargins(6, 6, 6, 2)
        inside.setSpacing(6)
        inside.addWidget(self.filter)
        inside.addWidget(self.list, 1)

    def _filtered(self, text: str) -> None:
        self.list.words = text
        self.list.rebuild()
