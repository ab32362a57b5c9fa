"""The fields of an object as a packed record: what each needs in bytes, written and put back.

The record is worked out from an example: a dataclass, any object with plain attributes, or a
numpy record. Numbers keep their full precision, so that what is put back equals what was there.
"""

import dataclasses
import enum
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from operator import attrgetter, itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import HandlerError
from ..recorder.layout import Field, Layout, layout_of

TEXT_BYTES = 32
"""Bytes kept for a text field, in UTF-8, unless told otherwise."""

ROLES: Mapping[str, Field] = {
    "position": Field("m", "position"),
    "angles": Field("rad", "angles"),
    "velocity": Field("m/s", "velocity"),
    "visible": Field(role="visible"),
    "state": Field(role="state"),
    "hp": Field(role="health"),
    "health": Field(role="health"),
    "fov": Field("rad", "fov"),
}
"""What fields of these names mean, unless a handler says otherwise."""

_CODES = {"?": "?", "b": "b", "B": "B", "h": "h", "H": "H", "i": "i", "I": "I", "l": "q"}
_CODES |= {"L": "Q", "q": "q", "Q": "Q", "f": "f", "d": "d"}


class FieldSet:
    """Some fields of one kind of object, in an order, each of fixed size.

    Args:
        example: An object like those to come; sizes of arrays are taken from it.
        names: The fields, by default all of a dataclass or numpy record.
        text: Bytes kept for a text.

    Raises:
        HandlerError: a field can't be kept in a fixed number of bytes.
    """

    def __init__(
        self, example: Any, names: Sequence[str] | None = None, *, text: int = TEXT_BYTES
    ) -> None:
        self.is_record = isinstance(example, np.void)
        self.names = tuple(field_names(example) if names is None else names)
        formats = [(name, *_format(_get(example, name), name, text)) for name in self.names]
        self.dtype = np.dtype([(name, fmt, shape) for name, fmt, shape in formats])
        self._getters: list[tuple[str, Callable[[Any], Any], str, int]] = []
        codes = []
        for name, fmt, shape in formats:
            base, count = np.dtype(fmt), int(np.prod(shape))
            getter = itemgetter(name) if self.is_record else attrgetter(name)
            if base.kind == "S":
                codes.append(f"{base.itemsize}s")
                kind = "text"
            else:
                codes.append(f"{count}{_CODES[base.char]}")
                kind = "array" if isinstance(_get(example, name), np.ndarray) else "vector"
                kind = kind if shape else "number"
            self._getters.append((name, getter, kind, count))
        self._struct = struct.Struct("<" + "".join(codes))
        self._types = {name: type(_get(example, name)) for name in self.names}

    def layout(self, notes: Mapping[str, Field] | None = None, **rest: Any) -> Layout:
        """The layout of a payload that begins with these fields."""
        known = {name: ROLES[name] for name in self.names if name in ROLES}
        return layout_of(self.dtype, notes={**known, **(notes or {})}, **rest)

    @property
    def size(self) -> int:
        """Bytes of the record."""
        return self._struct.size

    def write(self, obj: Any, buffer: Any, at: int = 0) -> None:
        """Pack the fields of `obj` into a buffer, from byte `at` on.

        Raises:
            HandlerError: a text is too long, or a vector has another length than the example's.
        """
        values: list[Any] = []
        for name, getter, kind, count in self._getters:
            value = getter(obj)
            if kind == "number":
                values.append(value)
            elif kind == "text":
                values.append(_encoded(value, self.dtype[name].itemsize, name))
            else:
                flat = value.ravel().tolist() if kind == "array" else value
                if len(flat) != count:
                    raise HandlerError(f"field {name!r} has {len(flat)} numbers, not {count}")
                values.extend(flat)
        self._struct.pack_into(buffer, at, *values)

    def columns(self, objs: Sequence[Any]) -> npt.NDArray[Any]:
        """The fields of many objects, as one numpy record each."""
        n = len(objs)
        if self.is_record:
            return np.array(objs, self.dtype)
        table = np.empty(n, self.dtype)
        for name, getter, kind, count in self._getters:
            column = self.dtype[name]
            if kind == "text":
                size = column.itemsize
                table[name] = [_encoded(getter(obj), size, name) for obj in objs]
            elif kind == "number":
                table[name] = np.fromiter(map(getter, objs), column, n)
            elif kind == "vector":
                flat: Iterable[Any] = chain.from_iterable(map(getter, objs))
                numbers = np.fromiter(flat, column.base)
                if len(numbers) != n * count:
                    raise HandlerError(f"field {name!r} has not {count} numbers in each object")
                table[name] = numbers.reshape(n, *column.shape)
            else:
                table[name] = [getter(obj) for obj in objs]
        return table

    def put(self, obj: Any, payload: bytes) -> None:
        """Put recorded fields back into an object, in the types that it had.

        Raises:
            HandlerError: the payload is too short.
        """
        if len(payload) < self.size:
            raise HandlerError(f"payload of {len(payload)} bytes, the fields need {self.size}")
        record = np.frombuffer(payload, self.dtype, count=1)[0]
        for name, value in self.values(record).items():
            if self.is_record:
                obj[name] = value
            else:
                setattr(obj, name, value)

    def values(self, record: Any) -> dict[str, Any]:
        """A record's fields in the types of the example."""
        read: dict[str, Any] = {}
        for name, _, kind, _ in self._getters:
            value, wanted = record[name], self._types[name]
            if kind == "text":
                text = bytes(value).decode("utf-8", errors="replace")
                read[name] = wanted[text] if issubclass(wanted, enum.Enum) else text
            elif kind == "array":
                read[name] = np.array(value)
            elif kind == "vector":
                read[name] = wanted(value.tolist())
            else:
                read[name] = wanted(value) if issubclass(wanted, np.generic) else value.item()
        return read


