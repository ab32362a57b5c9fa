"""Compares two copies of a game object: where they differ, to the last field."""

import copyreg
import dataclasses
import enum
import types
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, TypeAlias

import numpy as np

from ..errors import HandlerError
from ..recorder.text.safe_text import safe_text
from ..recorder.text.terminal_text import with_article

_MOST_SHOWN = 60
_ATOMS = (
    str, bytes, bytearray, type, enum.Enum, range, slice, types.FunctionType, types.ModuleType,
    types.BuiltinFunctionType,
)  # fmt: skip

_Compared: TypeAlias = dict[tuple[int, int], tuple[Any, Any]]
"""Pairs that were compared, kept so that no other objects get their ids meanwhile."""


def difference(before: Any, after: Any) -> str | None:
    """The first field in which the states of two objects differ, in words; None if they agree.

    Compared are numbers by value (nan agrees with nan), containers and numpy arrays item by item,
    and objects by their attributes, those in `__dict__` and those in slots; those that say how they
    are copied or pickled, by what is copied.

    Raises:
        HandlerError: a part of them can't be compared.
    """
    try:
        return _difference(before, after, "", {})
    except RecursionError:
        raise HandlerError(
            f"a {type(before).__name__} is nested too deeply to be compared: give check_handler"
            " state=, what matters of one"
        ) from None


def _difference(one: Any, other: Any, at: str, compared: _Compared) -> str | None:
    if one is other:
        return None
    if _is_number(one) and _is_number(other):
        return None if _same_number(one, other) else _difference_text(at, one, other)
    if type(one) is not type(other):
        return _difference_text(at, one, other)
    if isinstance(one, _ATOMS):
        return None if one == other else _difference_text(at, one, other)
    if (id(one), id(other)) in compared:
        return None
    compared[id(one), id(other)] = one, other
    if isinstance(one, np.ndarray | np.void):
        return _arrays(np.asarray(one), np.asarray(other), at, compared)
    if isinstance(one, Set) and one != other:
        return _difference_text(at, one, other)
    parts: list[tuple[Any, Any, str]] = []
    if isinstance(one, Mapping):
        if one.keys() != other.keys():
            return _difference_text(f"{at} (its keys)", set(one), set(other))
        parts += [(one[key], other[key], f"{at}[{key!r}]") for key in one]
    elif isinstance(one, Sequence):
        if len(one) != len(other):
            return f"{_named(at)} had {len(one)} items and has {len(other)}"
        parts += [(a, b, f"{at}[{n}]") for n, (a, b) in enumerate(zip(one, other, strict=True))]
    elif not isinstance(one, Set) and _is_copied_its_own_way(one):
        return _difference(_copied_by(one, at), _copied_by(other, at), at, compared)
    # A subclass of a container has attributes, too.
    mine, its = attributes(one), attributes(other)
    if mine.keys() != its.keys():
        return _difference_text(f"{at} (its attributes)", sorted(mine), sorted(its))
    parts += [(mine[name], its[name], f"{at}.{name}") for name in mine]
    return _first(parts, compared)


def _first(parts: Iterable[tuple[Any, Any, str]], compared: _Compared) -> str | None:
    return next(filter(None, (_difference(*part, compared) for part in parts)), None)


def _arrays(one: Any, other: Any, at: str, compared: _Compared) -> str | None:
    if one.dtype != other.dtype or one.shape != other.shape:
        return (
            f"{_named(at)} was an array {one.dtype} of shape {one.shape} and is one {other.dtype}"
            f" of shape {other.shape}"
        )
    if one.dtype.names:
        return _first(
            ((one[name], other[name], f"{at}[{name!r}]") for name in one.dtype.names), compared
        )
    if one.dtype.hasobject:
        return _first(
            (
                (a, b, f"{at}[{n}]")
                for n, (a, b) in enumerate(zip(one.flat, other.flat, strict=True))
            ),
            compared,
        )
    inexact = one.dtype.kind in "fcmM"
    same = (one == other) | ((one != one) & (other != other)) if inexact else one == other
    if np.all(same):
        return None
    where = tuple(int(n) for n in np.argwhere(~np.asarray(same))[0]) if one.shape else ()
    attribute = f"{at}{list(where)}" if where else at
    return _difference_text(attribute, one[where], other[where])


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | complex | np.number | np.bool_) and not isinstance(
        value, enum.Enum
    )


def _same_number(one: Any, other: Any) -> bool:
    """3 and 3.0 are the same to a game; 1 and True are not."""
    if isinstance(one, bool | np.bool_) is not isinstance(other, bool | np.bool_):
        return False
    return bool(one == other) or bool(one != one and other != other)


def _is_copied_its_own_way(obj: Any) -> bool:
    """Whether an object defines its own parts, or nothing else can be known of it."""
    kind = type(obj)
    if dataclasses.is_dataclass(kind) or hasattr(kind, "__struct_fields__"):
        return False
    own = [
        getattr(kind, name, None) is not getattr(object, name, None)
        for name in ("__reduce__", "__reduce_ex__", "__getstate__")
    ]
    return any(own) or kind in copyreg.dispatch_table or not attributes(obj)


def attributes(obj: Any) -> dict[str, Any]:
    """What an object holds in its `__dict__` and its slots."""
    attributes = dict(getattr(obj, "__dict__", None) or {})
    fields = getattr(type(obj), "__struct_fields__", ())  # of msgspec
    attributes.update({name: getattr(obj, name) for name in fields if hasattr(obj, name)})
    for kind in type(obj).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name in ("__dict__", "__weakref__"):
                continue
            hidden = name.startswith("__") and not name.endswith("__")
            attribute = f"_{kind.__name__.lstrip('_')}{name}" if hidden else name
            if hasattr(obj, attribute):
                attributes[name] = getattr(obj, attribute)
    return attributes


def _copied_by(obj: Any, at: str) -> Any:
    """What an object without attributes is made of, as a copy of it would be made."""
    try:
        parts_of = obj.__reduce_ex__(4)
    except Exception:
        parts_of = None
    if isinstance(parts_of, str):  # the name of something that there is only one of
        return parts_of
    if parts_of is not None:
        # Items and pairs, if there are any, come as iterators.
        return [list(part) if n in (3, 4) and part else part for n, part in enumerate(parts_of)]
    raise HandlerError(
        f"{_named(at)} is {with_article(type(obj).__name__)}, which can't be compared: give"
        " check_handler equal=, which compares two objects, or state=, what matters of one"
    )


def _difference_text(at: str, one: Any, other: Any) -> str:
    return f"{_named(at)} was {_short(one)} and is {_short(other)}"


def _named(at: str) -> str:
    return at.lstrip(".") or "the object"


def _short(value: Any) -> str:
    text = safe_text(value, _MOST_SHOWN + 1)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"
