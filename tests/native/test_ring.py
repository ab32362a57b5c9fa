"""The ring by hand-made cases; test_ring_model.py tries the combinations."""

import bisect
import mmap
import os
import random
import timeit
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from playhead.errors import CapacityError, EvictedError, RecordingError
from playhead.native import _ring
from playhead.native.ring import FrameRing

HERE = (0.0, 0.0, 0.0)
BIG = np.zeros((2, 5000), np.uint8)
DAMAGED, LATCHES, DROPPED, REFUSED = 1, 2, 4, 8
MIB = 1 << 20


def ring_of(arena: int, latch: int = 0) -> _ring.Ring:
    probe = _ring.Ring(mmap.mmap(-1, MIB), latch).accounts
    ring = _ring.Ring(mmap.mmap(-1, probe["total"] - probe["capacity"] + arena), latch)
    assert ring.accounts["capacity"] == arena
    return ring


def record_frame(ring: _ring.Ring | FrameRing, time: float, *payloads: bytes) -> int:
    """One frame with a packet for each payload; its id."""
    ring.begin()
    for i, payload in enumerate(payloads, 1):
        assert ring.record(i, 1, True, HERE, HERE, payload)
    return ring.commit(time, 0.0)


def payloads(ring: _ring.Ring | FrameRing, frame: int) -> list[bytes]:
    return [packet[8] for packet in ring.packets(frame)]


# --- frames, eviction, places -------------------------------------------------------------------


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
    places = [run[3].ctypes.data for run in ring.runs(2)]
    assert places != sorted(places), "the frame does not wrap: the case is not the one meant"
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
                wanted = [bytes([frame]) * size] * 3
                record_frame(ring, frame, *wanted)
                assert payloads(ring, frame) == wanted
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


# --- finding ------------------------------------------------------------------------------------


def test_a_seek_finds_the_newest_frame_at_or_before_the_time() -> None:
    ring = ring_of(4096)
    for time in (1.0, 1.5, 2.5):
        record_frame(ring, time)
    times = {1: 1.0, 2: 1.5, 3: 2.5}
    wanted = {1.5: 1.5, 2.4: 1.5, 0.2: 1.0, 9.0: 2.5, 1.0: 1.0, float("inf"): 2.5, -float("inf"): 1}
    for asked, found in wanted.items():
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


# --- what may be recorded -----------------------------------------------------------------------

BAD_IDS: list[Any] = [-1, 2**63, 2**64, -(2**70), True, False, 1.0, "1", None]


@pytest.mark.parametrize("id", BAD_IDS)
def test_an_id_that_is_none_is_refused_and_the_frame_stays_as_it_was(id: Any) -> None:
    ring = ring_of(4096, 2000)
    ring.begin()
    asks: list[Callable[[], object]] = [
        lambda: ring.record(id, 1, True, HERE, HERE),
        lambda: ring.record_list([(id, 1, True, HERE, HERE)]),
        lambda: ring.record_by(id, 1, 0, print, None),
        lambda: ring.latch(id, 1, 0, 1, 1, b""),
        lambda: ring.despawn(id, 1),
    ]
    for ask in asks:
        with pytest.raises(RecordingError, match="id"):
            ask()
    assert ring.open_packets == 0
    assert ring.commit(0.0, 0.0) == 1


def test_ids_up_to_the_largest_and_of_any_whole_kind_are_recorded() -> None:
    ring = ring_of(4096)
    ring.begin()
    ids: tuple[Any, ...] = (0, 1, 2**63 - 1, np.int64(7), np.uint32(8))
    for id in ids:
        assert ring.record(id, 65535, False, HERE, HERE)
    ring.commit(0.0, 0.0)
    assert [packet[0] for packet in ring.packets(1)] == [int(id) for id in ids]


@pytest.mark.parametrize(
    ("row", "error"),
    [
        ((1, -1, True, HERE, HERE), RecordingError),
        ((1, 65536, True, HERE, HERE), RecordingError),
        ((1, "a", True, HERE, HERE), TypeError),
        ((1, 1, True, (1.0, 2.0), HERE), ValueError),
        ((1, 1, True, (1.0, 2.0, 3.0, 4.0), HERE), ValueError),
        ((1, 1, True, HERE, ("x", 0, 0)), TypeError),
        ((1, 1, True, 5, HERE), TypeError),
        ((1, 1, True, HERE, HERE, 5), TypeError),
        ((1, 1, True, HERE, HERE, "text"), TypeError),
        ((1, 1, True, HERE, HERE, memoryview(bytes(9))[::2]), BufferError),
        ((1, 1, np.zeros(2), HERE, HERE), ValueError),
        ((1, 1, True, HERE), TypeError),
    ],
)
def test_a_packet_of_wrong_shape_is_refused_and_leaves_nothing(row: Any, error: type) -> None:
    ring = ring_of(4096)
    ring.begin()
    live = ring.accounts["live"]
    with pytest.raises(error):
        ring.record(*row)
    with pytest.raises((error, RecordingError)):
        ring.record_list([row])
    assert ring.accounts["live"] == live
    assert ring.open_packets == 0
    assert ring.accounts["packets_dropped"] == 0


