"""A recording, a game and a clock that the playback tests hold in memory."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
import pytest

from playhead.errors import CommandError, EvictedError
from playhead.playback.playhead import Playhead
from playhead.recorder.packets.recorded_frame import FrameRange, FrameStamp, Packet

from ..support.fake_world import FakeWorld


class Mark(NamedTuple):
    name: str
    frame: int


class Frame(NamedTuple):
    stamp: FrameStamp
    objects: list[Packet]
    types: frozenset[str]


class FakeSource:
    """Frames in a list; `evict` takes the oldest away, `looks` counts the stamps looked at."""

    def __init__(self) -> None:
        self.frames: dict[int, Frame] = {}
        self.named: list[Mark] = []
        self.looks = 0

    def add(
        self, time: float, delta: float, objects: Sequence[Packet] = (), types: Sequence[str] = ()
    ) -> int:
        number = max(self.frames, default=0) + 1
        stamp = FrameStamp(number, None, None, time, delta, len(objects), 0, 0)
        self.frames[number] = Frame(stamp, list(objects), frozenset(types))
        return number

    def evict(self) -> None:
        del self.frames[min(self.frames)]

    @property
    def span(self) -> FrameRange | None:
        if not self.frames:
            return None
        oldest, newest = min(self.frames), max(self.frames)
        return FrameRange(
            oldest, newest, self.frames[oldest].stamp.time, self.frames[newest].stamp.time
        )

    def frame_at(self, time: float) -> int:
        if time != time:
            raise CommandError(f"{time} is no time")
        if not self.frames:
            raise EvictedError("nothing is held")
        return max((n for n, f in self.frames.items() if f.stamp.time <= time), default=0) or min(
            self.frames
        )

    def _frame(self, frame: int) -> Frame:
        if frame not in self.frames:
            raise EvictedError(f"frame {frame} is not held")
        return self.frames[frame]

    def stamp(self, frame: int) -> FrameStamp:
        self.looks += 1
        return self._frame(frame).stamp

    def packets(self, frame: int) -> list[Packet]:
        return self.objects(frame)

    def objects(self, frame: int) -> list[Packet]:
        return list(self._frame(frame).objects)

    def recorded_types(self, frame: int) -> frozenset[str]:
        return self._frame(frame).types

    def step(self, frame: int, frames: int) -> int:
        return frame + frames

    def settle(self, frame: int) -> int:
        return frame

    def stamps(self, start: int, end: int) -> Iterator[FrameStamp]:
        return (self.stamp(frame) for frame in range(start, end + 1))

    def latched(self, frame: int, object: int, kind: int, key: str) -> Any | None:
        return None

    def marks(self) -> list[Any]:
        return list(self.named)


@dataclass
class Thing:
    """An object of the fake game: a number to restore, and whether it is seen."""

    type: str
    value: float = 0.0
    visible: bool = True


@dataclass
class Player:
    """The playing half for things; raises for the values it is told to."""

    broken: set[float] = field(default_factory=set)
    played: list[tuple[int, float]] = field(default_factory=list)

    def play(self, obj: Thing, packet: Packet) -> None:
        value = float(packet.record("<f8"))
        self.played.append((packet.id, value))
        obj.value = -1.0  # half of the work, should the rest fail
        if value in self.broken:
            raise RuntimeError(f"can't play {value}")
        obj.value = value
        obj.visible = packet.visible


@dataclass
class Clock:
    """Wall time that passes when told to, and says when it was looked at."""

    now: float = 1000.0
    reads: int = 0

    def __call__(self) -> float:
        self.reads += 1
        return self.now


class Fakes:
    """What the tests build from; one for all, since it holds nothing."""

    Source = FakeSource
    World = FakeWorld
    Thing = Thing
    Player = Player
    Clock = Clock
    Mark = Mark

    @staticmethod
    def packet(
        object_id: int,
        value: float = 0.0,
        type: str = "thing",
        *,
        targetable: bool = True,
        visible: bool = True,
        damaged: bool = False,
    ) -> Packet:
        payload = b"" if damaged else np.float64(value).tobytes()
        where = (value, 0.0, 0.0)
        return Packet(
            object_id, type, targetable, visible, damaged, where, (0.0, 0.0, 0.0), 1, payload
        )

    @staticmethod
    def film(milliseconds: Sequence[float], start: float = 5.0) -> FakeSource:
        """A recording without objects: frames 1, 2, … with these deltas in milliseconds."""
        source = FakeSource()
        for delta, passed in zip(milliseconds, accumulate(milliseconds), strict=True):
            source.add(start + passed / 1000, delta / 1000)
        return source

    @staticmethod
    def playhead(source: FakeSource) -> tuple[Playhead, Any, Callable[[float], Any]]:
        """A playhead over it, its clock, and `pass_(seconds)`: time passes, then an update."""
        clock = Clock()
        playhead = Playhead(source, clock)

        def pass_(seconds: float) -> Any:
            playhead.update()
            clock.now += seconds
            return playhead.update()

        return playhead, clock, pass_


@pytest.fixture(scope="session")
def fakes() -> type[Fakes]:
    return Fakes
