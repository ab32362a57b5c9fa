"""Any plain field: one object and many are packed alike, and what is put back is what was."""

import enum
import math
from dataclasses import make_dataclass
from types import SimpleNamespace
from typing import NamedTuple

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.errors import HandlerError
from playhead.handlers.packed_fields import FieldSet


class Mood(enum.Enum):
    CALM = 1
    ANGRY = (2, "x")


class Rank(enum.IntEnum):
    PRIVATE = 3
    MAJOR = 7


class Side(enum.StrEnum):
    RED = "r"
    BLUE = "b"


class Can(enum.Flag):
    WALK = 1
    SWIM = 2
    FLY = 4


class Held(enum.IntFlag):
    A = 1
    B = 2


class Point(NamedTuple):
    x: float
    y: float


def single(fields, obj):
    buffer = bytearray(fields.size + 6)
    fields.write(obj, buffer, 3)
    assert buffer[:3] == buffer[-3:] == b"\0\0\0", "nothing but the record is written"
    return bytes(buffer[3:-3])


def put_back(fields, obj, blank):
    """`blank` after what is recorded of `obj` was put into it; one and many agree on the way."""
    payload = single(fields, obj)
    assert fields.columns([obj, obj])[0].tobytes() == 2 * payload
    fields.restore(blank, payload)
    return blank


