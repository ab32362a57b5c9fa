"""Decides when something that is recorded as changes is recorded completely again."""

from ...native.ring import FrameRing

FULL_SECONDS = 1.0
"""Timeline time after which it is."""


class FullRecordInterval:
    """Says when a complete record is due: at first, and so that none is older than a second."""

    def __init__(self, ring: FrameRing) -> None:
        self._ring = ring
        self._newest = 0.0
        self._written: float | None = None

    def is_due(self) -> bool:
        """Whether the next record must be a complete one."""
        newest = self._ring.newest
        time = 0.0 if newest is None else newest[1]
        step, self._newest = time - self._newest, time
        # The open frame comes after the newest one, perhaps by as much as that after its own.
        return self._written is None or time + step - self._written > FULL_SECONDS

    def written(self) -> None:
        """A complete record was written now."""
        self._written = self._newest
