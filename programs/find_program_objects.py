"""The objects of a program: its sprites, or else what has a place in its own variables."""

import sys
import types
import weakref
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from types import FrameType
from typing import Any

from ..adapters.field_inspection import ReadOnlyFields
from ..adapters.is_program_class import is_program_class
from .recognition_summary import Recognition

PLACES = ("position", "pos", "location", "center", "rect", "center_x")
"""Attributes that say where an object is; `x` and `y` together do so too."""
_PLAIN = (
    int, float, complex, str, bytes, bool, type(None), type, types.ModuleType, types.FunctionType,
    types.BuiltinFunctionType, types.MethodType,
)  # fmt: skip
_CONTAINERS = (list, tuple, set, frozenset, deque, dict, OrderedDict, defaultdict)
_DEPTH = 3
"""How deep objects and lists are looked into for others: `game.level.enemies` is of depth 3."""
_MOST = 4000
"""Values that are looked at in one frame, at most."""
_CALLERS = 8
"""Functions on the stack whose variables are looked at, from the innermost one on."""
_MOST_VARIABLES = 32
Scope = tuple[str, Mapping[str, Any]]
"""What variables belong to, in words, and the variables."""
_OWN = __name__.partition(".")[0]


class Rect(ReadOnlyFields, dict[str, Any]):
    """A rectangle of pygame that is the value of a variable."""


class Point(ReadOnlyFields, dict[str, Any]):
    """A vector of pygame that is the value of a variable."""


class Variables(ReadOnlyFields, dict[str, Any]):
    """The numbers and bools in the variables of a function, or of the program."""


class ProgramObjects:
    """Finds the objects of each frame.

    Sprites are those of all living groups of pygame. In a program that has none of them, and whose
    picture makes the frames, the variables of the functions on the stack and of the module
    `__main__` are looked at: for objects of the program's own classes that have a place or are in a
    variable themselves, for rectangles and vectors, for lists of these, and for numbers.
    """

    def __init__(self, recognition: Recognition) -> None:
        self.scopes: Callable[[], Iterable[Scope]] | None = None
        """Gives the variables that are looked at, while a picture is shown."""
        self._has_others = False
        self._recognition = recognition
        self._sources: list[tuple[Callable[[], Iterable[Any] | None], str]] = []
        self._records: dict[str, dict[str, Any]] = {}
        self._kinds: set[type] = set()
        self._last: dict[str, list[Callable[[], Any]]] = {}
        """What was found last, by weak references."""

    def add_group(self, group: Any, kind: str) -> None:
        """A group of sprites of pygame was made.

        Args:
            kind: What its sprites are called when they are recognised.
        """
        reference = weakref.ref(group)

        def sprites() -> Any:
            living = reference()
            return None if living is None else living.sprites()

        self.add_sprites(sprites, kind)

    def add_sprites(self, sprites: Callable[[], Iterable[Any] | None], kind: str) -> None:
        """The program has sprites.

        Args:
            sprites: Gives those of a frame; None once there will be none any more.
        """
        self._sources.append((sprites, kind))

    def leave_variables(self) -> None:
        """Other objects are recorded, so that variables need not be looked at any more. What was
        found in them is of what was still being loaded."""
        if not self._has_others:
            self._has_others = True
            self._recognition.forget("objects")

    def found(self) -> dict[str, Any]:
        """The objects of this frame, by name, or lists of them."""
        sprites = list(self._sprites())
        if sprites:
            self.leave_variables()
            return {"sprites": sprites}
        if self._has_others:
            return {}
        if self.scopes is None:  # a frame without a picture, such as the very last one
            return self._still_living()
        search = _Search(self._records)
        for name, values in self.scopes():
            search.look_at_all(name, values)
        self._records = search.records
        for thing in search.found.values():
            self._recognise("objects", thing if isinstance(thing, list) else [thing])
        self._last = {name: _weakly(thing) for name, thing in search.found.items()}
        return search.found

    def _still_living(self) -> dict[str, Any]:
        """What was found last, as far as the program still has it."""
        found = {}
        for name, references in self._last.items():
            living = [one for reference in references if (one := reference()) is not None]
            if living:
                found[name] = living if len(references) > 1 else living[0]
        return found

    def _sprites(self) -> Iterator[Any]:
        """Each sprite once, in the order in which its first group was made."""
        seen: set[int] = set()
        living = []
        for source, kind in self._sources:
            sprites = source()
            if sprites is None:
                continue
            living.append((source, kind))
            for sprite in sprites:
                if id(sprite) not in seen:
                    seen.add(id(sprite))
                    self._recognise(kind, [sprite])
                    yield sprite
        self._sources = living

    def _recognise(self, what: str, things: list[Any]) -> None:
        for kind in dict.fromkeys(map(type, things)):
            if kind in self._kinds:
                continue
            self._kinds.add(kind)
            self._recognition.found(what, kind.__name__)


