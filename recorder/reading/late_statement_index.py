"""The index of late statements: recorded in one frame, they belong to an older one.

A statement of another process is written into the frame that is open when it arrives, with
`belongs_to`, the frame that it is about. Frames that contain such statements have a version of
`Kind.LATE`, so that a reader of an older frame reads those frames and no others.
"""

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from ...errors import DamagedError
from ...native.ring_type_aliases import RUN_LATCHED
from ..packets.layouts.plain_value_codec import decode
from ..packets.packet_types import Kind, PacketType
from ..packets.trace_types import TRACE_TYPES
from .raw_frames import RawFrames, body

_DECIDED = frozenset(int(type) for type in TRACE_TYPES)
_BELONGING = _DECIDED | {int(PacketType.LOG)}
"""Types of packets that can belong to an older frame."""
_MOST_CACHED = 256
"""Frames whose late packets a reader remembers."""
_MOST = 1 << 20
"""Versions that are asked for at once; a ring that was made to do harm may claim any number."""


class LateIndex(msgspec.Struct, frozen=True, array_like=True):
    """What a frame with late things latches as `Kind.LATE`. All numbers are of frames."""

    reach: int
    """The most frames that lie between a recorded late thing and the frame it belongs to."""
    oldest: int
    """The oldest frame that something late in this frame belongs to."""
    newest: int
    """The newest frame that something late in this frame belongs to."""
    overtaken: int = 0
    """The newest frame up to this one with a late transition that was no present state any more
    when it came; 0 if there is none."""


class LatePacket(NamedTuple):
    """A late statement, as the frame holds it that it was recorded in."""

    recorded: int
    belongs: int
    object: int
    type: int
    machine: str
    """The machine of a state transition."""
    gone: int
    """For a state transition: see `StateTransition.gone`."""
    overtaken: bool
    """For a state transition: whether it is not latched as its machine's state."""
    payload: bytes


class _Belonging(msgspec.Struct):
    """The part of a trace or a line that names the frame that it belongs to."""

    belongs_to: int = 0
    machine: str = ""
    gone: int = 0


def frame_of(belongs_to: int, recorded: int) -> int:
    """The frame that something belongs to; if invalid, where it was recorded."""
    return belongs_to if 0 < belongs_to < recorded else recorded


class LateReader:
    """Finds what belongs to a frame but was recorded after it. For one thread."""

    def __init__(self, frames: RawFrames) -> None:
        self._frames = frames
        self._found: dict[int, tuple[LatePacket, ...]] = {}
        self._queried = (0, 0)
        """The frame that was queried last, and which was the newest then."""
        self._late_frames: list[tuple[int, LateIndex]] = []
        self._newest: tuple[int, LateIndex | None] = (0, None)
        """The index at the frame that was the newest at the last query."""

    def lines(self, frame: int) -> list[LatePacket]:
        """The log lines that belong to a frame, in the order in which they came."""
        return [packet for packet in self._of(frame) if packet.type == PacketType.LOG]

    def decisions(self, frame: int) -> list[LatePacket]:
        """The traces that belong to a frame, in the order in which they came."""
        return [packet for packet in self._of(frame) if packet.type in _DECIDED]

    def transitions(self, frame: int) -> list[LatePacket]:
        """Transitions recorded after a frame that belong to it or to older ones, in that order."""
        return [
            packet
            for recorded, late in self._after(frame)
            if late.oldest <= frame
            for packet in self.held(recorded)
            if packet.type == PacketType.STATE and packet.belongs <= frame
        ]

    def history(self, frame: int, since: int) -> list[LatePacket]:
        """What the latched transitions up to a frame lack: those overtaken, then `transitions`.

        Of those overtaken only what was recorded after the frame `since`.
        """
        newest = self._frames.newest
        if newest is None or self._at_newest(newest[0]) is None:
            return []
        return [*self._overtaken(frame, since), *self.transitions(frame)]

    def _overtaken(self, frame: int, since: int) -> Iterator[LatePacket]:
        oldest = self._frames.oldest
        while oldest is not None and frame >= max(since + 1, oldest[0]):
            late = self._late(frame)
            if late is None or not max(since + 1, oldest[0]) <= late.overtaken <= frame:
                return
            yield from (packet for packet in self.held(late.overtaken) if packet.overtaken)
            frame = late.overtaken - 1

    def _of(self, frame: int) -> Iterator[LatePacket]:
        for recorded, late in self._after(frame):
            if late.oldest <= frame <= late.newest:
                yield from (p for p in self.held(recorded) if p.belongs == frame)

    def _after(self, frame: int) -> list[tuple[int, LateIndex]]:
        """The frames that can hold something late for a frame, oldest first."""
        newest = self._frames.newest
        if newest is None or newest[0] <= frame:
            return []
        if self._queried != (frame, newest[0]):  # else all is as it was: frames never change
            self._late_frames = self._look(frame, newest[0])
            self._queried = (frame, newest[0])
        return self._late_frames

    def _look(self, frame: int, newest: int) -> list[tuple[int, LateIndex]]:
        late = self._at_newest(newest)
        if late is None or late.reach < 1:
            return []
        until = min(frame + late.reach, newest)
        rows = self._frames.versions(until, 0, Kind.LATE, 0, min(until - frame, _MOST))
        return [
            (recorded, decode(payload, LateIndex))
            for recorded, _, payload in reversed(rows)
            if recorded > frame and payload is not None
        ]

    def _at_newest(self, newest: int) -> LateIndex | None:
        """Called for each frame that is read, but the same until there is a newer one."""
        if self._newest[0] != newest:
            self._newest = newest, self._late(newest)
        return self._newest[1]

    def _late(self, frame: int) -> LateIndex | None:
        found = self._frames.latched(frame, 0, Kind.LATE, 0)
        return None if found is None else decode(found[2], LateIndex)

    def held(self, recorded: int) -> tuple[LatePacket, ...]:
        """The late packets of a frame. A finished frame never changes, so they are cached."""
        found = self._found.get(recorded)
        if found is None:
            try:
                found = tuple(self._read(recorded))
            except DamagedError:  # reported when that frame itself is read
                found = ()
            if len(self._found) >= _MOST_CACHED:
                del self._found[next(iter(self._found))]
            self._found[recorded] = found
        return found

    def _read(self, recorded: int) -> Iterator[LatePacket]:
        for row in self._frames.packets(recorded):
            if row[1] not in _BELONGING:
                continue
            payload = body(row)
            try:
                belonging = decode(payload, _Belonging)
            except DamagedError:  # found when its own frame is read; here it may hide no other
                continue
            belongs = frame_of(belonging.belongs_to, recorded)
            if belongs != recorded:
                state = row[1] == PacketType.STATE
                yield LatePacket(
                    recorded, belongs, row[0], row[1], belonging.machine if state else "",
                    belonging.gone if state else 0, state and not row[7] & RUN_LATCHED, payload,
                )  # fmt: skip
