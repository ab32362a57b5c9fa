"""Latched facts on the recording side: what stays true, and the numbers that stand for texts."""

from typing import Any

import msgspec

from ..native.ring import FrameRing
from .kinds import Kind, PacketType

_encode = msgspec.msgpack.Encoder().encode

UNKNOWN_TEXT = 0
"""Stands for a text that found no room in the latch area."""


class Facts:
    """Writes facts into the frame that is open, or keeps them for the next one that opens."""

    def __init__(self, ring: FrameRing) -> None:
        self._ring = ring
        self._numbers: dict[str, int] = {}
        self._waiting: dict[tuple[int, Kind, int], tuple[bytes, PacketType]] = {}
        self.objects: set[int] = set()
        """Objects for which something is latched."""

    def number(self, text: str) -> int:
        """The number that stands for a text in this recording; 0 if there is no room for it."""
        found = self._numbers.get(text)
        if found is None:
            found = len(self._numbers) + 1
            if not self.put(0, Kind.STRING, found, text):
                return UNKNOWN_TEXT
            self._numbers[text] = found
        return found

    def put(self, object: int, kind: Kind, key: int, value: Any) -> bool:
        """Latch a value; False if the latch area has no room for it."""
        return self.put_bytes(object, kind, key, _encode(value), PacketType.FACT)

    def put_bytes(
        self, object: int, kind: Kind, key: int, payload: bytes, type: PacketType, channels: int = 0
    ) -> bool:
        """Latch a payload that is encoded already."""
        if not self._ring.raw.is_open:
            self._waiting[object, kind, key] = (payload, type)
            return True
        if not self._ring.latch(object, type, channels, kind, key, payload):
            return False
        if object:
            self.objects.add(object)
        return True

    def flush(self) -> None:
        """Write what waited for this frame to open."""
        if self._waiting:
            waiting, self._waiting = self._waiting, {}
            for (object, kind, key), (payload, type) in waiting.items():
                self.put_bytes(object, kind, key, payload, type)

    def end(self, object: int) -> None:
        """The object is gone: from this frame on nothing is latched for it."""
        self.objects.discard(object)
        self._ring.despawn(object, PacketType.TOMBSTONE)