class _Search:
    """Looks at the variables of one frame.

    Args:
        before: The records of the frame before: a variable's object is the same
            in all frames.
    """

    def __init__(self, before: Mapping[str, dict[str, Any]]) -> None:
        self.found: dict[str, Any] = {}
        self.records: dict[str, dict[str, Any]] = {}
        self._before = before
        self._seen: set[int] = set()
        self._left = _MOST

    def look_at_all(self, scope: str, values: Mapping[str, Any]) -> None:
        numbers: dict[str, Any] = {}
        for name, value in values.items():
            if name.startswith("_"):
                continue
            if _is_number(value):
                if not name.isupper() and len(numbers) < _MOST_VARIABLES:
                    numbers[name] = value
                continue
            self._look(name, value, 1)
        if numbers:
            record = self._record(Variables, f"variables of {scope}")
            record.clear()
            record.update(numbers)

    def _look(self, name: str, value: Any, depth: int) -> None:
        self._left -= 1
        if isinstance(value, _PLAIN) or self._left < 0 or id(value) in self._seen:
            return
        if (part := _part_of_pygame(value)) is not None:
            self._record(*part, name)[part[1]] = value
            return
        self._seen.add(id(value))
        if type(value) in _CONTAINERS:
            self._look_into(name, value, depth)
        elif is_program_class(type(value)):
            attributes, is_recorded = dict(_attributes(value)), has_place(value)
            if is_recorded or (depth == 1 and any(map(_is_number, attributes.values()))):
                self.found.setdefault(name, value)
            for key, inner in attributes.items() if depth < _DEPTH else ():
                if not (is_recorded and _is_value(inner)):  # which is a field of it then
                    self._look(f"{name}.{key}", inner, depth + 1)

    def _look_into(self, name: str, value: Any, depth: int) -> None:
        if isinstance(value, dict):
            for key, inner in islice(tuple(value.items()), self._left):
                if isinstance(key, str):
                    self._look(f"{name}.{key}", inner, depth + 1)
            members = list(islice(value.values(), max(self._left, 0)))
        else:
            members = list(islice(value, max(self._left, 0)))
        self._left -= len(members)
        placed = [one for one in members if is_program_class(type(one)) and has_place(one)]
        if placed:
            self.found.setdefault(name, placed)
            self._seen.update(map(id, placed))
        if depth >= _DEPTH:
            return
        for index, one in enumerate(members):
            if not isinstance(value, dict) and not (isinstance(one, _PLAIN) or _is_value(one)):
                self._look(f"{name} {index}", one, depth + 1)
            elif (part := _part_of_pygame(one)) is not None:
                self._record(*part, f"{name} {index}")[part[1]] = one

    def _record(self, kind: type, *names: str) -> dict[str, Any]:
        """The record of a variable."""
        name = names[-1]
        record = self._before.get(name)
        if type(record) is not kind:
            record = kind()
        assert record is not None
        self.records[name] = self.found[name] = record
        return record


def _weakly(thing: Any) -> list[Callable[[], Any]]:
    """References to something, or to each of a list, that keep nothing of the program alive."""
    if type(thing) is list:
        return [reference for one in thing for reference in _weakly(one)]
    if isinstance(thing, ReadOnlyFields):
        return [lambda: thing]  # a record of our own, which no variable of the program holds
    try:
        return [weakref.ref(thing)]
    except TypeError:
        return []


def has_place(thing: Any) -> bool:
    """Whether an object says where it is."""
    kind, own = type(thing), _attributes(thing)
    if any(name in own or _is_plain_property(kind, name) for name in PLACES):
        return True
    return all(name in own or hasattr(kind, name) for name in ("x", "y"))


def _is_plain_property(kind: type, name: str) -> bool:
    found = getattr(kind, name, None)
    return isinstance(found, property | types.MemberDescriptorType)


def _attributes(thing: Any) -> dict[str, Any]:
    return getattr(thing, "__dict__", {})


def _is_number(thing: Any) -> bool:
    return type(thing) in (int, float, bool)


def _is_value(thing: Any) -> bool:
    """Whether something is rather a field of what holds it: a vector, a rectangle."""
    return _part_of_pygame(thing) is not None


def _part_of_pygame(thing: Any) -> tuple[type, str] | None:
    """What a rectangle or a vector of pygame is recorded as, and as which field."""
    kind = type(thing)
    if kind.__name__ in ("Rect", "FRect") and hasattr(kind, "colliderect"):
        return Rect, "rect"
    if kind.__name__ in ("Vector2", "Vector3") and hasattr(kind, "length_squared"):
        return Point, "position"
    return None


def variables_on_stack(caller: FrameType) -> Iterator[Scope]:
    """The variables of the functions on the stack, the innermost first, and of `__main__`."""
    frame: FrameType | None = caller
    for _ in range(_CALLERS):
        if frame is None or frame.f_globals.get("__name__", "").startswith(f"{_OWN}."):
            break
        if frame.f_code.co_name != "<module>":
            yield f"{frame.f_code.co_name}()", _locals(frame)
        frame = frame.f_back
    yield from variables_of_main()


def variables_of_main() -> Iterator[Scope]:
    """The variables of the module `__main__`."""
    main = sys.modules.get("__main__")
    if main is not None:
        yield "the program", dict(vars(main))


def _locals(frame: FrameType) -> dict[str, Any]:
    """A copy of a function's variables. What Python itself keeps of them for the asker is
    emptied, so that nothing in them lives longer than without this look."""
    values = frame.f_locals
    copy = dict(values)
    if type(values) is dict and frame.f_code.co_flags & _OPTIMIZED:
        values.clear()
    return copy


_OPTIMIZED = 0x1
"""The flag of a code object whose variables are in slots: `f_locals` is only a copy of them."""
