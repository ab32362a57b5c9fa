"""The packet layout for objects with the same kinds of values: columns, and their offsets."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from ..handlers.field_column import REFUSED, RecordColumn
from ..handlers.packed_fields import ROLES
from ..recorder.packets.layouts.layout import Field, Layout, layout_from_dtype
from .observed_field import ObservedField
from .value_kind import (
    NONE,
    TEXT_SIZES,
    UNFIT,
    WIDE,
    ValueKind,
    column_for,
    is_never_fit,
    kinds_of,
)

StructuredArray = npt.NDArray[Any]

_PLACES = ("position", "pos", "location", "center")
_ANGLES = ("angles", "angle", "rotation", "heading", "yaw")
_PARTS = ("", "transform.", "body.", "pose.")
"""Where position and angle are looked for, the first one first."""
_RESTING = Field(restored=False)
TYPES = "."
"""No field: the note under this name distinguishes layouts of the same bytes."""
NO_VALUE = "none"
"""The role of a field that is None in all objects of a layout, and so has no bytes."""


class Rows(NamedTuple):
    """Objects of one layout, as columns."""

    table: StructuredArray
    cut: npt.NDArray[Any] | None
    """(n,) whose texts are cut; None if none is."""


class _Packed(NamedTuple):
    field: ObservedField
    kind: ValueKind
    column: RecordColumn
    types: frozenset[type]
    """What the values' types may be, for a quick look."""


class ObservedLayout:
    """Objects of a class with fields of the same kinds.

    Args:
        kinds: The kind of each field, with a value of it.
        turn: What an angle of the program is to be multiplied by for radians.
        unit: The unit of length, by whether its objects have two coordinates.
    """

    def __init__(
        self,
        kinds: Mapping[ObservedField, tuple[ValueKind, Any]],
        turn: float,
        unit: Callable[[bool], str],
    ) -> None:
        self.nones = frozenset(field for field, (kind, _) in kinds.items() if kind is NONE)
        self._packed = [
            _Packed(field, kind, column_for(field.name, field.get, kind, value), _types_of(kind))
            for field, (kind, value) in kinds.items()
            if kind.fits
        ]
        self._others = [
            (field, kind) for field, (kind, _) in kinds.items() if not kind.fits
        ]  # fmt: skip
        self.columns = {one.field: one.column for one in self._packed}
        self.kinds = {field: kind for field, (kind, _) in kinds.items()}
        self.dtype = np.dtype([
            (one.column.name, one.column.format, one.column.shape) for one in self._packed
        ])  # fmt: skip
        shapes = {one.column.name: one.column.shape for one in self._packed if _is_number(one)}
        self._position = _position(shapes)
        self._angles = _angles(shapes, turn)
        self.is_flat = self._position is not None and self._position[1] <= 2
        self.has_position = self._position is not None
        self._visible = "visible" if "visible" in (self.dtype.names or ()) else ""
        self.layout: Layout = layout_from_dtype(
            self.dtype, notes=self._notes(unit(self.is_flat), turn)
        )
        self.counts: frozenset[int] = frozenset()
        """How many attributes objects of this layout have."""

    def add_suffix(self, number: int) -> None:
        """Differ from layouts of the same bytes that stand for other types."""
        notes = {**self.layout.notes, TYPES: Field(role=f"types {number}")}
        self.layout = msgspec.structs.replace(self.layout, notes=notes)

    def pack(self, objs: Sequence[Any]) -> Rows | None:
        """The fields of many objects; None if they do not all have this layout any more."""
        try:
            for field, kind in self._others:
                values = field.values(objs)
                if kind is UNFIT and all(map(is_never_fit, set(map(type, values)))):
                    continue
                if set(kinds_of(values, any_list=field.any_list)) != {kind}:
                    return None
            return self.pack_values([list(map(one.field.get, objs)) for one in self._packed])
        except Exception:  # a field is gone, or the program's property failed: it is reported there
            return None

    def pack_values(self, columns: Sequence[list[Any]], *, known: bool = False) -> Rows | None:
        """The same for values that were taken out already, column by column.

        Args:
            known: They are of these kinds; else None is returned if they are not.
        """
        table = np.empty(len(columns[0]) if columns else 0, self.dtype)
        cut = None
        for (_, kind, column, types), values in zip(self._packed, columns, strict=True):
            if not known and not _all_fit(values, kind, types):
                return None
            try:
                found = column.pack(values, table[column.name])
            except REFUSED:
                if known:
                    raise
                return None
            if found is not None:
                if kind.size != TEXT_SIZES[-1] and not known:
                    return None
                cut = found if cut is None else cut | found
        return Rows(table, cut)

    def positions(self, table: StructuredArray) -> npt.NDArray[np.float32]:
        """(n, 3) the objects' positions; zeros where no field holds one."""
        found = np.zeros((len(table), 3), np.float32)
        if self._position is not None:
            read, size = self._position
            with np.errstate(over="ignore", invalid="ignore"):
                for axis in range(size):
                    found[:, axis] = read(table, axis)
        return found

    def angles(self, table: StructuredArray) -> npt.NDArray[np.float32] | None:
        """(n, 3) their angles, radians; None if no field holds them."""
        if self._angles is None:
            return None
        found = np.zeros((len(table), 3), np.float32)
        name, is_three, turn = self._angles
        with np.errstate(over="ignore", invalid="ignore"):
            if is_three:
                found[:] = table[name] * turn
            else:
                found[:, 2] = table[name] * turn
        return found

    def visible(self, table: StructuredArray) -> npt.NDArray[np.bool_] | None:
        """(n,) whether they are visible; None if no field holds it."""
        if not self._visible or table[self._visible].dtype.kind not in "biuf":
            return None
        return np.asarray(table[self._visible]).astype(np.bool_)

    def _notes(self, unit: str, turn: float) -> dict[str, Field]:
        notes: dict[str, Field] = {}
        for field, column in self.columns.items():
            last = field.name.rpartition(".")[2]
            restored = field.restorable
            if last in _PLACES and column.shape in ((2,), (3,)):
                notes[field.name] = Field(unit, "position", restored)
            elif last in ("velocity", "vel") and column.shape in ((2,), (3,)):
                notes[field.name] = Field(f"{unit}/s", "velocity", restored)
            elif last in _ANGLES:
                notes[field.name] = Field("rad" if turn == 1.0 else "deg", "", restored)
            elif last in ("hp", "health", "state", "visible") and not column.shape:
                notes[field.name] = Field("", ROLES[last].role, restored)
            elif not restored:
                notes[field.name] = _RESTING
        for field in self.nones:
            notes[field.name] = Field(role=NO_VALUE, restored=field.restorable)
        return notes


