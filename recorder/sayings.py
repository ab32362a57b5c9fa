"""What games and agents say, written into the open frame; where it comes from is others' affair."""

from typing import Any

from ..errors import RecordingError
from ..native.ring import FrameRing
from .channels import Channels
from .facts import Facts
from .kinds import Kind, PacketType
from .logs import WATCH
from .marks import Mark
from .primitives import PLACED, Site

_ORIGIN = (0.0, 0.0, 0.0)


def not_a_number(name: str, value: Any) -> RecordingError:
    """What is raised where somebody watches a value that is no number."""
    return RecordingError(
        f"watch {name!r}: {value!r:.100} is no number: watch a number, or log() a text"
    )


class Sayings:
    """Writes what was said. Each answers whether it is in the frame now.

    What has no room is counted by the ring. What can't be recorded raises RecordingError.
    """

    def __init__(self, ring: FrameRing, facts: Facts, channels: Channels) -> None:
        self._ring, self._facts, self._channels = ring, facts, channels

    def primitive(
        self, type: PacketType, object: int, channel: str | None, latch: str | None,
        position: Any, angles: Any, site: Site, head: Any, tail: bytes,
    ) -> bool:  # fmt: skip
        """A debug drawing."""
        bits = 0 if channel is None else self._channels.bit(channel)
        if not self._channels.records(bits):
            return False
        packer, color, *rest = head
        payload = packer.pack(color, self._facts.number(site[0]), site[1], *rest) + tail
        if latch is None:
            return self._ring.record(object, type, False, position, angles, payload, bits)
        placed = PLACED.pack(*position, *angles, bits) + payload
        return self._facts.put_named(object, Kind.DRAWN, latch, placed, type, bits)

    def decision(
        self, type: PacketType, agent: int, key: str, payload: bytes, present: bool = True
    ) -> bool:
        """A trace. `present` is False for a transition to what is no present state any more."""
        latches = type is PacketType.STATE and present
        if latches and self._facts.put_named(agent, Kind.STATE, key, payload, type):
            return True
        # Also a transition for which the latch area has no room: its own frame tells of it.
        return self._ring.record(agent, type, False, _ORIGIN, _ORIGIN, payload)

    def has_tree(self, agent: int, tree: str) -> bool:
        """Whether a behaviour tree is defined for an agent; for any thread."""
        return self._facts.has_tree(agent, tree)

    def watch(self, name: str, value: float, object: int) -> bool:
        """A named number."""
        payload = WATCH.pack(self._facts.number(name), 0, value)
        return self._ring.record(object, PacketType.WATCH, False, _ORIGIN, _ORIGIN, payload)

    def log(self, object: int, channel: str | None, payload: bytes) -> bool:
        """A line of the log."""
        bits = 0 if channel is None else self._channels.bit(channel)
        if not self._channels.records(bits):
            return False
        return self._ring.record(object, PacketType.LOG, False, _ORIGIN, _ORIGIN, payload, bits)

    def fact(self, object: int, kind: Kind, key: str, payload: bytes) -> bool:
        """A name, a fact or the nodes of a tree."""
        return self._facts.put_named(object, kind, key, payload)

    def mark(self, mark: Mark, belongs_to: int = 0) -> bool:
        """A mark, of the open frame or of an older one."""
        return self._facts.mark(mark, belongs_to)

    def end(self, object: int) -> None:
        """An object is gone."""
        self._facts.end(object)
