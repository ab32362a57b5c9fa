"""The search popup: a line to type into, and below it the matches, best first."""

from collections.abc import Callable, Sequence

from ..search.expression_entries import NOTHING, TypedExpression
from ..search.fuzzy_search import SearchItem, SearchMatch, rank
from ..toolkit import palette
from ..toolkit.qt import (
    QEvent,
    QKeyEvent,
    QLabel,
    QLineEdit,
    QMouseEvent,
    QObject,
    QPainter,
    QPaintEvent,
    QPointF,
    QRectF,
    Qt,
    QVBoxLayout,
    QWidget,
)
from ..toolkit.text_painting import elided
from ..toolkit.theme import color, font, pen, restyle
from .lists.virtual_list import VirtualList

_COLORS_AND_SIGNS = {
    "time": (palette.PLAYHEAD, "◆"), "find": (palette.HIT, "⌕"), "complete": (palette.DIM, "+"),
    "command": (palette.ACCENT, ">"), "object": (palette.OK, "●"), "problem": (palette.FAILED, "▲"),
    "mark": (palette.RUNNING, "⚑"), "field": (palette.HIT, "∿"), "state": (palette.HIT, "◉"),
    "event": (palette.HIT, "◆"), "panel": (palette.DIM, "▭"), "layout": (palette.DIM, "▦"),
    "category": (palette.DIM, "■"), "log": (palette.DIM, "≡"),
}  # fmt: skip
_ROW = 28
_WIDTH, _HEIGHT = 680, 460


class SearchResults(VirtualList):
    """The list of matches; Enter runs the chosen one."""

    def __init__(self) -> None:
        super().__init__("Results")
        self.matches: list[SearchMatch] = []
        self.chosen = 0
        self.on_click: Callable[[], object] = lambda: None

    def heights(self) -> Sequence[int]:
        return [_ROW] * len(self.matches)

    def paint_row(self, painter: QPainter, row: int, box: QRectF) -> None:
        match = self.matches[row]
        choice = match.choice
        name, sign = _COLORS_AND_SIGNS.get(choice.kind, (palette.DIM, "·"))
        if row == self.chosen:
            painter.fillRect(box, color(palette.CHOSEN))
        elif row == self.hover:
            painter.fillRect(box, color(palette.HOVER))
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(font(12, bold=True))
        painter.setPen(pen(name))
        painter.drawText(QRectF(14, box.top(), 18, _ROW), Qt.AlignmentFlag.AlignCenter, sign)
        right = box.right() - 14
        if choice.keys:
            right = self._paint_shortcut(painter, choice.keys, right, box)
        painter.setFont(font(11))
        painter.setPen(pen(palette.DIM))
        note = elided(painter, choice.note, box.width() * 0.42)
        note_width = painter.fontMetrics().horizontalAdvance(note) + 12.0 if note else 0.0
        painter.drawText(
            QRectF(box.left(), box.top(), right - box.left(), _ROW),
            middle | Qt.AlignmentFlag.AlignRight, note,
        )  # fmt: skip
        self._paint_title(painter, match, QRectF(42, box.top(), right - note_width - 42, _ROW))

    def _paint_shortcut(self, painter: QPainter, keys: str, right: float, box: QRectF) -> float:
        """Paint a command's keys; returns the right edge of what is left of the row."""
        painter.setFont(font(11, mono=True))
        width = painter.fontMetrics().horizontalAdvance(keys) + 12.0
        cap = QRectF(right - width, box.top() + 5, width, _ROW - 10)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(pen(palette.OUTLINE))
        painter.setBrush(color(palette.RAISED))
        painter.drawRoundedRect(cap, 3, 3)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        painter.setPen(pen(palette.TEXT))
        painter.drawText(cap, Qt.AlignmentFlag.AlignCenter, keys)
        return right - width - 10

    def _paint_title(self, painter: QPainter, match: SearchMatch, box: QRectF) -> None:
        """Paint the title, with the letters that match what was typed in bold."""
        plain, bold = font(13), font(13, bold=True)
        painter.setFont(bold)
        title = elided(painter, match.choice.title, box.width())
        x, start = box.left(), 0
        while start < len(title):
            is_match, end = start in match.positions, start
            while end < len(title) and (end in match.positions) is is_match:
                end += 1
            painter.setFont(bold if is_match else plain)
            painter.setPen(pen(palette.SELECTED if is_match else palette.TEXT))
            width = painter.fontMetrics().horizontalAdvance(title[start:end])
            painter.drawText(
                QRectF(x, box.top(), width + 2.0, box.height()), Qt.AlignmentFlag.AlignVCenter,
                title[start:end],
            )  # fmt: skip
            x, start = x + width, end

    def clicked(self, row: int, at: QPointF, *, twice: bool) -> None:
        self.chosen = row
        self.on_click()

    def choose(self, row: int) -> None:
        """Choose a row; after the last one comes the first."""
        if self.matches:
            self.chosen = row % len(self.matches)
            self.show_row(self.chosen)