@pytest.mark.parametrize("value", [-1, 2**32, 2**64])
def test_numbers_that_do_not_fit_their_field_are_refused_and_not_cut(value: int) -> None:
    ring = ring_of(4096, 2000)
    ring.begin()
    asks: list[Callable[[], object]] = [
        lambda: ring.record(1, 1, True, HERE, HERE, None, value),
        lambda: ring.record_list([], value),
        lambda: ring.record_by(1, value, 0, print, None),
        lambda: ring.record_by(1, 1, 0, print, None, value),
        lambda: ring.record_batch(value, np.arange(1), np.zeros((1, 3))),
        lambda: ring.record_batch(1, np.arange(1), np.zeros((1, 3)), channels=value),
        lambda: ring.latch(1, value, 0, 1, 1, b""),
        lambda: ring.latch(1, 1, value, 1, 1, b""),
        lambda: ring.latch(1, 1, 0, value, 1, b""),
        lambda: ring.despawn(1, value),
        lambda: ring.commit(0.0, 0.0, value),
        lambda: ring.commit(0.0, 0.0, 0, value),
    ]
    for ask in asks:
        with pytest.raises((RecordingError, OverflowError)):
            ask()
    assert ring.open_packets == 0
    assert ring.is_open


def test_a_negative_size_is_refused() -> None:
    ring = ring_of(4096)
    ring.begin()
    with pytest.raises(RecordingError, match="-5"):
        ring.record_by(1, 1, -5, print, None)


@pytest.mark.parametrize(
    ("time", "delta"),
    [
        (float("nan"), 0.0),
        (float("inf"), 0.0),
        (-float("inf"), 0.0),
        (5.0, float("nan")),
        (5.0, float("inf")),
        (5.0, -1e-9),
        (4.999, 0.0),
    ],
)
def test_a_time_that_is_none_or_runs_backwards_is_refused_and_the_frame_stays_open(
    time: float, delta: float
) -> None:
    ring = ring_of(4096)
    record_frame(ring, 5.0)
    ring.begin()
    ring.record(1, 1, True, HERE, HERE, b"kept")
    with pytest.raises(RecordingError):
        ring.commit(time, delta)
    assert ring.newest == (1, 5.0)
    assert ring.commit(5.0, 0.0) == 2
    assert payloads(ring, 2) == [b"kept"]


def test_time_may_not_run_backwards_even_if_the_open_frame_took_the_place_of_all_others() -> None:
    ring = ring_of(1024)
    record_frame(ring, 5.0)
    ring.begin()
    assert ring.record(1, 1, True, HERE, HERE, bytes(700))
    assert ring.record(1, 1, True, HERE, HERE, bytes(32))
    assert ring.newest is None
    with pytest.raises(RecordingError, match="backwards"):
        ring.commit(4.0, 0.0)


def test_only_one_frame_is_open_at_a_time() -> None:
    ring = ring_of(4096)
    for ask in (lambda: ring.commit(0.0, 0.0), ring.abort, lambda: ring.record_list([])):
        with pytest.raises(RecordingError, match="begin"):
            ask()
    assert ring.begin() == 1
    with pytest.raises(RecordingError, match="open"):
        ring.begin()
    assert ring.is_open
    assert ring.commit(0.0, 0.0) == 1
    assert not ring.is_open


def test_an_aborted_frame_leaves_nothing_and_gives_its_id_back() -> None:
    ring = ring_of(4096, 4000)
    record_frame(ring, 0.0, b"one")
    before = ring.accounts
    assert ring.begin() == 2
    ring.record(1, 1, True, HERE, HERE, b"gone")
    ring.latch(1, 2, 0, 1, 1, b"gone")
    ring.abort()
    assert ring.accounts == before
    assert record_frame(ring, 1.0, b"two") == 2
    assert ring.latched_all(2) == []
    assert ring.find(9.0) == 2
    assert ring.verify(2)


def test_after_close_nothing_is_recorded_or_read_but_the_accounts() -> None:
    ring = ring_of(4096)
    record_frame(ring, 0.0, b"x")
    ring.begin()
    ring.close()
    ring.close()
    assert ring.finished
    assert ring.newest is None
    with pytest.raises(RecordingError, match="closed"):
        ring.begin()
    with pytest.raises(EvictedError, match="closed"):
        ring.packets(1)
    with pytest.raises(EvictedError, match="closed"):
        ring.find(0.0)
    assert ring.accounts["frames_recorded"] == 1


# --- numbers that bite back: converting them runs Python code -----------------------------------


class Ends:
    """A number that ends the frame while it is converted."""

    def __init__(self, end: Callable[[], object]) -> None:
        self.end = end

    def __float__(self) -> float:
        self.end()
        return 1.0

    def __index__(self) -> int:
        self.end()
        return 1

    def __bool__(self) -> bool:
        self.end()
        return True


@pytest.mark.parametrize("place", ["id", "type", "targetable", "position", "angles", "channels"])
@pytest.mark.parametrize("way", ["commit", "abort", "close"])
def test_a_number_that_ends_the_frame_does_not_write_into_a_finished_one(
    place: str, way: str
) -> None:
    ring = ring_of(4096)
    record_frame(ring, 0.0, b"before")
    ring.begin()
    ring.record(1, 1, True, HERE, HERE, b"first")
    ends: dict[str, Callable[[], object]] = {
        "commit": lambda: ring.commit(1.0, 0.0),
        "abort": ring.abort,
        "close": ring.close,
    }
    evil: Any = Ends(ends[way])
    row: list[Any] = [2, 1, True, HERE, HERE, b"second", 0]
    where = ["id", "type", "targetable", "position", "angles", "payload", "channels"].index(place)
    row[where] = (0.0, evil, 0.0) if place in ("position", "angles") else evil
    with pytest.raises(RecordingError):
        ring.record(*row)
    if way != "close":
        assert all(ring.verify(frame) for frame in range(1, 2 + (way == "commit")))
    if way == "commit":
        assert payloads(ring, 2) == [b"first"]


