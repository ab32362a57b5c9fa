"""A class of a program's own objects: its fields by inspection, and its objects as columns."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from ..errors import RecordingError
from ..handlers.field_handler import FieldColumns
from ..recorder.handler_interface import Batch, Columns
from ..recorder.packets.layouts.layout import MOST_NAME, Layout
from ..recorder.text.safe_log import log_safely
from ..recorder.text.safe_text import safe_text
from .field_inspection import FieldChoice, chosen_fields, fields_of, objects_within, stored
from .object_discovery import is_container
from .observed_field import ObservedField
from .observed_layout import ObservedLayout, Rows
from .value_kind import MISSING, NONE, UNFIT, ValueKind

_logger = logging.getLogger("playhead")

LOOK_AGAIN = 16
"""Frames after which objects of several layouts are looked at more closely, changed or not; and
how many objects are few enough to look in each frame whether their empty containers are filled."""
MOST_FIELDS = 1000
"""Fields of one class: a layout has room for few more."""
MOST_REPORTED = 20
"""Fields that are named at once of those that are not recorded."""
MOST_LAYOUTS = 256
"""Layouts of one class: objects beyond them are recorded without their fields."""


class Surroundings(NamedTuple):
    """What a class needs to know of the world around it."""

    is_observed: Callable[[Any], bool]
    """Whether an object is recorded by itself."""
    declare: Callable[[str, Layout], int]
    """The number that packets of a layout have."""
    complain: Callable[[str, RecordingError], object]
    """Reports an error and goes on: a strict session raises it at the frame's end."""
    refuse: Callable[[str, RecordingError], object]
    """Keeps what the step's end raises in any case: a mistake in the chosen fields."""
    label: Callable[[int], str]
    """What an object is called, for an error."""
    turn: float
    """An angle of the program times this is radians."""
    unit: Callable[[bool], str]
    """The unit of length, by whether a layout's objects have two coordinates."""
    restore: bool


