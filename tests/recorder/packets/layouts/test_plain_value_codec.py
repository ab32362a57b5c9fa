"""What is recorded as plain values is sure to be read again."""

from dataclasses import dataclass
from enum import Enum

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.errors import DamagedError, RecordingError
from playhead.recorder.packets.layouts.plain_value_codec import decode, encode
from playhead.recorder.packets.log_lines import LogLine

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False)
    | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(0, 9), inner),
    max_leaves=12,
)  # fmt: skip


@given(PLAIN)
def test_plain_values_come_back_as_they_were(value):
    assert decode(encode(value), object) == value


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (np.float32(0.5), 0.5),
        (np.int64(-3), -3),
        (np.bool_(True), True),
        (np.array([[1.0, 2.0]]), [[1.0, 2.0]]),
        ({"speed": np.float64(2.5)}, {"speed": 2.5}),
        ((1, {2}), [1, [2]]),
    ],
)
def test_numbers_of_numpy_are_taken_for_what_they_mean(value, plain):
    assert decode(encode(value), object) == plain


def test_dataclasses_and_enums_are_plain_enough():
    class Mood(Enum):
        CALM = "calm"

    @dataclass
    class Pair:
        a: int
        mood: Mood

    assert decode(encode(Pair(1, Mood.CALM)), object) == {"a": 1, "mood": "calm"}


@pytest.mark.parametrize(
    ("value", "type"),
    [
        (object(), object),
        (lambda: 0, object),
        (2**64, object),
        ("\ud800", object),
        (1j, object),
        (np.array([object()]), object),
        (np.longdouble(1), object),
        (5, str),
        (LogLine("a", level=3), LogLine),
        (LogLine(5), LogLine),
    ],
)
def test_what_would_not_be_read_again_is_refused_when_it_is_reported(value, type):
    with pytest.raises(RecordingError, match="can't be recorded"):
        encode(value, type)


def test_what_is_nested_without_end_is_refused():
    endless = []
    endless.append(endless)
    with pytest.raises(RecordingError, match="can't be recorded"):
        encode(endless)


@pytest.mark.parametrize(
    ("payload", "type"),
    [
        (b"", object),
        (b"\xc1", object),
        (b"\x91" * 100_000, object),
        (b"\xa1\xff", str),
        (b"\x01\x02", object),
        (b"\xdd\xff\xff\xff\xff", object),
        (msgspec.msgpack.encode(5), str),
        (msgspec.msgpack.encode({"level": "info"}), LogLine),
    ],
)
def test_bytes_that_hold_no_such_value_are_damaged(payload, type):
    with pytest.raises(DamagedError, match="recorded bytes are no"):
        decode(payload, type)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_value_or_damaged(payload):
    for type in (object, str, LogLine):
        try:
            decode(payload, type)
        except DamagedError:
            continue
