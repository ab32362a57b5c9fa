"""The overlay that lists all keyboard shortcuts, and in which they are changed."""

import math
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from ...errors import CommandError
from ..input.action_table import ACTIONS, GROUPS, KeyAction
from ..input.key_bindings import KeyBindings
from ..input.key_event_names import name_of
from ..toolkit import palette
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
from ..toolkit.text_painting import elided
from ..toolkit.theme import color, font, pen

_ROW_HEIGHT, _HEADING_HEIGHT, _FOOT_HEIGHT, _GROUP_GAP = 20, 26, 44, 8
_COLUMNS = 3
_MARGIN, _COLUMN_GAP = 20, 16
_ACTION_SERIES = {
    "switch_": ("1 … 6", "switch a kind of drawing on or off"),
    "level_": ("Alt+1 … 6", "show or hide a level of the log"),
}
"""Numbered actions that share one row, with its keys and help; keyed by the start of their ids."""
_GAME_GROUP = "While the game is live"


class _OverlayRow(NamedTuple):
    """A heading or an action, laid out."""

    box: QRectF
    title: str
    """The heading's text; empty for an action."""
    action: KeyAction | None
    key_width: float = 0.0
    """Pixels of the column with the keys."""


class ShortcutOverlay(QWidget):
    """All shortcuts by groups, over the window. Esc or a click beside it closes it.

    A click or Enter on a row, then a key: the action has that key from then on.

    Args:
        bindings: Returns the present key bindings.
        bind: Gives an action another key, None for its default; raises CommandError if it can't.
        game_keys: Returns the keys of the game that is played in this window, and what they do;
            they can't be changed.
    """

    def __init__(
        self, parent: QWidget, bindings: Callable[[], KeyBindings],
        bind: Callable[[str, str | None], object],
        game_keys: Callable[[], list[tuple[str, str]]] = list,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self._bindings = bindings
        self._bind = bind
        self._game_keys = game_keys
        self.pending_action: KeyAction | None = None
        """The action that gets the next key that is pressed; None for none."""
        self.message = ""
        """The outcome of the last change."""
        self.cursor_row = 0
        """The row that Enter changes, counted among those that can be changed."""
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
        self.pending_action, self.message = None, ""
        self.setGeometry(parent.rect())
        self.show()
        self.raise_()

    # --- layout ---------------------------------------------------------------------------------

    @property
    def _box(self) -> QRectF:
        width = min(sum(map(sum, self._column_widths())) + 2 * _MARGIN, self.width() - 16)
        height = max(self._column_heights()) + _HEADING_HEIGHT + _FOOT_HEIGHT + 40
        height = min(height, self.height() - 16)
        return QRectF((self.width() - width) / 2, (self.height() - height) / 2, width, height)

    def _columns(self) -> list[list[tuple[str, list[KeyAction]]]]:
        """The groups with their actions, in columns of about the same height."""
        groups = [
            (
                group,
                [
                    action for action in ACTIONS
                    if action.group == group and not _shares_another_row(action)
                ],
            )
            for group in GROUPS
        ]  # fmt: skip
        game_keys = self._game_keys()
        if game_keys:
            game_actions = [
                KeyAction(f"game {key}", (key,), help, _GAME_GROUP, "", fixed=True)
                for key, help in game_keys
            ]
            groups.append((_GAME_GROUP, game_actions))
        total_height = sum(self._group_height(actions) for _, actions in groups)
        columns: list[list[tuple[str, list[KeyAction]]]] = [[]]
        filled = 0
        for name, actions in groups:
            height = self._group_height(actions)
            column_end = total_height * len(columns) / _COLUMNS
            if filled + height / 2 > column_end and columns[-1] and len(columns) < _COLUMNS:
                columns.append([])
            columns[-1].append((name, actions))
            filled += height
        return columns

    @staticmethod
    def _group_height(actions: list[KeyAction]) -> int:
        return _HEADING_HEIGHT + _ROW_HEIGHT * len(actions) + _GROUP_GAP

    def _column_heights(self) -> list[int]:
        return [
            sum(self._group_height(actions) for _, actions in column) for column in self._columns()
        ]

    def _column_widths(self) -> list[tuple[float, float]]:
        """The pixels that each column needs for its longest key and for its longest help."""
        widths = []
        for column in self._columns():
            actions = [action for _, group in column for action in group]
            key = max(_text_width(self._row_text(one)[0], is_key=True) for one in actions)
            help = max(_text_width(self._row_text(one)[1]) for one in actions)
            widths.append((math.ceil(key) + 18.0, math.ceil(help) + 8.0 + _COLUMN_GAP))
        return widths

    def _row_text(self, action: KeyAction) -> tuple[str, str]:
        """The key and the help of an action, as they are shown."""
        keys = self._keys_of(action)
        series = _ACTION_SERIES.get(_id_prefix(action))
        if series is not None:
            return (series[0] if keys == action.keys else _keys_text(keys)), series[1]
        return _keys_text(keys), action.help

    def _keys_of(self, action: KeyAction) -> tuple[str, ...]:
        return action.keys if action.group == _GAME_GROUP else self._bindings().keys_of(action)

    def _rows(self) -> list[_OverlayRow]:
        """Every heading and action, with its box, from top to bottom and left to right."""
        box, rows = self._box, []
        widths = self._column_widths()
        # In a narrow window, where this is negative, each column loses the same width.
        spare = box.width() - 2 * _MARGIN - sum(map(sum, widths))
        left = box.left() + _MARGIN
        # In a low window all rows are lower, so that none is cut off.
        room = box.height() - _HEADING_HEIGHT - _FOOT_HEIGHT - 40
        scale = min(1.0, room / max(self._column_heights()))
        heading, height = _HEADING_HEIGHT * scale, _ROW_HEIGHT * scale
        for column, (key_width, help_width) in zip(self._columns(), widths, strict=True):
            column_width = key_width + help_width + spare / len(widths)
            width, top = column_width - _COLUMN_GAP, box.top() + 50.0
            for name, actions in column:
                rows.append(_OverlayRow(QRectF(left, top, width, heading), name, None))
                top += heading
                for action in actions:
                    row = QRectF(left, top, width, height)
                    rows.append(_OverlayRow(row, "", action, key_width))
                    top += height
                top += _GROUP_GAP * scale
            left += column_width
        return rows

    def box_of(self, id: str) -> QRectF:
        """The rectangle of an action's row."""
        return next(
            row.box for row in self._rows() if row.action is not None and row.action.id == id
        )

    # --- painting -------------------------------------------------------------------------------

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
        for row in self._rows():
            if row.action is None:
                painter.setFont(font(11, bold=True))
                painter.setPen(pen(palette.DIM))
                painter.drawText(row.box, middle, row.title)
            else:
                self._paint_action(painter, row.box, row.action, row.key_width)
        foot = QRectF(box.left() + 20, box.bottom() - _FOOT_HEIGHT, box.width() - 40, _FOOT_HEIGHT)
        self._paint_foot(painter, foot)
        painter.end()

    def _paint_action(
        self, painter: QPainter, box: QRectF, action: KeyAction, key_width: float
    ) -> None:  # fmt: skip
        is_pending = self.pending_action is not None and self.pending_action.id == action.id
        if self._changeable()[self.cursor_row].id == action.id:
            painter.setPen(pen(palette.ACCENT))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
        if is_pending or (box.contains(self._hover) and not action.fixed):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color(palette.CHOSEN if is_pending else palette.NEWEST))
            painter.drawRoundedRect(box, 3, 3)
        keys = self._keys_of(action)
        is_changed = keys != action.keys
        key_color = palette.RUNNING if is_pending or is_changed else palette.ACCENT
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(font(11, bold=True, mono=True))
        painter.setPen(pen(key_color if keys or is_pending else palette.FAINT))
        keys_text, help = self._row_text(action)
        painter.drawText(
            box.adjusted(6, 0, 0, 0), middle, "press a key" if is_pending else keys_text
        )
        painter.setFont(font(12))
        painter.setPen(pen(palette.TEXT if is_pending else palette.DIM))
        help_box = box.adjusted(key_width, 0, -4, 0)
        painter.drawText(help_box, middle, elided(painter, help, help_box.width()))

    def _paint_foot(self, painter: QPainter, box: QRectF) -> None:
        text, name = (
            "Enter or a click gives a row another key   ·   ↑ ↓ choose   ·   Esc",
            palette.DIM,
        )
        if self.pending_action is not None:
            help = self.pending_action.help
            text = f"Press the key for “{help}”   ·   Backspace: its default   ·   Esc"
            name = palette.RUNNING
        elif self.message:
            text, name = self.message, palette.RUNNING
        painter.setFont(font(12))
        painter.setPen(pen(name))
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextWordWrap
        painter.drawText(box, flags, text)

    # --- changing a key -------------------------------------------------------------------------

    def press(self, event: QKeyEvent) -> bool:
        """Handle a key press; False if the overlay has no use for the key.

        The key becomes the pending action's; without one, the arrows move the cursor and Enter
        makes its row the pending action.
        """
        action, key = self.pending_action, name_of(event)
        if action is None:
            return self._press_without_pending(key)
        if not key:
            return True  # a modifier alone: the key that it is pressed for follows
        self.pending_action = None
        if key != "Escape":
            try:
                self._bind(action.id, None if key == "Backspace" else key)
                self.message = f"{action.help}: {self._bindings().key_of(action.id) or 'no key'}"
            except CommandError as error:
                self.message = str(error)
        self.update()
        return True

    def _press_without_pending(self, key: str) -> bool:
        actions = self._changeable()
        if key in ("Down", "Up"):
            self.cursor_row = (self.cursor_row + (1 if key == "Down" else -1)) % len(actions)
        elif key == "Enter":
            self.pending_action, self.message = actions[self.cursor_row], ""
        else:
            return False
        self.update()
        return True

    def _changeable(self) -> list[KeyAction]:
        """The actions that can have another key, in the order of the rows."""
        return [
            row.action for row in self._rows() if row.action is not None and not row.action.fixed
        ]

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
        for row in self._rows():
            if row.action is not None and row.box.contains(here) and not row.action.fixed:
                self.pending_action, self.message = row.action, ""
        self.update()


def _shares_another_row(action: KeyAction) -> bool:
    return _id_prefix(action) in _ACTION_SERIES and not action.id.endswith("_1")


@lru_cache(maxsize=1024)
def _text_width(text: str, *, is_key: bool = False) -> float:
    """The width of a text, in pixels."""
    face = font(11, bold=True, mono=True) if is_key else font(12)
    return QFontMetricsF(face).horizontalAdvance(text)


def _id_prefix(action: KeyAction) -> str:
    """An action's id without its last word: the same for all actions of a series."""
    return f"{action.id.rpartition('_')[0]}_"


def _keys_text(keys: tuple[str, ...]) -> str:
    """The first of some keys, with signs for arrows; a dash for none."""
    signs = {"Left": "←", "Right": "→", "Escape": "Esc"}
    first = keys[0] if keys else "—"
    *modifiers, key = first.split("+") if first != "+" else ["+"]
    return "+".join([*modifiers, signs.get(key, key)])
