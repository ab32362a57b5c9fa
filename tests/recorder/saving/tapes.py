"""Rings with frames that anybody can record again: a small ring, and its twin that forgets none."""

import random
from typing import Any

from playhead.native import _ring
from playhead.native.ring import FrameRing
from playhead.native.ring_type_aliases import RUN_LATCHED
from playhead.recorder.clips.clip_file_reader import ClipFrames
from playhead.recorder.packets.layouts.plain_value_codec import encode
from playhead.recorder.packets.packet_types import Kind, PacketType

DT = 0.25
_ORDINAL = 24
"""Where a latched packet's payload says which version of its key it is."""


class Tape:
    """A ring that evicts, and a twin with the same frames that does not."""

    def __init__(self, memory: int = 64 << 10, latch: int = 16 << 10, twin: int = 8 << 20) -> None:
        self.ring = FrameRing(memory, latch=latch)
        self.twin = FrameRing(twin, latch=latch)
        self.frames = 0

    def frame(self, size: int = 900) -> None:
        """A frame of about that many bytes, the same in both."""
        self.frames += 1
        for ring in (self.ring, self.twin):
            make = random.Random(self.frames)
            ring.begin()
            if self.frames % 3 == 0:
                message = encode({"n": self.frames, "filler": "x" * make.randrange(40)})
                ring.latch(make.randrange(1, 4), PacketType.FACT, 0, Kind.FACT, 7, message)
            if self.frames % 11 == 0:
                ring.despawn(make.randrange(1, 4), PacketType.TOMBSTONE)
            payload = make.randbytes(size)
            ring.record(self.frames, 40, True, (self.frames, 0, 0), (0, 0, 0), payload)
            assert ring.commit(self.frames * DT, DT) == self.frames

    def record(self, frames: int, size: int = 900) -> None:
        for _ in range(frames):
            self.frame(size)

    @property
    def held(self) -> range:
        assert self.ring.oldest is not None
        assert self.ring.newest is not None
        return range(self.ring.oldest[0], self.ring.newest[0] + 1)

    def close(self) -> None:
        self.ring.close()
        self.twin.close()


def content(image: bytes) -> Any:
    """All of a frame's image but for its check and how often a latched key has changed: a ring
    that has forgotten a key begins to count it again."""
    *stamp, _, _ = _ring.image_stamp(image)
    packets = [list(packet) for packet in _ring.image_packets(image)]
    for packet in packets:
        if packet[7] & RUN_LATCHED:
            packet[8] = packet[8][:_ORDINAL] + packet[8][_ORDINAL + 8 :]
    return stamp, len(image), packets


def rows(held: Any) -> list[Any]:
    """What is latched, in an order that can be compared."""
    return sorted(held)


def frames_of(clip: ClipFrames) -> list[int]:
    """The frames that a clip holds."""
    found, frame = [], clip.oldest
    number = None if frame is None else frame[0]
    while number is not None:
        found.append(number)
        number = clip.following(number)
    return found


def assert_equal(clip: ClipFrames, tape: Tape) -> list[int]:
    """Each frame of a clip is the twin's, with what was latched at it; returns the frames.

    Where the twin knows more (versions from before the clip) it is left out.
    """
    frames = frames_of(clip)
    for frame in frames:
        assert content(clip.image(frame)) == content(tape.twin.image(frame))
        assert rows(clip.latched_all(frame)) == rows(tape.twin.latched_all(frame))
    missing = set(range(frames[0], frames[-1] + 1)) - set(frames)
    result = {frame for gap in clip.gaps for frame in range(gap.first, gap.last + 1)}
    assert result == missing
    return frames
