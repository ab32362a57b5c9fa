"""Kinds of values: those of one kind fit the same column of a packed record."""

import enum
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ..handlers.field_column import CODES, RecordColumn, VectorColumn, column_of, longest_name
from ..recorder.text.terminal_text import with_article

MOST_IN_TUPLE = 16
MOST_IN_LIST = 4
"""Numbers in a list that is taken for a vector: longer ones are rather collections, which grow."""
MOST_IN_ARRAY = 64
TEXT_SIZES = (16, 32, 64, 128, 256, 1024)
"""Bytes that texts may have: a field's column is as wide as the longest text so far needs. What is
longer than the last is cut."""
_EXACT = 1 << 53
"""Whole numbers up to this one are what they were when they come back from a float."""


class Missing(enum.Enum):
    """The value of a field that an object lacks."""

    MISSING = enum.auto()


class ValueKind:
    """What values have in common that fit one column. Made by `kind_for`, once each, so that two
    are the same or differ."""

    __slots__ = ("family", "fits", "size", "type", "wide")

    def __init__(self, family: str, type: Any, size: Any, wide: bool) -> None:
        self.family = family
        """`number`, `text`, `vector`, `array`, `none`, `missing`, or `unfit` for what fits none."""
        self.type = type
        """The Python type; of an array the letters of its numpy type."""
        self.size = size
        """Bytes of a text, numbers of a vector, shape of an array."""
        self.wide = wide
        """Whether whole numbers and fractions may stand side by side."""
        self.fits = family in ("number", "text", "vector", "array")
        """Whether there is a column for such values."""

    def __repr__(self) -> str:
        return f"ValueKind({self.family!r}, {self.type}, {self.size}, wide={self.wide})"


def kind_for(family: str, type: Any = None, size: Any = None, wide: bool = False) -> ValueKind:
    """The kind with these properties."""
    key = family, type, size, wide
    found = _KINDS.get(key)
    if found is None:
        found = _KINDS[key] = ValueKind(*key)
    return found


_KINDS: dict[tuple[str, Any, Any, bool], ValueKind] = {}
"""Interned kinds: each exists once, so that two kinds are compared by identity."""


BOOL, INT, FLOAT = (kind_for("number", kind) for kind in (bool, int, float))
WIDE = kind_for("number", float, wide=True)
NONE, MISSING, UNFIT = kind_for("none"), kind_for("missing"), kind_for("unfit")

KNOWN: dict[type, ValueKind] = {
    bool: BOOL, float: FLOAT, type(None): NONE, Missing: MISSING,
    **{
        kind: kind_for("number", kind)
        for kind in (
            np.float64, np.float32, np.float16, np.int64, np.int32, np.int16, np.int8, np.uint64,
            np.uint32, np.uint16, np.uint8, np.bool_,
        )
    },
}  # fmt: skip
"""Kinds that follow from the type alone."""


def kind_of(value: Any, *, any_list: bool = False) -> ValueKind:
    """The kind of a value.

    Args:
        any_list: Whether a list may be longer than a vector is by itself.
    """
    kind = type(value)
    known = KNOWN.get(kind)
    if known is not None:
        return known
    if kind is int or (isinstance(value, int) and not isinstance(value, enum.Enum)):
        return INT if -(1 << 63) <= value < 1 << 63 else UNFIT
    if isinstance(value, enum.Enum):
        return _kind_of_member(value)
    if isinstance(value, str | bytes):
        data = value if isinstance(value, bytes) else value.encode(errors="replace")
        return kind_for("text", kind, text_size(len(data)))
    if isinstance(value, np.ndarray):
        fits = value.dtype.str[1:] in CODES and 0 < value.size <= MOST_IN_ARRAY and value.ndim > 0
        return kind_for("array", value.dtype.str, value.shape) if fits else UNFIT
    if isinstance(value, tuple | list):
        most = MOST_IN_LIST if isinstance(value, list) and not any_list else MOST_IN_TUPLE
        return _kind_of_vector(value, 1 if most == MOST_IN_TUPLE else 2, most)
    if is_vector_like(value):
        return _kind_of_vector(value, 2, 4)
    if isinstance(value, float):  # subclasses come back as what they are made of
        return FLOAT
    return UNFIT


def is_never_fit(kind: type) -> bool:
    """Whether no value of a type fits a column, whatever it holds."""
    may_fit = (int, float, str, bytes, enum.Enum, np.ndarray, np.generic, tuple, list)
    return not (kind in KNOWN or issubclass(kind, may_fit) or kind in vector_types())


def why_unfit(value: Any) -> str:
    """Why there is no column for a value, in words."""
    if isinstance(value, int):
        return "a whole number of more than 64 bits"
    if isinstance(value, np.ndarray):
        return f"an array of {value.size} {value.dtype}"
    if isinstance(value, tuple | list | set | frozenset | dict):
        return f"a {type(value).__name__} of {len(value)}"
    if callable(value):
        return "a function"
    return f"{with_article(type(value).__name__)}, which is no plain value"


def text_size(length: int) -> int:
    """The bytes of a column for texts of this length."""
    return next((size for size in TEXT_SIZES if size >= length), TEXT_SIZES[-1])


def is_vector_like(value: Any) -> bool:
    """Whether a value is a vector, a rectangle or a colour of pygame."""
    return type(value) in vector_types()


