"""A wrapper that records a Gymnasium vector environment. Imports gymnasium."""

import copy
from collections.abc import Callable
from typing import Any

from gymnasium.vector import AutoresetMode, VectorEnv, VectorWrapper
from gymnasium.vector.utils import iterate

from .recorded_environment import EnvironmentHost, RecordedEnvironment
from .vector_environment_recorder import Autoreset, VectorEnvironmentRecorder

_AUTORESET = {
    AutoresetMode.NEXT_STEP: Autoreset.NEXT_STEP,
    AutoresetMode.SAME_STEP: Autoreset.SAME_STEP,
    AutoresetMode.DISABLED: Autoreset.DISABLED,
}


class VectorSteps:
    """Records all steps of a vector environment. Keeps no reference to it."""

    def __init__(self, env: "VectorEnv[Any, Any, Any]", host: EnvironmentHost) -> None:
        mode = env.metadata.get("autoreset_mode", AutoresetMode.NEXT_STEP)
        self._vector = VectorEnvironmentRecorder(
            host, _name(env), env.num_envs, _AUTORESET[AutoresetMode(mode)], env
        )
        self._actions, self._observations = env.action_space, env.observation_space

    def reset(self, call: Callable[[], Any], seed: Any, options: Any) -> Any:
        """Reset its environments by `call`."""

        def record(result: tuple[Any, dict[str, Any]]) -> None:
            # With the option reset_mask only some of them are reset.
            mask = None if options is None else options.get("reset_mask")
            self._vector.begin(list(iterate(self._observations, result[0])), seed, mask)

        return self._vector.steps.run(call, record, 0.0)

    def step(self, call: Callable[[], Any], actions: Any) -> Any:
        """Make a step of all by `call`."""

        def record(result: tuple[Any, Any, Any, Any, dict[str, Any]]) -> None:
            observations, rewards, terminated, truncated, infos = result
            self._vector.stepped(
                list(iterate(self._actions, actions)),
                list(iterate(self._observations, observations)),
                rewards, terminated, truncated, infos.get("final_obs"),
            )  # fmt: skip

        return self._vector.steps.run(call, record, None)


class RecordingVectorWrapper(RecordedEnvironment, VectorWrapper[Any, Any, Any, Any, Any]):
    """Records each step of a vector environment, and changes none of them.

    Each of its environments is an object of the recording. One call of `step` is one frame.
    """

    def __init__(self, env: "VectorEnv[Any, Any, Any]", host: EnvironmentHost) -> None:
        super().__init__(env)
        self.recording_host = host
        self._steps = VectorSteps(env, host)

    def reset(
        self, *, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        reset: tuple[Any, dict[str, Any]] = self._steps.reset(
            lambda: self.env.reset(seed=seed, options=options), seed, options
        )
        return reset

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        stepped: tuple[Any, Any, Any, Any, dict[str, Any]] = self._steps.step(
            lambda: self.env.step(actions), actions
        )
        return stepped

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return copy.deepcopy(self.env, memo)


def _name(env: "VectorEnv[Any, Any, Any]") -> str:
    """What the environments are called: by the spec of the vector, or of its first environment."""
    inner: list[Any] = getattr(env.unwrapped, "envs", [])
    for one in (env, *inner[:1]):
        if one.spec is not None:
            return str(one.spec.id)
    return type(inner[0].unwrapped if inner else env.unwrapped).__name__
