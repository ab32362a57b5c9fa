"""Resolves a field's name to columns of a frame, in the header or in the payload."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...errors import CommandError, DamagedError
from ...native.ring_type_aliases import DAMAGED, HIDDEN
from ...recorder.packets.layouts.layout import Layout
from ...recorder.packets.layouts.plain_value_codec import decode
from ...recorder.text.field_paths import field_splits

Headers = npt.NDArray[np.void]
Payloads = npt.NDArray[np.uint8] | None
Column = Callable[[Headers, Payloads], npt.NDArray[Any]]
"""Gives the values of a field from headers and payloads of packets in a row, one for each."""

_AXES = {"x": ("position", 0), "y": ("position", 1), "z": ("position", 2),
         "rx": ("angles", 0), "ry": ("angles", 1), "rz": ("angles", 2)}  # fmt: skip
HEADER_SHAPES: dict[str, tuple[int, ...]] = {
    "position": (3,), "angles": (3,), "visible": (), "targetable": (), **dict.fromkeys(_AXES, ()),
}  # fmt: skip
"""What every object has, unless its payload has a field of that name; and of which shape."""
HEADER_FIELDS = tuple(HEADER_SHAPES)


class FieldPath:
    """A field's name as a caller gives it: `hp`, `velocity.x`, `rect[0]`, `rect.left`, `x`.

    A field of the payload goes before what every object has under that name: it is there in
    the game's own precision. Parts are spelled as `field_splits` reads them.

    Raises:
        CommandError: it is no text.
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str) or not name:
            raise CommandError(f"field {name!r}: give a field's name, such as 'hp' or 'velocity.x'")
        self.name = name
        self._splits = tuple(field_splits(name))

    def column(self, layout: Layout) -> "FieldColumn | None":
        """How it is read of packets with a layout; None if they have no such field."""
        for name, parts in self._splits:
            for field, _, shape in layout.fields:
                if field == name and _fits(parts, shape):
                    return FieldColumn(_payload_column(layout, name, parts), False)
            if layout.tail and name == (layout.tail_name or "tail"):
                column = _tail_column(layout, parts)
                return None if column is None else FieldColumn(column, False)
        for name, parts in self._splits:
            column = _header_column(name, parts)
            if column is not None:
                return FieldColumn(column, True)
        return None


class FieldColumn(NamedTuple):
    """How a field is read of packets in a row."""

    read: Column
    in_header: bool
    """Whether it is in the header, which a packet has even when its handler failed."""


def field_shapes(layout: Layout) -> dict[str, tuple[int, ...]]:
    """The fields of a payload, its tail among them, and the shape of each one's values."""
    tail = {layout.tail_name or "tail": ()} if layout.tail else {}
    return {name: shape for name, _, shape in layout.fields} | tail


def field_names(layout: Layout) -> list[str]:
    """The fields of a payload, its tail among them."""
    return list(field_shapes(layout))


def is_damaged(headers: Headers) -> npt.NDArray[np.bool_]:
    """Which packets have a header only."""
    damaged: npt.NDArray[np.bool_] = headers["flags"] & DAMAGED != 0
    return damaged


def part_of(values: npt.NDArray[Any], parts: tuple[int, ...]) -> npt.NDArray[Any]:
    """A part of each of many values: `values[:, 3, 0]` for the parts 3 and 0."""
    for part in parts:
        values = values[:, part]
    return values


def _fits(parts: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    return len(parts) <= len(shape) and all(
        part < length for part, length in zip(parts, shape, strict=False)
    )


def _header_column(name: str, parts: tuple[int, ...]) -> Column | None:
    if name in _AXES and not parts:
        name, axis = _AXES[name]
        parts = (axis,)
    if name in ("position", "angles") and _fits(parts, (3,)):
        return lambda headers, _: part_of(headers[name], parts)
    if name == "visible" and not parts:
        return lambda headers, _: headers["flags"] & HIDDEN == 0
    if name == "targetable" and not parts:
        return lambda headers, _: headers["targetable"] != 0
    return None


def _payload_column(layout: Layout, name: str, parts: tuple[int, ...]) -> Column:
    dtype = layout.dtype
    assert dtype.fields is not None
    field, at = dtype.fields[name][0], int(dtype.fields[name][1])
    end = at + field.itemsize
    item_bytes = dtype.itemsize

    def read(headers: Headers, payloads: Payloads) -> npt.NDArray[Any]:
        size = 0 if payloads is None else payloads.shape[1]
        if payloads is None or size < item_bytes:
            raise DamagedError(
                f"a payload of {size} bytes is shorter than its layout's record of {item_bytes}"
            )
        if end == at:
            return part_of(np.zeros((len(headers), *field.shape), field.base), parts)
        values = np.ascontiguousarray(payloads[:, at:end]).view(field.base)
        return part_of(values.reshape(len(headers), *field.shape), parts)

    return read


def _tail_column(layout: Layout, parts: tuple[int, ...]) -> Column | None:
    at = layout.dtype.itemsize
    if layout.tail in ("utf8", "msgpack"):
        if parts:
            return None

        def read_objects(headers: Headers, payloads: Payloads) -> npt.NDArray[Any]:
            values = np.empty(len(headers), object)
            for row in range(len(headers)):
                tail = b"" if payloads is None else payloads[row, at:].tobytes()
                if layout.tail == "utf8":
                    values[row] = tail.decode("utf-8", errors="replace")
                else:
                    values[row] = decode(tail, object)
            return values

        return read_objects
    element = np.dtype((layout.tail, layout.tail_shape))

    def read(headers: Headers, payloads: Payloads) -> npt.NDArray[Any]:
        size = 0 if payloads is None else payloads.shape[1] - at
        if size < 0 or size % element.itemsize:
            raise DamagedError(
                f"a tail of {size} bytes is no whole number of elements of {element.itemsize} bytes"
            )
        if payloads is None or not size:
            values = np.zeros((len(headers), 0, *element.shape), element.base)
        else:
            values = np.ascontiguousarray(payloads[:, at:]).view(element.base)
            values = values.reshape(len(headers), -1, *element.shape)
        if parts and parts[0] >= values.shape[1]:
            return part_of(np.full((len(headers), *element.shape), np.nan), parts[1:])
        return part_of(values, parts)

    return read
