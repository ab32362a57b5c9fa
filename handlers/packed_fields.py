"""The fields of an object as a packed record: what each needs in bytes, written and put back.

The record is worked out from an example: a dataclass, any object with plain attributes, or a
numpy record. Numbers keep their full precision, so that what is put back equals what was there.
"""

import dataclasses
import struct
from collections.abc import Mapping, Sequence
from operator import attrgetter, itemgetter
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from ..errors import HandlerError
from ..recorder.packets.layouts.layout import Field, Layout, layout_from_dtype
from .field_column import REFUSED, Cut, RecordColumn, column_of

TEXT_BYTES = 32
"""Bytes kept for a text field, in UTF-8, by default. Longer texts are cut, and their
packets flagged."""

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
"""The roles of fields with these names, unless a handler gives others."""


class FieldSet:
    """Some fields of one kind of object, in an order, each of fixed size.

    Args:
        example: An object like those to come; sizes of arrays are taken from it. Numbers keep
            their full precision; those in tuples and lists are kept as 64-bit floats.
        names: The fields, by default all of a dataclass or numpy record.
        text: Bytes kept for a text or a blob.

    Raises:
        HandlerError: a field can't be kept in a fixed number of bytes.
    """

    def __init__(
        self, example: Any, names: Sequence[str] | None = None, *, text: int = TEXT_BYTES
    ) -> None:
        self.is_record = isinstance(example, np.void)
        self.names = tuple(field_names(example) if names is None else names)
        declared = example.dtype.fields if self.is_record else {}
        getter = itemgetter if self.is_record else attrgetter
        self._columns: list[RecordColumn] = [
            column_of(
                name, getter(name), _get(example, name), text,
                declared[name][0] if self.is_record else None,
            )
            for name in self.names
        ]  # fmt: skip
        self.dtype = np.dtype([(c.name, c.format, c.shape) for c in self._columns])
        self._struct = struct.Struct("<" + "".join(column.code for column in self._columns))

    def layout(self, notes: Mapping[str, Field] | None = None, **options: Any) -> Layout:
        """The layout of a payload that begins with these fields."""
        known = {name: ROLES[name] for name in self.names if name in ROLES}
        return layout_from_dtype(self.dtype, notes={**known, **(notes or {})}, **options)

    @property
    def size(self) -> int:
        """Bytes of the record."""
        return self._struct.size

    def write(self, obj: Any, buffer: Any, at: int = 0) -> bool:
        """Pack the fields of `obj` into a buffer, from byte `at` on.

        Returns whether a text or a blob was too long: then its beginning is there.

        Raises:
            HandlerError: a vector has another length than the example's, or a value is of another
                kind.
        """
        values: list[Any] = []
        cut = False
        for column in self._columns:
            try:
                values.extend(column.flat(column.get(obj)))
            except REFUSED as error:
                raise HandlerError(f"field {column.name!r}: {error}") from None
            if column.is_text and type(values[-1]) is Cut:
                cut = True
        try:
            self._struct.pack_into(buffer, at, *values)
        except REFUSED as error:
            self._blame(obj, error)
        return cut

    def fits(self, name: str, value: Any) -> bool:
        """Whether a value fits completely into a field; False for a text that would be cut.

        Raises:
            HandlerError: it can't be kept there at all.
        """
        column = next(column for column in self._columns if column.name == name)
        try:
            flat = column.flat(value)
            struct.pack("<" + column.code, *flat)
        except REFUSED as error:
            raise HandlerError(f"field {name!r}: {error}") from None
        return not (column.is_text and type(flat[0]) is Cut)

    def _blame(self, obj: Any, error: Exception) -> NoReturn:
        """Raise an error that names the field that could not be packed."""
        for column in self._columns:
            try:
                struct.pack("<" + column.code, *column.flat(column.get(obj)))
            except REFUSED as wrong:
                raise HandlerError(f"field {column.name!r}: {wrong}") from None
        raise error

    def columns(self, objs: Sequence[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[Any] | None]:
        """The fields of many objects, as one numpy record each.

        Returns them, and whose texts were cut as (n,) bool, or None if all are complete.

        Raises:
            HandlerError: as for `write`.
        """
        table = np.empty(len(objs), self.dtype)
        cut = None
        if not len(objs):
            return table, None
        for column in self._columns:
            try:
                found = column.gather(objs, table[column.name])
            except REFUSED as error:
                raise HandlerError(f"field {column.name!r}: {error}") from None
            if found is not None:
                cut = found if cut is None else cut | found
        return table, cut

    def restore(self, obj: Any, payload: bytes) -> None:
        """Put recorded fields back into an object, in the types that it had.

        Raises:
            HandlerError: the payload is too short, or holds what the example's type has not.
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
        """A record's fields in the types of the example.

        Raises:
            HandlerError: a member is recorded that the example's enum has not.
        """
        try:
            return {column.name: column.restored(record[column.name]) for column in self._columns}
        except (KeyError, ValueError) as error:
            raise HandlerError(f"{error}: was it written by another version?") from None


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
