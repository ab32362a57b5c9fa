"""Plans whose player is moved by a policy: arrived, validated, recorded; and stuck."""

import numpy as np
import pytest

from playhead.agents.plans.execution.run_plan_in_game import run_plan
from playhead.agents.plans.plan_file import load_plan, parse_plan, shipped_plan
from playhead.agents.plans.policy.policy_model import Layer, load_policy
from playhead.errors import PlanError
from playhead.games.arena.adventure.adventure_game import AdventureGame
from playhead.games.walkable_grid import DIRECTIONS
from playhead.recorder.checks.check_policy import UNATTENDED
from playhead.recording.open_file import open as open_recording
from playhead.session import Session

from ..room import Room

COIN = parse_plan("nodes: [{actor: coin by the door, action: take, movement: policy}]")


@pytest.mark.slow
def test_the_dungeons_plan_with_its_two_rules_is_finished_by_the_shipped_policy():
    path = shipped_plan("arena:dungeon")
    with AdventureGame("dungeon", seed=1) as game:
        outcome = run_plan(load_plan(path).moved_by("policy"), game)
    assert outcome.failure is None
    assert [node.validation for node in outcome.nodes] == ["passed"] * 3
    assert outcome.rules["attack enemy"] >= 1
    assert outcome.rules["take item"] >= 1


def test_what_it_saw_and_made_of_it_is_in_the_recording(tmp_path):
    clip = tmp_path / "walk.mcap"
    with AdventureGame("dungeon", seed=1) as game:
        player = game.player
        with Session(
            game.world, "64 MiB", handlers=game.handlers, on_check=UNATTENDED, about=game.about
        ) as session:
            assert run_plan(COIN, game, session=session).finished
            session.save(clip)
    with open_recording(clip) as run:
        value = run.watches(player, "policy.value").values
        assert len(value) > 20
        odds = np.stack([run.watches(player, f"policy.{way}").values for way in DIRECTIONS])
        assert odds.sum(axis=0) == pytest.approx(1.0, abs=1e-4)
        distance = run.watches(player, "policy.target distance").values
        assert distance[0] > distance[-1]
        turns = [one for one in run.transitions(player) if one.machine == "policy"]
        assert {one.target for one in turns} <= set(DIRECTIONS)
        assert any(one.rejected for one in turns)
        assert turns[0].values["grid 5"][4] == "@"


def test_a_policy_that_knows_nothing_fails_at_the_time_limit_and_says_what_it_did():
    model = load_policy()
    *hidden, last = model.policy
    blank = Layer(np.zeros_like(last.weight), np.zeros_like(last.bias))
    lost = parse_plan("nodes: [{actor: switch, action: interact, movement: policy, time_limit: 6}]")
    with AdventureGame("dungeon", seed=1) as game:
        outcome = run_plan(lost, game, policy=model._replace(policy=(*hidden, blank)))
    assert outcome.failure.kind == "time"
    assert "not done within 6 s, still going to it" in outcome.failure.message
    assert "m away: the policy took" in outcome.failure.message


def test_a_target_to_which_the_map_knows_no_way_fails_at_once():
    behind = parse_plan("nodes: [{actor: shrine, action: interact, movement: policy}]")
    with AdventureGame("dungeon", seed=1) as game:
        outcome = run_plan(behind, game)
    assert outcome.failure.kind == "navigation"
    assert "there is no way" in outcome.failure.message
    assert outcome.failure.frame <= 1


def test_a_game_without_a_map_of_cells_refuses_the_movement_with_its_line():
    from playhead.agents.plans.plan_checker import check_plan

    file = parse_plan("nodes:\n  - {action: press, actor: button, movement: policy}\n")
    room = Room()
    room.add(2, "button", (3.0, 0.0))
    with pytest.raises(PlanError, match=":2: the game has no map of cells, which the movement"):
        check_plan(file, room)


def test_a_rule_that_cuts_an_action_short_gives_its_validation_its_time_again():
    # The run-up to the pit leads past an item: it is taken first, and the jump starts again.
    plan = parse_plan("""
nodes:
  - {location: [6.5, -6.3, 0], movement: teleport}
  - {actor: lava pit, action: jump}
rules:
  - when: [{actor: item, within: 3}]
    action: take
    movement: policy
""")
    with AdventureGame("dungeon", seed=2) as game:
        outcome = run_plan(plan, game)
    assert outcome.failure is None
    assert outcome.rules["take item"] >= 1
