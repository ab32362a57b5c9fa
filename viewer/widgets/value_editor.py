"""A line in which a value is typed in place, over the row that shows it."""

import json
from collections.abc import Callable
from typing import Any

from ..toolkit.qt import QKeyEvent, QLineEdit, QRectF, Qt, QWidget


class ValueEditor(QLineEdit):
    """Return takes what was typed, Escape does not."""

    def __init__(self, panel: QWidget) -> None:
        super().__init__(panel)
        self._take: Callable[[Any], object] = lambda value: None
        self.hide()
        self.editingFinished.connect(self.hide)
        self.returnPressed.connect(self._typed)

    def begin(self, box: QRectF, name: str, text: str, take: Callable[[Any], object]) -> None:
        """Have a value typed.

        Args:
            box: Where it is shown.
            name: What it is, for screen readers.
            text: What it is now.
            take: Called with what was typed: a value as in JSON, or else a text.
        """
        self._take = take
        self.setAccessibleName(name)
        self.setText(text)
        self.setGeometry(box.toRect())
        self.show()
        self.setFocus()
        self.selectAll()

    def _typed(self) -> None:
        text = self.text().strip()
        self.hide()
        self._take(value_typed(text))

    def keyPressEvent(self, event: QKeyEvent | None) -> None:  # noqa: N802
        assert event is not None
        if event.key() == Qt.Key.Key_Escape:
            self.hide()
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
