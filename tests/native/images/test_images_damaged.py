"""Images that were cut, flipped or made up: an error that says where, or the truth."""

import random
import struct
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from playhead.errors import DamagedError
from playhead.native import _ring
from playhead.native.ring_type_aliases import RawPacket

from ..rings import HERE, ring_of
from .images_by_hand import (
    FRAME,
    NONE,
    PACKET,
    RUN,
    image_by_hand,
    patched,
    with_check,
    without_check,
)

AT: Any = (1.0, 2.0, 3.0)
PACKETS: list[RawPacket] = [
    (1, 40, True, 0, AT, HERE, 1, 0, b"hello"),
    (2, 40, False, 2, HERE, AT, 1, 0, b"world"),
    (3, 41, True, 0, AT, AT, 0, 0, b""),
]
GOOD = _ring.image_encode(5, 1.25, 0.5, 2, PACKETS)
STAMP = _ring.image_stamp(GOOD)
TYPES = {40: (40, 1), 41: (41, 0)}
RUN_2 = 96 + 24 + 2 * 48
LATCHED = with_check(
    image_by_hand((1, 0.0, 0.0, 0), [(1, 40, True, 0, HERE, HERE, 0, 1, bytes(48))])
)


def survey(image: bytes) -> list[RawPacket] | None:
    """Asks an image everything; its packets, or None if it is damaged. All answers must agree."""
    try:
        packets = _ring.image_packets(image)
    except DamagedError as error:
        assert "frame image" in str(error)
        assert "at byte" in str(error)
        packets = None
    try:
        runs = _ring.image_runs(image)
        assert packets is not None
        assert sum(len(run[3]) for run in runs) == len(packets)
        assert [int(id) for run in runs for id in run[3]["id"]] == [p[0] for p in packets]
    except DamagedError:
        assert packets is None
    assert _ring.image_verify(image) == (packets is not None)
    if packets is not None:
        assert _ring.image_stamp(image)[3] == len(packets)
    ring = ring_of(1 << 14)
    ring.begin()
    try:
        done = ring.ingest(image, TYPES)
        assert packets is not None
        assert done + ring.accounts["packets_dropped"] == len(packets)
    except DamagedError:
        assert ring.open_packets == 0
    ring.commit(0.0, 0.0)
    assert ring.verify(1)
    return packets


def test_the_whole_image_is_the_truth() -> None:
    assert survey(GOOD) == PACKETS


def test_any_byte_flipped_is_found_out() -> None:
    for at in range(len(GOOD)):
        for flip in (0xFF, *(1 << bit for bit in range(8))):
            image = bytearray(GOOD)
            image[at] ^= flip
            assert survey(bytes(image)) is None, (at, flip)


def test_an_image_cut_anywhere_is_refused() -> None:
    for length in range(len(GOOD)):
        for image in (GOOD[:length], without_check(GOOD)[:length]):
            assert survey(image) is None
            with pytest.raises(DamagedError):
                _ring.image_stamp(image)


def test_bytes_behind_an_image_are_refused() -> None:
    for more in (1, 8, 24, 64, 4096):
        assert survey(GOOD + bytes(more)) is None


def test_an_image_cut_between_its_runs_is_refused_though_it_says_the_shorter_length() -> None:
    for check in (False, True):
        image = bytearray(without_check(GOOD)[:RUN_2])
        struct.pack_into("<QQ", image, 64, RUN_2, RUN_2)
        assert survey(with_check(bytes(image)) if check else bytes(image)) is None


def test_a_length_that_is_reported_rightly_must_still_be_one_of_whole_runs() -> None:
    for more in (1, 4, 8, 16):
        image = bytearray(without_check(GOOD) + bytes(more))
        struct.pack_into("<QQ", image, 64, len(image), len(image))
        struct.pack_into("<I", image, RUN_2, 8)  # as if another run followed
        struct.pack_into("<I", image, RUN_2 + 24 + 12, 8)
        assert survey(bytes(image)) is None
        what = "too few for a run" if more % 8 == 0 else "multiple of 8"
        with pytest.raises(DamagedError, match=what):
            _ring.image_packets(image)
        if more % 8:
            with pytest.raises(DamagedError, match=what):
                _ring.image_stamp(image)


