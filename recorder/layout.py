"""How a payload is to be read: declared once by its handler, kept with the recording.

A layout makes a packet readable without the game's code: by the viewer, by a search, by somebody
who opens the ring of a process that died.
"""

from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from ..errors import HandlerError
from .encoding import decode


class Field(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one field of the payload means, beside its name and number format."""

    unit: str = ""
    """`m`, `m/s`, `rad`, `s`, … or nothing."""
    role: str = ""
    """What a viewer may take it for: `position`, `velocity`, `joints`, `health`, `state`, …"""
    restored: bool = True
    """False for what is only to be looked at, such as a pressed button: `play` leaves it alone."""


class Layout(msgspec.Struct, frozen=True, omit_defaults=True):
    """A numpy record of fixed size, and perhaps a tail whose length differs by object."""

    fields: tuple[tuple[str, str, tuple[int, ...]], ...] = ()
    """(name, numpy format such as `<f4`, shape of the field) in payload order, packed."""
    tail: str = ""
    """What repeats behind the record to the payload's end: a numpy format, `utf8` or `msgpack`."""
    tail_shape: tuple[int, ...] = ()
    """The shape of one element of the tail: (3, 4) for joint matrices, row-major."""
    tail_name: str = ""
    space: str = ""
    """The space that matrices in it are declared in: `model`, `world` or `parent`."""
    notes: Mapping[str, Field] = {}
    """Units and roles by field name."""

    def __post_init__(self) -> None:
        """Refuse, with a HandlerError, what no payload can be read by."""
        try:
            dtype = self.dtype
            element = None if self.tail in ("", "utf8", "msgpack") else self._element
        except Exception as error:  # numpy has many ways to refuse a format
            raise HandlerError(f"a layout that numpy can't read: {error}") from None
        if dtype.hasobject or (element is not None and element.hasobject):
            raise HandlerError("a layout with Python objects: only their values can be recorded")
        if element is not None and not element.itemsize:
            raise HandlerError(f"tail {self.tail!r} {self.tail_shape}: its elements have no bytes")

    @property
    def dtype(self) -> np.dtype[Any]:
        """The record at the payload's start, without the tail."""
        return np.dtype([(name, fmt, shape) for name, fmt, shape in self.fields])

    @property
    def _element(self) -> np.dtype[Any]:
        return np.dtype((self.tail, self.tail_shape))

    def decode(self, payload: bytes) -> dict[str, Any]:
        """The payload as names and values.

        Raises:
            HandlerError: the payload is too short for this layout, or its tail is broken.
            DamagedError: its tail should be MessagePack, and is not.
        """
        dtype = self.dtype
        if len(payload) < dtype.itemsize:
            raise HandlerError(
                f"payload of {len(payload)} bytes is shorter than its layout's record"
                f" of {dtype.itemsize}: was it written by another version of the handler?"
            )
        values: dict[str, Any] = {}
        if dtype.names:
            record = np.frombuffer(payload, dtype, count=1)[0]
            try:
                values = {name: record[name] for name in dtype.names}
            except (ValueError, SystemError) as error:  # characters that there are none of
                raise HandlerError(f"payload of {len(payload)} bytes is broken: {error}") from None
        if self.tail:
            values[self.tail_name or "tail"] = self._decode_tail(payload[dtype.itemsize :])
        return values

    def _decode_tail(self, tail: bytes) -> Any:
        if self.tail == "utf8":
            return tail.decode("utf-8", errors="replace")
        if self.tail == "msgpack":
            return decode(tail, object)
        element = self._element
        if len(tail) % element.itemsize:
            raise HandlerError(
                f"tail of {len(tail)} bytes is not a whole number of elements"
                f" of {element.itemsize} bytes"
            )
        return np.frombuffer(tail, element.base).reshape(-1, *element.shape)


def layout_of(dtype: npt.DTypeLike, **rest: Any) -> Layout:
    """The layout that a numpy record type describes; `rest` are the other fields of `Layout`.

    Raises:
        HandlerError: a field holds Python objects, or the type is no record.
    """
    dtype = np.dtype(dtype)
    if dtype.hasobject:
        raise HandlerError(f"{dtype}: Python objects can't be recorded, only their values")
    if dtype.names is None or dtype.fields is None:
        raise HandlerError(f"{dtype}: a layout is a record with named fields")
    fields = []
    for name in dtype.names:
        field = dtype.fields[name][0]
        fields.append((name, field.base.newbyteorder("<").str, tuple(field.shape)))
    return Layout(fields=tuple(fields), **rest)
