"""A callback that records how a model of stable-baselines3 learns. Imports stable-baselines3."""

from typing import Any

from gymnasium.vector.utils import batch_space, iterate
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env.base_vec_env import VecEnv

from ...recorder.statements.statements import WatchedValue
from .environment_step_recorder import EnvironmentHost, is_recorded_by
from .vec_env_wrapper import environment_name, vector_stepped
from .vector_record import Autoreset, VectorRecord


class RecordingCallback(BaseCallback):  # type: ignore[misc]  # has no types
    """Records a model's training, and changes nothing of it: `model.learn(…, callback=this)`.

    Each step of the model's environments is a frame, with an object for each of them. What the
    model logs (losses, learning rate) and the mean reward and length of its newest episodes are
    watched values, under the names that its logger has for them. Environments that are wrapped with
    `rec.wrap`, or whose single environments are, record their steps themselves.
    """

    def __init__(self, host: EnvironmentHost) -> None:
        super().__init__()
        self._host = host
        self._vector: VectorRecord | None = None
        """What records the steps; None if the environment does so itself."""
        self._env: Any = None

    def _on_training_start(self) -> None:
        env = self.training_env
        if self._host.closed or env is self._env:  # trained further
            return
        self._env, self._vector = env, None
        if _records_itself(env, self._host):
            return
        name, count = environment_name(env), env.num_envs
        self._vector = VectorRecord(self._host, name, count, Autoreset.SAME_STEP, env)
        seen = self.model._last_obs
        space = batch_space(env.observation_space, count)
        self._vector.steps.run(
            lambda: None, lambda _: self._begin(list(iterate(space, seen))), 0.0
        )  # fmt: skip

    def _begin(self, observations: list[Any]) -> None:
        assert self._vector is not None
        self._vector.begin(observations)

    def _on_rollout_start(self) -> None:
        # By now the model has learned from the rollout before, and logged how.
        self._watch(self.logger.name_to_value)

    def _on_rollout_end(self) -> None:
        episodes = list(self.model.ep_info_buffer or ())
        if episodes:
            count = len(episodes)
            self._watch({
                "rollout/ep_rew_mean": sum(float(one["r"]) for one in episodes) / count,
                "rollout/ep_len_mean": sum(float(one["l"]) for one in episodes) / count,
            })  # fmt: skip

    def _on_step(self) -> bool:
        if self._vector is not None and not self._host.closed:
            self._vector.steps.run(lambda: None, lambda _: self._stepped(), None)
        return True

    def _stepped(self) -> None:
        assert self._vector is not None
        found = self.locals
        # Models on a continuous space clip their actions: those of the environment are recorded.
        actions = found.get("clipped_actions", found["actions"])
        vector_stepped(
            self._vector, self._env, actions, found["new_obs"], found["rewards"], found["dones"],
            found["infos"],
        )  # fmt: skip

    def _on_training_end(self) -> None:
        self._watch(self.logger.name_to_value)

    def _watch(self, values: Any) -> None:
        if self._host.closed:
            return
        for name, value in list(values.items()):
            try:
                number = float(value)
            except (TypeError, ValueError):  # a figure, a text or a video for TensorBoard
                continue
            with self._host.recorder.refusing("watch"):
                self._host.recorder.emit(WatchedValue(str(name), number))


class SilentCallback(BaseCallback):  # type: ignore[misc]  # has no types
    """Records nothing: what a program gets with `PLAYHEAD=off`."""

    def _on_step(self) -> bool:
        return True


def _records_itself(env: VecEnv, host: EnvironmentHost) -> bool:
    if is_recorded_by(env, host):
        return True
    singles = getattr(env.unwrapped, "envs", None)
    return isinstance(singles, list) and any(is_recorded_by(one, host) for one in singles)
