"""Recording a frame's image into another ring: from a game in another language, or a clip."""

import random
from collections import UserDict
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.errors import DamagedError, RecordingError
from playhead.native import _ring
from playhead.native.ring_type_aliases import DAMAGED, RawPacket
from playhead.recorder.packets.packet_types import FIRST_OBJECT

from ..files.test_create_ring_file import POSIX, run
from ..rings import DROPPED, HERE, record_frame, ring_of
from .images_by_hand import PACKET, image_by_hand, without_check
from .test_frame_images import SIZES, packets_of, without_run_flags

TYPES = {type: (type, type - 40) for type in (40, 41, 42)}
"""Each type keeps its number; the channels are those of `packets_of`."""


def packet(id: int = 1, type: int = 40, payload: bytes = b"", flags: int = 0) -> RawPacket:
    return (id, type, True, flags, HERE, HERE, 0, 0, payload)


def image_of(*packets: RawPacket) -> bytes:
    return _ring.image_encode(1, 0.0, 0.0, 0, packets)


def ring_with(image: Any, types: dict[int, tuple[int, int]] = TYPES) -> _ring.Ring:
    """A ring with one frame, into which the image was recorded."""
    ring = ring_of(1 << 17)
    ring.begin()
    assert ring.ingest(image, types) == _ring.image_stamp(image)[3]
    ring.commit(0.0, 0.0)
    assert ring.verify(1)
    return ring


@pytest.mark.parametrize("sizes", [(), *[(size,) for size in SIZES], SIZES, (8, 8, 0, 8)])
@pytest.mark.parametrize("checked", [True, False], ids=["checked", "unchecked"])
def test_the_packets_recorded_are_those_of_the_image(sizes: tuple[int, ...], checked: bool) -> None:
    packets = packets_of(sizes)
    image = image_of(*packets)
    ring = ring_with(image if checked else without_check(image))
    assert without_run_flags(ring.packets(1)) == packets
    assert ring.image(1) == image


def test_an_image_goes_behind_the_packets_that_the_frame_has_already() -> None:
    ring = ring_of(1 << 16)
    ring.begin()
    ring.record(1, 40, True, HERE, HERE, b"own")
    ring.latch(3, 1, 0, 1, 1, b"")
    for _ in range(2):
        assert ring.ingest(image_of(packet(2, 40, b"one"), packet(3, 41, bytes(600))), TYPES) == 2
    ring.record(4, 40, True, HERE, HERE, b"own")
    ring.commit(0.0, 0.0)
    assert ring.verify(1)
    assert [p[0] for p in ring.packets(1)] == [1, 2, 3, 2, 3, 4]
    assert ring.accounts["packets_recorded"] == 6


def test_types_get_the_rings_numbers_and_channels() -> None:
    packets = [packet(i, type, payload=b"x" * i) for i, type in enumerate((7, 8, 7, 9), 1)]
    types = {7: (100, 5), 8: (65535, 2**32 - 1), 9: (100, 5)}
    got = ring_with(image_of(*packets), types).packets(1)
    assert [(p[1], p[6]) for p in got] == [types[p[1]] for p in packets]
    assert [p[8] for p in got] == [p[8] for p in packets]


def test_any_mapping_gives_the_types() -> None:
    image = image_of(packet(1, 8))
    (got,) = ring_with(image, UserDict({8: (40, 3)})).packets(1)  # type: ignore[arg-type]
    assert (got[1], got[6]) == (40, 3)


def test_bits_without_a_meaning_are_not_recorded() -> None:
    for size in (8, 600):
        image = bytearray(image_by_hand((1, 0.0, 0.0, 0), [packet(payload=bytes(size))] * 2))
        image[92:96] = bytes(4)
        for at in (120, 120 + 40 + size):
            image[at + 10], image[at + 11] = 7, 0xF0 | DAMAGED
        image[96 + 22] = 0xFE  # the run's flags, but for the latched one
        ring = ring_with(image)
        headers = ring.runs(1)[0][3]
        assert headers["targetable"].tolist() == [1, 1]
        assert headers["flags"].tolist() == [DAMAGED, DAMAGED]
        assert ring.runs(1)[0][2] == (2 if size == 600 else 0)
        assert ring.stamp(1)[5] == DAMAGED, "a frame tells that it has damaged packets"