@pytest.mark.parametrize("method", ["record_by", "latch", "despawn", "record_batch"])
def test_an_id_that_ends_the_frame_is_noticed_by_every_method(method: str) -> None:
    ring = ring_of(4096, 2000)
    ring.begin()
    ring.latch(1, 1, 0, 1, 1, b"state")
    evil: Any = Ends(lambda: ring.commit(1.0, 0.0))
    calls: dict[str, Callable[[], object]] = {
        "record_by": lambda: ring.record_by(evil, 1, 0, print, None),
        "latch": lambda: ring.latch(evil, 1, 0, 1, 1, b"late"),
        "despawn": lambda: ring.despawn(evil, 1),
        "record_batch": lambda: ring.record_batch(evil, np.arange(3), np.zeros((3, 3))),
    }
    with pytest.raises(RecordingError):
        calls[method]()
    assert ring.verify(1)
    assert ring.latched(1, 1, 1, 1) == (1, 1, b"state")
    assert ring.stamp(1)[3] == 1


def test_a_vector_that_empties_itself_while_it_is_read_does_no_harm() -> None:
    ring = ring_of(4096)
    ring.begin()
    vector: list[Any] = [0.0, 1.0, 2.0]
    vector[0] = Ends(vector.clear)
    assert ring.record(1, 1, True, vector, HERE)
    ring.commit(0.0, 0.0)
    assert ring.packets(1)[0][4] == (1.0, 1.0, 2.0)


# --- batches ------------------------------------------------------------------------------------


def recorded_batch(**columns: Any) -> list[Any]:
    """The packets that come back for a batch recorded with these columns."""
    ring = ring_of(1 << 16)
    ring.begin()
    assert ring.record_batch(3, columns.pop("ids"), columns.pop("positions"), **columns)
    ring.commit(0.0, 0.0)
    assert ring.verify(1)
    return ring.packets(1)


def test_a_batch_is_what_its_rows_recorded_one_by_one_are() -> None:
    chance = np.random.default_rng(5)
    for size in (0, 1, 8, 13, 511, 512, 513, 600):
        n = 20
        positions = chance.normal(size=(n, 3)).astype(np.float32)
        angles = chance.normal(size=(n, 3)).astype(np.float32)
        targetable = chance.random(n) < 0.5
        payload = chance.integers(0, 256, (n, size), np.uint8)
        ring = ring_of(1 << 16)
        ring.begin()
        ring.record_batch(3, np.arange(n), positions, angles, targetable, payload, None, 5)
        ring.commit(0.0, 0.0)
        ring.begin()
        for i in range(n):
            row = (bool(targetable[i]), positions[i].tolist(), angles[i].tolist(), payload[i])
            ring.record(i, 3, *row, 5)
        ring.commit(0.0, 0.0)
        assert ring.packets(1) == ring.packets(2)
        assert ring.verify(1)
        assert ring.verify(2)


def test_positions_in_double_precision_are_narrowed() -> None:
    wide = np.random.default_rng(1).normal(size=(9, 3)) * 1e3
    got = recorded_batch(ids=np.arange(9), positions=wide, angles=-wide)
    assert [packet[4] for packet in got] == [tuple(row) for row in wide.astype("f4").tolist()]
    assert [packet[5] for packet in got] == [tuple(row) for row in (-wide).astype("f4").tolist()]


def test_columns_of_any_stride_are_read_as_numpy_reads_them() -> None:
    table = np.random.default_rng(2).normal(size=(40, 7)).astype(np.float32)
    ids = np.arange(100, 140, dtype=np.int64)
    bits = np.arange(40) % 3 == 0
    payload = np.arange(40 * 16, dtype=np.uint8).reshape(40, 16)
    record = np.zeros(40, [("id", "<u8"), ("at", "<f4", 3), ("name", "S5")])
    record["id"], record["at"] = ids, table[:, 2:5]
    for part in (slice(None, None, -1), slice(None, None, 3), slice(30, 2, -2), slice(5, 6)):
        got = recorded_batch(
            ids=record["id"][part],
            positions=record["at"][part],
            angles=table[part, 1:4],
            targetable=bits[part],
            visible=~bits[part],
            payload=payload[part, 3:11],
        )
        assert [packet[0] for packet in got] == ids[part].tolist()
        assert [packet[4] for packet in got] == [tuple(row) for row in table[part, 2:5].tolist()]
        assert [packet[5] for packet in got] == [tuple(row) for row in table[part, 1:4].tolist()]
        assert [packet[2] for packet in got] == bits[part].tolist()
        assert [packet[3] == 2 for packet in got] == bits[part].tolist()
        assert [packet[8] for packet in got] == [row.tobytes() for row in payload[part, 3:11]]