def field_names(example: Any) -> Sequence[str]:
    """The names of all fields of a dataclass, a msgspec struct or a numpy record."""
    if isinstance(example, np.void):
        return example.dtype.names or ()
    if dataclasses.is_dataclass(example):
        return [field.name for field in dataclasses.fields(example)]
    if hasattr(example, "__struct_fields__"):
        return tuple(example.__struct_fields__)
    raise HandlerError(
        f"{type(example).__name__} is no dataclass and no numpy record: name its fields"
    )


def _get(example: Any, name: str) -> Any:
    try:
        return example[name] if isinstance(example, np.void) else getattr(example, name)
    except (AttributeError, ValueError):
        raise HandlerError(f"{type(example).__name__} has no field {name!r}") from None


def _format(value: Any, name: str, text: int) -> tuple[str, tuple[int, ...]]:
    if isinstance(value, str) or (
        isinstance(value, enum.Enum) and not isinstance(value, int | float)
    ):
        return f"|S{text}", ()
    if isinstance(value, np.bytes_):
        return f"|S{value.dtype.itemsize}", ()
    if isinstance(value, bool):
        return "|b1", ()
    if isinstance(value, int):
        return "<i8", ()
    if isinstance(value, float):
        return "<f8", ()
    if isinstance(value, np.generic | np.ndarray) and value.dtype.char in _CODES:
        return value.dtype.newbyteorder("<").str, np.shape(value)
    if isinstance(value, tuple | list) and value and all(_is_number(item) for item in value):
        return "<f8", (len(value),)
    raise HandlerError(
        f"field {name!r} holds {value!r}: only numbers, texts, vectors and numeric arrays of fixed"
        " shape can be kept in a record; leave it out with names=, or write a handler"
    )


def _is_number(item: Any) -> bool:
    return isinstance(item, int | float) and not isinstance(item, bool)


def _encoded(value: Any, size: int, name: str) -> bytes:
    if isinstance(value, enum.Enum):
        value = value.name
    data = bytes(value) if isinstance(value, bytes) else str(value).encode()
    if len(data) > size:
        raise HandlerError(
            f"field {name!r}: {value!r} takes {len(data)} bytes, {size} are kept:"
            f" make the field set with text={len(data)} or more"
        )
    return data
