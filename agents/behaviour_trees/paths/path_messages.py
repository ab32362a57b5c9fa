"""The messages between the game's process and the path search process."""

import struct
from typing import IO, Literal

import msgspec

from ....games.tree_body_interface import Place, Point
from ....games.walk_map import WalkMap

Status = Literal["found", "unreachable", "timed out", "lost"]
_LENGTH = struct.Struct("<I")
_MOST = 64_000_000


class NewMap(msgspec.Struct, frozen=True, tag="map"):
    """Search this map from now on."""

    map: WalkMap


class PathRequest(msgspec.Struct, frozen=True, tag="request"):
    """Ask for a way."""

    id: int
    start: Place
    goal: Place
    only_whether: bool = False
    """Only whether there is one."""


class PathAnswer(msgspec.Struct, frozen=True):
    """What came of a request. `lost`: the process died again and again."""

    id: int
    status: Status
    points: tuple[Point, ...] = ()


Message = NewMap | PathRequest


def send(stream: IO[bytes], message: msgspec.Struct) -> None:
    """Write a message with its length."""
    data = msgspec.msgpack.encode(message)
    stream.write(_LENGTH.pack(len(data)) + data)
    stream.flush()


def receive(stream: IO[bytes]) -> bytes | None:
    """The next message; None at the end, also where the end cuts a message off."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    if length > _MOST:
        return None
    data = stream.read(length)
    return data if len(data) == length else None
