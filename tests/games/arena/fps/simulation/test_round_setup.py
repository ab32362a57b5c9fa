"""How rounds begin: what is drawn, what is put where, what carries over."""

import math
from collections import Counter

import numpy as np
import pytest

from playhead.errors import GameError
from playhead.games.arena.fps.match.training_match import setup_of
from playhead.games.arena.fps.simulation.block_difficulty_probabilities import (
    DifficultyProbabilities,
)
from playhead.games.arena.fps.simulation.round_setup import START, free_point
from playhead.games.arena.fps.simulation.round_targets_and_modes import Target
from playhead.games.arena.fps.simulation.rules import AGENT_RADIUS, ENEMY_RADIUS, Rules
from playhead.games.arena.fps.simulation.target_block_presets import SIZE


def free_of_walls(arenas, point, radius):
    boxes = [*arenas.hall.boxes, *(wall for b in arenas.blocks[0] for wall in b.walls)]
    return not any(box.near(point, radius) for box in boxes)


def test_a_free_round_has_six_enemies_and_agents_anywhere_facing_as_before(stage):
    play = stage("train-free", agents=2)
    assert play.match.target is Target.FREE
    assert play.arenas.yaw.tolist() == [[0.0, 0.0]]
    positions = set()
    for _ in range(20):
        arenas = play.arenas
        assert np.count_nonzero(arenas.health[0]) == 6
        assert arenas.is_target[0].sum() == 6
        everybody = arenas.agents_at(0) + arenas.enemies_at(0)
        for number, one in enumerate(everybody):
            radius = AGENT_RADIUS if number < 2 else ENEMY_RADIUS
            assert free_of_walls(arenas, one, radius)
            assert all(math.dist(one, other) >= 1.0 for other in everybody[:number])
        positions.add(play.at())
        play.act((0, 0, 0, 7.0), (0, 0, 0, -9.0))
        facing = play.arenas.yaw.copy()
        play.match.begin()
        assert np.array_equal(play.arenas.yaw, facing)
    assert len(positions) == 20


def test_the_number_of_enemies_is_a_setting_and_may_be_random(stage):
    play = stage("train-free", rules=Rules(enemies=3))
    assert np.count_nonzero(play.arenas.health[0]) == 3
    play = stage("train-free", rules=Rules(enemies=(2, 9)))
    counts = Counter()
    for _ in range(80):
        counts[int(np.count_nonzero(play.arenas.health[0]))] += 1
        play.match.begin()
    assert set(counts) == set(range(2, 10))


@pytest.mark.parametrize("mode", ["train-goto", "train-attack"])
def test_a_round_with_a_block_begins_where_the_last_one_left_the_agents(stage, mode):
    play = stage(mode, agents=2)
    assert play.at() == (START, START)
    assert play.at(1) == (START + 1.5, START)
    assert play.arenas.yaw.tolist() == [[0.0, 0.0]]
    corners = set()
    for _ in range(30):
        play.act((1, 1, 0, 11.0), (1, 0, 0, 3.0), steps=15)
        before, facing = [play.at(agent) for agent in (0, 1)], play.arenas.yaw.copy()
        play.match.begin()
        assert [play.at(agent) for agent in (0, 1)] == before
        assert np.array_equal(play.arenas.yaw, facing)
        (block,) = play.arenas.blocks[0]
        corners.add(block.corner)
        assert not any(block.holds(position, 1.0) for position in before)
        assert play.arenas.hall.has_room(block)
        assert len(play.arenas.enemies_at(0)) == len(block.preset.enemies)
        assert play.match.target.word == mode.removeprefix("train-")
    assert len(corners) > 20


def test_everything_begins_anew_with_a_seed(stage):
    play = stage("train-goto", seed=4)
    first = play.match.state_hash()
    play.act((1, 0, 1, 3.0), steps=50)
    play.match.begin()
    assert play.match.state_hash() != first
    play.match.begin(4)
    assert play.match.state_hash() == first
    assert play.at() == (START, START)
    assert play.arenas.yaw[0, 0] == 0.0


