"""Which types of objects were ever seen turned, or anywhere but at the origin."""

import numpy as np
import numpy.typing as npt

from ...errors import BusError, PlayheadError
from ...native.ring_type_aliases import RUN_LATCHED
from ...recorder.packets.packet_types import FIRST_OBJECT
from ...recorder.reading.frame_source import FrameSource


class ObservedPoses:
    """What the positions and angles of a type's objects were in the frames that were looked at.

    A single frame does not tell: in it all of them may happen to face along the first axis, or to
    begin at the origin. One thread writes, others may look up at any time.
    """

    def __init__(self) -> None:
        self.turned: frozenset[str] = frozenset()
        """Types of which an object had an angle other than 0: from above these are arrows."""
        self.placed: frozenset[str] = frozenset()
        """Types of which an object was elsewhere than at the origin."""
        self.is_complete = False
        """Whether so many frames were looked at that types which are in neither never will be."""
        self.version = 0
        """Counts up with each change."""

    def add(
        self, type: str, positions: npt.NDArray[np.floating], angles: npt.NDArray[np.floating]
    ) -> None:
        """Take in the positions and angles of some objects, (n, 3) each."""
        if type not in self.turned and np.nan_to_num(angles).any():
            self.turned |= {type}
            self.version += 1
        if type not in self.placed and np.nan_to_num(positions, nan=1.0).any():
            self.placed |= {type}
            self.version += 1

    def complete(self) -> None:
        """Say that enough was looked at."""
        if not self.is_complete:
            self.is_complete = True
            self.version += 1

    def look(self, source: FrameSource, frame: int) -> None:
        """Look at all objects of a frame.

        Raises:
            BusError: the source is lost.
        """
        try:
            for number, _, flags, headers, _ in source.runs(frame):
                if number >= FIRST_OBJECT and not flags & RUN_LATCHED:
                    type = source.type_of(frame, number)[0]
                    if not (type in self.turned and type in self.placed):
                        self.add(type, headers["position"], headers["angles"])
        except BusError:
            raise
        except PlayheadError:
            return  # evicted or damaged: there are other frames