def test_one_value_for_all_rows_may_be_broadcast() -> None:
    got = recorded_batch(
        ids=np.arange(5),
        positions=np.broadcast_to(np.array([1, 2, 3], np.float32), (5, 3)),
        payload=np.broadcast_to(np.arange(4, dtype="u1"), (5, 4)),
    )
    assert {packet[4] for packet in got} == {(1.0, 2.0, 3.0)}
    assert {packet[8] for packet in got} == {bytes(range(4))}


def test_payload_rows_of_any_plain_type_are_taken_as_bytes() -> None:
    record = np.zeros(3, [("O", "<f4"), ("hp", "<i2", (2, 2)), ("L", "S3")])
    record["O"], record["hp"] = [1, 2, 3], 7
    for rows in (record, np.arange(12.0).reshape(3, 2, 2), np.arange(3, dtype=">u2")):
        got = recorded_batch(ids=np.arange(3), positions=np.zeros((3, 3)), payload=rows)
        assert [packet[8] for packet in got] == [rows[i : i + 1].tobytes() for i in range(3)]


def test_read_only_columns_are_fine_and_stay_untouched() -> None:
    ids, positions = np.arange(4), np.ones((4, 3))
    payload = np.full((4, 600), 9, np.uint8)
    for column in (ids, positions, payload):
        column.flags.writeable = False
    assert len(recorded_batch(ids=ids, positions=positions, payload=payload)) == 4
    assert (payload == 9).all()


def test_a_batch_without_rows_records_nothing() -> None:
    empty = np.zeros((0, 3), np.float32)
    assert recorded_batch(ids=np.zeros(0, np.uint64), positions=empty) == []
    none = np.zeros((0, 700), np.uint8)
    assert recorded_batch(ids=np.zeros(0, np.uint64), positions=empty, payload=none) == []


N = 6
IDS, AT = np.arange(N), np.zeros((N, 3), np.float32)


@pytest.mark.parametrize(
    "columns",
    [
        {"ids": IDS.astype(np.int32)},
        {"ids": IDS.astype(np.float64)},
        {"ids": IDS.astype(">u8")},
        {"ids": IDS.astype(object)},
        {"ids": IDS.reshape(2, 3)},
        {"ids": [1, 2, 3, 4, 5, 6]},
        {"ids": np.int64(3)},
        {"ids": IDS - 3},
        {"ids": IDS.astype(np.uint64) + np.uint64(2**63)},
        {"ids": None},
        {"positions": None},
        {"positions": AT[:, :2]},
        {"positions": AT[:5]},
        {"positions": np.zeros((N, 4), np.float32)},
        {"positions": np.zeros(N * 3, np.float32)},
        {"positions": AT.astype(np.float16)},
        {"positions": AT.astype(int)},
        {"positions": AT.astype(object)},
        {"positions": AT.astype(">f4")},
        {"positions": AT.tolist()},
        {"positions": np.asfortranarray(AT)},
        {"positions": np.zeros((N, 6), np.float32)[:, ::2]},
        {"angles": AT[::2]},
        {"angles": AT.astype(complex)},
        {"angles": np.zeros((N, 6), np.float32)[:, ::-2]},
        {"targetable": np.ones(N - 1, bool)},
        {"targetable": np.ones((N, 1), bool)},
        {"targetable": np.ones(N)},
        {"visible": np.ones(N, np.int64)},
        {"visible": [True] * N},
        {"payload": np.zeros((N - 1, 8), np.uint8)},
        {"payload": np.zeros((N, 8), np.uint8)[:, ::2]},
        {"payload": np.zeros((8, N), np.uint8).T},
        {"payload": np.zeros((N, 2), object)},
        {"payload": np.zeros(N, [("name", "<i4"), ("thing", object)])},
        {"payload": np.zeros((), np.uint8)},
        {"payload": [b"x"] * N},
        {"type": -1},
        {"type": 65536},
    ],
    ids=lambda columns: "-".join(columns),
)
def test_a_batch_with_a_column_of_wrong_shape_or_type_is_refused_whole(
    columns: dict[str, Any],
) -> None:
    ring = ring_of(1 << 16)
    ring.begin()
    live = ring.accounts["live"]
    good: dict[str, Any] = {"type": 1, "ids": IDS, "positions": AT}
    with pytest.raises((RecordingError, TypeError)):
        ring.record_batch(**(good | columns))
    assert ring.accounts["live"] == live
    assert ring.open_packets == 0
    ring.commit(0.0, 0.0)
    assert ring.verify(1)


def test_arguments_that_a_batch_does_not_know_are_refused() -> None:
    ring = ring_of(4096)
    ring.begin()
    batch: Any = ring.record_batch
    asks: list[Callable[[], object]] = [
        lambda: batch(1, IDS),
        lambda: batch(1, IDS, AT, colour=1),
        lambda: batch(1, IDS, AT, ids=IDS),
        lambda: batch(*[None] * 9),
        lambda: batch("a", IDS, AT),
    ]
    for ask in asks:
        with pytest.raises(TypeError):
            ask()


def test_a_batch_is_recorded_whole_or_not_at_all() -> None:
    for count in range(1, 120):
        ring = ring_of(4096)
        record_frame(ring, 0.0, bytes(count * 8))
        ring.begin()
        done = ring.record_batch(1, np.arange(count), np.zeros((count, 3), np.float32))
        assert ring.open_packets == (count if done else 0)
        assert done == (count <= 93), "refused only what might not fit, however it is cut"
        ring.commit(1.0, 0.0)
        assert ring.verify(2)
        assert len(ring.packets(2)) == (count if done else 0)


