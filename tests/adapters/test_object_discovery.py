"""What can be recorded, and what is refused by name."""

import math
from collections import deque
from functools import partial
from types import SimpleNamespace
from weakref import WeakSet

import numpy as np
import pytest

from playhead.adapters.object_discovery import FlatReader, ObjectSource, RefusedObject, listed_in
from playhead.errors import RecordingError


class Thing:
    pass


one, two = Thing(), Thing()


def objects_of(thing):
    return [listed.object for listed in listed_in(thing)]


@pytest.mark.parametrize(
    ("thing", "expected"),
    [
        ([one, two], [one, two]),
        ((one, two), [one, two]),
        ({one}, [one]),
        (frozenset({one}), [one]),
        (deque([one, two]), [one, two]),
        (WeakSet([one]), [one]),
        ({"a": one, "b": two}, [one, two]),
        ({"a": one, "b": two}.values(), [one, two]),
        (one, [one]),
        ([], []),
        ({}, []),
        ([one, None, two], [one, two]),
        ([one, [two]], [one, two]),
        ({"all": [one, two], "none": None}, [one, two]),
        (SimpleNamespace(x=1), [SimpleNamespace(x=1)]),
        ([{"x": 1}], [{"x": 1}]),
        ({"x": 1, "label": "a"}, [{"x": 1, "label": "a"}]),
        ({"guard": {"x": 1}}, [{"x": 1}]),
    ],
)
def test_objects_are_found_in_all_usual_containers(thing, expected):
    assert objects_of(thing) == expected
    flat = FlatReader().read(thing)
    assert flat is not None
    assert flat.objects == expected, "the quick way finds the same"
    assert list(ObjectSource(thing).objects() if callable(thing) else objects_of(thing)) == expected


def test_a_dict_gives_names_and_a_list_within_it_none():
    found = {listed.name: listed.object for listed in listed_in({"boss": one, "others": [two]})}
    assert found == {"boss": one, "": two}


@pytest.mark.parametrize("ask", [lambda: [one], partial(list, [one]), {"a": one}.values])
def test_a_function_is_asked_each_time(ask):
    assert list(ObjectSource(ask).objects()) == [one]


def test_a_function_that_returns_nothing_gives_nobody():
    assert list(ObjectSource(lambda: None).objects()) == []


@pytest.mark.parametrize(
    ("thing", "message"),
    [
        (None, "None"),
        (7, "an int, which is a value"),
        (1.5, "a float, which is a value"),
        ("guard", "a str, which is a value"),
        (True, "a bool"),
        (math, "a module"),
        (Thing, "a class: give objects of it"),
        (np.zeros((3, 2)), "an array"),
        ((item for item in [one]), "used up after one frame"),
        (iter([one]), "used up after one frame"),
        ([one, 7], r"7 \(at \[1\]\)"),
        ({"boss": one, "level": Thing}, r"\['level'\]"),
        ([[[[one]]]], "too deep"),
        ([lambda: one], "function within a container"),
        ({"score": 3, "player": one}, "both plain values and objects, such as 'player'"),
    ],
)
def test_what_is_none_is_refused_with_its_value_and_what_is_accepted(thing, message):
    with pytest.raises(RecordingError, match=message) as raised:
        ObjectSource(thing)
    assert "give " in str(raised.value)


def test_one_that_is_none_costs_itself_alone():
    found = objects_of([one, 7, two])
    assert found[0] is one
    assert isinstance(found[1], RefusedObject)
    assert found[2] is two
    assert FlatReader().read([one, 7, two]) is None
