"""Records a program's own objects, without an adapter: `record` is the only call needed.

with record(game.enemies, "run.mcap", dt=1 / 60) as rec:
    while game.running:
        with rec.frame():       # one step; waits while a user scrubs
            game.step()
"""

import atexit
import inspect
import logging
import math
import time as clocks
from collections.abc import Callable, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

from .adapters.environments.environment_picture import renderer_of
from .adapters.environments.environment_recorder import EnvironmentRecord
from .adapters.environments.wrapper_choice import training_callback, wrapped
from .adapters.field_inspection import FieldChoice
from .adapters.library_observers import LibraryObservers, is_of_library, refuse_environment
from .adapters.observed_world import ObservedWorld
from .adapters.output_path_and_summary import checked_path, print_line, summary
from .errors import PlayheadError, RecordingError
from .handlers.handler_registry import Handlers, registry_of
from .playback.frame_scope import FrameScope
from .recorder.checks.check_policy import UNATTENDED, CheckPolicy
from .recorder.clip_triggers import ClipPolicy
from .recorder.pictures.picture_settings import PictureSettings
from .recorder.recording_mode_from_env import RecordingMode, recording_mode
from .recorder.statements.instrumentation_interface import Scalar
from .recorder.text.name_hint import name_hint
from .recorder.text.safe_log import log_safely
from .recorder.world_adapter import Conventions
from .session import Session

if TYPE_CHECKING:
    from .bus.server.bus_settings import BusSettings

_logger = logging.getLogger("playhead.recording")


P = ParamSpec("P")
R = TypeVar("R")


def _parameters_of(kind: Callable[P, R]) -> Callable[[Callable[..., R]], Callable[P, R]]:
    """A function takes what a class does, whose instance it returns: written down once, there."""

    def decorate(function: Callable[..., R]) -> Callable[P, R]:
        signature = inspect.signature(kind)
        decorated: Any = function
        decorated.__signature__ = signature.replace(return_annotation=kind)
        return function

    return decorate


