"""Hooks on recorded fields: looked at where a step ends, since fields are recorded there."""

from typing import Any

import numpy as np

from ..errors import CommandError
from ..handlers.live_field_access import FieldAccess
from ..recorder.text.safe_text import short_text
from ..recording.decisions.decision_location import FieldLocation
from .decision_hook_table import HookTable, field_value

_UNKNOWN = object()


class FieldHooks:
    """Lets the hooks on fields act. For the game's thread.

    A replaced field gets its value when the step is over and before it is recorded, so that the
    frame holds what the game goes on with. A break or a trace acts in the frame in which the
    recorded value is another than in the frame before.
    """

    def __init__(self, table: HookTable, access: FieldAccess) -> None:
        self._table, self._access = table, access
        self._before: dict[int, Any] = {}
        """What each hook's field was in the frame before, by the hook's id."""

    def step_ended(self) -> None:
        """A step is over, and is not recorded yet: give fields their values."""
        for hook in tuple(self._table.fields):
            location, object = hook.spec.location, hook.spec.object
            assert isinstance(location, FieldLocation)
            if not (hook.spec.changes_outcome and self._table.applies(hook)):
                continue
            if not self._table.fields_of(object):
                continue  # it is not there yet, or not any more
            result = hook.result
            try:
                self._access.set(object, location.field, result)
            except CommandError as error:
                self._table.failed(hook, error)
                continue
            hook.waits = ""
            self._table.hit(hook, f"{location.field} = {result!r:.60}")

    def frame_ended(self) -> None:
        """A frame is finished: see which fields have changed."""
        hooks = [hook for hook in self._table.fields if not hook.spec.changes_outcome]
        values_of: dict[int, dict[str, Any]] = {}
        for hook in hooks:
            location, object = hook.spec.location, hook.spec.object
            assert isinstance(location, FieldLocation)
            if object not in values_of:
                values_of[object] = self._table.fields_of(object)
            try:
                value = field_value(values_of[object], location.field)
            except KeyError:
                self._before.pop(hook.id, None)
                continue
            hook.waits = ""
            before = self._before.get(hook.id, _UNKNOWN)
            self._before[hook.id] = value
            if before is _UNKNOWN or _is_same(before, value):
                continue
            if self._table.applies(hook, {location.field: value}):
                self._table.hit(
                    hook,
                    f"{location.field}: {short_text(before)} -> {short_text(value)}",
                    is_over=True,
                )
        if len(self._before) > len(hooks):
            ids = {hook.id for hook in hooks}
            self._before = {id: value for id, value in self._before.items() if id in ids}


def _is_same(one: Any, other: Any) -> bool:
    return bool(np.array_equal(one, other)) if isinstance(one, list) else bool(one == other)
