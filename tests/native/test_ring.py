"""Frames in fixed memory: how they go, how they are found and how they are read."""

import bisect
import mmap
import os
import random
import timeit
import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest

from playhead.errors import CapacityError, EvictedError, RecordingError
from playhead.native import _ring
from playhead.native.ring import FrameRing

from .rings import DROPPED, HERE, payloads, record_frame, ring_of

BIG = np.zeros((2, 5000), np.uint8)
MIB = 1 << 20


def test_with_room_for_two_frames_the_third_takes_the_place_of_the_first() -> None:
    ring = ring_of(384)
    for time in (1.0, 2.0, 3.0):
        record_frame(ring, time, b"")
    assert (ring.oldest, ring.newest) == ((2, 2.0), (3, 3.0))
    assert not ring.holds(1)
    assert ring.stamp(2)[6] > 0
    assert ring.stamp(3)[6] % ring.accounts["capacity"] == 0


def test_the_oldest_frames_go_first_and_whole_and_no_more_than_needed() -> None:
    ring = ring_of(1024)
    for i in range(1, 7):  # 160 bytes each, so that six fit
        record_frame(ring, i, b"")
    assert ring.oldest == (1, 1.0)
    record_frame(ring, 7, bytes(100))  # 264 bytes, at the arena's start again
    assert ring.oldest == (3, 3.0)
    assert [ring.holds(i) for i in range(1, 8)] == [False, False, True, True, True, True, True]
    assert all(ring.verify(i) for i in range(3, 8))
    assert ring.accounts["frames_evicted"] == 2


def test_the_packets_of_a_frame_may_stand_on_both_sides_of_the_end_but_none_across_it() -> None:
    block = mmap.mmap(-1, 512 + 1024)
    ring = _ring.Ring(block, 0)
    record_frame(ring, 0.0, bytes(500))
    record_frame(ring, 1.0, *(bytes([i]) * 100 for i in range(4)))
    addresses = [run[3].ctypes.data for run in ring.runs(2)]
    assert addresses != sorted(addresses), "the frame does not wrap: the case is not the one meant"
    assert payloads(ring, 2) == [bytes([i]) * 100 for i in range(4)]
    begin = np.frombuffer(block, np.uint8).ctypes.data + 512
    for _, _, _, headers, data in ring.runs(2):
        assert data is not None
        assert begin <= headers.ctypes.data
        assert data.ctypes.data + (len(data) - 1) * data.strides[0] + 100 <= begin + 1024


def test_a_run_that_ends_just_at_the_arenas_end_is_not_continued_behind_it() -> None:
    for arena in range(1024, 4096, 64):
        for size in (0, 8, 24, 104):  # in more than a hundred frames a run ends there
            ring = ring_of(arena)
            for frame in range(1, 40):
                expected = [bytes([frame]) * size] * 3
                record_frame(ring, frame, *expected)
                assert payloads(ring, frame) == expected
                assert ring.verify(frame)


def test_the_open_frame_is_never_evicted_even_if_it_needs_everything() -> None:
    ring = ring_of(2048)
    for i in range(5):
        record_frame(ring, i, bytes(100))
    ring.begin()
    recorded = 0
    while ring.record(recorded + 1, 1, True, HERE, HERE, bytes([recorded]) * 90):
        recorded += 1
    assert ring.newest is None
    assert ring.oldest is None
    with pytest.raises(EvictedError):
        ring.find(0.0)
    assert ring.accounts["live"] > 2048 - 2 * 160
    assert ring.commit(9.0, 0.0) == 6
    assert payloads(ring, 6) == [bytes([i]) * 90 for i in range(recorded)]
    assert ring.oldest == ring.newest == (6, 9.0)
    assert ring.verify(6)


