"""The layout of a payload: declared once by its handler, and stored in the recording.

A layout makes a packet readable without the game's code: by the viewer, by a search, by somebody
who opens the ring of a process that died.
"""

import math
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from ....errors import HandlerError
from .plain_value_codec import decode

MOST_FIELDS = 1024
"""Fields that a layout can have."""
MOST_NAME = 256
"""Characters of a field's name, of a format, of a unit and of a role."""
MOST_DIMENSIONS = 16
"""Dimensions of a field, or of an element of the tail."""
MOST_BYTES = 256 << 20
"""Bytes of a record, and of an element of the tail: as many as a clip's chunk may have."""
FREE = 64
"""Values that a layout may have beyond one for each of its bytes. Without this bound a payload of
no bytes could have millions of empty values, and a table holds them all."""


_NO_FORMAT = ("", "utf8", "msgpack")
"""Tails that are no array of numbers."""
_RECORDED = re.compile(
    r"\|b1|\|[iu]1|<[iu][248]|<f[248]|<c8|<c16|\|[SV]\d+|<U\d+|<[mM]8(\[\d*[a-zA-Z]+\])?"
)
"""The formats that are recorded: `docs/clip-format.md` has them all."""


class Field(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one field of the payload means, beside its name and number format."""

    unit: str = ""
    """`m`, `m/s`, `rad`, `s`, … or nothing."""
    role: str = ""
    """What a viewer may take it for: `position`, `velocity`, `joints`, `health`, `state`, …"""
    restored: bool = True
    """False for what is only to be looked at, such as a pressed button: `play` leaves it alone."""


class Sizes(NamedTuple):
    """Which sizes payloads of a layout have, in bytes."""

    record: int
    element: int
    """The size of one element of the tail; 0 without a tail."""

    def fit(self, size: int) -> bool:
        """Whether a payload can have so many bytes."""
        remainder = size - self.record
        return remainder == 0 or (
            remainder > 0 and self.element > 0 and remainder % self.element == 0
        )

    def __str__(self) -> str:
        tail = f" and any number of times {self.element}" if self.element else ""
        return f"{self.record} bytes{tail}"


class Layout(msgspec.Struct, frozen=True, omit_defaults=True):
    """A numpy record of fixed size, and perhaps a tail whose length differs by object."""

    fields: tuple[tuple[str, str, tuple[int, ...]], ...] = ()
    """(name, format such as `<f4`, shape of the field) in payload order, packed."""
    tail: str = ""
    """What repeats after the record to the payload's end: a numpy format, `utf8` or `msgpack`."""
    tail_shape: tuple[int, ...] = ()
    """The shape of one element of the tail: (3, 4) for joint matrices, row-major."""
    tail_name: str = ""
    space: str = ""
    """The space that matrices in it are declared in: `model`, `world` or `parent`."""
    notes: Mapping[str, Field] = {}
    """Units and roles by field name."""

    def __post_init__(self) -> None:
        """Refuse, with a HandlerError, what no payload can be read by.

        Formats of the same bytes are spelled alike: `?` and `bool` become `|b1`, `=f4` `<f4`. A
        field without a name gets the one that numpy reads it by: `f` and its index.
        """
        self._check_sizes()
        self._spell_formats()
        try:
            dtype = self.dtype
            element = None if self.tail in _NO_FORMAT else self._element
        except Exception as error:  # numpy has many ways to refuse a format
            raise HandlerError(f"a layout that numpy can't read: {error}") from None
        if dtype.names is not None and dtype.names != tuple(name for name, _, _ in self.fields):
            named = zip(dtype.names, self.fields, strict=True)
            fields = tuple((name, fmt, shape) for name, (_, fmt, shape) in named)
            msgspec.structs.force_setattr(self, "fields", fields)
        if dtype.hasobject or (element is not None and element.hasobject):
            raise HandlerError("a layout with Python objects: only their values can be recorded")
        for record in (dtype, element):
            if record is None:
                continue
            if record.itemsize > MOST_BYTES:
                raise HandlerError(
                    f"a layout of {record.itemsize} bytes: a payload has {MOST_BYTES} at most"
                )
            if (values := _values_in(record)) > record.itemsize + FREE:
                raise HandlerError(
                    f"a layout of {values} values in {record.itemsize} bytes: at most {FREE} can be"
                    " without bytes, such as those of a dimension of length 0"
                )
        if element is not None and not element.itemsize:
            raise HandlerError(f"tail {self.tail!r} {self.tail_shape}: its elements have no bytes")

    def _check_sizes(self) -> None:
        """Refuse what would cost numpy much time or memory, before numpy is called."""
        if len(self.fields) > MOST_FIELDS or len(self.notes) > MOST_FIELDS:
            most = max(len(self.fields), len(self.notes))
            raise HandlerError(f"a layout of {most} fields: it has {MOST_FIELDS} at most")
        texts = [text for name, fmt, _ in self.fields for text in (name, fmt)]
        texts += [self.tail, self.tail_name, self.space]
        for name, note in self.notes.items():
            if not (
                isinstance(note, Field)
                and isinstance(note.unit, str)
                and isinstance(note.role, str)
            ):
                raise HandlerError(f"layout note {name!r}: {note!r} is no Field of texts")
            texts += [name, note.unit, note.role]
        for text in texts:
            if len(text) > MOST_NAME:
                raise HandlerError(
                    f"{text[:40]!r}… of {len(text)} characters: names and formats in a layout have"
                    f" {MOST_NAME} at most"
                )
        for shape in (*(shape for _, _, shape in self.fields), self.tail_shape):
            if len(shape) > MOST_DIMENSIONS:
                raise HandlerError(
                    f"a shape of {len(shape)} dimensions: it has {MOST_DIMENSIONS} at most"
                )

    def _spell_formats(self) -> None:
        fields = tuple((name, _spelled(fmt), shape) for name, fmt, shape in self.fields)
        if fields != self.fields:
            msgspec.structs.force_setattr(self, "fields", fields)
        if self.tail not in _NO_FORMAT and (tail := _spelled(self.tail)) != self.tail:
            msgspec.structs.force_setattr(self, "tail", tail)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The record at the payload's start, without the tail."""
        return np.dtype([(name, fmt, shape) for name, fmt, shape in self.fields])

    @property
    def sizes(self) -> "Sizes":
        """The sizes that its payloads have."""
        if self.tail in ("utf8", "msgpack"):
            return Sizes(self.dtype.itemsize, 1)
        return Sizes(self.dtype.itemsize, self._element.itemsize if self.tail else 0)

    @property
    def _element(self) -> np.dtype[Any]:
        return np.dtype((self.tail, self.tail_shape))

    def decode(self, payload: bytes) -> dict[str, Any]:
        """The payload as names and values.

        Raises:
            HandlerError: the payload's size is none of this layout's, or its tail is broken.
            DamagedError: its tail should be MessagePack, and is not.
        """
        dtype = self.dtype
        if len(payload) < dtype.itemsize:
            raise HandlerError(
                f"payload of {len(payload)} bytes is shorter than its layout's record"
                f" of {dtype.itemsize}: was it written by another version of the handler?"
            )
        if not self.tail and len(payload) > dtype.itemsize:
            raise HandlerError(
                f"payload of {len(payload)} bytes is longer than its layout's record of"
                f" {dtype.itemsize}, which has no tail: was it written by another version of the"
                " handler?"
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


def check_formats(layout: Layout) -> None:
    """See that all formats of a layout are among those that are recorded.

    Old recordings may have others, so that a layout can be made and read with them.

    Raises:
        HandlerError: one is not.
    """
    formats = [(f"field {name!r}", fmt) for name, fmt, _ in layout.fields]
    if layout.tail not in _NO_FORMAT:
        formats.append(("tail", layout.tail))
    for what, fmt in formats:
        if not _RECORDED.fullmatch(fmt):
            raise HandlerError(f"{what}: format {fmt!r}: {_advice(fmt)}")


def _spelled(fmt: str) -> str:
    """A format as numpy spells it; as it is where that would lose something, or can't be read."""
    try:
        dtype = np.dtype(fmt)
    except Exception:  # reported where the layout's record is made
        return fmt
    if dtype.hasobject or dtype.subdtype is not None or dtype.names is not None:
        return fmt
    return dtype.str


def _advice(fmt: str) -> str:
    if fmt.startswith(">"):
        return f"big-endian numbers are not recorded: write them as <{fmt[1:]}"
    dtype = np.dtype(fmt)
    if dtype.subdtype is not None:
        return "give the shape apart from the format"
    if dtype.names is not None:
        return "a field has no fields of its own: list them one by one"
    return (
        "there are |b1, |i1, |u1, <i2 to <i8, <u2 to <u8, <f2 to <f8, <c8, <c16, |S, <U, |V, <M8"
        " and <m8"
    )


def _values_in(dtype: np.dtype[Any]) -> int:
    """How many values, or empty lists of them, one item of a type is as plain Python values."""
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        return int(math.prod(max(length, 1) for length in shape)) * _values_in(base)
    if dtype.fields is not None:
        return sum(_values_in(field[0]) for field in dtype.fields.values())
    return 1


def layout_from_dtype(dtype: npt.DTypeLike, **options: Any) -> Layout:
    """The layout that a numpy record type describes; `options` are the other fields of `Layout`.

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
    return Layout(fields=tuple(fields), **options)
