"""The ring's typed interface: creating one, opening one, and borrowing views of its frames."""

import os
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Never

from ..errors import CapacityError, DamagedError, EvictedError, RecordingError, message_with_path
from . import _ring
from .create_ring_file import create_file, remove_file
from .fork_safety import on_fork
from .mapped_ring_reader import MappedReader
from .ring_memory import (
    HAS_LOCKS,
    MAGIC,
    MOST,
    allocate,
    copy_of,
    is_being_written,
    is_locked,
    map_file,
    open_file,
    parse_size,
    unlock,
)
from .ring_type_aliases import Run
from .tiered_ring import LINE, OlderTier

LATCH_SHARE = 8
"""One part in this many of the memory is for latched state by default …"""
LATCH_LEAST, LATCH_MOST = 64 << 10, 16 << 20
"""… and not less (if that is a third of it at most) nor more than this many bytes."""
OLDER_LATCH_SHARE = 16
"""The same in an older tier, and not less than in the ring."""
EMPTY = 64 << 10
"""Bytes of the ring that replaces one whose file is gone."""


class FrameRing:
    """Frames in one block of fixed size; when it is full the oldest make room for the new.

    The recording methods are the compiled ones (see `_ring.pyi`): `begin`, `record`,
    `record_list`, `record_batch`, `record_objects`, `reserve`, `latch`, `despawn`, `commit`,
    `abort`; so are the reading ones: `newest`, `oldest`, `find`, `stamp`, `packets`, `latched`,
    `versions`, ….
    `image` gives a frame by itself, as bytes that can be sent or kept; `ingest` records such bytes
    into the open frame, wherever they come from.

    In a forked child the ring it inherits can be read and no longer recorded into, and closing it
    changes nothing for the parent; the child may make a ring of its own.

    Args:
        memory: All the memory it may ever take, in bytes or as text such as `64 MiB`.
        path: A file to lay it in, which outlives the process; None for plain memory. A ring that
            is there is kept as `NAME.old`, an empty file is taken, anything else is refused.
        latch: Bytes of it for latched state; by default about an eighth.
        older: The share of the memory, from 0 to less than 1, for an older tier: there frames
            that make room for new ones stay for longer, packed. All reading methods read both.

    Raises:
        CapacityError: the memory is too small for a ring, or can't be had; `older` is no share.
        RecordingError: the file can't be made, another process records into it, or what is there
            is no ring.
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
        memory_bytes = parse_size(memory)
        if memory_bytes > MOST:
            raise CapacityError(f"memory {memory!r}: a ring has {MOST >> 30} GiB at most")
        beside = int(memory_bytes * older) // LINE * LINE
        size = memory_bytes - beside
        room = _latch_room(size) if latch is None else parse_size(latch)
        self.path = Path(path) if path is not None else None
        self._file: IO[bytes] | None = None
        self._closed, is_new = False, True
        if self.path is None:
            self.block = allocate(max(size, 1))
        else:
            self.block, self._file, is_new = create_file(self.path, max(size, 1))
        try:
            self._set_ring(_ring.Ring(self.block, room))
            if beside:
                self._join(OlderTier(self.raw, beside, max(room, beside // OLDER_LATCH_SHARE)))
        except BaseException:
            if self._file is not None and self.path is not None:
                remove_file(self._file, self.path, is_new=is_new)
            raise
        if self._file is not None:
            self.begin = _begin_checked(self, self._file)
        self._records = True
        on_fork(self)

    @classmethod
    def open(cls, path: str | Path, *, copy: bool | None = None) -> "FrameRing":
        """The ring in a file, for reading: of a process that records, or of one that died.

        Each frame is verified before its packets are read for the first time; then it is
        remembered that it is intact, of the newest 65,536 that were read. Of a damaged frame all
        but the header is refused with DamagedError.

        Args:
            copy: Whether to read all of the file into memory first, as a snapshot that stays intact
                if the file is truncated. By default so if nobody records into it; else it
                is mapped, and a reading method raises DamagedError once the file was truncated.

        Raises:
            DamagedError: it is not a ring, of another layout, damaged or cut off.
            CapacityError: there is no memory for the copy, which is as large as the file.
        """
        self = cls.__new__(cls)
        self.path = Path(path)
        self._file, self._closed, self._records = None, False, False
        file = open_file(self.path)
        try:
            if copy is None:
                copy = HAS_LOCKS and not is_locked(file)
            self.block = copy_of(file, self.path) if copy else map_file(file, self.path)
            self._set_ring(_ring.Ring(self.block, verify=True))
            if not copy:
                self._read_mapped(
                    MappedReader(self.raw, os.dup(file.fileno()), len(self.block), self.path)
                )
        except DamagedError as error:
            raise DamagedError(message_with_path(error, self.path)) from None
        finally:
            file.close()
        return self

    _mapped: MappedReader | None = None
    """What reads a file that another process may truncate; None for this process's own memory."""

    def _set_ring(self, ring: _ring.Ring) -> None:
        self.raw = ring
        self.older: OlderTier | None = None
        """Where frames stay that have left the ring's own memory; None without such a tier."""
        self.begin, self.commit, self.abort = ring.begin, ring.commit, ring.abort
        self.record, self.record_list = ring.record, ring.record_list
        self.record_batch, self.record_objects = ring.record_batch, ring.record_objects
        self.record_by, self.latch, self.despawn = ring.record_by, ring.latch, ring.despawn
        self.reserve = ring.reserve
        self.find, self.stamp, self.runs = ring.find, ring.stamp, ring.runs
        self.packets, self.holds, self.verify = ring.packets, ring.holds, ring.verify
        self.latched, self.latched_all = ring.latched, ring.latched_all
        self.versions = ring.versions
        self.image, self.ingest = ring.image, ring.ingest

    def _join(self, tier: OlderTier) -> None:
        """Read what is in the older tier too."""
        self.older = tier
        self.find, self.stamp, self.runs = tier.find, tier.stamp, tier.runs
        self.packets, self.holds, self.verify = tier.packets, tier.holds, tier.verify
        self.latched, self.latched_all = tier.latched, tier.latched_all
        self.versions, self.image = tier.versions, tier.image

    def _read_mapped(self, reader: MappedReader) -> None:
        """Look, before each reading, whether the file is still as long as it was."""
        self._mapped = reader
        self.find, self.stamp, self.runs = reader.find, reader.stamp, reader.runs
        self.packets, self.holds, self.verify = reader.packets, reader.holds, reader.verify
        self.latched, self.latched_all = reader.latched, reader.latched_all
        self.versions, self.image = reader.versions, reader.image

    # --- what may end the recording before its time -------------------------------------------

    def _look(self) -> None:
        """Whether the file is still there, before anybody reads what it holds."""
        file = self._file
        if file is not None and self._records and os.fstat(file.fileno()).st_size < len(self.block):
            with suppress(RecordingError):  # raised when the next frame is to be recorded
                self.truncated()

    def truncated(self) -> Never:
        """The file that is recorded into was truncated: read and record nothing more there.

        The pages after its new end are gone from the mapping too, and touching one of them kills
        the process. The file gets its length back, for other processes that read it at this moment.
        """
        assert self._file is not None
        expected, remaining = len(self.block), os.fstat(self._file.fileno()).st_size
        with suppress(OSError):
            os.truncate(self._file.fileno(), expected)
            if not remaining:
                os.pwrite(self._file.fileno(), MAGIC, 0)  # the next run may take its place
        if self.older is not None:
            self.older.close()
        why = (
            f"{self.path}: somebody truncated this file from {expected} to {remaining} bytes during"
            " the recording: what was in it is lost, and nothing more is recorded. Begin a new"
            " recording, and leave its file alone"
        )
        self._refuse(_empty(), why)
        raise RecordingError(why)

    def forked(self) -> None:
        """This is a forked child: read on, but leave the parent's ring and its lock alone."""
        if self._file is not None:
            # Not unlocked: that would be for the parent too. Its mapping does not hold the lock.
            self._file.close()
            self._file = None
        if self.older is not None:
            self.older.forked()
        if self._closed or not self._records:
            return
        try:
            reader = _ring.Ring(self.block)
        except DamagedError:
            reader = _empty()
        where = "" if self.path is None else f"{self.path}: "
        self._refuse(reader, (
            f"{where}this ring was inherited through a fork: only the process that made it records"
            " into it. Begin a recording of the child's own, in memory or with another path"
        ))  # fmt: skip

    def _refuse(self, ring: _ring.Ring, why: str) -> None:
        """Read this ring from now on, and record nothing more."""

        def refused(*_: Any, **__: Any) -> Never:
            raise RecordingError(why)

        self._set_ring(ring)
        self._records = False
        self.begin = self.commit = self.abort = refused
        self.record = self.record_list = self.record_batch = self.record_objects = refused
        self.record_by = self.latch = self.despawn = self.ingest = refused

    # --- recorded frames -------------------------------------------------------------------------

    @property
    def newest(self) -> tuple[int, float] | None:
        """Id and time of the newest finished frame; None while there is none."""
        if self._mapped is not None:
            return self._mapped.newest
        if self._file is not None:
            self._look()
        return self.raw.newest

    @property
    def oldest(self) -> tuple[int, float] | None:
        """Id and time of the oldest recorded frame; None while there is none."""
        if self._mapped is not None:
            return self._mapped.oldest
        if self._file is not None:
            self._look()
        return self.raw.oldest if self.older is None else self.older.oldest

    @property
    def accounts(self) -> dict[str, int]:
        """Where every byte is: live + gap + waste = capacity at every moment; and the counters."""
        return self.raw.accounts if self._mapped is None else self._mapped.accounts

    @property
    def is_file_open(self) -> bool:
        """Whether this process holds the file of its ring."""
        return self._file is not None

    @property
    def is_live(self) -> bool:
        """Whether a living process, this one or another, records into it."""
        if self._file is not None:
            return True
        return self.path is not None and is_being_written(self.path)

    def __len__(self) -> int:
        """How many frames are recorded."""
        newest, oldest = self.newest, self.oldest
        return newest[0] - oldest[0] + 1 if newest and oldest else 0

    @contextmanager
    def read(self, frame: int) -> Iterator[list[Run]]:
        """Borrow a frame's runs as read-only numpy views of the ring's own bytes.

        Copy what is to outlive the block. On leaving it is checked that the frame was not evicted
        meanwhile: then what was read may be another frame's.

        Raises:
            EvictedError: on entering or on leaving, the frame is not in the ring.
        """
        if self._mapped is not None:
            yield self._mapped.runs(frame)
            return
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
        self._closed = True
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


def _begin_checked(ring: FrameRing, file: IO[bytes]) -> Callable[[], int]:
    """`begin` for a ring in a file, which may have been truncated since the last frame.

    It does not keep the ring alive: a ring without references goes at once, with its lock.
    """
    begin, weak, stat = ring.raw.begin, weakref.ref(ring), os.fstat
    descriptor, size = file.fileno(), len(ring.block)

    def begin_checked() -> int:
        here = weak()
        if here is not None and here.is_file_open and stat(descriptor).st_size < size:
            here.truncated()
        return begin()

    return begin_checked


def _empty() -> _ring.Ring:
    """A closed ring without a frame."""
    ring = _ring.Ring(allocate(EMPTY), 0)
    ring.close()
    return ring


def _latch_room(memory: int) -> int:
    least = min(LATCH_LEAST, memory // 3)
    return min(max(memory // LATCH_SHARE, least), LATCH_MOST)
