"""Long runs that look for what short ones can't show: kills without end, memory over an hour.

    python tools/soak.py kills --count 1000 [FOLDER ...]
    python tools/soak.py hour [--seconds 3600]
    python tools/soak.py scrub [--seconds 600]

`kills`: a game is killed at a random moment, over and over, in each of the folders in turn (give
one on a disk and one in memory, such as /dev/shm); what its ring's file holds is recovered, checked
and compared with what the game recorded. `hour`: an hour of a game at 60 frames a second, as fast
as it goes, with the ring full: the process must not grow by more than 1 MiB. `scrub`: the viewer's
window, which nobody sees, goes to random frames of a crowd: it must not grow by more than 4 MiB
after the first tenth of the time.

Each prints one line of JSON and exits 0 only if nothing was wrong.
"""

import argparse
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from playhead.errors import CapacityError, DamagedError, PlayheadError
from playhead.handlers.field_handler import FieldHandler
from playhead.handlers.handler_registry import HandlerRegistry
from playhead.recorder.checks.check_policy import UNATTENDED
from playhead.recorder.clip_triggers import ClipPolicy
from playhead.recorder.clips.clip_source import ClipSource
from playhead.recorder.clips.verify_clip import verify
from playhead.recorder.reading.ring_source import RingSource
from playhead.recorder.saving.recover_ring import recover
from playhead.recorder.world_adapter import World
from playhead.session import Session

DT = 1 / 64
"""A step without rounding: times are exact."""
MOST_GROWTH = 1 << 20
MOST_SCRUBBED = 4 << 20


class MovingObject:
    """An object that is where its step says."""

    def __init__(self) -> None:
        self.position = (0.0, 0.0, 0.0)
        self.step = 0
        self.state = "begun"


class Known(World):
    """A game in which everything follows from the number of the step."""

    def __init__(self, count: int) -> None:
        self.things = {number: MovingObject() for number in range(1, count + 1)}
        self.steps = 0

    def step(self) -> None:
        self.steps += 1
        for number, thing in self.things.items():
            thing.position, thing.step = (float(self.steps), float(number), 0.0), self.steps
            thing.state = f"s{self.steps // 7}"

    def objects(self) -> list[tuple[int, str, MovingObject]]:
        return [(number, "thing", thing) for number, thing in self.things.items()]

    def time(self) -> float:
        return self.steps * DT

    def find(self, object_id: int) -> MovingObject | None:
        return self.things.get(object_id)


def session_of(world: Known, path: Path, memory: int) -> Session:
    """A session that records into a file."""
    handlers = HandlerRegistry()
    handlers.register("thing", FieldHandler(MovingObject(), names=("position", "step", "state")))
    policy = ClipPolicy(path.parent / "clips", pre=1.0, post=1.0, keep_last=2)
    return Session(world, memory, handlers=handlers, path=path, clips=policy)


# --- kills ------------------------------------------------------------------------------------


def play(path: Path, memory: int, count: int, tell: int, seed: int) -> None:
    """Record until it is ended; writes each frame's number when it is finished."""
    world, chance = Known(count), random.Random(seed)
    with session_of(world, path, memory) as session:
        while True:
            world.step()
            session.watch("step", world.steps)
            session.log(f"step {world.steps}", object=1)
            if world.steps % 7 == 0:
                name = f"s{world.steps // 7}"
                session.trace.state(1, "mind", f"s{world.steps // 7 - 1}", name, won="seven")
            if chance.random() < 0.01 and world.steps > 1:
                with suppress(CapacityError):  # so many are being saved already
                    session.trigger("now and then")
            session.update(DT)
            os.write(tell, world.steps.to_bytes(8, "little"))


def start(work: Callable[[], None]) -> int:
    """A child that does some work and never comes back."""
    pid = os.fork()
    if pid:
        return pid
    try:
        work()
        os._exit(0)
    except BaseException as error:
        sys.stderr.write(f"the child failed: {error!r}\n")
        os._exit(1)


