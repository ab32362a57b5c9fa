"""The walks that plans ask for, as a policy's training tasks.

A plan is played with path finding, in some levels of its game. Each time that the way to a node or
to a rule's target begins, that is a walk: from where the player is then, to where the target is,
over the map as it is then, with the doors that earlier nodes have opened.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ....errors import PlanError
from ....games.game_catalog import open_game, variant_settings
from ....games.playable_interface import Observation, Vector
from ....games.walkable_grid import GridMap, WalkGrid
from ....recorder.checks.check_policy import UNREPORTED
from ..execution.plan_task import PlanTask
from ..execution.run_plan_in_game import run_plan
from ..plan_checker import plan_game
from ..plan_file import PlanFile
from ..plan_outcome import PlanOutcome

LEAST = 0.75
"""Widths of a cell within which a target is reached at least: a narrower circle may hold none."""


class PlanWalk(NamedTuple):
    """One walk of a node or a rule."""

    plan: str
    """Its file."""
    title: str
    """What it is for."""
    seed: int
    """The level's."""
    grid: WalkGrid
    start: Vector
    goal: Vector
    near: float
    """How near to the goal is near enough."""
    off: float
    """How far up or down from start and goal a cell may be."""

    def targets(self) -> npt.NDArray[np.bool_]:
        """The cells at which it has arrived."""
        return self.grid.around(self.goal, max(self.near, LEAST * self.grid.size), self.off)

    def steps(self) -> int:
        """The steps of the shortest way; −1 if there is none."""
        begin = self.grid.nearest_free_cell(self.start, self.off)
        return -1 if begin is None else int(self.grid.steps_to(self.targets())[begin])


def plan_walks(file: PlanFile, game: str, seeds: Sequence[int]) -> list[PlanWalk]:
    """All walks of a plan in the levels of these seeds. A run that fails gives those until then.

    Raises:
        PlanError: the game has not what the plan names, or nothing in the plan can be walked to.
        GameError: there is no such game, or plans can't drive it.
    """
    settings, found, why = variant_settings(game), list[PlanWalk](), ""
    grids: dict[tuple[bytes, ...], WalkGrid] = {}
    for seed in seeds:
        walks, outcome = _played(file, game, seed, settings)
        for walk in walks:
            # Most walks of a level, and often those of others, are over the same map.
            grid = walk.grid
            key = (grid.leads.tobytes(), grid.height.tobytes(), repr(grid.corner).encode())
            found.append(walk._replace(grid=grids.setdefault(key, grid)))
        why = why or (outcome.failure.message if outcome.failure is not None else "")
    if not found:
        why = why or "all of it is done where the player is"
        raise PlanError(f"{file.file}: nothing in it can be walked to in {game}: {why}")
    return found


def _played(
    file: PlanFile, game: str, seed: int, settings: dict[str, Any]
) -> tuple[list[PlanWalk], PlanOutcome]:
    found: list[PlanWalk] = []
    with open_game(game, seed=seed, **settings) as opened:
        driven = plan_game(opened)
        off = driven.plan_controls.step_up

        def note(task: PlanTask, seen: Observation) -> None:
            ground = driven.plan_map()
            if not isinstance(ground, GridMap) or task.goal is None:
                return
            near = max(task.goal_tolerance, driven.plan_controls.nearest)
            walk = PlanWalk(
                file.file, task.title, seed, ground.grid(), seen.position, task.goal, near, off
            )
            if walk.steps() > 0:
                found.append(walk)

        return found, run_plan(
            file.moved_by("walk"),
            opened,
            seed=seed,
            on_walk=note,
            on_check=UNREPORTED,
            opened_as=game,
        )