@pytest.mark.parametrize(
    "ask",
    [
        lambda ring: ring.record(1, 1, True, HERE, HERE, bytes(5000)),
        lambda ring: ring.record_by(1, 1, 5000, print, None),
        lambda ring: ring.record_by(1, 1, 2**62, print, None),
        lambda ring: ring.record_batch(1, np.arange(99), np.zeros((99, 3)), None, None, None),
        lambda ring: ring.record_batch(1, np.arange(2), np.zeros((2, 3)), payload=BIG),
    ],
    ids=["record", "record_by", "record_by huge", "many", "large"],
)
def test_what_can_never_fit_is_refused_before_anything_is_evicted(
    ask: Callable[[_ring.Ring], bool],
) -> None:
    ring = ring_of(2048)
    for i in range(8):
        record_frame(ring, i, b"x")
    ring.begin()
    assert ring.record(1, 1, True, HERE, HERE, b"kept")
    before = ring.accounts
    assert ask(ring) is False
    assert ring.accounts["frames_evicted"] == before["frames_evicted"]
    assert ring.accounts["live"] == before["live"]
    assert ring.accounts["packets_dropped"] > before["packets_dropped"]
    assert ring.record(2, 1, True, HERE, HERE, b"too"), "the frame goes on"
    frame = ring.commit(9.0, 0.0)
    assert ring.stamp(frame)[5] == DROPPED
    assert payloads(ring, frame) == [b"kept", b"too"]
    assert ring.verify(frame)


def test_a_packet_that_does_not_fit_beside_the_rest_of_its_frame_is_refused() -> None:
    ring = ring_of(1024)
    record_frame(ring, 0.0, b"old")
    ring.begin()
    assert ring.record(1, 1, True, HERE, HERE, bytes(400))
    evicted = ring.accounts["frames_evicted"]
    assert not ring.record(2, 1, True, HERE, HERE, bytes(800))
    assert ring.accounts["frames_evicted"] == evicted
    assert ring.accounts["packets_dropped"] == 1


@pytest.mark.parametrize("size", [1, 64, 511, 512, 639])
def test_memory_without_room_for_one_frame_is_refused(size: int) -> None:
    with pytest.raises(CapacityError, match=str(size)):
        _ring.Ring(mmap.mmap(-1, size), 0)


def test_the_smallest_ring_holds_one_empty_frame() -> None:
    ring = _ring.Ring(mmap.mmap(-1, 640), 0)
    for i in range(3):
        assert record_frame(ring, i) == i + 1
        assert ring.oldest == ring.newest == (i + 1, float(i))
        assert ring.verify(i + 1)
    ring.begin()
    assert not ring.record(1, 1, True, HERE, HERE)


def test_a_latch_area_larger_than_the_memory_is_refused() -> None:
    for latch in (4096, 2**40, 2**63 - 1):
        with pytest.raises(CapacityError):
            _ring.Ring(mmap.mmap(-1, 4096), latch)


def test_a_buffer_at_an_odd_address_or_not_writable_is_refused() -> None:
    memory = memoryview(mmap.mmap(-1, 8192))
    with pytest.raises(ValueError, match="64"):
        _ring.Ring(memory[8:], 0)
    with pytest.raises(BufferError):
        _ring.Ring(bytes(8192), 0)


def test_the_accounts_add_up_while_a_frame_is_open_too() -> None:
    ring = ring_of(4096)
    chance = random.Random(1)
    for i in range(300):
        ring.begin()
        for _ in range(chance.randrange(5)):
            ring.record(1, 1, True, HERE, HERE, bytes(chance.randrange(700)))
            parts = [ring.accounts[name] for name in ("live", "gap", "waste")]
            assert min(parts) >= 0
            assert sum(parts) == ring.accounts["capacity"] == 4096
        ring.commit(i, 0.0)


def test_nothing_grows_however_long_it_records() -> None:
    tracemalloc.start()
    try:
        ring = FrameRing("2 MiB")
        block = tracemalloc.get_traced_memory()[0]
        row = [(1, 1, True, HERE, HERE, b"payload")]

        def record(frames: int) -> None:
            for _ in range(frames):
                ring.begin()
                ring.record_list(row)
                ring.latch(1, 2, 0, 1, 1, b"state")
                ring.commit(1.0, 0.0)

        record(2000)
        before, resident = tracemalloc.get_traced_memory()[0], resident_bytes()
        record(100_000)
        assert tracemalloc.get_traced_memory()[0] - before < 10_000
        assert resident_bytes() - resident < MIB
        assert block < 50_000, "beside the one block there is a large allocation"
    finally:
        tracemalloc.stop()
    assert ring.accounts["frames_evicted"] > 90_000


