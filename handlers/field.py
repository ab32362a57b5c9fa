"""A handler for any object with plain fields, without a line of code for it."""

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import HandlerError
from ..recorder.frame import Packet
from ..recorder.handler import PacketWriter
from ..recorder.layout import Field
from .fields import TEXT_BYTES, FieldSet

_ORIGIN = (0.0, 0.0, 0.0)


class FieldColumns(NamedTuple):
    """The columns of many objects (see `Columns`)."""

    ids: npt.NDArray[np.uint64]
    positions: Any
    angles: Any
    targetable: Any
    visible: Any
    payloads: Any


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
        self.fields = FieldSet(self.target(example), names, text=text)
        for name in ("position", "angles"):
            if name in self.fields.names and self.fields.dtype[name].shape != (3,):
                raise HandlerError(f"field {name!r} must be three numbers")

    def target(self, obj: Any) -> Any:
        """What holds the fields of this object."""
        return self._part(obj) if self._part else obj


class FieldHandler(PartHandler):
    """Records and plays the fields of a dataclass, or of a numpy record.

    Fields named `position`, `angles`, `visible` and `targetable` go into the packet's header too.
    Objects of a type are recorded in one batch.

    Args:
        example: An object like those to come.
        part: The attribute of the object that holds the fields, such as `view`; the object itself
            by default. With it, `example` is the whole object.
        names: Which fields; all by default.
        text: Bytes kept for a text.
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
        return self.fixed_size

    def record(self, obj: Any, packet: PacketWriter) -> None:
        target = self.target(obj)
        self.fields.write(target, packet)
        fill_header(packet, target)

    def record_many(self, ids: Sequence[int], objs: Sequence[Any]) -> FieldColumns:
        targets = list(map(self._part, objs)) if self._part else objs
        table = self.fields.columns(targets)
        names = self.fields.names
        return FieldColumns(
            np.array(ids, np.uint64),
            table["position"] if "position" in names else np.zeros((len(ids), 3), np.float32),
            table["angles"] if "angles" in names else None,
            table["targetable"] if "targetable" in names else None,
            table["visible"] if "visible" in names else None,
            table,
        )

    def play(self, obj: Any, packet: Packet) -> None:
        self.fields.put(self.target(obj), packet.payload)


def fill_header(packet: PacketWriter, target: Any) -> None:
    """Set a packet's header from the attributes (or items) of these names that an object has."""
    get = _item if isinstance(target, np.void) else getattr
    packet.position = get(target, "position", _ORIGIN)
    packet.angles = get(target, "angles", _ORIGIN)
    packet.visible = bool(get(target, "visible", True))
    packet.targetable = bool(get(target, "targetable", True))


def _item(record: Any, name: str, default: Any) -> Any:
    return record[name] if name in (record.dtype.names or ()) else default