class ObservedType:
    """All objects of one class.

    What an object holds is looked at when it is new, and when it has other attributes than before.
    From then on its values are read column by column. Objects whose values are of other kinds have
    a layout of their own under the same name, so that nothing is lost where a field changes its
    type.

    Args:
        name: What the type is called in the recording.
        kind: The class.
        choice: The chosen fields; None for all that can be recorded.
    """

    def __init__(
        self, name: str, kind: type, around: Surroundings, choice: FieldChoice | None = None
    ) -> None:
        self.name, self.kind = name, kind
        self.fields: list[ObservedField] = []
        self.left_out: dict[str, str] = {}
        """Fields that can't be recorded, and why."""
        self.layouts: dict[int, ObservedLayout] = {}
        """Keyed by the number of their packets."""
        self._around, self._choice = around, choice
        self._by_name: dict[str, ObservedField] = {}
        self._by_kinds: dict[tuple[ValueKind, ...], ObservedLayout] = {}
        self._main: ObservedLayout | None = None
        """The layout of all objects of the newest frame; None if they have several."""
        self._empty: ObservedLayout | None = None
        self._count = _count_of(kind)
        self._counts: list[int] = []
        """How many attributes the objects had that were looked at more closely last."""
        self._closer = 0
        self._seen_names: set[frozenset[Any]] = set()
        """Names of attributes, together, that objects had which were inspected."""
        self._looked_at: set[tuple[ValueKind, ...]] = set()
        """Kinds of which an object was looked at."""
        self._complained: set[str] = set()
        self._warned: set[str] = set()
        """Fields for which it was logged that their objects are not recorded."""
        self._empty_ones: set[str] = set()
        """Fields that hold a container which was empty when it was looked at."""
        self._frames = 0

    @property
    def can_restore(self) -> bool:
        """Whether anything of its objects can be put back."""
        return self._around.restore and any(field.restorable for field in self.fields)

    def batches(
        self, ids: Sequence[int], objs: Sequence[Any], fresh: Sequence[Any], numbers: Any
    ) -> Iterator[Batch]:
        """All its objects of a frame as columns.

        Args:
            fresh: Those of them that were never seen before.
            numbers: The ids as an array.
        """
        for obj in fresh:
            self._inspect(obj)
        self._frames += 1
        if self._empty_ones and (len(objs) <= LOOK_AGAIN or self._frames % LOOK_AGAIN == 0):
            self._look_at_filled(objs)
        # Names are compared where something else has changed: in every frame they cost too much.
        counts = list(self._count(objs)) if self._count else []
        main = self._main
        if main is not None and main.counts.issuperset(counts):
            rows = main.pack(objs)
            if rows is not None:
                yield self._batch(main, numbers, rows, len(objs))
                return
        self._look_closer(objs, counts)
        yield from self._grouped(ids, objs, frozenset(counts))

    def bare(self, numbers: Any) -> Batch:
        """Its objects of a frame without any field, for when they can't be read."""
        layout = self._without_fields()
        return self._batch(layout, numbers, Rows(np.zeros(len(numbers), []), None), len(numbers))

    # --- what there is ----------------------------------------------------------------------------

    def _look_closer(self, objs: Sequence[Any], counts: list[int]) -> None:
        """Inspect objects that have attributes which none had before."""
        self._closer += 1
        is_steady = self._main is None and counts == self._counts
        if self._count is None or (is_steady and self._closer % LOOK_AGAIN):
            return
        self._counts = counts
        names = [frozenset(_attribute_names(obj)) for obj in objs]
        if self._seen_names.issuperset(names):
            return
        if len(self._seen_names) > MOST_LAYOUTS:
            self._seen_names.clear()
        for obj, attributes in zip(objs, names, strict=True):
            if attributes not in self._seen_names:
                self._seen_names.add(attributes)
                self._inspect(obj)

    def _inspect(self, obj: Any) -> None:
        if self._choice is not None:
            try:
                found = chosen_fields(obj, self._choice)
            except RecordingError as error:
                # Where others of the class have them, this object differs; else they are misspelt.
                self._complain("fields", error, is_mistake=not self.fields)
                return
            left_out: dict[str, str] = {}
        else:
            found, left_out = fields_of(obj, self._around.is_observed)
        new_fields = []
        for field in found:
            if field.name in self._by_name:
                continue
            why = why_no_field(field.name, len(self._by_name))
            if why:
                left_out[field.name] = why
                continue
            self._by_name[field.name] = field
            new_fields.append(field)
        if new_fields:
            self.fields += new_fields
            self._by_kinds.clear()
            self._looked_at.clear()
            self._main = None
        for name in {field.name.partition(".")[0] for field in found if "." in field.name}:
            self.left_out.pop(name, None)
        fit = {field.name for field in self.fields if field.families}
        left_out = {name: why for name, why in left_out.items() if name not in fit}
        if self._choice is None:
            self._look_into(obj, left_out, fit)
        self._leave_out(left_out)

    def _look_into(self, obj: Any, left_out: dict[str, str], fit: set[str]) -> None:
        """See which fields are left out since they are None, or hold objects: that is warned of."""
        for name, value in stored(obj).items():
            if value is None and name not in fit:
                # A field without a value is not reported: the next object may have one.
                self.left_out.setdefault(name, "None so far")
            if name not in left_out:
                continue
            within = objects_within(value, self._around.is_observed)
            if within and name not in self._warned:
                self._warned.add(name)
                self._warn(name, isinstance(obj, dict), within)
            if within:
                left_out.pop(name)
                self.left_out[name] = f"{within}, which are not recorded as part of it"
            elif _is_empty(value):
                self._empty_ones.add(name)

    def _look_at_filled(self, objs: Sequence[Any]) -> None:
        """Inspect an object again if a container of it was empty and holds something now."""
        for name in tuple(self._empty_ones):
            filled = next((obj for obj in objs if _is_filled(obj, name)), None)
            if filled is not None:
                self._empty_ones.discard(name)
                self._inspect(filled)

    def _warn(self, name: str, is_item: bool, within: str) -> None:
        what = f"the item {name!r} of a {self.name}" if is_item else f"{self.name}.{name}"
        where = f"…[{name!r}]" if is_item else f"{self.name.rpartition('.')[2].lower()}.{name}"
        log_safely(
            _logger, logging.WARNING,
            "%s is %s, which are not recorded as part of it: rec.add(%s) records each",
            what, within, where,
        )  # fmt: skip

    def _leave_out(self, fields: Mapping[str, str]) -> None:
        new_fields = {name: why for name, why in fields.items() if name not in self.left_out}
        if new_fields:
            self.left_out.update(new_fields)
            text = "; ".join(
                f"{name} ({why})" for name, why in list(new_fields.items())[:MOST_REPORTED]
            )
            if len(new_fields) > MOST_REPORTED:
                text += f"; and {len(new_fields) - MOST_REPORTED} more"
            log_safely(
                _logger, logging.INFO,
                "fields of %s that are not recorded: %s. fields={%s: […]} chooses others",
                self.name, text, repr(self.name),
            )  # fmt: skip

    # --- objects of several layouts ---------------------------------------------------------------

    def _grouped(
        self, ids: Sequence[int], objs: Sequence[Any], counts: frozenset[int]
    ) -> Iterator[Batch]:
        values = [field.values(objs) for field in self.fields]
        kinds = [field.kinds(column) for field, column in zip(self.fields, values, strict=True)]
        self._report_failures()
        groups: dict[tuple[ValueKind, ...], list[int]] = {}
        for row, key in enumerate(zip(*kinds, strict=True)) if kinds else ():
            groups.setdefault(key, []).append(row)
        if not kinds:
            groups[()] = list(range(len(objs)))
        # Kinds that are new are a reason to look at such an object again: a part may be there now.
        before = len(self.fields)
        for key, rows in groups.items():
            if key not in self._by_kinds and key not in self._looked_at:
                self._looked_at.add(key)
                self._inspect(objs[rows[0]])
        if len(self.fields) > before:
            yield from self._grouped(ids, objs, counts)
            return
        for key, rows in groups.items():
            layout = self._layout(key, ids[rows[0]], [column[rows[0]] for column in values])
            columns = [
                [column[row] for row in rows]
                for field, column in zip(self.fields, values, strict=True)
                if field in layout.columns
            ]
            packed = layout.pack_values(columns, known=True)
            assert packed is not None
            numbers = np.array([ids[row] for row in rows], np.uint64)
            yield self._batch(layout, numbers, packed, len(rows))
        self._main = None
        if len(groups) == 1:
            self._main = self._by_kinds.get(next(iter(groups)))
            if self._main is not None:
                self._main.counts = counts

    def _layout(
        self, kinds: tuple[ValueKind, ...], id: int, example: Sequence[Any]
    ) -> ObservedLayout:
        known = self._by_kinds.get(kinds)
        if known is not None:
            return known
        if len(self.layouts) >= MOST_LAYOUTS:
            self._complain("layouts", RecordingError(
                f"{self.name}: its fields, or their types, vary in more than {MOST_LAYOUTS} ways:"
                f" objects beyond them are recorded without fields; choose some that vary less with"
                f" fields={{{self.name!r}: […]}}"
            ))  # fmt: skip
            return self._without_fields()
        for field, kind, value in zip(self.fields, kinds, example, strict=True):
            self._note(field, kind, value, id)
        layout = ObservedLayout(
            dict(zip(self.fields, zip(kinds, example, strict=True), strict=True)),
            self._around.turn, self._around.unit,
        )  # fmt: skip
        self._by_kinds[kinds] = layout
        self._declare(layout)
        return layout

    def _without_fields(self) -> ObservedLayout:
        if self._empty is None:
            self._empty = ObservedLayout({}, self._around.turn, self._around.unit)
            self._declare(self._empty)
        return self._empty

    def _declare(self, layout: ObservedLayout) -> None:
        number = self._around.declare(self.name, layout.layout)
        while number in self.layouts:
            # Their bytes are alike, and their types are not, as of a list and a tuple.
            layout.add_suffix(len(self.layouts))
            number = self._around.declare(self.name, layout.layout)
        self.layouts[number] = layout

    def _note(self, field: ObservedField, kind: ValueKind, value: Any, id: int) -> None:
        """Warn if a field holds something quite different from before, or nothing recordable."""
        if kind in (NONE, MISSING):
            return
        if kind is UNFIT and not field.families:
            return  # it never was
        if kind is UNFIT:
            text = f"{self.name}.{field.name}"
            self._complain(text, RecordingError(
                f"{self._around.label(id)}: {text} is {safe_text(value)}, which can't be recorded"
                " as it is: the field is left out of such frames"
            ))  # fmt: skip
            return
        self.left_out.pop(field.name, None)
        family = _family(kind)
        before = next(iter(field.families), None)
        field.families[family] = field.families.get(family, 0) + 1
        if before is None or family in (before,) or len(field.families) == 1:
            return
        text = f"{self.name}.{field.name}"
        change = f"was {_family_text(before)} and is {_family_text(family)} ({safe_text(value)})"
        self._complain(text, RecordingError(
            f"{self._around.label(id)}: {text} {change}: it is recorded under another layout from"
            " here on; if that is meant, choose it, as in"
            f" fields={{{self.name!r}: {{{field.name!r}: lambda one: …}}}}"
        ))  # fmt: skip

    def _warn_not_finite(self, numbers: Any, positions: npt.NDArray[np.float32]) -> None:
        """Warn once for a class that the position of one of its objects is not finite."""
        row = int(np.argmin(np.isfinite(positions).all(axis=1)))
        at = ", ".join(f"{number:g}" for number in positions[row].tolist())
        self._complain("place", RecordingError(
            f"{self._around.label(int(numbers[row]))} is at ({at}), which are no finite numbers"
            " in single precision: it is recorded as it is, and shown nowhere"
        ))  # fmt: skip

    def _report_failures(self) -> None:
        for field in self.fields:
            error, field.failed = field.failed, None
            if error is not None:
                text = RecordingError(
                    f"{self.name}.{field.name} can't be read: {type(error).__name__}: {error}"
                )
                text.__cause__ = error
                self._complain(f"{self.name}.{field.name} read", text)

    def _complain(self, what: str, error: RecordingError, *, is_mistake: bool = False) -> None:
        if what not in self._complained:
            self._complained.add(what)
            report = self._around.refuse if is_mistake else self._around.complain
            report(f"fields of {self.name}", error)

    # --- batches ----------------------------------------------------------------------------------

    def _batch(
        self, layout: ObservedLayout, numbers: npt.NDArray[np.uint64], rows: Rows, count: int
    ) -> Batch:
        table = rows.table
        if not layout.columns:
            table = np.zeros(count, np.dtype([]))
        positions = layout.positions(table)
        if not np.isfinite(positions).all():
            self._warn_not_finite(numbers, positions)
        columns = FieldColumns(
            numbers, positions, layout.angles(table), None, layout.visible(table),
            table if layout.columns else None, rows.cut,
        )  # fmt: skip
        return Batch(self.name, layout.layout, cast(Columns, columns))


