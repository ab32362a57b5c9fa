"""A connection to a gateway by hand, for peers that do what no library lets them do."""

import json
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit


class RawWebSocket:
    """A WebSocket by hand, which reads nothing unless it is told to."""

    def __init__(self, url: str) -> None:
        at = urlsplit(url)
        self.socket = socket.create_connection((at.hostname or "", at.port or 0), timeout=20.0)
        self.socket.sendall((
            f"GET /?{at.query} HTTP/1.1\r\nHost: {at.netloc}\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        ).encode())  # fmt: skip
        while not self.socket.recv(4096).endswith(b"\r\n\r\n"):
            pass
        self.send(sequence=1, ask={"do": "hello", "name": "attacker", "protocol": [2, 0]})
        output = self.socket.recv(1 << 16)
        self.origin = json.loads(output[output.index(b'{"') :])["answer"]["origin"]

    @classmethod
    @contextmanager
    def open(cls, url: str) -> Iterator["RawWebSocket"]:
        """One that is closed in the end."""
        line = cls(url)
        try:
            yield line
        finally:
            line.close()

    def send(self, **request: object) -> None:
        self.binary(json.dumps({"origin": "", **request}).encode(), 0x81)

    def ask(self, sequence: int, **ask: object) -> None:
        self.send(origin=self.origin, sequence=sequence, ask=ask)

    def binary(self, data: bytes, kind: int = 0x82) -> None:
        self.socket.sendall(
            bytes((kind, 0xFF)) + len(data).to_bytes(8, "big") + bytes(4) + data
        )  # masked with nothing

    def close(self) -> None:
        self.socket.close()

    def reset(self) -> None:
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def half_close(self) -> None:
        self.socket.shutdown(socket.SHUT_WR)
