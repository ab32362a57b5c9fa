"""A game that forks while it records: says what became of parent and child, as JSON.

    forking.py CASE FOLDER

Everything is in this process and its child, so that the test's own process stays as it is.
"""

import gc
import json
import logging
import os
import signal
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Python 3.12 warns of a fork where there are threads: the threads are ours, and meant here.
warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)

from playhead.errors import PlayheadError, RecordingError  # noqa: E402
from playhead.native.ring import FrameRing  # noqa: E402
from playhead.recorder.clip_triggers import ClipPolicy  # noqa: E402
from playhead.recorder.clips.verify_clip import verify  # noqa: E402
from playhead.session import Session  # noqa: E402
from tests.support.fake_world import FakeWorld, handlers_of  # noqa: E402

DT = 1 / 64
FRAMES = 600
FORKED_AT = 300


@dataclass
class Ball:
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)


def court_of() -> FakeWorld:
    """Eight balls that roll at speeds of their own."""
    court = FakeWorld({number: Ball() for number in range(1, 9)}, dt=DT)

    def roll() -> None:
        for number, ball in court.things.items():
            ball.position = (court.seconds * number, 0.0, 0.0)

    court.during = roll
    return court


def session_of(court: FakeWorld, **rest: Any) -> Session:
    return Session(court, "2 MiB", handlers=handlers_of(court), **rest)


def run(court: FakeWorld, session: Session, steps: int, watching: bool = False) -> None:
    for _ in range(steps):
        court.step()
        if watching:
            session.watch("seconds", court.seconds)
        session.update(DT)


def in_child(work: Callable[[], Any], ends: Callable[[int], Any] = os._exit) -> Callable[[], Any]:
    """Fork, have the child do something, and return what waits for what it says."""
    here, there = os.pipe()
    child = os.fork()
    if not child:
        os.close(here)
        try:
            result = work()
        except BaseException as error:
            result = f"{type(error).__name__}: {error}"
        os.write(there, json.dumps(result).encode())
        ends(0)
    os.close(there)

    def wait() -> Any:
        with os.fdopen(here, "rb") as pipe:
            result = pipe.read()
        status = os.waitpid(child, 0)[1]
        return json.loads(result) if result and not status else f"the child ended with {status}"

    return wait


def held(path: Path) -> dict[str, Any]:
    """What a ring's file holds."""
    with FrameRing.open(path) as ring:
        oldest, newest = ring.oldest, ring.newest
        assert oldest
        assert newest
        torn = [n for n in range(oldest[0], newest[0] + 1) if not ring.verify(n)]
        return {"frames": len(ring), "torn": torn, "finished": ring.raw.finished}


def both_go_on(folder: Path, strict: bool, older: float = 0.0, **rest: Any) -> dict[str, Any]:
    """Parent and child run on with the session that was there before the fork."""
    court, path = court_of(), folder / "game.ring"
    session = session_of(court, path=path, strict=strict, older=older, **rest)
    run(court, session, FORKED_AT)
    session.watch("open", 1.0)  # the fork is in the middle of a frame

    def child() -> Any:
        before = session.source.span
        result: dict[str, Any] = {"error": None, "own": 0}
        try:
            run(court, session, FRAMES, watching=True)
            session.check(False, "in the child")
            run(court, session, 1)
        except PlayheadError as error:
            result["error"] = str(error)
        result["seconds"] = court.seconds
        result["live"] = session.live
        result["refused"] = session.status.calls_refused
        result["reads"] = before is not None and len(session.source.objects(before.newest))
        result["clip"] = str(session.trigger("late").error) if not strict else ""
        session.close()
        session.close()
        with session_of(court, path=folder / "child.ring") as own:
            run(court, own, 50)
        result["own"] = held(folder / "child.ring")["frames"]
        gc.collect()
        return result

    wait = in_child(child, sys.exit)
    run(court, session, FRAMES - FORKED_AT)
    result = {"child": wait()}
    is_live, pair = session.recorder.ring.is_live, session.source.span
    try:
        FrameRing("64 KiB", path=path)
        taken = True
    except RecordingError:
        taken = False
    endpoint = session.bus is not None and session.bus.endpoint
    session.close()
    assert pair is not None
    return {**result, "is_live": is_live, "taken": taken, "newest": pair.newest,
            "endpoint": endpoint, **held(path)}  # fmt: skip


def child_outlives(folder: Path) -> dict[str, Any]:
    """The parent is killed while its child lives: the ring's lock does not live on with it."""
    path = folder / "game.ring"
    here, there = os.pipe()
    born, birth = os.pipe()
    parent = os.fork()
    if not parent:
        court = court_of()
        session = session_of(court, path=path)
        run(court, session, 10)
        if not os.fork():
            os.close(there)
            os.write(birth, b"1")
            os.read(here, 1)  # until the test's own process is through
            os._exit(0)
        os.read(born, 1)
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(parent, 0)
    with FrameRing.open(path) as ring:
        result = {"is_live": ring.is_live, "frames": len(ring)}
    with FrameRing("64 KiB", path=path) as again:
        result["again"] = again.newest
    os.close(there)
    return result


def clip_on_its_way(folder: Path) -> dict[str, Any]:
    """A fork while a clip is being written: the child neither ends nor spoils it."""
    court = court_of()
    session = session_of(court, clips=ClipPolicy(folder=folder / "clips"))
    run(court, session, FORKED_AT)
    clip = session.trigger("now", pre=100.0, post=200 * DT)
    while clip.path is None:  # its writer has a file, with bytes in its buffer
        run(court, session, 1)

    def child() -> Any:
        waited = clip.wait(20.0)
        run(court, session, 10)
        session.close()
        gc.collect()
        return [waited, str(clip.error)]

    wait = in_child(child, sys.exit)
    result = wait()
    run(court, session, 250)
    clip.wait(20.0)
    session.close()
    assert clip.saved is not None, clip.error
    return {"child": result, "frames": clip.saved.frames,
            "damage": [str(one) for one in verify(clip.saved.path).problems],
            "files": sorted(file.name for file in (folder / "clips").iterdir())}  # fmt: skip


def pool(folder: Path) -> dict[str, Any]:
    """Workers of multiprocessing, started by forking, in the middle of a recording."""
    import multiprocessing

    court, path = court_of(), folder / "game.ring"
    session = session_of(court, path=path)
    run(court, session, FORKED_AT)
    with multiprocessing.get_context("fork").Pool(2) as workers:
        squares = workers.map_async(abs, range(-50, 0))
        run(court, session, FRAMES - FORKED_AT)
        result = squares.get(30)
        workers.close()
        workers.join()
    session.close()
    return {"squares": len(result), **held(path)}


CASES: dict[str, Callable[[Path], dict[str, Any]]] = {
    "strict": lambda folder: both_go_on(folder, True),
    "counted": lambda folder: both_go_on(folder, False),
    "older": lambda folder: both_go_on(folder, False, older=0.5),
    "bus": lambda folder: both_go_on(folder, False, bus="tcp://127.0.0.1:*"),
    "outlives": child_outlives,
    "clip": clip_on_its_way,
    "pool": pool,
}

if __name__ == "__main__":
    logging.basicConfig(stream=sys.stderr, format="%(levelname)s %(name)s %(message)s")
    print(json.dumps(CASES[sys.argv[1]](Path(sys.argv[2]))))
