"""Inspects an object's fields: which can be recorded, and why others can't."""

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..errors import RecordingError
from ..handlers.compare_game_objects import attributes
from ..recorder.fault_counts import error_text
from ..recorder.text.name_hint import name_hint
from ..recorder.text.terminal_text import with_article
from .object_discovery import is_container, is_group, is_object, sprites_in
from .observed_field import ObservedField, PathSegment
from .value_kind import NONE, Missing, kind_of, why_unfit

DEPTH = 2
"""How deep parts of an object are looked into: `transform.position` is of depth 1."""
MOST_IN_PART = 8
"""Values that a part of an object may have, such as a vector or a pose: what has more is rather an
object of its own."""
MOST_LOOKED_AT = 64
"""Members of a container that are looked at to see whether it holds objects."""
USUAL = (
    "position", "pos", "location", "center", "rect", "x", "y", "z", "center_x", "center_y",
    "angle", "rotation", "heading", "velocity", "vel", "angular_velocity", "visible", "image",
    "scale", "alpha",
)  # fmt: skip
"""What is also looked for among a class's properties; others may be costly, or do something."""

FieldChoice = Sequence[str] | Mapping[str, str | Callable[[Any], Any]]
"""What is recorded of a class: names, or names with where each value is or what gives it."""


def fields_of(
    obj: Any, is_observed: Callable[[Any], bool]
) -> tuple[list[ObservedField], dict[str, str]]:
    """The fields of an object, and why those can't be recorded that can't be now.

    Looked at are stored attributes without a leading underscore (a dict's items), parts of the
    object that hold a few plain values, and properties with the usual names of a place.

    Args:
        is_observed: Whether an object is recorded by itself, and so no part of another one.
    """
    found: list[ObservedField] = []
    left_out: dict[str, str] = {}
    _look(obj, (), is_observed, can_set(obj), found, left_out)
    return found, left_out


def chosen_fields(obj: Any, choice: FieldChoice) -> list[ObservedField]:
    """The chosen fields, as they are in this object.

    Raises:
        RecordingError: the object has no such field, or it holds what can't be recorded.
    """
    if isinstance(choice, str) or not isinstance(choice, Mapping | Sequence):
        raise RecordingError(
            f"fields={{{_class(obj)!r}: {choice!r:.80}}}: this is neither a list of names nor a"
            " mapping from names to where they are"
        )
    pairs: Iterable[tuple[str, Any]] = (
        choice.items() if isinstance(choice, Mapping) else [(name, name) for name in choice]
    )
    found = []
    for name, where in pairs:
        if callable(where):
            found.append(ObservedField((), get=where, name=name, any_list=True))
            continue
        path, holder, restorable = [], obj, True
        for part in str(where).split("."):
            restorable = can_set(holder) and _settable(holder, part)
            path.append(PathSegment(part, isinstance(holder, dict)))
            try:
                holder = holder[part] if isinstance(holder, dict) else getattr(holder, part)
            except (AttributeError, KeyError):
                raise RecordingError(_no_field(obj, holder, name, part)) from None
        field = ObservedField(path, restorable=restorable, name=name, any_list=True)
        if not kind_of(holder, any_list=True).fits and holder is not None:
            raise RecordingError(
                f"{_class(obj)}.{where} is {why_unfit(holder)}: choose a part of it, or"
                f" give a function, as in fields={{{_class(obj)!r}: {{{name!r}: lambda one: …}}}}"
            )
        found.append(field)
    return found


class ReadOnlyFields:
    """A class whose objects are only looked at: they show something else, which can't be set."""


def can_set(obj: Any) -> bool:
    """Whether an object's fields can be set at all."""
    if isinstance(obj, tuple | ReadOnlyFields):
        return False
    kind = type(obj)
    if dataclasses.is_dataclass(kind):
        return not getattr(kind, "__dataclass_params__").frozen  # noqa: B009
    if kind.__setattr__.__name__ == "_frozen_setattrs":  # of attrs
        return False
    config = getattr(kind, "__struct_config__", None)
    return not (config is not None and config.frozen)


def stored(obj: Any) -> dict[str, Any]:
    """What an object holds, by name, without what its class keeps to itself."""
    if isinstance(obj, dict):
        items = dict(obj)
    elif isinstance(obj, tuple):
        items = {name: getattr(obj, name) for name in getattr(obj, "_fields", ())}
    else:
        items = attributes(obj)
    return {
        name: value
        for name, value in items.items()
        if isinstance(name, str) and not name.startswith("_")
    }


def _look(
    obj: Any, parent: tuple[PathSegment, ...], is_observed: Callable[[Any], bool], restorable: bool,
    found: list[ObservedField], left_out: dict[str, str],
) -> None:  # fmt: skip
    is_item = isinstance(obj, dict)
    values = stored(obj)
    for name, value in values.items():
        try:
            _look_at(obj, name, value, parent, is_observed, restorable, found, left_out)
        except Exception as error:  # the program's own value: it costs itself alone
            path = (*parent, PathSegment(name, is_item))
            found += [] if parent else [ObservedField(path, restorable=False)]
            left_out[".".join(segment.name for segment in path)] = error_text(error)
    if parent or is_item:
        return
    unset = [name for name in _slots(type(obj)) if name not in values and name != "name"]
    found += [ObservedField((PathSegment(name),), restorable=restorable) for name in unset]
    for name in USUAL:
        if name in values or not hasattr(type(obj), name):
            continue
        try:
            _look_for(obj, name, is_observed, restorable, found, left_out)
        except Exception as error:
            left_out[name] = error_text(error)


