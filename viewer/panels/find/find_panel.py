"""The find panel: the expression that is searched for, and its hits; a click goes to one."""

from collections.abc import Callable, Sequence
from typing import overload

from ...state.expression_hits import ExpressionHits, values_of
from ...state.viewer_store import ViewerStore
from ...toolkit import palette
from ...toolkit.menu_entries import MenuEntry
from ...toolkit.qt import QPointF, pyqtSignal
from ...widgets.lists.jump_list import JumpList, JumpRow

_EMPTY = "Find in time: where does something hold?"
_HINT = "Ctrl+P   hp < 50   ·   F3 next hit"


class HitRows(Sequence[JumpRow]):
    """The expression and its hits as rows, each made when it is looked at."""

    def __init__(self, hits: ExpressionHits) -> None:
        self._hits = hits

    def __len__(self) -> int:
        return 1 + (1 if self._hits.error is not None else len(self._hits.hits))

    @overload
    def __getitem__(self, row: int) -> JumpRow: ...
    @overload
    def __getitem__(self, row: slice) -> Sequence[JumpRow]: ...
    def __getitem__(self, row: int | slice) -> JumpRow | Sequence[JumpRow]:
        if isinstance(row, slice):
            return [self[at] for at in range(*row.indices(len(self)))]
        hits = self._hits
        row = range(len(self))[row]
        if row == 0:
            return JumpRow(hits.text, note=hits.summary, sign="⌕", color=palette.HIT)
        if hits.error is not None:
            return JumpRow(str(hits.error), sign="✕", color=palette.FAILED)
        hit = hits.hits[row - 1]
        name = hits.store.name_of(hit.object)
        return JumpRow(name, hit.frame, hit.time, hit.object, values_of(hit))


class FindPanel(JumpList):
    """Below the expression, which a click changes, all hits."""

    wants_expression = pyqtSignal(str)
    """The user wants to type an expression, beginning with this one."""
    empty_text = _EMPTY
    empty_hint = _HINT

    def __init__(self, store: ViewerStore) -> None:
        super().__init__("Find", store)
        self.hits = ExpressionHits.of(store)
        self._built: tuple[object, ...] = ()
        self._current = -1
        self.hits.changed.connect(self._invalidate)

    def filter(self) -> None:
        """Type the expression."""
        self.wants_expression.emit(self.hits.text)

    def build_rows(self) -> bool:
        hits = self.hits
        built = (hits.text, hits.version, hits.summary, hits.error, self.store.names_version)
        if built != self._built:
            self._built = built
            self._rows = HitRows(hits) if hits.text else []
        current = hits.current
        if current != self._current:
            self._current = current
            # Who reads elsewhere is not pulled away.
            if current >= 0 and self.hover < 0:
                self.show_row(current + 1, middle=False)
        return True

    def is_here(self, row: int) -> bool:
        return row > 0 and row - 1 == self.hits.current

    def jump(self, row: int) -> None:
        if row == 0:
            self.filter()
        elif self._rows[row].frame:
            self.hits.go(row - 1)

    def clicked(self, row: int, at: QPointF, *, twice: bool) -> None:
        if not twice:
            self.jump(row)

    def menu_entries(self, row: int) -> Sequence[MenuEntry]:
        change: Callable[[], object] = self.filter
        own: list[MenuEntry] = [("Type an expression …", change)]
        if self.hits.text:
            own.append(("End this search", self.hits.clear))
        return (*super().menu_entries(row), *own) if row > 0 else own

    def card(self, row: int, at: QPointF) -> Sequence[str]:
        if row == 0:
            return (self.hits.text, self.hits.summary, "Click changes the expression · F3 next hit")
        return super().card(row, at)
