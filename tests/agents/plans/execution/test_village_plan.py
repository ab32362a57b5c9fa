"""The plan of `arena:village`: from its title screen through three areas to its end."""

import pytest

from playhead.agents.plans.execution.run_plan_in_game import run_seed
from playhead.agents.plans.plan_file import load_plan, parse_plan, shipped_plan

PATH = shipped_plan("arena:village")
assert PATH is not None
PLAN = load_plan(PATH)


@pytest.mark.slow
def test_the_plan_plays_the_village_to_its_end():
    outcome = run_seed(PLAN, "arena:village", 2, None, {})
    assert outcome.failure is None
    assert all(node.done for node in outcome.nodes)
    assert {node.validation for node in outcome.nodes if node.action} == {"passed"}


@pytest.mark.slow
def test_the_plan_plays_the_village_to_its_end_under_many_seeds():
    failed = {}
    for seed in range(1, 11):
        outcome = run_seed(PLAN, "arena:village", seed, None, {})
        if outcome.failure is not None:
            failed[seed] = outcome.failure.message
    assert failed == {}


@pytest.mark.slow
def test_a_screen_that_takes_the_whole_pad_is_named_where_nothing_moves():
    plan = parse_plan("nodes: [{actor: elder, action: talk}]")
    outcome = run_seed(plan, "arena:village", 2, None, {})
    assert outcome.failure is not None
    assert "the screen 'title' is shown, close it first" in outcome.failure.message
