"""The system's clipboard: plain text, and images."""

from .qt import QApplication, QImage


def copy_text(text: str) -> None:
    """Put a text on the clipboard."""
    clipboard = QApplication.clipboard()
    if clipboard is not None:
        clipboard.setText(text)


def copy_image(image: QImage) -> None:
    """Put an image on the clipboard."""
    clipboard = QApplication.clipboard()
    if clipboard is not None:
        clipboard.setImage(image)


def clipboard_text() -> str:
    """The text on the clipboard; empty if there is none."""
    clipboard = QApplication.clipboard()
    return "" if clipboard is None else clipboard.text()
