"""A folder that is made once for all test processes, such as one with packages from a registry."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

try:
    import fcntl
except ImportError:  # tests run in one process there
    fcntl = None  # type: ignore[assignment]


@contextlib.contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Within it no other test process is in this folder, which is made if it is not there."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        if fcntl is not None:
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
