"""The spaces of Gymnasium that observations and actions lie in."""

from typing import Any

import numpy as np
from gymnasium import spaces

from ..simulation.rules import Rules
from .actions import BRANCHES
from .observation import ObservationLayout


def observation_space(layout: ObservationLayout, rules: Rules) -> spaces.Box:
    """Vectors of this layout."""
    low, high = layout.bounds(rules)
    return spaces.Box(low, high, dtype=np.float32)


def action_space() -> "spaces.Tuple[Any]":  # no generic class in Gymnasium 1.1
    """Keys, then mouse: (`MultiDiscrete([3, 3, 2])`, one unbounded number)."""
    parts: list[spaces.Space[Any]] = [
        spaces.MultiDiscrete(list(BRANCHES)),
        spaces.Box(-np.inf, np.inf, (1,), np.float32),
    ]
    return spaces.Tuple(parts)
