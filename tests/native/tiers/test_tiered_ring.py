"""The older tier: packing, what is lost when it comes too late, damage, wrong calls."""

import math
import mmap
import random
import struct

import lz4.block
import numpy as np
import pytest

from playhead.errors import DamagedError, EvictedError
from playhead.native import _ring

from ..rings import HERE, ring_of
from .packing import Packing, counting, noise, still

GROUP = struct.Struct("<QIIIIII")
"""How a packed group begins: first frame, frames, shapes, tracks, rows, length, packed bytes."""
ENTRY = struct.Struct("<III")


# --- packing --------------------------------------------------------------------------------------


@pytest.mark.parametrize("payload", [still, counting, noise])
def test_a_packed_group_is_an_lz4_block_behind_a_table_of_its_frames(packing, payload):
    packing.record(60, payload)
    groups = []
    for frame in packing.held():
        blob = [row for row in packing.older_ring.packets(frame) if row[1] == 0]
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


def test_positions_given_by_the_payload_take_no_room_beside_it():
    sizes = []
    for result in (True, False):
        packing, chance = Packing(), random.Random(7)
        for _ in range(60):
            frame = packing.ring.begin()
            pose = [chance.uniform(-100, 100) for _ in range(6)]
            shown = pose if result else [chance.uniform(-100, 100) for _ in range(6)]
            payload = struct.pack("<6d", *pose)
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
    assert packing.held() == first, "until it starts again it keeps what it has"
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
        assert packing.older_ring.latched(frame, 1, 4, 0) == (frame, 20, b"held since %d" % frame)


def test_what_was_true_before_it_began_anew_is_still_reported(packing):
    packing.ring.begin()
    packing.ring.latch(7, 21, 0, 5, 9, b"said once")
    packing.ring.commit(0.0, 0.0)
    packing.record(300, counting, late=True)
    assert not packing.raw.settle()
    start = packing.ring.oldest[0] + 5
    assert packing.begin(start)
    packing.record(20, counting)
    assert packing.held().start == start
    assert packing.older_ring.latched(start, 7, 5, 9) == (1, 21, b"said once")
    assert packing.older_ring.versions(start, 7, 5, 9, 9) == [(1, 21, b"said once")]
    assert [row[0] for row in packing.older_ring.versions(start, 1, 4, 0, 9)] == [start, start - 1]


def test_where_there_is_no_room_for_what_was_true_nothing_is_kept(packing):
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
    assert packing.store.accounts["latch_refused"] == 0
    assert packing.store.accounts["latch_evicted"] > 0
    held = packing.held()
    assert 30 < len(held) < 300
    for frame in held:
        assert packing.raw.image(frame) == packing.images[frame]
        for object in (frame - 1, frame):
            result = packing.older_ring.latched(frame, object, 4, 0)
            assert result == (object, 20, bytes([object % 256]) * 100)
        assert packing.older_ring.latched(frame, frame - 2, 4, 0) is None


# --- damage, and wrong calls ----------------------------------------------------------------------


def test_damage_to_what_is_packed_never_crashes_and_never_passes_for_truth(packing):
    packing.record(120, counting)
    ends = [
        at for at in packing.held() if any(row[1] == 0 for row in packing.older_ring.packets(at))
    ]
    assert len(ends) >= 4
    chance, result = random.Random(3), 0
    frame, others = ends[0], ends[1:]
    blob = next(row[8] for row in packing.older_ring.packets(frame) if row[1] == 0)
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
            result += 1
        finally:
            packing.block[at] = before
    assert result > 50
    for other in (*others[:2], frame):
        assert packing.raw.image(other) == packing.images[other]


def test_only_a_ring_that_is_recorded_into_gets_a_tier_and_only_one(packing):
    work = mmap.mmap(-1, _ring.tier_workspace(4096))
    with pytest.raises(ValueError, match="no tier yet"):
        _ring.Tier(packing.ring, packing.store, packing.older_ring, work, 4096)
    with pytest.raises(ValueError, match="reader must read the store"):
        _ring.Tier(ring_of(4096), packing.older_ring, packing.store, work, 4096)
    with pytest.raises(ValueError, match="need"):
        _ring.Tier(ring_of(4096), packing.store, packing.older_ring, work, 1 << 20)
    with pytest.raises(ValueError, match="2 GiB at most"):
        _ring.tier_workspace(1 << 32)


def test_a_frame_that_the_ring_has_not_can_not_be_begun_with(packing):
    packing.record(10, counting)
    with pytest.raises(EvictedError):
        packing.raw.begin(11, [])
    with pytest.raises(TypeError):
        packing.raw.begin(5, [("no", "numbers")])
    for nonsense in (0, -1, 2**64, "1"):
        with pytest.raises((EvictedError, TypeError)):
            packing.raw.image(nonsense)
