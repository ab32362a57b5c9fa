"""The system's clipboard, as plain text."""

from .qt import QApplication


def copy_text(text: str) -> None:
    """Put a text on the clipboard."""
    clipboard = QApplication.clipboard()
    if clipboard is not None:
        clipboard.setText(text)


def clipboard_text() -> str:
    """The text on the clipboard; empty if there is none."""
    clipboard = QApplication.clipboard()
    return "" if clipboard is None else clipboard.text()
