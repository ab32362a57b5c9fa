"""A step: walking, turning, shooting, rewards by term, and how rounds end."""

import math

import numpy as np
import pytest

from playhead.games.arena.fps.match.match_control_commands import FreeMode, SpawnBlock, SpawnEnemy
from playhead.games.arena.fps.simulation.batch_state import WANDERS
from playhead.games.arena.fps.simulation.round_targets_and_modes import Target
from playhead.games.arena.fps.simulation.rules import Rules
from playhead.games.arena.fps.simulation.simulation import LOST, RUNNING, WON

STILL = Rules(enemy_speed=0.0)


def give(play, target, block=None):
    """Give a target in a training mode by hand: what orders do in test mode."""
    arenas = play.arenas
    arenas.clear(0)
    if block is not None:
        arenas.blocks[0] = [block]
        arenas.wall_in(0)
        for at in block.enemies:
            arenas.spawn(0, at, home=0)
    return lambda: (arenas.assign(0, target), play.match.simulation.look())


def free_with(play, *positions):
    assign = give(play, Target.FREE)
    for at in positions:
        play.arenas.spawn(0, at)
    assign()


def with_block(play, target, name, corner):
    from playhead.games.arena.fps.simulation.target_block_presets import TargetBlock

    give(play, target, TargetBlock(play.arenas.hall.preset(name), corner))()


# --- moving -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "degrees", "way"),
    [
        ((1, 0), 0, (0.0, 0.2)),
        ((-1, 0), 0, (0.0, -0.2)),
        ((0, 1), 0, (0.2, 0.0)),
        ((0, -1), 0, (-0.2, 0.0)),
        ((1, 0), 90, (0.2, 0.0)),
        ((0, 1), 90, (0.0, -0.2)),
        ((1, 1), 0, (0.2 / math.sqrt(2), 0.2 / math.sqrt(2))),
        ((0, 0), 45, (0.0, 0.0)),
    ],
)
def test_agents_walk_along_and_across_the_way_that_they_face(stage, keys, degrees, way):
    play = stage()
    play.place(0, (10.0, 10.0), degrees)
    play.act((*keys, 0, 0.0))
    assert play.at() == pytest.approx((10.0 + way[0], 10.0 + way[1]))


def test_a_positive_turn_is_one_to_the_right_and_facing_is_its_cosine_and_sine(stage):
    play = stage()
    play.act((0, 0, 0, 30.0))
    assert play.see()[11:13] == pytest.approx([math.cos(math.pi / 6), 0.5])
    play.act((0, 0, 0, -60.0))
    assert play.see()[11:13] == pytest.approx([math.cos(math.pi / 6), -0.5])
    play.act((0, 0, 0, 390.0))
    assert play.arenas.yaw[0, 0] == pytest.approx(0.0, abs=1e-9) or play.arenas.yaw[
        0, 0
    ] == pytest.approx(2 * math.pi)


def test_any_finite_turn_leaves_a_way_to_face(stage):
    play = stage()
    for turn in (1e30, -3e38, 3e38):
        play.act((1, 0, 0, turn))
        assert np.isfinite(play.see()).all()
        assert np.hypot(*play.see()[11:13]) == pytest.approx(1.0)


def test_enemies_of_a_free_round_wander_and_those_of_a_block_stand(stage):
    play = stage("train-free")
    before = play.arenas.at.copy()
    play.act(steps=40)
    moved = np.hypot(*(play.arenas.at - before)[:, 0, 1:7])
    assert moved.max() > 0.5
    assert moved.max() <= 40 * 0.05 + 1e-9
    play.match.begin(3)
    play.act(steps=WANDERS * 40 - 60)
    assert np.abs(play.arenas.at[:, 0, :7] - 23.5).max() <= 23.1
    play = stage("train-attack")
    before = play.arenas.at.copy()
    play.act(steps=100)
    assert np.array_equal(play.arenas.at, before)


# --- shooting -----------------------------------------------------------------------------------


