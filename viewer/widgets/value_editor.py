"""A line in which a value is typed in place, over the row that shows it."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from ..toolkit.qt import QCompleter, QKeyEvent, QLineEdit, QRectF, Qt, QWidget


class ValueEditor(QLineEdit):
    """Return takes what was typed, Escape does not. Both give the keyboard back to the panel."""

    def __init__(self, panel: QWidget) -> None:
        super().__init__(panel)
        self._panel = panel
        self._take: Callable[[str], object] = lambda text: None
        self.hide()
        self.editingFinished.connect(self.hide)

    def begin(
        self, box: QRectF, name: str, text: str, take: Callable[[str], object],
        choices: Sequence[str] = (),
    ) -> None:  # fmt: skip
        """Have a value typed.

        Args:
            box: Where it is shown.
            name: What it is, for screen readers.
            text: What it is now.
            take: Called with what was typed, without white space around it.
            choices: Texts that are offered. Down lists all of them; one that is chosen is taken.
        """
        self._take = take
        self.setAccessibleName(name)
        self.setText(text)
        self._offer(choices)
        self.setGeometry(box.toRect())
        self.show()
        self.setFocus()
        self.selectAll()

    def _offer(self, choices: Sequence[str]) -> None:
        if not choices:
            self.setCompleter(None)
            return
        completer = QCompleter(choices, self)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        self.setCompleter(completer)
        completer.activated.connect(self._choose)

    def _choose(self, text: str) -> None:
        if not self.isHidden():
            self.setText(text)
            self._take_typed()

    def _take_typed(self) -> None:
        text = self.text().strip()
        self._end()
        self._take(text)

    def _end(self) -> None:
        completer = self.completer()
        popup = completer.popup() if completer is not None else None
        if popup is not None:
            popup.hide()
        self.hide()
        self._panel.setFocus()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:  # noqa: N802
        assert event is not None
        key, completer = event.key(), self.completer()
        popup = completer.popup() if completer is not None else None
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            # QLineEdit would hand it on to the panel, where it means to type again.
            self._take_typed()
        elif key == Qt.Key.Key_Escape and (popup is None or not popup.isVisible()):
            self._end()
        elif key == Qt.Key.Key_Down and completer is not None:
            completer.setCompletionPrefix("")
            completer.complete()
        else:
            super().keyPressEvent(event)


def value_typed(text: str) -> Any:
    """A value as a user types it: as in JSON, a vector with or without brackets, or a text."""
    for candidate in (text, f"[{text}]", text.replace("(", "[").replace(")", "]")):
        try:
            return json.loads(candidate)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(text.lower(), text)
