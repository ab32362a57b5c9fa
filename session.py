"""A game's session: composes world, recorder, playhead, restorer and bus service.

session = Session(world, memory="64 MiB", bus=True)
while running:
    with session.frame(dt):     # one step; waits while a user scrubs
        world.step(dt)

Loops that go on while the world is paused check `session.live` and call `session.update(dt)`.
"""

import threading
import time as clocks
from collections.abc import Callable, Mapping
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, cast

import msgspec

from .bus.messages.plain_values import packed_body
from .bus.server.pending_hook_request import PendingHookRequest
from .bus.server.rpc_registry import RpcCall, RpcRegistry
from .bus.server.start_service import start_service
from .errors import CommandError, RecordingError
from .handlers.handler_registry import Handlers, registry_of
from .native.fork_safety import on_fork
from .playback.checks.check_failure_handler import CheckFailureHandler
from .playback.checks.failed_check_logger import CheckLogger
from .playback.checks.ignored_pause_monitor import LoopMonitor
from .playback.command_queue import CommandQueue
from .playback.commands import Command, Enter, Leave
from .playback.frame_scope import FrameScope, await_live
from .playback.mid_step_hold import StepHold
from .playback.pads.latest_pads import LatestPads
from .playback.pending_command import PendingCommand
from .playback.playback_state import Mode, PlaybackState
from .playback.playhead import Playhead
from .playback.restore import Restorer
from .playback.world_frame_recorder import WorldStepRecorder
from .recorder.checks.check_policy import CheckPolicy
from .recorder.checks.failed_check_tracker import FailedCheck
from .recorder.clip_triggers import ClipPolicy
from .recorder.objects.object_ids import ObjectIds
from .recorder.pictures.picture_settings import PictureSettings
from .recorder.reading.ring_source import RingSource
from .recorder.recorder import Recorder
from .recorder.recording_mode_from_env import RecordingMode, recording_mode
from .recorder.recording_status import RecordingStatus
from .recorder.saving.clip_job import ClipJob
from .recorder.saving.clip_manager import ClipManager
from .recorder.statement_intake import CLOSED
from .recorder.statements.instrumentation_interface import Scalar
from .recorder.world_adapter import World, checked_world
from .session_commands import SessionCommands
from .session_hooks_and_edits import SessionEdits, SessionHooks
from .session_statements import SessionStatements

if TYPE_CHECKING:
    from .bus.server.bus_settings import BusSettings
    from .bus.server.service import Service

_INHERITED_SERVICES: list["Service"] = []
"""Services that a forked child inherited, never to be freed.

Freeing one would close sockets that are the parent's. No object of the child outlives them all, so
the module holds them.
"""