@pytest.mark.parametrize(
    ("at", "format", "value", "where", "what"),
    [
        (0, "<Q", 0, 0, "frame id 0"),
        (0, "<Q", 2**63, 0, "frame id 9223372036854775808"),
        (8, "<Q", 0, 8, "older"),
        (16, "<Q", 0, 16, "newer"),
        (24, "<d", float("nan"), 24, "time"),
        (24, "<d", float("inf"), 24, "time"),
        (32, "<d", float("nan"), 32, "delta"),
        (32, "<d", -1.0, 32, "delta"),
        (40, "<Q", NONE, 40, "first packet"),
        (40, "<Q", 96, 40, "first packet"),
        (48, "<Q", NONE, 48, "first run"),
        (48, "<Q", 0, 48, "first run"),
        (56, "<Q", 0, 56, "skip"),
        (64, "<Q", len(GOOD) + 8, 64, f"{len(GOOD) + 8} bytes"),
        (72, "<Q", 0, 72, "0 bytes"),
        (80, "<I", 2, 80, "2 packets"),
        (80, "<I", 4, 80, "4 packets"),
        (80, "<I", 2**32 - 1, 80, "packets"),
        (96, "<I", 0, 96, "next says 0"),
        (96, "<I", 2**32 - 1, 96, "next"),
        (96, "<I", 14, 96, "next says 14"),
        (100, "<I", 0, 96, "0 packets"),
        (100, "<I", 1, 96, "next"),
        (100, "<I", 3, 96, "next"),
        (100, "<I", 2**32 - 1, 96, "4294967295 packets"),
        (104, "<I", 0, 96, "stride of 0"),
        (104, "<I", 56, 96, "stride of 56"),
        (104, "<I", 2**32 - 8, 96, "stride"),
        (108, "<I", 9, 96, "stride"),
        (108, "<I", 2**32 - 1, 96, "stride"),
        (116, "<H", 41, 120, "type 40 in a run of type 41"),
        (118, "<H", 1, 96, "too short"),
        (120, "<Q", 2**63, 120, "object id 9223372036854775808"),
        (168, "<Q", NONE, 168, "object id"),
        (168, "<H", 41, None, ""),
        (128, "<H", 41, 120, "type 41"),
        (132, "<I", 0, 120, "next says 0"),
        (132, "<I", 2**32 - 1, 120, "next"),
        (180, "<I", 6, 168, "next says 6"),
        (180, "<I", 0, 168, "next says 0"),
        (RUN_2, "<I", 1, RUN_2, "next says 1"),
        (RUN_2 + 4, "<I", 2, RUN_2, "2 packets"),
        (RUN_2 + 24 + 12, "<I", 8, RUN_2 + 24, "next says 8"),
    ],
)
def test_it_is_reported_what_is_wrong_and_where(
    at: int, format: str, value: float, where: int | None, what: str
) -> None:
    image = patched(GOOD, at, format, value)
    if where is None:
        assert survey(image)
        return
    assert survey(image) is None
    with pytest.raises(DamagedError, match=f"at byte {where}: .*{what}"):
        _ring.image_packets(image)
    ring = ring_of(1 << 14)
    ring.begin()
    with pytest.raises(DamagedError, match=f"at byte {where}: .*{what}"):
        ring.ingest(image, TYPES)
    assert ring.open_packets == 0


