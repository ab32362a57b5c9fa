"""Records a running program: the patches of its libraries report what they see."""

import os
import sys
import threading
import time as clocks
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from .. import recording_session
from ..adapters.environments.environment_recorder import EnvironmentRecord
from ..errors import RecordingError
from ..recorder.recorder import Recorder
from ..recording_session import RecordingSession
from .find_program_objects import ProgramObjects, Scope
from .frame_boundary_kind import FrameBoundaryKind
from .program_session import ProgramSession
from .recognition_summary import Recognition

LONGEST_STEP = 1.0
"""Seconds: a program that waited longer than this was not playing, and its recording shows no
more of it."""
USUAL_STEP = 1 / 60


class ProgramOptions(NamedTuple):
    """What the person at the keyboard wants of a program's recording."""

    out: Path
    """The clip, or with the suffix `.ring` the ring file, which is kept then."""
    dt: float | None = None
    """The length of each step, seconds; None for what the libraries say, or else real time."""
    memory: str = "64 MiB"
    bus: Any = False
    frames: int | None = None
    """After how many frames the program is ended; None for never."""

    @property
    def ring(self) -> Path:
        """The ring file."""
        return self.out.with_suffix(".ring")


class RecordingEnded(SystemExit):
    """Raised in the program, between two of its steps, when as much as was wanted is recorded."""

    def __init__(self) -> None:
        super().__init__(0)


class _RecordsItselfError(RecordingError):
    """The program has a session of its own, which is the only one then."""