def kill_once(
    folder: Path, memory: int, count: int, delay: float, seed: int
) -> tuple[int, list[str]]:
    """Kill a game once; how many frames were recovered, and what was wrong with them.

    Every fifth counts the delay from its fork, so that some die before they record; the others
    from their first word, since a busy machine can be slow to get there.
    """
    ring, reading, writing = folder / "run.ring", *os.pipe()
    child = start(lambda: play(ring, memory, count, writing, seed))
    os.close(writing)
    output = os.read(reading, 8) if seed % 5 else b""
    end = time.monotonic() + delay
    os.set_blocking(reading, False)
    while (left := end - time.monotonic()) > 0:
        try:
            output += os.read(reading, 1 << 16)
        except BlockingIOError:
            time.sleep(min(left, 0.0005))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.set_blocking(reading, True)
    while part := os.read(reading, 1 << 16):
        output += part
    os.close(reading)
    complete_values = output[: len(output) // 8 * 8]
    newest = int.from_bytes(complete_values[-8:], "little")
    try:
        return look(ring, folder, newest, count)
    finally:
        shutil.rmtree(folder)
        folder.mkdir()


def look(ring: Path, folder: Path, newest: int, count: int) -> tuple[int, list[str]]:
    """Recover what a killed game left, and compare it with what it must have recorded."""
    if not newest:
        return 0, []
    out = folder / "out.mcap"
    try:
        found = recover(ring, out)
    except PlayheadError as error:
        return 0, [f"{newest} frames were finished: {error}"]
    wrong = [f"gap {gap}" for gap in found.gaps]
    report = verify(out)
    wrong += [f"the clip: {problem}" for problem in report.problems]
    source, clip = RingSource.open(ring), ClipSource.open(out)
    span = clip.span
    assert span is not None
    if span.newest not in (newest, newest + 1):  # it may have died before it sent the last one
        wrong.append(f"frame {newest} was finished, {span.newest} is the newest")
    if span != source.span:
        wrong.append(f"the ring has {source.span}, the clip {span}")
    for frame in range(span.oldest, span.newest + 1):
        wrong += wrong_in(clip, source, frame, count)
    clip.close()
    wrong += [what for part in folder.glob("clips/.*.part") for what in look_at_part(part, out)]
    for path in folder.glob("clips/*.mcap"):
        wrong += [f"{path.name}: {problem}" for problem in verify(path).problems]
    return span.newest - span.oldest + 1, wrong


def wrong_in(clip: ClipSource, ring: RingSource, frame: int, count: int) -> list[str]:
    """What a frame says otherwise than it must."""
    state = f"s{frame // 7}"
    expected = {
        number: ((float(frame), float(number), 0.0), frame, state) for number in range(1, count + 1)
    }
    read = {
        packet.id: (
            packet.position, int(values["step"]), bytes(values["state"]).rstrip(b"\0").decode()
        )
        for packet, values in clip.decoded(frame)
    }  # fmt: skip
    checks = {
        "time": (clip.stamp(frame).time, frame * DT),
        "objects": (read, expected),
        "watches": (clip.watches(frame), {(0, "step"): float(frame)}),
        "log": ([line.text for line in clip.logs(frame)], [f"step {frame}"]),
        "packets": (clip.packets(frame), ring.packets(frame)),
        "facts": (clip.facts(frame), ring.facts(frame)),
    }
    wrong = [
        f"frame {frame}: {name}: {str(is_)[:200]}, not {str(right)[:200]}"
        for name, (is_, right) in checks.items()
        if is_ != right
    ]
    newest = clip.transitions(frame, 1, "mind", 1)
    if frame >= 7 and (not newest or newest[0].trace.target != state):
        wrong.append(f"frame {frame}: the state is {newest}, not {state}")
    return wrong


def look_at_part(part: Path, out: Path) -> list[str]:
    """A clip that was being written when the game was killed: its intact part is good."""
    try:
        recover(part, out, overwrite=True)
    except DamagedError:
        return []  # no chunk of it was whole yet
    return [f"{part.name}: {problem}" for problem in verify(out).problems]


def kills(count: int, folders: list[Path]) -> dict[str, Any]:
    """Kill games over and over."""
    chance = random.Random(count)
    # Many small frames that never fill the ring, and rings that turn over while they are written.
    shapes = [(1 << 20, 3), (1 << 18, 20), (1 << 17, 3), (1 << 16, 1)]
    wrong: list[str] = []
    frames = recorded = 0
    for number in range(count):
        memory, things = shapes[number % len(shapes)]
        delay = chance.choice((0.02, 0.1, 0.4)) * chance.random() + 0.005
        with tempfile.TemporaryDirectory(dir=folders[number % len(folders)]) as folder:
            frame_count, found = kill_once(Path(folder), memory, things, delay, number)
        frames, recorded = frames + frame_count, recorded + (frame_count > 0)
        wrong += [f"kill {number + 1} after {delay * 1e3:.1f} ms: {what}" for what in found[:5]]
    return {"kills": count, "recorded": recorded, "frames": frames, "wrong": wrong[:20]}


# --- an hour ----------------------------------------------------------------------------------


def resident() -> int:
    """Bytes of this process in memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def hour(seconds: float) -> dict[str, Any]:
    """Run the arena that long, and see how far the process grows once the ring is full."""
    from playhead.games.arena.yard_game import ArenaGame

    began, most, first = time.monotonic(), 0, 0
    with (
        ArenaGame(seed=1) as game,
        Session(game.world, "4 MiB", handlers=game.handlers, on_check=UNATTENDED) as session,
    ):
        game.attach(session)
        frames = round(seconds / game.dt)
        full = max(3000, frames // 20)
        for frame in range(frames):
            game.step()
            session.watch("frame", frame)
            session.log(f"line {frame} was never logged before")
            session.update(game.dt)
            # What is allocated for a moment now and then is no growth: the most of some seconds
            # is compared with the most of all.
            if frame >= full and frame % 100 == 0:
                most = max(most, resident())
                if frame <= full + 1500:
                    first = most
        status = session.status
        evicted = session.source.span
    grown = most - first
    wrong = [f"grew by {grown} bytes"] if grown > MOST_GROWTH else []
    if evicted is None or evicted.oldest < 2:
        wrong.append("the ring was never full")
    return {
        "frames": status.frames, "seconds": seconds, "took": round(time.monotonic() - began, 1),
        "resident": first, "grown": grown, "cost_us_p99": status.cost_us_p99, "wrong": wrong,
    }  # fmt: skip


# --- scrubbing --------------------------------------------------------------------------------


def scrub(seconds: float) -> dict[str, Any]:
    """Move the viewer's playhead to and fro, and see how far the process grows."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from playhead.benchmarks.viewer.crowd_game import Shape, record
    from playhead.benchmarks.viewer.seek_to_paint_latency import Bench

    chance, began = random.Random(1), time.monotonic()
    shape = Shape(5_000, 5, 24, 200, "96 MiB")
    with tempfile.TemporaryDirectory() as folder:
        record(Path(folder) / "crowd.ring", shape)
        bench = Bench(Path(folder) / "crowd.ring", shape, 0.0, 0)
        try:
            bench.until(lambda: bench.window.store.is_settled)
            start = time.monotonic()
            moves, first, most = 0, 0, 0
            while (passed := time.monotonic() - start) < seconds:
                here = bench.window.store.frame
                bench.move(chance.choice([frame for frame in bench.frames if frame != here]))
                moves += 1
                if passed > seconds / 10:
                    first = first or resident()
                    most = max(most, resident())
        finally:
            bench.close()
    grown = most - first
    wrong = [f"grew by {grown} bytes"] if grown > MOST_SCRUBBED else []
    return {
        "moves": moves, "seconds": seconds, "took": round(time.monotonic() - began, 1),
        "resident": first, "grown": grown, "wrong": wrong,
    }  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    kind = parser.add_subparsers(dest="kind", required=True)
    killing = kind.add_parser("kills")
    killing.add_argument("folders", nargs="*", type=Path, default=[Path(tempfile.gettempdir())])
    killing.add_argument("--count", type=int, default=1000)
    lasting = kind.add_parser("hour")
    lasting.add_argument("--seconds", type=float, default=3600.0)
    scrubbing = kind.add_parser("scrub")
    scrubbing.add_argument("--seconds", type=float, default=600.0)
    given = parser.parse_args()
    os.environ["PLAYHEAD"] = "strict"
    if given.kind == "kills":
        facts = kills(given.count, given.folders)
    else:
        facts = hour(given.seconds) if given.kind == "hour" else scrub(given.seconds)
    sys.stdout.write(f"{json.dumps(facts)}\n")
    return 1 if facts["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