def test_a_shot_hits_what_is_straight_ahead_and_three_defeat_an_enemy(stage):
    play = stage("train-free", rules=STILL)
    free_with(play, (10.0, 20.0), (40.0, 5.0))
    play.place(0, (10.0, 10.0))
    rewards = []
    for _ in range(11):
        play.act((0, 0, 1, 0.0))
        rewards.append(play.terms().get("target_hit", 0.0))
    assert rewards == [25, 0, 0, 0, 0, 25, 0, 0, 0, 0, 25]
    assert len(play.arenas.enemies_at(0)) == 1
    assert play.outcome.hits[0].defeated
    # What was defeated is seen no more.
    assert 1 not in play.see()[13:32]


def test_the_weapon_rests_after_a_shot_and_says_when_it_can_be_used(stage):
    play = stage()
    usable = []
    for _ in range(7):
        usable.append(play.see()[7])
        play.act((0, 0, 1, 0.0))
    assert usable == [1, 0, 0, 0, 0, 1, 0]


def test_one_turns_before_one_shoots(stage):
    play = stage("train-free", rules=STILL)
    free_with(play, (20.0, 10.0))
    play.place(0, (10.0, 10.0))
    play.act((0, 0, 1, 90.0))
    assert play.terms()["target_hit"] == 25


def test_walls_and_other_agents_stop_a_shot(stage):
    play = stage("train-free", agents=2, rules=STILL)
    free_with(play, (10.0, 20.0), (23.5, 10.0))
    play.place(0, (10.0, 10.0))
    play.place(1, (10.0, 15.0), degrees=180.0)
    play.act((0, 0, 1, 0.0))
    assert "target_hit" not in play.terms()
    # Behind the south pillar.
    play.place(1, (23.5, 2.0))
    play.act((0, 0, 0, 0.0), (0, 0, 1, 0.0))
    assert "target_hit" not in play.terms(1)
    play.place(1, (23.5, 7.0))
    play.act((0, 0, 0, 0.0), (0, 0, 0, 0.0), steps=5)
    play.act((0, 0, 0, 0.0), (0, 0, 1, 0.0))
    assert play.terms(1)["target_hit"] == 25


def test_two_who_hit_the_same_enemy_at_once_are_both_rewarded(stage):
    play = stage("train-free", agents=2, rules=Rules(enemy_speed=0.0, hits=1))
    free_with(play, (10.0, 20.0), (30.0, 30.0))
    play.place(0, (10.0, 10.0))
    play.place(1, (10.0, 30.0), degrees=180.0)
    play.act((0, 0, 1, 0.0), (0, 0, 1, 0.0))
    assert play.terms(0)["target_hit"] == play.terms(1)["target_hit"] == 25
    assert len(play.arenas.enemies_at(0)) == 1


# --- rewards ------------------------------------------------------------------------------------


def test_walking_costs_half_a_point_also_against_a_wall(stage):
    play = stage("train-attack")
    play.place(0, (5.0, 5.0), degrees=180.0)
    for keys in ((1, 0), (0, -1), (-1, 1)):
        play.act((*keys, 0, 0.0))
        assert play.terms()["move"] == -0.5
    play.act((0, 0, 0, 0.0))
    assert "move" not in play.terms()


def test_turning_on_in_one_direction_costs_more_and_more(stage):
    for turn, records, penalty in (
        (1.0, 40, -0.06), (3.125, 40, -10.0), (4.0, 40, -12.8), (4.0, 32, -10.24), (4.0, 31, -0.24),
    ):  # fmt: skip
        play = stage("train-attack")
        play.place(0, (1.0, 1.0))
        play.act((0, 0, 0, turn), steps=records)
        assert play.terms()["spin"] == pytest.approx(penalty)


def test_turning_to_and_fro_stays_cheap_and_older_turns_are_forgotten(stage):
    play = stage("train-attack")
    for turn in [4.0, -4.0] * 30:
        play.act((0, 0, 0, turn))
    assert play.terms()["spin"] == pytest.approx(-0.24)
    play.act((0, 0, 0, 4.0), steps=80)
    assert play.terms()["spin"] == pytest.approx(-12.8)
    play.act((0, 0, 0, 0.0), steps=8)
    assert play.terms()["spin"] == pytest.approx(-32 * 4 * 0.08)
    play.act((0, 0, 0, 0.0), steps=1)
    assert "spin" not in play.terms()


def test_how_many_turns_count_is_a_setting_and_a_new_round_forgets_them(stage):
    play = stage("train-attack", rules=Rules(records=2))
    play.act((0, 0, 0, 100.0), steps=10)
    assert play.terms()["spin"] == pytest.approx(-16.0)
    play.match.begin()
    play.act((0, 0, 0, 100.0))
    assert play.terms()["spin"] == pytest.approx(-6.0)