def test_what_pads_a_payload_is_zero_in_the_ring() -> None:
    for size in (1, 13, 601):
        packets = [packet(i, payload=bytes([i]) * size) for i in (1, 2)]
        image = image_by_hand((1, 0.0, 0.0, 0), packets, padding=b"\xee")
        ring = ring_with(image)
        assert ring.image(1) == image_of(*packets)


def test_positions_need_not_be_finite() -> None:
    image = bytearray(without_check(image_of(packet())))
    PACKET.pack_into(image, 120, 1, 40, 1, 0, 0, *[float("nan")] * 3, *[float("inf")] * 3)
    ((_, _, _, _, position, angles, *_),) = ring_with(image).packets(1)
    assert np.isnan(position).all()
    assert np.isposinf(angles).all()


def test_the_world_has_no_objects() -> None:
    image = image_of(packet(0, 40))
    assert ring_with(image, {40: (FIRST_OBJECT - 1, 0)}).packets(1)[0][0] == 0
    refused(image, "id 0", {40: (FIRST_OBJECT, 0)})


def refused(image: Any, what: str | None, types: Any = TYPES, error: Any = DamagedError) -> None:
    """It is said what is wrong, and the frame and the ring are as they were."""
    ring = ring_of(1 << 14)
    for time in range(40):
        record_frame(ring, time, bytes(500))
    ring.begin()
    ring.record(1, 1, True, HERE, HERE)
    before = ring.accounts
    with pytest.raises(error, match=what):
        ring.ingest(image, types)
    assert ring.accounts == before
    assert ring.open_packets == 1
    frame = ring.commit(40.0, 0.0)
    assert ring.verify(frame)
    assert ring.stamp(frame)[5] == 0


def test_an_image_with_a_type_that_is_not_known_is_refused() -> None:
    refused(image_of(packet(1, 40), packet(1, 99)), "type 99")


def test_latched_packets_are_refused() -> None:
    ring = ring_of(1 << 14, 4000)
    ring.begin()
    ring.record(1, 40, True, HERE, HERE)
    ring.latch(1, 40, 0, 1, 1, b"state")
    ring.commit(0.0, 0.0)
    refused(ring.image(1), "latched")


@pytest.mark.parametrize(
    ("types", "error"),
    [
        ({40: 40}, TypeError),
        ({40: (40,)}, TypeError),
        ({40: (40, 0, 0)}, TypeError),
        ({40: [40, 0]}, TypeError),
        ({40: ("40", 0)}, TypeError),
        ({40: (65536, 0)}, RecordingError),
        ({40: (-1, 0)}, RecordingError),
        ({40: (40, 2**32)}, RecordingError),
        (None, TypeError),
        ([1], IndexError),
    ],
)
def test_types_that_make_no_sense_are_refused(types: Any, error: type[Exception]) -> None:
    refused(image_of(packet()), None, types, error)


def test_what_is_no_buffer_is_refused() -> None:
    refused("text", None, error=TypeError)
    refused(memoryview(bytes(400))[::2], None, error=BufferError)
    ingest: Any = ring_of(4096).ingest
    calls: tuple[tuple[Any, ...], ...] = ((), (b"",), (b"", {}, 1))
    for arguments in calls:
        with pytest.raises(TypeError, match="ingest"):
            ingest(*arguments)


def test_an_image_can_be_ingested_only_while_a_frame_is_open() -> None:
    ring = ring_of(4096)
    image = image_of(packet())
    with pytest.raises(RecordingError, match="no frame is open"):
        ring.ingest(image, TYPES)
    ring.begin()

    def record(_: object, packet: _ring.PacketWriter) -> None:
        with pytest.raises(RecordingError, match="handler"):
            ring.ingest(image, TYPES)

    assert ring.record_by(1, 1, 0, record, None)
    ring.close()
    with pytest.raises(RecordingError, match="closed"):
        ring.ingest(image, TYPES)


