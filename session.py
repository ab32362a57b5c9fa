"""A game under playhead: the one place that composes world, recorder, playhead and restorer.

session = Session(world, memory="64 MiB")
while running:
    if session.live:            # False while the world stands still for playback
        world.step(dt)
    session.update(dt)          # records when live, scrubs when not
"""

import queue
from collections.abc import Callable, Iterable, Iterator, Mapping
from os import PathLike
from typing import TypeVar

import msgspec

from .errors import CommandError, PlayheadError
from .handlers.registry import HandlerRegistry
from .playback.command import Command, Enter, Focus, Follow, Leave, enters, validated
from .playback.controls import command_for
from .playback.playhead import Playhead
from .playback.restore import Restorer
from .playback.shown import Mode, Shown
from .recorder.checks import CheckLog, CheckPolicy, Violation, caller, expression_at
from .recorder.instruments import Draw, Scalar, Trace
from .recorder.marks import Mark
from .recorder.reader import RingSource
from .recorder.recorder import Recorder
from .recorder.status import Status
from .recorder.world import World

_T = TypeVar("_T")

WAITING = 1024
"""Commands from other threads that may wait for the game; more are refused."""


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
        on_check: What a failed check does beside setting its mark.
        about: Plain values that describe the run (game, seed, build, …).
        strict: Raise what would else be counted: for tests. From `PLAYHEAD_STRICT` by default.

    Raises:
        CapacityError: the memory is too small, or can't be had.
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
        on_check: CheckPolicy | None = None,
        about: Mapping[str, Scalar] | None = None,
        strict: bool | None = None,
    ) -> None:
        self.world = world
        self.handlers = handlers if handlers is not None else HandlerRegistry()
        self.on_check = on_check if on_check is not None else CheckPolicy()
        self.recorder = Recorder(
            memory, path=path, latch=latch, conventions=world.conventions, about=about,
            strict=strict,
        )  # fmt: skip
        self.handlers.on_register(self.recorder.add_handler)
        self._elapsed = 0.0
        """Real time spent in playback, seconds: the clock of the scrub."""
        self.playhead = Playhead(self.source, clock=lambda: self._elapsed)
        self.restorer = Restorer(
            world, self.source, self.handlers.players, strict=self.recorder.strict
        )
        self.violations: list[Violation] = []
        """Checks that failed, oldest first: the newest thousand."""
        self._checks = CheckLog()
        self._listeners: list[Callable[[Violation], object]] = []
        self._commands: queue.Queue[Command] = queue.Queue(WAITING)
        self._deferred: list[Command] = []
        self.watch = self.recorder.watch
        self.log = self.recorder.log
        self.name = self.recorder.name
        self.fact = self.recorder.fact
        self.playhead.on_change(self._follow)

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
        self._obey()

    def wait(self, timeout: float | None = None) -> bool:
        """Sleep until a command is sent, and carry it out; at once if the game is live.

        Returns False if none came in `timeout` seconds.
        """
        if self.live:
            return True
        try:
            command = self._commands.get(timeout=timeout)
        except queue.Empty:
            return False
        self._carry_out(command)
        self._obey()
        return True

    def _record(self, dt: float, time: float | None) -> None:
        world = self.world
        try:
            if time is None:
                with self.recorder.refusing("time()"):
                    time = world.time()
            objects = () if world.columnar else _asked(world.objects)
            self.recorder.update(objects, dt, time, _asked(world.batches))
        except PlayheadError as error:
            if self.recorder.strict:
                self._end_frame()
                raise
            self.recorder.faults.call_refused("update", error)
        self._end_frame()

    def _end_frame(self) -> None:
        if self.recorder.ring.raw.is_open:  # the frame was not finished, so neither is its end
            return
        deferred, self._deferred = self._deferred, []
        fresh, self._checks.fresh = self._checks.fresh, []
        try:
            if fresh:
                self._violated(fresh)
        finally:
            # Behind the checks: where a failure leads is known before anybody moves on from it.
            for command in deferred:
                self._carry_out(command)

    def _scrub(self, dt: float) -> None:
        if not (0.0 <= dt < float("inf")):
            error = CommandError(f"dt {dt!r}: real time passes by a finite number, not negative")
            if self.recorder.strict:
                raise error
            self.recorder.faults.call_refused("update", error)
            return
        self._elapsed += dt
        self.playhead.update()

    def _obey(self) -> None:
        for _ in range(self._commands.qsize()):
            try:
                self._carry_out(self._commands.get_nowait())
            except queue.Empty:
                return

    def _carry_out(self, command: Command) -> None:
        try:
            self._moved(command)
        except CommandError as error:
            self.recorder.faults.call_refused("command", error)

    def _moved(self, command: Command) -> Shown:
        shown = self.playhead.apply(command)
        self.playhead.update()  # what plays from here on counts from this instant
        return shown

    def _follow(self, shown: Shown) -> None:
        """The playhead has moved: the recorder rests and the world shows that frame."""
        self.recorder.suspended = shown.mode is not Mode.LIVE
        self.restorer.match(shown)

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
        if self.live and self.recorder.ring.raw.is_open and enters(command):
            self._deferred.append(command)
            return None
        return self._moved(command)

    def send(self, command: Command) -> None:
        """Hand a command over from any thread: it is carried out in `update` or `wait`.

        Raises:
            CommandError: its values make no sense, or too many wait already.
        """
        command = validated(command)
        try:
            self._commands.put_nowait(command)
        except queue.Full:
            raise CommandError(f"{WAITING} commands wait already: is update() called?") from None

    def press(self, key: str) -> bool:
        """A key of the scrub controls; False if it means nothing now. Live, the game has them."""
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
        code = caller(1)
        site = (code.f_code.co_filename, code.f_lineno)
        if condition:
            self._checks.passed(site, focus)
            return True
        if self.recorder.suspended:
            return False
        frame = self.recorder.next_frame
        if self._checks.failed(site, focus, frame):
            expression = expression_at(code)
            self._checks.fresh.append(Violation(message, expression, focus, *site, frame))
            self.recorder.mark(Mark(
                message, 0, kind="check", object=focus, expression=expression,
                file=site[0], line=site[1],
            ))  # fmt: skip
        self._checks.forget_before(frame - 1)
        return False

    def on_violation(self, listener: Callable[[Violation], object]) -> None:
        """Have `listener` called for each check that begins to fail, after pause and camera."""
        self._listeners.append(listener)

    def _violated(self, fresh: list[Violation]) -> None:
        """Pause, look, tell: in this order. The first moves the camera, all are told."""
        newest = self.source.span
        frame = newest.newest if newest else 0
        packets = {packet.id: packet for packet in self.source.objects(frame)} if newest else {}
        told = [
            msgspec.structs.replace(
                violation, frame=frame, time=newest.end if newest else 0.0,
                recorded=violation.object in packets,
            )
            for violation in fresh
        ]  # fmt: skip
        self.violations = [*self.violations, *told][-1000:]
        first = told[0]
        if self.on_check.pause and self.live:
            self.playhead.apply(Enter())
            if first.recorded and packets[first.object].targetable:
                self.playhead.apply(Focus(first.object))
        if self.on_check.camera and first.recorded:
            self.world.look_at(first.object, packets[first.object].position)
        if self.on_check.notify:
            self._notify(told)

    def _notify(self, told: list[Violation]) -> None:
        raised: Exception | None = None
        for violation in told:
            for listener in self._listeners:
                try:
                    listener(violation)
                except Exception as error:
                    self.recorder.faults.call_refused("on_violation", error)
                    raised = raised or error
        if raised is not None and self.recorder.strict:
            raise raised

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
        """Leave playback and stop recording."""
        try:
            if not self.live:
                self.playhead.apply(Leave())
        finally:
            self.recorder.close()

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _asked(answer: Callable[[], Iterable[_T]]) -> Iterator[_T]:
    """What a world answers; asked by the recorder, so that it knows if an answer breaks off."""
    yield from answer()
