"""A proxy in front of a gateway that cuts the connection in the middle of a frame."""

import selectors
import socket
import threading
from types import TracebackType
from urllib.parse import urlsplit

from ...support.waits import LIMIT


class Cutting:
    """Passes everything on until a game's `after`-th frame is through, then half of the next one.

    Args:
        url: The gateway's.
        after: Whole frames to pass on.
    """

    def __init__(self, url: str, *, after: int) -> None:
        parts = urlsplit(url)
        self._gateway = (parts.hostname, parts.port)
        self._left = after
        self._listening = socket.create_server(("127.0.0.1", 0))
        port = self._listening.getsockname()[1]
        self.url = f"ws://127.0.0.1:{port}{parts.path or '/'}?{parts.query}"
        self._cut, self._end = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="cutting proxy")
        self._thread.start()

    def wait(self) -> None:
        """Until half a frame has been passed on; nothing follows it."""
        assert self._cut.wait(LIMIT), "the game has not sent so many frames"

    def close(self) -> None:
        """Close both ends; the gateway has got half a frame then."""
        self._end.set()
        self._thread.join(LIMIT)

    def __enter__(self) -> "Cutting":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _run(self) -> None:
        with self._listening, selectors.DefaultSelector() as selector:
            self._listening.settimeout(0.1)
            while not self._end.is_set():
                try:
                    game, _ = self._listening.accept()
                except TimeoutError:
                    continue
                with game, socket.create_connection(self._gateway) as gateway:
                    selector.register(game, selectors.EVENT_READ)
                    selector.register(gateway, selectors.EVENT_READ)
                    self._pass_on(selector, game, gateway)
                return

    def _pass_on(
        self, selector: selectors.BaseSelector, game: socket.socket, gateway: socket.socket
    ) -> None:
        shaken, held = False, b""
        while not self._end.is_set():
            for key, _ in selector.select(0.1):
                try:
                    data = key.fileobj.recv(1 << 16)  # type: ignore[union-attr]
                except ConnectionResetError:
                    data = b""
                if not data:
                    selector.unregister(key.fileobj)
                    if not selector.get_map() or not self._cut.is_set():
                        return
                elif key.fileobj is gateway:
                    if not self._cut.is_set():
                        game.sendall(data)
                elif not self._cut.is_set():
                    held += data
                    if not shaken:
                        head, end, rest = held.partition(b"\r\n\r\n")
                        if not end:
                            continue
                        gateway.sendall(head + end)
                        shaken, held = True, rest
                    held = self._forward(gateway, held)

    def _forward(self, gateway: socket.socket, held: bytes) -> bytes:
        """Pass on the whole WebSocket frames in what is held; what remains."""
        while (size := _size(held)) is not None:
            if held[0] & 15 == 2:
                if self._left == 0:
                    gateway.sendall(held[: size // 2])
                    self._cut.set()
                    return b""
                self._left -= 1
            gateway.sendall(held[:size])
            held = held[size:]
        return held


def _size(data: bytes) -> int | None:
    """Bytes of the masked WebSocket frame at the front, None if it is not all there."""
    if len(data) < 2:
        return None
    size, head = data[1] & 127, 6
    if size >= 126:
        more = 2 if size == 126 else 8
        if len(data) < 2 + more:
            return None
        size, head = int.from_bytes(data[2 : 2 + more], "big"), 6 + more
    return head + size if len(data) >= head + size else None
