"""Writes latched facts, which stay true from frame to frame, and numbers the texts they use."""

import logging
from typing import Any

import msgspec

from ..native.ring import FrameRing
from .packets.layouts.plain_value_codec import encode
from .packets.mark import Mark
from .packets.packet_types import Kind, PacketType
from .packets.recording_losses import RecordedLoss
from .text.safe_log import log_safely

MARK_ROOM = 4096
"""Bytes of a mark for which room is kept, whatever else is latched …"""
SMALL_MARK_SHARE = 32
"""… and in a latch area too small for that, one part in this many of it."""
_RESERVED = {Kind.EPOCH: 64, Kind.LATE: 64, Kind.RECORDED: 256}
"""Bytes that are kept for other facts about the recording itself …"""
RESERVED_LOSSES = 4
"""… for so many losses, …"""
LOSS_ROOM = 400
"""… and for each of these."""
_logger = logging.getLogger("playhead")

UNKNOWN_TEXT = 0
"""The number of the empty text, and of one that found no room in the latch area."""
_STATEMENT_KINDS = (
    Kind.NAME, Kind.STATE, Kind.TREE, Kind.SKELETON, Kind.DRAWN, Kind.FACT, Kind.PHASE,
    Kind.TREE_STATE, Kind.DECISION_STATE, Kind.DECISION_MAKER,
)  # fmt: skip
"""Kinds that games and agents state; all else latched of the world is the recording's own."""
_MOST_WITH_TREES = 1 << 16
"""Objects of which it is remembered which trees they have."""
_REMEMBERED = 1024
"""Objects of which it is remembered when they ended."""


