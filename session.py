"""A game under playhead: the one place that composes world, recorder, playhead and restorer.

session = Session(world, memory="64 MiB")
while running:
    if session.live:            # False while the world stands still for playback
        world.step(dt)
    session.update(dt)          # records when live, scrubs when not
"""

import queue
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from os import PathLike
from time import perf_counter as clock
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from .bus.plain import packed_body
from .bus.served import Instruction, Served
from .errors import CommandError, GameError, PlayheadError, RecordingError
from .handlers.registry import HandlerRegistry
from .playback.alarm import Alarm
from .playback.command import (
    Command,
    Enter,
    Follow,
    Leave,
    enters,
    validated,
)
from .playback.controls import command_for
from .playback.order import Order
from .playback.pads import Pads
from .playback.playhead import Playhead
from .playback.restore import Restorer
from .playback.shown import Mode, Shown
from .recorder.checks import CheckPolicy, Violation, caller
from .recorder.clips.writer import Saved
from .recorder.faults import words
from .recorder.instruments import Draw, Scalar, Trace
from .recorder.marks import Mark
from .recorder.reader import RingSource
from .recorder.recorder import Recorder
from .recorder.saving.clip import Clip
from .recorder.saving.clips import Clips
from .recorder.status import Status
from .recorder.triggers import ClipPolicy
from .recorder.world import World

if TYPE_CHECKING:
    from .bus.service import Service
    from .bus.settings import BusSettings

_T = TypeVar("_T")

WAITING = 1024
"""Commands from other threads that may wait for the game; more are refused."""
AT_ONCE = 0.0005
"""Seconds of a running game's step in which commands of tools are begun; the rest wait."""


