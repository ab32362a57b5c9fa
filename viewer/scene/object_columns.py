"""The objects of a frame as columns, a group for each type; single ones are made when asked for.

A frame with hundreds of objects is looked at as a whole by the world view, and one by one only
where one is selected: so nothing is decoded before it is needed.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence, ValuesView
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import PlayheadError
from ...native.ring_type_aliases import DAMAGED, HIDDEN
from ...recorder.packets.layouts.layout import Layout
from ...recorder.packets.packet_types import FIRST_OBJECT
from ...recorder.packets.recorded_frame import Packet
from ...recording.objects.object_lookup import shown_name
from .packet_columns import PacketColumns

Array = npt.NDArray[np.float64]


class SceneObject:
    """An object as it was recorded in the frame; its fields are read when they are asked for.

    Args:
        packet: What was recorded.
        name: Its name; its type and id if it has none.
        layout: How its payload is to be read.
    """

    __slots__ = ("_read", "layout", "name", "packet")

    def __init__(self, packet: Packet, name: str, layout: Layout) -> None:
        self.packet = packet
        self.name = name
        self.layout = layout
        self._read: tuple[Mapping[str, Any], str] | None = None

    @property
    def values(self) -> Mapping[str, Any]:
        """Its payload's fields; empty if they can't be read."""
        return self._decoded()[0]

    @property
    def error_text(self) -> str:
        """Why the fields can't be read."""
        return self._decoded()[1]

    def _decoded(self) -> tuple[Mapping[str, Any], str]:
        if self._read is None:
            self._read = _values(self.layout, self.packet)
        return self._read


class ObjectGroup:
    """Objects of one type whose payloads are equally long.

    Args:
        type: Its name.
        layout: How the payloads are to be read.
        columns: The packets.
    """

    def __init__(self, type: str, layout: Layout, columns: PacketColumns) -> None:
        self.type = type
        self.layout = layout
        self._columns = columns
        self._headers = columns.headers
        self._size = columns.payloads.shape[1]

    def __len__(self) -> int:
        return len(self._headers)

    @cached_property
    def ids(self) -> list[int]:
        """The objects' ids, in recording order."""
        ids: list[int] = self._headers["id"].tolist()
        return ids

    @property
    def positions(self) -> Array:
        """(n, 3), in the game's own axes."""
        return self._headers["position"].astype(np.float64)

    @property
    def angles(self) -> Array:
        """(n, 3), radians."""
        return self._headers["angles"].astype(np.float64)

    @cached_property
    def half_sizes(self) -> Array:
        """(n, 2) half the width and height of what has a rectangle around its position, as pygame
        has it, and is not turned; NaN for all others."""
        found = np.full((len(self), 2), np.nan)
        rect = self.column("rect")
        if rect is None or rect.shape != (len(self), 4) or rect.dtype.kind not in "iuf":
            return found
        halves = rect[:, 2:].astype(np.float64) / 2
        middle = rect[:, :2] + halves
        is_around = np.abs(middle - self.positions[:, :2]).max(axis=1) <= 1
        is_boxed = is_around & (halves > 0).all(axis=1) & ~self.angles.any(axis=1) & self.whole
        found[is_boxed] = halves[is_boxed]
        return found

    @property
    def visible(self) -> npt.NDArray[np.bool_]:
        mask: npt.NDArray[np.bool_] = (self._headers["flags"] & HIDDEN) == 0
        return mask

    @cached_property
    def whole(self) -> npt.NDArray[np.bool_]:
        """Which of them can be read: their handlers did not fail, and the layout fits."""
        fine: npt.NDArray[np.bool_] = (self._headers["flags"] & DAMAGED) == 0
        if self._size < self.layout.dtype.itemsize:
            fine = np.zeros(len(self), np.bool_)
        return fine

    @cached_property
    def states(self) -> npt.NDArray[Any] | None:
        """The field that says which state each is in; None if there is none."""
        column = self.column(self.role("state"))
        return column if column is not None and column.ndim == 1 else None

    @cached_property
    def state_names(self) -> list[str]:
        """The state that each is in; empty if it can't be read, or none is recorded.

        All at once: one by one, hundreds of objects take a tenth of a move of the playhead.
        """
        column = self.states
        if column is None:
            return [""] * len(self)
        try:
            values = column.tolist()
        except ValueError:  # characters that there are none of
            values = [_or_empty(column, at) for at in range(len(self))]
        known = {value: plain(value) for value in dict.fromkeys(values)}
        names = [known[value] for value in values]
        if not self.whole.all():
            names = [
                name if whole else ""
                for name, whole in zip(names, self.whole.tolist(), strict=True)
            ]
        return names

    def column(self, field: str) -> npt.NDArray[Any] | None:
        """A field of all of them, (n, …); None if there is no such field of fixed size."""
        record = self.layout.dtype
        if record.fields is None or field not in record.fields:
            return None
        result: npt.NDArray[Any] | None = None
        if self._size >= record.itemsize:
            result = self._columns.records(record)[field]
        return result

    def tail(self) -> npt.NDArray[Any] | None:
        """What repeats behind the record, (n, elements, …); None if that is no numbers."""
        layout = self.layout
        if layout.tail in ("", "utf8", "msgpack"):
            return None
        element = np.dtype((layout.tail, layout.tail_shape))
        return self._columns.tails(layout.dtype.itemsize, element)

    def role(self, role: str) -> str:
        """The field with this role; empty if none has it."""
        return next((name for name, note in self.layout.notes.items() if note.role == role), "")

    def packet(self, index: int) -> Packet:
        """One of them by itself."""
        header, columns = self._headers[index], self._columns
        flags = int(header["flags"])
        return Packet(
            int(header["id"]), self.type, bool(header["targetable"]), not flags & HIDDEN,
            bool(flags & DAMAGED), tuple(header["position"].tolist()),
            tuple(header["angles"].tolist()), int(columns.channels[index]),
            columns.payloads[index].tobytes(), columns.type,
        )  # fmt: skip

    def packets(self) -> list[Packet]:
        """Each by itself, in recording order, for a tenth of what one at a time takes."""
        headers, columns = self._headers, self._columns
        rows = zip(
            self.ids, headers["targetable"].tolist(), headers["flags"].tolist(),
            headers["position"].tolist(), headers["angles"].tolist(), columns.channels.tolist(),
            columns.payloads, strict=True,
        )  # fmt: skip
        return [
            Packet(
                id, self.type, bool(targetable), not flags & HIDDEN, bool(flags & DAMAGED),
                tuple(position), tuple(angles), channels, payload.tobytes(), columns.type,
            )
            for id, targetable, flags, position, angles, channels, payload in rows
        ]  # fmt: skip


