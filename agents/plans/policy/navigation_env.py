"""The navigation task as environments: for Gymnasium, and many at once for stable-baselines3."""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from ....games.walkable_grid import DIRECTIONS, WalkGrid
from .grid_sensor import Floats32
from .navigation_task import NavigationTask, training_grids

LEVELS = range(20)
"""Seeds of the generated levels that an environment has by default."""


def observation_space(task: NavigationTask) -> spaces.Box:
    """What is seen: all of it lies from −1 to 1."""
    return spaces.Box(-1.0, 1.0, (task.sensor.size,), np.float32)


def action_space() -> spaces.Discrete:
    """A step in one of eight directions."""
    return spaces.Discrete(len(DIRECTIONS))


class NavigationEnv(gymnasium.Env[Floats32, np.int64]):
    """Walk over a map to a random target, seeing a grid around and where the target lies.

    An episode ends when the target is reached, and is cut off after `STEPS` steps.

    Args:
        grids: The maps; those of some generated levels by default.
    """

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(self, grids: Sequence[WalkGrid] | None = None) -> None:
        self._task = NavigationTask(grids or training_grids(LEVELS), 1, 0)
        self.observation_space = observation_space(self._task)  # type: ignore[assignment]
        self.action_space = action_space()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Floats32, dict[str, Any]]:
        super().reset(seed=seed)
        if seed is not None:
            self._task.reseed(seed)
        self._task.begin(0)
        return self._task.observe()[0], {}

    def step(self, action: np.int64) -> tuple[Floats32, float, bool, bool, dict[str, Any]]:
        done = self._task.step(np.array([action], np.int64))
        arrived, over = bool(done.arrived[0]), bool(done.over[0])
        seen = self._task.observe()[0]
        return seen, float(done.rewards[0]), arrived, over, {"is_success": arrived}