# --- reading ------------------------------------------------------------------------------------


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


# --- handlers that break their contract ---------------------------------------------------------


@pytest.fixture
def ring() -> Iterator[_ring.Ring]:
    """A ring with an open frame; what comes of it is verified."""
    ring = ring_of(1 << 14, 2000)
    ring.begin()
    yield ring
    frame = ring.commit(1.0, 0.0)
    assert ring.verify(frame)


def test_a_handler_writes_its_packet_straight_into_the_ring(ring: _ring.Ring) -> None:
    def record(thing: str, packet: _ring.PacketWriter) -> None:
        assert (packet.position, packet.targetable, packet.visible) == (HERE, True, True)
        packet.position, packet.angles = (1, 2, 3), [4, 5, 6]  # type: ignore[assignment]
        packet.targetable = packet.visible = False
        packet.payload[:] = thing.encode()

    assert ring.record_by(7, 20, 5, record, "hello", 9)
    ring.commit(0.0, 0.0)
    assert ring.packets(1) == [
        (7, 20, False, 2, (1.0, 2.0, 3.0), (4.0, 5.0, 6.0), 9, 0, b"hello"),
    ]
    ring.begin()


def test_a_handler_that_raises_costs_its_own_packet_only(ring: _ring.Ring) -> None:
    def fail(_: object, packet: _ring.PacketWriter) -> None:
        packet.payload[:] = b"half"
        raise ZeroDivisionError("in the handler")

    ring.record(1, 1, True, HERE, HERE, b"before")
    with pytest.raises(ZeroDivisionError, match="in the handler"):
        ring.record_by(2, 20, 4, fail, None, 3)
    ring.record(3, 1, True, HERE, HERE, b"behind")
    frame = ring.commit(0.0, 0.0)
    assert ring.packets(frame)[1] == (2, 20, False, 1, HERE, HERE, 3, 0, b"")
    assert payloads(ring, frame) == [b"before", b"", b"behind"]
    assert ring.stamp(frame)[5] == DAMAGED
    ring.begin()


def test_a_handler_cannot_write_more_than_it_asked_for(ring: _ring.Ring) -> None:
    def greedy(_: object, packet: _ring.PacketWriter) -> None:
        packet.payload[:] = b"12345"

    with pytest.raises(ValueError):
        ring.record_by(1, 20, 4, greedy, None)
    assert ring.open_packets == 1


def test_a_handler_that_leaves_holes_is_caught_when_asked_to(ring: _ring.Ring) -> None:
    def lazy(_: object, packet: _ring.PacketWriter) -> None:
        packet.payload[:6] = b"123456"

    assert ring.record_by(1, 20, 8, lazy, None)
    for size in (7, 8, 100):
        with pytest.raises(BufferError, match=str(size)):
            ring.record_by(1, 20, size, lazy, None, 0, 0xA5)
    assert ring.record_by(1, 20, 6, lazy, None, 0, 0xA5)


def test_a_payload_kept_as_memoryview_is_shut_when_the_handler_returns(ring: _ring.Ring) -> None:
    kept = []
    assert ring.record_by(1, 20, 4, lambda _, packet: kept.append(packet.payload), None)
    with pytest.raises(ValueError):
        kept[0][0] = 1
    assert ring.accounts["quarantined"] == 0


def test_a_packet_kept_by_its_handler_is_shut(ring: _ring.Ring) -> None:
    kept: list[_ring.PacketWriter] = []
    assert ring.record_by(1, 20, 4, lambda _, packet: kept.append(packet), None)
    for _ in range(3):
        ring.record_by(2, 20, 4, lambda _, packet: None, None)
    for write in (
        lambda: kept[0].payload,
        lambda: memoryview(kept[0]),
        lambda: setattr(kept[0], "position", HERE),
        lambda: setattr(kept[0], "angles", HERE),
        lambda: setattr(kept[0], "targetable", True),
        lambda: setattr(kept[0], "visible", True),
    ):
        with pytest.raises(ValueError, match="closed"):
            write()
    with pytest.raises(TypeError):
        type(kept[0])()


@pytest.mark.parametrize(
    "keep",
    [
        lambda packet: np.frombuffer(packet, np.uint8),
        lambda packet: np.frombuffer(packet.payload, np.uint8),
        lambda packet: np.frombuffer(packet.payload[100:], np.uint8),
        lambda packet: np.frombuffer(memoryview(packet)[8:], np.uint8),
    ],
    ids=["packet", "payload", "slice", "memoryview"],
)
def test_memory_that_a_handler_keeps_is_not_used_before_it_is_dropped(
    keep: Callable[[_ring.PacketWriter], Any],
) -> None:
    ring = ring_of(8192, 2000)
    kept: list[Any] = []
    record_frame(ring, 0.0, b"x")
    ring.begin()
    with pytest.raises(BufferError, match="600"):
        ring.record_by(1, 20, 600, lambda _, packet: kept.append(keep(packet)), None)
    ring.commit(1.0, 0.0)
    kept[0][:] = 0xEE
    for time in range(2, 60):  # many times round
        record_frame(ring, time, bytes(400), bytes(33), bytes([time]) * 700)
        assert ring.accounts["quarantined"] == 1
        assert (kept[0] == 0xEE).all()
        kept[0][:] = 0xEE
        assert ring.oldest
        assert all(ring.verify(frame) for frame in range(ring.oldest[0], time + 2))
    held = range(ring.find(0.0), time + 2)
    places = [place for frame in held for place in places_of(ring, frame)]
    first = kept[0].ctypes.data
    assert all(end <= first or first + len(kept[0]) <= begin for begin, end in places)
    kept.clear()
    ring.begin()
    assert ring.accounts["quarantined"] == 0


