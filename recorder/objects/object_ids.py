"""The ids of a game's objects: calls that take an object's id take the object itself, too."""

import weakref
from collections.abc import Callable, Iterable, Mapping
from numbers import Integral
from typing import Any, TypeAlias

from ...errors import RecordingError
from ..text.name_hint import name_hint
from ..text.safe_text import safe_text
from ..world_adapter import World

ObjectOrId: TypeAlias = int | object
"""An object of the game, its id, or its name: an int is an id (0: the world itself), a text the
name that one of the objects has in the recording, all else an object that the session's world
gives. True and False are none of them."""

MOST_WALKS = 16
"""How often a world is walked over in a frame for objects that it may have got meanwhile."""


def _no_objects() -> Iterable[tuple[int, str, Any]]:
    return ()


class ObjectIds:
    """Finds the ids of objects. For the game's thread.

    A world that has no `id_of` of its own is walked over, and what is found is known from then on:
    for objects that it has the cost is paid once a frame at most. An object is compared by `is`,
    and is not kept alive beyond its frame.

    Args:
        objects: Gives all objects that exist now, as the world does.
        id_of: Used instead, where a world has one of its own.
        frame: The number of the frame that is being recorded.
        names: What objects are called in the recording, by id.
    """

    def __init__(
        self,
        objects: Callable[[], Iterable[tuple[int, str, Any]]] = _no_objects,
        id_of: Callable[[Any], int | None] | None = None,
        frame: Callable[[], int] = lambda: 0,
        names: Mapping[int, str] | None = None,
    ) -> None:
        self._names = names if names is not None else {}
        self._objects, self._id_of, self._frame = objects, id_of, frame
        self._known: dict[int, tuple[Callable[[], Any], int]] = {}
        """A weak reference to each object, and its id; keyed by Python's `id()`."""
        self.keeps_objects = False
        """Whether objects are kept alive, since no weak reference to them can be made."""
        self._walked = (-1, 0)
        """The frame in which the world was walked over last, and how often in that one."""

    @classmethod
    def of(
        cls, world: World, frame: Callable[[], int], names: Mapping[int, str] | None = None
    ) -> "ObjectIds":  # fmt: skip
        """Those of a world."""
        own = type(world).id_of is not World.id_of
        return cls(world.objects, world.id_of if own else None, frame, names)

    def id_of(self, ref: ObjectOrId) -> int:
        """The id of an object or of a name, or the id itself.

        Raises:
            RecordingError: the world does not give this object, no object or more than one has
                this name, or the world's answer is no id.
        """
        if ref.__class__ is int:
            return ref
        known = self._known.get(id(ref))
        if known is not None and known[0]() is ref:
            return known[1]
        if isinstance(ref, bool):
            raise RecordingError(f"object {ref!r}: give an object of the world, or its id")
        if isinstance(ref, Integral):
            return int(ref)
        text = isinstance(ref, str)
        found = self._id_of(ref) if self._id_of else None if text else self._found(ref)
        if found is None and isinstance(ref, str) and self._names:
            return self._named(ref)
        if found is None:
            raise RecordingError(
                f"{safe_text(ref)} is not one of the objects that the world gives: give one of"
                " those, or an id"
            )
        if isinstance(found, bool) or not isinstance(found, Integral):
            raise RecordingError(f"id_of({safe_text(ref)}) answered {found!r}: an id is an int")
        return int(found)

    def _named(self, name: str) -> int:
        """The id of the object that has a name."""
        found = [id for id, one in self._names.items() if one == name]
        if len(found) == 1:
            return found[0]
        if found:
            several = f"{', '.join(map(str, found[:8]))}{', …' if len(found) > 8 else ''}"
            raise RecordingError(f"{name!r} is the name of the objects {several}: give the id")
        hint = name_hint(name, self._names.values())
        raise RecordingError(f"no object is called {name!r} in the recording: {hint}")

    def release(self) -> None:
        """A frame is finished: let go of objects that would be kept alive otherwise."""
        self._known = {
            key: known for key, known in self._known.items() if isinstance(known[0], weakref.ref)
        }
        self.keeps_objects = False

    def _found(self, ref: object) -> int | None:
        frame = self._frame()
        walks = self._walked[1] if self._walked[0] == frame else 0
        if walks >= MOST_WALKS:
            return None
        self._walked = frame, walks + 1
        self._known = {
            id(thing): (self._reference(thing), key) for key, _, thing in self._objects()
        }
        known = self._known.get(id(ref))
        return known[1] if known is not None and known[0]() is ref else None

    def _reference(self, thing: Any) -> Callable[[], Any]:
        try:
            return weakref.ref(thing)
        except TypeError:
            self.keeps_objects = True
            return lambda: thing


def only_id(ref: ObjectOrId) -> int:
    """The same id, where there is no world that knows the ids of objects.

    Raises:
        RecordingError: it is no id.
    """
    if isinstance(ref, Integral) and not isinstance(ref, bool):
        return int(ref)
    raise RecordingError(f"{safe_text(ref)}: over the bus an object is named by its id, a number")