class RecordingSession(Session):
    """What `record` returns: a session whose world is the program's own objects.

    It has also everything of `Session`: `check`, `watch`, `log`, `mark`, `draw`, `trace`, `save`,
    `live`, `enter`, `apply`, `leave`, `bus`, `clips`, `status` and so on.

    Use it as a context manager, or call `close`. At the end of the program it is closed, too.
    """

    def __init__(
        self,
        thing: Any = None,
        path: str | PathLike[str] | None = None,
        *,
        dt: float,
        memory: int | str = "64 MiB",
        fields: Mapping[str | type, FieldChoice] | None = None,
        handlers: Handlers | None = None,
        restore: bool = True,
        conventions: Conventions | None = None,
        degrees: bool = False,
        bus: "bool | int | str | BusSettings" = False,
        on_check: CheckPolicy | None = None,
        clips: ClipPolicy | None = None,
        about: Mapping[str, Scalar] | None = None,
        latch: int | str | None = None,
        older: float = 0.0,
        strict: bool | None = None,
        pictures: PictureSettings | bool = True,
    ) -> None:
        if recording_mode() is RecordingMode.OFF and not self.always_records:
            self._record_nothing(
                path, dt=dt, handlers=handlers, on_check=on_check, clips=clips, strict=strict
            )
            return
        self.dt = checked_step(dt)
        """The step, seconds, where `frame` and `update` are given none."""
        self.on_step: Callable[[], object] = lambda: None
        """Called on the program's thread after each step that was recorded."""
        self._closed = self._in_frame = False
        self.path = checked_path(path)
        """Where the clip, or the ring, is at the end; None if nothing is saved by itself."""
        is_ring = self.path is not None and self.path.suffix == ".ring"
        registry = registry_of(handlers)
        self._observed = ObservedWorld(
            handlers=registry, fields=fields, restore=restore, conventions=conventions,
            degrees=degrees, about=about,
        )  # fmt: skip
        refuse_environment(thing)
        if thing is not None and not is_of_library(thing):
            self._observed.add(thing)
        self._clock: Callable[[], float] = clocks.monotonic
        self._scrubbed: float | None = None
        """The clock when the playhead was last moved by an update without a time of its own."""
        self._frame_calls = self._entered_frames = 0
        """How many `frame` blocks were asked for, and how many were begun."""
        self._has_warned_of_long_step = False
        """Whether a warning about a long step was logged."""
        self._is_child = False
        """Whether this is a forked child's copy: the clip is the parent's to save."""
        super().__init__(
            self._observed, memory, handlers=registry, path=self.path if is_ring else None,
            latch=latch, older=older,
            on_check=on_check if on_check is not None else None if bus else UNATTENDED,
            about=about, strict=strict, clips=clips, bus=bus, pictures=pictures,
        )  # fmt: skip
        self._observed.attach(self.recorder)
        self._library = LibraryObservers(self.recorder, self._observed, self.hooks.table, self)
        requested = getattr(bus, "address", bus)
        if self.bus is not None and isinstance(requested, str) and requested.endswith(":*"):
            print_line(f"on the bus at {self.bus.endpoint}: playhead view {self.bus.endpoint}")
        if is_of_library(thing):
            try:
                self.add(thing)
            except BaseException:
                super().close()
                raise
        _open.add(self)
        for listener in tuple(_open_listeners):
            listener(self)

    def _record_nothing(self, path: Any, **settings: Any) -> None:
        """Become a session that takes every call and does nothing (see `RecordingSessionOff`)."""
        from .recording_session_off import RecordingSessionOff
        from .session_off import off_class

        self.__class__ = off_class(type(self), RecordingSessionOff)
        RecordingSessionOff.__init__(cast(RecordingSessionOff, self), path, **settings)

    # --- the loop -------------------------------------------------------------------------------

    def frame(self, dt: float | None = None, time: float | None = None) -> FrameScope:
        """One step: `with rec.frame(): game.step()`. See `Session.frame`.

        Args:
            dt: The step, seconds, where it is another than that of the recording.
            time: Game time after it; by default the sum of the steps.
        """
        self._check_open("frame()")
        self._frame_calls += 1
        return super().frame(self.dt if dt is None else checked_step(dt), time)

    def _begin_frame(self) -> None:
        self._entered_frames += 1
        if self._is_live and not self._in_frame:
            self._library.screens.begin_step()
        super()._begin_frame()

    def update(self, dt: float | None = None, time: float | None = None) -> None:
        """Live: record the step that has just ended. In playback: move the playhead.

        Args:
            dt: As for `frame` when live. In playback the real time that has passed, which is
                measured by default.
            time: Game time after the step; by default the sum of the steps.
        """
        self._check_open("update()")
        if not self._is_live:
            super().update(self._passed() if dt is None else dt, time)
            return
        self._scrubbed = None
        step = self.dt if dt is None else dt
        if step > _LONG and not self._has_warned_of_long_step:
            self._has_warned_of_long_step = True
            log_safely(
                _logger, logging.WARNING,
                "dt is %s seconds, and a step is recorded as that long: dt is in seconds; did you"
                " mean 1/%s, or %s milliseconds, which is %s?",
                f"{step:.1f}", f"{step:g}", f"{step:g}", f"{step / 1000:g}",
            )  # fmt: skip
        if time is not None:
            self._observed.seconds = time
        elif math.isfinite(step) and step >= 0:
            self._observed.seconds += step
        super().update(step, time)
        self.on_step()

    def _take_pictures(self) -> None:
        if self._commands.pending and self.recorder.pictures is not None:
            self.recorder.pictures.urge()
        self._library.take_pictures()
        super()._take_pictures()

    def _record(self, dt: float, time: float | None) -> None:
        self._library.draw_simulations(self.draw, self.id_of)
        super()._record(dt, time)
        mistake, self._observed.mistake = self._observed.mistake, None
        if mistake is not None:
            raise mistake

    def _passed(self) -> float:
        """Real seconds since the playhead was last moved."""
        before, self._scrubbed = self._scrubbed, self._clock()
        return 0.0 if before is None else max(self._scrubbed - before, 0.0)

    # --- what is recorded -----------------------------------------------------------------------

    def add(
        self, thing: Any, *, agent: Any = None, name: str = "", camera: str | int | None = None
    ) -> None:  # fmt: skip
        """Record more in the same recording, from the next frame on. A thing is added only once.

        Args:
            thing: Whatever `record` takes; a tree of py_trees (a `BehaviourTree` or a root), whose
                ticks are recorded; a machine of `transitions`; a `Space` of pymunk; a pair of a
                MuJoCo model and its data; a `Window` of arcade, each of whose pictures is a frame,
                with the sprites of its program; or a `Surface` of pygame, as a picture. The picture
                of pygame's own window needs no `add`.
            agent: The object, or its id, that the tree or machine belongs to. By default a tree
                belongs to the world, and a machine to the object that is its model.
            name: Its name in the recording. The default is the name of the tree's root or of the
                machine, `surface` for a surface's picture, and `screen` for a window's.
            camera: For a MuJoCo simulation: the camera whose picture is recorded, by its name or
                number; -1 for the free one. It needs OpenGL, which MUJOCO_GL chooses.

        Raises:
            RecordingError: it can't be recorded, there is no such agent, or the recording is
                closed.
        """
        self._check_open("add()")
        self._library.add(thing, agent, name, camera)

    def wrap(self, env: Any) -> Any:
        """Record an environment for learners: returns a wrapper that is stepped instead.

        It takes environments and vector environments of Gymnasium, parallel and AEC environments of
        PettingZoo, and a VecEnv of stable-baselines3, and returns a wrapper of that library's own
        class. Each step is a frame, or belongs to the `frame` that is open. Each environment and
        each agent is an object. `reset` begins an episode, with a mark. The environment is not
        changed, and its outcomes are the same as without recording. Of an observation with more
        than 64 numbers, the smallest, the mean and the largest are recorded.

        Raises:
            RecordingError: it is no such environment, or the recording is closed.
        """
        self._check_open("wrap()")
        return wrapped(env, self)

    def training_callback(self) -> Any:
        """A callback for a model of stable-baselines3 that records its training:
        `model.learn(100_000, callback=rec.training_callback())`.

        Each step of its environments is a frame, in which each environment is an object. Losses,
        rewards and what else the model logs are watched values. The model learns the same as
        without.

        Raises:
            RecordingError: stable-baselines3 is not installed, or the recording is closed.
        """
        self._check_open("training_callback()")
        return training_callback(self, self._library.trained)

    def add_record(self, type: str, name: str = "") -> tuple[EnvironmentRecord, int]:
        """An object for what a wrapper records, and its id."""
        return self._library.add_record(type, name)

    def picture_name(self, otherwise: str) -> str:
        """A name for pictures that are recorded by themselves: `screen` for the first of them, and
        then the given one, with a number if others have that."""
        return self._library.picture_name(otherwise)

    def renderer_of(self, env: Any) -> Callable[[], Any] | None:
        """What gives the pictures of an environment; None if it renders none."""
        return renderer_of(env)

    def close_step(self, dt: float | None) -> None:
        """Record the step of something that makes steps of its own, unless one is open."""
        if not (self._in_frame or self._closed):
            self.update(dt)

    def open_step(self) -> None:
        """Wait until such a step may begin, unless one is open."""
        if not (self._in_frame or self._closed):
            if self._is_live:
                self._library.screens.begin_step()
            self.await_live()

    @property
    def closed(self) -> bool:
        """Whether nothing is recorded any more."""
        return self._closed

    def id_of(self, object: Any) -> int | None:
        """The id of an object in the recording; None for what is no object."""
        return self._observed.number_of(object)

    @property
    def left_out(self) -> dict[str, dict[str, str]]:
        """The fields that are not recorded, by type, and why: what they hold, or None so far."""
        return self._observed.classes.left_out

    # --- the end --------------------------------------------------------------------------------

    def close(self) -> None:
        """Save the clip, log how to open it, and stop recording. More calls have no effect.

        Raises:
            RecordingError: the clip can't be saved.
        """
        if self._closed:
            return
        _open.discard(self)
        self._warn_of_mistakes()
        try:
            self._end_playback()
            self._finish_open_frame()
            self._save_at_end()
        finally:
            self._library.close()
            super().close()

    def _warn_of_mistakes(self) -> None:
        """Warn at the end about calls of the program that must be mistakes."""
        unentered = self._frame_calls - self._entered_frames
        if unentered > 0:
            never = "never entered" if not self._entered_frames else f"{unentered} never entered"
            log_safely(
                _logger, logging.WARNING,
                "frame() was called %s and %s: write `with rec.frame():`",
                _times(self._frame_calls), never,
            )  # fmt: skip
        if self._observed.is_without_objects and self.source.span is not None:
            log_safely(
                _logger,
                logging.WARNING,
                "no object was ever recorded: what was to be recorded held none in any frame; give"
                " a function that returns the objects, as in ph.record(lambda: game.enemies)",
            )
        unused = self._observed.classes.unused_fields
        if unused and self.source.span is not None:
            log_safely(
                _logger, logging.WARNING,
                "fields= names %s, and no object of that class was recorded: %s",
                ", ".join(unused), name_hint(unused[0], self._observed.classes.names.values()),
            )  # fmt: skip

    def __enter__(self) -> "RecordingSession":
        return self

    def __exit__(self, *raised: object) -> None:
        error = raised[1]
        if not isinstance(error, BaseException):
            self.close()
            return
        try:
            self.close()
        except Exception as failed:  # what ended the program is worth more
            error.add_note(f"playhead could not save the recording: {failed}")

    def forked(self) -> None:
        """This is a forked child: the clip is its parent's to save."""
        super().forked()
        self._is_child = True
        _open.discard(self)

    def _end_playback(self) -> None:
        if not self._is_live:
            try:
                self.leave()
            except PlayheadError as error:  # a handler of the program's: the recording is complete
                self.recorder.faults.call_refused("close", error)

    def _finish_open_frame(self) -> None:
        """Record statements since the newest frame, such as a last mark, half a step, and pictures
        that were still being compressed."""
        if self._is_child:
            return
        self._library.screens.close()
        waiting = self.recorder.wait_for_pictures(_LAST_PICTURES)
        if self.recorder.is_frame_open or self._in_frame or waiting:
            in_frame, self._in_frame = self._in_frame, False
            late = () if in_frame else tuple(self._check_failures.fresh)
            try:
                self.update(self.dt) if in_frame else super().update(0.0)
            except PlayheadError as error:
                self.recorder.faults.call_refused("close", error)
            if late and self.source.span is not None:
                log_safely(
                    _logger, logging.WARNING,
                    "the check %s failed (%s:%s) while no frame was open, and none came after it:"
                    " it is at frame %s, which holds what was there at the end",
                    repr(late[0].message), late[0].file, late[0].line, self.source.span.newest,
                )  # fmt: skip

    def _save_at_end(self) -> None:
        span = self.source.span
        if self.path is None or self._is_child:
            return
        path, older = self.path, None
        if span is not None and self.recorder.ring.path is None:
            try:
                saved = self.clips.save(self.path)
            except (KeyboardInterrupt, SystemExit):  # a second Ctrl-C
                print_line(f"{self.path.name}: not saved: that was interrupted")
                raise
            path, older = saved.path, saved.older
        print_line(summary(path, older, self.status, span, self.failed_checks))

    def _address(self) -> str:
        address = super()._address()
        return address or ("" if self.path is None else str(self.path))