class ProgramRecorder:
    """What the patches call. An error of the recording's own never reaches the program.

    It is also the host of the environments that are recorded in it. Recorded is one thread of one
    process: the one that makes the first frame. The session begins with that frame.

    Args:
        recognition: Collects what was recognised.
    """

    def __init__(self, options: ProgramOptions, recognition: Recognition) -> None:
        self.recognition = recognition
        self.session: ProgramSession | None = None
        self.own_recordings: list[Path | None] = []
        """The files of the sessions that the program itself opened before there was one here; None
        for one without."""
        self.objects = ProgramObjects(recognition)
        self.out_of_time = False
        """Set, by any thread, when the program is to be ended before its next step."""
        self._options = options
        self._source = FrameBoundaryKind.SIMULATION
        self._frames = 0
        self._depth = 0
        """How many calls of patched functions are under way, each within the one before."""
        self._pid, self._thread = os.getpid(), 0
        self._shown_at: float | None = None
        self._added: list[Any] = []
        self._waiting: list[Any] = []
        """What was found before the session began."""
        self._is_off = False
        self.is_finished = False
        """Whether the recording was closed."""
        self._natural_step: float | None = None
        """The step that the first source of frames names."""
        self._forget_opened = recording_session.on_open(self._on_open)

    # --- for the patches --------------------------------------------------------------------------

    @property
    def records_here(self) -> bool:
        """Whether this call is made by what is recorded: the process, and the thread."""
        if self._is_off or os.getpid() != self._pid:
            return False
        return self._thread in (0, threading.get_ident())

    @property
    def is_within(self) -> bool:
        """Whether this call is made within another one of a patched function."""
        return self._depth > 0

    @contextmanager
    def within(self) -> Iterator[None]:
        """A call of a patched function is under way."""
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1

    def is_source(self, source: FrameBoundaryKind) -> bool:
        """Whether this one makes the frames; a higher one takes over from a lower."""
        if source > self._source:
            self._source = source
        return source is self._source

    def add(self, thing: Any) -> None:
        """Record whatever `RecordingSession.add` takes, from now on. Twice is once."""
        if self.knows(thing):
            return
        self._added.append(thing)
        if self.session is None:
            self._waiting.append(thing)
            return
        with self._guarded(f"recording {type(thing).__name__}"):
            self.session.add(thing)

    def add_with_camera(self, simulation: Any) -> None:
        """Record a simulation with what its free camera sees, if that can be rendered."""
        if not self.begin() or self.session is None:
            return
        try:
            self.session.add(simulation, camera=-1)
        except RecordingError as error:
            self.recognition.note(f"there is no picture of the simulation: {error}")
        else:
            self._added.append(simulation)

    def knows(self, thing: Any) -> bool:
        """Whether something was added."""
        return any(_is_same(one, thing) for one in self._added)

    def begin(self) -> bool:
        """Begin the session, if that has not been done; whether there is one."""
        with self._guarded("beginning the recording"):
            self._begun()
        return not self._is_off

    def simulate(self, thing: Any, call: Callable[[], Any], dt: float) -> Any:
        """Step a simulation by `call`, which is a frame if nothing higher makes the frames.

        Args:
            thing: What `RecordingSession.add` takes for it.
            dt: The simulated seconds.
        """
        self.add(thing)
        if _has_pygame_window():  # which shows what the simulation does
            self.is_source(FrameBoundaryKind.WINDOW)
        if self._depth or not self.is_source(FrameBoundaryKind.SIMULATION):
            return call()
        self.open_step()
        with self.within():
            result = call()
        self.close_step(dt)
        return result

    def picture(self, image: Callable[[], Any], name: str) -> None:
        """Record a picture in this step, if one is due.

        Args:
            image: Called then; returns the pixels.
        """
        if not self._depth and self.begin():
            self._begun().recorder.picture(image, name=name)

    def show(self, source: FrameBoundaryKind, scopes: Callable[[], Iterable[Scope]]) -> None:
        """A window is about to show a picture, which ends a step.

        Args:
            scopes: Gives the program's variables, which are looked at where it has no sprites.
        """
        if self._depth or not self.is_source(source):
            return
        self.objects.scopes = scopes
        now = clocks.perf_counter()
        before, self._shown_at = self._shown_at, now
        passed = USUAL_STEP if before is None else min(now - before, LONGEST_STEP)
        self.close_step(max(passed, 1e-6))
        self.objects.scopes = None

    def shown(self, source: FrameBoundaryKind) -> None:
        """The window shows the picture: the next step begins."""
        if not self._depth and source is self._source:
            waited_from = clocks.perf_counter()
            self.open_step()
            if self._shown_at is not None:  # while the past was shown no time passed
                self._shown_at += clocks.perf_counter() - waited_from

    # --- EnvironmentHost --------------------------------------------------------------------------

    @property
    def recorder(self) -> Recorder:
        """The recorder of the session, which is begun if there is none."""
        return self._begun().recorder

    @property
    def closed(self) -> bool:
        """Whether nothing is recorded any more."""
        return self._is_off or (self.session is not None and self.session.closed)

    def open_step(self) -> None:
        """A step begins, once playback has ended.

        Raises:
            RecordingEnded: as much as was wanted is recorded.
        """
        if self._is_enough:
            self._is_off = True
            raise RecordingEnded
        if self.session is not None:
            with self._guarded("waiting for a step"):
                self.session.open_step()

    def close_step(self, dt: float | None) -> None:
        """Record the step that has just ended."""
        with self._guarded("recording a step"):
            session = self._begun()
            wanted = self._options.dt
            session.close_step(dt if wanted is None or dt == 0.0 else wanted)
            self._frames += 1

    def add_record(self, type: str, name: str = "") -> tuple[EnvironmentRecord, int]:
        """An object for what is recorded of an environment, and its id."""
        return self._begun().add_record(type, name)

    def picture_name(self, otherwise: str) -> str:
        """A name for the pictures of something."""
        return self._begun().picture_name(otherwise)

    def renderer_of(self, env: Any) -> Callable[[], Any] | None:
        """What gives the pictures of an environment; None if it renders none."""
        return self._begun().renderer_of(env)

    def step_is(self, seconds: float | None) -> None:
        """A source of frames names the length of its steps; the first to do so is believed."""
        if self._natural_step is None and seconds is not None and seconds > 0:
            self._natural_step = seconds

    # --- the session ------------------------------------------------------------------------------

    def _begun(self) -> ProgramSession:
        """The session, which is begun if there is none."""
        if self.session is not None:
            return self.session
        if recording_session.open_sessions():
            raise _RecordsItselfError("the program records itself with playhead")
        self._thread = threading.get_ident()
        options = self._options
        self.session = ProgramSession(
            self.objects.found, options.ring,
            options.out if options.out != options.ring else None, self._no_picture,
            dt=options.dt or self._natural_step or USUAL_STEP, memory=options.memory,
            bus=options.bus,
        )  # fmt: skip
        waiting, self._waiting = self._waiting, []
        for thing in waiting:
            self.session.add(thing)
        return self.session

    @property
    def _is_enough(self) -> bool:
        """Whether as much as was wanted is recorded."""
        limit = self._options.frames
        return self.out_of_time or (limit is not None and self._frames >= limit)

    def _on_open(self, session: RecordingSession) -> None:
        """The program opened a session of its own: its steps are those that count."""
        if self.session is None and not isinstance(session, ProgramSession):
            self.own_recordings.append(session.path)
            if len(recording_session.open_sessions()) == 1:  # a step of two sessions counts once
                session.on_step = self._own_step_ended

    def _own_step_ended(self) -> None:
        if self.session is None:
            self._frames += 1
            if self._is_enough:
                raise RecordingEnded

    def _no_picture(self, error: Exception) -> None:
        self.recognition.note(
            f"there is no picture of an environment: {type(error).__name__}: {error}"
        )

    @contextmanager
    def _guarded(self, what: str) -> Iterator[None]:
        """Whatever fails within it ends the recording, and not the program."""
        try:
            yield
        except _RecordsItselfError:
            self._is_off = True
        except Exception as error:
            self.refuse(what, error)

    def refuse(self, what: str, error: Exception) -> None:
        """Record no more, and say why at the end."""
        self._is_off = True
        place = traceback.extract_tb(error.__traceback__)[-1:]
        where = f" ({place[0].name})" if place and not str(error) else ""
        self.recognition.note(
            f"the recording ended at frame {self._frames}: {what}: {error or type(error).__name__}"
            f"{where}"
        )

    def close(self) -> None:
        """Save the recording. The ring file goes when there is a clip of it.

        Raises:
            PlayheadError: the clip can't be saved; the ring file is left then.
        """
        self._is_off = self.is_finished = True
        self._forget_opened()
        session = self.session
        if session is None:
            return
        session.close()
        if session.clip is not None or session.final_span is None:
            self._options.ring.unlink(missing_ok=True)

    def release(self) -> None:
        """Hold nothing of the program any more, so that it is freed as without the recorder."""
        self.session = None
        self._added, self._waiting = [], []
        self.objects = ProgramObjects(self.recognition)


def _is_same(thing: Any, other: Any) -> bool:
    """Whether two things are one, or pairs of the same two."""
    if isinstance(thing, tuple) and isinstance(other, tuple):
        return all(a is b for a, b in zip(thing, other, strict=True))
    return thing is other


def _has_pygame_window() -> bool:
    display = sys.modules.get("pygame.display")
    return display is not None and display.get_surface() is not None
