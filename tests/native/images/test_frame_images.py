"""One frame by itself: made, read, and copied out of a ring."""

import random
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from playhead.errors import DamagedError, EvictedError, RecordingError
from playhead.native import _ring
from playhead.native.ring import FrameRing
from playhead.native.ring_type_aliases import DAMAGED, HIDDEN, RawPacket

from ..rings import HERE, LATCHES, record_frame, ring_of
from ..twin import TOMBSTONE, VERSION
from .images_by_hand import NONE, image_by_hand, packet_check, with_check, without_check

SIZES = (0, 1, 7, 8, 13, 24, 40, 511, 512, 513, 1500)


def packets_of(sizes: tuple[int, ...], seed: int = 0) -> list[RawPacket]:
    """Two packets of each size, as they come out of an image."""
    chance = random.Random(seed)

    def vector() -> tuple[float, float, float]:
        return (chance.randrange(99) / 4, -chance.randrange(99) / 8, 0.5)

    return [
        (i, 40 + n % 3, n % 2 == 0, n % 4, vector(), vector(), n % 3, 0, chance.randbytes(size))
        for n, size in enumerate(sizes)
        for i in (n + 1, 2**63 - 1 - n)
    ]


def without_run_flags(packets: list[RawPacket]) -> list[RawPacket]:
    """Where payloads stand on cache lines is the ring's own business."""
    return [(*packet[:7], packet[7] & 1, packet[8]) for packet in packets]


@pytest.mark.parametrize("sizes", [(), *[(size,) for size in SIZES], SIZES, (8, 8, 0, 8)])
def test_an_image_is_what_the_document_says(sizes: tuple[int, ...]) -> None:
    packets = packets_of(sizes)
    image = _ring.image_encode(9, 1.5, 0.25, 3, packets)
    flags = 1 if any(packet[3] & DAMAGED for packet in packets) else 0
    assert image == image_by_hand((9, 1.5, 0.25, 3), packets, flags)
    assert _ring.image_packets(image) == packets
    stamp = (9, 1.5, 0.25, len(packets), 3, flags, 0, len(image))
    assert _ring.image_stamp(image) == stamp
    assert _ring.image_verify(image)


def test_an_image_without_a_check_is_read_like_one_with_it() -> None:
    packets = packets_of(SIZES)
    image = image_by_hand((1, 0.0, 0.0, 0), packets, check=False)
    assert _ring.image_packets(image) == packets
    assert _ring.image_verify(image)
    assert _ring.image_verify(with_check(image))


def test_the_image_of_a_frame_is_the_one_made_of_its_packets() -> None:
    ring = FrameRing("256 KiB")
    packets = packets_of(SIZES, 3)
    for time in range(3):
        ring.begin()
        for id, type, targetable, _, position, angles, channels, _, payload in packets:
            assert ring.record(id, type, targetable, position, angles, payload, channels)
        ring.commit(time, 0.5, 7)
    got = without_run_flags(ring.packets(2))
    assert [packet[0] for packet in got] == [packet[0] for packet in packets]
    image = ring.image(2)
    assert image == _ring.image_encode(2, 1.0, 0.5, 7, got)
    assert _ring.image_packets(image) == got


def test_the_image_of_a_batch_has_its_rows() -> None:
    n, chance = 30, np.random.default_rng(4)
    for size in (0, 12, 600):
        ring = ring_of(1 << 16)
        payload = chance.integers(0, 256, (n, size), np.uint8)
        visible = chance.random(n) < 0.5
        ring.begin()
        ring.record_batch(40, np.arange(1, n + 1), np.ones((n, 3)), None, visible, payload, visible)
        ring.commit(0.0, 0.0, 0, 4)
        packets = _ring.image_packets(ring.image(1))
        assert packets == without_run_flags(ring.packets(1))
        assert [packet[3] == HIDDEN for packet in packets] == (~visible).tolist()
        assert _ring.image_stamp(ring.image(1))[5] == 4


def test_packets_share_a_run_only_if_they_differ_in_nothing_that_it_says() -> None:
    packet = packets_of((8,))[0]
    alike = [packet, packet]
    assert len(_ring.image_runs(_ring.image_encode(1, 0.0, 0.0, 0, alike))) == 1
    for at, value in ((1, 41), (6, 5), (8, bytes(9))):
        packets = [packet, (*packet[:at], value, *packet[at + 1 :])]
        image = _ring.image_encode(1, 0.0, 0.0, 0, packets)  # type: ignore[arg-type]
        assert len(_ring.image_runs(image)) == 2
        assert _ring.image_packets(image) == packets


