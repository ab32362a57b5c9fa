"""A command that waits for the game's thread, and its answer."""

import threading
from collections.abc import Callable
from typing import Generic, TypeAlias, TypeVar

from ..errors import PlayheadError
from .playback_state import PlaybackState

_C = TypeVar("_C", covariant=True)

Outcome: TypeAlias = PlaybackState | PlayheadError
"""What really happened, or why nothing did."""


class PendingCommand(Generic[_C]):
    """Something to be done on the game's thread: taken up once there, or given up before.

    It may be given up until it is carried out, also while it waits for the end of a frame.

    Args:
        command: What is to be done.
        origin: Who sent it.
        answer: Called with the outcome, on the game's thread.
    """

    def __init__(
        self, command: _C, origin: str = "", answer: Callable[[Outcome], object] | None = None
    ) -> None:
        self.command = command
        self.origin = origin
        self._answer = answer
        self._lock = threading.Lock()
        self._settled = False

    @property
    def is_open(self) -> bool:
        """Whether it was neither taken up nor given up yet."""
        return not self._settled

    def claim(self) -> bool:
        """Begin to carry it out; False if it was given up before."""
        return self._settle()

    def give_up(self) -> bool:
        """See to it that it is never carried out; False if it was taken up before."""
        return self._settle()

    def _settle(self) -> bool:
        with self._lock:
            first, self._settled = not self._settled, True
        return first

    def answer(self, outcome: Outcome) -> None:
        """Pass the outcome to the sender."""
        if self._answer is not None:
            self._answer(outcome)
