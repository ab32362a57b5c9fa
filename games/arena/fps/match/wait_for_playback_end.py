"""Waits while the session is in playback; the game runs on when playback is left."""

import time
from collections.abc import Callable

from .....errors import GameError
from .....playback.playback_state import Mode
from .....session import Session

TICK = 1 / 60
"""Seconds between two movements of a playhead that plays."""


def await_live(session: Session, clock: Callable[[], float] = time.monotonic) -> None:
    """Return when the session is live; until then obey tools, and sleep where nothing moves.

    Raises:
        GameError: it is in playback, and there is no bus on which anybody could end that.
    """
    if not session.live and session.bus is None:
        session.obey()
        if not session.live:
            raise GameError("the session is in playback: call leave() on it before the next step")
    before = clock()
    while not session.live:
        session.wait(TICK if session.playhead.mode is Mode.PLAYING else None)
        now = clock()
        if not session.live:
            session.update(now - before)
        before = now
