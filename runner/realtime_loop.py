"""Steps a game in real time under a session on the bus; tools can pause, scrub and resume it."""

import threading
import time
from collections.abc import Callable

from ..playback.playback_state import Mode
from ..recorder.checks.check_policy import UNATTENDED, CheckPolicy
from ..session import Session

AGENT = "agent"
"""The name on the bus of an agent that plays from another process."""
TICK = 1 / 60
"""Seconds between two movements of the playhead during playback."""
_LATE = 0.25
"""Seconds by which the game may be late and catch up; more than that is dropped."""


class RealtimeLoop:
    """Waits for the next step of a game that runs in real time, and obeys tools meanwhile.

    Args:
        session: The game's session; it is on the bus.
        dt: Seconds of game time in one step.
        ended: Whether the game was closed.
        clock: Seconds that only count up.
    """

    def __init__(
        self, session: Session, dt: float, *, ended: Callable[[], bool] = lambda: False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        self._session = session
        self._dt = dt
        self._ended = ended
        self._clock = clock
        self._due = clock()
        self._news = threading.Event()
        session.on_order = self.wake

    def wake(self) -> None:
        """A command or the end has come; may be called from any thread."""
        self._news.set()

    def wait_for_step(self) -> bool:
        """Return when the game is live and its next step is due; False if it has ended."""
        while not self._ended():
            if not self._session.live:
                self.wait_until_live()
                continue
            left = self._due - self._clock()
            if left <= 0:
                self._due = max(self._due + self._dt, self._clock() - _LATE)
                return True
            self._sleep(left)
        return False

    def wait_until(self, condition: Callable[[], bool]) -> None:
        """Obey tools, between two steps, until a condition holds or the game has ended."""
        while not condition() and not self._ended():
            self._sleep(threading.TIMEOUT_MAX)
        self._due = self._clock()

    def wait_until_live(self, until: float = float("inf")) -> None:
        """Move with the playhead, in playback, until the session is live again.

        Args:
            until: An instant of the clock after which to stop, whatever the playhead does.
        """
        session, before = self._session, self._clock()
        while not session.live and before < until and not self._ended():
            playing = session.playhead.mode is Mode.PLAYING
            left = until - before
            self._sleep(min(TICK, left) if playing else left)
            now = self._clock()
            if not session.live:
                session.update(now - before)
            before = now
        self._due = before

    def _sleep(self, seconds: float) -> None:
        """Sleep that long, or until a command comes, and carry it out."""
        if self._news.wait(min(seconds, threading.TIMEOUT_MAX)):
            self._news.clear()
            self._session.obey()


def check_policy(session: Session, pause: bool | None) -> CheckPolicy:
    """What a failed check does in a run on the bus.

    Args:
        session: The run's.
        pause: Whether it stops the game; None to stop it only if a tool is there to see it.
    """
    if pause is None:
        # The agent that plays does not watch.
        tools = () if session.bus is None else session.bus.status.tools
        pause = any(tool.partition("#")[0] != AGENT for tool in tools)
    return CheckPolicy() if pause else UNATTENDED
