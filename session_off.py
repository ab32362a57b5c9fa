"""The session with `PLAYHEAD=off`: it records nothing, and the program runs as without it."""

import time as clocks
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from functools import cache
from os import PathLike
from typing import TYPE_CHECKING, Any, cast

from .handlers.handler_registry import Handlers, registry_of
from .playback.commands import Command
from .playback.pads.latest_pads import LatestPads
from .playback.pending_command import PendingCommand
from .playback.playback_control import OnMoved
from .playback.playback_state import Mode, PlaybackState
from .playback.playhead import Playhead
from .recorder.checks.check_policy import CheckPolicy
from .recorder.checks.failed_check_tracker import FailedCheck
from .recorder.clip_triggers import ClipPolicy
from .recorder.objects.object_ids import ObjectOrId
from .recorder.packets.trace_types import Scalar
from .recorder.pictures.picture_settings import PictureSettings
from .recorder.reading.ring_source import RingSource
from .recorder.recorder import Recorder
from .recorder.recorder_off import RecorderOff
from .recorder.recording_status import RecordingStatus
from .recorder.saving.clip_manager_off import ClipManagerOff
from .recorder.world_adapter import World
from .session import Session
from .session_hooks_and_edits import SessionEdits, SessionHooks
from .session_hooks_and_edits_off import SessionEditsOff, SessionHooksOff

if TYPE_CHECKING:
    from .bus.server.bus_settings import BusSettings

_LIVE = PlaybackState(Mode.LIVE)


_NO_FRAME: Any = nullcontext()
"""A block that is no step: one for all sessions, as it knows nothing."""


class SessionOff(Session):
    """A session that records nothing, never pauses the game, and is on no bus.

    Every call of a `Session` is there. Its arguments are taken as they are; handlers alone are
    looked at once, when it is made.
    """

    armed_hooks = None

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
        self.world = world
        self.handlers = registry_of(handlers)
        self.recorder = cast(Recorder, RecorderOff(strict=bool(strict)))
        self.playhead = Playhead(self.source)
        self.pads = LatestPads(lambda: 1)
        self.pad = self.pads.get
        self.clips = ClipManagerOff(clips or ClipPolicy())
        self.attach, self.save = self.clips.attach, self.clips.save
        self.trigger, self.guard = self.clips.trigger, self.clips.guard
        self._state_by(self.recorder)
        self.on_order = lambda: None
        self.on_failed_check = lambda listener: None
        self.serve = lambda name, handler: None
        self.withdraw = lambda name: None
        self.hooks = cast(SessionHooks, SessionHooksOff())
        self.edits = cast(SessionEdits, SessionEditsOff())
        self.bus = None
        self._closed = self._in_frame = False
        self._policy = on_check if on_check is not None else CheckPolicy()

    # --- the loop: it runs on ---------------------------------------------------------------------

    @property
    def live(self) -> bool:
        return True

    def frame(self, dt: float = 0.0, time: float | None = None) -> Any:
        return _NO_FRAME

    def begin_step(self) -> None: ...

    def await_live(self, clock: Callable[[], float] = clocks.monotonic) -> None: ...

    def update(self, dt: float = 0.0, time: float | None = None) -> None: ...

    def wait(self, timeout: float | None = None) -> bool:
        return True

    def rejoin(self, dt: float = 0.0, time: float | None = None) -> None: ...

    def obey(self) -> None: ...

    # --- commands: there is no past to go to ------------------------------------------------------

    @property
    def state(self) -> PlaybackState:
        return _LIVE

    def on_moved(self, callback: OnMoved) -> Callable[[], None]:
        return lambda: None

    def apply(self, command: Command, *, now: bool = False) -> PlaybackState:
        return _LIVE

    def send(self, command: Command) -> None: ...

    def take(self, pending: PendingCommand[Any]) -> None:
        pending.answer(_LIVE)

    def press(self, key: str) -> bool:
        return False

    # --- statements: none is recorded -------------------------------------------------------------

    def check(
        self, condition: bool, message: str, *, focus: ObjectOrId = 0, stacklevel: int = 1
    ) -> bool:
        return bool(condition)

    @property
    def on_check(self) -> CheckPolicy:
        return self._policy

    @on_check.setter
    def on_check(self, policy: CheckPolicy) -> None:
        self._policy = policy

    @property
    def failed_checks(self) -> list[FailedCheck]:
        return []

    def report_failed_check(self, failed: FailedCheck) -> None: ...

    def publish(self, name: str, body: Any) -> None: ...

    # --- facts ------------------------------------------------------------------------------------

    @property
    def source(self) -> RingSource:
        return self.recorder.source

    @property
    def status(self) -> RecordingStatus:
        return self.recorder.status

    def forked(self) -> None: ...

    def close(self) -> None:
        self._closed = True


@cache
def off_class(kind: Any, off: type[SessionOff] = SessionOff) -> Any:
    """The class of sessions of a kind that are switched off: the kind's own methods stay.

    Args:
        kind: `Session`, or a class derived from it.
        off: What the nearest class of the library becomes.
    """
    if issubclass(off, kind):
        return off
    attributes = {"__module__": kind.__module__, "__doc__": kind.__doc__}
    return type(kind.__name__, (kind, off), attributes)
