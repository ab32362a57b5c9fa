"""Rewards: the weight of each term, and the formulas, over arrays of any shape."""

import math
from typing import Any

import msgspec
import numpy as np

from .....errors import GameError
from .ray_sensor import Floats

TERMS = (
    "non_target_hit", "target_hit", "move", "spin", "facing", "distance", "in_area", "suppressive",
    "facing_area", "win", "lose",
)  # fmt: skip
"""The terms in the order in which they are kept; their sum is the reward."""


class RewardValues(msgspec.Struct, frozen=True, kw_only=True):
    """What things are worth."""

    non_target_hit: float = 3.0
    """For a hit on an enemy that is no target; it may be the last hit."""
    target_hit: float = 25.0
    """For a hit on a target."""
    move: float = -0.5
    """For each step in which an agent walks, or tries to."""
    spin: float = -0.06
    """For 1.0 of turning, while it does not turn on and on."""
    spin_scale: float = 0.08
    """What the sum of the newest turning actions is multiplied with."""
    spin_threshold: float = 10.0
    """The value from which that product itself is the penalty."""
    facing: float = 2.0
    """Free: to have an enemy in the middle of the view."""
    distance: float = 20.0
    """Go to: for each metre nearer."""
    in_area: float = 5.0
    """Go to: in each step in the fire base."""
    suppressive: float = 5.0
    """Attack: for a shot while facing the fire base."""
    facing_area: float = 2.0
    """Attack: in each step of facing the fire base without a shot."""
    win: float = 999.0
    lose: float = -999.0


DEFAULT = RewardValues()


def checked_values(values: RewardValues) -> RewardValues:
    """The same values, all of them finite.

    Raises:
        GameError: one is not.
    """
    for name, value in msgspec.structs.asdict(values).items():
        if not math.isfinite(value):
            raise GameError(f"reward {name} is {value!r}: it must be finite")
    return values


def spin_penalty(turn: Any, total: Any, values: RewardValues = DEFAULT) -> Floats:
    """The penalty for turning.

    Args:
        turn: The turning action of this step.
        total: The sum of the newest ones, this one included.
    """
    sweep = np.abs(np.asarray(total, np.float64)) * values.spin_scale
    small = np.abs(np.asarray(turn, np.float64)) * values.spin
    return np.where(sweep < values.spin_threshold, small, -sweep)


def facing_reward(off: Any, values: RewardValues = DEFAULT) -> Floats:
    """The reward for having enemies near the middle of the view.

    Args:
        off: Metres from the line straight ahead to the middle of the nearest enemy that a ray has
            detected; infinite for none.
    """
    # An enemy's radius is 0.5: so near, the middle of the view lies on it.
    nearest = np.maximum(np.asarray(off, np.float64), 0.5)
    return values.facing * 0.5 / np.sqrt(nearest / 2.0)


def distance_reward(before: Any, now: Any, values: RewardValues = DEFAULT) -> Floats:
    """The reward for coming nearer to the target; metres one step before, and now."""
    gained = np.asarray(before, np.float64) - np.asarray(now, np.float64)
    return np.asarray(gained * values.distance)
