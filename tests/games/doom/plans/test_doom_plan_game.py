"""Plans in Doom: the shipped one leaves the first map, and validators see what is wrong."""

from typing import Any

import pytest

pytest.importorskip("vizdoom")

from playhead.agents.plans.execution.run_plan_in_game import run_plan
from playhead.agents.plans.plan_checker import check_plan, plan_game
from playhead.agents.plans.plan_file import load_plan, parse_plan, shipped_plan
from playhead.agents.plans.plan_outcome import PlanOutcome
from playhead.errors import PlanError
from playhead.games.doom.doom_game import DoomRun
from playhead.games.doom.plans.doom_plan_game import PlanDrivenDoom

PATH = shipped_plan("doom:map01")
assert PATH is not None
PLAN = load_plan(PATH)
FIGHT = "rules: [{when: [{actor: monster, within: 640}], priority: 10, action: attack}]\n"


def played(seed: int, plan: str = "") -> PlanOutcome:
    with DoomRun("map01", seed=seed, skill=2) as game:
        return run_plan(parse_plan(plan + FIGHT) if plan else PLAN, game, seed=seed)


@pytest.mark.slow
def test_the_plan_takes_the_armor_fights_and_leaves_the_map():
    outcome = played(1)
    assert outcome.failure is None
    assert [node.validation for node in outcome.nodes] == ["passed", "passed"]
    assert outcome.rules["attack monster"] >= 1
    (armor,) = [one for one in outcome.actions if one.action == "take"]
    assert (armor.before["armor"], armor.after["armor"]) == (0.0, 100.0)


@pytest.mark.slow
def test_the_plan_finishes_under_9_of_10_seeds():
    failed = {}
    for seed in range(1, 11):
        outcome = played(seed)
        if outcome.failure is not None:
            failed[seed] = outcome.failure.message
    assert len(failed) <= 1, failed


@pytest.mark.slow
def test_doors_are_opened_on_the_way_and_what_no_way_leads_to_is_reported_at_once():
    outcome = played(1, "nodes: [{actor: door 2, action: open}, {actor: Soulsphere}]\n")
    assert [node.validation for node in outcome.nodes] == ["passed", "none"]
    assert outcome.failure is not None
    assert (outcome.failure.kind, outcome.failure.actor) == ("navigation", "Soulsphere")
    assert "there is no way from" in outcome.failure.message


@pytest.mark.slow
def test_a_kill_that_counts_twice_fails_exactly_the_attack(monkeypatch):
    state = PlanDrivenDoom.plan_state

    def twice(game: PlanDrivenDoom) -> dict[str, Any]:
        result = dict(state(game))
        return {**result, "kills": 2 * float(result["kills"] or 0)}

    monkeypatch.setattr(PlanDrivenDoom, "plan_state", twice)
    outcome = played(1)
    assert outcome.failure is not None
    assert outcome.failure.action == "attack"
    assert "the kill count grew by 2, not by 1" in outcome.failure.message


@pytest.mark.slow
def test_armor_that_protects_nobody_fails_exactly_the_take(monkeypatch):
    state = PlanDrivenDoom.plan_state
    monkeypatch.setattr(PlanDrivenDoom, "plan_state", lambda game: {**state(game), "armor": 0.0})
    outcome = played(1)
    assert outcome.failure is not None
    assert (outcome.failure.action, outcome.failure.actor) == ("take", "GreenArmor")
    assert "it was taken, but the armor is still 0" in outcome.failure.message


@pytest.mark.slow
def test_two_runs_of_a_plan_under_one_seed_are_the_same():
    assert played(2).facts == played(2).facts


def test_the_names_that_a_plan_may_use_are_those_of_the_map():
    plan = parse_plan(
        "nodes:\n- {actor: exit, action: attack}\n- {actor: door 9}\n- {actor: armour}\n"
    )
    with DoomRun("map01", seed=1) as game, pytest.raises(PlanError) as error:
        check_plan(plan, plan_game(game))
    text = str(error.value).splitlines()
    assert "'attack' can't be done to 'exit'; what can be: leave" in text[0]
    assert "there is no actor 'door 9': did you mean 'door" in text[1]
    assert "there is no actor 'armour': did you mean 'armor'?" in text[2]
