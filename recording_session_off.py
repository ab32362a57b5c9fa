"""What `ph.record` returns with `PLAYHEAD=off`: the program runs as if it recorded nothing."""

from os import PathLike
from typing import Any

from .adapters.environments.wrapper_choice import training_callback
from .adapters.observed_world import ObservedWorld
from .handlers.handler_registry import registry_of
from .recording_session import RecordingSession, checked_step
from .session_off import SessionOff


class RecordingSessionOff(SessionOff, RecordingSession):
    """A recording session that keeps nothing, looks at no object and wraps no environment."""

    _unsaved: str | PathLike[str] | None
    """Where the clip would have been."""

    def __init__(self, path: str | PathLike[str] | None, *, dt: float, **settings: Any) -> None:
        """`settings` are those of `SessionOff` but its world."""
        nothing = ObservedWorld(handlers=registry_of(settings.get("handlers")))
        super().__init__(nothing, **settings)
        self.dt = checked_step(dt)
        self.path = None
        self._unsaved = path

    def frame(self, dt: float | None = None, time: float | None = None) -> Any:
        return super().frame(self.dt)

    def update(self, dt: float | None = None, time: float | None = None) -> None: ...

    def add(
        self, thing: Any, *, agent: Any = None, name: str = "", camera: str | int | None = None
    ) -> None: ...

    def wrap(self, env: Any) -> Any:
        return env

    def training_callback(self) -> Any:
        return training_callback(None)

    def id_of(self, object: Any) -> int | None:
        return None

    @property
    def left_out(self) -> dict[str, dict[str, str]]:
        return {}

    def close(self) -> None:
        if not self._closed and self._unsaved is not None:
            self.clips.save(self._unsaved)  # its error says why there is no such file
        super().close()
