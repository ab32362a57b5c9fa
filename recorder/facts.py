"""Latched facts on the recording side: what stays true, and the numbers that stand for texts."""

from typing import Any

import msgspec

from ..native.ring import FrameRing
from .encoding import encode
from .kinds import Kind, PacketType
from .marks import Mark

UNKNOWN_TEXT = 0
"""Stands for the empty text, and for one that found no room in the latch area."""
_REMEMBERED = 1024
"""Objects of which it is remembered when they ended."""


class Facts:
    """Writes facts into the frame that is open, or keeps them for the next one that opens."""

    def __init__(self, ring: FrameRing) -> None:
        self._ring = ring
        self._numbers: dict[str, int] = {}
        self._waiting: dict[tuple[int, Kind, int], bytes] = {}
        self.objects: set[int] = set()
        """Objects for which something is latched."""
        self.ended: dict[int, int] = {}
        """The objects that ended last, and from which frame on they are gone."""
        self.stated: set[tuple[int, int]] = set()
        """Agents and numbers of the machines that have a transition in the open frame."""

    @property
    def next_frame(self) -> int:
        """The id of the frame that is being recorded, or will be next."""
        newest = self._ring.newest
        return self._ring.accounts["frames_recorded"] + 1 if newest is None else newest[0] + 1

    def number(self, text: str) -> int:
        """The number that stands for a text in this recording; 0 if there is no room for it."""
        found = self._numbers.get(text)
        if found is None:
            if not text:
                return UNKNOWN_TEXT
            found = len(self._numbers) + 1
            if not self.put(0, Kind.STRING, found, text, str):
                return UNKNOWN_TEXT
            self._numbers[text] = found
        return found

    def put(self, object: int, kind: Kind, key: int, value: Any, type: Any = Any) -> bool:
        """Latch a value; False if the latch area has no room for it.

        Raises:
            RecordingError: the value is not plain, or not what `type` says.
        """
        payload = encode(value, type)
        if not self._ring.raw.is_open:
            self._waiting[object, kind, key] = payload
            return True
        return self._latch(object, PacketType.FACT, 0, kind, key, payload)

    def put_named(
        self, object: int, kind: Kind, name: str, payload: bytes,
        type: PacketType = PacketType.FACT, channels: int = 0,
    ) -> bool:  # fmt: skip
        """Latch encoded bytes in the open frame under a text; False if there is no room."""
        key = self.number(name)
        if name and key == UNKNOWN_TEXT:
            return False  # or all names without room would stand for one another
        if kind is Kind.STATE:
            self.stated.add((object, key))
        return self._latch(object, type, channels, kind, key, payload)

    def mark(self, mark: Mark, belongs_to: int = 0) -> bool:
        """Set a mark at the open frame, or at an older one; False if there is no room for it."""
        placed = msgspec.structs.replace(mark, frame=belongs_to or self.next_frame)
        payload = encode(placed, Mark)
        return self._latch(0, PacketType.MARK, 0, Kind.MARK, 0, payload)

    def flush(self) -> None:
        """Write what waited for this frame to open."""
        if self._waiting:
            waiting, self._waiting = self._waiting, {}
            for (object, kind, key), payload in waiting.items():
                self._latch(object, PacketType.FACT, 0, kind, key, payload)

    def end(self, object: int) -> None:
        """The object is gone: from this frame on nothing is latched for it."""
        self.objects.discard(object)
        self._ring.despawn(object, PacketType.TOMBSTONE)
        self.ended.pop(object, None)
        self.ended[object] = self.next_frame
        if len(self.ended) > _REMEMBERED:
            del self.ended[next(iter(self.ended))]

    def _latch(
        self, object: int, type: PacketType, channels: int, kind: Kind, key: int, payload: bytes
    ) -> bool:
        if not self._ring.latch(object, type, channels, kind, key, payload):
            return False
        if object:
            self.objects.add(object)
        return True
