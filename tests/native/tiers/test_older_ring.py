"""A ring with an older tier: the thread that packs, its memory, what is read from both."""

import gc
import os
import random
import sys
import threading
from pathlib import Path

import pytest

from playhead.errors import CapacityError, DamagedError, EvictedError, RecordingError
from playhead.native import tiered_ring as older
from playhead.native.ring import FrameRing

from ...support.process import run_process
from ...support.waits import until
from ..rings import HERE
from .packing import counting, fill

# --- threads --------------------------------------------------------------------------------------


def test_one_thread_packs_until_it_is_stopped(packing):
    done = []
    thread = threading.Thread(target=lambda: done.append(packing.raw.run()))
    thread.start()
    try:
        while True:
            try:
                packing.raw.run()
            except RecordingError as error:
                assert "packs these frames already" in str(error)
                break
    finally:
        packing.raw.stop()
        thread.join(10)
    assert done == [False]
    assert packing.raw.run() is False, "it stays stopped"


def test_the_thread_packs_what_the_ring_is_about_to_lose(make_ring):
    ring, images = make_ring("2 MiB"), {}
    for _ in range(2000):
        frame = ring.begin()
        ring.record(1, 40, True, HERE, HERE, frame.to_bytes(2, "little") * 1000)
        ring.commit(frame / 64, 1 / 64)
        images[frame] = ring.image(frame)
        until(lambda: not ring.older.accounts["waiting"])
    assert ring.raw.oldest[0] > 1000
    assert ring.oldest == (1, 1 / 64)
    for frame in range(1, 1000, 7):
        assert ring.image(frame) == images[frame]


@pytest.mark.skipif(sys.platform != "linux", reason="only there threads have priorities")
def test_the_thread_gives_way_to_the_game(make_ring):
    own = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    if own >= older.NICE:
        pytest.skip("this run itself gives way to everybody")
    thread = make_ring().older._thread
    until(lambda: os.getpriority(os.PRIO_PROCESS, thread.native_id) == older.NICE)
    assert os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) == own


def test_readers_in_other_threads_see_complete_frames_or_none(make_ring):
    ring = make_ring("1 MiB", older=0.6)
    usual = sys.getswitchinterval()
    images: dict[int, bytes] = {}
    wrong: list[str] = []
    done = threading.Event()
    read = [0, 0]

    def look(reader: int) -> None:
        chance = random.Random(reader)
        while not done.is_set():
            oldest, newest = ring.oldest, len(images)
            if oldest is None or newest < oldest[0]:
                continue
            frame = chance.randint(oldest[0], newest)
            try:
                image = ring.image(frame)
                held = ring.latched(frame, 1, 4, 0)
            except EvictedError:
                continue
            if image != images[frame] or held != (frame, 20, b"%d" % frame):
                wrong.append(f"frame {frame}: {held}")
            read[reader] += frame < ring.raw.oldest[0]

    threads = [threading.Thread(target=look, args=(reader,)) for reader in (0, 1)]
    sys.setswitchinterval(1e-5)
    for thread in threads:
        thread.start()
    try:
        while not wrong and (min(read) < 200 or len(images) < 8000):
            frame = ring.begin()
            ring.record(1, 40, True, HERE, HERE, counting(frame) * 4)
            ring.latch(1, 20, 0, 4, 0, b"%d" % frame)
            ring.commit(frame / 64, 1 / 64)
            images[frame] = ring.image(frame)
            if ring.older.accounts["waiting"] > 100_000:
                ring.older.settle()
    finally:
        sys.setswitchinterval(usual)
        done.set()
        for thread in threads:
            thread.join(20)
    assert not wrong, wrong[:3]


def test_the_thread_ends_with_the_ring_that_nobody_closed():
    ring = FrameRing("1 MiB", older=0.5)
    fill(ring, 20)
    thread = ring.older._thread
    assert thread.is_alive()
    del ring
    gc.collect()
    thread.join(10)
    assert not thread.is_alive()


def test_a_program_that_never_closes_its_ring_ends():
    code = (
        "from playhead.native.ring import FrameRing\n"
        "ring = FrameRing('1 MiB', older=0.5)\n"
        "for n in range(20000):\n"
        "    ring.begin(); ring.record(1, 40, True, (0, 0, 0), (0, 0, 0), bytes(60))\n"
        "    ring.commit(float(n), 1.0)\n"
        "print(len(ring))\n"
    )
    done = run_process(sys.executable, "-c", code, check=True)
    assert int(done.stdout) > 0
    assert done.stderr == ""


# --- a ring with a tier ---------------------------------------------------------------------------


def test_a_tier_is_part_of_the_memory(make_ring):
    ring = make_ring("4 MiB", older=0.75)
    assert ring.accounts["total"] + ring.older.memory == 4 << 20
    assert ring.older.memory == 3 << 20


@pytest.mark.parametrize("share", [1.0, 1.5, -0.1, float("nan"), "half", None])
def test_a_share_that_is_none_is_refused(share):
    with pytest.raises(CapacityError, match="no share of the memory"):
        FrameRing("1 MiB", older=share)


def test_a_tier_without_room_is_refused_and_leaves_no_file(tmp_path: Path):
    path = tmp_path / "small.ring"
    with pytest.raises(CapacityError, match="too few for an older tier"):
        FrameRing("256 KiB", older=0.2, path=path)
    assert not path.exists()


