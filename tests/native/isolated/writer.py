"""Processes that record into a ring in a file until they are killed."""

import os
import signal
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from playhead.native import _ring
from playhead.native.create_ring_file import create_file

from .contents import LATCH_AREA, Contents


def in_a_child(work: Callable[..., object], *args: object) -> int:
    """Forks; the child does the work and ends. Its process id."""
    child = os.fork()
    if child:
        return child
    try:
        work(*args)
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


def write_for_ever(path: Path, memory: int, contents: Contents, ready: int) -> NoReturn:
    block, _file, _ = create_file(path, memory)
    ring = _ring.Ring(block, LATCH_AREA)
    os.write(ready, b"x")
    while True:
        contents.write(ring)


def start_writer(path: Path, memory: int, contents: Contents) -> int:
    """A process that has just made its ring and records from now on."""
    reading, writing = os.pipe()
    writer = in_a_child(write_for_ever, path, memory, contents, writing)
    os.close(writing)
    output = os.read(reading, 1)
    os.close(reading)
    if output != b"x":
        raise RuntimeError("the writer died before it made its ring")
    return writer


def kill_writer(writer: int) -> None:
    os.kill(writer, signal.SIGKILL)
    _, status = os.waitpid(writer, 0)
    if os.waitstatus_to_exitcode(status) != -signal.SIGKILL:
        raise RuntimeError(f"the writer had ended by itself: {status}")
