"""Evaluates how many random targets a policy reaches on some maps, step by step over cells."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ....games.walkable_grid import WalkGrid
from .navigation_task import NavigationTask
from .policy_model import PolicyModel
from .policy_navigator import LIKELY

STEPS = 480
"""Steps that a walk may take: about those of a node's time limit."""


class Evaluation(NamedTuple):
    """What came of some walks."""

    walks: int
    arrived: int
    detour: float
    """How many times the steps of the shortest way were taken, in the middle of those that arrived;
    0 where none did."""

    @property
    def share(self) -> float:
        """How many of the walks arrived."""
        return self.arrived / self.walks


def evaluate(model: PolicyModel, grids: Sequence[WalkGrid], walks: int, seed: int) -> Evaluation:
    """Walk to so many random targets on these maps, steps drawn as in a game.

    Raises:
        GameError: the maps have nowhere to walk.
    """
    task = NavigationTask(grids, walks, seed, steps=STEPS)
    dice = np.random.default_rng(seed)
    shortest = task.steps_left()
    going, taken = np.ones(walks, bool), np.zeros(walks, np.int64)
    for step in range(1, STEPS + 1):
        scores = model.scores(task.observe()) / LIKELY + dice.gumbel(size=(walks, 8))
        came = task.step(scores.argmax(axis=1))
        taken[came.arrived & going] = step
        going &= ~(came.arrived | came.over)
        if not going.any():
            break
    there = taken > 0
    detour = float(np.median(taken[there] / shortest[there])) if there.any() else 0.0
    return Evaluation(walks, int(there.sum()), detour)