def places_of(ring: _ring.Ring, frame: int) -> list[tuple[int, int]]:
    """Addresses of a frame's packets, from and to."""
    return [
        (headers.ctypes.data, headers.ctypes.data + len(headers) * headers.strides[0])
        for _, _, _, headers, _ in ring.runs(frame)
    ]


def test_small_kept_memory_does_not_upset_the_accounts() -> None:
    ring = ring_of(4096)
    kept: list[Any] = []
    for time in range(80):
        ring.begin()
        if time % 7 == 0:
            del kept[::2]
            with pytest.raises(BufferError):
                ring.record_by(
                    1, 9, 8, lambda _, p: kept.append(np.frombuffer(p.payload, "u1")), None
                )
        for _ in range(time % 30):
            ring.record(1, 1, True, HERE, HERE)
        ring.commit(time, 0.0)
        assert ring.oldest
        frames = range(ring.oldest[0], time + 2)
        assert ring.accounts["live"] == sum(ring.stamp(frame)[7] for frame in frames)
        assert 0 <= ring.accounts["waste"] <= 4096


def test_handlers_that_keep_too_much_are_refused_and_the_ring_goes_on() -> None:
    ring = ring_of(1 << 16)
    kept: list[Any] = []

    def keep(_: object, packet: _ring.PacketWriter) -> None:
        kept.append(np.frombuffer(packet.payload, np.uint8))

    ring.begin()
    for i in range(20):
        with pytest.raises(BufferError):
            ring.record_by(i, 20, 16, keep, None)
    assert len(kept) == ring.accounts["quarantined"] == 16
    ring.commit(0.0, 0.0)
    assert len(ring.packets(1)) == 20
    kept.clear()
    ring.begin()
    assert ring.record_by(1, 20, 16, lambda _, packet: None, None)


@pytest.mark.parametrize(
    "call",
    [
        "begin",
        "abort",
        "close",
        "commit",
        "record",
        "record_list",
        "record_by",
        "record_batch",
        "record_objects",
        "latch",
        "despawn",
    ],
)
def test_a_handler_cannot_use_the_ring_that_it_is_recorded_into(
    ring: _ring.Ring, call: str
) -> None:
    arguments: dict[str, tuple[Any, ...]] = {
        "commit": (0.0, 0.0),
        "record": (1, 1, True, HERE, HERE),
        "record_list": ([],),
        "record_by": (1, 1, 0, print, None),
        "record_batch": (1, IDS, AT),
        "record_objects": ([], {}, print),
        "latch": (1, 1, 0, 1, 1, b""),
        "despawn": (1, 1),
    }

    def record(_: object, packet: _ring.PacketWriter) -> None:
        with pytest.raises(RecordingError, match="handler"):
            getattr(ring, call)(*arguments.get(call, ()))
        packet.payload[:] = b"good"

    ring.record(1, 1, True, HERE, HERE, b"a")
    assert ring.record_by(1, 1, 4, record, None)
    assert ring.open_packets == 2
    assert not ring.finished


def test_a_handler_may_read_the_ring(ring: _ring.Ring) -> None:
    record_frames = ring.commit(0.0, 0.0)
    ring.begin()
    seen = []
    ring.record_by(1, 1, 0, lambda _, packet: seen.append(ring.packets(record_frames)), None)
    assert seen == [[]]


# --- many objects in one call -------------------------------------------------------------------


def write_name(thing: Any, packet: _ring.PacketWriter) -> None:
    packet.payload[:] = str(thing).encode()


def plan(
    type: int, size: Any = None, record: Any = write_name, ids: Any = None, objects: Any = None
) -> Any:
    fixed = size if isinstance(size, int) else -1
    return (type, 1, fixed, size or (lambda thing: len(str(thing))), record, ids, objects)


def test_objects_are_recorded_by_the_plan_of_their_type(ring: _ring.Ring) -> None:
    told: list[Any] = []
    ids: list[int] = []
    things: list[Any] = []
    plans = {
        "guard": plan(30),
        "stone": plan(31, 5),
        "off": None,
        "many": plan(33, ids=ids, objects=things),
        "muted": plan(34, record=None),
    }
    objects = [
        (1, "guard", "anna"),
        (2, "stone", "small"),
        (3, "off", "x"),
        (4, "many", "one of many"),
        (5, "unknown", "x"),
        (6, "muted", "x"),
        (7, "guard", "otto otto"),
    ]
    ring.record_objects(iter(objects), plans, lambda *fault: told.append(fault))
    frame = ring.commit(0.0, 0.0)
    got = [(packet[0], packet[1], packet[3], packet[8]) for packet in ring.packets(frame)]
    assert got == [
        (1, 30, 0, b"anna"),
        (2, 31, 0, b"small"),
        (6, 34, 1, b""),
        (7, 30, 0, b"otto otto"),
    ]
    assert told == [(5, "unknown", None)]
    assert (ids, things) == ([4], ["one of many"])
    ring.begin()


