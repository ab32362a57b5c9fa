"""Background queries: what the reader's thread works on whenever nothing is more urgent."""

import threading
from collections.abc import Callable

from ...recorder.packets.recorded_frame import FrameRange
from ...recorder.reading.frame_source import FrameSource


class BackgroundQuery:
    """Something that the reader looks into whenever nothing is more urgent. For two threads.

    Args:
        ring: Called from the reader's thread when there is something to be taken.
    """

    is_urgent = False
    """Whether a user waits for it, so that it goes before the scan of the whole recording."""

    def __init__(self, ring: Callable[[], None]) -> None:
        self._ring = ring
        self._lock = threading.Lock()

    def go_on(
        self, source: FrameSource, span: FrameRange, until: float, *, backwards: bool
    ) -> bool:
        """Look on for a while; False if there is nothing to be read.

        Args:
            until: When to stop, on the monotonic clock.
            backwards: Whether the newest frames are to be read first.
        """
        raise NotImplementedError

    def restart(self) -> None:
        """All that was read belongs to another recording."""
        raise NotImplementedError