def test_difficulties_come_as_the_panel_says_from_the_next_block_on(stage):
    play = stage("train-goto")
    panel = play.match.odds[Target.GOTO]

    def difficulties(count):
        drawn = Counter()
        for _ in range(count):
            play.match.begin()
            drawn[play.arenas.blocks[0][0].preset.difficulty] += 1
        return drawn

    drawn = difficulties(300)
    assert set(drawn) == {1, 2, 3, 4, 5}
    assert all(abs(count - 60) < 30 for count in drawn.values())
    names = set()
    block = play.arenas.blocks[0][0]
    panel.set(3, 1.0)
    assert play.arenas.blocks[0][0] is block
    for _ in range(40):
        play.match.begin()
        names.add(play.arenas.blocks[0][0].preset.name)
    assert names == {"horseshoe", "two halves", "crossing"}
    assert play.match.odds[Target.ATTACK].values == (0.2,) * 5


def test_the_mixed_mode_gives_all_three_targets_and_the_others_one(stage):
    for mode, is_target in (
        ("train-mix", {Target.FREE, Target.GOTO, Target.ATTACK}),
        ("train-free", {Target.FREE}),
        ("train-goto", {Target.GOTO}),
        ("train-attack", {Target.ATTACK}),
    ):
        play = stage(mode)
        given = set()
        for _ in range(40):
            given.add(play.match.target)
            play.match.begin()
        assert given == is_target


def test_an_attacked_fire_base_has_enemies_of_which_only_those_inside_are_targets(stage):
    play = stage("train-attack")
    outside = 0
    for _ in range(60):
        arenas = play.arenas
        block = arenas.blocks[0][0]
        alive = arenas.health[0] > 0
        assert np.array_equal(arenas.needed[0], alive)
        positions = arenas.at[:, 0, arenas.agents :].T
        for number in np.flatnonzero(alive):
            assert arenas.is_target[0, number] == block.in_firebase(tuple(positions[number]))
        assert arenas.is_target[0].any()
        outside += int((arenas.needed[0] & ~arenas.is_target[0]).any())
        play.match.begin()
    assert outside


def test_in_a_goto_round_no_enemy_is_a_target(stage):
    play = stage("train-goto")
    assert len(play.arenas.enemies_at(0)) > 0
    assert not play.arenas.is_target.any()


def test_with_agents_everywhere_those_in_the_way_of_a_block_are_put_elsewhere(stage):
    play = stage("train-goto", agents=64)
    moved = False
    for _ in range(4):
        for agent in range(64):
            play.arenas.at[:, 0, agent] = 2.0 + 6.0 * (agent % 8), 1.5 + 6.1 * (agent // 8)
        before = play.arenas.agents_at(0)
        play.match.begin()
        (block,) = play.arenas.blocks[0]
        after = play.arenas.agents_at(0)
        assert not any(block.holds(agent) for agent in after)
        moved |= before != after
    assert moved


@pytest.mark.slow
def test_a_hall_without_room_says_so(stage):
    play = stage("test")
    play.arenas.at[:, 0, 0] = 23.5
    play.arenas.agents_at = lambda arena: [(x, y) for x in range(48) for y in range(48)]
    with pytest.raises(GameError, match="no room for another body"):
        free_point(play.arenas, 0, play.arenas.rngs[0], 0.5)


def test_test_mode_begins_with_nothing_to_do_and_nobody_in_the_hall(stage):
    play = stage("test")
    assert play.match.target is Target.STAY
    assert play.arenas.enemies_at(0) == []
    assert play.arenas.blocks[0] == []
    assert play.at() == (START, START)


@pytest.mark.parametrize("agents", [0, 65])
def test_a_number_of_agents_that_makes_no_sense_is_refused(agents):
    with pytest.raises(GameError, match="ask for 1 to 64"):
        setup_of(agents)


def test_a_panel_may_be_given():
    assert DifficultyProbabilities([0, 0, 0, 0, 1]).values[4] == 1
    assert SIZE == 10
