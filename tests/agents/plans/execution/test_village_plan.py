"""The plan of `arena:village`: from its title screen through three areas to its end."""

import pytest

from playhead.agents.plans.execution.run_plan_in_game import run_seed
from playhead.agents.plans.plan_file import load_plan, parse_plan, shipped_plan
from playhead.games.arena.adventure.adventure import Adventure

PATH = shipped_plan("arena:village")
assert PATH is not None
PLAN = load_plan(PATH)


START = parse_plan("game: arena:village\nnodes: [{action: dismiss}, {action: dismiss}]\n")
"""Past the title screen, and a new game."""


def test_start_begins_the_level_at_its_start():
    outcome = run_seed(START, "arena:village", 2, None, {})
    assert outcome.failure is None
    title, start = outcome.actions
    assert (title.validation, start.validation) == ("passed", "passed")
    assert (start.before["window"], start.after["window"]) == ("title/1/entries", "")
    assert start.after["area"] == "village"


@pytest.mark.parametrize(
    ("area", "at", "message"),
    [
        ("forest", (0.0, 0.0), "the game began in the area 'forest', not in 'village'"),
        ("village", (3.0, -3.0), "m from the level's start"),
        (None, None, "'title/1/entries' is still shown"),
    ],
)
def test_start_fails_if_another_level_or_none_was_loaded(monkeypatch, area, at, message):
    def restart(adventure: Adventure) -> None:
        if area is not None:
            adventure._begin(area, at, 0.0)

    monkeypatch.setattr(Adventure, "restart", restart)
    outcome = run_seed(START, "arena:village", 2, None, {})
    assert outcome.failure is not None
    assert [node.validation for node in outcome.nodes] == ["passed", "failed"]
    assert message in outcome.failure.message


@pytest.mark.slow
def test_the_plan_plays_the_village_to_its_end():
    outcome = run_seed(PLAN, "arena:village", 2, None, {})
    assert outcome.failure is None
    assert all(node.done for node in outcome.nodes)
    assert {node.validation for node in outcome.nodes if node.action} == {"passed"}


@pytest.mark.slow
@pytest.mark.parametrize("moved_actors", [False, True])
def test_the_plan_plays_the_village_to_its_end_under_other_seeds(moved_actors):
    failed = {}
    for seed in range(1, 5):
        settings = {"moved_actors": moved_actors}
        outcome = run_seed(PLAN, "arena:village", seed, None, settings)
        if outcome.failure is not None:
            failed[seed] = outcome.failure.message
    assert failed == {}


@pytest.mark.slow
def test_a_screen_that_takes_the_whole_pad_is_named_where_nothing_moves():
    plan = parse_plan("nodes: [{actor: elder, action: talk}]")
    outcome = run_seed(plan, "arena:village", 2, None, {})
    assert outcome.failure is not None
    assert "the screen 'title' is shown, close it first" in outcome.failure.message