def same(a, b):
    """Equal in value and type; a number that is none is itself, and 0.0 is not −0.0."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, float | np.floating):
        both = math.isnan(a) and math.isnan(b)
        return both or (a == b and math.copysign(1, a) == math.copysign(1, b))
    if isinstance(a, tuple | list):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b


WHOLE = st.integers(-(2**63), 2**63 - 1)
TEXT = st.text(max_size=8).filter(lambda text: not text.endswith("\0"))
VALUES = {
    "whole": WHOLE,
    "number": st.floats(),
    "switch": st.booleans(),
    "text": TEXT,
    "bytes": st.binary(max_size=32).filter(lambda data: not data.endswith(b"\0")),
    "mood": st.sampled_from(Mood),
    "rank": st.sampled_from(Rank),
    "side": st.sampled_from(Side),
    "can": st.sampled_from([Can(0), Can.WALK, Can.SWIM | Can.FLY, ~Can(0)]),
    "held": st.sampled_from([Held(0), Held.A, Held.A | Held.B]),
    "vector": st.tuples(*[st.floats()] * 3),
    "list": st.lists(st.floats(), min_size=2, max_size=2),
    "point": st.builds(Point, st.floats(), st.floats()),
    "float32": st.floats(width=32).map(np.float32),
    "float16": st.floats(width=16).map(np.float16),
    "uint8": st.integers(0, 255).map(np.uint8),
    "int64": WHOLE.map(np.int64),
    "bool_": st.booleans().map(np.bool_),
    "array": st.binary(min_size=48, max_size=48).map(lambda b: np.frombuffer(b).reshape(2, 3)),
    "small": st.binary(min_size=3, max_size=3).map(lambda b: np.frombuffer(b, "u1")),
    "zero": st.floats().map(np.array),
}
OBJECTS = st.lists(st.sampled_from(sorted(VALUES)), min_size=1, max_size=6).flatmap(
    lambda kinds: st.tuples(
        *[
            st.fixed_dictionaries({f"f{i}": VALUES[kind] for i, kind in enumerate(kinds)})
            for _ in range(3)
        ]
    )
)


@given(OBJECTS)
def test_whatever_a_dataclass_holds_is_put_back_as_it_was(objects):
    kind = make_dataclass("Thing", list(objects[0]))
    example, obj, blank = (kind(**values) for values in objects)
    put_back(FieldSet(example), obj, blank)
    for name, value in objects[1].items():
        assert same(getattr(blank, name), value), name


@given(OBJECTS)
def test_many_objects_are_packed_as_each_of_them_alone(objects):
    many = [SimpleNamespace(**values) for values in objects]
    fields = FieldSet(many[0], list(objects[0]))
    assert fields.columns(many)[0].tobytes() == b"".join(single(fields, obj) for obj in many)


def test_no_objects_make_an_empty_table():
    fields = FieldSet(SimpleNamespace(a=1, v=(1.0, 2.0)), ["a", "v"])
    assert fields.columns([])[0].shape == (0,)


def test_the_order_is_that_of_the_names_and_nothing_lies_between():
    fields = FieldSet(SimpleNamespace(a=True, b=2.5, c=np.uint8(7)), ["c", "b", "a"])
    assert fields.dtype.names == ("c", "b", "a")
    assert fields.size == fields.dtype.itemsize == 10
    values = fields.layout().decode(single(fields, SimpleNamespace(a=True, b=2.5, c=np.uint8(7))))
    assert values == {"c": 7, "b": 2.5, "a": True}


def test_a_struct_of_msgspec_names_its_own_fields():
    class Orc(msgspec.Struct):
        hp: int = 5
        name: str = "Gork"

    fields = FieldSet(Orc())
    blank = put_back(fields, Orc(7, "Mork"), Orc())
    assert blank == Orc(7, "Mork")


# Each of these must fail for one object and for many, and say which field it was.


@pytest.mark.parametrize(
    ("example", "wrong"),
    [
        (5, 2.5),
        (5, "5"),
        (5, None),
        (5, 2**63),
        (2.5, "2.5"),
        (2.5, None),
        (np.uint8(5), 256),
        (np.float32(1.0), 1e300),
        ((1.0, 2.0, 3.0), (1.0, 2.0)),
        ((1.0, 2.0, 3.0), (1.0, 2.0, 3.0, 4.0)),
        ((1.0, 2.0, 3.0), (1.0, 2.0, "3")),
        ((1.0, 2.0, 3.0), 5.0),
        ((1.0, 2.0, 3.0), ()),
        (np.zeros((2, 3)), np.zeros((3, 2))),
        (np.zeros(3), np.zeros(1)),
        (np.zeros(3), 0.0),
        (np.zeros(3, "f4"), np.zeros(3, "f8")),
        (np.zeros(3, "i4"), np.zeros(3)),
        (Can.WALK, None),
    ],
)
def test_what_does_not_fit_is_refused_alone_and_among_many_and_the_field_is_named(example, wrong):
    good = SimpleNamespace(other=1, field=example)
    bad = SimpleNamespace(other=1, field=wrong)
    fields = FieldSet(good, ["other", "field"])
    with pytest.raises(HandlerError, match="'field'"):
        single(fields, bad)
    for many in ([good, bad, good], [bad, bad]):
        with pytest.raises(HandlerError, match="'field'"):
            fields.columns(many)


def test_vectors_of_wrong_lengths_that_make_up_for_one_another_are_refused():
    fields = FieldSet(SimpleNamespace(v=(1.0, 2.0, 3.0)), ["v"])
    with pytest.raises(HandlerError, match="'v'"):
        fields.columns([SimpleNamespace(v=(1.0, 2.0)), SimpleNamespace(v=(3.0, 4.0, 5.0, 6.0))])


def test_an_object_without_the_field_is_refused_and_the_field_is_named():
    fields = FieldSet(SimpleNamespace(hp=1), ["hp"])
    for ask in (lambda: single(fields, object()), lambda: fields.columns([object()])):
        with pytest.raises(HandlerError, match="hp"):
            ask()


@pytest.mark.parametrize(
    "value", [None, {}, {1}, (), [], ["a"], (1, "a"), (True, False), 1j, object(),
              np.array(["a"]), np.datetime64(1, "s"), np.zeros(1, [("a", "f4")])[0]],
)  # fmt: skip
def test_what_has_no_fixed_size_is_refused_before_anything_is_recorded(value):
    with pytest.raises(HandlerError, match="'odd' holds"):
        FieldSet(SimpleNamespace(odd=value), ["odd"])


def test_a_payload_too_short_or_of_another_version_is_refused():
    fields = FieldSet(SimpleNamespace(mood=Mood.CALM), ["mood"], text=8)
    blank = SimpleNamespace(mood=Mood.CALM)
    with pytest.raises(HandlerError, match="7 bytes, the fields need 8"):
        fields.restore(blank, bytes(7))
    with pytest.raises(HandlerError, match="BORED.*another version"):
        fields.restore(blank, b"BORED\0\0\0")
    assert blank.mood is Mood.CALM


# Numpy records: an object is one element of a structured array, often a view of it.

RECORD = np.dtype(
    [
        ("position", ">f8", 3),
        ("hp", "<i4"),
        ("tag", "S6"),
        ("word", "U4"),
        ("bits", "?", (2, 2)),
    ],
    align=True,
)


def table(n=3):
    made = np.zeros(n, RECORD)
    made["position"] = np.arange(3 * n).reshape(n, 3)
    made["hp"] = range(n)
    made["tag"] = [b"", b"a", b"\xff\xfe"][:n]
    made["word"] = ["", "Ü", "text"][:n]
    made["bits"][:, 0, 1] = True
    return made


@pytest.mark.parametrize("names", [None, ["hp"], ["word", "tag"], ["bits", "position"]])
def test_records_are_put_back_into_their_own_table(names):
    here, there = table(), np.zeros(3, RECORD)
    fields = FieldSet(here[0], names)
    packed = fields.columns(list(here))[0]
    assert packed.tobytes() == b"".join(single(fields, record) for record in here)
    for record, blank in zip(here, there, strict=True):
        fields.restore(blank, single(fields, record))
    for name in names or RECORD.names:
        assert np.array_equal(there[name], here[name]), name


def test_a_text_of_a_record_keeps_the_room_that_its_table_has():
    fields = FieldSet(table()[1], ["tag"])
    assert fields.size == 6, "not as long as the text that happens to be there"
