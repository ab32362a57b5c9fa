"""A match as a whole: its clock, its seeds, and that the same actions give the same state."""

import numpy as np
import pytest

from playhead.errors import GameError
from playhead.games.arena.fps.learning.actions import actions_of
from playhead.games.arena.fps.learning.side_channel import SideChannel
from playhead.games.arena.fps.match.match_control_commands import (
    FreeMode,
    SetOdds,
    SpawnBlock,
    SpawnEnemy,
)
from playhead.games.arena.fps.match.training_match import Match, fresh_odds, setup_of
from playhead.games.arena.fps.simulation.round_targets_and_modes import ArenaMode, Target


def test_nothing_can_be_done_before_it_has_begun():
    match = Match(setup_of(1), ArenaMode.TEST, fresh_odds(), SideChannel())
    with pytest.raises(GameError, match="nothing has begun yet"):
        match.order(FreeMode())
    with pytest.raises(GameError, match="nothing has begun yet"):
        match.preview(SpawnEnemy(1.0, 1.0))
    with pytest.raises(GameError, match="nothing has begun yet"):
        match.state_hash()
    with pytest.raises(GameError, match="nothing has begun yet"):
        match.step(actions_of([[0, 0, 0]], [0.0], 1, 1))


def test_a_round_that_has_ended_is_not_stepped_any_more(stage):
    play = stage("train-goto")
    play.act(steps=600)
    assert play.match.over
    with pytest.raises(GameError, match="the round has ended"):
        play.act()
    play.match.begin()
    play.act()
    assert play.match.steps == 601
    assert play.match.time == pytest.approx(601 * 0.05)


def test_without_a_seed_every_match_is_another(stage):
    hashes = {stage("train-free", seed=None).match.state_hash() for _ in range(3)}
    assert len(hashes) == 3
    one = stage("train-free", seed=None)
    assert stage("train-free", seed=one.match.seed).match.state_hash() == one.match.state_hash()


def test_the_hash_tells_apart_whatever_decides_how_it_goes_on(stage):
    def changed(change):
        play = stage("test")
        play.match.order(SpawnEnemy(20.0, 20.0))
        before = play.match.state_hash()
        change(play)
        return play.match.state_hash() != before

    assert not changed(lambda play: play.match.simulation.look())
    assert not changed(lambda play: play.see())
    assert changed(lambda play: play.act())
    assert changed(lambda play: play.arenas.yaw.__setitem__((0, 0), 0.1))
    assert changed(lambda play: play.arenas.gun.__setitem__((0, 0), 1))
    assert changed(lambda play: play.arenas.health.__setitem__((0, 0), 2))
    assert changed(lambda play: play.arenas.rngs[0].random())
    assert changed(lambda play: play.match.odds[1].set(1, 0.5))
    assert changed(lambda play: play.match.order(FreeMode()))


@pytest.mark.slow
@pytest.mark.parametrize("mode", list(ArenaMode))
def test_the_same_seed_and_actions_give_the_same_state(stage, mode):
    def run():
        play = stage(mode, agents=3, seed=5)
        rng = np.random.default_rng(2)
        hashes, seen = [], []
        for _ in range(900):
            if play.match.over:
                play.match.begin()
            keys, mouse = rng.integers(0, [3, 3, 2], (3, 3)), rng.normal(size=3) * 4
            play.match.step(actions_of(keys, mouse, 1, len(keys)))
            hashes.append(play.match.state_hash())
            seen.append(np.concatenate(play.match.observations()))
        return hashes, np.array(seen)

    (one, see), (other, saw) = run(), run()
    assert one == other
    assert np.array_equal(see, saw)
    assert len(set(one)) == 900


def test_what_is_sent_before_a_round_holds_in_it(stage):
    play = stage("train-goto")
    play.match.send(SetOdds("goto", 5, 1.0))
    play.match.begin()
    assert play.arenas.blocks[0][0].preset.difficulty == 5
    play = stage("test")
    play.match.send(SpawnBlock("goto", 2, 23.0, 23.0))
    play.match.begin()
    assert play.match.target is Target.GOTO