class FrameObjects(Mapping[int, SceneObject]):
    """All objects of a frame by id, in recording order.

    Args:
        groups: What they are made of.
        names: The names of those that were given one.
    """

    def __init__(self, groups: Sequence[ObjectGroup], names: Mapping[int, str]) -> None:
        self.groups = tuple(groups)
        self._names = names
        self._made: dict[int, SceneObject] = {}

    @cached_property
    def _rows_by_id(self) -> dict[int, tuple[ObjectGroup, int]]:
        return {id: (group, at) for group in self.groups for at, id in enumerate(group.ids)}

    def __len__(self) -> int:
        return len(self._rows_by_id)

    def __iter__(self) -> Iterator[int]:
        return iter(self._rows_by_id)

    def __contains__(self, id: object) -> bool:
        return id in self._rows_by_id

    def __getitem__(self, id: int) -> SceneObject:
        made = self._made.get(id)
        if made is None:
            group, at = self._rows_by_id[id]
            made = self._made[id] = SceneObject(group.packet(at), self.name_of(id), group.layout)
        return made

    def values(self) -> ValuesView[SceneObject]:
        for group in self.groups if len(self._made) < len(self._rows_by_id) else ():
            for packet in group.packets():
                if packet.id not in self._made:
                    name = shown_name(self._names.get(packet.id, ""), group.type, packet.id)
                    self._made[packet.id] = SceneObject(packet, name, group.layout)
        return super().values()

    def name_of(self, id: int) -> str:
        """What to call an object of this frame, without reading it.

        Raises:
            KeyError: it is not there.
        """
        return shown_name(self._names.get(id, ""), self._rows_by_id[id][0].type, id)

    def type_of(self, id: int) -> str:
        """An object's type, without reading it.

        Raises:
            KeyError: it is not there.
        """
        return self._rows_by_id[id][0].type

    @cached_property
    def types(self) -> tuple[str, ...]:
        """The types that are there, in order of their names."""
        return tuple(sorted({group.type for group in self.groups}))

    def state_of(self, id: int) -> str:
        """The state that an object's own fields say it is in; empty if they don't."""
        group, at = self._rows_by_id.get(id, (None, 0))
        return "" if group is None else group.state_names[at]


def groups_of(
    columns: Sequence[PacketColumns], type_of: Callable[[int], tuple[str, Layout]]
) -> list[ObjectGroup]:  # fmt: skip
    """The objects among a frame's packets.

    Args:
        type_of: Gives name and layout of a type's number.
    """
    return [ObjectGroup(*type_of(one.type), one) for one in columns if one.type >= FIRST_OBJECT]


def _values(layout: Layout, packet: Packet) -> tuple[Mapping[str, Any], str]:
    if packet.damaged:
        return {}, "its handler failed in this frame"
    try:
        return layout.decode(packet.payload), ""
    except PlayheadError as error:
        return {}, str(error)


def _or_empty(column: npt.NDArray[Any], at: int) -> Any:
    try:
        return column[at].item()
    except ValueError:
        return ""


def plain(value: Any) -> str:
    """A recorded text without its padding."""
    if isinstance(value, bytes):
        return value.rstrip(b"\0").decode("utf-8", errors="replace")
    return str(value)
