"""The environment that policies learn in."""

import warnings

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from playhead.agents.plans.policy.navigation_env import NavigationEnv
from playhead.agents.plans.policy.navigation_task import NavigationTask, training_grids
from playhead.agents.plans.policy.policy_evaluation import evaluate
from playhead.agents.plans.policy.policy_model import load_policy
from playhead.errors import GameError

from .test_walk_grid import grid_of


@pytest.fixture(scope="module")
def grids():
    return training_grids(range(3))


def test_gymnasium_finds_no_fault_with_it(grids):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(NavigationEnv(grids), skip_render_check=True)


def test_the_same_seed_begins_and_goes_on_the_same(grids):
    def played():
        env = NavigationEnv(grids)
        seen = [env.reset(seed=4)[0]]
        seen += [env.step(np.int64(action))[0] for action in (0, 1, 2, 3, 4)]
        return np.stack(seen)

    assert np.array_equal(played(), played())


def test_a_step_nearer_is_rewarded_and_a_bump_costs():
    task = NavigationTask([grid_of(*(["." * 40] * 4))], 1, 0)
    x, y = task.sensor.cell(int(task.places[0]))
    wall = 2 if y == 3 else 6 if y == 0 else None
    for _ in range(3 if wall is None else 0):
        task.step(np.array([2]))
    bumped = task.step(np.array([2 if wall is None else wall]))
    assert bumped.rewards[0] < 0
    goal_x = task._targets[0, 0]
    x, _ = task.sensor.cell(int(task.places[0]))
    toward, away = (0, 4) if goal_x > x else (4, 0)
    if task.steps_left()[0] > 1:
        assert task.step(np.array([toward])).rewards[0] > 0
        assert task.step(np.array([away])).rewards[0] < 0


def test_a_map_without_a_free_cell_is_refused():
    with pytest.raises(GameError, match="no map has a free cell"):
        NavigationTask([grid_of("##", "##")], 1, 0)
    with pytest.raises(GameError, match="no map has a free cell from which"):
        NavigationTask([grid_of(".#", "##")], 1, 0)


@pytest.mark.parametrize(
    ("levels", "walks"), [(40, 100), pytest.param(100, 500, marks=pytest.mark.slow)]
)
def test_the_shipped_policy_reaches_19_of_20_targets_in_levels_that_it_has_never_seen(
    levels, walks
):
    unseen = training_grids(range(3_000_000, 3_000_000 + levels))
    came = evaluate(load_policy(), unseen, walks, 1)
    assert came.share >= 0.95
    assert came.detour < 1.5
