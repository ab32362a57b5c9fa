"""Hooks and edits with `PLAYHEAD=off`: none acts, and there is no pause to edit in."""

from typing import Any

from .errors import CommandError
from .hooks.edit_calls import EditControl
from .hooks.hook_calls import HookControl
from .hooks.hook_spec import HookSpec, HookState
from .hooks.object_edits import EditReport
from .recorder.objects.object_ids import ObjectRef

_WHY = "PLAYHEAD=off: the game is not recorded and never paused"


class SessionHooksOff(HookControl):
    """Takes hooks and lets none of them act."""

    table = None

    def list(self) -> "list[HookState]":
        return []

    def _set(self, object: ObjectRef | str, spec: HookSpec) -> HookState:
        return HookState(id=0, hook=spec, state="disabled", note=_WHY)

    def _change(self, id: int, change: str) -> None: ...


class SessionEditsOff(EditControl):
    """Refuses every edit: the game runs."""

    def set(self, object: ObjectRef | str, field: str, value: Any) -> None:
        raise CommandError(f"edit {field}: {_WHY}")

    def set_key(self, key: str, value: Any) -> None:
        raise CommandError(f"edit {key}: {_WHY}")

    def undo(self) -> EditReport:
        raise CommandError(f"undo: {_WHY}")

    def redo(self) -> EditReport:
        raise CommandError(f"redo: {_WHY}")

    def list(self) -> "list[EditReport]":
        return []
