"""The line in which a probability is typed: Up and Down change it."""

from ...toolkit.qt import QKeyEvent, Qt
from ...widgets.value_editor import ValueEditor

_STEPS = {Qt.Key.Key_Up: 0.05, Qt.Key.Key_Down: -0.05}


class ProbabilityEditor(ValueEditor):
    """Up and Down change the number that is typed, within 0 and 1."""

    def keyPressEvent(self, event: QKeyEvent | None) -> None:  # noqa: N802
        assert event is not None
        key = event.key()
        if key not in _STEPS:
            super().keyPressEvent(event)
            return
        try:
            value = float(self.text())
        except ValueError:
            return
        self.setText(f"{min(1.0, max(0.0, value + _STEPS[Qt.Key(key)])):.3f}")