# A call with wrong arguments names what was called.
RecordingSession.__init__.__qualname__ = "record"


@_parameters_of(RecordingSession)
def record(*args: Any, **named: Any) -> RecordingSession:
    """Record a program's own objects: a session that needs no adapter.

    Every object gets an id, which counts up from 1. Its fields are found by inspection: numbers,
    bools, texts, enums, short vectors and small arrays, also those of small parts
    (`transform.position`). Its position is `position`, `pos`, `rect`, or `x` and `y`, or the like
    (`x` alone is a position on a line). Its angle is `angle`, `rotation` or `heading`. Playback
    sets fields back where that is possible. At its end every object is exactly as it was.

    Args:
        thing: A dict of objects by name; a list, tuple or set of objects; one object; a pygame
            Group; a function that returns any of these, which is called in every frame; or anything
            else that `add` takes. `add` and `wrap` record more.
        path: `run.mcap` saves a clip there at the end; an existing clip is kept as `run.1.mcap`.
            `run.ring` makes the recording in that file, which survives a killed process; one older
            ring is kept as `run.ring.old`. Without a path only `save` saves.
        dt: The step of the game, in seconds of game time, never of wall time.
        memory: All the memory that the recording may take. When it is full, the oldest frames go.
        fields: Which fields of a class are recorded, instead of those that are found:
            `{"Guard": ["hp", "pos"]}`, or with a path or a function for each name:
            `{"Guard": {"hp": "health.now", "far": lambda guard: …}}`. A field that the first object
            of the class does not have raises an error at the end of that step.
        handlers: Handlers by type name. They come before inspection.
        restore: False to set nothing back: playback then shows stand-ins for all objects.
        conventions: How to read the numbers. By default y points up in a two-dimensional world; if
            pygame is loaded it points down, in pixels.
        degrees: True if angles are in degrees; by default they are in radians.
        on_check: What a failed check does. By default it pauses the program if there is a bus, from
            which the pause can be ended; otherwise it is only marked.

    For the others see `Session`.

    Raises:
        TypeError: without `dt`.
        RecordingError: the thing can't be recorded, `dt` is no step, or there can be no clip at
            `path`.
        CapacityError: the memory is too small, or can't be had.
    """
    if "dt" not in named:
        raise TypeError("record() needs dt, the length of a step in seconds: ph.record(…, dt=1/60)")
    return RecordingSession(*args, **named)