def test_the_faults_of_single_objects_are_told_and_the_others_recorded(ring: _ring.Ring) -> None:
    told: list[Any] = []

    def fail(*_: object) -> int:
        raise KeyError("missing")

    plans = {
        "good": plan(30),
        "no size": plan(31, fail),
        "bad size": plan(32, lambda thing: -1),
        "wrong size": plan(33, 2),
        "float size": plan(34, lambda thing: 2.5),
        "raises": plan(35, 2, fail),
    }
    names = [*plans, "good"]
    objects = [(i, name, "thing") for i, name in enumerate(names, 1)]
    objects += [(0, "good", "thing"), (-4, "good", "thing")]
    count = ring.record_objects(objects, plans, lambda *fault: told.append(fault))
    assert count == 2
    assert [(fault[0], type(fault[2]).__name__) for fault in told] == [
        (2, "KeyError"),
        (3, "RecordingError"),
        (4, "ValueError"),
        (5, "TypeError"),
        (6, "KeyError"),
        (0, "RecordingError"),
        (-4, "RecordingError"),
    ]
    frame = ring.commit(0.0, 0.0)
    assert [(packet[0], packet[3]) for packet in ring.packets(frame)] == [
        (1, 0),
        (2, 1),
        (3, 1),
        (4, 1),
        (5, 1),
        (6, 1),
        (7, 0),
    ]
    ring.begin()


