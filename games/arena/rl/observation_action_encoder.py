"""Scales observations for neural networks, and turns actions into discrete choices."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from ....errors import GameError
from ..fps.learning.actions import BRANCHES
from ..fps.learning.observation import ObservationLayout
from ..fps.simulation.rules import Rules

Floats32 = npt.NDArray[np.float32]

TURNS = (-20.0, -5.0, -1.0, 0.0, 1.0, 5.0, 20.0)
"""Degrees that the choices of a turn stand for."""
DIRECTION = 3
"""How many numbers the direction to the goal is."""
NEAR = 10.0
"""Metres that count as half of all: a distance d becomes d / (d + 10)."""


class ObservationActionEncoder:
    """Translates between an agent of the arena and a network, both ways and without a state.

    Observations are the agent's own vector with each number divided by the most that it can be, so
    that it lies between −1 and 1. Only distances d become d / (d + `NEAR`): one metre more matters
    where something is near. Actions are choices, `MultiDiscrete([3, 3, 2, len(turns)])`:
    forward, right and attack as ever, and which of `turns` to turn by.

    Args:
        layout: Of the agent's vector.
        rules: Of its arena.
        turns: Degrees that the choices of a turn stand for, positive to the right.
        direction: Add the direction to the fire base: sine and cosine of the angle to it from
            straight ahead, clockwise, and its distance; all 0 where there is none.

    Raises:
        GameError: there is no turn to choose, or one is not finite.
    """

    def __init__(
        self,
        layout: ObservationLayout,
        rules: Rules,
        *,
        turns: Sequence[float] = TURNS,
        direction: bool = False,
    ) -> None:
        self.turns = np.array(turns, np.float64)
        if self.turns.ndim != 1 or not len(self.turns) or not np.isfinite(self.turns).all():
            raise GameError(f"turns {turns!r}: give one or more finite numbers of degrees")
        self.layout, self.direction = layout, direction
        low, high = layout.bounds(rules)
        self._scale: Floats32 = np.reciprocal(high)
        self._scale[layout.distances] = 1
        low *= self._scale
        high = np.ones_like(low)
        if direction:
            low = np.append(low, np.array([-1, -1, 0], np.float32))
            high = np.append(high, np.ones(DIRECTION, np.float32))
        self.observation_space = spaces.Box(low, high, dtype=np.float32)
        self.action_space: spaces.MultiDiscrete = spaces.MultiDiscrete([*BRANCHES, len(self.turns)])

    @property
    def names(self) -> tuple[str, ...]:
        """What each number of an observation is called."""
        more = ("goal_sin", "goal_cos", "goal_distance") if self.direction else ()
        return (*self.layout.names, *more)

    def observe(self, vectors: Floats32) -> Floats32:
        """The observations for one agent's vector, or for many in rows."""
        scaled: Floats32 = vectors * self._scale
        distances = scaled[..., self.layout.distances]
        distances /= distances + NEAR
        if not self.direction:
            return scaled
        x, y = vectors[..., 1] - vectors[..., 8], vectors[..., 3] - vectors[..., 10]
        cosine, sine = vectors[..., 11], vectors[..., 12]
        away = np.hypot(x, y)
        # The goal's direction means nothing at the goal itself.
        there = (vectors[..., 4] > 0) & (away > 0)
        per = np.divide(1, away, out=np.zeros_like(away), where=there)
        right, ahead = x * cosine - y * sine, x * sine + y * cosine
        goal = np.stack((right * per, ahead * per, there * away / (away + NEAR)), axis=-1)
        toward = np.clip(goal, -1, 1).astype(np.float32)  # rounding may leave a crumb
        return np.concatenate((scaled, toward), axis=-1)

    def act(self, choices: npt.ArrayLike) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """The arena's actions for one agent's choices, or for many in rows: keys and turns.

        Raises:
            GameError: they are no such choices.
        """
        rows = np.asarray(choices)
        width = len(BRANCHES) + 1
        if rows.ndim not in (1, 2) or rows.shape[-1] != width or rows.dtype.kind not in "iu":
            raise GameError(
                f"actions of shape {rows.shape} and type {rows.dtype}: give {width} integers for"
                " each agent: forward, right, attack, turn"
            )
        turns = rows[..., -1:]
        if ((turns < 0) | (turns >= len(self.turns))).any():
            worst = int(turns.flat[np.abs(turns - 0.5).argmax()])
            raise GameError(f"turn {worst}: choices go from 0 to {len(self.turns) - 1}")
        return rows[..., :-1], self.turns[turns]


def checked_frame_skip(steps: int, rules: Rules) -> int:
    """How many steps an action is held for.

    Raises:
        GameError: it is none, or more than a round has.
    """
    if not 1 <= steps <= rules.limit:
        raise GameError(f"frame_skip {steps!r}: hold an action for 1 to {rules.limit} steps")
    return int(steps)
