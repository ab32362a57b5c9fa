"""The choice of a mode before a match: made once, before a deadline, and never changed."""

import threading
import time
from collections.abc import Callable
from typing import Any

from .....errors import GameError
from ..simulation.round_targets_and_modes import ArenaMode, mode_of

START_LIMIT = 45.0
"""Seconds to choose in."""


class StartScreen:
    """Where the mode is chosen, from any thread.

    A copy, or what is unpickled, has as many seconds left as there were then, and a choice of its
    own.

    Args:
        limit: Seconds after which nothing can be chosen any more.
        clock: Seconds that only count up.
    """

    def __init__(
        self, limit: float = START_LIMIT, clock: Callable[[], float] = time.monotonic
    ) -> None:
        if not limit > 0:
            raise GameError(f"start limit {limit!r}: give more than 0 seconds to choose")
        self.limit = limit
        self._clock = clock
        self._opened = clock()
        self._mode: ArenaMode | None = None
        self._closed = False
        self._chosen = threading.Condition()

    def __getstate__(self) -> dict[str, Any]:
        # The clock of another process may count from elsewhere: only what has passed travels.
        with self._chosen:
            state = {**self.__dict__, "_opened": self._clock() - self._opened}
        del state["_chosen"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._opened = self._clock() - self._opened
        self._chosen = threading.Condition()

    @property
    def mode(self) -> ArenaMode | None:
        """What was chosen; None so far."""
        return self._mode

    @property
    def seconds_left(self) -> float:
        """How long one may still choose."""
        return max(0.0, self.limit - (self._clock() - self._opened))

    @property
    def expired(self) -> bool:
        """Whether the time is over and nothing was chosen."""
        return self._mode is None and (self._closed or self.seconds_left <= 0.0)

    def choose(self, mode: ArenaMode | str) -> ArenaMode:
        """Choose the mode.

        Raises:
            GameError: there is no such mode, one was chosen already, or it is too late.
        """
        requested = mode_of(mode)
        with self._chosen:
            if self._mode is not None:
                raise chosen_already(requested, self._mode)
            if self.expired:
                raise GameError(f"mode {requested}: {self._late()}")
            self._mode = requested
            self._chosen.notify_all()
        return requested

    def look(self) -> ArenaMode | None:
        """The mode; None while it can still be chosen.

        Raises:
            GameError: it was not chosen in time, or the environment was closed.
        """
        with self._chosen:
            if self.expired:
                self._closed = True
                raise GameError(self._late())
            return self._mode

    def rest(self, seconds: float) -> None:
        """Sleep so long, or until a mode is chosen or none can be any more."""
        with self._chosen:
            if self._mode is None and not self.expired:
                self._chosen.wait(min(seconds, self.seconds_left))

    def wait(self) -> ArenaMode:
        """The mode, as soon as it is chosen; errors as for `look`."""
        while (mode := self.look()) is None:
            self.rest(self.limit)
        return mode

    def close(self) -> None:
        """Nothing can be chosen any more; waiting threads wake up."""
        with self._chosen:
            self._closed = True
            self._chosen.notify_all()

    def _late(self) -> str:
        return (
            f"no mode was chosen within {self.limit:g} s of the start: the environment has closed"
        )


def chosen_already(requested: ArenaMode, mode: ArenaMode) -> GameError:
    """The error for a requested mode after another one was chosen."""
    return GameError(
        f"mode {requested}: {mode} was chosen and can't be changed; make another environment"
    )
