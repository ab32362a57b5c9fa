"""The small button with words in a panel's own row."""

from . import palette
from .qt import Qt, QToolButton
from .theme import restyle


def text_button(
    words: str, tip: str, *, padding: int = 8, switches: bool = False, in_tab_order: bool = False
) -> QToolButton:
    """A button with an outline, wide enough for its words.

    Args:
        tip: What it does: its tool tip, and its name for screen readers.
        padding: Pixels left and right of the words.
        switches: Whether it stays down until it is clicked again.
        in_tab_order: Whether Tab leads to it. A click leaves the keyboard where it was in any case.
    """
    button = QToolButton()
    button.setText(words)
    button.setToolTip(tip)
    button.setAccessibleName(tip)
    button.setProperty("chip", True)
    button.setCheckable(switches)
    style = f"QToolButton {{ padding: 3px {padding}px; }}"
    if not switches:
        style += (
            f" QToolButton {{ color: {palette.TEXT}; }}"
            f" QToolButton:disabled {{ color: {palette.FAINT}; }}"
        )
    restyle(button, style)
    # Its words are never cut: what is left out would be what one looks for.
    button.setMinimumWidth(button.fontMetrics().horizontalAdvance(words) + 2 * padding + 4)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus if in_tab_order else Qt.FocusPolicy.NoFocus)
    return button
