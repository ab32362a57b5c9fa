"""What worker threads say: kept in a bounded buffer each, until the open frame takes it in."""

import threading
from collections import deque
from collections.abc import Callable, Iterator
from typing import NamedTuple

KEPT = 1024
"""Calls that a thread may have waiting; more are dropped and counted."""


class Letter(NamedTuple):
    """A call that waits for the thread that finishes frames."""

    cause: str
    """Which call it is, for the counts."""
    write: Callable[[], object]
    """Writes it into the open frame."""


class Mailboxes:
    """One bounded buffer for each thread that spoke since the last frame."""

    def __init__(self) -> None:
        self._owner = threading.get_ident()
        self._boxes: list[deque[Letter]] = []
        self._round = 0
        self._lock = threading.Lock()
        # Not by the thread's ident, which the next thread gets when one ends.
        self._mine = threading.local()
        self.dropped = 0
        """Calls that found their thread's buffer full."""

    def own(self) -> None:
        """The calling thread is the game's from now on."""
        self._owner = threading.get_ident()

    @property
    def is_owner(self) -> bool:
        """Whether the calling thread is the one that finishes frames."""
        return threading.get_ident() == self._owner

    def post(self, letter: Letter) -> None:
        """Keep a call for the frame that is being recorded."""
        mine = self._mine
        with self._lock:
            if getattr(mine, "round", -1) != self._round:
                mine.round, mine.box = self._round, deque()
                self._boxes.append(mine.box)
            if len(mine.box) >= KEPT:
                self.dropped += 1
            else:
                mine.box.append(letter)

    def take(self) -> Iterator[Letter]:
        """All that waits, thread by thread, each in its own order; the buffers are empty after."""
        if not self._boxes:
            return
        with self._lock:
            boxes, self._boxes = self._boxes, []
            self._round += 1
        for box in boxes:
            while box:
                yield box.popleft()