class SearchField(QLineEdit):
    """The line that is typed into; it underlines a mistake."""

    def __init__(self) -> None:
        super().__init__()
        self.error_column = 0
        """The letter that is wrong, from 1; after the text for an end that is missing; 0 for
        none."""

    def paintEvent(self, event: QPaintEvent | None) -> None:  # noqa: N802
        super().paintEvent(event)
        if not self.error_column:
            return
        text, metrics = self.text(), self.fontMetrics()
        at = min(self.error_column - 1, len(text))

        def width(letters: int) -> int:
            return metrics.horizontalAdvance(text[:letters])

        # The cursor shows how far a long text is scrolled.
        cursor = self.cursorRect()
        left = cursor.center().x() + width(at) - width(self.cursorPosition())
        wide = max(7, width(at + 1) - width(at))
        painter = QPainter(self)
        painter.setPen(pen(palette.FAILED, 2.0))
        foot = cursor.bottom() + 1
        painter.drawLine(QPointF(left, foot), QPointF(left + wide, foot))
        painter.end()


class SearchPopup(QWidget):
    """Lies over the window until something is chosen, or Esc is pressed.

    Args:
        choices: Returns everything that can be found; called whenever the popup opens.
        direct: Returns items for a text that needs no search, such as a time to go to; called at
            each letter that is typed.
        expression: Makes of a text, with the cursor at a letter, an expression to be searched for.
    """

    def __init__(
        self, parent: QWidget, choices: Callable[[], list[SearchItem]],
        direct: Callable[[str], list[SearchItem]],
        expression: Callable[[str, int], TypedExpression] = lambda text, cursor: NOTHING,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self._choices = choices
        self._direct = direct
        self._expression = expression
        self._error_text = ""
        self._all: list[SearchItem] = []
        self.box = QWidget(self)
        self.box.setObjectName("finder")
        self.box.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.line = SearchField()
        self.line.setAccessibleName("Find")
        self.line.setPlaceholderText(
            "Commands, objects, marks, fields, states …   hp < 50   #480   1:02.5   > @ !"
        )
        self.line.setFont(font(15))
        restyle(self.line, "font-size: 15px; padding: 9px 12px;")
        self.results = SearchResults()
        self.foot = QLabel()
        self.foot.setWordWrap(True)
        layout = QVBoxLayout(self.box)
        layout.setContentsMargins(8, 8, 8, 6)
        layout.setSpacing(6)
        layout.addWidget(self.line)
        layout.addWidget(self.results, 1)
        layout.addWidget(self.foot)
        self.line.textChanged.connect(self._search)
        self.line.installEventFilter(self)
        self.results.on_click = self._run_chosen
        self._focus_before: QWidget | None = None
        parent.installEventFilter(self)
        self.hide()

    # --- opening and closing --------------------------------------------------------------------

    def open(self, text: str = "") -> None:
        """Open the popup, with a text already typed."""
        window = self.window()
        self._focus_before = None if window is None else window.focusWidget()
        self._move_and_resize()
        self._all = self._choices()
        self.line.setText(text)
        self._search(text)
        self.show()
        self.raise_()
        self.line.setFocus()

    def dismiss(self) -> None:
        """Close the popup; the keyboard focus returns to where it was."""
        self.hide()
        self.line.clearFocus()
        if self._focus_before is not None and self._focus_before.isVisible():
            self._focus_before.setFocus()

    def _move_and_resize(self) -> None:
        parent = self.parentWidget()
        assert parent is not None
        self.setGeometry(parent.rect())
        width, height = min(_WIDTH, self.width() - 40), min(_HEIGHT, self.height() - 80)
        self.box.setGeometry((self.width() - width) // 2, 56, width, height)

    # --- choosing -------------------------------------------------------------------------------

    def _search(self, text: str) -> None:
        typed = self._expression(text, self.line.cursorPosition())
        self._error_text, self.line.error_column = typed.error_text, typed.error_column
        direct = [
            SearchMatch(choice, 0.0, frozenset()) for choice in (*self._direct(text), *typed.items)
        ]
        self.results.matches = direct + rank(text, self._all)
        self.results.empty_text = "Nothing fits"
        self.results.chosen = self.results.offset = 0
        self._update_foot()
        self.results.update()

    def _update_foot(self) -> None:
        chosen = self.chosen
        does = f"↵  {chosen.does}" if chosen is not None else "Esc goes back"
        text = f"{does}      ↑ ↓ choose      Esc close" if chosen else does
        if chosen is not None and self._completion is not None:
            text = f"{text}      Tab completes"
        # A mistake is shown until something that was typed makes sense.
        says_error = bool(self._error_text) and (chosen is None or chosen.becomes is not None)
        self.foot.setText(self._error_text if says_error else text)
        name = palette.FAILED if says_error else palette.DIM
        restyle(self.foot, f"color: {name}; padding: 2px 6px;")

    @property
    def _completion(self) -> SearchItem | None:
        """What Tab puts in: the chosen completion, else the first."""
        items = [match.choice for match in self.results.matches]
        chosen = self.chosen
        if chosen is not None and chosen.becomes is not None:
            return chosen
        return next((item for item in items if item.becomes is not None), None)

    def _complete(self, item: SearchItem) -> None:
        assert item.becomes is not None
        text, cursor = item.becomes
        self.line.setText(text)
        self.line.setCursorPosition(cursor)
        self._search(text)

    @property
    def chosen(self) -> SearchItem | None:
        """What Enter would run."""
        matches = self.results.matches
        return matches[self.results.chosen].choice if matches else None

    def _run_chosen(self) -> None:
        chosen = self.chosen
        if chosen is not None and chosen.becomes is not None:
            self._complete(chosen)
        elif chosen is not None:
            # The command may open a popup itself: close this one first.
            self.dismiss()
            chosen.run()

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:  # noqa: N802
        if event is None:
            return False
        # The event's kind first: while a closed window is destroyed it still sends events, and
        # `self` may have lost its attributes by then.
        if isinstance(event, QKeyEvent) and watched is self.line:
            return event.type() == QEvent.Type.KeyPress and self._press(event)
        if event.type() == QEvent.Type.Resize and self.isVisible() and watched is self.parent():
            self._move_and_resize()
        return False

    def _press(self, event: QKeyEvent) -> bool:
        results, page = self.results, max(1, self.results.height() // _ROW - 1)
        steps = {
            Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_Tab: 1, Qt.Key.Key_Backtab: -1,
            Qt.Key.Key_PageDown: page, Qt.Key.Key_PageUp: -page,
        }  # fmt: skip
        key = event.key()
        completion = self._completion if key == Qt.Key.Key_Tab else None
        if completion is not None:
            self._complete(completion)
        elif key in steps:
            step = steps[Qt.Key(key)]
            last = len(results.matches) - 1
            row = results.chosen + step
            # Single steps wrap around at the ends, pages stop there.
            results.choose(min(max(row, 0), max(last, 0)) if abs(step) > 1 else row)
            self._update_foot()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._run_chosen()
        elif key == Qt.Key.Key_Escape:
            self.dismiss()
        else:
            return False
        return True

    def mousePressEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        if not self.box.geometry().contains(event.position().toPoint()):
            self.dismiss()

    def paintEvent(self, event: QPaintEvent | None) -> None:  # noqa: N802
        painter = QPainter(self)
        painter.fillRect(self.rect(), color(palette.GROUND, 130))
        painter.end()
