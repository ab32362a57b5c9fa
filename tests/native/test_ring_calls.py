"""What may be recorded, and what is refused without a trace."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from playhead.errors import EvictedError, RecordingError
from playhead.native import _ring

from .rings import HERE, payloads, record_frame, ring_of

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


@pytest.mark.parametrize(
    ("method", "arguments"),
    [("record_list", 0), ("record_list", 3), ("record_batch", 10), ("record", 1)],
)
def test_too_few_or_too_many_arguments_are_refused_and_the_frame_goes_on(
    method: str, arguments: int
) -> None:
    ring = ring_of(4096)
    ring.begin()
    with pytest.raises(TypeError, match=method):
        getattr(ring, method)(*range(arguments))
    assert ring.open_packets == 0
    assert ring.commit(0.0, 0.0) == 1


def test_the_floor_that_benchmarks_measure_against_takes_the_arguments_of_a_record() -> None:
    assert _ring.noop(1, 1, True, HERE, HERE, b"payload") is None
