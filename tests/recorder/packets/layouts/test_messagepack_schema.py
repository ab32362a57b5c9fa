"""What a MessagePack value holds, as text."""

from typing import Any

import msgspec
import pytest

from playhead.recorder.packets.layouts.messagepack_schema import StructType, type_text


class Point(msgspec.Struct, array_like=True):
    x: int
    y: int = 2


class Tree(msgspec.Struct):
    name: str
    points: list[Point] = []
    children: "dict[str, Tree]" = {}
    size: tuple[int, int] | None = None


@pytest.mark.parametrize(
    ("type", "text"),
    [
        (Any, "any"), (bool, "bool"), (int, "int"), (float, "float"), (str, "str"),
        (bytes, "bytes"), (None, "none"), (list[str], "[str]"), (tuple[str, ...], "[str]"),
        (tuple[str, int], "(str, int)"), (dict[int, list[str]], "{int: [str]}"),
        (str | None, "str | none"),
    ],
)  # fmt: skip
def test_a_type_has_a_text(type, text):
    structs: dict[str, StructType] = {}
    assert type_text(type, structs) == text
    assert structs == {}


def test_structs_are_named_and_their_fields_listed():
    structs: dict[str, StructType] = {}
    assert type_text(list[Tree], structs) == "[Tree]"
    assert structs == {
        "Tree": StructType((
            ("name", "str"), ("points", "[Point]", []), ("children", "{str: Tree}", {}),
            ("size", "(int, int) | none", None),
        )),
        "Point": StructType((("x", "int"), ("y", "int", 2)), array=True),
    }  # fmt: skip


def test_what_there_is_no_text_for_is_refused():
    with pytest.raises(TypeError, match="no text for this type"):
        type_text(set[int], {})
