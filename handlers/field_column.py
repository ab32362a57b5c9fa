"""One field in the packed record of an object: how its values are packed and put back.

One object's value and those of many are packed by the same rules, so that a batch holds what single
packets hold; whatever would lose something on the way is refused.
"""

import enum
import struct
from collections.abc import Callable, Sequence
from itertools import chain
from operator import attrgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import HandlerError
from ..native import _ring

CODES = {
    "b1": "?", "i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "i8": "q",
    "u8": "Q", "f2": "e", "f4": "f", "f8": "d",
}  # fmt: skip
"""The struct module's letters for numpy's formats."""

REFUSED = (
    HandlerError, struct.error, TypeError, ValueError, OverflowError, AttributeError
)  # fmt: skip
"""What packing raises for a value that does not fit its field."""


class RecordColumn:
    """A field that holds one number."""

    shape: tuple[int, ...] = ()
    is_text: bool = False

    def __init__(self, name: str, get: Callable[[Any], Any], format: str, example: Any) -> None:
        self.name, self.get, self.format = name, get, format
        self.code = CODES[format[1:]]
        """What the field is to the struct module."""
        self._type = type(example)

    def flat(self, value: Any) -> Sequence[Any]:
        """The value as what `code` packs."""
        return (value,)

    def gather(self, objects: Sequence[Any], into: npt.NDArray[Any]) -> npt.NDArray[Any] | None:
        """Write the values of many objects into their record field.

        Returns whose were cut, (n,) bool; None if all are complete.
        """
        if self.code == "d" and isinstance(self.get, attrgetter):
            _ring.gather_floats(objects, self.name, into)
            return None
        return self.pack(list(map(self.get, objects)), into)

    def pack(self, values: Sequence[Any], into: npt.NDArray[Any]) -> npt.NDArray[Any] | None:
        """Like `gather`, for values that were taken out of their objects already."""
        into[:] = self._packed(values)
        return None

    def restored(self, item: Any) -> Any:
        """The value of a record's field, in the type of the example."""
        if issubclass(self._type, np.generic):
            return self._type(item)
        number = item.item()
        return self._type(number) if issubclass(self._type, enum.Enum) else number

    def _packed(self, numbers: Sequence[Any]) -> npt.NDArray[Any]:
        # struct takes half the time of np.fromiter, and no fraction for a whole number.
        return np.frombuffer(struct.pack(f"<{len(numbers)}{self.code}", *numbers), self.format)


class FlagColumn(RecordColumn):
    """A field that holds members of an `enum.Flag` that are no numbers themselves."""

    def flat(self, value: Any) -> Sequence[Any]:
        return (value.value,)

    def pack(self, values: Sequence[Any], into: npt.NDArray[Any]) -> None:
        into[:] = self._packed([value.value for value in values])


class VectorColumn(RecordColumn):
    """A field that holds a tuple or list of numbers; those of a numpy record are arrays."""

    def __init__(self, name: str, get: Callable[[Any], Any], format: str, example: Any) -> None:
        super().__init__(name, get, format, example)
        self.shape = (len(example),)
        self.code = f"{len(example)}{self.code}"
        self._make: Callable[[Any], Any] = getattr(self._type, "_make", self._type)

    def flat(self, value: Any) -> Sequence[Any]:
        if len(value) != self.shape[0]:
            raise HandlerError(f"{len(value)} numbers, not {self.shape[0]}")
        return value  # type: ignore[no-any-return]

    def gather(self, objects: Sequence[Any], into: npt.NDArray[Any]) -> None:
        _ring.gather_floats(objects, self.name, into)

    def pack(self, values: Sequence[Any], into: npt.NDArray[Any]) -> None:
        if not set(map(len, values)) <= set(self.shape):
            raise HandlerError(f"vectors of other lengths than {self.shape[0]}")
        numbers = list(chain.from_iterable(values))
        packed = struct.pack(f"<{len(numbers)}{self.code[-1]}", *numbers)
        into[:] = np.frombuffer(packed, self.format).reshape(into.shape)

    def restored(self, item: Any) -> Any:
        return self._make(item.tolist())


class ArrayColumn(RecordColumn):
    """A field that holds a numpy array, always of one shape."""

    def __init__(self, name: str, get: Callable[[Any], Any], format: str, example: Any) -> None:
        super().__init__(name, get, format, example)
        self.shape = np.shape(example)
        self._base = np.dtype(format)
        self.code = f"{self._base.itemsize * example.size}s"

    def flat(self, value: Any) -> Sequence[Any]:
        return (self._array(value).tobytes(),)

    def pack(self, values: Sequence[Any], into: npt.NDArray[Any]) -> None:
        packed = b"".join([self._array(value).tobytes() for value in values])
        into[:] = np.frombuffer(packed, self._base).reshape(into.shape)

    def restored(self, item: Any) -> Any:
        return np.array(item)

    def _array(self, value: Any) -> npt.NDArray[Any]:
        array = np.asarray(value)
        if array.shape != self.shape:
            raise HandlerError(f"an array of shape {array.shape}, not {self.shape}")
        return array.astype(self._base, casting="safe", copy=False)


