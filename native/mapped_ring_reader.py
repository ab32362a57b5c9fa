"""Reading a ring's file that another process records into.

The file is mapped. If it is truncated meanwhile, the pages after its new end are gone, and reading
one of them kills the process. Therefore the file's length is checked before each read, and no views
of the mapping are given out. Only a truncation between check and read remains dangerous.
"""

import os
import weakref
from pathlib import Path

from ..errors import DamagedError, EvictedError
from . import _ring
from .ring_type_aliases import RawPacket, Run

Stamp = tuple[int, float, float, int, int, int, int, int]


class MappedReader:
    """The reading methods of a ring, for one that is mapped from a file.

    All of them raise DamagedError if the file was truncated.

    Args:
        ring: The ring in the mapping.
        descriptor: The file, open; closed when this reader is no longer used.
        size: How many bytes of it are mapped.
        path: What the file is called in errors.
    """

    def __init__(self, ring: _ring.Ring, descriptor: int, size: int, path: Path) -> None:
        self._ring, self._descriptor, self._size, self._path = ring, descriptor, size, path
        weakref.finalize(self, os.close, descriptor)

    def check(self) -> None:
        """Raise DamagedError if the file is shorter than it was."""
        size = os.fstat(self._descriptor).st_size
        if size < self._size:
            raise DamagedError(
                f"{self._path}: somebody truncated this file from {self._size} to {size} bytes"
                " while it was being read: what it held is gone"
            )

    @property
    def newest(self) -> tuple[int, float] | None:
        self.check()
        return self._ring.newest

    @property
    def oldest(self) -> tuple[int, float] | None:
        self.check()
        return self._ring.oldest

    @property
    def accounts(self) -> dict[str, int]:
        self.check()
        return self._ring.accounts

    def find(self, time: float, /) -> int:
        self.check()
        return self._ring.find(time)

    def stamp(self, frame: int, /) -> Stamp:
        self.check()
        return self._ring.stamp(frame)

    def packets(self, frame: int, /) -> list[RawPacket]:
        self.check()
        return self._ring.packets(frame)

    def runs(self, frame: int, /) -> list[Run]:
        """Unlike a ring's own they are copies.

        Raises:
            EvictedError: the frame is not in the recording, or was evicted while it was copied.
        """
        self.check()
        copied = [
            (type, channels, flags, heads.copy(), None if payloads is None else payloads.copy())
            for type, channels, flags, heads, payloads in self._ring.runs(frame)
        ]
        if not self.holds(frame):
            raise EvictedError(f"frame {frame} was evicted while it was being read")
        return copied

    def image(self, frame: int, /) -> bytes:
        self.check()
        return self._ring.image(frame)

    def verify(self, frame: int, /) -> bool:
        self.check()
        return self._ring.verify(frame)

    def holds(self, frame: int, /) -> bool:
        self.check()
        return self._ring.holds(frame)

    def latched(
        self, frame: int, object: int, kind: int, key: int, /
    ) -> tuple[int, int, bytes] | None:
        self.check()
        return self._ring.latched(frame, object, kind, key)

    def latched_all(self, frame: int, /) -> list[tuple[int, int, int, int, int, bytes]]:
        self.check()
        return self._ring.latched_all(frame)

    def versions(
        self, frame: int, object: int, kind: int, key: int, limit: int, /
    ) -> list[tuple[int, int, bytes | None]]:
        self.check()
        return self._ring.versions(frame, object, kind, key, limit)
