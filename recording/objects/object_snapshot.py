"""Objects as they were in one frame."""

from functools import cached_property
from typing import Any

import numpy as np

from ...errors import DamagedError, HandlerError
from ...recorder.packets.layouts.layout import Layout
from ...recorder.packets.recorded_frame import Packet
from ...recorder.reading.frame_source import FrameSource
from ...recorder.text.name_hint import name_hint

_MOST_LISTED = 10


class ObjectSnapshot:
    """An object as it was recorded in a frame: a copy, yours to keep.

    It can be given wherever a question is about an object.
    """

    def __init__(self, frame: int, packet: Packet, name: str, layout: Layout) -> None:
        self._packet, self._layout = packet, layout
        self.frame = frame
        """The number of the frame."""
        self.id = packet.id
        self.type = packet.type
        self.name = name
        """Its name then; empty if it had none."""
        self.position = packet.position
        """For showing, in single precision. In the game's own it may be among the fields."""
        self.angles = packet.angles
        """Radians, in the order of the recording's `conventions`."""
        self.visible = packet.visible
        self.targetable = packet.targetable
        self.damaged = packet.damaged
        """Whether its handler failed in this frame: then it has no fields."""

    @cached_property
    def fields(self) -> dict[str, Any]:
        """What its handler recorded, by name: numbers, texts, numpy arrays.

        Raises:
            DamagedError: the bytes do not fit the layout of its type.
        """
        if self.damaged:
            return {}
        try:
            values = self._layout.decode(self._packet.payload)
        except HandlerError as error:
            raise DamagedError(f"frame {self.frame}, object {self.id}: {error}") from None
        return {name: _plain(value) for name, value in values.items()}

    def __getitem__(self, field: str) -> Any:
        """One of its fields.

        Raises:
            KeyError: it has none of that name; the message lists those that it has.
        """
        try:
            return self.fields[field]
        except KeyError:
            raise KeyError(
                f"{self.type} {self.id} has no field {field!r}: {name_hint(field, self.fields)}"
            ) from None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ObjectSnapshot):
            return NotImplemented
        return (self.frame, self.name, self._layout) == (
            other.frame, other.name, other._layout
        ) and self._packet._replace(number=0) == other._packet._replace(number=0)  # fmt: skip

    def __hash__(self) -> int:
        return hash((self.frame, self.id, self.type))

    def __repr__(self) -> str:
        name = f" {self.name!r}" if self.name else ""
        position = ", ".join(f"{part:g}" for part in self.position)
        return f"<{self.type} {self.id}{name} in frame {self.frame} at ({position})>"


def objects_in(source: FrameSource, frame: int, type: str | None = None) -> list[ObjectSnapshot]:
    """The objects of a frame, in the order in which they were recorded; of one type, or all."""
    names = source.names(frame)
    return [
        ObjectSnapshot(
            frame, packet, names.get(packet.id, ""), source.type_of(frame, packet.number)[1]
        )
        for packet in source.objects(frame)
        if type in (None, packet.type)
    ]


def object_list_text(objects: list[ObjectSnapshot]) -> str:
    """Which objects there are, to end a sentence that begins with a place: `are 1 (boss), 2`."""
    if not objects:
        return "is none"
    texts = [f"{one.id}{f' ({one.name})' if one.name else ''}" for one in objects[:_MOST_LISTED]]
    more = len(objects) - len(texts)
    return f"are {', '.join(texts)}{f' and {more} more' if more else ''}"


def _plain(value: Any) -> Any:
    """A decoded value: a number of numpy's as Python's own, the bytes of a text field as text."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bytes):
        return value.rstrip(b"\0").decode("utf-8", errors="replace")
    return value
