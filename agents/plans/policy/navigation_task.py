"""The task that a navigation policy learns: walk from one cell of a map to near another."""

import itertools
from collections.abc import Sequence
from random import Random
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....errors import GameError
from ....games.arena.adventure.plans.area_walk_grids import level_grids
from ....games.arena.adventure.world.generated_level import generated_level
from ....games.playable_interface import Vector
from ....games.walkable_grid import NOWHERE, WalkGrid, cells
from .grid_sensor import Floats32, GridSensor, Indices, Trails
from .training_walks_from_plans import PlanWalk

GOALS, TRIES = 4, 16
"""Targets that are made for each map, where that many tries find them."""
ROOM = 100
"""Cells that a target must be in one piece with, to and fro, unless there are no such targets."""
NEAR = (0.6, 1.5)
"""The distance at which a target counts as reached, as for actions; metres."""
LEVEL = 0.5
"""The same for height."""
STEPS = 320
"""Steps after which a walk is over."""
PLAN_SHARE = 0.5
"""How many of the walks are those of plans, where there are any."""
BEGIN = 3
"""Cells around the place where a plan's walk began at which it begins in training, at most."""
PROGRESS, STEP, BUMP, ARRIVED = 0.1, -0.02, -0.05, 1.0
"""Rewards: for each step nearer, for each step at all, for one that can't be taken, at the end."""

Bools = npt.NDArray[np.bool_]


class Goal(NamedTuple):
    """Somewhere to walk to, on one grid."""

    grid: int
    position: Floats32
    away: npt.NDArray[np.int32]
    """How many steps it is from each place of the sensor; −1 where there is no way."""
    starts: Indices
    """The places that one may begin at."""


class Stepped(NamedTuple):
    """What came of one step of each player."""

    rewards: Floats32
    arrived: Bools
    over: Bools
    """Whether the time is up."""


class NavigationTask:
    """Many players, each on its way over a map. Steps go from cell to cell, as `WalkGrid` leads.

    Rewards depend on the way that is left, but observations do not: the policy must learn to do
    without it.

    Args:
        grids: The maps. Each player's next walk is on a random one.
        players: How many there are.
        seed: Decides targets, and where walks begin.
        steps: After so many a walk is over.
        walks: Those of plans; the others are random.
        plan_share: How many of all walks are those of plans, 0 to 1.

    Raises:
        GameError: there is no cell from which another can be walked to.
    """

    def __init__(
        self, grids: Sequence[WalkGrid], players: int, seed: int, steps: int = STEPS, *,
        walks: Sequence[PlanWalk] = (), plan_share: float = PLAN_SHARE,
    ) -> None:  # fmt: skip
        self._rng, self._steps = Random(seed), steps
        self._plan_share = plan_share
        of_plans = {id(walk.grid): walk.grid for walk in walks}
        numbers = {one: len(grids) + number for number, one in enumerate(of_plans)}
        self.sensor = GridSensor([*grids, *of_plans.values()])
        self.goals = [
            goal for number, grid in enumerate(grids) for goal in self._goals_of(number, grid)
        ]
        if not self.goals:
            raise GameError("no map has a free cell from which another can be walked to")
        self.random_goals = len(self.goals)
        """So many of the goals are random; those of plans follow."""
        self.goals += filter(None, (self._plan_goal(numbers[id(one.grid)], one) for one in walks))
        self.trails = Trails(self.sensor, players)
        self.places = np.zeros(players, np.int64)
        self._goal = np.zeros(players, np.int64)
        self._targets = np.zeros((players, 3), np.float32)
        self._taken = np.zeros(players, np.int64)
        for player in range(players):
            self.begin(player)

    def reseed(self, seed: int) -> None:
        """Decide again what is left to chance."""
        self._rng.seed(seed)

    def begin(self, player: int) -> None:
        """A player's next walk."""
        many, begin = self.random_goals, 0
        planned = len(self.goals) - many
        if planned and self._rng.random() < self._plan_share:
            many, begin = planned, many
        number = begin + self._rng.randrange(many)
        goal = self.goals[number]
        self._goal[player], self._targets[player] = number, goal.position
        self.places[player] = goal.starts[self._rng.randrange(len(goal.starts))]
        self._taken[player] = 0
        self.trails.forget(player)

    def observe(self) -> Floats32:
        """What each player sees."""
        return self.sensor.observe(self.places, self._targets, self.trails)

    def step(self, actions: Indices) -> Stepped:
        """Each player takes a step. Who has arrived, or has no time left, must start again."""
        self.trails.visit(self.places)
        before = self.steps_left()
        found = self.sensor.step(self.places, actions)
        bumped = found == NOWHERE
        self.places = np.where(bumped, self.places, found)
        away = self.steps_left()
        self._taken += 1
        # A jump down may lead where there is no way back: that walk is lost.
        lost = away < 0
        arrived = away == 0
        rewards = PROGRESS * np.where(lost, -10, before - away) + STEP + BUMP * bumped
        rewards = (rewards + ARRIVED * arrived).astype(np.float32)
        return Stepped(rewards, arrived, lost | ((self._taken >= self._steps) & ~arrived))

    def steps_left(self) -> npt.NDArray[np.int32]:
        """How many steps the shortest way of each player has; −1 where there is none."""
        inside = self.places % self.sensor.area
        return np.array(
            [self.goals[goal].away[at] for goal, at in zip(self._goal, inside, strict=True)],
            np.int32,
        )

    def _goals_of(self, number: int, grid: WalkGrid) -> list[Goal]:
        free = list(cells(grid.free))
        found: list[Goal] = []
        small: list[Goal] = []
        for _ in range(TRIES if free else 0):
            if len(found) == GOALS:
                break
            cell = self._rng.choice(free)
            position = grid.middle(cell)
            near = grid.around(position, self._rng.uniform(*NEAR), LEVEL)
            # Not from the top of a wall, say, from which there is a way only down.
            goal = self._goal_at(number, grid, position, near, grid.reached(cell))
            if goal is not None:
                (found if len(goal.starts) >= ROOM else small).append(goal)
        return found or small[:GOALS]

    def _plan_goal(self, number: int, walk: PlanWalk) -> Goal | None:
        grid = walk.grid
        starts = grid.around(walk.start, BEGIN * grid.size, walk.off)
        return self._goal_at(number, grid, walk.goal, walk.targets(), starts)

    def _goal_at(
        self, number: int, grid: WalkGrid, position: Vector, near: Bools, starts: Bools
    ) -> Goal | None:
        """Somewhere to walk to; None if there is no way to it from any of the starts."""
        away = grid.steps_to(near)
        begin = [self.sensor.place(number, one) for one in cells((away > 0) & starts)]
        if not begin:
            return None
        laid = np.full(self.sensor.area, -1, np.int32)
        laid[[self.sensor.place(0, one) for one in cells(away >= 0)]] = away[away >= 0]
        return Goal(number, np.array(position, np.float32), laid, np.array(begin, np.int64))


def training_grids(seeds: Sequence[int]) -> list[WalkGrid]:
    """The grids of generated levels."""
    levels = (generated_level(seed) for seed in seeds)
    return list(itertools.chain.from_iterable(map(level_grids, levels)))