def _look_for(
    obj: Any, name: str, is_observed: Callable[[Any], bool], restorable: bool,
    found: list[ObservedField], left_out: dict[str, str],
) -> None:  # fmt: skip
    """Look for one of the usual properties."""
    field = ObservedField((PathSegment(name),), restorable=restorable and _settable(obj, name))
    value = field.value(obj)
    if kind_of(value).fits:
        found.append(field)
    elif picture := _picture(field.path, value):
        found.append(picture)
    elif value is not Missing.MISSING and is_part(value, is_observed):
        _look(value, field.path, is_observed, can_set(value), found, left_out)


def _look_at(
    obj: Any, name: str, value: Any, parent: tuple[PathSegment, ...],
    is_observed: Callable[[Any], bool], restorable: bool,
    found: list[ObservedField], left_out: dict[str, str],
) -> None:  # fmt: skip
    is_item = isinstance(obj, dict)
    if not parent and name == "name" and isinstance(value, str):
        return  # its name is latched once, not recorded in every frame
    path = (*parent, PathSegment(name, is_item))
    kind = kind_of(value)
    if kind.fits or kind is NONE:
        settable = restorable and (is_item or _settable(obj, name))
        found.append(ObservedField(path, restorable=settable))
    elif surface := _picture(path, value):
        found.append(surface)
    elif len(parent) < DEPTH and is_part(value, is_observed):
        _look(value, path, is_observed, can_set(value), found, left_out)
    elif not parent:
        # A field all the same: what is none today may be a number tomorrow.
        found.append(ObservedField(path, restorable=restorable and _settable(obj, name)))
        left_out[name] = _reason(value, is_observed)
    else:
        left_out[".".join(segment.name for segment in path)] = _reason(value, is_observed)


def _slots(kind: type) -> Iterator[str]:
    """The public slots of a class."""
    for one in kind.__mro__:
        slots = one.__dict__.get("__slots__", ())
        yield from (
            name
            for name in ((slots,) if isinstance(slots, str) else slots)
            if not name.startswith("_")
        )


def is_part(value: Any, is_observed: Callable[[Any], bool]) -> bool:
    """Whether a value is a part of an object, such as a vector: a few plain values and no more."""
    if callable(value) or isinstance(value, type | str | bytes | list | set | frozenset):
        return False
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return False
    if is_observed(value):
        return False
    attributes = stored(value)
    return 0 < len(attributes) <= MOST_IN_PART and all(
        kind_of(one).fits or _is_small(one) for one in attributes.values()
    )


def objects_within(value: Any, is_observed: Callable[[Any], bool]) -> str:
    """What a container is that holds objects of which none is recorded, in words; else empty."""
    try:
        members = _members(value) if is_container(value) else []
        inner = [
            one
            for member in members[:MOST_LOOKED_AT]
            for one in (_members(member)[:MOST_LOOKED_AT] if is_container(member) else [member])
        ]
        if any(map(is_observed, inner)):
            return ""
        if not any(_is_recordable(one, is_observed) for one in inner):
            return ""
    except Exception:  # the program's own container or member: it is left out without more words
        return ""
    what = "object" if len(members) == 1 else "objects"
    if any(map(is_container, members)):
        what = "containers of objects"
    return f"a {type(value).__name__} of {len(members)} {what}"


def _members(value: Any) -> list[Any]:
    if is_group(value):
        return sprites_in(value)
    return list(value.values() if isinstance(value, Mapping) else value)


def _is_recordable(value: Any, is_observed: Callable[[Any], bool]) -> bool:
    """Whether something has fields of its own, and is more than a value."""
    if not is_object(value) and not isinstance(value, dict):
        return False
    return not kind_of(value).fits and any(
        kind_of(one).fits or is_part(one, is_observed) for one in stored(value).values()
    )


def _is_small(value: Any) -> bool:
    """Whether a value in a part of an object is a vector of its own."""
    if isinstance(value, str | bytes | list | tuple | type) or callable(value):
        return False
    attributes = stored(value) if hasattr(value, "__dict__") or hasattr(value, "__slots__") else {}
    return 0 < len(attributes) <= 4 and all(
        kind_of(one).family == "number" for one in attributes.values()
    )


def _settable(obj: Any, name: str) -> bool:
    found = getattr(type(obj), name, None)
    return not (isinstance(found, property) and found.fset is None)


def _picture(path: tuple[PathSegment, ...], value: Any) -> ObservedField | None:
    """The size of a picture of pygame, which is all of it that is recorded."""
    kind = type(value)
    if kind.__name__ != "Surface" or not kind.__module__.startswith("pygame"):
        return None
    image = ObservedField(path)
    name = f"{image.name}.size"
    return ObservedField((), get=lambda obj: image.get(obj).get_size(), name=name)


def _reason(value: Any, is_observed: Callable[[Any], bool]) -> str:
    if is_observed(value):
        return f"{with_article(type(value).__name__)}, which is recorded by itself"
    return why_unfit(value)


def _class(obj: Any) -> str:
    return type(obj).__name__


def _no_field(obj: Any, holder: Any, name: str, part: str) -> str:
    names = [*stored(holder), *_public(type(holder))]
    return f"{_class(obj)} has no field {name!r}: {name_hint(part, names)}"


def _public(kind: type) -> Iterator[str]:
    return (
        name
        for name, one in vars(kind).items()
        if not name.startswith("_") and isinstance(one, property)
    )
