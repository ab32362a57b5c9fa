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
        self._boxes: dict[int, deque[Letter]] = {}
        self._lock = threading.Lock()
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
        ident = threading.get_ident()
        with self._lock:
            box = self._boxes.setdefault(ident, deque())
            if len(box) >= KEPT:
                self.dropped += 1
            else:
                box.append(letter)

    def take(self) -> Iterator[Letter]:
        """All that waits, thread by thread, each in its own order; the buffers are empty after."""
        if not self._boxes:
            return
        with self._lock:
            boxes, self._boxes = self._boxes, {}
        for box in boxes.values():
            yield from box
