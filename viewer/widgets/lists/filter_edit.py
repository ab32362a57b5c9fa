"""The line above a list in which words are typed that its rows must have."""

from collections.abc import Callable

from ...toolkit.qt import QLineEdit, Qt


def filter_edit(
    placeholder: str, name: str, changed: Callable[[str], object], entered: Callable[[], object], *,
    width: int = 0, in_tab_order: bool = False,
) -> QLineEdit:  # fmt: skip
    """A line that filters with each letter.

    Args:
        placeholder: What it shows while it is empty.
        name: Its name for screen readers.
        changed: Called with what is typed.
        entered: Called when Return is pressed.
        width: The fewest pixels that it is wide.
        in_tab_order: Whether Tab leads to it.
    """
    edit = QLineEdit()
    edit.setPlaceholderText(placeholder)
    edit.setAccessibleName(name)
    edit.setMinimumWidth(width)
    if not in_tab_order:
        edit.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
    edit.textChanged.connect(changed)
    edit.returnPressed.connect(entered)
    return edit
