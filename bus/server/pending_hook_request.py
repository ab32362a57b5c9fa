"""What a tool asks of a game's hooks and edits, on its way to the game's thread."""

from typing import NamedTuple

from ..messages.requests import ChangeHook, EditField, EditKey, RedoEdit, SetHook, UndoEdit
from ..messages.responses import HookList


class KeepHooksOf(NamedTuple):
    """Clients have come or gone: the hooks of those that are not among these are removed."""

    owners: tuple[str, ...]


class PendingHookRequest:
    """A request about hooks or edits; `result` is set when it was carried out."""

    def __init__(
        self,
        request: SetHook | ChangeHook | EditField | EditKey | UndoEdit | RedoEdit | KeepHooksOf,
    ) -> None:
        self.request = request
        self.result = HookList([], [])
