"""The hooks and edits of a game on the bus, set by a client."""

from typing import Any, Protocol, TypeVar

import msgspec

from ...errors import CommandError
from ...hooks.decision_hooks_interface import HookManager
from ...hooks.edits_interface import EditManager
from ...hooks.hook_definition import HookDefinition, HookState
from ...hooks.object_edits import AppliedEdit
from ...recorder.objects.object_ids import ObjectOrId
from ...recording.objects.object_lookup import object_id
from ...recording.recording import Recording
from ..messages.message_types import RequestBody, ResponseBody
from ..messages.requests import (
    ChangeHook,
    EditField,
    EditKey,
    GetHooks,
    RedoEdit,
    SetHook,
    UndoEdit,
)
from ..messages.responses import HookList

_R = TypeVar("_R", bound=ResponseBody)


class AskingClient(Protocol):
    """The part of a client that is needed here."""

    @property
    def recording(self) -> Recording:
        """What is recorded of the game."""

    def asked(self, request: RequestBody, kind: type[_R], timeout: float | None = None) -> _R:
        """The service's answer to a request."""


class ClientHooks(HookManager):
    """The hooks of the game that a client is connected to; the client's own go when it does."""

    def __init__(self, client: AskingClient) -> None:
        self._client = client

    def list(self) -> "list[HookState]":
        return self._client.asked(GetHooks(), HookList).hooks

    def _set(self, object: ObjectOrId | str, spec: HookDefinition) -> HookState:
        spec = msgspec.structs.replace(spec, object=id_on(self._client, object))
        answer = self._client.asked(SetHook(spec), HookList)
        return next(hook for hook in answer.hooks if hook.id == answer.id)

    def _change(self, id: int, change: str) -> None:
        self._client.asked(ChangeHook(id, change), HookList)


class ClientEdits(EditManager):
    """The edits of the paused game that a client is connected to."""

    def __init__(self, client: AskingClient) -> None:
        self._client = client

    def set(self, object: ObjectOrId | str, field: str, value: Any) -> None:
        self._client.asked(EditField(id_on(self._client, object), field, value), HookList)

    def set_key(self, key: str, value: Any) -> None:
        self._client.asked(EditKey(key, value), HookList)

    def undo(self) -> AppliedEdit:
        edits = self._client.asked(UndoEdit(), HookList).edits
        return next(edit for edit in edits if edit.is_undone)

    def redo(self) -> AppliedEdit:
        edits = self._client.asked(RedoEdit(), HookList).edits
        return next(edit for edit in reversed(edits) if not edit.is_undone)

    def list(self) -> "list[AppliedEdit]":
        return self._client.asked(GetHooks(), HookList).edits


def id_on(client: AskingClient, object: ObjectOrId | str) -> int:
    """The id of an object that is given by its id, its name, or something that has an id.

    Raises:
        CommandError: there is no such object.
    """
    if isinstance(object, int) and not isinstance(object, bool):
        return object
    source = client.recording.source
    span = source.span
    if span is None:
        raise CommandError(f"object {object!r}: nothing is recorded yet: give its id")
    return object_id(source, object, span.newest)  # type: ignore[arg-type]
