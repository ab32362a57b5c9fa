"""Layouts: declared once, sent along, and enough to read a payload by."""

import msgspec
import numpy as np
import pytest

from playhead.errors import DamagedError, HandlerError
from playhead.recorder.layout import Field, Layout, layout_of


def test_a_layout_reads_what_its_record_type_wrote():
    dtype = np.dtype([("hp", "<i4"), ("velocity", "<f8", 3), ("alive", "?"), ("name", "S4")])
    record = np.array([(7, (1.0, 2.0, 3.0), True, b"orc")], dtype)
    values = layout_of(dtype).decode(record.tobytes())
    assert (values["hp"], values["alive"], values["name"]) == (7, True, b"orc")
    assert values["velocity"].tolist() == [1.0, 2.0, 3.0]


def test_fields_lie_packed_however_the_game_aligns_them():
    aligned = np.dtype([("a", "u1"), ("b", "<f8")], align=True)
    assert aligned.itemsize == 16
    assert layout_of(aligned).dtype.itemsize == 9


def test_a_big_endian_record_is_declared_as_it_will_be_written():
    assert layout_of([("a", ">f4")]).fields == (("a", "<f4", ()),)


def test_it_is_the_same_after_being_sent():
    notes = {"a": Field("m", "position"), "b": Field(restored=False)}
    layout = layout_of(
        [("a", "<f4", 3), ("b", "<i2", (2, 2))],
        tail="<f4", tail_shape=(3, 4), tail_name="joints", space="view", notes=notes,
    )  # fmt: skip
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(layout), type=Layout) == layout


@pytest.mark.parametrize(
    ("tail", "written", "read"),
    [
        ("utf8", "Höhe".encode(), "Höhe"),
        ("utf8", b"\xff", "\N{REPLACEMENT CHARACTER}"),
        ("msgpack", msgspec.msgpack.encode({"a": [1, None]}), {"a": [1, None]}),
    ],
)
def test_a_tail_may_be_text_or_plain_values(tail, written, read):
    layout = Layout((("n", "<u2", ()),), tail=tail)
    assert layout.decode(b"\x05\x00" + written) == {"n": 5, "tail": read}


def test_a_numeric_tail_has_as_many_elements_as_there_are_bytes():
    layout = Layout(tail="<f4", tail_shape=(3, 4), tail_name="joints")
    for n in (0, 1, 5):
        assert layout.decode(bytes(48 * n))["joints"].shape == (n, 3, 4)
    with pytest.raises(HandlerError, match="49 bytes is not a whole number of elements of 48"):
        layout.decode(bytes(49))


def test_a_payload_that_is_too_short_is_refused_and_says_how_long_it_should_be():
    with pytest.raises(HandlerError, match="7 bytes is shorter than its layout's record of 8"):
        layout_of([("a", "<f8")]).decode(bytes(7))


def test_a_tail_that_is_no_message_is_damaged():
    with pytest.raises(DamagedError, match="1 recorded bytes"):
        Layout(tail="msgpack").decode(b"\xc1")


def test_a_text_of_no_characters_is_refused():
    with pytest.raises(HandlerError, match="broken"):
        Layout((("a", "<U1", ()),)).decode(b"\xff\xff\xff\xff")


@pytest.mark.parametrize("given", [[("a", "O")], [("a", [("b", "O")])]])
def test_python_objects_are_refused(given):
    with pytest.raises(HandlerError, match="objects"):
        layout_of(given)


def test_what_is_no_record_is_refused():
    with pytest.raises(HandlerError, match="named fields"):
        layout_of("<f8")


@pytest.mark.parametrize(
    "hostile",
    [
        {"fields": (("a", "nonsense", ()),)},
        {"fields": (("a", "|O", ()),)},
        {"fields": (("a", "<f4", (-1,)),)},
        {"fields": (("a", "<f4", (2**40, 2**40)),)},
        {"fields": (("a", "<f4", ()), ("a", "<f4", ()))},
        {"tail": "nonsense"},
        {"tail": "|O"},
        {"tail": "|V0"},
        {"tail": "<f4", "tail_shape": (0,)},
        {"tail": "<f4", "tail_shape": (-1,)},
    ],
)
def test_a_layout_that_reads_nothing_is_refused_when_it_is_made_and_when_it_comes(hostile):
    with pytest.raises(HandlerError):
        Layout(**hostile)
    with pytest.raises(HandlerError):
        msgspec.msgpack.decode(msgspec.msgpack.encode(hostile), type=Layout)