def test_the_file_of_a_ring_holds_what_is_not_packed(make_ring, tmp_path: Path):
    path = tmp_path / "game.ring"
    ring = make_ring("1 MiB", older=0.5, path=path)
    fill(ring, 9000)
    assert ring.oldest[0] < ring.raw.oldest[0]
    with FrameRing.open(path) as other:
        assert other.older is None
        assert (other.oldest, other.newest) == (ring.raw.oldest, ring.newest)


def test_views_of_an_older_frame_are_of_a_copy(make_ring):
    ring = make_ring("1 MiB", older=0.5)
    fill(ring, 9000)
    frame = ring.oldest[0]
    with ring.read(frame) as ((_, _, _, headers, payloads),):
        before = headers.tobytes(), payloads.tobytes()
        fill(ring, 5000)
    with pytest.raises(EvictedError):
        ring.image(frame)
    assert (headers.tobytes(), payloads.tobytes()) == before
    assert not payloads.flags.writeable
    assert ring.verify(ring.oldest[0])
    newest = ring.newest[0]
    with ring.read(newest) as runs:
        assert len(runs) == 1


def test_what_does_not_reach_to_the_ring_is_no_longer_recorded(make_ring, monkeypatch):
    """Frames that were packed are no part of the recording while those behind them are gone."""
    monkeypatch.setattr(older, "_pack", lambda *given: None)
    ring = make_ring("1 MiB", older=0.5)
    fill(ring, 4000)
    packed = ring.oldest[0]
    assert packed < ring.raw.oldest[0]
    for frame in range(4001, 8001):
        ring.begin()
        ring.record(1, 40, True, HERE, HERE, bytes(60))
        ring.commit(frame / 64, 1 / 64)
    assert ring.oldest == ring.raw.oldest
    assert not ring.holds(packed)
    assert ring.find(0.0) == ring.raw.oldest[0]
    for read in (ring.image, ring.packets, ring.stamp, ring.runs, ring.latched_all):
        with pytest.raises(EvictedError):
            read(packed)
    ring.older.settle()
    fill(ring, 4000)
    assert ring.older.accounts["lost"] > 0
    assert ring.oldest[0] < ring.raw.oldest[0]


def test_a_closed_ring_holds_nothing(make_ring):
    ring = make_ring()
    fill(ring, 9000)
    ring.close()
    assert ring.oldest is None
    assert not ring.holds(9000)
    with pytest.raises(EvictedError):
        ring.image(8000)
    ring.close()


def test_going_to_and_fro_reads_the_same(make_ring):
    ring = make_ring("1 MiB", older=0.5)
    images = fill(ring, 9000)
    oldest = ring.oldest[0]
    for _ in range(3):
        for frame in (*range(oldest, oldest + 200), *range(oldest + 200, oldest, -1)):
            assert ring.image(frame) == images[frame]


def test_what_ended_the_packing_is_reported(make_ring, monkeypatch):
    def broken(*given):
        raise DamagedError("the ring is damaged")

    monkeypatch.setattr(older, "_begin", broken)
    ring = make_ring("1 MiB", older=0.5)
    fill(ring, 20)
    for _ in range(3):
        ring.begin()
        ring.record(1, 40, True, HERE, HERE, bytes(60_000))  # no group takes that
        ring.commit(ring.newest[1] + 1, 1.0)
    ring.older._thread.join(0)
    while not ring.older.fault:
        ring.begin()
        ring.record(1, 40, True, HERE, HERE, bytes(60_000))
        ring.commit(ring.newest[1] + 1, 1.0)
    assert ring.older.fault == "the ring is damaged"
    fill_without_packing(ring, 3000)
    assert ring.oldest == ring.raw.oldest


def fill_without_packing(ring: FrameRing, frames: int) -> None:
    for _ in range(frames):
        frame = ring.begin()
        ring.record(1, 40, True, HERE, HERE, bytes(200))
        ring.commit(ring.newest[1] + 1 if ring.newest else float(frame), 1.0)


def test_versions_are_reported_while_the_tier_begins_anew(make_ring, monkeypatch):
    """What is asked about is in the ring; the older frame that is looked into may go meanwhile."""
    ring = make_ring("1 MiB", older=0.5)
    for frame in range(1, 6000):
        ring.begin()
        if frame % 100 == 0:
            ring.latch(1, 20, 0, 4, 0, b"%d" % frame)
        ring.record(1, 40, True, (0, 0, 0), (0, 0, 0), bytes(60))
        ring.commit(float(frame), 1.0)
        ring.older.settle()
    newest, in_ring = ring.newest[0], ring.raw.oldest[0]
    assert ring.older.holds(in_ring - 1)
    reader = ring.older._reader

    class BegunAnew:
        def __getattr__(self, name):
            return getattr(reader, name)

        def versions(self, frame, *key):
            raise EvictedError(f"frame {frame} is not held")

    monkeypatch.setattr(ring.older, "_reader", BegunAnew())
    rows = ring.versions(newest, 1, 4, 0, 1000)
    assert rows == ring.raw.versions(newest, 1, 4, 0, 1000)
    assert rows[-1][0] < in_ring, "the one that held at the ring's oldest frame"
