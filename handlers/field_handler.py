"""A handler for any object with plain fields, without a line of code for it."""

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import CommandError, HandlerError
from ..recorder.handler_interface import PacketWriter
from ..recorder.packets.layouts.layout import Field
from ..recorder.packets.recorded_frame import Packet
from .packed_fields import TEXT_BYTES, FieldSet

_ORIGIN = (0.0, 0.0, 0.0)
_HEADER: Mapping[str, tuple[Any, str]] = {
    "position": (_ORIGIN, "fd"), "angles": (_ORIGIN, "fd"), "visible": (True, "?"),
    "targetable": (True, "?"),
}  # fmt: skip
"""Defaults of the header's fields, and numpy's letters of the columns that the ring takes."""


class FieldColumns(NamedTuple):
    """The columns of many objects (see `Columns`)."""

    ids: npt.NDArray[np.uint64]
    positions: Any
    angles: Any
    targetable: Any
    visible: Any
    payloads: Any
    cut: Any = None
    """(n,) bool: in which rows a text is cut; None if all are complete."""


class PartHandler:
    """What handlers of objects with fields have in common: where the fields are, and which."""

    def __init__(
        self,
        example: Any,
        *,
        part: str = "",
        names: Sequence[str] | None = None,
        text: int = TEXT_BYTES,
    ) -> None:
        self._part: Callable[[Any], Any] | None = attrgetter(part) if part else None
        target = self.target(example)
        self.fields = FieldSet(target, names, text=text)
        for name in ("position", "angles"):
            if np.shape(header_value(target, name, _ORIGIN)) != (3,):
                raise HandlerError(f"field {name!r} must be three numbers")
        self._headed = {name for name in _HEADER if header_value(target, name, None) is not None}

    def target(self, obj: Any) -> Any:
        """What holds the fields of this object."""
        return self._part(obj) if self._part else obj


class FieldHandler(PartHandler):
    """Records and plays the fields of a dataclass, a msgspec struct or a numpy record.

    Fields named `position`, `angles`, `visible` and `targetable` go into the packet's header too.
    Objects of a type are recorded in one batch.

        session = ph.Session(world, handlers={"guard": ph.FieldHandler(Guard())})

    Args:
        example: An object like those to come.
        part: The attribute of the object that holds the fields, such as `view`; the object itself
            by default. With it, `example` is the whole object.
        names: Which fields; all by default.
        text: Bytes kept for a text or a blob, in UTF-8. What is longer is cut and its packet is
            flagged; in playback a stand-in shows such an object, so that it keeps its own text.
        notes: Units and roles of fields, beside those that are known by their names.

    Raises:
        HandlerError: a field can't be kept in a fixed number of bytes.
    """

    def __init__(
        self,
        example: Any,
        *,
        part: str = "",
        names: Sequence[str] | None = None,
        text: int = TEXT_BYTES,
        notes: Mapping[str, Field] | None = None,
    ) -> None:
        super().__init__(example, part=part, names=names, text=text)
        self.layout = self.fields.layout(notes)
        self.fixed_size = self.fields.size

    def size(self, obj: Any) -> int:
        """Bytes of the payload: the same for all objects."""
        return self.fixed_size

    def record(self, obj: Any, packet: PacketWriter) -> None:
        """Write an object's fields into its packet."""
        target = self.target(obj)
        packet.cut = self.fields.write(target, packet)
        fill_header(packet, target)

    def record_many(self, ids: Sequence[int], objs: Sequence[Any]) -> FieldColumns:
        """The fields of many objects as numpy columns; called instead of `record`."""
        targets = list(map(self._part, objs)) if self._part else objs
        table, cut = self.fields.columns(targets)
        header = {name: self._header(name, table, targets) for name in _HEADER}
        position = header["position"]
        return FieldColumns(
            np.array(ids, np.uint64),
            np.zeros((len(ids), 3), np.float32) if position is None else position,
            header["angles"], header["targetable"], header["visible"], table, cut,
        )  # fmt: skip

    def _header(self, name: str, table: npt.NDArray[Any], targets: Sequence[Any]) -> Any:
        """A column of the packets' headers; None where all have the default."""
        if name not in self._headed:
            return None
        default, letters = _HEADER[name]
        if name in self.fields.names and table[name].dtype.char in letters:
            return table[name]
        values = [header_value(target, name, default) for target in targets]
        if default is True:
            return np.array(list(map(bool, values)))
        return np.array(values, np.float64).reshape(len(values), 3)

    def play(self, obj: Any, packet: Packet) -> None:
        """Set an object's fields to the values in its packet."""
        self.fields.restore(self.target(obj), packet.payload)

    def get_field(self, obj: Any, field: str) -> Any:
        """The value of a field as the object has it."""
        target = self.target(obj)
        return target[field] if self.fields.is_record else getattr(target, field)

    def set_field(self, obj: Any, field: str, value: Any) -> None:
        """Set a field to a value that it can be recorded with.

        Raises:
            CommandError: the value does not fit its layout.
        """
        try:
            is_whole = self.fields.fits(field, value)
        except HandlerError as error:
            raise CommandError(str(error)) from None
        if not is_whole:
            raise CommandError(f"{field}: its layout has no room for a text that long")
        target = self.target(obj)
        if self.fields.is_record:
            target[field] = value
        else:
            setattr(target, field, value)


def fill_header(packet: PacketWriter, target: Any) -> None:
    """Set a packet's header from the attributes (or items) of these names that an object has."""
    packet.position = header_value(target, "position", _ORIGIN)
    packet.angles = header_value(target, "angles", _ORIGIN)
    packet.visible = bool(header_value(target, "visible", True))
    packet.targetable = bool(header_value(target, "targetable", True))


def header_value(target: Any, name: str, default: Any) -> Any:
    """The header values of an object, or of a numpy record."""
    if isinstance(target, np.void):
        return target[name] if name in (target.dtype.names or ()) else default
    return getattr(target, name, default)
