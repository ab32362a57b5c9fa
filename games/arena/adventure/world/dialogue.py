"""An event in progress: a scene without words, pages, a question, the answer's pages."""

import struct

from .....playback.pads.pad import Button
from ...entity import STEP, pack_text
from ..menu import Menu
from .level import Effects, LevelEvent, Option

REST = 0.2
"""Seconds that a page is shown at least."""


class Dialogue:
    """Goes through one event: A turns the page, and the D-pad and A answer its question.

    Args:
        speaker: The id of who says it; 0 for none.
    """

    def __init__(self, event: LevelEvent, speaker: int = 0) -> None:
        self.event = event
        self.speaker = speaker
        self.movie = event.movie
        """Seconds left of the scene."""
        self.rest = REST
        """Seconds until A is heard."""
        self.answer: Option | None = None
        self.menu: Menu | None = None
        """The question, while it is asked."""
        self.over = False
        self._pages = event.pages
        self._page = 0
        self._open()

    @property
    def window(self) -> bool:
        """Whether a window with a message is shown."""
        return self.movie <= 0.0 and not self.over

    @property
    def text(self) -> str:
        """What is to be read."""
        if not self.window:
            return ""
        return self.menu.title if self.menu is not None else self._pages[self._page]

    def step(self, pressed: int) -> None:
        """One step of it, with the buttons that are newly pressed."""
        if self.over:
            return
        if self.movie > 0.0:
            # A press shortens a scene, but never in its first moment.
            skips = pressed & Button.A and self.event.movie - self.movie >= REST
            self.movie = 0.0 if skips else max(0.0, self.movie - STEP)
            if self.movie <= 0.0:
                self.rest = REST
                self._open()
            return
        self.rest = max(0.0, self.rest - STEP)
        if self.rest > 0.0:
            return
        if self.menu is not None:
            self._ask(self.menu, pressed)
        elif pressed & Button.A:
            self._page += 1
            self.rest = REST
            self._open()

    def end(self) -> None:
        """Break it off; what it would have changed is changed all the same.

        An unanswered question is taken to have the first answer that changes something.
        """
        if self.answer is None and self.event.options:
            options = self.event.options
            telling = (option for option in options if option.effects != Effects())
            self.answer = next(telling, options[0])
        self.movie, self.menu, self.over = 0.0, None, True

    def pack(self) -> bytes:
        answer = self.answer.label if self.answer is not None else ""
        numbers = struct.pack("<2dq?", self.movie, self.rest, self._page, self.over)
        asked = self.menu.pack() if self.menu is not None else b""
        return pack_text(self.event.id) + pack_text(answer) + numbers + asked

    def _ask(self, menu: Menu, pressed: int) -> None:
        pick = menu.press(pressed)
        if pick is None:
            return
        self.answer = next(o for o in self.event.options if o.label == pick.entry)
        self.menu = None
        self._pages, self._page = self.answer.pages, 0
        self.rest = REST
        self._open()

    def _open(self) -> None:
        """Go on to the question, or end, if there is no page to show."""
        if self.movie > 0.0 or self._page < len(self._pages):
            return
        if self.event.options and self.answer is None:
            labels = tuple(option.label for option in self.event.options)
            self.menu = Menu("", self.event.question, labels, closes=None)
        else:
            self.over = True