class LatchWriter:
    """Writes facts into the frame that is open, or keeps them for the next one that opens."""

    def __init__(self, ring: FrameRing) -> None:
        self._ring = ring
        self._mark_room = self._reserve()
        self._is_refusal_logged = self._is_eviction_logged = False
        self._numbers: dict[str, int] = {}
        self._waiting: dict[tuple[int, Kind, int], bytes] = {}
        self.objects: set[int] = set()
        """Objects for which something is latched."""
        self.trees: dict[int, set[int]] = {}
        """The numbers of the behaviour trees that are defined for each object."""
        self.tree_states = 0
        """The number of complete states of behaviour trees that were recorded; numbers each."""
        self.decision_states = 0
        """The number of decisions whose inputs were all recorded; likewise."""
        self.ended: dict[int, int] = {}
        """The objects that ended last, and from which frame on they are gone."""
        self.stated: set[tuple[int, int]] = set()
        """Agents and numbers of the machines that have a transition in the open frame."""

    def _reserve(self) -> int:
        if not self._ring.reserve(0, Kind.MARK, 0, MARK_ROOM):
            room = self._ring.accounts["latch_capacity"] // SMALL_MARK_SHARE
            return room if self._ring.reserve(0, Kind.MARK, 0, room) else 0
        for kind, size in _RESERVED.items():
            self._ring.reserve(0, kind, 0, size)
        for number in range(RESERVED_LOSSES):
            self._ring.reserve(0, Kind.LOSS, number, LOSS_ROOM)
        return MARK_ROOM

    @property
    def next_frame(self) -> int:
        """The id of the frame that is being recorded, or will be next."""
        newest = self._ring.newest
        return self._ring.accounts["frames_recorded"] + 1 if newest is None else newest[0] + 1

    def number(self, text: str) -> int:
        """The number of a text in this recording; 0 if there is no room for it."""
        found = self._numbers.get(text)
        if found is None:
            if text == "":
                return UNKNOWN_TEXT
            found = len(self._numbers) + 1
            if not self.latch(0, Kind.STRING, found, text, str):
                return UNKNOWN_TEXT
            self._numbers[text] = found
        return found

    def latch(self, object: int, kind: Kind, key: int, value: Any, type: Any = Any) -> bool:
        """Latch a value; False if the latch area has no room for it.

        Raises:
            RecordingError: the value is not plain, or not of the type `type`.
        """
        payload = encode(value, type)
        if not self._ring.raw.is_open:
            self._waiting[object, kind, key] = payload
            return True
        return self._latch(object, PacketType.FACT, 0, kind, key, payload)

    def latch_named(
        self, object: int, kind: Kind, name: str, payload: bytes,
        type: PacketType = PacketType.FACT, channels: int = 0,
    ) -> bool:  # fmt: skip
        """Latch encoded bytes in the open frame under a text; False if there is no room."""
        key = self.number(name)
        if name and key == UNKNOWN_TEXT:
            return False  # or all names without room would mean one another
        if kind is Kind.STATE:
            self.stated.add((object, key))
        latched = self._latch(object, type, channels, kind, key, payload)
        if kind is Kind.TREE and (object in self.trees or len(self.trees) < _MOST_WITH_TREES):
            self.trees.setdefault(object, set()).add(key)  # ticks are recorded without room for it
        return latched

    def has_tree(self, agent: int, tree: str) -> bool:
        """Whether a behaviour tree of that name is defined for an agent; for any thread."""
        return self._numbers.get(tree, UNKNOWN_TEXT) in self.trees.get(agent, ())

    def mark(self, mark: Mark, belongs_to: int = 0) -> bool:
        """Set a mark at the open frame, or at an older one; False if there is no room for it.

        Where the latch area is full and the mark is longer than the room that is kept for one,
        its texts are cut to that.
        """
        placed = msgspec.structs.replace(mark, frame=belongs_to or self.next_frame)
        payload = encode(placed, Mark)
        if self._latch(0, PacketType.MARK, 0, Kind.MARK, 0, payload):
            return True
        if not self._mark_room or len(payload) <= self._mark_room:
            return False
        cut = encode(shortened(placed, self._mark_room), Mark)
        return self._latch(0, PacketType.MARK, 0, Kind.MARK, 0, cut)

    def loss(self, number: int, loss: RecordedLoss) -> bool:
        """Latch what the recording lacks; False if there is no room, not even with its texts cut.

        Room is kept for the first few.
        """
        payload = encode(loss, RecordedLoss)
        if self._latch(0, PacketType.FACT, 0, Kind.LOSS, number, payload):
            return True
        if len(payload) <= LOSS_ROOM:
            return False
        texts = {"cause": 60, "what": 60, "text": 180}
        cut = {name: _cut(getattr(loss, name), size) for name, size in texts.items()}
        payload = encode(msgspec.structs.replace(loss, **cut), RecordedLoss)
        return self._latch(0, PacketType.FACT, 0, Kind.LOSS, number, payload)

    def log_losses(self) -> None:
        """Log once that frames are evicted early, if they are."""
        if self._is_eviction_logged or not self._ring.accounts["latch_evicted"]:
            return
        self._is_eviction_logged = True
        log_safely(
            _logger,
            logging.WARNING,
            "the latch area of %d bytes is full: the oldest frames are evicted before their memory"
            " is needed, as far as that gives back the room of objects that are gone; a recorder"
            " with a larger `latch` holds more frames",
            self._ring.accounts["latch_capacity"],
        )

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
        self._remember_end(object)

    def end_all(self) -> None:
        """Another game begins: from this frame on nothing latched by the one before holds."""
        for object in sorted(self.objects):
            self.end(object)
        for kind in _STATEMENT_KINDS:
            self._ring.despawn(0, PacketType.TOMBSTONE, kind)
        self._remember_end(0)
        self.trees.clear()

    def _remember_end(self, object: int) -> None:
        self.trees.pop(object, None)
        self.ended.pop(object, None)
        self.ended[object] = self.next_frame
        if len(self.ended) > _REMEMBERED:
            del self.ended[next(iter(self.ended))]

    def _latch(
        self, object: int, type: PacketType, channels: int, kind: Kind, key: int, payload: bytes
    ) -> bool:
        if not self._ring.latch(object, type, channels, kind, key, payload):
            if not self._is_refusal_logged:
                self._log_refusal(object, kind, len(payload))
            return False
        if object:
            self.objects.add(object)
        return True

    def _log_refusal(self, object: int, kind: Kind, size: int) -> None:
        accounts = self._ring.accounts
        if not accounts["latch_refused"]:
            return  # it was the frame that had no room: its packets are counted as dropped
        self._is_refusal_logged = True
        is_cut = kind is Kind.MARK and 0 < self._mark_room < size  # see `mark`
        fate = "its texts are cut" if is_cut else "it was refused"
        log_safely(
            _logger, logging.ERROR,
            "the latch area has no room for a %s of %d bytes of object %d in frame %d, so %s:"
            " %d of %d bytes are used, by %d keys that have not ended; later refusals are counted"
            " in status.latch_refused; give the recorder a larger `latch`, or despawn what is gone",
            kind.name.lower(), size, object, self.next_frame, fate,
            accounts["latch_used"], accounts["latch_capacity"], accounts["latch_keys"],
        )  # fmt: skip


def shortened(mark: Mark, size: int) -> Mark:
    """A mark whose texts are cut so far that it has `size` bytes at most."""
    texts = {name: getattr(mark, name) for name in ("name", "note", "expression", "file")}
    longest = max(len(text.encode()) for text in texts.values())
    while longest > 8 and len(encode(mark, Mark)) > size:
        longest //= 2
        cut = {name: _cut(text, longest) for name, text in texts.items()}
        mark = msgspec.structs.replace(mark, **cut)
    return mark


def _cut(text: str, size: int) -> str:
    encoded = text.encode()
    return text if len(encoded) <= size else encoded[: size - 3].decode(errors="ignore") + "…"
