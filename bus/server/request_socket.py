"""The socket that requests come in on, and that two threads send answers on."""

import threading
from collections.abc import Callable, Mapping
from typing import Any

import zmq

from .publisher import handle_of, port_of

_REQUESTS_QUEUED = 100
"""Requests that may wait from each tool: some are large. The others wait at its end."""
_ANSWERS_QUEUED = 2048
"""Answers that may wait for each tool: more than commands may wait."""


class RequestSocket:
    """A ROUTER. The bus's thread receives, and that and the game's send, one at a time.

    So the outcome of a command needs no second thread to be on its way.

    Args:
        context: The service's.
        most_bytes: Of a request; the connection of a longer one is closed.
        wake: Wakes the bus's thread: sending may take note of a request that has come, and then the
            handle does not signal it any more.
    """

    def __init__(
        self, context: "zmq.Context[zmq.Socket[bytes]]", most_bytes: int,
        wake: Callable[[], object],
    ) -> None:  # fmt: skip
        self._wake = wake
        self._lock = threading.Lock()
        self._socket = context.socket(zmq.ROUTER)
        for option, value in {
            # Mandatory, so that an answer that is not fetched is noticed and counted.
            "linger": 0, "maxmsgsize": most_bytes, "router_mandatory": 1, "ipv6": 1,
            "sndhwm": _ANSWERS_QUEUED, "rcvhwm": _REQUESTS_QUEUED,
        }.items():  # fmt: skip
            setattr(self._socket, option, value)

    def bind(self, endpoint: str, secured: Mapping[str, Any]) -> int:
        """Listen there; returns the port.

        Raises:
            zmq.ZMQError: the address can't be had.
        """
        for option, value in secured.items():
            setattr(self._socket, option, value)
        self._socket.bind(endpoint)
        return port_of(self._socket)

    @property
    def handle(self) -> int:
        """Becomes readable, once, when requests have come: then receive until there are none."""
        return handle_of(self._socket)

    def receive(self) -> list[bytes] | None:
        """The next request's parts; None if there is none."""
        with self._lock:
            try:
                return self._socket.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                return None

    def send(self, parts: list[bytes]) -> bool:
        """Send an answer, without waiting; False if its receiver does not take it."""
        with self._lock:
            try:
                self._socket.send_multipart(parts, zmq.NOBLOCK)
            except zmq.ZMQError:
                return False
            has_come = int(self._socket.getsockopt(zmq.EVENTS)) & zmq.POLLIN
        if has_come:
            self._wake()
        return True

    def close(self) -> None:
        """Close it when what was sent is on its way, or after a fifth of a second."""
        with self._lock:
            self._socket.close(linger=200)