class Session:
    """Records a game while it runs, and shows its past while it stands still.

    Everything here is for the game's thread, but `send`, and `draw`, `trace`, `watch`, `log` and
    `mark`, which any thread may call.

    Args:
        world: The adapter of the game.
        memory: All the memory that the recording may take.
        handlers: What records and plays the game's types.
        path: A file for the recording, which outlives a killed process.
        latch: Bytes of the memory for latched state; an eighth unless told otherwise.
        older: The share of the memory for an older tier, from 0 to less than 1: what leaves the
            rest stays there for longer, packed by a thread.
        on_check: What a failed check does beside setting its mark.
        about: Plain values that describe the run (game, seed, build, …).
        strict: Raise what would else be counted: for tests. From `PLAYHEAD_STRICT` by default.
        clips: What begins a clip by itself, where clips go, and how many are kept.
        bus: True to be on the bus, at `tcp://127.0.0.1:5670`; or another address, or settings.

    Raises:
        CapacityError: the memory is too small, or can't be had; or the bus's address can't.
        RecordingError: the file can't be made, or is in use.
    """

    def __init__(
        self,
        world: World,
        memory: int | str = "64 MiB",
        *,
        handlers: HandlerRegistry | None = None,
        path: str | PathLike[str] | None = None,
        latch: int | str | None = None,
        older: float = 0.0,
        on_check: CheckPolicy | None = None,
        about: Mapping[str, Scalar] | None = None,
        strict: bool | None = None,
        clips: ClipPolicy | None = None,
        bus: "bool | str | BusSettings" = False,
    ) -> None:
        self.world = world
        self.handlers = handlers if handlers is not None else HandlerRegistry()
        self.recorder = Recorder(
            memory, path=path, latch=latch, older=older, conventions=world.conventions,
            about=about, strict=strict,
        )  # fmt: skip
        self.handlers.on_register(self.recorder.add_handler)
        self._elapsed = 0.0
        """Real time spent in playback, seconds: the clock of the scrub."""
        self.playhead = Playhead(self.source, clock=lambda: self._elapsed)
        self.restorer = Restorer(
            world, self.source, self.handlers.players, strict=self.recorder.strict
        )
        self.pads = Pads(lambda: self.recorder.next_frame)
        """What people and agents hold; `pad(player)` is for the game: see `Pads.get`."""
        self.pad = self.pads.get
        self._orders: queue.SimpleQueue[Order[Any]] = queue.SimpleQueue()
        self._deferred: list[Order[Any]] = []
        self._halting = False
        """Whether the world was asked to stand and has not come to it yet."""
        self.on_order: Callable[[], object] = lambda: None
        """Called, by the sender's thread, when an order waits: for loops that sleep elsewhere."""
        self.watch = self.recorder.watch
        self.log = self.recorder.log
        self.name = self.recorder.name
        self.fact = self.recorder.fact
        self.clips = Clips(self.recorder, clips or ClipPolicy(), self._stands)
        """The clips that are saved of this session; `clips.attach` puts files into all of them."""
        self.clips.on_done = self._clip_done
        self.attach = self.clips.attach
        self._alarm = Alarm(
            world, self.recorder, self.playhead,
            on_check if on_check is not None else CheckPolicy(), halted=self._halted,
            announce=self._announce, begun=self.clips.violated, tell=self._violated,
        )  # fmt: skip
        self.on_violation = self._alarm.listen
        self._served = Served()
        self.serve = self._served.serve
        self.playhead.on_change(self._follow)
        self.bus: Service | None = None
        """The service that puts this session on the bus, if it is."""
        if bus:
            try:
                self.bus = _service(self, bus)
            except BaseException:
                self.recorder.close()
                raise

    # --- the loop -------------------------------------------------------------------------------

    @property
    def live(self) -> bool:
        """Whether the game runs; False while it stands still for playback."""
        return self.playhead.mode is Mode.LIVE

    def update(self, dt: float, time: float | None = None) -> None:
        """Live: record the step that has just ended. In playback: move the playhead.

        Commands that were sent, and requests made in mid-frame, take effect at the end of it.

        Args:
            dt: Seconds: the game's step when live, real time in playback.
            time: Game time after the step; by default what the world says.

        Raises:
            RecordingError: strict, and a time is not finite: the frame stays open.
            CommandError: strict, in playback, and `dt` is negative or not finite: nothing moved.
            HandlerError: strict, and a handler failed.
        """
        if self.live:
            self._record(dt, time)
        else:
            self._scrub(dt)
        self.obey()

    def wait(self, timeout: float | None = None) -> bool:
        """Sleep until a command is sent, and carry it out; at once if the game is live.

        Returns False if none came in `timeout` seconds.
        """
        if self.live:
            return True
        try:
            order = self._orders.get(timeout=timeout)
        except queue.Empty:
            return False
        self._carry_out(order)
        self.obey()
        return True

    def _record(self, dt: float, time: float | None) -> None:
        error = self._record_step(dt, time)
        self.clips.recorded()
        self._end_frame()
        if error is not None:
            raise error

    def _record_step(self, dt: float, time: float | None) -> PlayheadError | None:
        """Record a step; returns what is to be raised when its end is through."""
        world = self.world
        try:
            if time is None:
                with self.recorder.refusing("time()"):
                    time = world.time()
            objects = () if world.columnar else _asked(world.objects)
            self.recorder.update(objects, dt, time, _asked(world.batches), _asked(world.images))
        except PlayheadError as error:
            if self.recorder.strict:
                return error
            self.recorder.faults.call_refused("update", error)
        return None

    def _end_frame(self) -> None:
        if self.recorder.ring.raw.is_open:  # the frame was not finished, so neither is its end
            return
        if self.bus is not None:
            self.bus.recorded()
        try:
            self._alarm.frame_ended()
        finally:
            # Behind the checks: where a failure leads is known before anybody moves on from it.
            self._obey_deferred()

    def rejoin(self, dt: float = 0.0, time: float | None = None) -> None:
        """In playback: the world has moved on by itself, or is another now, and stands still.

        For worlds in other processes. Where it stands is recorded, if `time` is given: that is what
        leaving playback gives back. Then it is shown the frame that everybody else sees.

        Raises:
            RecordingError, HandlerError: as `update` does; the frame is shown nevertheless.
        """
        self.restorer.forget()
        error = None
        if time is not None:
            self.recorder.suspended = False
            try:
                error = self._record_step(dt, time)
            finally:
                self.recorder.suspended = True
            if self.bus is not None:
                self.bus.recorded()
        self.playhead.update()
        self.restorer.match(self.playhead.shown)
        self._announce(self.playhead.shown)
        if error is not None:
            raise error

    def _scrub(self, dt: float) -> None:
        if not (0.0 <= dt < float("inf")):
            error = CommandError(f"dt {dt!r}: real time passes by a finite number, not negative")
            if self.recorder.strict:
                raise error
            self.recorder.faults.call_refused("update", error)
            return
        self._elapsed += dt
        if self.playhead.update() is not None:
            self._announce(self.playhead.shown)

    def obey(self) -> None:
        """Carry out the commands that were sent; `update` and `wait` do this."""
        self._obey_deferred()
        began = clock()
        for _ in range(self._orders.qsize()):
            if self.bus is not None and self.live and clock() - began > AT_ONCE:
                return  # tools that send without end do not take the game's time
            try:
                self._carry_out(self._orders.get_nowait())
            except queue.Empty:
                return

    def _obey_deferred(self) -> None:
        self._alarm.retry()
        deferred, self._deferred = self._deferred, []
        for done, order in enumerate(deferred, 1):
            try:
                self._carry_out(order)
            except BaseException:
                self._deferred[:0] = deferred[done:]  # they have their turn in the next step
                raise
        if self._halting and self.live and not self._deferred and not self._alarm.waits:
            # Whoever wanted the world to stand has given that up.
            self._halting = False
            self.world.resume()

    def _halted(self) -> bool:
        """Whether playback can begin: between two frames, and the world has come to a stand."""
        if not self.live:
            return True
        if self.recorder.ring.raw.is_open:
            return False
        stands = self.world.halt()
        self._halting = not stands
        return stands

    def _carry_out(self, order: Order[Any]) -> None:
        command = order.command
        if not order.is_open:
            return  # whoever sent it has given it up
        if isinstance(command, Instruction):
            if order.take():
                self._instructed(order, command)
            return
        if not isinstance(command, Violation) and enters(command) and not self._halted():
            self._deferred.append(order)  # where it can still be given up
            return
        if not order.take():
            return
        try:
            if isinstance(command, Violation):
                self.violate(command)
                order.answer(self.playhead.shown)
            else:
                order.answer(self._moved(command, order.origin))
        except (CommandError, RecordingError) as error:
            # What others say may be refused, but does not end the game, strict or not.
            self.recorder.faults.call_refused("command", error)
            order.answer(error)
        except Exception as error:
            if not isinstance(error, PlayheadError):
                order.answer(GameError(f"{type(error).__name__}: {error}"))
            else:
                order.answer(error)
            raise

    def _instructed(self, order: Order[Any], instruction: Instruction) -> None:
        """Have what a tool wants done by whoever serves it: no error of theirs is the game's."""
        try:
            self._served.carry_out(instruction)
        except PlayheadError as error:
            order.answer(error)
        except Exception as error:
            cause = f"instruct {instruction.name!r}"
            self.recorder.faults.call_refused(cause, error)
            order.answer(GameError(f"{cause}: {words(error)}"))
        else:
            order.answer(self.playhead.shown)

    def _moved(self, command: Command, origin: str = "") -> Shown:
        try:
            shown = self.playhead.apply(command)
            # What plays from here on counts from this instant; a loop may begin elsewhere.
            moved = self.playhead.update()
        except BaseException:
            # The world could not follow; the playhead may stand elsewhere all the same.
            self._announce(self.playhead.shown, origin)
            raise
        if moved is not None:
            shown = msgspec.structs.replace(moved, clamped=shown.clamped)
        self._announce(shown, origin)
        return shown

    def _announce(self, shown: Shown, origin: str = "") -> None:
        """Tell the bus where everybody stands, now that the world does too."""
        if self.bus is not None:
            self.bus.moved(shown, origin)

    def _follow(self, shown: Shown) -> None:
        """The playhead has moved: the recorder rests and the world shows that frame."""
        stands = shown.mode is not Mode.LIVE
        if stands is not self.recorder.suspended:
            self.recorder.suspended = stands
            self.clips.rest(stands)
            self.pads.rest(stands)
        self.restorer.match(shown)

    def _stands(self) -> int | None:
        """The frame that is shown in playback; None while the game runs."""
        shown = self.playhead.shown
        return None if shown.mode is Mode.LIVE else shown.frame

    # --- commands -------------------------------------------------------------------------------

    def apply(self, command: Command) -> Shown | None:
        """Carry out a command between two frames and say what really happened.

        A command that would enter playback while a frame is being recorded waits for that frame's
        end, so that the frame is in the ring: then the answer is None. In a step that has recorded
        nothing so far there is no such frame yet: there, `send` it.

        Raises:
            CommandError: its values make no sense, or what it names is not there.
        """
        command = validated(command)
        if enters(command) and not self._halted():
            self._deferred.append(Order(command))
            return None
        return self._moved(command)

    def send(self, command: Command) -> None:
        """Hand a command over from any thread: it is carried out in `update` or `wait`.

        Raises:
            CommandError: its values make no sense, or too many wait already.
        """
        self.take(Order(validated(command)))

    def take(self, order: Order[Any]) -> None:
        """Like `send`, for whoever wants to be answered: from any thread."""
        if not isinstance(order.command, Violation | Instruction):
            order.command = validated(order.command)
        if self._orders.qsize() >= WAITING:
            raise CommandError(f"{WAITING} commands wait already: is update() called?")
        self._orders.put(order)
        self.on_order()

    def press(self, key: str) -> bool:
        """A key of the scrub controls; False if it means nothing now. Live, the game has them.

        But for one: `ClipPolicy.key`, F9 by default, saves a clip of what has just happened.
        """
        if self.clips.pressed(key):
            return True
        command = command_for(key, self.playhead.shown)
        if command is None:
            return False
        self.apply(command)
        return True

    def enter(self) -> Shown | None:
        """Pause the game at its newest frame."""
        return self.apply(Enter())

    def resume(self) -> Shown | None:
        """Leave playback: every object is as it was, and the game runs on."""
        return self.apply(Leave())

    def follow(self) -> Shown | None:
        """Be live."""
        return self.apply(Follow())

    # --- what games and agents say --------------------------------------------------------------

    @property
    def draw(self) -> Draw:
        """Recorded debug drawing."""
        return self.recorder.draw

    @property
    def trace(self) -> Trace:
        """Recorded decisions."""
        return self.recorder.trace

    def mark(self, name: str, note: str = "", *, object: int = 0) -> None:
        """Name the frame that is being recorded."""
        code = caller(1)
        self.recorder.mark(Mark(
            name, 0, note=note, object=object, file=code.f_code.co_filename, line=code.f_lineno
        ))  # fmt: skip

    def check(self, condition: bool, message: str, *, focus: int = 0) -> bool:
        """The recorder assert: if it fails, the game stops at the end of this frame.

        The first violating frame is marked; then, as `on_check` says, the game pauses there, the
        camera goes to `focus`, and listeners are told. Returns the condition.
        """
        return self._alarm.check(condition, message, focus, caller(1))

    @property
    def on_check(self) -> CheckPolicy:
        """What a failed check does beside setting its mark."""
        return self._alarm.policy

    @on_check.setter
    def on_check(self, policy: CheckPolicy) -> None:
        self._alarm.policy = policy

    @property
    def violations(self) -> list[Violation]:
        """Checks that failed, oldest first: the newest thousand."""
        return self._alarm.violations

    def violate(self, violation: Violation) -> None:
        """A check has failed outside: in a game in another process, or as a tool sees it.

        A violation that names no frame is about the one being recorded. The game stops at that
        one's end, and goes back to the frame that is named.
        """
        self._alarm.outside(violation)

    def _violated(self, violation: Violation) -> None:
        if self.bus is not None:
            self.bus.violated(violation)

    # --- what stands behind the game ------------------------------------------------------------

    def publish(self, name: str, body: Any) -> None:
        """Tell tools what is newest under a name: any plain value, such as a panel's or a bot's.

        Only the newest is kept, and nothing of it recorded. From any thread; next to free while
        nobody listens. What makes no sense is refused as `watch` would: raised if strict, else
        counted.

        Raises:
            RecordingError: strict, and the name is none or the body not plain.
            CapacityError: strict, and the body is too large, or there are too many names.
        """
        with self.recorder.refusing("publish"):
            if self.bus is not None:
                self.bus.publish(name, body)
            elif self.recorder.strict:
                packed_body(name, body)

    # --- clips ----------------------------------------------------------------------------------

    def save(
        self, path: str | PathLike[str], start: int | None = None, end: int | None = None,
        **rest: Any,
    ) -> Saved:  # fmt: skip
        """Save what is held, or the frames from `start` to `end`, and wait until it is there.

        `rest` and what is raised: see `Clips.save`.
        """
        return self.clips.save(path, start, end, **rest)

    def trigger(
        self, name: str, pre: float | None = None, post: float | None = None, **rest: Any
    ) -> Clip:
        """Save the seconds before this frame and those that come next, while the game runs on.

        In playback: around the frame that is shown, as far as it is held. From any thread. `rest`
        and what is raised: see `Clips.trigger`.
        """
        code = caller(1)
        rest.setdefault("site", (code.f_code.co_filename, code.f_lineno))
        return self.clips.trigger(name, pre, post, **rest)

    def guard(self, name: str = "exception") -> AbstractContextManager[None]:
        """A context; an exception in it is a trigger: what led to it is saved before it goes on."""
        return self.clips.guard(name)

    def _clip_done(self, clip: Clip) -> None:
        if self.bus is not None:
            self.bus.clip_done(clip)

    # --- facts ----------------------------------------------------------------------------------

    @property
    def source(self) -> RingSource:
        """What is recorded, to be read."""
        return self.recorder.source

    @property
    def status(self) -> Status:
        """Seconds held, bytes used, cost per frame, and all that was dropped."""
        return self.recorder.status

    def close(self) -> None:
        """Leave playback and stop recording.

        Clips that were begun are finished first, without what is not recorded yet; those that are
        not written within half a minute are given up.
        """
        try:
            if not self.live:
                self.playhead.apply(Leave())
                self._announce(self.playhead.shown)
        finally:
            self.clips.close()
            if self.bus is not None:
                self.bus.close()
            self.recorder.close()

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _asked(answer: Callable[[], Iterable[_T]]) -> Iterator[_T]:
    """What a world answers; asked by the recorder, so that it knows if an answer breaks off."""
    yield from answer()


def _service(session: Session, bus: "bool | str | BusSettings") -> "Service":
    # Imported when asked for: a game without a bus needs no ZeroMQ.
    from .bus.service import Service
    from .bus.settings import BusSettings

    settings = (
        bus if isinstance(bus, BusSettings) else BusSettings(bus if isinstance(bus, str) else "")
    )
    return Service(session.recorder, session, settings)
