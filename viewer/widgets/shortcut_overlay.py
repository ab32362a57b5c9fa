"""The overlay of all shortcuts: a click on a row and a key press change that shortcut."""

import math
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from ...errors import CommandError
from ..input.action_table import ACTIONS, GROUPS, Action
from ..input.key_bindings import KeyBindings
from ..input.key_names import name_of
from ..toolkit import palette
from ..toolkit.numpy_painting import elided
from ..toolkit.qt import (
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPointF,
    QRectF,
    Qt,
    QWidget,
)
from ..toolkit.theme import color, font, pen

_ROW, _HEAD, _FOOT, _GAP = 20, 26, 44, 8
_COLUMNS = 3
_SIDE, _BETWEEN = 20, 16
_MANY = {
    "switch_": ("1 … 6", "switch a kind of drawing on or off"),
    "level_": ("Alt+1 … 6", "show or hide a level of the log"),
}
"""Keys in a row that do alike are one row, as long as nobody gave them others."""
_PLAYED = "While the game is live"


class _Place(NamedTuple):
    box: QRectF
    title: str
    action: Action | None
    key: float = 0.0
    """Pixels that its key has."""


class ShortcutOverlay(QWidget):
    """Esc or a click beside it makes it go away.

    Args:
        bindings: Asked for the keys as they are now.
        bind: Gives an action another key, None for its default; raises CommandError if it can't.
        played: The keys of the game that is played here, and what they do; they can't be changed.
    """

    def __init__(
        self, parent: QWidget, bindings: Callable[[], KeyBindings],
        bind: Callable[[str, str | None], object],
        played: Callable[[], list[tuple[str, str]]] = list,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self._bindings = bindings
        self._bind = bind
        self._played = played
        self.asking: Action | None = None
        """Whose new key is waited for."""
        self.message = ""
        """What came of the last change."""
        self.chosen = 0
        """The row that ↑ and ↓ move and Enter changes, of those that can be changed."""
        self._hover = QPointF(-1, -1)
        self.setMouseTracking(True)
        self.setAccessibleName("Keys")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.hide()

    def toggle(self) -> None:
        """Show it over the whole window, or hide it."""
        if self.isVisible():
            self.hide()
            return
        parent = self.parentWidget()
        assert parent is not None
        self.asking, self.message = None, ""
        self.setGeometry(parent.rect())
        self.show()
        self.raise_()

    # --- where everything is --------------------------------------------------------------------

    @property
    def _box(self) -> QRectF:
        width = min(sum(map(sum, self._widths())) + 2 * _SIDE, self.width() - 16)
        height = min(max(self._heights()) + _HEAD + _FOOT + 40, self.height() - 16)
        return QRectF((self.width() - width) / 2, (self.height() - height) / 2, width, height)

    def _columns(self) -> list[list[tuple[str, list[Action]]]]:
        """The groups, in columns that are about as high as each other."""
        groups = [
            (group, [one for one in ACTIONS if one.group == group and not _is_one_of_many(one)])
            for group in GROUPS
        ]
        played = self._played()
        if played:
            rows = [Action(f"played {key}", (key,), help, _PLAYED, "", fixed=True)
                    for key, help in played]  # fmt: skip
            groups.append((_PLAYED, rows))
        whole = sum(self._height(rows) for _, rows in groups)
        columns: list[list[tuple[str, list[Action]]]] = [[]]
        filled = 0
        for name, rows in groups:
            height = self._height(rows)
            fair = whole * len(columns) / _COLUMNS
            if filled + height / 2 > fair and columns[-1] and len(columns) < _COLUMNS:
                columns.append([])
            columns[-1].append((name, rows))
            filled += height
        return columns

    @staticmethod
    def _height(rows: list[Action]) -> int:
        return _HEAD + _ROW * len(rows) + _GAP

    def _heights(self) -> list[int]:
        return [sum(self._height(rows) for _, rows in column) for column in self._columns()]

    def _widths(self) -> list[tuple[float, float]]:
        """Of each column: how wide its longest key is, and its longest words."""
        made = []
        for column in self._columns():
            rows = [action for _, actions in column for action in actions]
            key = max(_wide(self._row_text(one)[0], is_key=True) for one in rows)
            word = max(_wide(self._row_text(one)[1]) for one in rows)
            made.append((math.ceil(key) + 18.0, math.ceil(word) + 8.0 + _BETWEEN))
        return made

    def _row_text(self, action: Action) -> tuple[str, str]:
        """An action's key and what it does, as they are shown."""
        keys = action.keys if action.group == _PLAYED else self._bindings().keys_of(action)
        many = _MANY.get(_kind(action))
        if many is not None:
            return (many[0] if keys == action.keys else _keys_text(keys)), many[1]
        return _keys_text(keys), action.help

    def _places(self) -> list[_Place]:
        """Every heading and row, with its box."""
        box, made = self._box, []
        widths = self._widths()
        # Where there is no room for all words, they are cut in each column alike.
        spare = box.width() - 2 * _SIDE - sum(map(sum, widths))
        left = box.left() + _SIDE
        # In a low window rows are lower rather than cut off.
        scale = min(1.0, (box.height() - _HEAD - _FOOT - 40) / max(self._heights()))
        for at, column in enumerate(self._columns()):
            wide, top = sum(widths[at]) + spare / len(widths), box.top() + 50.0
            for name, rows in column:
                made.append(_Place(QRectF(left, top, wide - _BETWEEN, _HEAD * scale), name, None))
                top += _HEAD * scale
                for action in rows:
                    row = QRectF(left, top, wide - _BETWEEN, _ROW * scale)
                    made.append(_Place(row, "", action, widths[at][0]))
                    top += _ROW * scale
                top += _GAP * scale
            left += wide
        return made

    def box_of(self, id: str) -> QRectF:
        """Where the row of an action is."""
        return next(
            place.box for place in self._places()
            if place.action is not None and place.action.id == id
        )  # fmt: skip

    # --- the picture ----------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent | None) -> None:  # noqa: N802
        painter = QPainter(self)
        painter.fillRect(self.rect(), color(palette.GROUND, 200))
        box = self._box
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(pen(palette.EDGE))
        painter.setBrush(color(palette.PANEL))
        painter.drawRoundedRect(box, 8, 8)
        painter.setPen(pen(palette.TEXT))
        painter.setFont(font(15, bold=True))
        painter.drawText(box.adjusted(20, 14, 0, 0), "Keys")
        middle = Qt.AlignmentFlag.AlignVCenter
        for place in self._places():
            if place.action is None:
                painter.setFont(font(11, bold=True))
                painter.setPen(pen(palette.DIM))
                painter.drawText(place.box, middle, place.title)
            else:
                self._paint_row(painter, place.box, place.action, place.key)
        self._paint_foot(painter, QRectF(box.left() + 20, box.bottom() - _FOOT, box.width() - 40,
                                         _FOOT))  # fmt: skip
        painter.end()

    def _paint_row(self, painter: QPainter, box: QRectF, action: Action, wide: float) -> None:
        asked = self.asking is not None and self.asking.id == action.id
        chosen = self._changeable()[self.chosen].id == action.id
        if chosen:
            painter.setPen(pen(palette.ACCENT))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
        if asked or (box.contains(self._hover) and not action.fixed):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color(palette.CHOSEN if asked else palette.NEWEST))
            painter.drawRoundedRect(box, 3, 3)
        keys = action.keys if action.group == _PLAYED else self._bindings().keys_of(action)
        own = keys != action.keys
        name = palette.RUNNING if asked or own else palette.ACCENT
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(font(11, bold=True, mono=True))
        painter.setPen(pen(name if keys or asked else palette.FAINT))
        told, help = self._row_text(action)
        text = "press a key" if asked else told
        painter.drawText(box.adjusted(6, 0, 0, 0), middle, text)
        painter.setFont(font(12))
        painter.setPen(pen(palette.TEXT if asked else palette.DIM))
        words = box.adjusted(wide, 0, -4, 0)
        painter.drawText(words, middle, elided(painter, help, words.width()))

    def _paint_foot(self, painter: QPainter, box: QRectF) -> None:
        text, name = (
            "Enter or a click gives a row another key   ·   ↑ ↓ choose   ·   Esc",
            palette.DIM,
        )
        if self.asking is not None:
            text = f"Press the key for “{self.asking.help}”   ·   Backspace: its default   ·   Esc"
            name = palette.RUNNING
        elif self.message:
            text, name = self.message, palette.RUNNING
        painter.setFont(font(12))
        painter.setPen(pen(name))
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextWordWrap
        painter.drawText(box, flags, text)

    # --- changing a key -------------------------------------------------------------------------

    def press(self, event: QKeyEvent) -> bool:
        """Take a key that is asked for, or that chooses a row; False if it is neither."""
        asked, key = self.asking, name_of(event)
        if asked is None:
            return self._choose(key)
        if not key:
            return True  # a modifier alone: the key that it is held for follows
        self.asking = None
        if key != "Escape":
            try:
                self._bind(asked.id, None if key == "Backspace" else key)
                self.message = f"{asked.help}: {self._bindings().key_of(asked.id) or 'no key'}"
            except CommandError as error:
                self.message = str(error)
        self.update()
        return True

    def _choose(self, key: str) -> bool:
        rows = self._changeable()
        if key in ("Down", "Up"):
            self.chosen = (self.chosen + (1 if key == "Down" else -1)) % len(rows)
        elif key == "Enter":
            self.asking, self.message = rows[self.chosen], ""
        else:
            return False
        self.update()
        return True

    def _changeable(self) -> list[Action]:
        """The rows that can have another key, as they are read."""
        return [
            place.action for place in self._places()
            if place.action is not None and not place.action.fixed
        ]  # fmt: skip

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        self._hover = event.position()
        self.update()

    def mousePressEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        here = event.position()
        if not self._box.contains(here):
            self.hide()
            return
        for place in self._places():
            if place.action is not None and place.box.contains(here) and not place.action.fixed:
                self.asking, self.message = place.action, ""
        self.update()


def _is_one_of_many(action: Action) -> bool:
    return _kind(action) in _MANY and not action.id.endswith("_1")


@lru_cache(maxsize=1024)
def _wide(text: str, *, is_key: bool = False) -> float:
    """How many pixels a text takes."""
    face = font(11, bold=True, mono=True) if is_key else font(12)
    return QFontMetricsF(face).horizontalAdvance(text)


def _kind(action: Action) -> str:
    """What the names of several actions that do alike begin with."""
    return f"{action.id.rpartition('_')[0]}_"


def _keys_text(keys: tuple[str, ...]) -> str:
    arrows = {"Left": "←", "Right": "→", "Escape": "Esc"}
    told = keys[0] if keys else "—"
    *held, key = told.split("+") if told != "+" else ["+"]
    return "+".join([*held, arrows.get(key, key)])
