"""A game at its own pace under a session on the bus: tools pause it, scrub it and let it run on."""

import threading
import time
from collections.abc import Callable

from ..playback.playback_state import Mode
from ..recorder.failed_checks import UNATTENDED, CheckPolicy
from ..session import Session

AGENT = "agent"
"""What an agent that plays from another process is called on the bus."""
TICK = 1 / 60
"""Seconds between two movements of a playhead that plays."""
_LATE = 0.25
"""Seconds by which the game may be late and catch up; what is more is let go."""


class RealtimeLoop:
    """Waits for the next step of a game that runs at real time, and obeys tools meanwhile.

    Args:
        session: The game's; on the bus.
        dt: Seconds of game time in one step.
        ended: Whether nobody wants the game any more.
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
        """There is an order, or the end has come; from any thread."""
        self._news.set()

    def await_step(self) -> bool:
        """Return when the game is live and its next step is due; False if it has ended."""
        while not self._ended():
            if not self._session.live:
                self.stand()
                continue
            left = self._due - self._clock()
            if left <= 0:
                self._due = max(self._due + self._dt, self._clock() - _LATE)
                return True
            self._sleep(left)
        return False

    def await_news(self, wanted: Callable[[], bool]) -> None:
        """Obey, between two steps, until something has come to be, or the end has come."""
        while not wanted() and not self._ended():
            self._sleep(threading.TIMEOUT_MAX)
        self._due = self._clock()

    def stand(self, until: float = float("inf")) -> None:
        """While the world stands still: move with the playhead, until it is live again.

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
        """Sleep that long, or until an order comes, and carry it out."""
        if self._news.wait(min(seconds, threading.TIMEOUT_MAX)):
            self._news.clear()
            self._session.obey()


def policy(session: Session, pause: bool | None) -> CheckPolicy:
    """What a failed check does in a run on the bus.

    Args:
        session: The run's.
        pause: Whether it stops the game; None to stop it only if a tool is there to see it.
    """
    if pause is None:
        # The agent that plays is not one who watches.
        tools = () if session.bus is None else session.bus.status.tools
        pause = any(tool.partition("#")[0] != AGENT for tool in tools)
    return CheckPolicy() if pause else UNATTENDED
