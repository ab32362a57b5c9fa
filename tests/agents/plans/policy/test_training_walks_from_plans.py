"""The walks of a plan that a policy is trained on."""

import numpy as np
import pytest

from playhead.agents.plans.plan_file import load_plan, parse_plan, shipped_plan
from playhead.agents.plans.policy.navigation_task import NavigationTask
from playhead.agents.plans.policy.training_walks_from_plans import plan_walks
from playhead.errors import GameError, PlanError
from playhead.games.game_catalog import variant_settings

from .test_walk_grid import grid_of

DUNGEON = "arena:dungeon"


@pytest.fixture(scope="module")
def walks():
    path = shipped_plan(DUNGEON)
    assert path is not None
    return plan_walks(load_plan(path), DUNGEON, range(2))


@pytest.mark.slow
def test_they_go_from_node_to_node_and_to_the_targets_of_rules(walks):
    nodes = ["interact switch", "jump lava pit", "interact shrine"]
    for seed in (0, 1):
        titles = [walk.title for walk in walks if walk.seed == seed]
        assert list(dict.fromkeys(one for one in titles if one in nodes)) == nodes
    assert any(walk.title == "attack enemy" for walk in walks)
    assert {walk.plan for walk in walks} == {str(shipped_plan(DUNGEON))}


@pytest.mark.slow
def test_each_level_has_its_actors_elsewhere(walks):
    switches = {walk.goal for walk in walks if walk.title == "interact switch"}
    assert len(switches) == 2


@pytest.mark.slow
def test_the_map_is_that_of_the_moment_with_the_door_open_behind_the_switch(walks):
    level = [walk for walk in walks if walk.seed == 0]
    switch, pit = (
        next(walk for walk in level if walk.title == title)
        for title in ("interact switch", "jump lava pit")
    )
    assert pit.steps() > 0
    assert pit._replace(grid=switch.grid).steps() == -1


@pytest.mark.slow
def test_they_are_as_many_of_the_training_walks_as_the_share_says(walks):
    task = NavigationTask([grid_of(*(["." * 40] * 4))], 1, 0, walks=walks, plan_share=0.75)
    chosen = []
    for _ in range(400):
        task.begin(0)
        chosen.append(int(task._goal[0]) >= task.random_goals)
        assert task.steps_left()[0] > 0
    assert 0.65 < np.mean(chosen) < 0.85
    assert {task.goals[task.random_goals].grid} == {1}


def test_without_plans_nothing_is_drawn_otherwise():
    grids = [grid_of(*(["." * 40] * 4))]
    plain, shared = (NavigationTask(grids, 4, 0, plan_share=share) for share in (0.5, 1.0))
    assert plain.places.tolist() == shared.places.tolist()


def test_a_plan_that_the_game_does_not_know_is_refused_with_its_line():
    file = parse_plan("nodes:\n  - {actor: swich, action: interact}\n", "my.plan.yaml")
    with pytest.raises(PlanError, match=r"my.plan.yaml:2: there is no actor 'swich'"):
        plan_walks(file, DUNGEON, range(1))


@pytest.mark.parametrize(
    ("nodes", "why"),
    [
        ("[{actor: shrine, action: interact}]", "there is no way"),
        ("[{action: jump}]", "done where the player is"),
    ],
)
def test_a_plan_with_nothing_that_can_be_walked_to_is_refused(nodes, why):
    with pytest.raises(PlanError, match=f"nothing in it can be walked to in {DUNGEON}: .*{why}"):
        plan_walks(parse_plan(f"nodes: {nodes}"), DUNGEON, range(1))


def test_a_game_that_plans_cannot_drive_is_refused():
    assert variant_settings("arena:yard") == {}
    with pytest.raises(GameError, match="arena:yard can't be driven by plans"):
        plan_walks(parse_plan("nodes: [{action: jump}]"), "arena:yard", range(1))
