"""What surrounds the playhead: where the selected object was and will be, and its curves."""

import math
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from ...errors import PlayheadError
from ...native.ring_type_aliases import Run
from ...recorder.packets.packet_types import FIRST_OBJECT
from ...recorder.reading.frame_source import FrameSource
from ..reader.frame_snapshot import SceneObject
from ..reader.velocity_fields import Vector, vectors_of
from ..scene.object_columns import FrameObjects, groups_of
from ..scene.packet_columns import columns_of

BEFORE, AFTER = 240, 180
"""Frames that are looked at on both sides."""
_KEPT = 2048
_MOST_NUMBERS = 4


class PositionAt(NamedTuple):
    """The selected object in one frame."""

    time: float
    position: tuple[float, float, float]
    numbers: Mapping[str, float]
    """Its fields that are numbers; a vector by its length."""
    vectors: Mapping[str, Vector] = {}
    """How it moves and wants to: see `motion`."""


def position_at(time: float, seen: SceneObject) -> PositionAt:
    """An object as it is in a frame."""
    vectors = vectors_of(seen.values, seen.layout)
    return PositionAt(time, seen.packet.position, numbers_of(seen.values), vectors)


class PlayheadSurroundings:
    """Remembers spots of one object; for the reader's thread."""

    def __init__(self, object: int = 0) -> None:
        self.object = object
        self._positions: OrderedDict[int, PositionAt | None] = OrderedDict()
        """None where the object is not in the frame."""
        self._times: dict[int, float] = {}
        """The times of those frames, as far as they can be read."""

    def put(self, frame: int, time: float, seen: SceneObject | None) -> None:
        """Say how it is in a frame that was read anyway."""
        self._positions[frame], self._times[frame] = (
            None if seen is None else position_at(time, seen),
            time,
        )
        self._positions.move_to_end(frame)
        if len(self._positions) > _KEPT:
            self._times.pop(self._positions.popitem(last=False)[0], None)

    def missing(self, frame: int, oldest: int, newest: int) -> Iterator[int]:
        """The frames to be read, the near ones first."""
        for away in range(1, max(BEFORE, AFTER) + 1):
            if away <= BEFORE and frame - away >= oldest and frame - away not in self._positions:
                yield frame - away
            if away <= AFTER and frame + away <= newest and frame + away not in self._positions:
                yield frame + away

    def read(self, source: FrameSource, frame: int) -> None:
        """Look at the object in a frame; one that can't be read has nothing."""
        self._positions[frame] = None
        try:
            self._times[frame] = time = source.stamp(frame).time
            # One object of hundreds: the others are not even taken out of their columns.
            mine = [run for run in source.runs(frame) if self._is_in(run)]
            groups = groups_of(columns_of(mine), lambda number: source.type_of(frame, number))
            seen = FrameObjects(groups, {}).get(self.object)
            if seen is not None:
                self._positions[frame] = position_at(time, seen)
        except PlayheadError:
            return

    def _is_in(self, run: Run) -> bool:
        return run[0] >= FIRST_OBJECT and bool((run[3]["id"] == self.object).any())

    def span(self, frame: int, oldest: int, newest: int) -> tuple[float, float]:
        """The range around a frame that was read, seconds; infinite if there is no
        more in that direction."""
        first = last = frame
        while first - 1 in self._positions and first > oldest and frame - first < BEFORE:
            first -= 1
        while last + 1 in self._positions and last < newest and last - frame < AFTER:
            last += 1
        return (
            -math.inf if first <= oldest else self._times.get(first, math.inf),
            math.inf if last >= newest else self._times.get(last, -math.inf),
        )

    def near(self, frame: int) -> dict[int, PositionAt]:
        """The spots near a frame, in order."""
        return {
            at: position
            for at in range(frame - BEFORE, frame + AFTER + 1)
            if (position := self._positions.get(at)) is not None
        }


def numbers_of(values: Mapping[str, Any]) -> dict[str, float]:
    """The fields that can be plotted; a vector by its length."""
    result: dict[str, float] = {}
    for name, value in values.items():
        array = np.asarray(value)
        if array.dtype.kind not in "biuf" or array.size > _MOST_NUMBERS or not array.size:
            continue
        result[name] = float(array) if array.ndim == 0 else float(np.linalg.norm(array))
    return result
