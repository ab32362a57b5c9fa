"""Routes the keys of a window: to the game, to the widget in focus, or to an action."""

from ...playback.playback_state import Mode
from ..input.action_table import BY_ID, KeyAction
from ..input.game_input_interface import GameInput
from ..input.key_bindings import KeyBindings
from ..input.key_event_names import name_of
from ..state.settings import ViewerSettings
from ..toolkit.qt import (
    QApplication,
    QDockWidget,
    QEvent,
    QKeyEvent,
    QLineEdit,
    QObject,
    QPlainTextEdit,
    QToolButton,
    QWidget,
)
from ..widgets.value_editor import ValueEditor
from .action_handlers import ActionHandlers
from .main_window_base import ViewerWindow

_WHILE_TYPING = frozenset((
    "find", "filter", "open", "connect", "save", "next_panel", "previous_panel", "layouts",
    "time_format", "full_screen", "type_time",
))  # fmt: skip
"""What their keys do also while a text is typed."""


class KeyboardRouter(QObject):
    """Keys work wherever the mouse is, but not while a text is typed.

    While the game is live and is played here, keys go to the game first.
    """

    def __init__(
        self, window: ViewerWindow, action_handlers: ActionHandlers, settings: ViewerSettings
    ) -> None:
        super().__init__(window)
        self._window = window
        self._action_handlers = action_handlers
        self._settings = settings
        self.bindings = KeyBindings(settings.keys)
        self.player: GameInput | None = None
        app = QApplication.instance()
        assert app is not None
        app.installEventFilter(self)

    def close(self) -> None:
        """Receive no more keys."""
        app = QApplication.instance()
        if app is not None:
            app.removeEventFilter(self)

    def bind(self, id: str, key: str | None) -> None:
        """Give an action another key from now on, None for its default, and keep it.

        Raises:
            CommandError: the key has another meaning, or the settings can't be written.
        """
        if key is None:
            # Another action may have got the default meanwhile.
            for default in BY_ID[id].keys:
                self.bindings.check(id, default)
        new_key = None if key is None else self.bindings.check(id, key)
        self._settings.set(id, new_key, "keys")
        self.bindings = KeyBindings(self._settings.keys)

    # --- what is pressed ------------------------------------------------------------------------

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:  # noqa: N802
        if not isinstance(event, QKeyEvent) or not isinstance(watched, QWidget):
            return False
        if not self._is_mine(watched):
            return False
        if event.type() == QEvent.Type.KeyRelease:
            return self.player is not None and self.player.release(event) and not self._types()
        if event.type() != QEvent.Type.KeyPress:
            return False
        return self._press_while_typing(event) if self._types() else self.press(event)

    def _is_mine(self, widget: QWidget) -> bool:
        """Whether keys pressed there are this window's: a floating panel's are, a dialog's not."""
        window: QWidget | None = widget.window()
        while isinstance(window, QDockWidget) and window.parentWidget() is not None:
            window = window.parentWidget()
        return window is self._window

    @staticmethod
    def _types() -> bool:
        return isinstance(QApplication.focusWidget(), QLineEdit | QPlainTextEdit)

    def _press_while_typing(self, event: QKeyEvent) -> bool:
        box, window = QApplication.focusWidget(), self._window
        if box is window.search_popup.line:
            return False
        name = name_of(event)
        if name == "Escape" and isinstance(box, QLineEdit):
            return self._leave(box)
        action = self.bindings.action(name)
        if action is None or action.id not in _WHILE_TYPING:
            return False
        self.carry_out(action)
        return True

    def _leave(self, box: QLineEdit) -> bool:
        """Give up what is typed in the bar or in a panel; others know themselves how to end."""
        if isinstance(box, ValueEditor):
            return False
        if self._window.docks.holds(box) and box.text():
            # A filter is emptied first: that rows are missing must not be forgotten.
            box.clear()
        elif box is self._window.transport.time or self._window.docks.holds(box):
            box.clearFocus()
        else:
            return False
        return True

    def press(self, event: QKeyEvent) -> bool:
        """Run the action of a key; False if it has none."""
        window = self._window
        if window.shortcuts.isVisible() and window.shortcuts.press(event):
            return True
        box = QApplication.focusWidget()
        if isinstance(box, QToolButton) and box.property("chip"):
            # A user who went to a switch with Tab wants to go on, or to switch it.
            name = name_of(event)
            if name in ("Tab", "Shift+Tab", "Space"):
                return False
            if name in ("Enter", "Escape"):
                box.click() if name == "Enter" else box.clearFocus()
                return True
        live = window.store.playback.mode is Mode.LIVE
        if live and self.player is not None and self.player.press(event):
            return True
        if window.world.fly(event):
            return True
        action = self.bindings.action(name_of(event))
        if action is None:
            return False
        self.carry_out(action)
        return True

    def carry_out(self, action: KeyAction) -> None:
        """Run an action."""
        do = getattr(self._action_handlers, action.method)
        do() if action.value is None else do(action.value)
