"""Hooks and edits with `PLAYHEAD=off`: none acts, and there is no pause to edit in."""

from typing import Any

from .errors import CommandError
from .hooks.decision_hooks_interface import HookManager
from .hooks.edits_interface import EditManager
from .hooks.hook_definition import HookDefinition, HookState
from .hooks.object_edits import AppliedEdit
from .recorder.objects.object_ids import ObjectOrId

_WHY = "PLAYHEAD=off: the game is not recorded and never paused"


class SessionHooksOff(HookManager):
    """Takes hooks and lets none of them act."""

    table = None

    def list(self) -> "list[HookState]":
        return []

    def _set(self, object: ObjectOrId | str, spec: HookDefinition) -> HookState:
        return HookState(id=0, hook=spec, state="disabled", note=_WHY)

    def _change(self, id: int, change: str) -> None: ...


class SessionEditsOff(EditManager):
    """Refuses every edit: the game runs."""

    def set(self, object: ObjectOrId | str, field: str, value: Any) -> None:
        raise CommandError(f"edit {field}: {_WHY}")

    def set_key(self, key: str, value: Any) -> None:
        raise CommandError(f"edit {key}: {_WHY}")

    def undo(self) -> AppliedEdit:
        raise CommandError(f"undo: {_WHY}")

    def redo(self) -> AppliedEdit:
        raise CommandError(f"redo: {_WHY}")

    def list(self) -> "list[AppliedEdit]":
        return []
