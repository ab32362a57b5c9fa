"""Reads rings that were cut off, flipped or made up; a crash or a hang is its parent's to see.

Whatever the bytes, each call gives an answer, EvictedError or DamagedError; and a frame whose
check is right is the frame that was recorded. Prints one line of JSON.
"""

import argparse
import json
import mmap
import random
import struct
from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from playhead.errors import DamagedError, EvictedError
from playhead.native import _ring

from .contents import KEY, KIND, LATCH_AREA, PERIODS, Contents

CONTENTS = Contents(6_000, 12)
SIZE = 1 << 16
HEADER = 512
FRAME_WORDS, RUN_WORDS = 12, 3


def good_block() -> tuple[bytearray, list[int]]:
    """A whole ring, and where its frames and runs begin."""
    block = mmap.mmap(-1, SIZE)
    ring = _ring.Ring(block, LATCH_AREA)
    for _ in range(1200):
        CONTENTS.write(ring)
    assert ring.oldest
    assert ring.newest
    memory = np.frombuffer(block, np.uint8).ctypes.data
    capacity = ring.accounts["capacity"]
    offsets = []
    for frame in range(ring.oldest[0], ring.newest[0] + 1):
        at = SIZE - capacity + ring.stamp(frame)[6] % capacity
        offsets += [at + 8 * word for word in range(FRAME_WORDS)]
        for run in ring.runs(frame):
            first = run[3].ctypes.data - memory - 24
            offsets += [first + 8 * word for word in range(RUN_WORDS + 2)]
    return bytearray(block[:]), offsets


GOOD, PLACES = good_block()
COUNTS: Counter[str] = Counter()


def attempt(call: Callable[[], object]) -> object:
    """What a call gives; None if it says that the ring is damaged or the frame gone."""
    COUNTS["calls"] += 1
    try:
        return call()
    except (DamagedError, EvictedError) as error:
        COUNTS[type(error).__name__] += 1
        return None


def survey(block: bytes | bytearray) -> None:
    """Opens a ring and asks it everything."""
    COUNTS["rings"] += 1
    memory = mmap.mmap(-1, max(len(block), 1))
    memory[: len(block)] = bytes(block)
    verify = COUNTS["rings"] % 2 == 0
    ring = attempt(lambda: _ring.Ring(memory, verify=verify))
    if not isinstance(ring, _ring.Ring):
        return
    COUNTS["opened"] += 1
    for ask in (lambda: ring.newest, lambda: ring.oldest, lambda: ring.accounts):
        attempt(ask)
    for time in (0.0, 295.0, 299.9, float("inf"), -float("inf")):
        attempt(lambda: ring.find(time))  # noqa: B023
    whole = [frame for frame in frames_of(ring) if is_whole(ring, frame)]
    newest, oldest = attempt(lambda: ring.newest), attempt(lambda: ring.oldest)
    held = newest[0] - oldest[0] + 1 if isinstance(newest, tuple) and oldest else 0  # type: ignore[index]
    for frame in whole[:3] + whole[-3:]:
        facts = [attempt(lambda: ring.latched(frame, o, KIND, KEY)) for o in PERIODS]  # noqa: B023
        attempt(lambda: ring.latched_all(frame))  # noqa: B023
        attempt(lambda: ring.versions(frame, 1, KIND, KEY, 100))  # noqa: B023
        for object, fact in zip(PERIODS, facts, strict=True):
            if len(whole) == held and isinstance(fact, tuple):
                assert fact[2] == CONTENTS.state(object, fact[0]), (frame, object, fact)


def frames_of(ring: _ring.Ring) -> Iterator[int]:
    newest = attempt(lambda: ring.newest)
    if isinstance(newest, tuple):
        for frame in range(newest[0], max(0, newest[0] - 60), -1):
            if attempt(lambda: ring.stamp(frame)):  # noqa: B023
                yield frame


def is_whole(ring: _ring.Ring, frame: int) -> bool:
    attempt(lambda: ring.packets(frame))
    attempt(lambda: [np.array(run[3]) for run in ring.runs(frame)])
    image = attempt(lambda: ring.image(frame))
    if isinstance(image, bytes):
        COUNTS["images"] += 1
        assert _ring.image_verify(image), "a damaged frame has an image"
    if not attempt(lambda: ring.verify(frame)):
        return False
    assert image, "a whole frame has none"
    COUNTS["whole frames"] += 1
    wrong = [*CONTENTS.wrong_packets(ring, frame)]
    assert not wrong, wrong
    assert ring.stamp(frame)[:3] == (frame, CONTENTS.time(frame), 0.25)
    return True


