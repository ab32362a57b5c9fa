"""The types of objects that turn: from above these are arrows, and all others are diamonds."""

from collections.abc import Iterable

import numpy as np

from ...errors import BusError, PlayheadError
from ...native.ring_types import RUN_LATCHED
from ...recorder.packets.packet_types import FIRST_OBJECT
from ...recorder.reading.frame_source import FrameSource


class TurnedTypes:
    """The types of which an object had an angle other than 0 in any frame that was looked at.

    In a single frame all of them may happen to face along the first axis. One thread writes, others
    may look up at any time.
    """

    def __init__(self) -> None:
        self._types: frozenset[str] = frozenset()
        self.version = 0
        """Counts up when another type was found to turn."""

    def __contains__(self, type: str) -> bool:
        return type in self._types

    def add(self, types: Iterable[str]) -> None:
        """Take in types that turn."""
        more = self._types.union(types)
        if len(more) > len(self._types):
            self._types = more
            self.version += 1

    def look(self, source: FrameSource, frame: int) -> None:
        """Look at all objects of a frame.

        Raises:
            BusError: the source is lost.
        """
        try:
            for number, _, flags, headers, _ in source.runs(frame):
                if number < FIRST_OBJECT or flags & RUN_LATCHED:
                    continue
                type = source.type_of(frame, number)[0]
                if type not in self._types and np.nan_to_num(headers["angles"]).any():
                    self.add((type,))
        except BusError:
            raise
        except PlayheadError:
            return  # evicted or damaged: there are other frames
