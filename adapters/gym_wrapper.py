"""A Gymnasium environment that is recorded. Imports gymnasium: import it only when needed."""

import copy
from typing import Any, Protocol

import gymnasium
from gymnasium import Wrapper

from ..recorder.recorder import Recorder
from ..recorder.statements.statements import SetMark
from .environment_record import EnvironmentRecord

__all__ = ["RecordingWrapper", "Wrapper"]


class EnvironmentHost(Protocol):
    """The session that an environment is recorded in."""

    @property
    def recorder(self) -> Recorder: ...

    @property
    def closed(self) -> bool: ...

    def open_step(self) -> None: ...

    def close_step(self, dt: float | None) -> None: ...


class RecordingWrapper(Wrapper[Any, Any, Any, Any]):
    """Records each step of an environment, and changes none of them.

    A step is a frame of its own, or belongs to the frame that is open. `reset` begins an episode,
    with a mark. While somebody looks at the past, a step waits. What `spec` makes, and a copy of
    the environment, are not recorded.
    """

    def __init__(
        self, env: "gymnasium.Env[Any, Any]", host: EnvironmentHost, record: EnvironmentRecord,
        id: int,
    ) -> None:  # fmt: skip
        super().__init__(env)
        self._host, self._record, self._id = host, record, id

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        self._host.open_step()
        result = self.env.reset(seed=seed, options=options)
        if not self._host.closed:
            with self._host.recorder.refusing("wrap"):
                self._record_reset(seed, *result)
            self._host.close_step(0.0)
        return result

    def _record_reset(self, seed: int | None, observation: Any, info: Any) -> None:
        self._record.begin(observation)
        note = "" if seed is None else f"seed {seed}"
        self._mark(f"episode {self._record['episode']}", note)

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        self._host.open_step()
        result = self.env.step(action)
        if not self._host.closed:
            # What it returns is the learner's, whether it can be recorded or not.
            with self._host.recorder.refusing("wrap"):
                self._stepped(action, *result)
            self._host.close_step(None)
        return result

    def _stepped(
        self, action: Any, observation: Any, reward: Any, terminated: Any, truncated: Any, info: Any
    ) -> None:
        had_ended = self._record.has_ended
        self._record.stepped(action, observation, reward, terminated, truncated)
        if self._record.has_ended and not had_ended:
            how = "terminated" if terminated else "truncated"
            total, steps = self._record["total_reward"], self._record["step"]
            self._mark(
                f"episode {self._record['episode']} {how}", f"{steps} steps, reward {total:g}"
            )

    @property
    def spec(self) -> Any:  # type: ignore[override]
        return self.env.spec

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return copy.deepcopy(self.env, memo)

    def is_recorded_by(self, host: EnvironmentHost) -> bool:
        """Whether its steps are in the recording of this session."""
        return self._host is host

    def _mark(self, name: str, note: str) -> None:
        self._host.recorder.emit(SetMark(name, note, self._id))
