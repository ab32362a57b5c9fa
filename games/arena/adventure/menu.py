"""Windows with a cursor: the title, menus, the shop, questions, and pop-ups, which have none."""

import struct
from typing import NamedTuple

from ....playback.pads.pad import Button
from ..entity import pack_text

TITLE, MENU, DEBUG, SHOP, POPUP = "title", "menu", "debug", "shop", "popup"
"""Screens: what takes the whole pad while it is shown."""


class Pick(NamedTuple):
    """What a player did in a menu."""

    entry: str
    """Empty if it was left."""


LEAVE = Pick("")


class Menu:
    """Entries one above the other, and a cursor that the D-pad moves.

    Args:
        screen: Which one it is; empty for a question, which is no screen.
        entries: What can be picked with A; none in a window that can only be closed.
        closes: The button that leaves it.
    """

    def __init__(
        self, screen: str, title: str, entries: tuple[str, ...] = (),
        closes: Button | None = Button.B,
    ) -> None:  # fmt: skip
        self.screen = screen
        self.title = title
        self.entries = entries
        self.closes = closes
        self.cursor = 0

    @property
    def selected(self) -> str:
        """The entry under the cursor; empty if there are none."""
        return self.entries[self.cursor] if self.entries else ""

    def press(self, pressed: int) -> Pick | None:
        """What these buttons, newly pressed, pick; None for nothing yet."""
        if self.closes is not None and pressed & self.closes:
            return LEAVE
        if self.entries:
            if pressed & Button.DOWN:
                self.cursor = min(self.cursor + 1, len(self.entries) - 1)
            if pressed & Button.UP:
                self.cursor = max(self.cursor - 1, 0)
            if pressed & Button.A:
                return Pick(self.selected)
        return None

    def pack(self) -> bytes:
        parts = [pack_text(text) for text in (self.screen, self.title, *self.entries)]
        return struct.pack("<q", self.cursor) + b"".join(parts)
