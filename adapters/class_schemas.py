"""The classes of a program's objects: their names, how they are recorded, how they are restored."""

import logging
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from ..errors import RecordingError
from ..handlers.handler_registry import HandlerRegistry
from ..recorder.recorder import Recorder
from ..recorder.statements.instrumentation_interface import Scalar
from ..recorder.text.safe_log import log_safely
from ..recorder.world_adapter import Conventions
from .attribute_restore import AttributeRestore, OwnValues
from .field_inspection import FieldChoice, ReadOnlyFields
from .id_assignment import IdAssignment
from .observed_type import ObservedType, Surroundings
from .value_kind import vector_types
from .windows.arcade_window import is_sprite_class

_logger = logging.getLogger("playhead")

_PIXELS = Conventions(up="-y", unit="px")
_PLANE = Conventions(up="y")
_PIXELS_UP = Conventions(up="y", unit="px")
_CLOCKWISE_DEGREES = float(-np.pi / 180)
"""How sprites of arcade are turned."""

Report = Callable[[str, RecordingError], object]
"""Takes a cause and an error."""


class ObservedClasses:
    """What is known of classes, and the conventions of their numbers.

    Args:
        handlers, fields, restore, conventions, degrees, about: As of `ObservedWorld`.
        ids: The objects that are recorded.
        own: What objects hold of their own while playback shows others.
        complain: Reports an error and goes on.
        refuse: Reports a mistake that the end of the step raises.
        label: What an object is called, for an error.
    """

    def __init__(
        self, handlers: HandlerRegistry, fields: Mapping[str | type, FieldChoice], *,
        restore: bool, conventions: Conventions | None, degrees: bool,
        about: Mapping[str, Scalar], ids: IdAssignment, own: OwnValues, complain: Report,
        refuse: Report, label: Callable[[int], str],
    ) -> None:  # fmt: skip
        self.can_restore = restore
        self.conventions = conventions or Conventions()
        self.types: dict[type, ObservedType] = {}
        self.names: dict[type, str] = {}
        """What each class is called in the recording."""
        self.recorder: Recorder | None = None
        self._handlers = handlers
        self._fields = _checked_fields(fields)
        self._about = dict(about)
        self._are_conventions_set = conventions is not None
        """Whether the conventions were, so that they are not found out."""
        self._turn = float(np.pi / 180) if degrees else 1.0
        self._ids, self._own = ids, own
        self._complain, self._refuse, self._label = complain, refuse, label
        self._shown_by_stand_ins: tuple[type, ...] = ()
        """Classes whose objects are never set."""
        self._unrestored: set[str] = set()
        """Classes for which it was logged that they can't be restored."""

    def choose(
        self, fields: Mapping[str | type, FieldChoice], stand_ins: Iterable[type] = ()
    ) -> None:  # fmt: skip
        """Say how classes of a library are recorded, where the program has not chosen it itself.

        Args:
            fields: What is recorded of a class.
            stand_ins: Classes whose objects, those of derived classes too, are not set in playback.
        """
        self._fields = {**fields, **self._fields}
        self._shown_by_stand_ins += tuple(stand_ins)

    @property
    def left_out(self) -> dict[str, dict[str, str]]:
        """The fields that can't be recorded and why, by type."""
        return {one.name: dict(one.left_out) for one in self.types.values() if one.left_out}

    @property
    def unused_fields(self) -> list[str]:
        """Classes whose fields were chosen, and of which there was no object."""
        seen = {*self.types, *(type.name for type in self.types.values())}
        names = [
            one if isinstance(one, str) else one.__name__ for one in self._fields if one not in seen
        ]
        return sorted(names)

    def type_of(self, kind: type) -> ObservedType | None:
        """How objects of a class are recorded; None if a handler of the program's serves it."""
        name = self.name_of(kind)
        if name in self._handlers.ignored or (
            name in self._handlers and self._handlers[name].record is not None
        ):
            return None
        known = self.types.get(kind)
        if known is None:
            choice = self._fields.get(kind, self._fields.get(name))
            known = self.types[kind] = ObservedType(name, kind, self._around(kind), choice)
        return known

    def name_of(self, kind: type) -> str:
        """The name of a class in the recording: different for two classes of the same name."""
        known = self.names.get(kind)
        if known is None:
            used = set(self.names.values())
            qualified_name = f"{kind.__module__}.{kind.__qualname__}"
            options = (
                kind.__name__,
                qualified_name,
                *(f"{qualified_name} {n}" for n in range(2, len(used) + 3)),
            )
            known = next(one for one in options if one not in used and not one.startswith("."))
            self.names[kind] = known
        return known

    def _around(self, kind: type) -> Surroundings:
        return Surroundings(
            is_observed=lambda value: self._ids.get(value) is not None,
            declare=self._declare, complain=self._complain, refuse=self._refuse, label=self._label,
            turn=_CLOCKWISE_DEGREES if is_sprite_class(kind) else self._turn,
            unit=lambda is_flat: self._unit(kind, is_flat),
            restore=self.can_restore and not issubclass(kind, self._shown_by_stand_ins),
        )  # fmt: skip

    def _declare(self, name: str, layout: Any) -> int:
        if self.recorder is None:
            raise RecordingError(
                "these objects belong to no session yet: call game.attach(session) before its first"
                " frame"
            )
        return self.recorder.declare(name, layout).number

    def play(self, type: ObservedType) -> None:
        """Have the objects of a class put back in playback, if anything of them can be."""
        if type.can_restore:
            if type.name not in self._handlers.players:
                self._handlers.play(type.name, AttributeRestore(type, self._own))
        elif self.can_restore and not self._is_refusal_logged(type):
            log_safely(
                _logger, logging.INFO,
                "%s: nothing of its objects can be set (they are frozen, or have no setters): in"
                " playback stand-ins show them", type.name,
            )  # fmt: skip

    def _is_refusal_logged(self, type: ObservedType) -> bool:
        """Whether a class is known not to be restored, or needs no restoring."""
        if type.name in self._unrestored or issubclass(
            type.kind, (ReadOnlyFields, *self._shown_by_stand_ins)
        ):
            return True
        self._unrestored.add(type.name)
        return False

    def find_conventions(self, type: ObservedType) -> None:
        """Choose the conventions of a flat world, if none were given and this class is flat."""
        if self._are_conventions_set or self.recorder is None:
            return
        layouts = type.layouts.values()
        if not any(layout.has_position for layout in layouts):
            return
        self._are_conventions_set = True
        if all(layout.is_flat for layout in layouts if layout.has_position):
            self.conventions = _flat_conventions(type.kind)
            self.recorder.describe(self.conventions, self._about)

    def _unit(self, kind: type, is_flat: bool) -> str:
        """The unit of length, also while the conventions are not found out yet."""
        is_known = self._are_conventions_set or not is_flat
        return (self.conventions if is_known else _flat_conventions(kind)).unit


def _flat_conventions(kind: type) -> Conventions:
    """The conventions of a flat world with objects of a class, for which none were given."""
    if is_sprite_class(kind):
        return _PIXELS_UP
    if getattr(sys.modules.get("pymunk.pygame_util"), "positive_y_is_up", False):
        return _PIXELS_UP  # the program asks pymunk to draw it so
    return _PIXELS if "pygame" in sys.modules or vector_types() else _PLANE


def _checked_fields(
    fields: Mapping[str | type, FieldChoice],
) -> dict[str | type, FieldChoice]:  # fmt: skip
    """A program's choice of fields, if it is a dict of classes and what to record of each.

    Raises:
        RecordingError: it is something else.
    """
    if not isinstance(fields, Mapping):
        raise RecordingError(
            f"fields={fields!r:.80}: give the fields of each class, as in"
            " fields={'Guard': ['hp', 'pos']}"
        )
    return dict(fields)
