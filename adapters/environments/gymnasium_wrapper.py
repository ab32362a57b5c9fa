"""A wrapper that records a Gymnasium environment. Imports gymnasium: import it only when needed."""

import copy
from collections.abc import Callable
from typing import Any

import gymnasium
from gymnasium import Wrapper
from gymnasium.envs.registration import EnvSpec

from .recorded_environment import EnvironmentHost, RecordedEnvironment, StepRecorder, end_text


class EnvironmentSteps:
    """Records all steps of an environment. Keeps no reference to it."""

    def __init__(self, env: "gymnasium.Env[Any, Any]", host: EnvironmentHost) -> None:
        name = env.spec.id if env.spec is not None else type(env.unwrapped).__name__
        self.record, self._id = host.add_record(name)
        self._steps = StepRecorder(host, env, name)

    def reset(self, call: Callable[[], Any], seed: int | None) -> Any:
        """Reset it by `call`, which begins an episode."""

        def record(result: tuple[Any, dict[str, Any]]) -> None:
            observation, _ = result
            self.record.begin(observation)
            note = "" if seed is None else f"seed {seed}"
            self._steps.mark(f"episode {self.record['episode']}", note, self._id)

        return self._steps.run(call, record, 0.0)

    def step(self, call: Callable[[], Any], action: Any) -> Any:
        """Make a step by `call`."""
        return self._steps.run(call, lambda result: self._stepped(action, *result), None)

    def _stepped(
        self, action: Any, observation: Any, reward: Any, terminated: Any, truncated: Any, info: Any
    ) -> None:
        record, had_ended = self.record, self.record.has_ended
        record.stepped(action, observation, reward, terminated, truncated)
        if record.has_ended and not had_ended:
            self._steps.mark(
                f"episode {record['episode']} {end_text(terminated)}",
                f"{record['step']} steps, reward {record['total_reward']:g}",
                self._id,
            )


class RecordingWrapper(RecordedEnvironment, Wrapper[Any, Any, Any, Any]):
    """Records each step of an environment, and changes none of them.

    `reset` begins an episode, with a mark. What `spec` makes, and a copy of the environment, are
    not recorded.
    """

    def __init__(self, env: "gymnasium.Env[Any, Any]", host: EnvironmentHost) -> None:
        super().__init__(env)
        self.recording_host = host
        self._steps = EnvironmentSteps(env, host)
        self.recorded_as = self._steps.record

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        reset: tuple[Any, dict[str, Any]] = self._steps.reset(
            lambda: self.env.reset(seed=seed, options=options), seed
        )
        return reset

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        stepped: tuple[Any, Any, bool, bool, dict[str, Any]] = self._steps.step(
            lambda: self.env.step(action), action
        )
        return stepped

    @property
    def spec(self) -> EnvSpec | None:  # type: ignore[override]  # as gymnasium's own one
        return self.env.spec

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return copy.deepcopy(self.env, memo)
