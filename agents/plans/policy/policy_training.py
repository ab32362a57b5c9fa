"""Trains a navigation policy with PPO; needs the extra `rl`."""

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ....errors import GameError
from ....games.walkable_grid import WalkGrid
from ....installation import install_line
from .navigation_env import action_space, observation_space
from .navigation_task import PLAN_SHARE, NavigationTask
from .policy_model import Layer, PolicyModel
from .training_walks_from_plans import PlanWalk

try:
    import torch
    from stable_baselines3 import PPO
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.logger import Logger
    from stable_baselines3.common.vec_env import VecEnv
except ModuleNotFoundError as error:
    raise GameError(
        f"training needs {error.name}, which is not installed: {install_line('rl')}"
    ) from error

PLAYERS = 128
"""Players that learn side by side."""
ROLLOUT = 64
"""Steps of each between two updates."""
LAYERS = (128, 64)


class NavigationVecEnv(VecEnv):  # type: ignore[misc]  # imported without its types
    """stable-baselines3's `VecEnv` over a `NavigationTask`: a player is an environment."""

    render_mode: str | None = None

    def __init__(self, task: NavigationTask) -> None:
        self.task = task
        super().__init__(len(task.places), observation_space(task), action_space())
        self._returns, self._lengths = np.zeros(self.num_envs), np.zeros(self.num_envs, np.int64)
        self._begun = time.time()

    def reset(self) -> npt.NDArray[np.float32]:
        for player in range(self.num_envs):
            self.task.begin(player)
        self._returns[:], self._lengths[:] = 0.0, 0
        return self.task.observe()

    def step_async(self, actions: npt.NDArray[np.int64]) -> None:
        self._actions = actions

    def step_wait(self) -> Any:
        came = self.task.step(self._actions)
        done = came.arrived | came.over
        seen = self.task.observe()
        self._returns += came.rewards
        self._lengths += 1
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        ended = np.flatnonzero(done)
        for player in ended.tolist():
            infos[player] = {
                "terminal_observation": seen[player],
                "TimeLimit.truncated": bool(came.over[player]),
                "is_success": bool(came.arrived[player]),
                "episode": {
                    "r": float(self._returns[player]), "l": int(self._lengths[player]),
                    "t": time.time() - self._begun,
                },
            }  # fmt: skip
            self._returns[player], self._lengths[player] = 0.0, 0
            self.task.begin(player)
        if len(ended):
            seen = self.task.observe()
        return seen, came.rewards, done, infos

    def close(self) -> None:
        """There is nothing to close."""

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        setattr(self, attr_name, value)

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kw: Any) -> list[Any]:
        return [getattr(self, method_name)(*args, **kw) for _ in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        return [False for _ in self._get_indices(indices)]


class _Progress(BaseCallback):  # type: ignore[misc]  # imported without its types
    """Reports how many steps were taken, and how many of the last walks arrived."""

    def __init__(self, tell: Callable[[int, float], object]) -> None:
        super().__init__()
        self._tell = tell

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        last = self.model.ep_success_buffer
        self._tell(self.num_timesteps, float(np.mean(last)) if len(last) else 0.0)


def train(
    grids: Sequence[WalkGrid], steps: int, seed: int, *, trained_on: str = "",
    tell: Callable[[int, float], object] = lambda steps, arrived: None,
    walks: Sequence[PlanWalk] = (), plan_share: float = PLAN_SHARE,
) -> PolicyModel:  # fmt: skip
    """A policy that has learned on these maps.

    Args:
        steps: How many steps it takes, over all players.
        seed: Decides all that is left to chance: it is the same policy again on the same machine.
        trained_on: What the model says that it was trained on.
        tell: Called now and then with the steps so far and the share of walks that arrived.
        walks: Those of plans, which are learned beside random ones on the maps.
        plan_share: How many of all walks are those of plans, 0 to 1.

    Raises:
        GameError: the maps have nowhere to walk.
    """
    env = NavigationVecEnv(NavigationTask(grids, PLAYERS, seed, walks=walks, plan_share=plan_share))
    torch.set_num_threads(min(2, torch.get_num_threads()))
    learner = PPO(
        "MlpPolicy", env, seed=seed, n_steps=ROLLOUT, batch_size=1024, n_epochs=4,
        learning_rate=lambda left: 1e-4 + 9e-4 * left, gamma=0.99, gae_lambda=0.95,
        ent_coef=0.01, clip_range=0.2, device="cpu", stats_window_size=500,
        policy_kwargs={"net_arch": list(LAYERS), "activation_fn": torch.nn.Tanh},
    )  # fmt: skip
    learner.set_logger(Logger(None, []))  # its own would leave a folder in /tmp
    learner.learn(steps, callback=_Progress(tell))
    return _exported(learner, env.task, trained_on)


def _exported(learner: Any, task: NavigationTask, trained_on: str) -> PolicyModel:
    """The networks as plain arrays."""
    extractor = learner.policy.mlp_extractor

    def layers(hidden: Any, last: Any) -> tuple[Layer, ...]:
        linear = [one for one in (*hidden, last) if isinstance(one, torch.nn.Linear)]
        return tuple(
            Layer(one.weight.detach().numpy().copy(), one.bias.detach().numpy().copy())
            for one in linear
        )

    sensor = task.sensor
    return PolicyModel(
        sensor.reach, sensor.stride, layers(extractor.policy_net, learner.policy.action_net),
        layers(extractor.value_net, learner.policy.value_net), trained_on,
    )  # fmt: skip
