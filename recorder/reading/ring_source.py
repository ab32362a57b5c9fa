"""The frames of a ring, live or in a file, as a source."""

from pathlib import Path

from ...native.ring import FrameRing
from .frame_source import FrameSource


class RingSource(FrameSource):
    """A ring as something that can be scrubbed. For one thread: each takes a source of its own."""

    def __init__(self, ring: FrameRing) -> None:
        super().__init__(ring)
        self._ring = ring

    @classmethod
    def open(cls, path: str | Path, *, copy: bool | None = None) -> "RingSource":
        """The recording in a ring's file, of a running game or of one that died.

        `copy` is as for `FrameRing.open`.

        Raises:
            DamagedError: it is not a ring, of another version, damaged or cut off.
        """
        return cls(FrameRing.open(path, copy=copy))

    @property
    def ring(self) -> FrameRing:
        """The ring that is read."""
        return self._ring