def test_types_that_use_the_ring_do_no_harm() -> None:
    image = image_of(packet())

    ring = ring_of(4096)
    ring.begin()
    ending = Types(40, lambda: ring.commit(0.0, 0.0))
    with pytest.raises(RecordingError, match="no frame is open"):
        ring.ingest(image, ending)
    ring.begin()
    assert (
        ring.ingest(image, Types(40, ring.abort, ring.begin, lambda: ring.ingest(image, TYPES)))
        == 1
    )
    ring.commit(0.0, 0.0)
    assert ring.verify(2)
    assert len(ring.packets(2)) == 2

    def fail() -> None:
        raise ZeroDivisionError

    ring.begin()
    with pytest.raises(ZeroDivisionError):
        ring.ingest(image, Types(40, fail))
    assert ring.open_packets == 0


def test_a_run_without_room_is_dropped_and_counted() -> None:
    ring = ring_of(8192)
    record_frame(ring, 0.0, b"x")
    ring.begin()
    rows = [packet(i, 41, bytes(100)) for i in range(1, 100)]
    image = image_of(packet(1, 40, b"small"), *rows, packet(2, 42, bytes(600)))
    assert ring.ingest(image, TYPES) == 2
    assert ring.accounts["packets_dropped"] == 99
    assert ring.oldest == (1, 0.0), "what can never fit evicts nothing"
    frame = ring.commit(1.0, 0.0)
    assert ring.stamp(frame)[5] == DROPPED
    assert [p[8] for p in ring.packets(frame)] == [b"small", bytes(600)]
    assert ring.verify(frame)