def _is_empty(value: Any) -> bool:
    """Whether a value is a container that holds nothing now."""
    try:
        return is_container(value) and len(value) == 0
    except Exception:  # the program's own class
        return False


def _is_filled(obj: Any, name: str) -> bool:
    """Whether an object, or a dict, has something under a name that is no empty container."""
    try:
        value = obj.get(name) if isinstance(obj, dict) else getattr(obj, name, None)
    except Exception:  # the program's own class
        return False
    return value is not None and not _is_empty(value)


def why_no_field(name: str, count: int) -> str:
    """Why nothing can be recorded under this name, beside as many fields; empty if it can."""
    if not name:
        return "its name is empty"
    if len(name) > MOST_NAME:
        return f"its name has more than {MOST_NAME} characters"
    if not name.isprintable() and name != name.encode(errors="replace").decode():
        return "its name holds half a character"
    return f"the class has {MOST_FIELDS} others" if count >= MOST_FIELDS else ""


def _count_of(kind: type) -> Callable[[Sequence[Any]], Iterable[int]] | None:
    """What counts objects' attributes, for a class whose objects can get new ones."""
    if issubclass(kind, dict):
        return lambda objs: map(len, objs)
    if issubclass(kind, tuple) or not getattr(kind, "__dictoffset__", 0):
        return None
    return lambda objs: map(len, map(vars, objs))


def _attribute_names(obj: Any) -> Iterable[str]:
    """The names of an object's attributes, or of a dict's items."""
    return obj if isinstance(obj, dict) else vars(obj)


def _family(kind: ValueKind) -> tuple[str, Any]:
    if kind.family in ("number", "text") and isinstance(kind.type, type):
        if kind.type is bool or kind.type is np.bool_:
            return "bool", None
        if kind.family == "text" or not issubclass(kind.type, int | float | np.number):
            return kind.family, kind.type
        return "number", None
    return kind.family, kind.size if kind.family == "vector" else None


def _family_text(family: tuple[str, Any]) -> str:
    name, more = family
    if name == "vector":
        return f"a vector of {more} numbers"
    if name == "text":
        return f"a {more.__name__}"
    return {"number": "a number", "bool": "a bool", "array": "an array"}.get(name, name)
