"""One agent of an arena as a Gymnasium environment: scaled observations, discrete actions."""

import copy
from collections.abc import Sequence
from typing import Any, Self

import gymnasium
import numpy as np
import numpy.typing as npt

from ..pettingzoo_env import AimGym
from .observation_action_encoder import (
    TURNS,
    Floats32,
    ObservationActionEncoder,
    checked_frame_skip,
)

_Choices = npt.NDArray[np.int64]


class FeatureWrapper(gymnasium.Wrapper[Floats32, Any, Floats32, Any]):
    """An `AimGym` whose observations and actions are those of `ObservationActionEncoder`.

    What was learned in an `AimVecEnv` can be played in it, and recorded: make both with the same
    settings. A copy has a copy of the arena.

    Args:
        env: Whose view it is.
        turns, direction: See `ObservationActionEncoder`.
        frame_skip: Steps that an action is held for, but for the end of a round; their rewards are
            added up.
    """

    env: AimGym

    def __init__(
        self, env: AimGym, *, turns: Sequence[float] = TURNS, direction: bool = False,
        frame_skip: int = 1,
    ) -> None:  # fmt: skip
        super().__init__(env)
        arena = env.arena
        self.features = ObservationActionEncoder(
            arena.layouts[env.agent], arena.setup.rules, turns=turns, direction=direction
        )
        self.frame_skip = checked_frame_skip(frame_skip, arena.setup.rules)
        self.observation_space = self.features.observation_space
        self.action_space = self.features.action_space

    def __copy__(self) -> Self:
        return copy.deepcopy(self)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Floats32, dict[str, Any]]:
        """Begin the next round; errors as for `AimArena.reset`."""
        seen, info = self.env.reset(seed=seed, options=options)
        return self.features.observe(seen), info

    def step(self, action: _Choices) -> tuple[Floats32, float, bool, bool, dict[str, Any]]:
        """Advance `frame_skip` steps; errors as for `AimArena.step` and the encoder's `act`."""
        total, held = 0.0, self.features.act(action)
        for _ in range(self.frame_skip):
            seen, reward, over, cut, info = self.env.step(held)
            total += reward
            if over:
                break
        return self.features.observe(seen), total, over, cut, info
