"""Truncates a ring's file under those who use it: says what they saw, as JSON.

    truncated.py CASE FILE BYTES

A process that touches a page that is gone is killed: so this is no part of the test's own process.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playhead.errors import DamagedError, RecordingError
from playhead.native.ring import FrameRing

HERE = (0.0, 0.0, 0.0)
FRAMES = 50


def fill(ring: FrameRing, frames: int = FRAMES) -> None:
    newest = ring.newest[0] if ring.newest else 0
    for frame in range(newest + 1, newest + 1 + frames):
        ring.begin()
        ring.record(1, 40, True, HERE, HERE, bytes(1000))
        ring.latch(1, 2, 0, 9, 1, b"state %d" % frame)
        ring.commit(frame, 1.0)


def readings(ring: FrameRing) -> dict[str, Callable[[], Any]]:
    return {
        "newest": lambda: ring.newest, "oldest": lambda: ring.oldest, "len": lambda: len(ring),
        "accounts": lambda: ring.accounts, "find": lambda: ring.find(3.0),
        "stamp": lambda: ring.stamp(FRAMES), "packets": lambda: ring.packets(FRAMES),
        "runs": lambda: ring.runs(FRAMES), "image": lambda: ring.image(FRAMES),
        "verify": lambda: ring.verify(FRAMES), "holds": lambda: ring.holds(FRAMES),
        "latched": lambda: ring.latched(FRAMES, 1, 9, 1),
        "latched_all": lambda: ring.latched_all(FRAMES),
        "versions": lambda: ring.versions(FRAMES, 1, 9, 1, 5),
        "read": lambda: ring.read(FRAMES).__enter__()[0][3]["id"].tolist(),
    }  # fmt: skip


def answers(ring: FrameRing) -> dict[str, str]:
    received = {}
    for name, ask in readings(ring).items():
        try:
            received[name] = type(ask()).__name__
        except DamagedError as error:
            received[name] = f"DamagedError {error}"
    return received


def dead(path: Path, size: int) -> dict[str, Any]:
    """Nobody records into it."""
    with FrameRing("256 KiB", path=path) as ring:
        fill(ring)
    read = FrameRing.open(path)
    before = answers(read)
    os.truncate(path, size)
    return {"before": before, "after": answers(read), "len": len(read)}


def live(path: Path, size: int) -> dict[str, Any]:
    """Another process records into it while this one reads."""
    command = [sys.executable, __file__, "hold", str(path), "0"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        read = FrameRing.open(path)
        views = read.runs(FRAMES)
        result: dict[str, Any] = {"live": read.is_live, "before": answers(read)}
        os.truncate(path, size)
        result["after"] = answers(read)
        result["lent"] = views[0][3]["id"].tolist()
        result["writer"] = writer.communicate(b"\n")[0].decode()
    return result


def hold(path: Path, size: int) -> dict[str, Any]:
    """Record, wait, and record on."""
    ring = FrameRing("256 KiB", path=path)
    fill(ring)
    print("recording", flush=True)
    sys.stdin.readline()
    return recorded_on(ring, path)


def recorded_on(ring: FrameRing, path: Path) -> dict[str, Any]:
    errors = []
    for _ in range(3):
        try:
            fill(ring, 1)
        except RecordingError as error:
            errors.append(str(error))
    result = {"errors": errors, "newest": ring.newest, "live": ring.is_live, "len": len(ring)}
    ring.close()
    with FrameRing("64 KiB", path=path) as again:  # the path is not blocked for ever
        fill(again, 5)
        result["again"] = len(again)
    return result


def writer(path: Path, size: int) -> dict[str, Any]:
    """This process records, and somebody truncates the file."""
    ring = FrameRing("256 KiB", path=path)
    fill(ring, 300)
    os.truncate(path, size)
    return recorded_on(ring, path)


if __name__ == "__main__":
    case = {"dead": dead, "live": live, "hold": hold, "writer": writer}[sys.argv[1]]
    print(json.dumps(case(Path(sys.argv[2]), int(sys.argv[3]))))
