"""A session's hooks and edits, and the game's pause in a break."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from .bus.messages.requests import ChangeHook, EditField, EditKey, RedoEdit, SetHook, UndoEdit
from .bus.messages.responses import HookList
from .bus.server.pending_hook_request import KeepHooksOf, PendingHookRequest
from .errors import CommandError, GameError, PlayheadError
from .handlers.handler_registry import HandlerRegistry
from .handlers.live_field_access import FieldAccess
from .hooks.active_hook import ActiveHook
from .hooks.decision_hook_table import HookTable
from .hooks.decision_hooks_interface import HookManager
from .hooks.edits_interface import EditManager
from .hooks.field_watchpoints import FieldHooks
from .hooks.hook_definition import HookDefinition, HookHit, HookState, validated_hook
from .hooks.object_edits import AppliedEdit, ObjectEdits
from .playback.mid_step_hold import StepHold
from .playback.pending_command import PendingCommand
from .playback.playback_state import PlaybackState
from .playback.playhead import Playhead
from .playback.restore import Restorer
from .recorder.objects.object_ids import ObjectOrId
from .recorder.recorder import Recorder
from .recorder.world_adapter import World
from .recording.objects.object_lookup import object_id

if TYPE_CHECKING:
    from .bus.server.service import Service


class HookedSession(Protocol):
    """The part of a session that its hooks use."""

    world: World
    handlers: HandlerRegistry
    recorder: Recorder
    playhead: Playhead
    restorer: Restorer
    bus: "Service | None"
    armed_hooks: Any

    @property
    def state(self) -> PlaybackState:
        """The present state of playback."""


class SessionHooks(HookManager):
    """The hooks of a session; to be used on the game's thread.

    Args:
        hold: Holds the game in the middle of a step.
        pause: Pauses it at the end of the frame that is being recorded, or that just was.
        is_in_step: Whether the game's own thread asks, while the game runs.
        check_thread: Raises if another thread than the game's asks for something.
    """

    def __init__(
        self, session: HookedSession, hold: StepHold, *, pause: Callable[[], object],
        is_in_step: Callable[[], bool], check_thread: Callable[[str], object],
    ) -> None:  # fmt: skip
        self._session, self._hold, self._pause = session, hold, pause
        self._is_in_step, self._check_thread = is_in_step, check_thread
        self.table = HookTable(session.recorder, on_break=self._break, on_change=self._changed)
        access = FieldAccess(
            session.world, session.recorder, session.handlers.players, session.handlers
        )
        self._edits = ObjectEdits(
            session.recorder, session.playhead, session.restorer, access,
            in_step=lambda: hold.is_on, on_change=self._announce,
        )  # fmt: skip
        self.edits = SessionEdits(session, self._edits, check_thread)
        self._fields = FieldHooks(self.table, access)

    # --- setting them -----------------------------------------------------------------------------

    def list(self) -> "list[HookState]":
        return self.table.reports

    def _set(self, object: ObjectOrId | str, spec: HookDefinition) -> HookState:
        self._check_thread("hooks")
        spec = msgspec.structs.replace(spec, object=id_in(self._session, object))
        return self.table.add(spec)

    def _change(self, id: int, change: str) -> None:
        self._check_thread("hooks")
        self.table.change(id, change)

    @property
    def report(self) -> HookList:
        """All hooks and edits as tools see them; from any thread."""
        return HookList(self.table.reports, self._edits.reports)

    def obey(self, pending: PendingCommand[Any], what: PendingHookRequest) -> None:
        """Carry out what a tool has sent, and answer it: no error of theirs is the game's."""
        try:
            self._carry_out(what, pending.origin)
        except PlayheadError as error:
            pending.answer(error)
        except Exception as error:  # of a handler, or a setter of the program's
            self._session.recorder.faults.call_refused("hooks", error)
            pending.answer(GameError(f"{type(error).__name__}: {error}"))
        else:
            pending.answer(self._session.state)

    def _carry_out(self, what: PendingHookRequest, origin: str) -> None:
        id = 0
        match what.request:
            case SetHook(hook=spec):
                id = self.table.add(validated_hook(spec), origin).id
            case ChangeHook(id=id, change=change):
                self.table.change(id, change)
            case EditField(object=object, field=field, value=value):
                self._edits.set_field(object, field, value)
            case EditKey(key=key, value=value):
                self._edits.set_key(key, value)
            case UndoEdit():
                self._edits.undo()
            case RedoEdit():
                self._edits.redo()
            case KeepHooksOf(owners=owners):
                self.table.keep_only(owners)
        what.result = msgspec.structs.replace(self.report, id=id)

    # --- in a step --------------------------------------------------------------------------------

    def step_ended(self) -> None:
        """A step is over, and not recorded yet."""
        if self.table.fields:
            self._fields.step_ended()

    def frame_ended(self) -> None:
        """A frame is finished."""
        if self.table.fields:
            self._fields.frame_ended()

    def ran_on(self) -> None:
        """Playback was left: record the edits that were not undone."""
        self._edits.end()

    def _changed(self) -> None:
        """Let decisions ask for hooks only while any is on one."""
        self._session.armed_hooks = self.table if self.table.hooks_decisions else None
        self._announce()

    def _announce(self) -> None:
        if self._session.bus is not None:
            self._session.bus.hooks_changed(self.report)

    # --- breaks -----------------------------------------------------------------------------------

    def _break(self, hook: ActiveHook, hit: HookHit) -> None:
        """Pause: here, in the middle of the step, if who set the hook is there to let it go on;
        else at the end of this frame."""
        bus = self._session.bus
        if bus is None:
            self._pause()
        elif hook.owner in bus.tools and self._is_in_step() and not self._hold.is_on:
            self._hold.hold(
                lambda: bus.hook_acted(msgspec.structs.replace(hit, in_step=True)),
                lambda: hook in self.table and hook.owner in bus.tools,
            )
            self._edits.end()
        else:
            bus.hook_acted(hit)
            self._pause()


class SessionEdits(EditManager):
    """The edits of a session; to be used on the game's thread."""

    def __init__(
        self, session: HookedSession, edits: ObjectEdits, check_thread: Callable[[str], object]
    ) -> None:
        self._session, self._edits, self._check_thread = session, edits, check_thread

    def set(self, object: ObjectOrId | str, field: str, value: Any) -> None:
        self._check_thread("edits")
        self._edits.set_field(id_in(self._session, object), field, value)

    def set_key(self, key: str, value: Any) -> None:
        self._check_thread("edits")
        self._edits.set_key(key, value)

    def undo(self) -> AppliedEdit:
        self._check_thread("edits")
        return self._edits.undo()

    def redo(self) -> AppliedEdit:
        self._check_thread("edits")
        return self._edits.redo()

    def list(self) -> "list[AppliedEdit]":
        return self._edits.reports


def id_in(session: HookedSession, object: ObjectOrId | str) -> int:
    """The id of an object that is given by itself, its id or its name.

    Raises:
        CommandError: there is no such object.
    """
    try:
        if isinstance(object, str):
            span = session.recorder.source.span
            if span is None:
                raise CommandError(f"object {object!r}: nothing is recorded yet: give its id")
            return object_id(session.recorder.source, object, span.newest)
        id = session.recorder.ids.id_of(object)
    except PlayheadError as error:
        raise CommandError(str(error)) from None
    if id < 0:
        raise CommandError(f"object {id}: ids go from 1 on, 0 is the world")
    return id
