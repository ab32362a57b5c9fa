"""The rows of the inspector: everything that is known of one object in a frame."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ....recorder.packets.layouts.layout import Field
from ....recorder.packets.recorded_frame import Packet
from ...reader.frame_snapshot import FrameSnapshot, PreviousFrame, SceneObject, plain
from ...search.field_change_search import same_value
from ...toolkit.value_text import short_number


class FieldRow(NamedTuple):
    """One row: a heading if it has no value and no name beneath."""

    title: str
    value: str = ""
    unit: str = ""
    heading: bool = False
    changed: bool = False
    """Whether it differs from the frame right before this one."""
    field: str = ""
    """What a search for its changes goes by; empty where there is none."""
    curve: str = ""
    """Which of the object's curves it is; empty where it is no number."""
    parts: int = 1
    """How many numbers its value has: a vector's curve is its length."""
    watch: bool = False
    """Whether the curve is a watched value, not a field."""
    error_text: bool = False
    starred: bool = False
    """Whether it is starred, so that it is shown on top."""
    frame: int = 0
    """Where a click leads to; 0 for nowhere."""

    @property
    def key(self) -> str:
        """What it is known by among the rows of its object."""
        return self.field or self.curve or self.title


PINNED = "Pinned"
"""The group of what was picked out."""


def field_rows(
    snapshot: FrameSnapshot,
    object: int,
    before: PreviousFrame | None = None,
    stars: Sequence[str] = (),
) -> list[FieldRow]:
    """What to say of an object; what differs from the frame before is marked.

    Args:
        stars: Keys of the rows that are to stand on top, in this order.
    """
    rows = _all_rows(snapshot, object, before)
    by_key = {row.key: row for row in rows if not row.heading and row.value}
    on_top = [by_key[key]._replace(starred=True) for key in stars if key in by_key]
    if not on_top:
        return rows
    picked = {row.key for row in on_top}
    rest = [row for row in rows if row.heading or row.key not in picked]
    # A group that has nothing left needs no heading.
    rest = [
        row
        for at, row in enumerate(rest)
        if not row.heading or (at + 1 < len(rest) and not rest[at + 1].heading)
    ]
    return [FieldRow(PINNED, heading=True), *on_top, *rest]


def _all_rows(snapshot: FrameSnapshot, object: int, before: PreviousFrame | None) -> list[FieldRow]:
    seen = snapshot.objects.get(object)
    unit = snapshot.conventions.unit
    rows: list[FieldRow] = []
    # Of the frame before only one object was read: if another is meant, nothing is known of it.
    before = before if before is not None and before.object == object else None
    older = before.seen if before is not None else None
    if seen is not None:
        rows += _header(seen, older, unit)
        if object in snapshot.paths:
            rows.insert(2, FieldRow("path", _clipped(snapshot.paths[object])))
        rows += _payload(seen, older, unit)
    rows += _watched(snapshot, object, before)
    rows += _latched(snapshot, object)
    return rows


def _header(seen: SceneObject, older: SceneObject | None, unit: str) -> list[FieldRow]:
    packet = seen.packet
    was = None if older is None else older.packet
    return [
        FieldRow("Header", heading=True),
        FieldRow("object", f"{packet.type} · id {packet.id}", field="type"),
        FieldRow(
            "flags",
            _flags(packet),
            changed=was is not None and _flags(was) != _flags(packet),
            field="visible",
            error_text=packet.damaged or packet.cut or packet.partial,
        ),
        *_pose(seen, was, unit),
    ]


def _flags(packet: Packet) -> str:
    words = (
        ("visible", packet.visible), ("hidden", not packet.visible),
        ("not targetable", not packet.targetable), ("damaged", packet.damaged),
        ("a text is cut", packet.cut), ("not all of it was written", packet.partial),
    )  # fmt: skip
    return " · ".join(word for word, on in words if on)


def _pose(seen: SceneObject, was: Packet | None, unit: str) -> list[FieldRow]:
    """Where it is and how it is turned, of an object that does not say it in fields of its own."""
    packet = seen.packet
    rows = [
        FieldRow("position", row_text(packet.position), unit, field="position",
                 changed=was is not None and not same_value(was.position, packet.position)),
        FieldRow("angles", row_text(packet.angles), "rad", field="angles",
                 changed=was is not None and not same_value(was.angles, packet.angles)),
    ]  # fmt: skip
    return [row for row in rows if row.field not in seen.values]


