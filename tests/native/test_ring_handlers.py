"""Handlers that write their packet straight into the ring, and those that break their contract."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from playhead.errors import RecordingError
from playhead.native import _ring
from playhead.native.ring_type_aliases import CUT, PARTIAL

from .rings import DAMAGED, HERE, payloads, record_frame, ring_of


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


class Undecided:
    """Is neither true nor false."""

    def __bool__(self) -> bool:
        raise ArithmeticError("undecided")


@pytest.mark.parametrize("name", ["position", "angles", "targetable", "visible"])
def test_a_header_can_not_be_deleted_and_stays_as_it_was(ring: _ring.Ring, name: str) -> None:
    def record(_: object, packet: _ring.PacketWriter) -> None:
        before = getattr(packet, name)
        with pytest.raises(AttributeError, match="can't be deleted"):
            delattr(packet, name)
        assert getattr(packet, name) == before

    assert ring.record_by(7, 20, 0, record, None)


@pytest.mark.parametrize("name", ["targetable", "visible"])
def test_a_switch_that_is_neither_on_nor_off_raises_its_own_error(
    ring: _ring.Ring, name: str
) -> None:
    def record(_: object, packet: _ring.PacketWriter) -> None:
        with pytest.raises(ArithmeticError, match="undecided"):
            setattr(packet, name, Undecided())
        assert getattr(packet, name) is True

    assert ring.record_by(7, 20, 0, record, None)


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


@pytest.mark.parametrize("written", [0, 1, 7, 8, 59, 1000])
@pytest.mark.parametrize("more", [1, 2, 7, 8, 964])
def test_what_a_handler_does_not_write_is_zero_and_its_packet_is_flagged(written, more) -> None:
    ring = ring_of(1 << 16)
    junk = bytes([0xEE]) * 2000

    def lazy(_: object, packet: _ring.PacketWriter) -> None:
        packet.payload[:written] = b"\xa5" * written

    for n in range(100):  # the ring is full of older bytes
        ring.begin()
        assert ring.record_by(1, 20, 2000, lambda _, packet: put(packet, junk), None)
        assert ring.record_by(1, 20, written + more, lazy, None)
        assert ring.record_by(2, 20, written, lazy, None)
        frame = ring.commit(float(n), 1.0)
    assert payloads(ring, frame) == [junk, b"\xa5" * written + bytes(more), b"\xa5" * written]
    assert [row[3] for row in ring.packets(frame)] == [0, PARTIAL, 0]
    assert ring.verify(frame)
    image = ring.image(frame)
    other = ring_of(1 << 16)
    other.begin()
    other.ingest(image, {20: (20, 0)})
    other.commit(1.0, 1.0)
    assert [row[3] for row in other.packets(1)] == [0, PARTIAL, 0], "an image keeps the flag"


def test_a_hole_in_the_middle_is_zero_too() -> None:
    ring = ring_of(1 << 16)

    def holed(_: object, packet: _ring.PacketWriter) -> None:
        packet.payload[:2], packet.payload[10:] = b"ab", b"yz"

    for n in range(200):
        ring.begin()
        assert ring.record_by(1, 20, 900, lambda _, packet: put(packet, b"\xee" * 900), None)
        assert ring.record_by(1, 20, 12, holed, None)
        frame = ring.commit(float(n), 1.0)
    assert payloads(ring, frame)[1] == b"ab" + bytes(8) + b"yz"


def put(packet: _ring.PacketWriter, payload: bytes) -> None:
    packet.payload[:] = payload


def test_the_objects_recorded_with_flags_are_reported_and_all_others_are_not(
    ring: _ring.Ring,
) -> None:
    received: list[Any] = []

    def record(what: str, packet: _ring.PacketWriter) -> None:
        packet.payload[: 3 if what == "partial" else 4] = b"1234"[: 3 if what == "partial" else 4]
        packet.cut = what == "cut"

    plans = {"a": (20, 0, 4, None, record, None, None)}
    rows = [(1, "a", "whole"), (2, "a", "partial"), (3, "a", "cut"), (4, "a", "whole")]
    assert ring.record_objects(rows, plans, lambda *row: received.append(row)) == 4
    assert received == [(2, "a", PARTIAL), (3, "a", CUT)]


def test_a_batch_can_have_flags() -> None:
    ring = ring_of(1 << 16)
    ring.begin()
    ring.record_batch(20, np.arange(1, 4), np.zeros((3, 3)), flags=CUT)
    with pytest.raises(RecordingError, match="flags"):
        ring.record_batch(20, np.arange(1, 4), np.zeros((3, 3)), flags=16)
    frame = ring.commit(1.0, 1.0)
    assert [row[3] for row in ring.packets(frame)] == [CUT] * 3


def test_a_payload_kept_as_memoryview_is_shut_when_the_handler_returns(ring: _ring.Ring) -> None:
    retained = []
    assert ring.record_by(1, 20, 4, lambda _, packet: retained.append(packet.payload), None)
    with pytest.raises(ValueError):
        retained[0][0] = 1
    assert ring.accounts["quarantined"] == 0


def test_a_packet_kept_by_its_handler_is_shut(ring: _ring.Ring) -> None:
    retained: list[_ring.PacketWriter] = []
    assert ring.record_by(1, 20, 4, lambda _, packet: retained.append(packet), None)
    for _ in range(3):
        ring.record_by(2, 20, 4, lambda _, packet: None, None)
    for write in (
        lambda: retained[0].payload,
        lambda: memoryview(retained[0]),
        lambda: setattr(retained[0], "position", HERE),
        lambda: setattr(retained[0], "angles", HERE),
        lambda: setattr(retained[0], "targetable", True),
        lambda: setattr(retained[0], "visible", True),
    ):
        with pytest.raises(ValueError, match="closed"):
            write()
    with pytest.raises(TypeError):
        type(retained[0])()


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
    retained: list[Any] = []
    record_frame(ring, 0.0, b"x")
    ring.begin()
    with pytest.raises(BufferError, match="600"):
        ring.record_by(1, 20, 600, lambda _, packet: retained.append(keep(packet)), None)
    ring.commit(1.0, 0.0)
    retained[0][:] = 0xEE
    for time in range(2, 60):  # many times round
        record_frame(ring, time, bytes(400), bytes(33), bytes([time]) * 700)
        assert ring.accounts["quarantined"] == 1
        assert (retained[0] == 0xEE).all()
        retained[0][:] = 0xEE
        assert ring.oldest
        assert all(ring.verify(frame) for frame in range(ring.oldest[0], time + 2))
    held = range(ring.find(0.0), time + 2)
    positions = [one for frame in held for one in places_of(ring, frame)]
    first = retained[0].ctypes.data
    assert all(end <= first or first + len(retained[0]) <= begin for begin, end in positions)
    retained.clear()
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
    retained: list[Any] = []
    for time in range(80):
        ring.begin()
        if time % 7 == 0:
            del retained[::2]
            with pytest.raises(BufferError):
                ring.record_by(
                    1, 9, 8, lambda _, p: retained.append(np.frombuffer(p.payload, "u1")), None
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
    retained: list[Any] = []

    def keep(_: object, packet: _ring.PacketWriter) -> None:
        packet.payload[:] = bytes(16)
        retained.append(np.frombuffer(packet.payload, np.uint8))

    ring.begin()
    for i in range(20):
        with pytest.raises(BufferError):
            ring.record_by(i, 20, 16, keep, None)
    assert len(retained) == ring.accounts["quarantined"] == 16
    ring.commit(0.0, 0.0)
    assert len(ring.packets(1)) == 20
    retained.clear()
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
        "record_batch": (1, np.arange(2), np.zeros((2, 3))),
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
