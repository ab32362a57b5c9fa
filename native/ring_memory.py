"""The block of memory that holds a ring, and the files that rings are read from."""

import errno
import mmap
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from ..errors import CapacityError, DamagedError

if os.name == "posix":
    import fcntl
else:  # pragma: no cover
    fcntl = None  # type: ignore[assignment, unused-ignore]

UNITS = {"": 1, "b": 1, "k": 10**3, "kb": 10**3, "kib": 2**10, "m": 10**6, "mb": 10**6}
UNITS |= {"mib": 2**20, "g": 10**9, "gb": 10**9, "gib": 2**30}

MAGIC = b"PLAYHEAD"
"""How a ring begins."""
MOST = 16 << 30
"""Bytes that a ring can have at most: packets are linked in 32 bits of 8-byte steps."""
OPEN_FLAGS = (
    getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NONBLOCK", 0)  # opening a pipe does not wait
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
)
_KINDS = (
    (stat.S_ISREG, "a file"),
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISLNK, "a symbolic link"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISCHR, "a device"),
)


def parse_size(size: int | str) -> int:
    """A number of bytes, given as a number or as text such as `64 MiB`.

    Raises:
        CapacityError: it is neither, or negative.
    """
    if isinstance(size, int) and not isinstance(size, bool) and size >= 0:
        return size
    match = re.fullmatch(
        r"\s*(\d{1,20}(?:\.\d{1,20})?)\s*([A-Za-z]*)\s*", size if isinstance(size, str) else ""
    )
    if match is None or match[2].lower() not in UNITS:
        raise CapacityError(f"memory {size!r} is no size: write bytes, or for example '64 MiB'")
    return int(float(match[1]) * UNITS[match[2].lower()])


def allocate(size: int, *, populate: bool = True) -> mmap.mmap:
    """A block of memory of this process alone, by default with every page present.

    Private, so that a forked child has a copy of its own.

    Raises:
        CapacityError: the system does not give that much.
    """
    try:
        if hasattr(mmap, "MAP_PRIVATE"):
            flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
            flags |= getattr(mmap, "MAP_POPULATE", 0) if populate else 0
            return mmap.mmap(-1, size, flags=flags)
        return mmap.mmap(-1, size)
    except (OSError, ValueError, OverflowError) as error:
        raise CapacityError(f"no {size} bytes of memory can be had: {error}") from error


def copy_of(file: IO[bytes], path: Path) -> mmap.mmap:
    """A copy of a ring's file in memory: unlike a mapping it stays intact if the file shrinks.

    Takes as much memory as the file has bytes, but for its holes, and 16 GiB at most.

    Args:
        file: The open file.
        path: What it is called in errors.

    Raises:
        DamagedError: it is no ring, it shrank while it was read, or it is larger than a ring can
            be.
        CapacityError: there is no memory for the copy.
    """
    size = os.fstat(file.fileno()).st_size
    begins = _begins(file, path)
    if begins != MAGIC:  # nothing that could be as large as it likes is copied
        raise DamagedError(f"{path}: not a ring: it does not begin with PLAYHEAD")
    if size > MOST:
        raise DamagedError(f"{path}: {size} bytes: a ring has {MOST >> 30} GiB at most")
    block = allocate(size, populate=False)
    at = 0
    try:
        for start, end in _ranges(file.fileno(), size):
            file.seek(start)
            at = start
            while at < end and (part := file.readinto(memoryview(block)[at:end])):  # type: ignore[attr-defined]
                at += part
            if at < end:
                raise DamagedError(
                    f"{path}: the file shrank from {size} to {at} bytes while it was read"
                )
    except OSError as error:
        raise DamagedError(f"{path}: can't be read: {error.strerror}") from error
    return block


def _ranges(descriptor: int, size: int) -> Iterator[tuple[int, int]]:
    """The parts of a file that are there: a ring that is hardly filled is mostly holes."""
    at = 0
    while at < size:
        start, end = at, size
        if hasattr(os, "SEEK_DATA"):
            try:
                start = os.lseek(descriptor, at, os.SEEK_DATA)
                end = min(os.lseek(descriptor, start, os.SEEK_HOLE), size)
            except OSError as error:
                if error.errno == errno.ENXIO:  # nothing but a hole after it, or the file shrank
                    if os.fstat(descriptor).st_size >= size:
                        return
                    end = size
        yield start, end
        at = end


def map_file(file: IO[bytes], path: Path) -> mmap.mmap:
    """The bytes of a ring's file, mapped for reading; `path` is what it is called in errors.

    Raises:
        DamagedError: it is empty, or can't be mapped.
    """
    try:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError as error:
        raise DamagedError(f"{path}: can't be read: {error.strerror}") from error
    except ValueError:
        raise DamagedError(f"{path}: the file is empty") from None


def open_file(path: Path) -> IO[bytes]:
    """A file for reading. Anything that is no regular file is refused: opening a pipe would wait.

    Raises:
        DamagedError: there is no such file, or it can't be read.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | OPEN_FLAGS)
    except OSError as error:
        raise DamagedError(f"{path}: can't be read: {error.strerror}") from error
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        raise DamagedError(f"{path}: can't be read: this is {kind_of(mode)}, not a file")
    return os.fdopen(descriptor, "rb", buffering=0)


def kind_of(mode: int) -> str:
    """The kind of file that a file mode means, as a text."""
    return next((name for is_one, name in _KINDS if is_one(mode)), "something else")


def _begins(file: IO[bytes], path: Path) -> bytes:
    """The first bytes of a file, as many as a ring's mark has; none if the file is empty."""
    try:
        file.seek(0)
        begins = file.read(len(MAGIC))
    except OSError as error:
        raise DamagedError(f"{path}: can't be read: {error.strerror}") from error
    if not begins:
        raise DamagedError(f"{path}: the file is empty")
    return begins


HAS_LOCKS = fcntl is not None
"""Whether it can be known that a process records into a file."""


def lock(file: IO[bytes]) -> bool:
    """Takes the writer's lock, which ends with the process; False if another holds it."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def unlock(file: IO[bytes]) -> None:
    """Gives the writer's lock up, for all who have inherited the file as well."""
    if fcntl is not None:
        fcntl.flock(file, fcntl.LOCK_UN)


def is_locked(file: IO[bytes]) -> bool:
    """Whether a living process holds the writer's lock; always False where there are no locks."""
    if fcntl is None or not lock(file):
        return fcntl is not None
    unlock(file)
    return False


def is_being_written(path: Path) -> bool:
    """Whether a living process holds the writer's lock on a ring's file."""
    try:
        with open_file(path) as file:
            return is_locked(file)
    except DamagedError:
        return False
