"""A wrapper that records a stable-baselines3 vector environment. Imports stable-baselines3."""

import copy
from typing import Any

from gymnasium.vector.utils import batch_space, iterate
from stable_baselines3.common.vec_env.base_vec_env import VecEnv, VecEnvWrapper

from .recorded_environment import EnvironmentHost, RecordedEnvironment
from .vector_environment_recorder import Autoreset, VectorEnvironmentRecorder


class RecordingVecEnv(RecordedEnvironment, VecEnvWrapper):  # type: ignore[misc]  # has no types
    """Records each step of a VecEnv, and changes none of them.

    Each of its environments is an object of the recording. One step of all is one frame, so that a
    model which learns in it (`PPO("MlpPolicy", rec.wrap(env))`) is recorded while it learns.
    """

    def __init__(self, venv: VecEnv, host: EnvironmentHost) -> None:
        super().__init__(venv)
        self.recording_host = host
        self._vector = VectorEnvironmentRecorder(
            host, environment_name(venv), venv.num_envs, Autoreset.SAME_STEP, venv
        )
        self._observation_batch = batch_space(venv.observation_space, venv.num_envs)
        self._chosen: Any = None

    def reset(self) -> Any:
        def record(observations: Any) -> None:
            self._vector.begin(list(iterate(self._observation_batch, observations)))

        return self._vector.steps.run(self.venv.reset, record, 0.0)

    def step_async(self, actions: Any) -> None:
        self._chosen = actions
        self.venv.step_async(actions)

    def step_wait(self) -> Any:
        return self._vector.steps.run(
            self.venv.step_wait, lambda result: self._stepped(*result), None
        )

    def _stepped(self, observations: Any, rewards: Any, dones: Any, infos: Any) -> None:
        vector_stepped(
            self._vector, self.venv, self._chosen, observations, rewards, dones, infos
        )  # fmt: skip

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return copy.deepcopy(self.venv, memo)


def vector_stepped(
    vector: VectorEnvironmentRecorder, venv: VecEnv, actions: Any, observations: Any, rewards: Any,
    dones: Any, infos: Any,
) -> None:  # fmt: skip
    """Record a step of a VecEnv, from what it was given and what it returned."""
    count = venv.num_envs
    truncated = [bool(info.get("TimeLimit.truncated", False)) for info in infos]
    terminated = [bool(done) and not cut for done, cut in zip(dones, truncated, strict=True)]
    vector.stepped(
        list(iterate(batch_space(venv.action_space, count), actions)),
        list(iterate(batch_space(venv.observation_space, count), observations)),
        rewards, terminated, truncated, [info.get("terminal_observation") for info in infos],
    )  # fmt: skip


def environment_name(venv: VecEnv) -> str:
    """What the environments in a VecEnv are called: by their spec, if they have one."""
    try:
        spec = venv.get_attr("spec", 0)[0]
    except (AttributeError, NotImplementedError):  # a VecEnv that is made of no environments
        spec = None
    return str(spec.id) if spec is not None else type(venv.unwrapped).__name__
