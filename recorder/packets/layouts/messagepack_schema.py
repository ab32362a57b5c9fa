"""The types of MessagePack values, as texts in a recording: `[Rejected]`, `{str: int}`.

They are worked out from the structs that are written, so that both always agree.
"""

from typing import Any

import msgspec
from msgspec import inspect

_WORDS: dict[type[inspect.Type], str] = {
    inspect.AnyType: "any", inspect.NoneType: "none", inspect.BoolType: "bool",
    inspect.IntType: "int", inspect.FloatType: "float", inspect.StrType: "str",
    inspect.BytesType: "bytes",
}  # fmt: skip


class StructType(msgspec.Struct, frozen=True, omit_defaults=True):
    """The fields of a struct: a map by their names, or an array in their order."""

    fields: tuple[tuple[Any, ...], ...]
    """(name, type), and the default of one that may be absent."""
    array: bool = False


def type_text(type: Any, structs: dict[str, StructType]) -> str:
    """A type as text; the structs that it names are put into `structs`.

    Raises:
        TypeError: there is no text for it.
    """
    return _text(inspect.type_info(type), structs)


def _text(info: inspect.Type, structs: dict[str, StructType]) -> str:
    match info:
        case inspect.StructType():
            name = info.cls.__name__
            if name not in structs:
                structs[name] = StructType(())  # a struct may hold others of its kind
                structs[name] = _struct(info, structs)
            return name
        case inspect.ListType() | inspect.VarTupleType():
            return f"[{_text(info.item_type, structs)}]"
        case inspect.TupleType():
            return f"({', '.join(_text(one, structs) for one in info.item_types)})"
        case inspect.DictType():
            return f"{{{_text(info.key_type, structs)}: {_text(info.value_type, structs)}}}"
        case inspect.UnionType():
            return " | ".join(_text(one, structs) for one in info.types)
    if info.__class__ not in _WORDS:
        raise TypeError(f"{info!r}: there is no text for this type")
    return _WORDS[info.__class__]


def _struct(info: inspect.StructType, structs: dict[str, StructType]) -> StructType:
    rows: list[tuple[Any, ...]] = []
    for field in info.fields:
        row = (field.encode_name, _text(field.type, structs))
        rows.append(row if field.required else (*row, _default(field)))
    return StructType(tuple(rows), info.array_like)


def _default(field: inspect.Field) -> Any:
    has_factory = field.default_factory is not msgspec.NODEFAULT
    default = field.default_factory() if has_factory else field.default
    return msgspec.msgpack.decode(msgspec.msgpack.encode(default))  # as it comes out of a file