def resident_bytes() -> int:
    """0 where it can't be told; a sanitizer, which PYTHONMALLOC is set for, holds on to much."""
    if not os.path.exists("/proc/self/statm") or os.environ.get("PYTHONMALLOC") == "malloc":
        return 0
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * mmap.PAGESIZE


# --- finding ---


def test_a_seek_finds_the_newest_frame_at_or_before_the_time() -> None:
    ring = ring_of(4096)
    for time in (1.0, 1.5, 2.5):
        record_frame(ring, time)
    times = {1: 1.0, 2: 1.5, 3: 2.5}
    expected = {
        1.5: 1.5,
        2.4: 1.5,
        0.2: 1.0,
        9.0: 2.5,
        1.0: 1.0,
        float("inf"): 2.5,
        -float("inf"): 1,
    }
    for asked, found in expected.items():
        assert times[ring.find(asked)] == found


def test_of_frames_at_the_same_time_a_seek_finds_the_newest() -> None:
    ring = ring_of(4096)
    for time in (1.0, 2.0, 2.0, 2.0, 3.0):
        record_frame(ring, time)
    assert [ring.find(t) for t in (1.9, 2.0, 2.1)] == [1, 4, 4]


def test_a_seek_to_no_number_is_refused() -> None:
    ring = ring_of(4096)
    record_frame(ring, 0.0)
    with pytest.raises(RecordingError):
        ring.find(float("nan"))
    with pytest.raises(TypeError):
        ring.find("1.0")  # type: ignore[arg-type]


def test_in_an_empty_ring_nothing_is_found() -> None:
    ring = ring_of(4096)
    assert ring.newest is None
    assert ring.oldest is None
    for ask in (lambda: ring.find(0.0), lambda: ring.packets(1), lambda: ring.latched(1, 1, 1, 1)):
        with pytest.raises(EvictedError):
            ask()


@pytest.mark.parametrize("frames", [100_000, 230_000], ids=["all held", "most evicted"])
def test_among_a_hundred_thousand_frames_each_is_found_by_time_and_by_id(frames: int) -> None:
    ring = FrameRing(96 * 100_000 + 512, latch=0)
    chance = random.Random(frames)
    times = [0.0]
    begin, commit = ring.begin, ring.commit
    for _ in range(frames):
        times.append(times[-1] + chance.choice((0.0, 1 / 64, 1 / 64, 0.25)))
        begin()
        commit(times[-1], 0.0)
    assert ring.oldest
    oldest = ring.oldest[0]
    assert len(ring) == 100_000
    assert oldest == frames - 99_999
    for _ in range(4000):
        time = chance.uniform(times[oldest] - 1, times[-1] + 1)
        exact = times[chance.randrange(oldest, frames + 1)]
        for asked in (time, exact):
            newest = bisect.bisect_right(times, asked) - 1
            assert ring.find(asked) == max(newest, oldest)
        frame = chance.randrange(oldest, frames + 1)
        assert ring.stamp(frame)[:2] == (frame, times[frame])
    assert not ring.holds(oldest - 1)


def quickest(call: Callable[[], object]) -> float:
    """Seconds for a call, at best: other processes can only make it slower."""
    return min(timeit.repeat(call, number=50, repeat=20))


def test_finding_takes_hardly_longer_in_a_long_recording_than_in_a_short_one() -> None:
    took = {}
    for frames in (1000, 100_000):
        ring = ring_of(200 * frames, 8000)
        for time in range(frames):
            ring.begin()
            if time % 2:
                ring.latch(1, 1, 0, 0, 0, b"")
            ring.commit(time, 0.0)
        assert ring.oldest
        oldest, newest = ring.oldest[0], frames
        assert newest - oldest > 0.8 * frames
        took[frames] = (
            quickest(lambda: ring.find(0.0)),  # noqa: B023
            quickest(lambda: [ring.stamp(newest), ring.stamp(oldest + 9)]),  # noqa: B023
            quickest(lambda: ring.latched(oldest + 9, 1, 0, 0)),  # noqa: B023
        )
    for short, long in zip(took[1000], took[100_000], strict=True):
        assert long < 10 * short, "a hundred times as many frames: ten times is not logarithmic"


