"""A callback that records how a model of stable-baselines3 learns. Imports stable-baselines3."""

from typing import Any

from gymnasium.vector.utils import batch_space, iterate
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env.base_vec_env import VecEnv

from ...recorder.statements.statement_messages import WatchedValue
from .recorded_environment import EnvironmentHost, is_recorded_by
from .stable_baselines3_wrapper import environment_name, vector_stepped
from .trained_environment_registry import TrainedEnvironment, TrainedEnvironments
from .vector_environment_recorder import Autoreset, VectorEnvironmentRecorder


class RecordingCallback(BaseCallback):  # type: ignore[misc]  # has no types
    """Records a model's training, and changes nothing of it: `model.learn(…, callback=this)`.

    Each step of the model's environments is a frame, with an object for each of them. What the
    model logs (losses, learning rate) and the mean reward and length of its newest episodes are
    watched values, under the names that its logger has for them. Environments that are wrapped with
    `rec.wrap`, or whose single environments are, record their steps themselves.
    """

    def __init__(self, host: EnvironmentHost, known: TrainedEnvironments) -> None:
        super().__init__()
        self._host, self._known = host, known
        self._env: Any = None
        self._trained = TrainedEnvironment(None)

    def _on_training_start(self) -> None:
        if self._host.closed:
            return
        self._env = env = self.training_env
        if env not in self._known:
            self._known[env] = TrainedEnvironment(self._vector_of(env))
        self._trained = trained = self._known[env]
        trained.recorder = self
        seen = self.model._last_obs
        if trained.vector is None or seen is trained.last_observations:  # trained further
            return
        trained.last_observations = seen
        begin, space = trained.vector.begin, batch_space(env.observation_space, env.num_envs)
        trained.vector.steps.run(
            lambda: None, lambda _: begin(list(iterate(space, seen))), 0.0
        )  # fmt: skip

    def _vector_of(self, env: VecEnv) -> VectorEnvironmentRecorder | None:
        if _records_itself(env, self._host):
            return None
        name = environment_name(env)
        return VectorEnvironmentRecorder(self._host, name, env.num_envs, Autoreset.SAME_STEP, env)

    @property
    def _records(self) -> bool:
        """Whether this callback is the one that records."""
        return not self._host.closed and self._trained.recorder is self

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
        vector = self._trained.vector
        if vector is not None and self._records:
            vector.steps.run(lambda: None, lambda _: self._stepped(vector), None)
        return True

    def _stepped(self, vector: VectorEnvironmentRecorder) -> None:
        found = self.locals
        self._trained.last_observations = found["new_obs"]
        # Models on a continuous space clip their actions: those of the environment are recorded.
        actions = found.get("clipped_actions", found["actions"])
        vector_stepped(
            vector, self._env, actions, found["new_obs"], found["rewards"], found["dones"],
            found["infos"],
        )  # fmt: skip

    def _on_training_end(self) -> None:
        self._watch(self.logger.name_to_value)

    def _watch(self, values: Any) -> None:
        if not self._records:
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
