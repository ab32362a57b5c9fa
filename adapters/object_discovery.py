"""Where a program's objects come from: a dict, a list, one object, or a function."""

import sys
import types
import weakref
from collections import deque
from collections.abc import (
    AsyncGenerator,
    Collection,
    Coroutine,
    Iterator,
    Mapping,
    MappingView,
    Sequence,
)
from enum import Enum
from typing import Any, NamedTuple

import numpy as np

from ..errors import RecordingError
from ..recorder.fault_counts import error_text
from ..recorder.text.safe_text import safe_text
from ..recorder.text.terminal_text import with_article
from .value_kind import kind_of
from .windows.arcade_window import is_sprite_list

ACCEPTED = (
    "a dict of objects by name, a list, tuple or set of objects, one object, a pygame Group, a"
    " py_trees tree, a pymunk Space, MuJoCo's (model, data), a window or a SpriteList of arcade, or"
    " a function that returns objects"
)
_PLAIN = (
    type(None), bool, int, float, complex, str, bytes, bytearray, memoryview, np.ndarray,
    np.generic, Enum, type, types.ModuleType, range, slice,
)  # fmt: skip
DEPTH = 3
"""How deep lists may stand in lists."""


class ListedObjects(NamedTuple):
    """An object that a source gives."""

    object: Any
    key: Any
    """Where in the source it is: the same place in the next frame has the same key."""
    name: str = ""
    """What the source calls it."""


class ObjectSource:
    """Something to be recorded, and the objects that it holds in a frame.

    Args:
        thing: As `ACCEPTED` says. A function is called in every frame.

    Raises:
        RecordingError: it is nothing of the kind.
    """

    def __init__(self, thing: Any) -> None:
        self.thing = thing
        self._function = thing if is_function(thing) else None
        if self._function is None:
            check_thing(thing)

    @property
    def is_function(self) -> bool:
        """Whether it is a function, so that its objects are unknown before a frame."""
        return self._function is not None

    def objects(self) -> Any:
        """What is to be recorded now: the thing itself, or what the function returns."""
        if self._function is None:
            return self.thing
        objects = self._function()
        return () if objects is None else objects


class Flat(NamedTuple):
    """The objects in something that holds objects and nothing else."""

    objects: list[Any]
    keys: list[Any]
    """What dicts call what is in them."""


class FlatReader:
    """Reads what holds objects and nothing else, as most programs have them, in few steps."""

    def __init__(self) -> None:
        self._is_object: dict[type, bool] = {}

    def read(self, thing: Any, depth: int = 0) -> Flat | None:
        """The objects in something; None if it holds something else, to be looked at one by one."""
        try:
            return self._read(thing, depth)
        except Exception:  # errors are reported when each object is inspected alone
            return None

    def _read(self, thing: Any, depth: int) -> Flat | None:
        keys: list[Any] = []
        if is_group(thing):
            objects = sprites_in(thing)
        elif not is_container(thing) or (depth and isinstance(thing, dict)):
            objects = [thing]
        elif isinstance(thing, Mapping):
            objects, keys = list(thing.values()), list(thing)
        else:
            objects = list(thing)
        if all(self._are_objects(kind, objects) for kind in set(map(type, objects))):
            return Flat(objects, keys)
        return self._read_deep(objects, keys, depth + 1)

    def _are_objects(self, kind: type, objects: Sequence[Any]) -> bool:
        """Whether values of a type are objects."""
        known = self._is_object.get(kind)
        if known is None:
            one = next(one for one in objects if type(one) is kind)
            known = isinstance(one, dict) or (is_object(one) and _no_object(one) is None)
            self._is_object[kind] = known
        return known

    def _read_deep(self, things: Sequence[Any], keys: list[Any], depth: int) -> Flat | None:
        objects: list[Any] = []
        for thing in things:
            if thing is None:
                continue
            if self._are_objects(type(thing), (thing,)):
                objects.append(thing)
                continue
            inner = self.read(thing, depth) if depth < DEPTH and is_container(thing) else None
            if inner is None:
                return None
            objects += inner.objects
            keys += inner.keys
        return Flat(objects, keys)


class RefusedObject(NamedTuple):
    """What is in a `ListedObjects` for something that is no object."""

    error: RecordingError


def check_thing(thing: Any) -> None:
    """See that something is, or holds, what can be recorded.

    Raises:
        RecordingError: it is not; the error names the value and what is accepted.
    """
    for listed in listed_in(thing):
        if isinstance(listed.object, RefusedObject):
            raise listed.object.error


def is_function(thing: Any) -> bool:
    """Whether something is a function or method, to be asked for objects."""
    if isinstance(thing, type):
        return False
    return isinstance(
        thing, types.FunctionType | types.MethodType | types.BuiltinFunctionType
    ) or type(thing).__name__ in ("partial", "methodcaller", "attrgetter")


def is_object(thing: Any) -> bool:
    """Whether something can be recorded as one object."""
    return not (isinstance(thing, _PLAIN) or is_function(thing) or is_container(thing))