class Cut(bytes):
    """The beginning of a text or a blob that is too long."""


class TextColumn(RecordColumn):
    """A field that holds a text, bytes, or a member of an enum, of which the name is kept.

    What is too long is cut, between two characters of a text; so are zero bytes at an end.
    """

    is_text = True

    def __init__(self, name: str, get: Callable[[Any], Any], format: str, example: Any) -> None:
        self.name, self.get, self.format = name, get, format
        self._size = int(format[2:])
        self.code = f"{self._size}s"
        self._type = type(example)
        self._is_member = isinstance(example, enum.Enum)

    def flat(self, value: Any) -> Sequence[Any]:
        return (self._encoded(value),)

    def pack(self, values: Sequence[Any], into: npt.NDArray[Any]) -> npt.NDArray[Any] | None:
        if len(set(map(type, values))) == 1:
            # Most texts are those of a few states: each is encoded once.
            known = {value: self._encoded(value) for value in set(values)}
            encoded = list(map(known.__getitem__, values))
        else:
            encoded = [self._encoded(value) for value in values]
        into[:] = encoded
        if Cut not in set(map(type, encoded)):
            return None
        return np.array([type(data) is Cut for data in encoded])

    def restored(self, item: Any) -> Any:
        if issubclass(self._type, bytes):
            return self._type(item)
        text = bytes(item).decode("utf-8", errors="replace")
        if self._is_member:
            return self._type[text]
        return text if self._type is str else self._type(text)

    def _encoded(self, value: Any) -> bytes:
        if isinstance(value, enum.Enum):
            value = value.name
        elif self._is_member:  # the number of a member of an IntEnum may be there instead of it
            value = self._type(value).name
        try:
            data = value if isinstance(value, bytes) else str(value).encode()
            if len(data) <= self._size and data[-1:] != b"\0":
                return data
        except UnicodeEncodeError:  # half a character, as broken file names have
            data = str(value).encode(errors="replace")
        data = data[: self._size]
        if not isinstance(value, bytes):
            data = data.decode(errors="ignore").encode()
        # numpy takes zero bytes at the end for padding, so they would not come back.
        return Cut(data.rstrip(b"\0"))


def column_of(
    name: str, get: Callable[[Any], Any], example: Any, text: int, declared: np.dtype[Any] | None
) -> RecordColumn:
    """The column of a field that holds `example`; `declared` is its format in a numpy record.

    Raises:
        HandlerError: such values can't be kept in a fixed number of bytes.
    """
    if declared is not None and declared.kind == "S":
        return TextColumn(name, get, f"|S{declared.itemsize}", example)
    if isinstance(example, enum.Flag) and not isinstance(example, int):
        return FlagColumn(name, get, "<i8", example)
    if isinstance(example, enum.Enum) and not isinstance(example, enum.Flag):
        text = max(text, longest_name(type(example)))
        return TextColumn(name, get, f"|S{text}", example)
    if isinstance(example, str | bytes):
        return TextColumn(name, get, f"|S{text}", example)
    if isinstance(example, bool):
        return RecordColumn(name, get, "|b1", example)
    if isinstance(example, int) and not isinstance(example, np.generic):
        return RecordColumn(name, get, "<i8", example)
    if isinstance(example, float) and not isinstance(example, np.generic):
        return RecordColumn(name, get, "<f8", example)
    if isinstance(example, np.generic | np.ndarray) and example.dtype.str[1:] in CODES:
        format = example.dtype.newbyteorder("<").str
        kind = ArrayColumn if isinstance(example, np.ndarray) else RecordColumn
        return kind(name, get, format, example)
    if isinstance(example, tuple | list) and example and all(map(_is_number, example)):
        return VectorColumn(name, get, "<f8", example)
    raise HandlerError(
        f"field {name!r} holds {example!r}: only numbers, texts, vectors and numeric arrays of"
        " fixed shape can be kept in a record; leave it out with names=, or write a handler"
    )


def longest_name(kind: type[enum.Enum]) -> int:
    """The bytes that the longest name of an enum's members needs."""
    return max(len(name.encode(errors="replace")) for name in kind.__members__)


def _is_number(item: Any) -> bool:
    return isinstance(item, int | float | np.integer | np.floating) and not isinstance(item, bool)
