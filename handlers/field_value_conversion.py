"""Values that a user types for a field: converted to the field's type, or refused by name."""

import enum
import math
import operator
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ..errors import CommandError
from ..recorder.text.field_paths import field_splits
from ..recorder.text.name_hint import name_hint


def split_path(path: str, names: Iterable[str]) -> tuple[str, tuple[int, ...]]:
    """A field's name and the part of it that a path means: `velocity.x`, `joints[3][0]`, `hp`.

    Raises:
        CommandError: there is no such field.
    """
    known = list(names)
    for name, parts in field_splits(path):
        if name in known:
            return name, parts
    raise CommandError(f"no field {path!r}: {name_hint(path, known)}")


def part_of(value: Any, parts: tuple[int, ...], what: str) -> Any:
    """A part of a value.

    Raises:
        CommandError: it has no such part.
    """
    for part in parts:
        try:
            value = value[part]
        except (TypeError, IndexError, KeyError):
            raise CommandError(f"{what}: there is no part {part!r} in {value!r:.60}") from None
    return value


def with_part(value: Any, parts: tuple[int, ...], part: Any) -> list[Any]:
    """The items of a vector or an array with another value at one index."""
    items = list(value)
    items[parts[0]] = with_part(items[parts[0]], parts[1:], part) if parts[1:] else part
    return items


def value_like(current: Any, value: Any, what: str) -> Any:
    """A typed value as one of the kind that a field holds now.

    Args:
        what: The field, for errors.

    Raises:
        CommandError: it is of another kind, not finite, or out of range.
    """
    if isinstance(current, enum.Enum):
        return _member(type(current), value, what)
    if isinstance(current, bool | np.bool_):
        if not isinstance(value, bool | np.bool_):
            raise CommandError(f"{what} is {bool(current)}: give true or false, not {value!r:.60}")
        return type(current)(value)
    if isinstance(current, int | np.integer):
        return _whole_number(current, value, what)
    if isinstance(current, float | np.floating):
        number = _number(value, what)
        with np.errstate(over="ignore"):
            made = type(current)(number)
        if not math.isfinite(made):
            raise CommandError(f"{what}: {value!r:.60} is too large for {type(current).__name__}")
        return made
    if isinstance(current, str):
        if not isinstance(value, str):
            raise CommandError(f"{what} is a text: give one in quotes, not {value!r:.60}")
        return value
    if current is None:
        raise CommandError(f"{what} holds nothing now, so that its kind is not known")
    if _is_sequence(current):
        return _sequence(current, value, what)
    if isinstance(current, Mapping):
        raise CommandError(f"{what} is a mapping: it can't be edited")
    raise CommandError(f"{what} is a {type(current).__name__}: it can't be edited")


def _member(kind: type[enum.Enum], value: Any, what: str) -> enum.Enum:
    if isinstance(value, kind):
        return value
    if isinstance(value, str):
        for member in kind:
            if value in (member.name, member.value):
                return member
    raise CommandError(
        f"{what}: {kind.__name__} has no member {value!r:.60}:"
        f" {name_hint(str(value), kind.__members__)}"
    )


def _whole_number(current: Any, value: Any, what: str) -> Any:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    try:
        number = None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = None
    if number is None:
        raise CommandError(f"{what} is a whole number: give one, not {value!r:.60}")
    limits = np.iinfo(current.dtype if isinstance(current, np.integer) else np.int64)
    if not limits.min <= number <= limits.max:
        raise CommandError(f"{what}: {number:.6g} is out of range: {limits.min} to {limits.max}")
    return type(current)(number)


def _number(value: Any, what: str) -> float:
    if isinstance(value, bool | str | bytes) or not isinstance(value, int | float | np.number):
        raise CommandError(f"{what} is a number: give one, not {value!r:.60}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise CommandError(f"{what}: {value!r:.60} is not finite: give a finite number")
    return number


def _is_sequence(value: Any) -> bool:
    try:
        iter(value), len(value)
    except TypeError:
        return False
    return not isinstance(value, bytes | Mapping | set | frozenset)


def _sequence(current: Any, value: Any, what: str) -> Any:
    if isinstance(value, str | bytes) or not _is_sequence(value):
        raise CommandError(f"{what} is {len(current)} values: give a list, not {value!r:.60}")
    if len(value) != len(current):
        raise CommandError(f"{what} is {len(current)} values, and {len(value)} were given")
    items = [
        value_like(one, new, f"{what}.{at}")
        for at, (one, new) in enumerate(zip(current, value, strict=True))
    ]
    if isinstance(current, np.ndarray):
        return np.array(items, current.dtype)
    make = getattr(type(current), "_make", None)
    if make is not None:
        return make(items)
    return type(current)(items) if isinstance(current, list | tuple) else type(current)(*items)