def _types_of(kind: ValueKind) -> frozenset[type]:
    return _WIDE if kind is WIDE else frozenset((kind.type,))


_WIDE = frozenset((float, int))
"""What is nearly always in a wide column; for others it is looked closer."""


def _all_fit(values: list[Any], kind: ValueKind, types: frozenset[type]) -> bool:
    """Whether values are of a kind, or can do as such."""
    found = set(map(type, values))
    if kind.family == "number" or (kind.family == "text" and found <= types):
        if not found <= types:
            return False
        if kind is WIDE and int in found:
            return all(type(one) is not int or abs(one) <= 1 << 53 for one in values)
        return True
    if kind.family == "vector" and found <= types:
        inside = {type(item) for value in values for item in value}
        return inside <= _WIDE if kind.wide else inside == {int}
    if kind.family == "array" and found == {np.ndarray}:
        return {(one.dtype.str, one.shape) for one in values} == {(kind.type, kind.size)}
    return False


def _is_number(one: _Packed) -> bool:
    return one.kind.family in ("number", "vector", "array") and one.column.format[1] in "iuf"


def _position(
    shapes: Mapping[str, tuple[int, ...]],
) -> tuple[Callable[[StructuredArray, int], Any], int] | None:
    """What reads a coordinate of all objects, and how many there are."""
    for part in _PARTS:
        for name in _PLACES:
            path = f"{part}{name}"
            if shapes.get(path) in ((2,), (3,)):
                return (lambda table, axis, at=path: table[at][:, axis]), shapes[path][0]
            if found := _axes(shapes, f"{path}.", "xyz"):
                return found
        if shapes.get(f"{part}rect") == (4,):
            return (
                lambda table, axis, at=f"{part}rect": (
                    table[at][:, axis] + table[at][:, axis + 2] / 2
                )
            ), 2
        if found := _axes(shapes, part, "xyz") or _axes(shapes, f"{part}center_", "xyz"):
            return found
    for part in _PARTS:  # a world of one dimension
        if shapes.get(f"{part}x") == ():
            return (lambda table, axis, at=f"{part}x": table[at]), 1
    return None


def _axes(
    shapes: Mapping[str, tuple[int, ...]], before: str, letters: str
) -> tuple[Callable[[StructuredArray, int], Any], int] | None:
    names = [f"{before}{letter}" for letter in letters if shapes.get(f"{before}{letter}") == ()]
    if [name[-1] for name in names[:2]] != ["x", "y"]:
        return None
    return (lambda table, axis: table[names[axis]]), len(names)


def _angles(shapes: Mapping[str, tuple[int, ...]], turn: float) -> tuple[str, bool, float] | None:
    for part in _PARTS:
        for name in _ANGLES:
            shape = shapes.get(f"{part}{name}")
            if shape == (3,) or shape == ():
                return f"{part}{name}", shape == (3,), turn
    return None
