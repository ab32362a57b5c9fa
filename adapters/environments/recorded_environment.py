"""Records each step of a wrapped environment in the session that it was wrapped by."""

from collections.abc import Callable
from typing import Any, Protocol

from ...recorder.statements.statement_messages import GameEvent, SetMark
from ..step_session_protocol import StepHost
from .environment_recorder import EnvironmentRecord


class EnvironmentHost(StepHost, Protocol):
    """The session that an environment is recorded in."""

    def add_record(self, type: str, name: str = "") -> tuple[EnvironmentRecord, int]: ...

    def picture_name(self, otherwise: str) -> str: ...

    def renderer_of(self, env: Any) -> Callable[[], Any] | None: ...


class StepRecorder:
    """Records the steps of an environment, whatever its library.

    A step is a frame of its own, or belongs to the frame that is open. While somebody looks at the
    past, a step waits. What an environment returns goes to its caller, be it recorded or not.

    Args:
        env: What is stepped; if it renders arrays of pixels, its picture is recorded too.
        name: What it is called, where other pictures are recorded as well.
    """

    def __init__(self, host: EnvironmentHost, env: Any = None, name: str = "") -> None:
        self.host = host
        self._render = host.renderer_of(env)
        self._picture_name = host.picture_name(name) if self._render is not None else ""

    def run(self, call: Callable[[], Any], record: Callable[[Any], None], dt: float | None) -> Any:
        """Call the environment, and record what it returns.

        Args:
            call: Resets or steps the environment.
            record: Takes over what `call` has returned. An error in it is counted, and raised only
                by a strict session.
            dt: The length of the step, seconds; None for that of the recording.
        """
        self.host.open_step()
        result = call()
        if not self.host.closed:
            with self.host.recorder.refusing("wrap"):
                record(result)
            if self._render is not None:
                self.host.recorder.picture(self._render, name=self._picture_name)
            self.host.close_step(dt)
        return result

    def mark(self, name: str, note: str = "", object: int = 0) -> None:
        """Set a mark at this step."""
        self.host.recorder.emit(SetMark(name, note, object))

    def event(self, name: str, value: dict[str, Any], object: int) -> None:
        """Record an event of one of many agents or environments: marks would be too many."""
        self.host.recorder.emit(GameEvent(name, value, object))


class RecordedEnvironment:
    """What wrappers that record have in common, whatever library they belong to."""

    recording_host: EnvironmentHost
    recorded_as: EnvironmentRecord | None = None
    """Its object in the recording; None for an environment that has several."""


def is_recorded_by(env: Any, host: EnvironmentHost) -> bool:
    """Whether an environment is recorded in this session already, below other wrappers too."""
    while env is not None:
        if isinstance(env, RecordedEnvironment) and env.recording_host is host:
            return True
        attributes = getattr(env, "__dict__", {})
        env = attributes.get("env", attributes.get("venv"))
    return False


def end_text(terminated: Any) -> str:
    """How an episode ended, in Gymnasium's words."""
    return "terminated" if terminated else "truncated"


def record_class(name: str) -> type[EnvironmentRecord]:
    """A class of records with a name of its own, which is the type's in the recording."""
    return type(name, (EnvironmentRecord,), {"__module__": __name__})
