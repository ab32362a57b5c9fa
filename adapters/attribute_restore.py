"""Sets a program's own objects to recorded fields, and restores each object afterwards."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..errors import CommandError, HandlerError
from ..recorder.packets.recorded_frame import Packet
from .observed_field import ObservedField
from .observed_layout import ObservedLayout
from .observed_type import ObservedType
from .value_kind import WIDE, Missing

SavedValues = dict[ObservedField, tuple[Any, Any]]
"""The fields of an object as they were: each value, and a copy of what is in it."""


class OwnValues:
    """What objects held when playback began: the very same values, to be put back at its end.

    What is recorded of them would not do: a text may be cut there, and two objects may share a
    list that has to stay one.
    """

    def __init__(self) -> None:
        self._saved: dict[int, tuple[Any, SavedValues]] = {}
        self._changed: dict[int, dict[str, Any]] = {}
        """What objects' attributes were before they were set, by a setter of the program too."""

    def save(self, id: int, obj: Any, type: ObservedType) -> None:
        """Remember an object's values."""
        fields = [field for field in type.fields if field.restorable]
        self._saved[id] = obj, {field: field.save(obj) for field in fields}

    def of(self, id: int) -> SavedValues:
        """The values of an object; none if it was not there."""
        return self._saved[id][1] if id in self._saved else {}

    @contextmanager
    def noting(self, id: int, obj: Any) -> Iterator[None]:
        """Within it the fields of an object are set: note all attributes that this changes."""
        attributes = getattr(obj, "__dict__", None)
        if type(attributes) is not dict:
            yield
            return
        before = dict(attributes)
        try:
            yield
        finally:
            noted = self._changed.setdefault(id, {})
            for name in before.keys() | attributes.keys():
                was = before.get(name, Missing.MISSING)
                if attributes.get(name, Missing.MISSING) is not was:
                    noted.setdefault(name, was)

    def keep(self, obj: Any, field: ObservedField, change: Callable[[], object]) -> None:
        """Change a field of an object, in playback for good: it is given back so at the end."""
        saved = next((one for one in self._saved.items() if one[1][0] is obj), None)
        if saved is None:
            change()
            return
        id, (_, fields) = saved
        attributes = getattr(obj, "__dict__", {})
        before = dict(attributes)
        change()
        noted = self._changed.get(id, {})
        for name in noted.keys() & attributes.keys():
            if attributes[name] is not before.get(name, Missing.MISSING):
                noted[name] = attributes[name]
        fields[field] = field.save(obj)

    def restore(self, complain: Callable[[str, Exception], object]) -> None:
        """Put all values back, and forget them. What can't be put back costs itself alone."""
        saved, self._saved = self._saved, {}
        for id, (obj, fields) in saved.items():
            with self.noting(id, obj):
                for field, value in fields.items():
                    try:
                        field.restore(obj, value)
                    except Exception as error:
                        complain(f"restore {type(obj).__name__}.{field.name}", error)
            # Behind the setters: what they did beside is undone as well.
            for name, was in self._changed.get(id, {}).items():
                if was is Missing.MISSING:
                    vars(obj).pop(name, None)
                else:
                    vars(obj)[name] = was
        self._changed.clear()


class AttributeRestore:
    """Plays the packets of a class: sets the recorded fields of its objects.

    Fields that a packet lacks stay as they were when playback began, so that what is shown depends
    on the packet alone.
    """

    reads_all_layouts = True
    """Packets of older layouts are played as well: each is read by its own."""

    def __init__(self, type: ObservedType, own: OwnValues) -> None:
        self._type, self._own = type, own

    def play(self, obj: Any, packet: Packet) -> None:
        """Set the fields of an object as they were recorded.

        Raises:
            HandlerError: the packet is of no known layout, or a member is none of its enum.
        """
        with self._own.noting(packet.id, obj):
            self._set(obj, packet)

    def get_field(self, obj: Any, field: str) -> Any:
        """The value of a field as the object has it."""
        return self._field(field).value(obj)

    def set_field(self, obj: Any, field: str, value: Any) -> None:
        """Set a field; in playback for good.

        Raises:
            CommandError: it can't be set.
        """
        observed = self._field(field)
        if not observed.restorable:
            raise CommandError(f"{field} is read-only: it has no setter, or is worked out")
        self._own.keep(obj, observed, lambda: observed.show(obj, value))

    def _field(self, name: str) -> ObservedField:
        found = next((field for field in self._type.fields if field.name == name), None)
        if found is None:
            raise CommandError(f"no field {name!r} that could be set")
        return found

    def _set(self, obj: Any, packet: Packet) -> None:
        own = self._own.of(packet.id)
        layout = self._read_by(packet)
        record: Any = None
        if layout.columns:
            record = np.frombuffer(packet.payload, layout.dtype, count=1)[0]
        for field in self._type.fields:
            if not field.restorable:
                continue
            column = layout.columns.get(field)
            if column is not None:
                value = column.restored(record[column.name])
                if layout.kinds[field] is WIDE:
                    value = _as_own(value, own.get(field))
                field.show(obj, value)
            elif field in layout.nones:
                field.show(obj, None)
            elif field in own:
                field.restore(obj, own[field])

    def _read_by(self, packet: Packet) -> ObservedLayout:
        layout = self._type.layouts.get(packet.number)
        if layout is None:
            raise HandlerError(
                f"{self._type.name}: a packet of a layout that this session did not record"
            )
        return layout


def _as_own(number: float, own: tuple[Any, Any] | None) -> Any:
    """A number out of a column of whole numbers and fractions, as the object has it itself."""
    kind = type(own[0]) if own is not None else float
    if kind is int:
        return int(number) if number == number and number.is_integer() else number
    if issubclass(kind, np.number):
        with np.errstate(all="ignore"):
            converted = kind(number)
        return converted if converted == number or number != number else number
    return number