def test_a_frame_without_packets_is_a_header_alone() -> None:
    ring = ring_of(4096)
    image = (record_frame(ring, 2.5), ring.image(1))[1]
    assert image == _ring.image_encode(1, 2.5, 0.0, 0, [])
    assert len(image) == 96
    assert struct.unpack_from("<QQ", image, 40) == (NONE, NONE)
    assert _ring.image_packets(image) == []
    assert _ring.image_runs(image) == []


def test_a_frame_that_wraps_around_the_arenas_end_is_one_piece_in_its_image() -> None:
    wrapped = 0
    for size in range(0, 700, 9):
        ring = ring_of(1 << 13)
        for time in range(12):
            payloads = [bytes([i]) * (size + i % 2) for i in range(5)]
            frame = record_frame(ring, time, *payloads)
            at = [run[3].ctypes.data for run in ring.runs(frame)]
            wrapped += at != sorted(at)
            image = ring.image(frame)
            assert _ring.image_packets(image) == without_run_flags(ring.packets(frame))
            assert [packet[8] for packet in _ring.image_packets(image)] == payloads
            strides = sum((40 + len(payload) + 7) // 8 * 8 for payload in payloads)
            assert len(image) == 96 + strides + 24 * len(at)
    assert wrapped > 100


def test_latched_packets_are_in_the_image_with_their_kind_and_key() -> None:
    ring = FrameRing("64 KiB")
    for text in (b"old", b"new state"):
        ring.begin()
        ring.record(1, 40, True, HERE, HERE, b"before")
        ring.latch(4, 9, 6, 9, 2**40, text)
        ring.latch(5, 9, 6, 9, 2**40, text)
        ring.commit(0.0, 0.0)
    ring.begin()
    ring.despawn(5, 14)
    ring.commit(0.0, 0.0)
    image = ring.image(2)
    _, _, fact = _ring.image_packets(image)
    assert fact[:3] == (5, 9, False)
    assert fact[6:8] == (6, 1)
    assert VERSION.unpack_from(fact[8]) == (2, NONE, NONE, 2, 2**40, 0, 9, 0)
    assert fact[8][48:] == b"new state"
    assert _ring.image_stamp(image)[5] == LATCHES
    assert with_check(image) == image
    (end,) = _ring.image_packets(ring.image(3))
    assert VERSION.unpack(end[8]) == (3, NONE, NONE, 3, 2**40, 0, 9, TOMBSTONE)


def test_runs_of_an_image_are_views_of_its_memory() -> None:
    packets = packets_of((600, 12), 1)
    memory = bytearray(_ring.image_encode(1, 0.0, 0.0, 0, packets))
    runs = _ring.image_runs(memory)
    assert [run[:3] for run in runs] == [(40, 0, 0), (41, 1, 0)]
    for run, size in zip(runs, (600, 12), strict=True):
        assert run[3].dtype == _ring.PACKET_DTYPE
        assert run[4] is not None
        assert run[4].shape == (2, size)
        assert not run[3].flags.writeable
        assert not run[4].flags.writeable
    assert [run[3]["id"].tolist() for run in runs] == [[1, 2**63 - 1], [2, 2**63 - 2]]
    memory[-16] ^= 0xFF
    assert runs[1][4] is not None
    assert runs[1][4][1][0] == packets[3][8][0] ^ 0xFF


def test_memory_stays_while_runs_of_it_are_seen() -> None:
    memory = bytearray(_ring.image_encode(1, 0.0, 0.0, 0, packets_of((100,))))
    runs = _ring.image_runs(memory)
    with pytest.raises(BufferError):
        memory.clear()
    headers = runs[0][3]
    del runs
    with pytest.raises(BufferError):
        memory.clear()
    del headers
    memory.clear()
    with pytest.raises(DamagedError):
        _ring.image_runs(memory)
    memory.extend(b"not kept after an error")


def test_an_image_may_stand_at_any_address() -> None:
    packets = packets_of((0, 13, 600))
    image = _ring.image_encode(1, 0.0, 0.0, 0, packets)
    for shift in range(8):
        moved = memoryview(bytes(shift) + image)[shift:]
        assert _ring.image_packets(moved) == packets
        runs = _ring.image_runs(moved)
        assert [int(id) for run in runs for id in run[3]["id"]] == [p[0] for p in packets]


def test_a_frame_that_is_not_recorded_has_no_image() -> None:
    ring = FrameRing("64 KiB")
    for time in range(300):
        record_frame(ring, time, bytes(300))
    ring.begin()
    asks: tuple[Any, ...] = (1, 0, 301, 2**70, -1, "one")
    for frame in asks:
        with pytest.raises(EvictedError):
            ring.image(frame)
    ring.abort()
    ring.close()
    with pytest.raises(EvictedError):
        ring.image(299)


def test_a_damaged_frame_has_no_image(tmp_path: Path) -> None:
    path = tmp_path / "game.ring"
    with FrameRing("64 KiB", path=path) as ring:
        for time in range(9):
            record_frame(ring, time, b"payload %d" % time, bytes(600))
    content = bytearray(path.read_bytes())
    content[content.rindex(b"payload 4") + 8] ^= 1
    content[content.rindex(b"payload 6") - 32] ^= 1  # its type
    content[content.rindex(b"payload 7") - 40 - 24 - 96 + 80] ^= 1  # packets in the frame
    path.write_bytes(content)
    damaged = FrameRing.open(path)
    for frame in range(1, 10):
        if frame in (5, 7, 8):
            with pytest.raises(DamagedError, match=f"frame {frame} is damaged"):
                damaged.image(frame)
        else:
            assert _ring.image_verify(damaged.image(frame))


@pytest.mark.parametrize("change", [(7, 0x80), (8, 1), (15, 0)], ids=["id", "type", "none"])
def test_a_frame_that_no_ring_records_has_no_image_though_its_check_is_right(
    change: tuple[int, int], tmp_path: Path
) -> None:
    path = tmp_path / "game.ring"
    with FrameRing("64 KiB", path=path) as ring:
        record_frame(ring, 0.0, b"12345678")
    content = bytearray(path.read_bytes())
    packet = content.rindex(b"12345678") - 40
    check = packet - 24 - 96 + 92
    before = packet_check(0, bytes(content[packet : packet + 48]))
    content[packet + change[0]] ^= change[1]
    after = packet_check(0, bytes(content[packet : packet + 48]))
    (held,) = struct.unpack_from("<I", content, check)
    struct.pack_into("<I", content, check, (held - before + after) % 2**32)
    path.write_bytes(content)
    damaged = FrameRing.open(path)
    if change[1]:
        with pytest.raises(DamagedError, match="match"):
            damaged.image(1)
    else:
        assert damaged.image(1)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"id": 0}, RecordingError),
        ({"id": -1}, RecordingError),
        ({"id": 2**63}, RecordingError),
        ({"id": "1"}, RecordingError),
        ({"time": float("nan")}, RecordingError),
        ({"time": float("inf")}, RecordingError),
        ({"time": "now"}, TypeError),
        ({"delta": -0.5}, RecordingError),
        ({"delta": float("inf")}, RecordingError),
        ({"epoch": -1}, RecordingError),
        ({"epoch": 2**32}, RecordingError),
        ({"packets": 5}, TypeError),
        ({"packets": [5]}, RecordingError),
        ({"packets": [()]}, RecordingError),
        ({0: -1}, RecordingError),
        ({0: 2**63}, RecordingError),
        ({1: 65536}, RecordingError),
        ({1: "type"}, TypeError),
        ({2: np.zeros(2)}, ValueError),
        ({3: 256}, RecordingError),
        ({4: (1.0, 2.0)}, ValueError),
        ({5: None}, TypeError),
        ({6: 2**32}, RecordingError),
        ({7: 1}, RecordingError),
        ({7: -1}, RecordingError),
        ({8: None}, TypeError),
        ({8: "text"}, TypeError),
        ({8: memoryview(bytes(9))[::2]}, BufferError),
    ],
)
def test_what_can_be_no_image_is_refused(change: dict[Any, Any], error: type[Exception]) -> None:
    good = packets_of((8,))[0]
    bad = tuple(change.get(i, value) for i, value in enumerate(good))
    frame: dict[str, Any] = {"id": 1, "time": 0.0, "delta": 0.0, "epoch": 0}
    frame["packets"] = [good, bad]
    frame |= {name: value for name, value in change.items() if name in frame}
    assert _ring.image_encode(1, 0.0, 0.0, 0, [good])
    with pytest.raises(error):
        _ring.image_encode(*frame.values())


def test_packets_that_change_while_an_image_is_made_do_no_harm() -> None:
    packets: list[Any] = []

    class Number(float):
        def __float__(self) -> float:
            packets.clear()
            return 1.0

    class Odd:
        def __float__(self) -> float:
            packets.clear()
            return 2.0

    good = packets_of((100,))[0]
    packets += [(*good[:4], (Odd(), 0.0, Number(3)), *good[5:])] + [good] * 50
    image = _ring.image_encode(1, 0.0, 0.0, 0, packets)
    ((*_, payload),) = _ring.image_packets(image)
    assert payload == good[8]


def test_the_check_of_an_image_is_over_every_byte() -> None:
    image = _ring.image_encode(1, 0.0, 0.0, 0, packets_of((0, 3, 40)))
    assert without_check(image) != image
    assert with_check(without_check(image)) == image
