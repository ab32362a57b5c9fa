"""The state of a replay as tools see it, and their wishes, with the agent in another process."""

from collections.abc import Mapping
from typing import Any

from ...session import Session

REPLAY = "replay"
"""Published: how a process of demos stands. Served: what a dock wants of it."""
STATE = "replay.state"
"""Served: an agent in another process says how it stands."""
REQUESTS = "replay.wish"
"""Published, for an agent in another process: the newest wish, with its number."""


class ReplayStatePublisher:
    """Publishes what an agent in another process says of its replay, and tells it tools' wishes.

    Args:
        session: The game runs under this, on the bus.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._requests = 0
        session.serve(STATE, self._publish)

    def _publish(self, body: Any) -> None:
        self._session.publish(REPLAY, body)

    def forward(self, request: Mapping[str, Any]) -> int:
        """Tell the agent a wish; returns its number."""
        self._requests += 1
        self._session.publish(REQUESTS, {"number": self._requests, "wish": request})
        return self._requests
