"""A field of a program's own objects: where it is, how it is read, and whether it can be set."""

from collections.abc import Callable, Sequence
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

import numpy as np

from .value_kind import (
    MOST_IN_ARRAY,
    MOST_IN_TUPLE,
    UNFIT,
    Missing,
    ValueKind,
    WidestKinds,
    is_vector_like,
    kind_of,
    kinds_of,
)


class PathSegment(NamedTuple):
    """One part of the way from an object to a value in it."""

    name: str
    is_item: bool = False
    """Whether it is a dict's item rather than an attribute."""


class ObservedField:
    """A value in each object of a class: `hp`, `transform.position`.

    Args:
        path: The way to it.
        restorable: Whether it can be set back.
        get: What gives the value instead, of what is only to be looked at.
        name: What it is called; by default its path, with dots between them.
        any_list: Whether a list may have more numbers than a vector has.
    """

    def __init__(
        self, path: Sequence[PathSegment], *, restorable: bool = True,
        get: Callable[[Any], Any] | None = None, name: str = "", any_list: bool = False,
    ) -> None:  # fmt: skip
        self.path = tuple(path)
        self.name = name or ".".join(segment.name for segment in path)
        self.get = _getter(self.path) if get is None else get
        """Reads it; raises where an object lacks it."""
        self.restorable = restorable and get is None
        self.widest = WidestKinds()
        self.any_list = any_list
        self.families: dict[tuple[str, Any], int] = {}
        """What its values have been so far, and how many kinds of each."""
        self.failed: Exception | None = None
        """What reading it raised last, other than that it is not there."""
        self._parent = _getter(self.path[:-1])

    def value(self, obj: Any) -> Any:
        """The value; `Missing` where there is none."""
        try:
            return self.get(obj)
        except (AttributeError, KeyError, IndexError, TypeError):
            return Missing.MISSING
        except Exception as error:  # the program's own property: it costs this value
            self.failed = error
            return Missing.MISSING

    def kinds(self, values: list[Any]) -> list[ValueKind]:
        """The kinds of its values in a frame, made wide enough for those before."""
        try:
            return self.widest.merged(kinds_of(values, any_list=self.any_list), values)
        except Exception:  # one of them breaks when it is looked at: it costs itself alone
            return [self._kind(value) for value in values]

    def _kind(self, value: Any) -> ValueKind:
        try:
            return kind_of(value, any_list=self.any_list)
        except Exception as error:
            self.failed = error
            return UNFIT

    def values(self, objs: Sequence[Any]) -> list[Any]:
        """Its values in many objects."""
        try:
            return list(map(self.get, objs))
        except Exception:  # one of them lacks it
            return [self.value(obj) for obj in objs]

    def show(self, obj: Any, value: Any) -> None:
        """Set it, for a look at the past: in place where the value is a container."""
        if value is Missing.MISSING:
            return
        current = self.value(obj)
        can_fill = type(current) is type(value) and _contents(current) is not None
        if can_fill and _fill(current, value):
            return
        if current is Missing.MISSING and len(self.path) > 1:
            return  # the part that it was in is not there now
        self.write(obj, value)

    def write(self, obj: Any, value: Any) -> None:
        """Have the object hold this very value."""
        holder, last = self._parent(obj), self.path[-1]
        if last.is_item:
            holder[last.name] = value
        else:
            setattr(holder, last.name, value)

    def _remove(self, obj: Any) -> None:
        """Have the object lack it again."""
        holder, last = self._parent(obj), self.path[-1]
        if last.is_item:
            del holder[last.name]
        else:
            delattr(holder, last.name)

    def save(self, obj: Any) -> tuple[Any, Any]:
        """The value, and a copy of what is in it if it is a container."""
        value = self.value(obj)
        return value, _contents(value)

    def restore(self, obj: Any, saved: tuple[Any, Any]) -> None:
        """Put back what `save` has kept: the same value, with the same contents."""
        value, contents = saved
        if len(self.path) > 1 and self._is_part_missing(obj):
            return
        if value is Missing.MISSING:
            if self.value(obj) is not Missing.MISSING:
                self._remove(obj)
            return
        if self.value(obj) is not value:
            self.write(obj, value)
        if contents is not None and not _same(value, contents):
            _fill(value, contents)

    def _is_part_missing(self, obj: Any) -> bool:
        """Whether the part that it is in is not there now."""
        try:
            return self._parent(obj) is None
        except (AttributeError, KeyError):
            return True


def _getter(path: Sequence[PathSegment]) -> Callable[[Any], Any]:
    if not path:
        return lambda obj: obj
    if len(path) == 1 and path[0].is_item:
        return itemgetter(path[0].name)
    if not any(segment.is_item for segment in path) and all(
        "." not in segment.name for segment in path
    ):
        return attrgetter(".".join(segment.name for segment in path))
    ways = [itemgetter(name) if is_item else _attribute(name) for name, is_item in path]

    def get(obj: Any) -> Any:
        for way in ways:
            obj = way(obj)
        return obj

    return get


def _attribute(name: str) -> Callable[[Any], Any]:
    """What reads an attribute; one with a dot in its name is no way to another."""
    return (lambda obj: getattr(obj, name)) if "." in name else attrgetter(name)


def _contents(value: Any) -> Any:
    """A copy of what is in a container that could be written into; None for all else."""
    if isinstance(value, np.ndarray):
        is_small = value.size <= MOST_IN_ARRAY and not value.dtype.hasobject
        return value.copy() if is_small else None
    if isinstance(value, list):
        return list(value) if len(value) <= MOST_IN_TUPLE else None
    return tuple(value) if is_vector_like(value) else None


def _same(value: Any, contents: Any) -> bool:
    if isinstance(value, np.ndarray):
        return bool(value.tobytes() == contents.tobytes())
    return len(value) == len(contents) and all(map(_is_same, value, contents))


def _is_same(one: Any, other: Any) -> bool:
    return one is other or (type(one) is type(other) and one == other and repr(one) == repr(other))


def _fill(value: Any, contents: Any) -> bool:
    """Write into a container what another one holds; False if it is none, or can't be written."""
    if isinstance(value, np.ndarray):
        if value.shape != contents.shape or not value.flags.writeable:
            return False
        value[...] = contents
        return True
    if isinstance(value, list):
        value[:] = contents
        return True
    if is_vector_like(value):
        value.update(*contents)
        return True
    return False