def checked_step(dt: Any) -> float:
    """A step in seconds.

    Raises:
        RecordingError: it is none.
    """
    try:
        step = 0.0 if isinstance(dt, str | bytes | bool) else float(dt)
    except (TypeError, ValueError, OverflowError):
        step = 0.0
    if not 0 < step < math.inf:
        raise RecordingError(
            f"dt={dt!r:.80}: give the seconds of a step, a finite number above 0, such as dt=1/60"
        )
    return step


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


_LAST_PICTURES = 1.0
"""Seconds for which pictures are waited for at the end that are still being compressed."""
_LONG = 1.0
"""Seconds above which a step is rather a number of frames or of milliseconds."""
_open: set[RecordingSession] = set()
"""Sessions that are not closed: a program that ends without closing them still gets its files.

They belong to the process, since its end is what they wait for.
"""


_open_listeners: list[Callable[[RecordingSession], object]] = []


def open_sessions() -> tuple[RecordingSession, ...]:
    """The sessions of this process that are not closed."""
    return tuple(_open)


def on_open(listener: Callable[[RecordingSession], object]) -> Callable[[], None]:
    """Have a function called with each session that is opened in this process from now on.

    Returns what ends it.
    """
    _open_listeners.append(listener)
    return lambda: _open_listeners.remove(listener)


@atexit.register
def _close_all() -> None:
    for session in tuple(_open):
        try:
            session.close()
        except Exception as error:
            log_safely(_logger, logging.ERROR, "%s", str(error))
