"""Plain values: copied as both ends can say them, or refused with the place and the reason."""

import datetime
import json
import math
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.bus.messages.plain_values import (
    MOST_BODY,
    MOST_LETTERS,
    checked_name,
    packed_body,
    plain,
)
from playhead.errors import CapacityError, PlayheadError, RecordingError

plain_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=20,
)


def same(one: Any, other: Any) -> bool:
    """Equal and of equal types; what is no number equals itself here."""
    if isinstance(one, float) and math.isnan(one):
        return isinstance(other, float) and math.isnan(other)
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and one == other


@given(plain_values)
def test_what_is_plain_comes_back_as_it_was(value):
    try:
        assert same(plain(value, "x"), value)
    except RecordingError as error:  # half a character of two is no text
        assert "surrogates" in str(error)


def test_a_copy_is_nobody_elses():
    value = {"a": [1, {"b": 2}]}
    copy = plain(value, "x")
    value["a"][1]["b"] = 3
    assert copy == {"a": [1, {"b": 2}]}


class Seen(msgspec.Struct):
    id: int
    at: tuple[float, float]


@pytest.mark.parametrize(
    ("value", "copy"),
    [
        ((1, (2, 3)), [1, [2, 3]]),
        ({1: "a"}, {"1": "a"}),
        ({"at": np.array([1.5, 2.5])}, {"at": [1.5, 2.5]}),
        ([np.float32(0.5), np.int64(7), np.bool_(True)], [0.5, 7, True]),
        (Seen(3, (1.0, 2.0)), {"id": 3, "at": [1.0, 2.0]}),
    ],
)
def test_what_is_nearly_plain_is_made_so(value, copy):
    assert plain(value, "x") == copy
    assert json.loads(json.dumps(plain(value, "x"))) == copy


ring: list[Any] = []
ring.append(ring)


@pytest.mark.parametrize(
    "value",
    [
        object(), {"a": object()}, {(1, 2): 3}, {None: 1}, 1j, 2**64, ring, "\udc80",
        np.array([object()], object), lambda: None,
    ],
    ids=(
        "an object", "an object in it", "a key of two", "a key of none", "complex", "too large",
        "no end", "half a character", "objects in numpy", "a function",
    ),
)  # fmt: skip
def test_what_is_not_plain_is_refused_with_the_place(value):
    with pytest.raises(RecordingError, match=r"^over there: this is not plain \("):
        plain(value, "over there")


def test_times_of_day_are_text():
    assert plain(datetime.date(2017, 5, 1), "x") == "2017-05-01"


def test_what_is_published_has_a_bound_that_the_error_names():
    most = MOST_BODY - 5  # what MessagePack puts in front of a long text
    assert len(packed_body("a", "x" * most)) == MOST_BODY
    with pytest.raises(CapacityError, match=rf"publish 'a': {MOST_BODY + 1} bytes; {MOST_BODY} is"):
        packed_body("a", "x" * (most + 1))


@pytest.mark.parametrize("name", ["", "x" * (MOST_LETTERS + 1), "a\n", "a\0b", 3, None, b"a"])
def test_a_name_that_is_none_is_refused(name):
    with pytest.raises(RecordingError, match="^here: a name is text of 1 to 64 characters"):
        checked_name(name, "here")


@given(st.text(max_size=80))
def test_any_name_is_taken_as_it_is_or_refused(name):
    try:
        assert checked_name(name, "x") == name
    except PlayheadError:
        assert not name or len(name) > MOST_LETTERS or not name.isprintable()
