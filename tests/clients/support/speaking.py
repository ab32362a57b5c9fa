"""A service that says whatever a test wants, whole or broken."""

import base64
import hashlib
import json
import random
import re
import socket
import struct
from types import TracebackType
from typing import Any

from ...support.waits import LIMIT

NONE = 2**64 - 1
_PIECES = (b'"', b"{", b"]", b"\\u", b"\xff\xff", b"1e999", b"-")


def framed(opcode: int, data: bytes, *, end: bool = True) -> bytes:
    """A WebSocket frame as a server sends it."""
    size = len(data)
    head = bytes([(128 if end else 0) | opcode])
    if size < 126:
        return head + bytes([size]) + data
    if size < 65536:
        return head + b"\x7e" + struct.pack(">H", size) + data
    return head + b"\x7f" + struct.pack(">Q", size) + data


def image(ids: list[int], *, size: int = 24, type: int = 32) -> bytes:
    """A frame by itself, of one run."""
    stride, count = 40 + (size + 7) // 8 * 8, len(ids)
    total = 96 + (24 + stride * count if count else 0)
    first, run = (120, 96) if count else (NONE, NONE)
    data = struct.pack("<3Q2d5Q4I", 1, NONE, NONE, 1.0, 1.0, first, run, NONE, total, total,
                       count, 0, 0, 0)  # fmt: skip
    if count:
        data += struct.pack("<5I2H", 0, count, stride, size, 0, type, 0)
    for i, object_id in enumerate(ids):
        following = 0 if i == count - 1 else stride // 8
        data += struct.pack("<QHBBI6f", object_id, type, 1, 0, following, *range(6))
        data += bytes(range(size)).ljust(stride - 40, b"\0")
    return data


def order(**more: Any) -> bytes:
    """An order, by default to show a frame whose image follows."""
    message = {"order": "show", "frame": 3, "time": 0.05, "image": True, **more}
    return json.dumps({"origin": "service", "sequence": 5, "order": message}).encode()


def mutated(choice: random.Random, data: bytes) -> bytes:
    """The same with a few changes: bytes, bits, holes, pieces of JSON, extreme words."""
    changed = bytearray(data)
    for _ in range(choice.randint(1, 8)):
        at = choice.randrange(len(changed))
        match choice.randrange(5):
            case 0:
                changed[at] = choice.randrange(256)
            case 1:
                changed[at] ^= 1 << choice.randrange(8)
            case 2 if len(changed) > 40:
                del changed[at : at + choice.randint(1, 20)]
            case 3:
                changed[at:at] = choice.choice(_PIECES)
            case _:
                changed[at : at + 4] = choice.choice([b"\0", b"\xff"]) * 4
    return bytes(changed)


class Speaking:
    """Waits for a game, welcomes it, and then says what it is told to say."""

    def __init__(self) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._listening.settimeout(LIMIT)
        self._peer: socket.socket | None = None
        self._heard = b""
        self.url = f"ws://127.0.0.1:{self._listening.getsockname()[1]}/?token=x"

    def welcome(self) -> None:
        """Let the next game in, up to where it records."""
        self.hang_up()
        self._peer, _ = self._listening.accept()
        self._peer.settimeout(LIMIT)
        asked = b""
        while not asked.endswith(b"\r\n\r\n"):
            asked += self._peer.recv(1 << 16)
        key = re.search(rb"(?i)sec-websocket-key: *(\S+)", asked)
        assert key is not None
        guid = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        accept = base64.b64encode(hashlib.sha1(key[1] + guid).digest())
        self._peer.sendall(
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"sec-websocket-accept:   " + accept + b"\r\n\r\n"
        )
        for sequence, answer in ((1, {"is": "welcome", "origin": "game#1"}), (2, {"is": "done"})):
            result = {"origin": "service", "sequence": sequence, "answer": answer}
            self.say(framed(1, json.dumps(result).encode()))

    def say(self, data: bytes) -> None:
        """Send bytes as they are."""
        assert self._peer is not None
        self._peer.sendall(data)

    def hear(self, text: bytes) -> list[bytes]:
        """Read until the game has said a text with this in it; the frames that came before it."""
        frames = []
        while True:
            opcode, message = self._next()
            if opcode == 1 and text in message:
                return frames
            if opcode == 2:
                frames.append(message)

    def step(self) -> list[Any]:
        """Read the game's next step: what it asks or states before its next frame, and in it."""
        messages: list[Any] = []
        while (message := self._next())[0] != 2:
            if message[0] == 1:
                messages.append(json.loads(message[1])["ask"])
        return messages

    def _next(self) -> tuple[int, bytes]:
        opcode, size = (byte & 127 for byte in self._take(2))
        if size >= 126:
            size = int.from_bytes(self._take(2 if size == 126 else 8), "big")
        mask = self._take(4)
        data = self._take(size)
        whole = int.from_bytes(data, "big") ^ int.from_bytes((mask * (size // 4 + 1))[:size], "big")
        return opcode & 15, whole.to_bytes(size, "big")

    def _take(self, size: int) -> bytes:
        assert self._peer is not None
        while len(self._heard) < size:
            more = self._peer.recv(1 << 16)
            assert more, "the game has hung up"
            self._heard += more
        taken, self._heard = self._heard[:size], self._heard[size:]
        return taken

    def hang_up(self) -> None:
        if self._peer is not None:
            self._peer.close()
        self._peer, self._heard = None, b""

    def __enter__(self) -> "Speaking":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.hang_up()
        self._listening.close()