def _payload(seen: SceneObject, older: SceneObject | None, unit: str) -> list[FieldRow]:
    rows = [FieldRow("Fields", heading=True)]
    if seen.error_text:
        rows.append(FieldRow(seen.error_text, error_text=True))
    notes = seen.layout.notes if seen.layout is not None else {}
    for name, value in seen.values.items():
        was = None if older is None else older.values.get(name)
        note = notes.get(name)
        array = np.asarray(value)
        rows.append(FieldRow(
            name, row_text(value), _unit_of(note, unit) if note is not None else "",
            changed=was is not None and not same_value(was, value), field=name,
            curve=name if array.dtype.kind in "biuf" and 0 < array.size <= 4 else "",
            parts=max(1, array.size),
        ))  # fmt: skip
    return rows if len(rows) > 1 else []


def _unit_of(note: Field, unit: str) -> str:
    """A field's unit, in which a length is in the game's own one."""
    if note.role in _IN_LENGTHS and note.unit.split("/")[0] == "m":
        return note.unit.replace("m", unit, 1)
    return note.unit


_IN_LENGTHS = ("position", "velocity", "desired_velocity", "avoidance")
"""Roles whose usual unit is the metre, whatever the game's own one is."""


def _watched(snapshot: FrameSnapshot, object: int, before: PreviousFrame | None) -> list[FieldRow]:
    rows = [
        FieldRow(
            name, short_number(value), curve=name, watch=True,
            changed=before is not None
            and not same_value(before.watches.get((id, name), value), value),
        )
        for (id, name), value in snapshot.watches.items()
        if id == object
    ]  # fmt: skip
    return [FieldRow("Watched", heading=True), *rows] if rows else []


def _latched(snapshot: FrameSnapshot, object: int) -> list[FieldRow]:
    rows = [
        FieldRow(key, _clipped(str(value)))
        for (id, key), value in snapshot.facts.items()
        if id == object
    ]
    return [FieldRow("Facts", heading=True), *rows] if rows else []


def whole_value(snapshot: FrameSnapshot, object: int, row: FieldRow) -> str:
    """A row's value with nothing left out that a card has room for."""
    seen = snapshot.objects.get(object)
    value: Any = None
    if row.watch:
        value = snapshot.watches.get((object, row.curve))
    elif row.field and row.title != row.field:
        return row.value  # in words of its own
    elif seen is not None and row.field in seen.values:
        value = seen.values[row.field]
    elif seen is not None and row.field in ("position", "angles"):
        value = getattr(seen.packet, row.field)
    elif not row.field:
        value = snapshot.facts.get((object, row.title))
    if value is None:
        return row.value
    if isinstance(value, bytes | np.bytes_):
        return _cut(plain(bytes(value)))
    if isinstance(value, str | Mapping):
        return _cut(str(value))
    array = np.asarray(value)
    if array.dtype.kind not in "biuf":
        return _cut(str(value))
    if array.ndim == 0:
        return str(array.item())
    if array.size > _MOST_SHOWN:
        return (
            f"{row_text(value)}: {', '.join(f'{one:.6g}' for one in array.ravel()[:12].tolist())} …"
        )
    return _cut(np.array2string(array, precision=6, suppress_small=True, max_line_width=60))


_MOST_SHOWN = 64


def _cut(text: str) -> str:
    return text if len(text) <= 1200 else text[:1199] + "…"


def row_text(value: Any) -> str:
    """A value in one line."""
    if isinstance(value, bytes | np.bytes_):
        return _clipped(plain(bytes(value)))
    if isinstance(value, str):
        return _clipped(value)
    if isinstance(value, Mapping):
        return _clipped(", ".join(f"{key} {row_text(inner)}" for key, inner in value.items()))
    try:
        array = np.asarray(value)
    except ValueError:
        return _clipped(str(value))
    if array.dtype.kind == "b" and array.ndim == 0:
        return "true" if array else "false"
    if array.dtype.kind in "iu" and array.ndim == 0:
        return str(int(array))
    if array.dtype.kind == "f" and array.ndim == 0:
        return short_number(float(array))
    if array.dtype.kind in "biuf" and array.ndim == 1 and array.size <= 4:
        return "   ".join(f"{number:.3f}" if array.dtype.kind == "f" else str(number)
                          for number in array.tolist())  # fmt: skip
    if array.dtype.kind in "biuf":
        return f"{' × '.join(str(size) for size in array.shape)} numbers"
    return _clipped(str(value))


def _clipped(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 200 else text[:199] + "…"
