"""Creates the file that a ring is recorded into; it replaces nothing but an older ring."""

import logging
import mmap
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import IO, NamedTuple

from ..errors import CapacityError, RecordingError
from .ring_memory import MAGIC, OPEN_FLAGS, kind_of, lock

_logger = logging.getLogger("playhead")
_OWN = OPEN_FLAGS | os.O_RDWR | getattr(os, "O_NOFOLLOW", 0)
_TRIES = 16
"""How often it is looked again if others make and move files under the same name meanwhile."""
_ELSEWHERE = "give another path, or move it away"


class RingFile(NamedTuple):
    """A file to record into."""

    block: mmap.mmap
    """The file, mapped into memory."""
    file: IO[bytes]
    """The open file, which holds the writer's lock."""
    is_new: bool
    """False if an empty file was there."""


def create_file(path: Path, size: int) -> RingFile:
    """A file of `size` bytes, mapped and locked.

    A ring that is there is kept as `NAME.old`. One that is called so by then is gone, which is
    logged: all of them would fill a disk, as each takes its whole memory. An empty file
    is taken as it is, with its owner and its permissions. Everything else is refused and stays as
    it is, be it under that name or as `NAME.old`: clips, texts, folders, links, devices, pipes,
    sockets.

    Every block of the file is reserved first, so that a full disk is an error here and not a
    crash in the middle of a frame.

    Raises:
        RecordingError: something else is there, a living process records into that file, or the
            place is not writable.
        CapacityError: the disk has no room for it.
    """
    try:
        file, is_new = _open_or_create(path)
    except OSError as error:
        raise RecordingError(f"{path}: no ring can be made here: {error.strerror}") from error
    try:
        # A process that is killed from here on leaves what the next run knows for a ring.
        os.write(file.fileno(), MAGIC)
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, size)
        else:
            file.truncate(size)
        return RingFile(_mapped(file, path, size), file, is_new)
    except (OSError, ValueError, OverflowError) as error:
        remove_file(file, path, is_new=is_new)
        raise CapacityError(f"{path}: no {size} bytes on this disk: {error}") from error
    except BaseException:
        remove_file(file, path, is_new=is_new)
        raise


def remove_file(file: IO[bytes], path: Path, *, is_new: bool) -> None:
    """Undo `create_file`: the file is gone, or empty again if it was there before."""
    with suppress(OSError):
        if is_new and _is_at(path, file):
            path.unlink()
        else:
            os.ftruncate(file.fileno(), 0)
    file.close()


def _mapped(file: IO[bytes], path: Path, size: int) -> mmap.mmap:
    """Map the file through a descriptor that does not hold the lock.

    A mapping keeps a duplicate of its descriptor, which a forked child would have as well: with it
    the child would hold the lock for as long as it lives.
    """
    descriptor = os.open(path, _OWN)
    try:
        if not _is_same(os.fstat(descriptor), os.fstat(file.fileno())):
            raise RecordingError(f"{path}: somebody replaced this file just now: try again")
        if hasattr(mmap, "MAP_POPULATE"):
            return mmap.mmap(descriptor, size, flags=mmap.MAP_SHARED | mmap.MAP_POPULATE)
        return mmap.mmap(descriptor, size)
    finally:
        os.close(descriptor)


def _open_or_create(path: Path) -> tuple[IO[bytes], bool]:
    """An empty, locked file under a name, and whether it was made just now."""
    for _ in range(_TRIES):
        existing = _open(path)
        if existing is None:
            try:
                created = os.fdopen(os.open(path, _OWN | os.O_CREAT | os.O_EXCL, 0o666), "rb+", 0)
            except FileExistsError:
                continue
            if lock(created) and _is_at(path, created):
                return created, True
            created.close()  # another process took it for an empty file
            continue
        try:
            if not lock(existing):
                raise RecordingError(
                    f"{path}: another recording writes into this file: give another path"
                )
            if not _is_at(path, existing):
                continue  # it was moved before it was locked
            begins = existing.read(len(MAGIC))
            if not begins:
                empty, existing = existing, None
                return empty, False
            if begins != MAGIC:
                raise RecordingError(f"{path}: this file is no ring and stays: {_ELSEWHERE}")
            _rename_to_old(path)
        finally:
            if existing is not None:
                existing.close()
    raise RecordingError(f"{path}: other processes make and move this file all the time")


def _rename_to_old(path: Path) -> None:
    """Rename a ring that is locked; only another ring may make room for it."""
    old = path.with_name(path.name + ".old")
    old_file = _open(old)
    try:
        if old_file is not None:
            reason = f"{old}: {path.name} would be kept under this name"
            if not lock(old_file):
                raise RecordingError(
                    f"{reason}, but another process is recording into it: give another path"
                )
            if old_file.read(len(MAGIC)) not in (MAGIC, b""):
                raise RecordingError(f"{reason}, but what is there is no ring: {_ELSEWHERE}")
        path.replace(old)
        if old_file is not None:
            _logger.warning(
                "%s: the ring that was called so is replaced by the newer one from %s: give each"
                " run another path to keep them all",
                old, path.name,
            )  # fmt: skip
    finally:
        if old_file is not None:
            old_file.close()


def _open(path: Path) -> IO[bytes] | None:
    """A regular file; None if there is nothing under that name.

    Looked at first, since opening a device can do something, and again when it is open.
    """
    try:
        mode = os.lstat(path).st_mode
        if stat.S_ISREG(mode):
            file = os.fdopen(os.open(path, _OWN), "rb+", 0)
            mode = os.fstat(file.fileno()).st_mode
            if stat.S_ISREG(mode):
                return file
            file.close()
    except FileNotFoundError:
        return None
    raise RecordingError(f"{path}: this is {kind_of(mode)}, not a file of a ring: {_ELSEWHERE}")


def _is_at(path: Path, file: IO[bytes]) -> bool:
    """Whether an open file still has that name."""
    try:
        return _is_same(os.lstat(path), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False


def _is_same(one: os.stat_result, other: os.stat_result) -> bool:
    return (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)