def test_a_size_that_overflows_the_stride_is_refused() -> None:
    for size in (2**32 - 1, 2**32 - 40, 2**32 - 48, 2**31):
        for count in (1, 2**31, 2**32 - 1):
            image = bytearray(without_check(GOOD))
            stride = (40 + size + 7) // 8 * 8 % 2**32
            struct.pack_into("<IIII", image, 96, 0, count, stride, size)
            assert survey(bytes(image)) is None


def test_a_wrong_check_is_refused_and_none_is_not() -> None:
    (check,) = struct.unpack_from("<I", GOOD, 92)
    assert survey(patched(GOOD, 92, "<I", check)) == PACKETS
    assert survey(without_check(GOOD)) == PACKETS
    wrong = patched(GOOD, 92, "<I", check ^ 0x100)
    assert survey(wrong) is None
    with pytest.raises(DamagedError, match="at byte 92: .*check"):
        _ring.image_packets(wrong)
    assert _ring.image_stamp(wrong) == STAMP, "it looks at the header alone"


def test_packets_given_in_another_order_are_found_out() -> None:
    swapped = bytearray(GOOD)
    first, second = GOOD[120:132], GOOD[168:180]
    swapped[120:132], swapped[168:180] = second, first
    assert survey(bytes(swapped)) is None


def test_a_header_alone_must_say_that_it_has_no_packets() -> None:
    empty = _ring.image_encode(1, 0.0, 0.0, 0, [])
    assert survey(empty) == []
    for at, value in ((40, 120), (48, 96), (80, 1)):
        assert survey(patched(empty, at, "<I" if at == 80 else "<Q", value)) is None


WORD = st.one_of(
    st.sampled_from([0, 1, 2, 7, 8, 40, 48, 64, 96, 120, 2**16, 2**31, 2**32 - 1]),
    st.integers(0, 2**32 - 1),
)
"""A value for a link, a count or a size."""


@given(
    st.sampled_from([GOOD, LATCHED]),
    st.lists(st.tuples(st.integers(0, len(GOOD) // 4 - 1), WORD), min_size=1, max_size=6),
    st.booleans(),
)
@example(GOOD, [(26, 2**32 - 8), (27, 2**32 - 48)], False)
def test_any_words_overwritten_do_no_harm(
    good: bytes, changes: list[tuple[int, int]], links_only: bool
) -> None:
    image = bytearray(without_check(good))
    for word, value in changes:
        at = 96 + word % 6 * 4 if links_only else word * 4 % len(good)
        struct.pack_into("<I", image, at, value)
    survey(bytes(image))


@given(st.integers(0, 12), st.integers(0, 2**32), st.booleans())
def test_headers_that_are_right_before_noise_do_no_harm(runs: int, seed: int, link: bool) -> None:
    """Each run fits, but what it holds is noise; at times its packets are linked as they must."""
    chance = random.Random(seed)
    body = b""
    count = 0
    for n in range(runs):
        packets, size = chance.randrange(1, 4), chance.choice((0, 5, 48, 600))
        stride = (40 + size + 7) // 8 * 8
        last = n + 1 == runs
        step = 0 if last else (24 + packets * stride) // 8
        flags = chance.getrandbits(16) & (1 if size >= 48 else 0xFFFE)
        body += RUN.pack(step, packets, stride, size, chance.getrandbits(32), 40, flags)
        for i in range(packets):
            noise = bytearray(chance.randbytes(stride))
            if link:
                step = stride // 8 if i + 1 < packets else 0 if last else stride // 8 + 3
                id, bits = chance.getrandbits(63) | 1, chance.getrandbits(8)
                PACKET.pack_into(noise, 0, id, 40, bits, bits, step, *AT, *AT)
            body += noise
        count += packets
    first = (120, 96) if runs else (NONE, NONE)
    length = 96 + len(body)
    head = FRAME.pack(1, NONE, NONE, 0.0, 0.0, *first, NONE, length, length, count, 0, 0, 0)
    got = survey(head + body)
    assert (got is not None) == (link or not runs)
    if got is not None:
        assert survey(with_check(head + body)) is not None
