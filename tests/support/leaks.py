"""What a test may not leave behind: threads, timers, child processes, open sockets."""

import gc
import multiprocessing.resource_tracker
import os
import signal
import threading
from pathlib import Path
from typing import NamedTuple

GRACE = 20.0
"""Seconds for a thread that was told to end. Spent only where one still runs."""


class Running(NamedTuple):
    """What runs or is open at some moment."""

    threads: frozenset[threading.Thread]
    children: frozenset[int]
    sockets: frozenset[str]

    @classmethod
    def now(cls) -> "Running":
        return cls(frozenset(threading.enumerate()), _children(), _sockets())

    def left(self) -> list[str]:
        """What has come since and is still there, in words. Processes among it are killed."""
        return [
            *_left_threads(self.threads),
            *_left_timers(),
            *_left_children(self.children),
            *_left_sockets(self.sockets),
        ]


def _left_threads(before: frozenset[threading.Thread]) -> list[str]:
    left = []
    for thread in set(threading.enumerate()) - before:
        # A thread past its last statement may need a moment to be gone.
        thread.join(GRACE)
        if thread.is_alive():
            left.append(f"thread {thread.name!r}")
    return left


def _left_timers() -> list[str]:
    """Timers of the process, which send it a signal; those of threading are threads."""
    names = {signal.ITIMER_VIRTUAL: "virtual", signal.ITIMER_PROF: "profiling"}
    # The real one is pytest-timeout's own.
    left = [name for which, name in names.items() if signal.getitimer(which)[0]]
    return [f"a {name} timer" for name in left]


def _left_children(before: frozenset[int]) -> list[str]:
    # The one that multiprocessing starts for shared memory stays until the interpreter ends.
    tracker = getattr(multiprocessing.resource_tracker, "_resource_tracker", None)
    new = _children() - before - {getattr(tracker, "_pid", None)}
    left = []
    for pid in new:
        left.append(f"process {pid} ({_command_of(pid)})")
        # End it, or the tests that follow, and the run itself, might wait for it.
        try:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass
    return left


def _left_sockets(before: frozenset[str]) -> list[str]:
    if _sockets() <= before:
        return []
    gc.collect()
    return [f"open {name}" for name in sorted(_sockets() - before)]


def _children() -> frozenset[int]:
    """Child processes of this one, zombies among them. Empty where there is no /proc."""
    pids: set[int] = set()
    for thread in _names_in("/proc/self/task"):
        try:
            with open(f"/proc/self/task/{thread}/children", "rb") as listing:
                pids.update(map(int, listing.read().split()))
        except OSError:
            continue  # the thread ended meanwhile
    return frozenset(pids)


def _command_of(pid: int) -> str:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return "gone"
    # A zombie has no command line any more: it ended, and nobody waited for it.
    return b" ".join(words).decode(errors="replace").strip() or "ended, not waited for"


def _sockets() -> frozenset[str]:
    """Open sockets by inode, as `socket:[12345]`. Empty where there is no /proc."""
    names: set[str] = set()
    for number in _names_in("/proc/self/fd"):
        try:
            target = os.readlink(f"/proc/self/fd/{number}")
        except OSError:
            continue  # the descriptor of the listing itself
        if target.startswith("socket:"):
            names.add(target)
    return frozenset(names)


def _names_in(folder: str) -> list[str]:
    # Asked for four times in each of thousands of tests, which is too often for a Path.
    try:
        return os.listdir(folder)
    except FileNotFoundError:
        return []
