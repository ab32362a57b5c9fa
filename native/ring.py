"""The ring's typed face: making one, opening one, and borrowing views of its frames."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from ..errors import CapacityError, DamagedError, EvictedError
from . import _ring
from .memory import allocate, copy_file, create_file, is_being_written, map_file, parse_size, unlock
from .older import LINE, OlderTier
from .shapes import Run

MOST = 16 << 30
"""Bytes that a ring can have at most: packets are linked in 32 bits of 8-byte steps."""
LATCH_SHARE = 8
"""Unless told otherwise, one part in this many of the memory holds latched state …"""
LATCH_LEAST, LATCH_MOST = 64 << 10, 16 << 20
"""… and not less (if that is a third of it at most) nor more than this many bytes."""
OLDER_LATCH_SHARE = 16
"""In an older tier it is one part in this many, and not less than in the ring."""


class FrameRing:
    """Frames in one block of fixed size; when it is full the oldest make room for the new.

    The recording methods are the compiled ones (see `_ring.pyi`): `begin`, `record`,
    `record_list`, `record_batch`, `record_objects`, `latch`, `despawn`, `commit`, `abort`; so are
    the reading ones: `newest`, `oldest`, `find`, `stamp`, `packets`, `latched`, `versions`, ….
    `image` gives a frame by itself, as bytes that can be sent or kept; `take` records such bytes
    into the open frame, wherever they come from.

    Args:
        memory: All the memory it may ever take, in bytes or as text such as `64 MiB`.
        path: A file to lay it in, which outlives the process; None for plain memory.
        latch: Bytes of it for latched state; by default about an eighth.
        older: The share of the memory, from 0 to less than 1, for an older tier: there frames
            that make room for new ones stay for longer, packed. All reading methods read both.

    Raises:
        CapacityError: the memory is too small for a ring, or can't be had; `older` is no share.
        RecordingError: the file can't be made, or another process records into it.
    """

    def __init__(
        self,
        memory: int | str = "64 MiB",
        *,
        path: str | Path | None = None,
        latch: int | str | None = None,
        older: float = 0.0,
    ) -> None:
        if not isinstance(older, (int, float)) or not 0.0 <= older < 1.0:
            raise CapacityError(
                f"older {older!r} is no share of the memory: it is 0 or more and less than 1"
            )
        whole = parse_size(memory)
        if whole > MOST:
            raise CapacityError(f"memory {memory!r}: a ring has {MOST >> 30} GiB at most")
        beside = int(whole * older) // LINE * LINE
        size = whole - beside
        room = _latch_room(size) if latch is None else parse_size(latch)
        self.path = Path(path) if path is not None else None
        self._file: IO[bytes] | None = None
        if self.path is None:
            block = allocate(max(size, 1))
        else:
            block, self._file = create_file(self.path, max(size, 1))
        try:
            self._take(_ring.Ring(block, room))
            if beside:
                self._join(OlderTier(self.raw, beside, max(room, beside // OLDER_LATCH_SHARE)))
        except BaseException:
            if self._file is not None and self.path is not None:
                self._file.close()
                self.path.unlink(missing_ok=True)
            raise

    @classmethod
    def open(cls, path: str | Path, *, copy: bool = False) -> "FrameRing":
        """The ring in a file, for reading: of a process that records, or of one that died.

        Args:
            copy: Read the file whole into memory first, for a file that somebody may truncate.

        Raises:
            DamagedError: it is not a ring, of another layout, damaged or cut off.
        """
        self = cls.__new__(cls)
        self.path = Path(path)
        self._file = None
        block = copy_file(self.path) if copy else map_file(self.path)
        try:
            self._take(_ring.Ring(block))
        except DamagedError as error:
            raise DamagedError(f"{self.path}: {error}") from None
        return self

    def _take(self, ring: _ring.Ring) -> None:
        self.raw = ring
        self.older: OlderTier | None = None
        """Where frames stay that have left the ring's own memory; None without such a tier."""
        self.begin, self.commit, self.abort = ring.begin, ring.commit, ring.abort
        self.record, self.record_list = ring.record, ring.record_list
        self.record_batch, self.record_objects = ring.record_batch, ring.record_objects
        self.record_by, self.latch, self.despawn = ring.record_by, ring.latch, ring.despawn
        self.find, self.stamp, self.runs = ring.find, ring.stamp, ring.runs
        self.packets, self.holds, self.verify = ring.packets, ring.holds, ring.verify
        self.latched, self.latched_all = ring.latched, ring.latched_all
        self.versions = ring.versions
        self.image, self.take = ring.image, ring.take

    def _join(self, tier: OlderTier) -> None:
        """Read what is in the older tier too."""
        self.older = tier
        self.find, self.stamp, self.runs = tier.find, tier.stamp, tier.runs
        self.packets, self.holds, self.verify = tier.packets, tier.holds, tier.verify
        self.latched, self.latched_all = tier.latched, tier.latched_all
        self.versions, self.image = tier.versions, tier.image

    @property
    def newest(self) -> tuple[int, float] | None:
        """Id and time of the newest finished frame; None while there is none."""
        return self.raw.newest

    @property
    def oldest(self) -> tuple[int, float] | None:
        """Id and time of the oldest frame still held; None while there is none."""
        return self.raw.oldest if self.older is None else self.older.oldest

    @property
    def accounts(self) -> dict[str, int]:
        """Where every byte is: live + gap + waste = capacity at every moment; and the counters."""
        return self.raw.accounts

    @property
    def is_live(self) -> bool:
        """Whether a living process, this one or another, records into it."""
        if self._file is not None:
            return True
        return self.path is not None and is_being_written(self.path)

    def __len__(self) -> int:
        """How many frames are held."""
        newest, oldest = self.newest, self.oldest
        return newest[0] - oldest[0] + 1 if newest and oldest else 0

    @contextmanager
    def read(self, frame: int) -> Iterator[list[Run]]:
        """Borrow a frame's runs as read-only numpy views of the ring's own bytes.

        Copy what is to outlive the block. On leaving it is checked that the frame was not evicted
        meanwhile: then what was read may be another frame's.

        Raises:
            EvictedError: on entering or on leaving, the frame is not held.
        """
        if self.older is not None and not self.raw.holds(frame):
            yield self.older.runs(frame)  # of a copy: nothing can happen to that
            return
        yield self.raw.runs(frame)
        if not self.raw.holds(frame):
            raise EvictedError(
                f"frame {frame} was evicted while it was being read: copy it, or read it sooner"
            )

    def close(self) -> None:
        """Stop recording; views that were borrowed keep the memory until they are gone."""
        if self.older is not None:
            self.older.close()
        self.raw.close()
        if self._file is not None:
            unlock(self._file)
            self._file.close()
            self._file = None

    def __enter__(self) -> "FrameRing":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _latch_room(memory: int) -> int:
    least = min(LATCH_LEAST, memory // 3)
    return min(max(memory // LATCH_SHARE, least), LATCH_MOST)
