"""Layouts: declared once, sent along, and enough to read a payload by."""

import msgspec
import numpy as np
import pytest

from playhead.errors import DamagedError, HandlerError
from playhead.recorder.packets.layouts.layout import Field, Layout, check_formats, layout_from_dtype


def test_a_layout_reads_what_its_record_type_wrote():
    dtype = np.dtype([("hp", "<i4"), ("velocity", "<f8", 3), ("alive", "?"), ("name", "S4")])
    record = np.array([(7, (1.0, 2.0, 3.0), True, b"orc")], dtype)
    values = layout_from_dtype(dtype).decode(record.tobytes())
    assert (values["hp"], values["alive"], values["name"]) == (7, True, b"orc")
    assert values["velocity"].tolist() == [1.0, 2.0, 3.0]


def test_fields_lie_packed_however_the_game_aligns_them():
    aligned = np.dtype([("a", "u1"), ("b", "<f8")], align=True)
    assert aligned.itemsize == 16
    assert layout_from_dtype(aligned).dtype.itemsize == 9


def test_a_big_endian_record_is_declared_as_it_will_be_written():
    assert layout_from_dtype([("a", ">f4")]).fields == (("a", "<f4", ()),)


def test_it_is_the_same_after_being_sent():
    notes = {"a": Field("m", "position"), "b": Field(restored=False)}
    layout = layout_from_dtype(
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
        layout_from_dtype([("a", "<f8")]).decode(bytes(7))


def test_a_tail_that_is_no_message_is_damaged():
    with pytest.raises(DamagedError, match="1 recorded bytes"):
        Layout(tail="msgpack").decode(b"\xc1")


def test_a_text_of_no_characters_is_refused():
    with pytest.raises(HandlerError, match="broken"):
        Layout((("a", "<U1", ()),)).decode(b"\xff\xff\xff\xff")


@pytest.mark.parametrize("given", [[("a", "O")], [("a", [("b", "O")])]])
def test_python_objects_are_refused(given):
    with pytest.raises(HandlerError, match="objects"):
        layout_from_dtype(given)


def test_what_is_no_record_is_refused():
    with pytest.raises(HandlerError, match="named fields"):
        layout_from_dtype("<f8")


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


ABSURD = {
    "a dimension of length 0": {"fields": [("a", "<f4", (2**22, 0))]},
    "0 first": {"fields": [("a", "<f4", (0, 2**22))]},
    "a format without bytes": {"fields": [("a", "S0", (2**20,))]},
    "hidden in the format": {"fields": [("a", "(4194304,0)<f4", ())]},
    "beside something": {"fields": [("a", "(4194304,0)<f4,<f4", ())]},
    "fields without bytes": {"fields": [(f"f{n}", "<f4", (0,)) for n in range(1000)]},
    "too many fields": {"fields": [(f"f{n}", "<f4", ()) for n in range(5000)]},
    "too large": {"fields": [("a", "<f8", (2**14, 2**14))]},
    "too many dimensions": {"fields": [("a", "<f4", (1,) * 40)]},
    "a long name": {"fields": [("a" * 100_000, "<f4", ())]},
    "a long format": {"fields": [("a", "<f4," * 5000 + "<f4", ())]},
    "a tail of empty lists": {"tail": "S1,(4194304,0)<f4"},
    "a long name of the tail": {"tail": "<f4", "tail_name": "t" * 100_000},
    "a long unit": {"notes": {"a": {"unit": "m" * 100_000}}},
}


@pytest.mark.parametrize("what", ABSURD)
def test_a_layout_of_absurd_size_is_refused_from_wherever_it_comes(what):
    with pytest.raises(HandlerError, match=r"at most|can't read"):
        msgspec.convert(ABSURD[what], Layout)


def test_a_few_values_without_bytes_are_none_too_many():
    layout = Layout((("none", "<f4", (0, 3)), ("hp", "<i4", ())))
    assert layout.decode(bytes(4))["none"].shape == (0, 3)


def test_a_large_field_that_a_payload_really_has_is_read():
    layout = Layout((("heights", "<f4", (512, 512)),))
    assert layout.decode(bytes(2**20))["heights"].shape == (512, 512)


@pytest.mark.parametrize("note", ["m/s", object(), Field(object()), Field("m", 3)])
def test_a_note_that_is_no_field_of_texts_is_refused_by_its_name(note):
    with pytest.raises(HandlerError, match="layout note 'speed': .* is no Field of texts"):
        Layout((("speed", "<f4", ()),), notes={"speed": note})


def test_a_payload_that_is_longer_than_its_record_is_another_types():
    layout = layout_from_dtype([("hp", "<f4")])
    assert layout.decode(b"\0\0\xc8\x42")["hp"] == 100.0
    with pytest.raises(HandlerError, match="8 bytes is longer.*record of 4"):
        layout.decode(b"\0\0\0\0\0\0\x59\x40")  # 100.0 in double precision


@pytest.mark.parametrize(
    ("given", "spelled"),
    [
        ("?", "|b1"), ("bool", "|b1"), ("S32", "|S32"), ("=f4", "<f4"), ("f", "<f4"), ("i", "<i4"),
        ("u1", "|u1"), (">u1", "|u1"), ("U4", "<U4"), ("V8", "|V8"), ("<c8", "<c8"),
        ("M8[ns]", "<M8[ns]"), ("m8[25s]", "<m8[25s]"), ("datetime64", "<M8"),
    ],
)  # fmt: skip
def test_formats_of_the_same_bytes_are_spelled_alike(given, spelled):
    layout = Layout((("a", given, (2,)),))
    assert layout.fields == (("a", spelled, (2,)),)
    check_formats(layout)
    tail = Layout(tail=given)
    assert tail.tail == spelled
    check_formats(tail)
    assert layout == Layout((("a", spelled, (2,)),))
    assert layout_from_dtype([("a", given, (2,))]).fields == layout.fields


@pytest.mark.parametrize(
    ("given", "advice"),
    [
        (">f4", "big-endian numbers are not recorded: write them as <f4"),
        (">M8[s]", "write them as <M8"),
        ("<f16", "there are .b1, .i1"), ("<c32", "there are .b1, .i1"),
        ("(3,)f4", "give the shape apart"),
        ("f4,f4", "no fields of its own"),
    ],
)  # fmt: skip
def test_a_format_that_no_reader_knows_is_not_recorded_and_says_what_to_write_instead(
    given, advice, recorder
):
    for layout, what in (
        (Layout((("speed", given, ()),)), "field 'speed'"),
        (Layout(tail=given), "tail"),
    ):
        with pytest.raises(HandlerError, match=f"{what}: format .*{advice}"):
            check_formats(layout)
        with pytest.raises(HandlerError, match=f"type 'car'.*{what}: format .*{advice}"):
            recorder.declare("car", layout)


def test_formats_that_old_recordings_may_have_are_read():
    layout = Layout((("a", ">i2", ()), ("b", "(2,)f4", ()), ("c", "u1,u1", ())))
    values = layout.decode(b"\x01\x02" + np.array([1, 2], "<f4").tobytes() + b"\x05\x06")
    assert values["a"] == 0x102
    assert values["b"].tolist() == [1.0, 2.0]
    assert values["c"].tolist() == (5, 6)


def test_a_field_without_a_name_has_the_one_that_numpy_reads_it_by():
    layout = Layout((("", "<f4", ()), ("hp", "<i2", ()), ("", "|u1", (2,))))
    assert layout.fields == (("f0", "<f4", ()), ("hp", "<i2", ()), ("f2", "|u1", (2,)))
    assert list(layout.decode(bytes(8))) == ["f0", "hp", "f2"]