def test_images_go_between_memory_that_handlers_keep() -> None:
    chance = random.Random(3)
    ring = ring_of(1 << 14)
    retained: list[Any] = []
    whole = missed = 0
    for time in range(300):
        ring.begin()
        if time % 5 == 0:
            del retained[: len(retained) // 2]
            with pytest.raises(BufferError):
                ring.record_by(
                    1, 9, 40, lambda _, p: retained.append(np.frombuffer(p.payload, "u1")), None
                )
            retained[-1][:] = 0xEE
        count, size = chance.randrange(1, 60), chance.choice((0, 8, 33, 600))
        packets = [packet(i, 40, chance.randbytes(size)) for i in range(1, count + 1)]
        done = ring.ingest(image_of(*packets), TYPES)
        frame = ring.commit(time, 0.0)
        assert ring.verify(frame)
        got = [p for p in without_run_flags(ring.packets(frame)) if p[1] == 40]
        assert got == packets[:done]
        assert bool(ring.stamp(frame)[5] & DROPPED) == (done < count)
        assert all((array == 0xEE).all() for array in retained)
        whole += done == count
        missed += count - done
    assert whole > 50
    assert ring.accounts["packets_dropped"] == missed > 100


def test_an_image_inside_the_rings_own_memory_is_ingested_though_it_is_evicted_meanwhile() -> None:
    image = image_of(*[packet(i, 40, bytes([i]) * 100) for i in range(1, 30)])
    broken = 0
    for padding in range(0, 9000, 24):
        ring = ring_of(1 << 14)
        record_frame(ring, 0.0, bytes(padding))
        record_frame(ring, 1.0, image)
        payload = ring.runs(2)[0][4]
        assert payload is not None
        ring.begin()
        ring.record(1, 1, True, HERE, HERE, bytes(9000 - padding))
        try:
            ring.ingest(payload.data, TYPES)
        except DamagedError:
            broken += 1
        ring.commit(2.0, 0.0)
        assert ring.holds(3)
        for id, *_ in ring.packets(3):
            assert 0 <= id < 2**63
    assert broken < 300


class Types(UserDict[int, Any]):
    """Types that do something when one of them is asked for."""

    def __init__(self, asked: int, *work: Callable[[], object]) -> None:
        super().__init__()
        self.asked, self.work = asked, work

    def __getitem__(self, number: int) -> tuple[int, int]:
        for work in self.work if number == self.asked else ():
            work()
        return (number, 0)


@pytest.mark.parametrize("size", [8, 600])
@pytest.mark.parametrize("id", [2**63, 0])
def test_an_image_that_changes_between_check_and_copy_is_taken_back(size: int, id: int) -> None:
    rows = [packet(i, 40, bytes(size)) for i in range(1, 9)]
    rows += [packet(9, 41), packet(10, 42, bytes(1 << 15))]  # the last finds no room
    ring = ring_of(1 << 15)
    at = 120 + 3 * (40 + size)
    for frame in (1, 2):
        image = bytearray(image_of(*rows))
        ring.begin()
        ring.ingest(image_of(rows[0]), TYPES)  # the run that the first of the others goes into
        before = ring.accounts
        spoil = Types(41, partial(image.__setitem__, slice(at, at + 8), id.to_bytes(8, "little")))
        with pytest.raises(DamagedError, match="changed"):
            ring.ingest(image, spoil)
        assert ring.accounts == before
        assert ring.open_packets == 1
        if frame == 2:
            assert ring.ingest(image_of(*rows[:9]), TYPES) == 9
        ring.commit(0.0, 0.0)
        assert ring.verify(frame)
        assert ring.stamp(frame)[5] == 0
    assert [p[0] for p in ring.packets(1)] == [1]
    assert [p[0] for p in ring.packets(2)] == [1, *range(1, 10)]


@POSIX
@pytest.mark.parametrize("what", ["ids", "runs", "links"])
@pytest.mark.parametrize("seconds", [0.5, pytest.param(20, marks=pytest.mark.slow)])
def test_memory_that_changes_at_any_time_does_no_harm(what: str, seconds: float) -> None:
    result = run("read_changing", what, "--seconds", str(seconds))
    assert result["sound"] > 20
    assert result["damaged"] > 20


@st.composite
def frames(draw: st.DrawFn) -> list[list[RawPacket]]:
    """Some frames' packets; now and then several alike in a row."""
    several = []
    number = st.integers(0, 2**16)
    for _ in range(draw(st.integers(1, 6))):
        packets: list[RawPacket] = []
        for _ in range(draw(st.integers(0, 5))):
            type = draw(st.sampled_from([1, 40, 41, 65535]))
            size = draw(st.sampled_from([0, 1, 8, 40, 100, 511, 512, 700]))
            chance = random.Random(draw(number))
            for _ in range(draw(st.integers(1, 5))):
                numbers = [chance.randrange(-999, 999) / 8 for _ in range(6)]
                packets.append(
                    (
                        chance.randrange(type >= FIRST_OBJECT, 2**63),
                        type,
                        chance.random() < 0.5,
                        chance.choice((0, 0, 1, 2)),
                        (numbers[0], numbers[1], numbers[2]),
                        (numbers[3], numbers[4], numbers[5]),
                        type % 5,
                        0,
                        chance.randbytes(size),
                    )
                )
        several.append(packets)
    return several


@given(frames(), st.sampled_from([1 << 15, (1 << 15) + 64, 40_000 // 64 * 64, 1 << 16]))
def test_frames_go_from_ring_to_ring_as_images(several: list[list[RawPacket]], arena: int) -> None:
    types = {type: (type, type % 5) for type in (1, 40, 41, 65535)}
    near, far = ring_of(arena), ring_of(1 << 16)
    for lap in range(4):  # so that the arena's end comes
        for time, packets in enumerate(several, lap * len(several)):
            for ring in (near, far):
                ring.begin()
            image = _ring.image_encode(1 + time, time, 0.5, 3, packets)
            assert near.ingest(image, types) == len(packets)
            flags = _ring.image_stamp(image)[5]
            frame = near.commit(time, 0.5, 3)
            assert without_run_flags(near.packets(frame)) == packets
            assert near.verify(frame)
            sent = near.image(frame)
            assert _ring.image_packets(sent) == packets
            assert _ring.image_stamp(sent)[:6] == (1 + time, time, 0.5, len(packets), 3, flags)
            assert _ring.image_verify(sent)
            assert far.ingest(sent, types) == len(packets)
            far.commit(time, 0.5, 3)
            assert far.verify(frame)
            assert _ring.image_packets(far.image(frame)) == packets
            assert _ring.image_encode(1 + time, time, 0.5, 3, _ring.image_packets(sent)) == image
