"""A session's hooks and edits, and how a game stands in a break."""

import time as clocks
from typing import TYPE_CHECKING, Any

import msgspec

from .bus.messages.requests import ChangeHook, EditField, EditKey, RedoEdit, SetHook, UndoEdit
from .bus.messages.responses import HookList
from .bus.server.hook_order import HookOrder, KeepHooksOf
from .errors import CommandError, GameError, PlayheadError
from .handlers.field_access import FieldAccess
from .hooks.edit_control import EditControl
from .hooks.field_hooks import FieldHooks
from .hooks.hook_control import HookControl
from .hooks.hook_spec import HookHit, HookReport, HookSpec, validated_hook
from .hooks.hook_table import Hook, HookTable
from .hooks.object_edits import EditReport, ObjectEdits
from .playback.commands import Enter, Leave
from .playback.pending_command import PendingCommand
from .playback.playback_state import Mode
from .recorder.object_ids import ObjectRef
from .recording.object_lookup import object_id

if TYPE_CHECKING:
    from .session import Session

LOOK_AGAIN = 0.25
"""Seconds after which a game that stands in a break looks whether anybody is left to let it go."""
TICK = 1 / 60
"""Seconds between two movements of a playhead that plays meanwhile."""


class SessionHooks(HookControl):
    """The hooks of a session; to be used on the game's thread."""

    def __init__(self, session: "Session") -> None:
        self._session = session
        self.table = HookTable(session.recorder, on_break=self._break, on_change=self._changed)
        access = FieldAccess(
            session.world, session.recorder, session.handlers.players, session.handlers
        )
        self.stands_in_step = False
        """Whether the game stands at a break in the middle of a step."""
        self._edits = ObjectEdits(
            session.recorder, session.playhead, session.restorer, access,
            in_step=lambda: self.stands_in_step, on_change=self._announce,
        )  # fmt: skip
        self.edits = SessionEdits(session, self._edits)
        self._fields = FieldHooks(self.table, access)

    # --- setting them -----------------------------------------------------------------------------

    def list(self) -> "list[HookReport]":
        return self.table.reports

    def _set(self, object: ObjectRef | str, spec: HookSpec) -> HookReport:
        self._session.check_own_thread("hooks")
        spec = msgspec.structs.replace(spec, object=id_in(self._session, object))
        return self.table.add(spec)

    def _change(self, id: int, change: str) -> None:
        self._session.check_own_thread("hooks")
        self.table.change(id, change)

    @property
    def report(self) -> HookList:
        """All hooks and edits as tools see them; from any thread."""
        return HookList(self.table.reports, self._edits.reports)

    def obey(self, order: PendingCommand[Any], what: HookOrder) -> None:
        """Carry out what a tool has sent, and answer it: no error of theirs is the game's."""
        try:
            self._carry_out(what, order.origin)
        except PlayheadError as error:
            order.answer(error)
        except Exception as error:  # of a handler, or a setter of the program's
            self._session.recorder.faults.call_refused("hooks", error)
            order.answer(GameError(f"{type(error).__name__}: {error}"))
        else:
            order.answer(self._session.state)

    def _carry_out(self, what: HookOrder, origin: str) -> None:
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
        """Playback was left."""
        self._edits.end()

    def _changed(self) -> None:
        """Let decisions ask for hooks only while any is on one."""
        self._session.armed_hooks = self.table if self.table.hooks_decisions else None
        self._announce()

    def _announce(self) -> None:
        if self._session.bus is not None:
            self._session.bus.hooks_changed(self.report)

    # --- breaks -----------------------------------------------------------------------------------

    def _break(self, hook: Hook, hit: HookHit) -> None:
        """Pause: here, in the middle of the step, if who set the hook is there to let it go on;
        else at the end of this frame."""
        session = self._session
        if self._can_stand(hook):
            self._stand(hook, msgspec.structs.replace(hit, in_step=True))
            return
        if session.bus is not None:
            session.bus.hook_acted(hit)
        session.pause_at_frame_end()

    def _can_stand(self, hook: Hook) -> bool:
        session = self._session
        return (
            session.bus is not None
            and not self.stands_in_step
            and session.is_in_step
            and hook.owner in session.bus.tools
        )

    def _stand(self, hook: Hook, hit: HookHit) -> None:
        """Stand in the middle of a step until somebody lets the game run on.

        The playhead moves over the recorded frames as ever. The game's objects are not touched:
        they are on their way to a frame that does not exist yet.
        """
        session = self._session
        bus = session.bus
        assert bus is not None
        self.stands_in_step = True
        try:
            session.playhead.apply(Enter())
            session.announce_state()
            bus.hook_acted(hit)
            before = clocks.monotonic()
            while session.playhead.mode is not Mode.LIVE:
                is_playing = session.playhead.mode is Mode.PLAYING
                session.wait_for_command(TICK if is_playing else LOOK_AGAIN)
                now = clocks.monotonic()
                session.move_playhead(now - before)
                before = now
                if hook not in self.table or hook.owner not in bus.tools:
                    break
        finally:
            if session.playhead.mode is not Mode.LIVE:
                session.playhead.apply(Leave())
                session.announce_state()
            self.stands_in_step = False
            self._edits.end()


class SessionEdits(EditControl):
    """The edits of a session; to be used on the game's thread."""

    def __init__(self, session: "Session", edits: ObjectEdits) -> None:
        self._session, self._edits = session, edits

    def set(self, object: ObjectRef | str, field: str, value: Any) -> None:
        self._session.check_own_thread("edits")
        self._edits.set_field(id_in(self._session, object), field, value)

    def set_key(self, key: str, value: Any) -> None:
        self._session.check_own_thread("edits")
        self._edits.set_key(key, value)

    def undo(self) -> EditReport:
        self._session.check_own_thread("edits")
        return self._edits.undo()

    def redo(self) -> EditReport:
        self._session.check_own_thread("edits")
        return self._edits.redo()

    def list(self) -> "list[EditReport]":
        return self._edits.reports


def id_in(session: "Session", object: ObjectRef | str) -> int:
    """The id of an object that is given by itself, its id or its name.

    Raises:
        CommandError: there is no such object.
    """
    try:
        if isinstance(object, str):
            span = session.source.span
            if span is None:
                raise CommandError(f"object {object!r}: nothing is recorded yet: give its id")
            return object_id(session.source, object, span.newest)
        id = session.recorder.ids.id_of(object)
    except PlayheadError as error:
        raise CommandError(str(error)) from None
    if id < 0:
        raise CommandError(f"object {id}: ids go from 1 on, 0 is the world")
    return id