# --- the ways of damage ---------------------------------------------------------------------------


def whole() -> None:
    survey(GOOD)
    assert COUNTS["DamagedError"] == 0
    assert COUNTS["whole frames"] > 20


def cut() -> None:
    """Cut off at every length of the header, and at many behind it."""
    for length in [*range(HEADER + 64), *range(HEADER, SIZE, 997), SIZE - 1]:
        survey(GOOD[:length])
    assert COUNTS["opened"] == 0
    survey(GOOD + bytes(100))
    assert COUNTS["opened"] == 1


def header() -> None:
    """Each byte of the header, flipped in three ways."""
    for at in range(HEADER):
        for flip in (0xFF, 0x01, 0x80):
            block = bytearray(GOOD)
            block[at] ^= flip
            survey(block)


def version() -> None:
    for major in (0, 2, 256, 65535):
        block = bytearray(GOOD)
        struct.pack_into("<H", block, 12, major)
        memory = mmap.mmap(-1, SIZE)
        memory[:] = bytes(block)
        try:
            _ring.Ring(memory)
        except DamagedError as error:
            assert f"layout {major}." in str(error), error
        else:
            raise AssertionError(f"a ring of layout {major} was opened")
    COUNTS["rings"] += 1


@given(st.lists(st.tuples(st.integers(0, SIZE - 1), st.integers(1, 255)), min_size=1, max_size=40))
def flips(changes: list[tuple[int, int]]) -> None:
    """Bytes flipped anywhere."""
    block = bytearray(GOOD)
    for at, flip in changes:
        block[at] ^= flip
    survey(block)


LINK = st.one_of(
    st.sampled_from([0, 1, 7, 8, 64, 2**32 - 1, 2**32, 2**63, 2**64 - 8, 2**64 - 1]),
    st.integers(0, SIZE),
    st.integers(0, 2**64 - 1),
)
"""A value for a link, a count or a size."""


@given(
    st.lists(
        st.tuples(st.sampled_from(PLACES), st.sampled_from("=+-h"), LINK), min_size=1, max_size=4
    )
)
def links(changes: list[tuple[int, str, int]]) -> None:
    """Links, counts and sizes overwritten, in the headers of frames, runs and packets."""
    block = bytearray(GOOD)
    for at, how, value in changes:
        (before,) = struct.unpack_from("<Q", block, at)
        after = {"=": value, "+": before + value, "-": before - value}.get(how)
        if after is None:  # the upper half alone
            after = before & 0xFFFFFFFF | value << 32
        struct.pack_into("<Q", block, at, after % 2**64)
    survey(block)


@given(
    st.lists(
        st.tuples(st.integers(HEADER // 8, (SIZE // 2) // 8 - 1), LINK), min_size=1, max_size=8
    )
)
def latches(changes: list[tuple[int, int]]) -> None:
    """Words of the latch table and its slots overwritten."""
    block = bytearray(GOOD)
    for word, value in changes:
        struct.pack_into("<Q", block, 8 * word, value)
    survey(block)


@given(st.lists(st.tuples(st.sampled_from([120, 128, 136, 144]), LINK), min_size=1, max_size=3))
def ends(changes: list[tuple[int, int]]) -> None:
    """The published ends overwritten: tail, newest, closed, and the head behind them."""
    block = bytearray(GOOD)
    for at, value in changes:
        struct.pack_into("<Q", block, at, value)
    survey(block)


def noise() -> None:
    """No ring at all; and a header that is right before an arena that is noise."""
    for seed in range(60):
        chance = random.Random(seed)
        survey(chance.randbytes(chance.randrange(20_000)))
        survey(bytes(GOOD[:8]) + chance.randbytes(5_000))
        survey(bytes(GOOD[:HEADER]) + chance.randbytes(SIZE - HEADER))
        survey(bytes(GOOD[: SIZE // 2]) + chance.randbytes(SIZE // 2))
        survey(bytes(GOOD[:HEADER]) + bytes([seed]) * (SIZE - HEADER))


WAYS: dict[str, Callable[[], object]] = {
    way.__name__: way for way in (whole, cut, header, version, noise)
}
TRIED = {"flips": flips, "links": links, "latches": latches, "ends": ends}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("way", choices=[*WAYS, *TRIED])
    parser.add_argument("--trials", type=int, default=1)
    given_ = parser.parse_args()
    if given_.way in WAYS:
        WAYS[given_.way]()
    else:
        settings(
            max_examples=given_.trials,
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=list(HealthCheck),
        )(TRIED[given_.way])()
    print(json.dumps(COUNTS))


if __name__ == "__main__":
    main()
