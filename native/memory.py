"""The one block of memory that a ring lives in: anonymous, or mapped from a file."""

import mmap
import os
import re
from pathlib import Path
from typing import IO

from ..errors import CapacityError, DamagedError, RecordingError

if os.name == "posix":
    import fcntl
else:  # pragma: no cover
    fcntl = None  # type: ignore[assignment, unused-ignore]

UNITS = {"": 1, "b": 1, "k": 10**3, "kb": 10**3, "kib": 2**10, "m": 10**6, "mb": 10**6}
UNITS |= {"mib": 2**20, "g": 10**9, "gb": 10**9, "gib": 2**30}


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


def allocate(size: int) -> mmap.mmap:
    """A block of memory of this process alone, with every page present.

    Raises:
        CapacityError: the system does not give that much.
    """
    try:
        if hasattr(mmap, "MAP_POPULATE"):
            flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | mmap.MAP_POPULATE
            return mmap.mmap(-1, size, flags=flags)
        return mmap.mmap(-1, size)
    except (OSError, ValueError, OverflowError) as error:
        raise CapacityError(f"no {size} bytes of memory can be had: {error}") from error


def create_file(path: Path, size: int) -> tuple[mmap.mmap, IO[bytes]]:
    """A new file of `size` bytes, mapped and locked; a ring that is there is kept as `NAME.old`.

    Every block of the file is reserved first, so that a full disk is an error here and not a
    crash in the middle of a frame.

    Raises:
        RecordingError: a living process records into that file, or the place is not writable.
        CapacityError: the disk has no room for it.
    """
    try:
        if path.exists():
            with path.open("rb+") as old:
                if not lock(old):
                    raise RecordingError(
                        f"{path}: another process is recording into this file: give another path"
                    )
            path.replace(path.with_name(path.name + ".old"))
        file = path.open("xb+")
    except OSError as error:
        raise RecordingError(f"{path}: no ring can be made here: {error.strerror}") from error
    try:
        if not lock(file):
            raise RecordingError(f"{path}: another process took this file just now")
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, size)
        else:
            file.truncate(size)
        if hasattr(mmap, "MAP_POPULATE"):
            flags = mmap.MAP_SHARED | mmap.MAP_POPULATE
            return mmap.mmap(file.fileno(), size, flags=flags), file
        return mmap.mmap(file.fileno(), size), file
    except (OSError, ValueError, OverflowError) as error:
        file.close()
        path.unlink(missing_ok=True)
        raise CapacityError(f"{path}: no {size} bytes on this disk: {error}") from error
    except BaseException:
        file.close()
        raise


def map_file(path: Path) -> mmap.mmap:
    """The bytes of a ring's file, mapped for reading.

    Raises:
        DamagedError: there is no such file, or it is empty.
    """
    try:
        with path.open("rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError as error:
        raise DamagedError(f"{path}: can't be read: {error.strerror}") from error
    except ValueError:
        raise DamagedError(f"{path}: the file is empty") from None


def copy_file(path: Path) -> mmap.mmap:
    """A copy of a ring's file in memory: unlike a mapping it stays whole if the file shrinks.

    Raises:
        DamagedError: there is no such file, it is empty, or it shrank while it was read.
        CapacityError: there is no memory for the copy.
    """
    try:
        with path.open("rb", buffering=0) as file:
            size = os.fstat(file.fileno()).st_size
            if size == 0:
                raise DamagedError(f"{path}: the file is empty")
            block = allocate(size)
            done = 0
            while done < size and (part := file.readinto(memoryview(block)[done:])):
                done += part
    except OSError as error:
        raise DamagedError(f"{path}: can't be read: {error.strerror}") from error
    if done < size:
        raise DamagedError(f"{path}: the file shrank from {size} to {done} bytes while it was read")
    return block


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
    """Gives the writer's lock up. Closing the file is not enough: its mapping keeps a duplicate."""
    if fcntl is not None:
        fcntl.flock(file, fcntl.LOCK_UN)


def is_being_written(path: Path) -> bool:
    """Whether a living process holds the writer's lock on a ring's file."""
    try:
        with path.open("rb") as file:
            return not lock(file)
    except OSError:
        return False