def is_container(thing: Any) -> bool:
    """Whether something holds objects, rather than being one."""
    if isinstance(thing, tuple) and hasattr(thing, "_fields"):
        return False
    if isinstance(thing, dict):
        return not is_record(thing)
    kinds = (list, tuple, set, frozenset, deque, MappingView, Mapping, weakref.WeakSet)
    return isinstance(thing, kinds) or is_group(thing)


def is_record(thing: Mapping[Any, Any]) -> bool:
    """Whether a dict is an object itself: it has plain values, and none that could be one."""
    return any(isinstance(value, int | float | str) for value in thing.values())


def is_group(thing: Any) -> bool:
    """Whether something is a group of sprites of pygame, or a sprite list of arcade."""
    sprite = sys.modules.get("pygame.sprite")
    if sprite is not None and isinstance(thing, sprite.AbstractGroup):
        return True
    return is_sprite_list(thing)


def sprites_in(group: Any) -> list[Any]:
    """The sprites of a group."""
    return list(group) if is_sprite_list(group) else list(group.sprites())


def listed_in(thing: Any) -> Iterator[ListedObjects]:
    """The objects in something, however deep; one that can't be recorded is a `RefusedObject`."""
    yield from _listed(thing, (), 0)


def _listed(thing: Any, key: tuple[Any, ...], depth: int) -> Iterator[ListedObjects]:
    try:
        yield from _found(thing, key, depth)
    except Exception as error:  # the program's own code: it breaks where it is only looked at
        refusal = RecordingError(f"{safe_text(thing)} can't be looked at: {error_text(error)}")
        refusal.__cause__ = error
        yield ListedObjects(RefusedObject(refusal), key)


def _found(thing: Any, key: tuple[Any, ...], depth: int) -> Iterator[ListedObjects]:
    if depth and thing is None:
        return  # no object is there now
    if is_group(thing):
        for sprite in sprites_in(thing):
            yield ListedObjects(sprite, (*key, id(sprite)))
    elif depth and isinstance(thing, dict):
        yield ListedObjects(thing, key)
    elif is_container(thing) and depth < DEPTH:
        if isinstance(thing, Mapping):
            for name, value in thing.items():
                yield from _named(value, (*key, name), _name(name), depth + 1)
        else:
            for index, value in enumerate(thing):
                yield from _listed(value, (*key, index), depth + 1)
    elif isinstance(thing, dict) or is_object(thing):
        error = _no_object(thing) or (None if depth else _mixture(thing))
        yield ListedObjects(thing if error is None else RefusedObject(error), key)
    else:
        yield ListedObjects(RefusedObject(refusal(thing, key)), key)


def _named(value: Any, key: tuple[Any, ...], name: str, depth: int) -> Iterator[ListedObjects]:
    for listed in _listed(value, key, depth):
        # Of a list under a name, its objects are not all called so.
        yield listed._replace(name=name) if len(listed.key) == len(key) else listed


def _name(key: Any) -> str:
    if isinstance(key, Enum):
        return key.name
    return key if isinstance(key, str) else ""


def refusal(thing: Any, key: tuple[Any, ...] = ()) -> RecordingError:
    """The error for something that is no object: it names the value, and what is accepted."""
    where = f" (at {']['.join(map(safe_text, key)).join('[]')})" if key else ""
    refusal = f"{safe_text(thing)}{where} can't be recorded: it is {_what(thing)}"
    return RecordingError(f"{refusal}; give {ACCEPTED}")


def _no_object(thing: Any) -> RecordingError | None:
    """Why something that looks like an object is none, or None."""
    if isinstance(thing, Iterator | AsyncGenerator | Coroutine):
        kind = with_article(type(thing).__name__)
        return RecordingError(
            f"{safe_text(thing)} can't be recorded: {kind} is used up after one frame; give a"
            " function that makes one for each frame, as in ph.record(lambda: …), or a list"
        )
    return None


def _mixture(thing: Any) -> RecordingError | None:
    """Why a dict is neither an object itself nor a container of named ones, or None."""
    if not isinstance(thing, dict):
        return None
    for key, value in thing.items():
        if is_object(value) and not isinstance(value, dict) and not kind_of(value).fits:
            return RecordingError(
                f"a dict with both plain values and objects, such as {key!r}:"
                f" {with_article(type(value).__name__)}. To record named objects, give a dict of"
                " them alone; to record it as one object, put it into a list"
            )
    return None


def _what(thing: Any) -> str:
    if thing is None:
        return "None"
    if isinstance(thing, type):
        return "a class: give objects of it"
    if isinstance(thing, types.ModuleType):
        return "a module: give objects of it"
    if is_function(thing):
        return "a function within a container: it is not asked there"
    if isinstance(thing, np.ndarray):
        return "an array: give objects that hold its rows, or a Batch from a World of your own"
    if isinstance(thing, Collection) and not isinstance(thing, str | bytes):
        return f"{with_article(type(thing).__name__)} too deep within others"
    kind = with_article(type(thing).__name__)
    if kind_of(thing).fits:
        return f"{kind}, which is a value: rec.watch(name, number) records those"
    return kind