def test_in_a_free_round_it_pays_to_face_the_nearest_enemy_that_is_seen(stage):
    play = stage("train-free", rules=STILL)
    free_with(play, (10.0, 20.0), (18.0, 5.0), (30.0, 1.0))
    play.place(0, (10.0, 10.0))
    play.act()
    assert play.terms() == {"facing": 2.0}
    # 2 m aside of the middle of the view.
    play.place(0, (8.0, 10.0))
    play.act()
    assert play.terms()["facing"] == pytest.approx(1.0)
    # Nobody in view: those behind do not count.
    play.place(0, (10.0, 30.0))
    play.act()
    assert play.terms() == {}


def test_an_enemy_behind_a_wall_is_not_faced(stage):
    play = stage("train-free", rules=STILL)
    free_with(play, (23.5, 10.0))
    play.place(0, (23.5, 2.0))
    play.act()
    assert play.terms() == {}


def test_going_to_the_target_pays_by_the_metre_until_one_is_inside(stage):
    play = stage("train-goto")
    with_block(play, Target.GOTO, "screen", (20.0, 20.0))
    play.place(0, (18.0, 26.0), degrees=90.0)
    play.act((1, 0, 0, 0.0))
    assert play.terms() == {"move": -0.5}, "the first step has no distance before it"
    play.act((1, 0, 0, 0.0))
    assert play.terms() == {"move": -0.5, "distance": pytest.approx(4.0)}
    play.act((-1, 0, 0, 0.0))
    assert play.terms() == {"move": -0.5, "distance": pytest.approx(-4.0)}
    play.place(0, (22.1, 26.0), degrees=90.0)
    play.act((1, 0, 0, 0.0), steps=2)
    assert play.terms() == {"move": -0.5, "in_area": 5.0}
    play.act()
    assert play.terms() == {"in_area": 5.0}
    assert play.outcome.results[0] == RUNNING


def test_an_enemy_that_is_no_target_pays_three(stage):
    play = stage("train-goto")
    with_block(play, Target.GOTO, "screen", (20.0, 20.0))
    # The enemy of the plan's column 3, row 2 from the far side.
    play.place(0, (15.0, 27.5), degrees=90.0)
    play.act((0, 0, 1, 0.0))
    assert play.terms() == {"non_target_hit": 3.0}


def test_attacking_pays_for_shots_at_the_fire_base_and_less_for_facing_it(stage):
    play = stage("train-attack")
    with_block(play, Target.ATTACK, "two halves", (20.0, 20.0))
    play.place(0, (15.0, 24.0), degrees=90.0)
    play.act((0, 0, 1, 0.0))
    assert play.terms() == {"suppressive": 5.0}
    play.act((0, 0, 1, 0.0))
    assert play.terms() == {"facing_area": 2.0}, "the weapon rests: this is no attack"
    play.act((0, 0, 0, 0.0), steps=5)
    assert play.terms() == {"facing_area": 2.0}
    play.place(0, (15.0, 24.0), degrees=0.0)
    play.act((0, 0, 1, 0.0))
    assert play.terms() == {}
    play.place(0, (15.0, 24.0), degrees=-90.0)
    play.act()
    assert play.terms() == {}, "it is behind"


def test_in_an_attack_only_enemies_in_the_fire_base_are_targets(stage):
    play = stage("train-attack")
    with_block(play, Target.ATTACK, "two halves", (20.0, 20.0))
    # One stands on the other side of the wall, at (22.5, 23.5).
    play.place(0, (18.0, 23.5), degrees=90.0)
    play.act((0, 0, 1, 0.0))
    assert play.terms() == {"non_target_hit": 3.0, "suppressive": 5.0}
    play.place(0, (27.5, 20.5), degrees=0.0)
    play.act(steps=5)
    play.act((0, 0, 1, 0.0))
    assert play.terms() == {"target_hit": 25.0, "suppressive": 5.0}


def test_the_reward_is_the_sum_of_its_terms(stage):
    play = stage("train-mix", agents=3)
    rng = np.random.default_rng(0)
    for _ in range(300):
        if play.match.over:
            play.match.begin()
        acts = [(*rng.integers(-1, 2, 2), rng.integers(0, 2), rng.normal() * 5) for _ in range(3)]
        outcome = play.act(*acts)
        assert outcome.rewards[0] == pytest.approx([sum(t) for t in outcome.terms[0].tolist()])


