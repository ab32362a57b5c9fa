"""The plan of `arena:mountain`: over the roofs of a village, and up a mountain to its shrine."""

import msgspec
import pytest

from playhead.agents.plans.execution.run_plan_in_game import run_plan, run_seed
from playhead.agents.plans.plan_file import load_plan, shipped_plan
from playhead.games.arena.adventure.adventure_game import AdventureGame
from playhead.games.arena.adventure.world.level_loader import level_path, load_level
from playhead.games.game_catalog import open_game
from playhead.games.playable_interface import Playable

PATH = shipped_plan("arena:mountain")
assert PATH is not None
PLAN = load_plan(PATH)


@pytest.mark.slow
def test_the_plan_goes_over_the_roofs_and_up_to_the_shrine():
    outcome = run_seed(PLAN, "arena:mountain", 4, None, {})
    assert outcome.failure is None
    assert {node.validation for node in outcome.nodes if node.action} == {"passed"}
    taken = [one.actor for one in outcome.actions if one.action == "take"]
    assert taken == ["coin on the low house", "coin on the smithy"]
    assert outcome.rules["attack goblin"] >= 1


@pytest.mark.slow
def test_the_plan_finishes_under_twenty_seeds():
    failed = {}
    for seed in range(1, 21):
        outcome = run_seed(PLAN, "arena:mountain", seed, None, {})
        if outcome.failure is not None:
            failed[seed] = outcome.failure.message
    assert failed == {}


@pytest.mark.slow
def test_the_plan_finishes_under_ten_seeds_with_its_actors_elsewhere_in_each():
    failed = {}
    for seed in range(1, 11):
        outcome = run_seed(PLAN, "arena:mountain", seed, None, {"moved_actors": True})
        if outcome.failure is not None:
            failed[seed] = outcome.failure.message
    assert failed == {}


def test_a_roof_that_nobody_can_jump_to_is_reported_unreachable_at_once():
    level = load_level(level_path("mountain"))
    area = level.areas["mountain"]
    floors = tuple(one for one in area.floors if one.name != "crate")
    high = tuple(
        msgspec.structs.replace(one, top=2.5) if one.name == "low house" else one for one in floors
    )
    areas = {"mountain": msgspec.structs.replace(area, floors=high)}
    with AdventureGame(msgspec.structs.replace(level, areas=areas), seed=1) as game:
        outcome = run_plan(PLAN, game)
    assert outcome.failure is not None
    assert (outcome.failure.kind, outcome.failure.node) == ("navigation", 2)
    assert "there is no way from" in outcome.failure.message


@pytest.mark.slow
def test_a_scripted_person_plays_the_mountain_to_its_end():
    with open_game("arena:mountain", seed=2) as game:
        assert isinstance(game, Playable)
        for _ in range(60 * 60):
            game.step()
        assert game.observe().finished
