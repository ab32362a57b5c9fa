"""The older tier: packing, what is lost when it comes too late, damage, threads, its memory."""

import gc
import math
import mmap
import os
import random
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import lz4.block
import numpy as np
import pytest

from playhead.errors import CapacityError, DamagedError, EvictedError, RecordingError
from playhead.native import _ring, older
from playhead.native.ring import FrameRing

from .rings import HERE, ring_of

GROUP = struct.Struct("<QIIIIII")
"""How a packed group begins: first frame, frames, shapes, tracks, rows, length, packed bytes."""
ENTRY = struct.Struct("<III")


class Packing:
    """A ring and its older tier without a thread: it packs when it is told to."""

    def __init__(
        self, arena: int = 16_384, room: int = 4096, store: int = 65_536, latch: int = 8000
    ) -> None:
        self.ring = ring_of(arena, latch)
        self.block = mmap.mmap(-1, store)
        self.store = _ring.Ring(self.block, latch // 2 if latch > 8000 else latch)
        self.kept = _ring.Ring(memoryview(self.block))
        work = mmap.mmap(-1, _ring.older_workspace(room) + 64)
        self.raw = _ring.Older(self.ring, self.store, self.kept, work, room)
        self.images: dict[int, bytes] = {}

    def record(self, frames: int, payload: Callable[[int], bytes], late: bool = False) -> None:
        """Frames of three objects and a fact, packed as they come, or not."""
        for _ in range(frames):
            frame = self.ring.begin()
            for id in (1, 2, 3):
                assert self.ring.record(id, 40, True, HERE, HERE, payload(frame))
            assert self.ring.latch(1, 20, 0, 4, 0, b"held since %d" % frame)
            self.ring.commit(frame / 64, 1 / 64)
            self.images[frame] = self.ring.image(frame)
            assert late or self.raw.settle()

    def held(self) -> range:
        oldest = self.kept.oldest
        return range(oldest[0], self.raw.complete + 1) if oldest else range(0)

    def begin(self, frame: int) -> bool:
        return self.raw.begin(frame, self.ring.latched_all(frame - 1))


def still(frame: int) -> bytes:
    return b"the same in each frame, whatever comes"


def counting(frame: int) -> bytes:
    return struct.pack("<6d", frame, 0.5 * frame, 1.0, 0.0, 0.0, math.sin(frame))


def noise(frame: int) -> bytes:
    return random.Random(frame).randbytes(200)


@pytest.fixture
def packing():
    return Packing()


@pytest.fixture
def make_ring():
    made = []

    def make(memory="1 MiB", *, older=0.5, **settings) -> FrameRing:
        made.append(FrameRing(memory, older=older, **settings))
        return made[-1]

    yield make
    for ring in made:
        ring.close()


def fill(ring: FrameRing, frames: int, size: int = 60) -> dict[int, bytes]:
    """Frames with one packet each; what their images were."""
    images = {}
    for _ in range(frames):
        frame = ring.begin()
        ring.record(1, 40, True, HERE, HERE, bytes([frame % 256]) * size)
        ring.commit(frame / 64, 1 / 64)
        images[frame] = ring.image(frame)
        if ring.older is not None:
            ring.older.settle()
    return images


# --- packing --------------------------------------------------------------------------------------


@pytest.mark.parametrize("payload", [still, counting, noise])
def test_a_packed_group_is_an_lz4_block_behind_a_table_of_its_frames(packing, payload):
    packing.record(60, payload)
    groups = []
    for frame in packing.held():
        blob = [row for row in packing.kept.packets(frame) if row[1] == 0]
        if not blob:
            continue
        first, frames, _, _, rows, length, packed = GROUP.unpack_from(blob[0][8])
        assert first + frames - 1 == frame, "it stands in its newest frame"
        table = blob[0][8][GROUP.size : GROUP.size + ENTRY.size * frames]
        data = blob[0][8][GROUP.size + len(table) :]
        assert len(data) == packed
        unpacked = lz4.block.decompress(data, uncompressed_size=length)
        assert len(unpacked) == length >= rows
        for id, entry in zip(range(first, frame + 1), ENTRY.iter_unpack(table), strict=True):
            packets, size, check = entry
            image = packing.images.get(id, b"")
            assert (packets, size) == (4, len(image))
            assert check == struct.unpack_from("<I", image, 92)[0]
        groups.append(frames)
    assert groups
    for frame in packing.held():
        assert packing.raw.image(frame) == packing.images[frame]


def test_what_does_not_change_takes_hardly_any_room():
    packing = Packing(arena=65_536, room=16_384)
    packing.record(200, lambda frame: still(frame) * 10)
    accounts = packing.raw.accounts
    assert accounts["packed"] > 100
    assert accounts["bytes_before"] > accounts["bytes_after"] * 4


def test_noise_takes_little_more_than_before(packing):
    packing.record(60, noise)
    accounts = packing.raw.accounts
    assert accounts["bytes_after"] < accounts["bytes_before"] * 1.5
    for frame in packing.held():
        assert packing.raw.image(frame) == packing.images[frame]


def test_positions_told_by_the_payload_take_no_room_beside_it():
    sizes = []
    for told in (True, False):
        packing, chance = Packing(), random.Random(7)
        for _ in range(60):
            frame = packing.ring.begin()
            place = [chance.uniform(-100, 100) for _ in range(6)]
            shown = place if told else [chance.uniform(-100, 100) for _ in range(6)]
            payload = struct.pack("<6d", *place)
            packing.ring.record(1, 40, True, tuple(shown[:3]), tuple(shown[3:]), payload)
            packing.ring.commit(frame / 64, 1 / 64)
            packing.images[frame] = packing.ring.image(frame)
            assert packing.raw.settle()
        for frame in packing.held():
            assert packing.raw.image(frame) == packing.images[frame]
        accounts = packing.raw.accounts
        sizes.append(accounts["bytes_after"] / accounts["packed"])
    assert sizes[0] < sizes[1] - 15


def test_numbers_that_single_precision_can_not_say_come_back(packing):
    odd = (math.nan, math.inf, -math.inf, -0.0, 1e300, 5e-324)
    for _ in range(60):
        frame = packing.ring.begin()
        shown = tuple(float(np.float32(value)) for value in (*odd[:4], 0.0, 0.0))
        packing.ring.record(1, 40, True, shown[:3], shown[3:], struct.pack("<6d", *odd))
        packing.ring.commit(frame / 64, 1 / 64)
        packing.images[frame] = packing.ring.image(frame)
        assert packing.raw.settle()
    assert packing.held()
    for frame in packing.held():
        assert packing.raw.image(frame) == packing.images[frame]


def test_many_packets_of_one_object_in_a_frame_keep_their_order():
    packing = Packing(arena=65_536, room=16_384)
    for _ in range(80):
        frame = packing.ring.begin()
        for n in range(frame % 3 + 10):  # more of them in all than a group has frames
            packing.ring.record(1, 40, n % 2 == 0, HERE, HERE, struct.pack("<II", n, frame))
        packing.ring.commit(frame / 64, 1 / 64)
        packing.images[frame] = packing.ring.image(frame)
        assert packing.raw.settle()
    assert len(packing.held()) > 20
    for frame in packing.held():
        assert packing.raw.image(frame) == packing.images[frame]
    accounts = packing.raw.accounts
    assert accounts["bytes_before"] > accounts["bytes_after"] * 4.5


def test_half_of_the_ring_waits_unpacked(packing):
    packing.record(10, still)
    assert packing.raw.complete == 0
    assert packing.raw.accounts["waiting"] == 0
    packing.record(10, still, late=True)
    assert packing.raw.accounts["waiting"] > 0
    assert packing.raw.settle()
    assert 0 < packing.raw.complete < 20
    assert packing.raw.accounts["waiting"] == 0


def test_the_oldest_frames_go_when_the_store_is_full(packing):
    packing.record(800, noise)
    held = packing.held()
    assert held.start > 1
    assert len(held) > 20
    for frame in held:
        assert packing.raw.image(frame) == packing.images[frame]
    with pytest.raises(EvictedError, match="frame 1 is not held"):
        packing.raw.image(1)
    with pytest.raises(EvictedError):
        packing.raw.stamp(held.stop)


# --- what comes too late --------------------------------------------------------------------------


def test_what_was_not_packed_in_time_is_lost_and_packing_begins_anew(packing):
    packing.record(30, counting)
    first = packing.held()
    assert first.start == 1
    packing.record(300, counting, late=True)
    assert not packing.raw.settle()
    assert packing.raw.is_lost
    assert packing.held() == first, "until it begins anew it keeps what it has"
    assert not packing.raw.settle()
    start = packing.ring.oldest[0] + 5
    assert packing.begin(start)
    assert not packing.raw.is_lost
    assert packing.held() == range(0)
    assert packing.raw.accounts["lost"] == start - 1, "those packed before count too"
    packing.record(20, counting)
    held = packing.held()
    assert held.start == start
    for frame in held:
        assert packing.raw.image(frame) == packing.images[frame]
        assert packing.kept.latched(frame, 1, 4, 0) == (frame, 20, b"held since %d" % frame)


def test_what_held_before_it_began_anew_is_still_told(packing):
    packing.ring.begin()
    packing.ring.latch(7, 21, 0, 5, 9, b"said once")
    packing.ring.commit(0.0, 0.0)
    packing.record(300, counting, late=True)
    assert not packing.raw.settle()
    start = packing.ring.oldest[0] + 5
    assert packing.begin(start)
    packing.record(20, counting)
    assert packing.held().start == start
    assert packing.kept.latched(start, 7, 5, 9) == (1, 21, b"said once")
    assert packing.kept.versions(start, 7, 5, 9, 9) == [(1, 21, b"said once")]
    assert [row[0] for row in packing.kept.versions(start, 1, 4, 0, 9)] == [start, start - 1]


def test_where_there_is_no_room_for_what_held_nothing_is_kept(packing):
    rows = [(object, 4, 0, 1, 20, bytes(500)) for object in range(1, 40)]
    packing.record(300, counting, late=True)
    assert not packing.raw.settle()
    assert packing.raw.begin(packing.ring.newest[0] - 1, rows) is False
    assert packing.store.accounts["latch_keys"] == 0
    packing.record(30, counting, late=True)
    assert not packing.raw.settle(), "it did not begin"
    assert packing.held() == range(0)
    assert packing.begin(packing.ring.newest[0] - 5)
    packing.record(30, counting)
    assert packing.held()


def test_a_frame_larger_than_a_group_may_be_is_lost_and_what_follows_is_not():
    packing = Packing(arena=32_768, room=4096)
    packing.record(20, counting)
    packing.record(1, lambda frame: bytes(3000))
    large = packing.ring.newest[0]
    packing.record(14, counting, late=True)
    assert not packing.raw.settle()
    assert packing.raw.next == large
    assert packing.held() == range(1, large)
    assert packing.begin(large + 1)
    packing.record(40, counting)
    assert packing.held().start == large + 1


def test_a_frame_with_flags_where_the_tier_has_its_own_is_lost(packing):
    packing.ring.begin()
    packing.ring.commit(0.0, 0.0, 0, 1 << 24)
    packing.record(18, counting, late=True)
    assert not packing.raw.settle()
    assert packing.begin(2)
    packing.record(20, counting)
    assert packing.held().start == 2


def test_a_group_ends_where_its_tables_are_full():
    packing = Packing(arena=200_000, room=50_000, store=200_000)
    for _ in range(60):  # every packet of another object: each has a track of its own
        frame = packing.ring.begin()
        rows = [(frame * 1000 + i, 40, True, HERE, HERE) for i in range(60)]
        assert packing.ring.record_list(rows) == 60
        packing.ring.commit(frame / 64, 1 / 64)
        packing.images[frame] = packing.ring.image(frame)
    assert packing.raw.settle()
    assert len(packing.held()) >= 8
    for frame in packing.held():
        assert packing.raw.image(frame) == packing.images[frame]


def test_a_full_latch_area_makes_the_tier_shorter_but_not_wrong():
    """Objects come, say something long, and go: what ended gives its room back with its frame."""
    packing = Packing(store=400_000, latch=120_000)
    for _ in range(400):
        frame = packing.ring.begin()
        packing.ring.latch(frame, 20, 0, 4, 0, bytes([frame % 256]) * 100)
        if frame > 2:
            packing.ring.despawn(frame - 2, 21)
        packing.ring.record(1, 40, True, HERE, HERE, still(frame))
        packing.ring.commit(frame / 64, 1 / 64)
        packing.images[frame] = packing.ring.image(frame)
        assert packing.raw.settle()
    assert packing.ring.accounts["latch_refused"] == 0
    assert packing.store.accounts["latch_refused"] > 0
    held = packing.held()
    assert 30 < len(held) < 300
    for frame in held:
        assert packing.raw.image(frame) == packing.images[frame]
        for object in (frame - 1, frame):
            told = packing.kept.latched(frame, object, 4, 0)
            assert told == (object, 20, bytes([object % 256]) * 100)
        assert packing.kept.latched(frame, frame - 2, 4, 0) is None


# --- damage, and wrong calls ----------------------------------------------------------------------


def test_damage_to_what_is_packed_never_crashes_and_never_passes_for_truth(packing):
    packing.record(120, counting)
    ends = [at for at in packing.held() if any(row[1] == 0 for row in packing.kept.packets(at))]
    assert len(ends) >= 4
    chance, told = random.Random(3), 0
    frame, others = ends[0], ends[1:]
    blob = next(row[8] for row in packing.kept.packets(frame) if row[1] == 0)
    start = packing.block[:].index(blob)
    for _ in range(400):
        for other in chance.sample(others, 2):  # then this group is unpacked no more
            assert packing.raw.image(other) == packing.images[other]
        at = start + chance.randrange(len(blob))
        before = packing.block[at]
        packing.block[at] = before ^ (1 << chance.randrange(8))
        try:
            assert packing.raw.image(frame) == packing.images[frame]
        except (DamagedError, EvictedError):
            told += 1
        finally:
            packing.block[at] = before
    assert told > 50
    for other in (*others[:2], frame):
        assert packing.raw.image(other) == packing.images[other]


def test_only_a_ring_that_is_recorded_into_gets_a_tier_and_only_one(packing):
    work = mmap.mmap(-1, _ring.older_workspace(4096))
    with pytest.raises(ValueError, match="no older tier"):
        _ring.Older(packing.ring, packing.store, packing.kept, work, 4096)
    with pytest.raises(ValueError, match="for writing and for reading"):
        _ring.Older(ring_of(4096), packing.kept, packing.store, work, 4096)
    with pytest.raises(ValueError, match="need"):
        _ring.Older(ring_of(4096), packing.store, packing.kept, work, 1 << 20)
    with pytest.raises(ValueError, match="2 GiB at most"):
        _ring.older_workspace(1 << 32)


def test_a_frame_that_the_ring_has_not_can_not_be_begun_with(packing):
    packing.record(10, counting)
    with pytest.raises(EvictedError):
        packing.raw.begin(11, [])
    with pytest.raises(TypeError):
        packing.raw.begin(5, [("no", "numbers")])
    for nonsense in (0, -1, 2**64, "1"):
        with pytest.raises((EvictedError, TypeError)):
            packing.raw.image(nonsense)


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
        wait_for(lambda: not ring.older.accounts["waiting"])
    assert ring.raw.oldest[0] > 1000
    assert ring.oldest == (1, 1 / 64)
    for frame in range(1, 1000, 7):
        assert ring.image(frame) == images[frame]


def wait_for(done: Callable[[], bool]) -> None:
    """Let the packing thread work, but not for ever."""
    pause = threading.Event()
    for _ in range(10_000):
        if done():
            return
        pause.wait(0.001)
    pytest.fail("the thread does not pack")


@pytest.mark.skipif(sys.platform != "linux", reason="only there threads have priorities")
def test_the_thread_gives_way_to_the_game(make_ring):
    thread = make_ring().older._thread
    wait_for(lambda: os.getpriority(os.PRIO_PROCESS, thread.native_id) == older.NICE)
    assert os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) < older.NICE


def test_readers_in_other_threads_see_whole_frames_or_none(make_ring):
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
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
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


def test_what_does_not_reach_to_the_ring_is_held_no_more(make_ring, monkeypatch):
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


def test_what_ended_the_packing_is_said(make_ring, monkeypatch):
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
