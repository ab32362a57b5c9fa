"""The watchdog process that ends an engine without an owner.

The engine's owner can't do this: while the engine is at work, or hangs, no other line of the
owner's Python runs; and an owner that is killed does nothing at all.
"""

import os
import shutil
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

from . import shared_memory_cleanup as shared_memory

_GLANCE = 0.25
"""Seconds between two looks."""


def parent_of(process: int) -> int | None:
    """The process id of its parent; None if it is gone, or where there is no `/proc`."""
    status = _status(process)
    return status[0] if status else None


def members_of(group: int) -> list[int]:
    """The processes of a group; none where there is no `/proc`."""
    processes = [int(entry.name) for entry in Path("/proc").glob("[0-9]*")]
    return [
        process
        for process in processes
        if (status := _status(process)) is not None and status[1] == group
    ]


def end_group(folder: Path) -> None:
    """Leave nothing: no engine, no owner, no shared memory, no folder; this process goes last."""
    group = os.getpgrp()
    others = [process for process in members_of(group) if process != os.getpid()]
    shared = {file for process in others for file in shared_memory.mapped_by(process)}
    for process in others:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    shared_memory.remove(shared)
    shutil.rmtree(folder, ignore_errors=True)
    os.killpg(group, signal.SIGKILL)


def watch(owner: int, parent: int) -> None:
    """Return when the owner is gone, or its parent is."""
    while os.getppid() == owner and parent_of(owner) in (parent, None):
        time.sleep(_GLANCE)


def main() -> None:
    """Arguments: the process id of the engine's owner, which started this, and of its parent."""
    owner, parent = map(int, sys.argv[1:])
    folder = Path.cwd()
    watch(owner, parent)
    end_group(folder)


def _status(process: int) -> tuple[int, int] | None:
    try:
        stat = Path(f"/proc/{process}/stat").read_text(errors="replace")
    except OSError:
        return None
    # The second field is the command in brackets, which may hold brackets and blanks itself.
    parent, group = stat.rpartition(")")[2].split()[1:3]
    return int(parent), int(group)


if __name__ == "__main__":
    main()