class Session(SessionStatements, SessionCommands):
    """Records a game while it runs, and shows its past while it is paused.

        with ph.Session(world, handlers={"guard": ph.FieldHandler(Guard())}) as session:
            while running:
                with session.frame(1 / 60):  # one step; waits while a user scrubs
                    game.step()

    The newest frames are held in memory of a fixed size; the oldest frames make room for them. Any
    thread may call what moves time (see `PlaybackControl`), `send`, `take`, `publish`, `draw`,
    `trace`, `watch`, `log`, `name`, `fact`, `mark`, `input`, `phase`, `event`, `picture`, `emit`
    and `trigger`. Everything else is for the game's thread.

    Args:
        world: The adapter of the game: your own `World`.
        memory: All the memory that the recording may take: bytes, or a text such as `64 MiB`.
        handlers: What records and plays the game's types: a mapping such as
            `{"guard": FieldHandler(Guard())}`, where None leaves a type out on purpose, or a
            `HandlerRegistry`.
        path: A file for the recording, which outlives a killed process; memory alone by default.
        latch: Bytes of the memory for latched state, which is what stays true from frame to frame:
            states, names, facts. By default an eighth.
        older: The share of the memory, from 0 to less than 1, for an older tier: a thread packs
            older frames into it, so that they are held for longer.
        on_check: What a failed check does beside setting its mark.
        about: Plain values that describe the run (game, seed, build, …).
        strict: For tests: raise what is otherwise only counted. By default True with
            `PLAYHEAD=strict` in the environment. `PLAYHEAD=off` switches the session off: it
            records nothing, `check` returns its condition, and the game runs as without it.
        clips: What begins a clip by itself, where clips go, and how many are kept.
        bus: True to be on the bus, at `tcp://127.0.0.1:5670`; or another port, an address, or
            settings.
        pictures: The size, rate and memory of pictures of the screen that are given as pixels
            (`PictureSettings`). False for none.

    Raises:
        CapacityError: the memory is too small or can't be allocated, or the bus can't listen on its
            address.
        RecordingError: the world is no instance of a `World`; the file can't be made, or is in
            use; `PLAYHEAD` is none of off, on, strict.
        HandlerError: `handlers` is neither a mapping nor a registry.
    """

    always_records: ClassVar[bool] = False
    """True for kinds of sessions that `PLAYHEAD=off` does not switch off."""

    def __init__(
        self,
        world: World,
        memory: int | str = "64 MiB",
        *,
        handlers: Handlers | None = None,
        path: str | PathLike[str] | None = None,
        latch: int | str | None = None,
        older: float = 0.0,
        on_check: CheckPolicy | None = None,
        about: Mapping[str, Scalar] | None = None,
        strict: bool | None = None,
        clips: ClipPolicy | None = None,
        bus: "bool | int | str | BusSettings" = False,
        pictures: PictureSettings | bool = True,
    ) -> None:
        if recording_mode() is RecordingMode.OFF and not self.always_records:
            self._switch_off(
                world, handlers=handlers, on_check=on_check, clips=clips, strict=strict
            )
            return
        self.world = world = checked_world(world)
        self.handlers = registry_of(handlers)
        self.recorder = Recorder(
            memory, path=path, latch=latch, older=older, conventions=world.conventions,
            about=about, strict=strict, pictures=pictures,
        )  # fmt: skip
        self._state_by(self.recorder)
        self.handlers.on_register(self.recorder.add_handler)
        self.recorder.ids = ObjectIds.of(
            world, lambda: self.recorder.next_frame, self.recorder.names
        )
        self._steps = WorldStepRecorder(world, self.recorder)
        self._takes_pictures = type(world).screen_pixels is not World.screen_pixels
        """Whether the world has pictures of its own."""
        self._elapsed = 0.0
        """Real time spent in playback, seconds: the clock of the scrub."""
        self.playhead = Playhead(
            self.source, clock=lambda: self._elapsed,
            waiting_marks=lambda: self.recorder.waiting_marks(self.source),
            why_not_advance=lambda: "" if world.can_advance else (
                "there is no game here that can be run step by step: it does not know `advance`"
            ),
        )  # fmt: skip
        self.restorer = Restorer(
            world, self.source, self.handlers.players, strict=self.recorder.strict,
            log=self.recorder.faults,
        )  # fmt: skip
        self.pads = LatestPads(lambda: self.recorder.next_frame, record=self.recorder.input)
        """The pads that people and agents hold; the game asks `pad(player)`."""
        self.pad = self.pads.get
        self._commands = CommandQueue(
            world, self.recorder, self.playhead, move=self._moved, report=self.report_failed_check,
            call=self._obey_tool,
        )  # fmt: skip
        self._loop = LoopMonitor(world)
        self._thread = threading.get_ident()
        """The game's thread: the one that recorded, or carried commands out, most recently."""
        self._in_frame = False
        """Whether a `frame` block is open."""
        self._closed = False
        self.on_order: Callable[[], object] = lambda: None
        """Called, by the sender's thread, when a command waits: for loops that sleep elsewhere."""
        self.clips = ClipManager(self.recorder, clips or ClipPolicy(), self._shown_frame)
        """The clips that are saved of this session; `clips.attach` puts files into all of them."""
        self.clips.on_done = self._clip_done
        self.attach, self.save = self.clips.attach, self.clips.save
        self.trigger, self.guard = self.clips.trigger, self.clips.guard
        self._check_failures = CheckFailureHandler(
            world, self.recorder, self.playhead,
            on_check if on_check is not None else CheckPolicy(),
            halted=self._commands.can_enter, announce=self._announce,
            start_clip=self.clips.check_failed, tell_tools=self._tell_tools,
            log=CheckLogger(self.source, self._address),
        )  # fmt: skip
        self.on_failed_check = self._check_failures.listen
        self._hold = StepHold(
            self.playhead, self._commands, announce=lambda: self._announce(self.playhead.state),
            pass_time=self._pass_time,
        )  # fmt: skip
        self.hooks = SessionHooks(
            self, self._hold, pause=self._pause_at_frame_end, check_thread=self._check_own_thread,
            is_in_step=lambda: self._is_live and threading.get_ident() == self._thread,
        )  # fmt: skip
        """Breakpoints, traces and replaced results of decisions: see `HookManager`."""
        self.edits: SessionEdits = self.hooks.edits
        """Edits of the paused game, with undo and redo: see `EditManager`."""
        self._served = RpcRegistry()
        self.serve = self._served.serve
        self.withdraw = self._served.withdraw
        self.playhead.on_moved(self._follow)
        self.bus: Service | None = None
        """The service that puts this session on the bus, if it is."""
        on_fork(self)
        if bus:
            try:
                self.bus = start_service(self.recorder, self, bus)
            except BaseException:
                self.recorder.close()
                raise

    def _switch_off(self, world: World, **given: Any) -> None:
        """Become a session that takes every call and does nothing (see `SessionOff`)."""
        from .session_off import SessionOff, off_class

        kind: Any = type(self)
        self.__class__ = off_class(kind)
        SessionOff.__init__(cast(SessionOff, self), world, **given)

    # --- the loop -------------------------------------------------------------------------------

    @property
    def live(self) -> bool:
        """Whether the game runs; False while it is paused for playback.

        Loops that go on drawing meanwhile ask this, step the world only if it is True, and call
        `update` in any case.
        """
        self._loop.live_was_read = True
        return self._is_live

    @property
    def _is_live(self) -> bool:
        return self.playhead.mode is Mode.LIVE

    def frame(self, dt: float, time: float | None = None) -> FrameScope:
        """One step of the game: `with session.frame(dt): game.step()`.

        In playback the block waits at its start, as `await_live` does. At its end the step is
        recorded, and what asked for playback inside takes effect: that frame is in the ring. If the
        block raises, the world is recorded as it is then, and the exception goes on.

        Args:
            dt: The step, seconds.
            time: Game time after the step; by default the world's own.

        Raises:
            RecordingError: within another `frame`, or after `close`; or what `await_live` and
                `update` raise.
            HandlerError: at the end, as `update` does.
        """
        self._check_open("frame()")
        return FrameScope(self._begin_frame, partial(self._finish_frame, dt, time))

    def _begin_frame(self) -> None:
        if self._in_frame:
            raise RecordingError("frame() within frame(): a step is one block with no other in it")
        self.await_live()
        self._in_frame = True
        self.begin_step()

    def _finish_frame(self, dt: float, time: float | None) -> None:
        __tracebackhide__ = True  # of a check that fails a test, the test's own line is shown
        self._in_frame = False
        if not self._closed:
            self.update(dt, time)

    def begin_step(self) -> None:
        """Declare that the world changes from here on, until the next `update` has recorded it.

        Until then playback can't begin, not even by `apply(…, now=True)` or `obey`. `frame` does
        so by itself, and a tool's call of the game counts as such a change.
        """
        if self._is_live:
            self._commands.in_step = True

    def await_live(self, clock: Callable[[], float] = clocks.monotonic) -> None:
        """Return when the game is live. Until then obey commands and move with the playhead.

        Raises:
            RecordingError: nothing is there that could end playback: no bus and no other thread.
        """
        self._thread = threading.get_ident()
        if not self.live:
            self.obey()
            await_live(self, self.playhead, on_bus=self.bus is not None, clock=clock)

    def update(self, dt: float, time: float | None = None) -> None:
        """Live: record the step that has just ended. In playback: move the playhead.

        Commands that were sent, and requests for playback that were made since the last update,
        take effect at the end of it.

        Args:
            dt: Seconds: the game's step when live, real time in playback.
            time: Game time after the step; by default the world's own.

        Raises:
            RecordingError: after `close`, or within `frame`, which calls this by itself. Or,
                strict, a time is not finite: the frame stays open.
            CommandError: strict, in playback, and `dt` is negative or not finite: nothing moved.
            HandlerError: strict, and a handler failed.
        """
        self._check_open("update()")
        if self._in_frame:
            raise RecordingError("update() within frame(), which records the step at its own end")
        if self._is_live:
            self._record(dt, time)
        else:
            self._scrub(dt, time)
        self.obey()

    def wait(self, timeout: float | None = None) -> bool:
        """Sleep until a command is sent, and carry it out; at once if the game is live.

        Returns False if none came in `timeout` seconds.
        """
        if self.live:
            return True
        if not self._commands.wait(timeout):
            return False
        self.obey()
        return True

    def _record(self, dt: float, time: float | None) -> None:
        before = self.recorder.finished
        self.hooks.step_ended()
        self._take_pictures()
        error = self._steps.record(dt, time)
        self._commands.in_step = self.recorder.finished == before
        self.clips.recorded()
        self._check_failures.step_ended()
        self._end_frame()
        if error is not None:
            raise error

    def _take_pictures(self) -> None:
        """Take the pictures of a step that has just ended, as far as they are due."""
        pictures = self.recorder.pictures
        if pictures is None or self._closed:
            return
        if self._commands.pending:
            pictures.urge()  # the game stops here
        if self._takes_pictures:
            self.recorder.picture(self.world.screen_pixels)
        pictures.end_step()

    def _end_frame(self) -> None:
        if self._commands.in_step:  # the frame was not finished, so neither is its end
            return
        if self.bus is not None:
            self.bus.recorded()
        self.hooks.frame_ended()
        is_last = self.playhead.stepped(stop=bool(self._check_failures.fresh))
        try:
            self._check_failures.frame_ended()
        finally:
            # After the checks: where a failure leads is known before anybody moves on from it.
            if is_last and self.playhead.is_advancing:
                self._commands.end_advance()
            self._obey_deferred()

    def rejoin(self, dt: float = 0.0, time: float | None = None) -> None:
        """Take a paused world into playback again that has moved on by itself, or was replaced.

        For worlds in other processes, during playback. With `time` the world's state is recorded,
        and leaving playback gives back this state. Then the world shows the frame that all tools
        see.

        Raises:
            RecordingError, HandlerError: as `update` does; the frame is shown nevertheless.
        """
        self.restorer.forget()
        error = None
        if time is not None:
            self.recorder.suspended = False
            try:
                error = self._steps.record(dt, time)
            finally:
                self.recorder.suspended = True
            if self.bus is not None:
                self.bus.recorded()
        self.playhead.update()
        self.restorer.match(self.playhead.state)
        self._announce(self.playhead.state)
        if error is not None:
            raise error

    def _scrub(self, dt: float, time: float | None) -> None:
        if not (0.0 <= dt < float("inf")):
            error = CommandError(f"dt {dt!r}: real time passes by a finite number, not negative")
            if self.recorder.strict:
                raise error
            self.recorder.faults.call_refused("update", error)
            return
        self._loop.update_begins(dt, time)
        self._pass_time(dt)
        self._loop.update_ends(time)

    def _pass_time(self, seconds: float) -> None:
        """Let real time pass for a playhead that plays."""
        self._elapsed += seconds
        if self.playhead.update() is not None:
            self._announce(self.playhead.state, discrete=False)

    def obey(self) -> None:
        """Carry out the commands that were sent; `update` and `wait` do this.

        Playback may begin here. So call it between two steps, or call `begin_step` before. Tools
        that send commands without end can't hold up a running game.
        """
        self._thread = threading.get_ident()
        self._obey_deferred()
        if not self._commands.obey_sent(hurry=self.bus is not None):
            self.on_order()  # for loops that sleep until there is something to do

    def _obey_deferred(self) -> None:
        self._check_failures.retry()
        self._commands.obey_deferred()
        self._release()

    def _release(self) -> None:
        """Let the world run on if nothing waits any more for it to pause."""
        if not self._check_failures.waits:
            self._commands.release()

    def _moved(self, command: Command, origin: str = "") -> PlaybackState:
        try:
            state = self.playhead.carry_out(command)
            # What plays from here on counts from this instant; a loop may begin elsewhere.
            moved = self.playhead.update() if state.mode is Mode.PLAYING else None
        except BaseException:
            # The world could not follow; the playhead may have moved all the same.
            self._announce(self.playhead.state, origin)
            self._release()
            raise
        if moved is not None:
            state = msgspec.structs.replace(moved, clamped=state.clamped)
        self._announce(state, origin)
        return state

    def _announce(self, state: PlaybackState, origin: str = "", *, discrete: bool = True) -> None:
        """Publish the playhead's state on the bus, now that the world shows it."""
        if self.bus is not None:
            self.bus.moved(state, origin, discrete=discrete)
        if not self.playhead.is_advancing:
            self._commands.advanced(state)

    def _follow(self, state: PlaybackState) -> None:
        """The playhead has moved: suspend the recorder, and show that frame in the world."""
        if self._hold.is_on:
            return  # the world is between two frames, and is left alone
        suspended = state.mode is not Mode.LIVE
        if suspended is not self.recorder.suspended:
            self.recorder.suspended = suspended
            self.clips.set_suspended(suspended)
            self.pads.set_suspended(suspended)
            if suspended:
                self._commands.entered()
                self._loop.begin()
        self._loop.moved()
        self.restorer.match(state)
        if not suspended:
            self.hooks.ran_on()

    def _shown_frame(self) -> int | None:
        """The frame that is shown in playback; None while the game runs."""
        state = self.playhead.state
        return None if state.mode is Mode.LIVE else state.frame

    # --- hooks -----------------------------------------------------------------------------------

    def _pause_at_frame_end(self) -> None:
        """Have the game pause at the end of the frame that is being recorded, or that just was."""
        if not self._is_live or self._closed:
            return
        if self._is_on_its_thread:
            self._commands.defer(PendingCommand(Enter()))
        else:  # a tree that is ticked by a worker thread
            self.send(Enter())

    def _obey_tool(self, pending: PendingCommand[Any], what: RpcCall | PendingHookRequest) -> None:
        """Carry out what a tool has sent that is no command of time."""
        if isinstance(what, PendingHookRequest):
            self.hooks.obey(pending, what)
        elif self._hold.is_on:
            pending.answer(CommandError(
                f"call {what.name!r}: the game is in a break in the middle of a step: leave()"
                " it, or advance(1) to the step's end"
            ))  # fmt: skip
        else:
            self._served.obey(
                pending, what, self.recorder.faults,
                began=self.begin_step, outcome=lambda: self.playhead.state,
            )  # fmt: skip

    # --- tools -----------------------------------------------------------------------------------

    def _tell_tools(self, failed: FailedCheck) -> tuple[str, ...]:
        """Send a failed check to tools; the names of those that are connected."""
        if self.bus is None:
            return ()
        self.bus.check_failed(failed)
        return self.bus.tools

    def _address(self) -> str:
        """Where this recording can be opened by another process; empty if nowhere."""
        path = self.recorder.ring.path
        return self.bus.endpoint if self.bus is not None else "" if path is None else str(path)

    # --- publishing -----------------------------------------------------------------------------

    def publish(self, name: str, body: Any) -> None:
        """Publish a plain value under a name, for tools such as a panel or a bot.

        Only the newest value of each name is kept, and nothing is recorded. Any thread may call it.
        It costs almost nothing while nobody listens. A wrong call is raised if strict, and
        otherwise counted, as by `watch`.

        Raises:
            RecordingError: strict, and the name is no text that can be printed, or the body is not
                plain.
            CapacityError: strict, and the body is too large, or there are too many names.
        """
        with self.recorder.refusing("publish"):
            if self.bus is not None:
                self.bus.publish(name, body)
            elif self.recorder.strict:
                packed_body(name, body)

    def _check_open(self, call: str) -> None:
        if self._closed:
            raise RecordingError(f"{call}: {CLOSED}")

    def _clip_done(self, clip: ClipJob) -> None:
        if self.bus is not None:
            self.bus.clip_done(clip)

    # --- facts ----------------------------------------------------------------------------------

    @property
    def source(self) -> RingSource:
        """What is recorded, to be read: objects and their fields, traces, marks, by frame."""
        return self.recorder.source

    @property
    def status(self) -> RecordingStatus:
        """Recorded seconds, bytes used, cost of a frame, and all that was dropped, so far."""
        return self.recorder.status

    def forked(self) -> None:
        """This is a forked child: its game runs on, unrecorded, without the bus and its pauses."""
        if self.bus is not None:
            _INHERITED_SERVICES.append(self.bus)
            self.bus = None
        self.on_check = msgspec.structs.replace(self.on_check, pause=False)

    def close(self) -> None:
        """Leave playback and stop recording.

        Clips that were begun are finished first, without what is not recorded yet; those that are
        not written within half a minute are given up.

        Calls that come after it fail with the same message: `watch`, `log`, `trace`, `draw` and
        the like are refused like any mistake, so raised if strict, else counted and logged once;
        `frame`, `update`, `save` and what moves time raise.
        """
        self._closed = True
        try:
            if not self._is_live:
                self.playhead.apply(Leave())
                self._announce(self.playhead.state)
        finally:
            self.clips.close()
            if self.bus is not None:
                self.bus.close()
            self.recorder.close()

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
