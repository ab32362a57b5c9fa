"""What surrounds the playhead: where the selected object was and will be, and its curves."""

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from ...errors import PlayheadError
from ...recorder.reader import FrameSource
from .moment import Seen

BEFORE, AFTER = 240, 180
"""Frames that are looked at on both sides."""
_KEPT = 2048
_MOST_NUMBERS = 4


class Spot(NamedTuple):
    """The selected object in one frame."""

    time: float
    position: tuple[float, float, float]
    numbers: Mapping[str, float]
    """Its fields that are numbers; a vector by its length."""


class Around:
    """Remembers spots of one object; for the reader's thread."""

    def __init__(self, object: int = 0) -> None:
        self.object = object
        self._spots: OrderedDict[int, Spot | None] = OrderedDict()
        """None where the object is not in the frame."""

    def put(self, frame: int, time: float, seen: Seen | None) -> None:
        """Say how it is in a frame that was read anyway."""
        spot = None
        if seen is not None:
            spot = Spot(time, seen.packet.position, numbers_of(seen.values))
        self._spots[frame] = spot
        self._spots.move_to_end(frame)
        if len(self._spots) > _KEPT:
            self._spots.popitem(last=False)

    def missing(self, frame: int, oldest: int, newest: int) -> Iterator[int]:
        """The frames to be read, the near ones first."""
        for away in range(1, max(BEFORE, AFTER) + 1):
            if away <= BEFORE and frame - away >= oldest and frame - away not in self._spots:
                yield frame - away
            if away <= AFTER and frame + away <= newest and frame + away not in self._spots:
                yield frame + away

    def read(self, source: FrameSource, frame: int) -> None:
        """Look at the object in a frame; one that can't be read has nothing."""
        self._spots[frame] = None
        try:
            time = source.stamp(frame).time
            for packet in source.objects(frame):
                if packet.id != self.object:
                    continue
                layout = source.layout(frame, packet.type)
                values = {} if layout is None or packet.damaged else layout.decode(packet.payload)
                self._spots[frame] = Spot(time, packet.position, numbers_of(values))
        except PlayheadError:
            return

    def told(self, frame: int) -> dict[int, Spot]:
        """The spots near a frame, in order."""
        return {
            at: spot
            for at in range(frame - BEFORE, frame + AFTER + 1)
            if (spot := self._spots.get(at)) is not None
        }


def numbers_of(values: Mapping[str, Any]) -> dict[str, float]:
    """The fields that can be plotted; a vector by its length."""
    told: dict[str, float] = {}
    for name, value in values.items():
        array = np.asarray(value)
        if array.dtype.kind not in "biuf" or array.size > _MOST_NUMBERS or not array.size:
            continue
        told[name] = float(array) if array.ndim == 0 else float(np.linalg.norm(array))
    return told
