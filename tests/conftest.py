"""What holds for every test: strict mode, a folder of its own, and nothing left behind."""

import gc
import multiprocessing.resource_tracker
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# Set before any test module is imported, and inherited by the processes that tests start.
os.environ["PLAYHEAD_STRICT"] = "1"

# The default tries the same examples each time: a red run can be repeated, also elsewhere.
settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True)
settings.register_profile("thorough", max_examples=2000, deadline=None, print_blob=True)
settings.load_profile("thorough" if os.environ.get("PLAYHEAD_THOROUGH") == "1" else "ci")

GRACE = 5.0
"""Seconds for a thread or process that was told to end. Spent only where one still runs."""


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test writes without saying where does not land in the sources, nor at home.

    Viewers that it starts neither read the person's settings nor are found by other tests.
    """
    monkeypatch.chdir(tmp_path)
    home = tmp_path.with_name(f"{tmp_path.name}-home")
    monkeypatch.setenv("PLAYHEAD_CONFIG", str(home / "config"))
    monkeypatch.setenv("PLAYHEAD_VIEWERS", str(home / "viewers"))


@pytest.fixture(autouse=True)
def nothing_is_left_behind() -> Iterator[None]:
    """Fail a test that leaves a thread (a timer is one), a child process or an open socket.

    What fixtures of a wider scope started before is theirs to end.
    """
    threads, children, sockets = set(threading.enumerate()), _children(), _sockets()
    yield
    left = [*_left_threads(threads), *_left_children(children), *_left_sockets(sockets)]
    if left:
        pytest.fail(f"the test left behind: {'; '.join(left)}", pytrace=False)


def _left_threads(before: set[threading.Thread]) -> list[str]:
    left = []
    for thread in set(threading.enumerate()) - before:
        # A thread past its last statement may need a moment to be gone.
        thread.join(GRACE)
        if thread.is_alive():
            left.append(f"thread {thread.name!r}")
    return left


def _left_children(before: set[int]) -> list[str]:
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


def _left_sockets(before: set[str]) -> list[str]:
    if _sockets() <= before:
        return []
    gc.collect()
    return [f"open {name}" for name in sorted(_sockets() - before)]


def _children() -> set[int]:
    """Child processes of this one, zombies among them. Empty where there is no /proc."""
    pids: set[int] = set()
    for listing in Path("/proc/self/task").glob("*/children"):
        try:
            pids.update(map(int, listing.read_text().split()))
        except OSError:
            continue  # the thread ended meanwhile
    return pids


def _command_of(pid: int) -> str:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return "gone"
    # A zombie has no command line any more: it ended, and nobody waited for it.
    return b" ".join(words).decode(errors="replace").strip() or "ended, not waited for"


def _sockets() -> set[str]:
    """Open sockets by inode, as `socket:[12345]`. Empty where there is no /proc."""
    names: set[str] = set()
    for link in Path("/proc/self/fd").glob("*"):
        try:
            target = os.readlink(link)
        except OSError:
            continue  # the descriptor of the listing itself
        if target.startswith("socket:"):
            names.add(target)
    return names