def test_what_faults_tells_can_end_the_recording_of_objects(ring: _ring.Ring) -> None:
    def strict(*fault: Any) -> None:
        raise fault[2]

    with pytest.raises(ZeroDivisionError):
        ring.record_objects([(1, "a", 1)], {"a": plan(1, lambda thing: 1 // 0)}, strict)
    for objects in ([(1, "a")], [5], [None]):
        with pytest.raises(RecordingError, match="tuple"):
            ring.record_objects(objects, {}, print)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        ring.record_objects([], {"a": (1, 2)}, print)  # type: ignore[dict-item]
    with pytest.raises(TypeError):
        ring.record_objects(5, {}, print)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        ring.record_objects([], [], print)  # type: ignore[arg-type]


@pytest.mark.parametrize("who", ["objects", "size", "fault"])
@pytest.mark.parametrize("way", ["commit", "abort", "close", "begin"])
def test_the_frame_cannot_end_while_its_objects_are_recorded(
    ring: _ring.Ring, who: str, way: str
) -> None:
    refused = []

    def end() -> None:
        try:
            ring.commit(0.0, 0.0) if way == "commit" else getattr(ring, way)()
        except RecordingError as error:
            refused.append(error)

    def objects() -> Iterator[tuple[int, str, str]]:
        for i in range(1, 4):
            if who == "objects":
                end()
            yield i, "a", "abc"
            yield i, "none", "abc"

    def size(thing: str) -> int:
        if who == "size":
            end()
        return len(thing)

    def fault(*_: object) -> None:
        if who == "fault":
            end()

    assert ring.record_objects(objects(), {"a": plan(9, size)}, fault) == 3
    assert len(refused) == 3
    assert ring.open_packets == 3
    assert not ring.finished


def test_plans_may_be_taken_away_while_they_are_followed(ring: _ring.Ring) -> None:
    plans: dict[str, Any] = {}

    def size(thing: str) -> int:
        plans.clear()
        plans.update({str(i): None for i in range(50)})
        return len(thing)

    plans["a"] = plan(9, size)
    told: list[Any] = []
    objects = [(1, "a", "abc"), (2, "a", "abc")]
    assert ring.record_objects(objects, plans, lambda *fault: told.append(fault)) == 1
    assert told == [(2, "a", None)]

    def spoil(thing: str) -> int:
        plans["b"] = "no plan"
        return len(thing)

    plans["b"] = plan(9, spoil)
    with pytest.raises(TypeError, match="no plan"):
        ring.record_objects([(1, "b", "abc"), (2, "b", "abc")], plans, print)


# --- latched state ------------------------------------------------------------------------------


def test_what_is_latched_holds_until_it_is_replaced_or_the_object_is_gone() -> None:
    ring = ring_of(1 << 16, 8000)
    changes: dict[int, bytes | None] = {3: b"walk", 7: b"run", 12: None, 15: b"back"}
    for frame in range(1, 20):
        ring.begin()
        if frame in changes:
            state = changes[frame]
            if state is None:
                assert ring.despawn(5, 9) == 1
            else:
                assert ring.latch(5, 9, 0, 2, 77, state)
        ring.commit(frame, 0.0)
    for frame in range(1, 20):
        began = max((f for f in changes if f <= frame), default=None)
        state = changes[began] if began else None
        assert ring.latched(frame, 5, 2, 77) == (None if state is None else (began, 9, state))
    assert ring.latched(19, 5, 2, 78) is None
    assert ring.latched(19, 5, 3, 77) is None
    assert ring.latched(19, 6, 2, 77) is None
    assert [v[2] for v in ring.versions(19, 5, 2, 77, 9)] == [b"back", None, b"run", b"walk"]
    assert [v[2] for v in ring.versions(14, 5, 2, 77, 2)] == [None, b"run"]
    assert ring.latched_all(8) == [(5, 2, 77, 7, 9, b"run")]
    assert ring.stamp(3)[5] == LATCHES


def test_what_was_latched_long_ago_is_still_known_at_every_frame() -> None:
    ring = ring_of(4096, 8000)
    ring.begin()
    for object in range(1, 9):
        ring.latch(object, 1, 0, 0, 0, f"spawn {object}".encode())
    ring.commit(0.0, 0.0)
    for time in range(1, 200):
        record_frame(ring, time, bytes(64))
    assert not ring.holds(1)
    assert ring.oldest
    for frame in range(ring.oldest[0], 201):
        for object in range(1, 9):
            assert ring.latched(frame, object, 0, 0) == (1, 1, f"spawn {object}".encode())
    assert len(ring.latched_all(200)) == 8


def test_one_claim_that_evicts_many_frames_keeps_the_newest_fact() -> None:
    ring = ring_of(8192, 8000)
    for time in range(30):
        ring.begin()
        ring.latch(1, 1, 0, 0, 0, b"%d" % time)
        ring.commit(time, 0.0)
    ring.begin()
    assert ring.record(1, 1, True, HERE, HERE, bytes(5000))
    ring.commit(99.0, 0.0)
    assert ring.oldest
    assert ring.latched(ring.oldest[0], 1, 0, 0) is not None
    assert ring.latched(31, 1, 0, 0) == (30, 1, b"29")


def test_a_full_latch_area_refuses_new_keys_counts_them_and_marks_the_frame() -> None:
    ring = ring_of(1 << 16, 2000)  # three entries
    ring.begin()
    accepted = [ring.latch(1, 1, 0, 0, key, b"x") for key in range(6)]
    assert accepted == [True, True, True, False, False, False]
    ring.commit(0.0, 0.0)
    assert ring.accounts["latch_refused"] == 3
    assert ring.accounts["latch_keys"] == 3
    assert ring.stamp(1)[5] == LATCHES | REFUSED
    ring.begin()
    assert ring.latch(1, 1, 0, 0, 0, b"an old key can always change")
    ring.commit(1.0, 0.0)
    assert ring.stamp(2)[5] == LATCHES


def test_a_fact_larger_than_everything_is_refused_and_counted() -> None:
    ring = ring_of(4096, 8000)
    for size in (5000, 100_000):
        refused = sum(ring.accounts[name] for name in ("latch_refused", "packets_dropped"))
        ring.begin()
        assert not ring.latch(1, 1, 0, 0, 0, bytes(size))
        frame = ring.commit(0.0, 0.0)
        assert ring.stamp(frame)[5] & (DROPPED | REFUSED)
        now = sum(ring.accounts[name] for name in ("latch_refused", "packets_dropped"))
        assert now == refused + 1
    assert ring.accounts["latch_keys"] == 0
    assert ring.accounts["latch_used"] == 0


def test_the_place_of_an_object_that_is_gone_is_given_back() -> None:
    ring = ring_of(2048, 2000)
    for object in range(1, 300):
        ring.begin()
        assert ring.latch(object, 1, 0, 0, 0, b"spawned")
        ring.commit(object, 0.0)
        ring.begin()
        assert ring.despawn(object, 1) == 1
        ring.record(1, 1, True, HERE, HERE, bytes(1200))
        ring.commit(object, 0.0)
    assert ring.accounts["latch_refused"] == 0
    assert ring.accounts["latch_keys"] <= 3


def test_an_aborted_frame_leaves_what_was_latched_as_it_was() -> None:
    ring = ring_of(4096, 8000)
    ring.begin()
    ring.latch(1, 1, 0, 0, 0, b"old")
    ring.commit(0.0, 0.0)
    ring.begin()
    ring.latch(1, 1, 0, 0, 0, b"new")
    ring.latch(1, 1, 0, 0, 0, b"newer")
    ring.latch(2, 1, 0, 0, 0, b"other")
    ring.despawn(1, 1)
    ring.abort()
    record_frame(ring, 1.0)
    assert ring.latched_all(2) == [(1, 0, 0, 1, 1, b"old")]
    for time in range(2, 60):
        record_frame(ring, time, bytes(100))
    assert ring.latched(60, 1, 0, 0) == (1, 1, b"old")
    assert ring.latched(60, 2, 0, 0) is None


def test_without_a_latch_area_every_fact_is_refused() -> None:
    ring = ring_of(4096, 0)
    ring.begin()
    assert not ring.latch(1, 1, 0, 0, 0, b"x")
    assert ring.despawn(1, 1) == 0
    assert ring.commit(0.0, 0.0) == 1
    assert ring.stamp(1)[5] == REFUSED
    assert ring.latched_all(1) == []


def test_among_many_versions_the_right_one_is_found() -> None:
    ring = ring_of(1 << 20, 8000)
    for frame in range(1, 5000):
        ring.begin()
        if frame % 3 == 0:
            ring.latch(1, 1, 0, 0, 0, b"%d" % frame)
        ring.commit(frame, 0.0)
    assert ring.oldest
    for frame in range(max(3, ring.oldest[0]), 5000, 7):
        wanted = frame - frame % 3
        assert ring.latched(frame, 1, 0, 0) == (wanted, 1, b"%d" % wanted)
