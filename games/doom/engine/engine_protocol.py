"""The messages between a game and its engine's process, and the channel they travel on."""

import socket
import struct
import time

import msgspec

from ....errors import DamagedError
from ..scenario import Scenario

_LENGTH = struct.Struct("<I")
_LONGEST = 64 << 20
"""No message comes near it: a length beyond is a torn one."""

LOADED = "a saved game was loaded"
"""Why the episode before ended, where one was loaded."""


class StartEngine(msgspec.Struct, tag=True, frozen=True):
    """Begin the scenario; answered by its first `Tic`."""

    scenario: Scenario
    seed: int
    skill: int


class StepEngine(msgspec.Struct, tag=True, frozen=True):
    """Advance one tic with these buttons; answered by a `Tic`."""

    action: list[float]


class Survey(msgspec.Struct, tag=True, frozen=True):
    """Read the map's lines; answered by `MapLines`."""


class Look(msgspec.Struct, tag=True, frozen=True):
    """Give the picture of the newest tic; answered by `Screen`."""


class Save(msgspec.Struct, tag=True, frozen=True):
    """Save the game; answered by `Saved`. It costs the game two tics or three."""


class Load(msgspec.Struct, tag=True, frozen=True):
    """Go on from a saved game, the content of its file; answered by its first `Tic`."""

    data: bytes


class Close(msgspec.Struct, tag=True, frozen=True):
    """End the engine and this process; there is no answer but the end of the channel."""


class Tic(msgspec.Struct, tag=True, frozen=True):
    """All there is to know of one tic."""

    tic: int
    episode: int
    ended: str
    """Why the episode ended, at its last tic, which is sent twice then; at the first tic after a
    saved game was loaded, that. Else empty."""
    self_id: int
    ids: bytes
    types: bytes
    records: bytes
    new_names: list[str]
    """Doom classes seen for the first time: their indices go on from those known."""
    new_kinds: list[str]
    """What the engine takes each of them for, such as `Monster`."""
    variables: list[float]
    seen: bytes
    """The ids of what is on the player's screen; empty unless the scenario looks."""


class MapLines(msgspec.Struct, tag=True, frozen=True):
    """The map's lines, each once: `<f4` of shape (n, 2, 3), and a bool for each."""

    segments: bytes
    blocking: bytes


class Screen(msgspec.Struct, tag=True, frozen=True):
    """What the player's screen shows: height × width × 3, red, green and blue, row by row."""

    width: int
    height: int
    """0 where there is no picture, as the episode is over."""
    pixels: bytes


class Saved(msgspec.Struct, tag=True, frozen=True):
    """A saved game: the content of its file."""

    data: bytes


class Failed(msgspec.Struct, tag=True, frozen=True):
    """The engine refused; its process ends itself after this."""

    reason: str


Request = StartEngine | StepEngine | Survey | Look | Save | Load | Close
Answer = Tic | MapLines | Screen | Saved | Failed


class Channel:
    """A stream socket that carries whole messages: four bytes of length, then MessagePack."""

    def __init__(self, stream: socket.socket) -> None:
        self._stream = stream
        self._encoder = msgspec.msgpack.Encoder()
        self._requests: msgspec.msgpack.Decoder[Request] = msgspec.msgpack.Decoder(Request)
        self._answers: msgspec.msgpack.Decoder[Answer] = msgspec.msgpack.Decoder(Answer)

    def fileno(self) -> int:
        return self._stream.fileno()

    def close(self) -> None:
        self._stream.close()

    def send(self, message: Request | Answer) -> None:
        """Raises OSError if the other side is gone."""
        payload = self._encoder.encode(message)
        self._stream.sendall(_LENGTH.pack(len(payload)) + payload)

    def request(self) -> Request | None:
        """The next request, however long it takes; None if the client is gone."""
        try:
            return self._requests.decode(self._read(None))
        except (EOFError, OSError):
            return None

    def answer(self, deadline: float) -> Answer:
        """The next answer, which must be whole by `deadline` on the monotonic clock.

        Raises:
            EOFError: the other side is gone.
            TimeoutError: it was silent for too long.
            DamagedError: what came is no answer.
        """
        message = self._read(deadline)
        try:
            return self._answers.decode(message)
        except msgspec.DecodeError as error:
            raise DamagedError(
                f"an answer of {len(message)} bytes from Doom's engine can't be read: {error}"
            ) from None

    def drain(self, time_out: float) -> bool:
        """Read and forget until the other side is gone; False if it is still there after all."""
        deadline = time.monotonic() + time_out
        try:
            while True:
                self._await(deadline)
                if not self._stream.recv(1 << 16):
                    return True
        except TimeoutError:
            return False
        except OSError:
            return True

    def _read(self, deadline: float | None) -> bytearray:
        (length,) = _LENGTH.unpack(self._exactly(_LENGTH.size, deadline))
        if length > _LONGEST:
            raise DamagedError(f"a message of {length} bytes on Doom's channel: it is torn")
        return self._exactly(length, deadline)

    def _exactly(self, size: int, deadline: float | None) -> bytearray:
        data = bytearray(size)
        view = memoryview(data)
        while view:
            self._await(deadline)
            received = self._stream.recv_into(view)
            if not received:
                raise EOFError
            view = view[received:]
        return data

    def _await(self, deadline: float | None) -> None:
        if deadline is None:
            self._stream.settimeout(None)
            return
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._stream.settimeout(left)
