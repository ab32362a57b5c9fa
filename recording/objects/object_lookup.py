"""Resolves a caller's object to its id: given by id, by name, or by anything that has an id."""

import operator
from collections.abc import Collection
from typing import Any, Protocol, TypeAlias

from ...errors import CommandError, DamagedError, EvictedError
from ...playback.commands import LARGEST_ID
from ...recorder.packets.layouts.plain_value_codec import decode
from ...recorder.packets.packet_types import Kind
from ...recorder.reading.frame_source import FrameSource
from ...recorder.text.name_hint import name_hint


class HasId(Protocol):
    """Something with an id: an object of a recording, or one of the game's own."""

    @property
    def id(self) -> int: ...


ObjectOrId: TypeAlias = int | str | HasId
"""An object's id, its name, or something that has an `id`."""
_MOST_LISTED = 8


def object_id(source: FrameSource, object: ObjectOrId, frame: int) -> int:
    """The id of the object that is meant; a name means who has it at a frame.

    If no object has it then, it means the one that had it at any other time.

    Raises:
        CommandError: several objects have the name, or none ever did, or it is no id.
    """
    if isinstance(object, str):
        return _by_name(source, object, frame)
    number: Any = getattr(object, "id", object)
    try:
        if isinstance(number, bool) or callable(number):
            raise TypeError
        id = operator.index(number)
    except TypeError:
        raise CommandError(
            f"object {object!r}: give its id, its name, or something that has an id"
        ) from None
    if not 0 <= id <= LARGEST_ID:
        raise CommandError(f"object {id}: ids go from 1 to {LARGEST_ID}, 0 is the world")
    return id


def shown_name(name: str, type: str, id: int) -> str:
    """What an object is called wherever one reads it: by its name, or by its type and id."""
    return name or f"{type} {id}"


def shown_name_at(source: FrameSource, frame: int, id: int) -> str:
    """What an object is called at a frame; empty for what is no object there and has no name.

    Raises:
        DamagedError, EvictedError: the frame can't be read.
    """
    name = source.names(frame).get(id, "")
    if name:
        return name
    type = next((packet.type for packet in source.objects(frame) if packet.id == id), "")
    return shown_name("", type, id) if type else ""


def id_in_shown_name(text: str, types: Collection[str]) -> int | None:
    """The id in `Coin 3`, what an object without a name is called; None if it is none.

    Args:
        types: The types of the recording.
    """
    type, _, number = text.rpartition(" ")
    return int(number) if type in types and number.isdecimal() and number.isascii() else None


def names_over_time(source: FrameSource) -> dict[int, list[tuple[int, str]]]:
    """The names that objects had, by id, as (frame from which on, name); empty where one ended."""
    names_by_id: dict[int, list[tuple[int, str]]] = {}
    for first, last in source.stretches:
        try:
            names = source.names(first)
            for id in names_by_id.keys() - names.keys():  # it ended in a gap
                names_by_id[id].append((first, ""))
            for id, name in names.items():
                names_by_id.setdefault(id, []).append((first, name))
        except (DamagedError, EvictedError):
            pass  # nothing is known of this frame; the changes after it are read all the same
        for change in source.latch_changes(Kind.NAME, first, last):
            try:
                name = "" if change.payload is None else decode(change.payload, str)
            except DamagedError:
                continue
            names_by_id.setdefault(change.object, []).append((change.frame, name))
    return names_by_id


def _by_name(source: FrameSource, name: str, frame: int) -> int:
    if not name:
        raise CommandError("object '': give its id, its name, or something that has an id")
    now = [id for id, its_name in source.names(frame).items() if its_name == name]
    if len(now) == 1:
        return now[0]
    if now:
        raise CommandError(
            f"object {name!r}: {len(now)} objects have this name at frame {frame}, with the ids"
            f" {_listed(sorted(now))}: give an id"
        )
    every = names_over_time(source)
    had = {
        id: next(since for since, its_name in names if its_name == name)
        for id, names in every.items()
        if any(its_name == name for _, its_name in names)
    }
    if len(had) == 1:
        return next(iter(had))
    if had:
        listed = [f"{id} (from frame {since})" for id, since in sorted(had.items())]
        raise CommandError(
            f"object {name!r}: no object has this name at frame {frame}, and {len(had)} objects had"
            f" it before or after, with the ids {_listed(listed)}: give an id"
        )
    if name.isdecimal() and name.isascii():  # as a person types an id
        return object_id(source, int(name), frame)
    shown = id_in_shown_name(name, source.recorded_types(frame))
    if shown is not None:
        return object_id(source, shown, frame)
    known = sorted({its_name for names in every.values() for _, its_name in names if its_name})
    if known:
        there = name_hint(name, known)
    else:
        type = min(source.recorded_types(frame), default="Coin")
        there = f"no object has a name: give an id, or a type and an id, as in '{type} 1'"
    raise CommandError(f"object {name!r}: no object ever had this name; {there}")


def _listed(items: list[Any]) -> str:
    more = f" and {len(items) - _MOST_LISTED} more" if len(items) > _MOST_LISTED else ""
    return ", ".join(map(str, items[:_MOST_LISTED])) + more
