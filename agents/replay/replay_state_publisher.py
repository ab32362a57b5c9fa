"""The state of a replay as tools see it, and their wishes, with the agent in another process."""

from collections.abc import Callable, Mapping
from typing import Any

from ...session import Session

REPLAY = "replay"
"""Published: the state of a batch of demos. Served: a dock's requests."""
STATE = "replay.state"
"""Served: an agent in another process reports its state."""
REQUESTS = "replay.wish"
"""Published, for an agent in another process: the newest wish, with its number."""

StateListener = Callable[[Mapping[str, Any]], object]
"""Called with the state of a batch of demos."""


class ReplayStatePublisher:
    """Publishes the replay state of an agent in another process, and sends it tools' requests.

    Args:
        session: The game runs under this, on the bus.
        on_state: Called with each state.
    """

    def __init__(
        self, session: Session, on_state: StateListener = lambda state: None
    ) -> None:  # fmt: skip
        self._session = session
        self._on_state = on_state
        self._requests = 0
        session.serve(STATE, self._publish)

    def _publish(self, body: Any) -> None:
        self._session.publish(REPLAY, body)
        self._on_state(body)

    def forward(self, request: Mapping[str, Any]) -> int:
        """Send the agent a request; returns its number."""
        self._requests += 1
        self._session.publish(REQUESTS, {"number": self._requests, "wish": request})
        return self._requests
