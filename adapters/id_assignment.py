"""Assigns ids to a program's own objects: they count up from 1, and an object keeps its id.

Python's `id()` is a key here and nothing more: it comes back on new objects, so that each entry
also holds the object it is about, weakly where that is possible.
"""

import weakref
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple, TypeAlias

Reference: TypeAlias = Callable[[], Any]
"""Called for the object; None when it is gone."""


class _Entry(NamedTuple):
    id: int
    reference: Reference
    is_weak: bool


class IdAssignment:
    """Numbers objects by identity. For one thread, but for objects that end on others.

    An object that can be referred to weakly keeps its number while it lives, whether it is listed
    or not. One that can't (a dict, slots without `__weakref__`) is held, and only while it is
    listed: see `forget_all_but`.
    """

    def __init__(self) -> None:
        self._entries: dict[int, _Entry] = {}
        """Keyed by Python's `id()`."""
        self._keys: dict[int, int] = {}
        """Python's `id()` by ours."""
        self._referenced: set[int] = set()
        """Our ids of the objects that are held."""
        self._newest = 0

    def get(self, obj: Any) -> int | None:
        """The id of an object; None if it has none."""
        entry = self._entries.get(id(obj))
        return entry.id if entry is not None and entry.reference() is obj else None

    def of(self, obj: Any) -> int:
        """The id of an object, which gets one if it has none."""
        entry = self._entries.get(id(obj))
        if entry is not None and entry.reference() is obj:
            return entry.id
        self._newest += 1
        self._assign(obj, self._newest)
        return self._newest

    def reassign(self, old: int, obj: Any) -> None:
        """Give the id of an object that was replaced to what has taken its place."""
        key = self._keys.pop(old, None)
        if key is not None:
            self._entries.pop(key, None)
        self._assign(obj, old)

    def reference(self, number: int) -> Reference:
        """What is called for the object with this id."""
        entry = self._entries.get(self._keys.get(number, 0))
        return _nothing if entry is None or entry.id != number else entry.reference

    def find(self, number: int) -> Any | None:
        """The living object with this id; None if there is none."""
        return self.reference(number)()

    def forget_all_but(self, listed: Iterable[int]) -> None:
        """Let go of the objects that are held and not among these."""
        if not self._referenced:
            return
        for number in self._referenced.difference(listed):
            key = self._keys.pop(number)
            entry = self._entries.get(key)
            if entry is not None and entry.id == number:
                del self._entries[key]
            self._referenced.discard(number)

    def _assign(self, obj: Any, number: int) -> None:
        key = id(obj)
        reference: Reference
        try:
            reference = weakref.ref(obj, partial(self._forget, key, number))
            is_weak = True
        except TypeError:
            reference, is_weak = _StrongReference(obj), False
            self._referenced.add(number)
        else:
            self._referenced.discard(number)
        self._entries[key] = _Entry(number, reference, is_weak)
        self._keys[number] = key

    def _forget(self, key: int, number: int, _: Any) -> None:
        entry = self._entries.get(key)
        if entry is not None and entry.id == number:  # or another object has that key by now
            del self._entries[key]
        if self._keys.get(number) == key:
            del self._keys[number]


class _StrongReference:
    """What a weak reference is, for an object that can't have one."""

    __slots__ = ("_object",)

    def __init__(self, obj: Any) -> None:
        self._object = obj

    def __call__(self) -> Any:
        return self._object


def _nothing() -> None:
    return None
