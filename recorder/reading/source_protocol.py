"""The interface of recordings that can be scrubbed: live, a ring file, a clip, a service."""

from collections.abc import Iterator
from typing import Any, Protocol

from ..packets.recorded_frame import FrameRange, FrameStamp, Packet


class SourceMembers(Protocol):
    """A range of recorded frames, whose ids count up by one but for the gaps of a clip."""

    @property
    def span(self) -> FrameRange | None:
        """The range of recorded frames; None while there are none."""

    def frame_at(self, time: float) -> int:
        """The newest frame at or before `time`, to a microsecond, clamped to the ends.

        Raises:
            CommandError: `time` is not a number.
            EvictedError: the recording is empty.
        """

    def step(self, frame: int, frames: int) -> int:
        """The frame so many frames on from a recorded one, back if below zero; gaps count nothing.

        Past an end it is a number beyond that end.
        """

    def settle(self, frame: int) -> int:
        """The newest recorded frame at or before this one; beyond the ends, this one."""

    def stamp(self, frame: int) -> FrameStamp:
        """The header of a frame.

        Raises:
            EvictedError: the frame is not in the recording.
        """

    def packets(self, frame: int) -> list[Packet]:
        """Copies of all of a frame's packets, in recording order: objects, primitives, traces.

        Raises:
            EvictedError: the frame is not in the recording.
        """

    def objects(self, frame: int) -> list[Packet]:
        """Those of them that game objects left, in recording order."""

    def recorded_types(self, frame: int) -> frozenset[str]:
        """The object types that were being recorded at that frame, seen or not."""

    def stamps(self, start: int, end: int) -> Iterator[FrameStamp]:
        """The headers of the frames from `start` to `end`, both included, oldest first."""

    def latched(self, frame: int, object: int, kind: int, key: str) -> Any | None:
        """The value valid at `frame` for this object, kind and key; None if there is none."""

    def marks(self) -> list[Any]:
        """The recorded marks, oldest first."""