def vector_types() -> tuple[type, ...]:
    """The types of pygame that hold a few numbers; none if the program has not loaded it."""
    pygame = sys.modules.get("pygame")
    if pygame is None:
        return ()
    names = ("Vector2", "Vector3", "Rect", "FRect", "Color")
    return tuple(kind for name in names if isinstance(kind := getattr(pygame, name, None), type))


def kinds_of(values: Sequence[Any], *, any_list: bool = False) -> list[ValueKind]:
    """The kinds of many values: those of one type mostly have one."""
    types = list(map(type, values))
    found = set(types)
    if len(found) == 1:
        kind = found.pop()
        if kind in KNOWN:
            return [KNOWN[kind]] * len(types)
        if kind is int and min(values) >= -(1 << 63) and max(values) < 1 << 63:
            return [INT] * len(types)
        if kind is str:  # most texts are those of a few states
            by_text = {text: kind_of(text) for text in set(values)}
            return list(map(by_text.__getitem__, values))
        if issubclass(kind, enum.Enum) and not issubclass(kind, enum.Flag):
            return [_kind_of_members(kind)] * len(types)
    elif found <= KNOWN.keys():
        return list(map(KNOWN.__getitem__, types))
    return [
        KNOWN.get(kind) or kind_of(value, any_list=any_list)
        for kind, value in zip(types, values, strict=True)
    ]


class WidestKinds:
    """The widest kinds that a field's values have had, so that its column does not change again."""

    def __init__(self) -> None:
        self._widest: dict[tuple[str, Any], ValueKind] = {}

    def merged(self, kinds: list[ValueKind], values: Sequence[Any]) -> list[ValueKind]:
        """The kinds of values, such that numbers of all types, and texts, share a column."""
        widest, distinct = self._widest, set(kinds)
        shared = {kind: key for kind in distinct if (key := _shared_by(kind)) is not None}
        for kind, key in shared.items():
            before = widest.get(key)
            widest[key] = kind if before is None else _wider(before, kind)
        merge = {kind: widest[key] for kind, key in shared.items() if widest[key] is not kind}
        if not merge:
            return kinds
        may_be_inexact = any(kind.family != "text" for kind in merge)
        if len(distinct) == 1 and not may_be_inexact:
            return [*merge.values()] * len(kinds)
        return [
            merge[kind] if kind in merge and _is_exact(kind, value) else kind
            for kind, value in zip(kinds, values, strict=True)
        ]


def _shared_by(kind: ValueKind) -> tuple[str, Any] | None:
    """What kinds have in common that can share a column; None for one that can't."""
    if kind.family == "number":
        is_own = kind.type in (bool, np.bool_) or issubclass(kind.type, enum.Enum)
        return None if is_own else ("number", None)
    if kind.family == "vector":
        return "vector", (kind.type, kind.size)
    if kind.family == "text" and not issubclass(kind.type, enum.Enum):
        return "text", kind.type
    return None


def _wider(one: ValueKind, other: ValueKind) -> ValueKind:
    if one is other:
        return one
    if one.family == "number":
        return WIDE
    if one.family == "vector":
        return kind_for(one.family, one.type, one.size, True)
    return max(one, other, key=lambda kind: int(kind.size))


def _is_exact(kind: ValueKind, value: Any) -> bool:
    """Whether a value is the same after being kept as a float."""
    if kind.family == "number":
        return not isinstance(value, int | np.integer) or abs(int(value)) <= _EXACT
    if kind.family == "vector":
        return kind.wide or all(abs(item) <= _EXACT for item in value)
    return True


def column_for(name: str, get: Callable[[Any], Any], kind: ValueKind, example: Any) -> RecordColumn:
    """The column that values of a kind are packed by.

    Raises:
        HandlerError: there is none for them.
    """
    if kind.family == "vector":
        return VectorColumn(name, get, "<f8" if kind.wide else "<i8", example)
    if kind is WIDE:
        return column_of(name, get, 0.0, 0, None)
    return column_of(name, get, example, kind.size if kind.family == "text" else 0, None)


def _kind_of_member(value: enum.Enum) -> ValueKind:
    kind = type(value)
    if isinstance(value, enum.Flag):
        number = value.value
        fits = isinstance(number, int) and -(1 << 63) <= number < 1 << 63
        return kind_for("number", kind) if fits else UNFIT
    return _kind_of_members(kind)


@lru_cache(maxsize=256)
def _kind_of_members(kind: type[enum.Enum]) -> ValueKind:
    return kind_for("text", kind, text_size(longest_name(kind)))


def _kind_of_vector(value: Any, least: int, most: int) -> ValueKind:
    if not least <= len(value) <= most:
        return UNFIT
    types = set(map(type, value))
    if types == {int}:
        if any(not -(1 << 63) <= item < 1 << 63 for item in value):
            return UNFIT
        return kind_for("vector", type(value), len(value))
    if not types <= _NUMBERS:
        return UNFIT
    if int in types and any(type(item) is int and abs(item) > _EXACT for item in value):
        return UNFIT
    # With a fraction in it all are kept as floats; with wide=True so are those without one.
    return kind_for("vector", type(value), len(value), wide=True)


_NUMBERS = {int, float, *(kind for kind in KNOWN if issubclass(kind, np.number))} - {np.bool_}
