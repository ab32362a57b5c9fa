"""Bridge to PlotJuggler: the numbers of the playhead's instant, for its "ZMQ Subscriber".

A message has two parts, as that plugin reads them: the topic `playhead` and a JSON object, whose
`timestamp` is the timeline's seconds. Curves are named by topic and keys: `playhead/guard_1/speed`.
A third part might hold the time, but then released versions of the plugin lose the object.
"""

import json
from collections.abc import Callable
from typing import Any

import zmq

from ...errors import CapacityError
from ...recorder.packets.mark import Mark
from ..messages.address import Address
from ..server.publisher import port_of
from .frame_view import FrameView, StatementsView

PORT = 9872
"""The plugin's own default."""
TOPIC = b"playhead"
_QUEUED = 8
"""Messages that wait for a slow PlotJuggler; then newer instants take the place of older ones."""


class PlotJuggler:
    """Publishes to every PlotJuggler that connects.

    Args:
        address: Where to listen, as `Address.of` takes it.

    Raises:
        CommandError: the address is none.
        CapacityError: it can't be had.
    """

    def __init__(self, address: str = "") -> None:
        requested = Address.of(address or "127.0.0.1", PORT)
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._socket = self._context.socket(zmq.XPUB)
        for option, value in {
            "linger": 0, "sndhwm": _QUEUED, "xpub_nodrop": 1, "xpub_verboser": 1,
            "maxmsgsize": 1024, "ipv6": 1,
        }.items():  # fmt: skip
            setattr(self._socket, option, value)
        try:
            self._socket.bind(requested.endpoint)
        except zmq.ZMQError as error:
            self.close()
            raise CapacityError(
                f"can't listen on {requested.endpoint} for PlotJuggler: {error}; give another"
                " address"
            ) from None
        self.endpoint = requested.at(port_of(self._socket)).endpoint
        """Where PlotJuggler has to connect."""
        self._waiting: list[bytes] | None = None
        """The newest instant, if the queue had no room for it yet."""

    def begin(self, wake: Callable[[], object]) -> None:
        """A client that connects waits for the next tick."""

    def show(self, view: FrameView) -> None:
        """Send the numbers of an instant."""
        message = json.dumps(message_of(view), allow_nan=False).encode()
        self._send([TOPIC, message])

    def _send(self, parts: list[bytes]) -> None:
        try:
            self._socket.send_multipart(parts, zmq.NOBLOCK)
            self._waiting = None
        except zmq.Again:
            self._waiting = parts

    def mark(self, mark: Mark, statements: StatementsView) -> None:
        """Marks are no numbers."""

    def tick(self) -> bool:
        """Send what found no room; True if a new client has connected."""
        fresh = False
        try:
            while True:
                fresh |= self._socket.recv(zmq.NOBLOCK)[:1] == b"\x01"
        except zmq.Again:
            pass
        if self._waiting is not None:
            self._send(self._waiting)
        return fresh

    def close(self) -> None:
        """Close the socket; what was not sent yet is lost."""
        self._socket.close(linger=0)
        self._context.term()


def message_of(view: FrameView) -> dict[str, Any]:
    """The JSON object of an instant: values by whom they are about, and where the playhead is."""
    now = view.now
    values: dict[str, Any] = {"timestamp": now.time, **view.tree}
    values["cursor"] = {
        "frame": now.frame,
        "time": now.time,
        "game_time": now.game_time,
        "rate": now.rate,
        "live": int(now.mode == "live"),
        "playing": int(now.mode == "playing"),
    }
    return values