# --- reading ---


def test_views_are_read_only_and_look_at_the_rings_own_bytes() -> None:
    block = mmap.mmap(-1, 1 << 16)
    ring = _ring.Ring(block, 0)
    ring.begin()
    ring.record_batch(3, np.arange(5), np.ones((5, 3)), payload=np.full((5, 600), 7, np.uint8))
    ring.commit(0.0, 0.0)
    ((type, _, _, headers, data),) = ring.runs(1)
    memory = np.frombuffer(block, np.uint8)
    assert type == 3
    assert headers["id"].tolist() == [0, 1, 2, 3, 4]
    assert headers["position"].tolist() == [[1.0, 1.0, 1.0]] * 5
    assert data is not None
    for view in (headers, data):
        assert np.shares_memory(view, memory)
        assert not view.flags.writeable
        with pytest.raises(ValueError):
            view.flags.writeable = True
    with pytest.raises(ValueError):
        data[0, 0] = 1


def test_a_borrowed_view_keeps_the_memory_when_the_ring_is_gone() -> None:
    with FrameRing("1 MiB") as ring:
        record_frame(ring, 0.0, b"still here")
        with ring.read(1) as runs:
            data = runs[0][4]
    del ring, runs
    assert data is not None
    assert data.tobytes() == b"still here"


def frames_until_evicted(ring: FrameRing) -> None:
    while ring.holds(1):
        assert ring.newest
        record_frame(ring, ring.newest[1] + 1, bytes(50))


def test_reading_says_so_on_leaving_if_the_frame_was_evicted_meanwhile() -> None:
    ring = FrameRing(8192, latch=0)
    record_frame(ring, 0.0, b"x")
    with ring.read(1) as runs:
        assert len(runs) == 1
    with pytest.raises(EvictedError, match="frame 1"), ring.read(1):
        frames_until_evicted(ring)


def test_an_evicted_frame_or_one_that_never_was_is_refused_at_once() -> None:
    ring = FrameRing(8192, latch=0)
    record_frame(ring, 0.0, b"x")
    frames_until_evicted(ring)
    assert ring.newest
    for frame in (1, 0, ring.newest[0] + 1, 2**63 - 1):
        for ask in (
            lambda: ring.read(frame).__enter__(),  # noqa: B023
            lambda: ring.runs(frame),  # noqa: B023
            lambda: ring.packets(frame),  # noqa: B023
            lambda: ring.stamp(frame),  # noqa: B023
            lambda: ring.verify(frame),  # noqa: B023
            lambda: ring.latched(frame, 1, 1, 1),  # noqa: B023
            lambda: ring.latched_all(frame),  # noqa: B023
            lambda: ring.versions(frame, 1, 1, 1, 5),  # noqa: B023
        ):
            with pytest.raises(EvictedError, match=str(frame)):
                ask()
        assert not ring.holds(frame)
    for no_frame in (-1, 2**64 + ring.newest[0], True):
        with pytest.raises(EvictedError):
            ring.packets(no_frame)
        with pytest.raises(EvictedError):
            ring.latched(no_frame, 1, 1, 1)


def test_the_packet_list_is_the_rings_and_no_handler_can_break_it() -> None:
    ring = ring_of(4096)

    def scribble(_: object, packet: _ring.PacketWriter) -> None:
        packet.payload[:] = b"\xff" * len(packet.payload)

    ring.begin()
    for i in range(5):
        ring.record_by(i, i % 2, 24, scribble, None)
    ring.commit(0.0, 0.0)
    assert [packet[0] for packet in ring.packets(1)] == [0, 1, 2, 3, 4]
    assert ring.verify(1)
    assert [run[3]["next"].tolist()[-1] for run in ring.runs(1)][-1] == 0
