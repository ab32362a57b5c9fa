"""The interface of what controls the game in this window; it gets keys first while live."""

from typing import Protocol

from ..toolkit.qt import QKeyEvent


class GameInput(Protocol):
    """Turns keys into what the game reads."""

    @property
    def owner_text(self) -> str:
        """What the keys act on now, as text: `keys: game`, `keys: scrub`."""

    @property
    def rows(self) -> list[tuple[str, str]]:
        """The keys while the game is live and what they do, for people."""

    def press(self, event: QKeyEvent) -> bool:
        """A key goes down; False if it is nothing to the game."""

    def release(self, event: QKeyEvent) -> bool:
        """A key comes up; False if it was nothing to the game."""