# --- the end ------------------------------------------------------------------------------------


def test_a_free_round_is_won_when_nobody_is_left(stage):
    play = stage("train-free", agents=2, rules=Rules(enemy_speed=0.0, hits=1))
    free_with(play, (10.0, 20.0))
    play.place(0, (10.0, 10.0))
    outcome = play.act((0, 0, 1, 0.0))
    assert outcome.results[0] == WON
    assert play.terms(0)["win"] == play.terms(1)["win"] == 999
    assert play.messages == ["Warning|Result|Win"]
    assert play.match.over


def test_any_round_is_lost_when_its_thirty_seconds_are_over(stage):
    for mode in ("train-free", "train-goto", "train-attack"):
        play = stage(mode, agents=2)
        assert play.see()[6] == 30.0
        outcome = play.act(steps=599)
        assert outcome.results[0] == RUNNING
        outcome = play.act()
        assert outcome.results[0] == LOST
        assert play.see()[6] == 0.0
        assert play.terms(0)["lose"] == play.terms(1)["lose"] == -999
        assert play.messages == ["Warning|Result|Lose"]


def test_a_win_in_the_last_step_is_a_win(stage):
    play = stage("train-free", rules=Rules(enemy_speed=0.0, hits=1))
    free_with(play, (10.0, 20.0))
    play.place(0, (10.0, 10.0))
    play.act(steps=599)
    assert play.act((0, 0, 1, 0.0)).results[0] == WON
    assert "lose" not in play.terms()


def test_a_goto_round_is_won_in_the_middle_of_the_fire_base_and_not_at_its_edge(stage):
    play = stage("train-goto")
    with_block(play, Target.GOTO, "screen", (20.0, 20.0))
    play.place(0, (24.0, 26.0), degrees=90.0)
    assert play.act().results[0] == RUNNING
    assert play.see()[5] == 1
    assert play.act((1, 0, 0, 0.0), steps=2).results[0] == RUNNING
    assert play.act((1, 0, 0, 0.0)).results[0] == WON
    wide = stage("train-goto", rules=Rules(centre=1.5))
    with_block(wide, Target.GOTO, "screen", (20.0, 20.0))
    wide.place(0, (23.7, 26.0))
    assert wide.act().results[0] == WON


def test_an_attack_is_won_when_all_enemies_of_the_block_are_defeated(stage):
    play = stage("train-attack", rules=Rules(hits=1))
    with_block(play, Target.ATTACK, "two halves", (20.0, 20.0))
    for at, degrees, result in (
        ((28.5, 20.5), 0.0, RUNNING),
        ((27.5, 20.5), 0.0, RUNNING),
        ((18.0, 23.5), 90.0, WON),
    ):
        play.place(0, at, degrees)
        play.act(steps=5)
        assert play.act((0, 0, 1, 0.0)).results[0] == result
    assert play.terms()["non_target_hit"] == 3, "it had to be defeated, though it was no target"


def test_in_test_mode_no_rewards_are_given_and_a_round_that_ends_leaves_nothing_to_do(stage):
    play = stage("test", rules=Rules(enemy_speed=0.0, hits=1))
    play.place(0, (10.0, 10.0))
    play.match.order(SpawnEnemy(10.0, 20.0))
    play.match.order(FreeMode())
    assert play.see()[0] == 0
    assert play.act((1, 0, 1, 5.0)).rewards[0, 0] == 0.0
    play.place(0, (10.0, 10.0))
    play.act(steps=5)
    outcome = play.act((0, 0, 1, 0.0))
    assert (outcome.results[0], outcome.rewards[0, 0]) == (WON, 0.0)
    assert play.messages == ["Warning|Result|Win"]
    assert play.match.target is Target.STAY
    assert not play.match.over
    play.match.order(SpawnBlock("goto", 1, 30.0, 30.0))
    assert play.act(steps=600).results[0] == LOST
    assert play.match.target is Target.STAY
    assert len(play.arenas.blocks[0]) == 1
    assert play.act(steps=700).results[0] == RUNNING
    assert play.see()[6] == 0.0
