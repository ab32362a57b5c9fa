"""The comparison of two objects finds every difference in what they hold, and names its place."""

import copy
import random
from collections import deque
from dataclasses import dataclass, field
from enum import Enum

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.errors import HandlerError
from playhead.handlers.compare_game_objects import difference


class Mood(Enum):
    CALM = 1
    ANGRY = 2


@dataclass
class Orc:
    hp: float = 7.5
    bag: dict[str, object] = field(default_factory=lambda: {"gold": [1, 2, (3, 4)]})
    mood: Mood = Mood.CALM


class Slotted:
    __slots__ = ("__hidden", "shown")

    def __init__(self, hidden, shown):
        self.__hidden, self.shown = hidden, shown


class SlottedChild(Slotted):
    __slots__ = ("more",)


class Struct(msgspec.Struct):
    hp: float
    names: list[str]


class Bag(list):  # type: ignore[type-arg]
    pass


def bag(items, color):
    made = Bag(items)
    made.color = color
    return made


def child(more):
    made = SlottedChild(1, 2)
    made.more = more
    return made


def looped(value):
    made = Orc(value)
    made.bag["me"] = made
    return made


RECORD = np.zeros(2, [("hp", "<f4"), ("at", "<f8", 3)])


@pytest.mark.parametrize(
    ("one", "other", "place"),
    [
        (Orc(7.5), Orc(7.25), "hp was 7.5 and is 7.25"),
        (Orc(), Orc(bag={"gold": [1, 2, (3, 5)]}), r"bag\['gold'\]\[2\]\[1\] was 4 and is 5"),
        (Orc(), Orc(bag={}), "bag .its keys"),
        (Orc(), Orc(mood=Mood.ANGRY), "mood was"),
        (Slotted(1, 2), Slotted(3, 2), "__hidden was 1 and is 3"),
        (child(1), child([1]), "more was 1"),
        (child(1), SlottedChild(1, 2), "attributes"),
        (Struct(1.0, ["a"]), Struct(1.0, ["b"]), r"names\[0\]"),
        (bag([1], "red"), bag([1], "blue"), "color"),
        (bag([1], "red"), bag([2], "red"), r"\[0\] was 1"),
        (looped(1.0), looped(2.0), "hp was 1.0"),
        (np.zeros(3), np.array([0, 0, 1e-300]), r"\[2\] was"),
        (np.zeros(3), np.zeros(3, "f4"), "array float64"),
        (np.zeros(3), np.zeros((3, 1)), "shape"),
        (np.array(1.0), np.array(2.0), "the object was"),
        (np.array([Orc(1.0)], object), np.array([Orc(2.0)], object), r"\[0\].hp"),
        (RECORD[0], np.ones(1, RECORD.dtype)[0], r"\['hp'\]"),
        ({1, 2}, {1, 3}, "was"),
        (deque([1]), deque([2]), r"\[0\]"),
        (random.Random(1), random.Random(2), "was"),
        (np.random.default_rng(1), np.random.default_rng(2), "was"),
        (1, True, "was"),
        ([1], (1,), "was"),
        (None, 0, "was"),
        ("a", b"a", "was"),
    ],
)  # fmt: skip
def test_each_difference_is_found_and_its_place_is_named(one, other, place):
    assert difference(one, copy.deepcopy(one)) is None
    found = difference(one, other)
    assert found is not None
    with pytest.raises(AssertionError, match=place):
        raise AssertionError(found)


def test_nan_agrees_with_nan_and_whole_numbers_with_their_floats():
    assert difference([float("nan"), 3, np.float32(2)], [float("nan"), 3.0, 2]) is None
    assert difference(np.array([np.nan, 1]), np.array([np.nan, 1])) is None
    assert difference(np.array([np.nan]), np.array([0.0])) is not None


def test_what_can_not_be_compared_is_named_with_what_to_do():
    class Closed:
        __slots__ = ()

        def __reduce_ex__(self, protocol):
            raise TypeError("no")

    with pytest.raises(HandlerError, match=r"\[0\] is a Closed.*equal=.*state="):
        difference([Closed()], [Closed()])


def test_objects_nested_without_end_are_reported():
    def deep():
        made = []
        for _ in range(100_000):
            made = [made]
        return made

    with pytest.raises(HandlerError, match="nested too deeply"):
        difference(deep(), deep())


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=8,
)


@given(PLAIN, PLAIN)
def test_copies_agree_and_what_is_unequal_differs(one, other):
    assert difference(one, copy.deepcopy(one)) is None
    if difference(one, other) is None:
        assert repr(one).replace(".0", "").replace("-0", "0") == repr(other).replace(
            ".0", ""
        ).replace("-0", "0")
