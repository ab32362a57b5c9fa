"""Many arenas at once: each goes exactly as it would alone."""

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from playhead.errors import GameError
from playhead.games.arena.fps.learning.vector_env import AimVector, seed_of
from playhead.games.arena.fps.match.match_control_commands import SetOdds
from playhead.games.arena.fps.simulation.block_difficulty_probabilities import (
    DifficultyProbabilities,
)
from playhead.games.arena.fps.simulation.ray_sensor import RaySettings
from playhead.games.arena.fps.simulation.round_targets_and_modes import Target
from playhead.games.arena.fps.simulation.rules import Rules
from playhead.games.arena.pettingzoo_env import AimArena


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["train-free", "train-goto", "train-attack", "train-mix"])
def test_each_arena_goes_as_an_environment_with_its_seed_alone(mode):
    rules = Rules(round_time=6.0, hits=1, enemies=(1, 4))
    many = AimVector(mode, arenas=6, agents=2, rules=rules)
    seen, _ = many.reset(seed=3)
    alone = [AimArena(mode, agents=2, rules=rules) for _ in many.seeds]
    first = [env.reset(seed)[0] for env, seed in zip(alone, many.seeds, strict=True)]
    assert np.array_equal(seen, [vector for one in first for vector in one.values()])
    rng = np.random.default_rng(0)
    ended = 0
    for _ in range(500):
        keys, mouse = rng.integers(0, [3, 3, 2], (12, 3)), rng.normal(size=(12, 1)) * 8
        seen, rewards, done, cut, info = many.step((keys, mouse))
        assert not cut.any()
        for number, env in enumerate(alone):
            acts = {f"agent_{k}": (keys[2 * number + k], mouse[2 * number + k]) for k in (0, 1)}
            found, paid, over, _, infos = env.step(acts)
            rows = slice(2 * number, 2 * number + 2)
            assert rewards[rows].tolist() == list(paid.values())
            assert done[rows].tolist() == list(over.values())
            assert info["terms"][rows].tolist() == [
                list(i["terms"].values()) for i in infos.values()
            ]
            if any(over.values()):
                ended += 1
                assert np.array_equal(np.stack(list(info["final_obs"][rows])), list(found.values()))
                result = 1 if infos["agent_0"]["result"] == "win" else -1
                assert info["result"][rows].tolist() == [result, result]
                found, _ = env.reset()
            assert np.array_equal(seen[rows], list(found.values()))
            assert many.simulation.arenas.state_hash(number) == env.match.arenas.state_hash()
    assert ended > 20


def test_it_is_gymnasiums_vector_environment():
    many = AimVector(arenas=5, agents=3, tags="one-hot", rays=RaySettings(center=3, side=2))
    assert many.num_envs == 15
    assert many.single_observation_space.shape == (13 + 4 * 7,)
    assert many.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    many.action_space.seed(1)
    seen, _ = many.reset(seed=1)
    for _ in range(700):
        assert many.observation_space.contains(seen)
        seen, rewards, done, _, info = many.step(many.action_space.sample())
        assert rewards.shape == done.shape == (15,)
        assert ("final_obs" in info) == done.any()
    many.close()
    assert many.closed


def test_seeds_follow_from_one_and_a_reset_without_one_goes_on():
    many = AimVector("train-goto", arenas=3)
    with pytest.raises(GameError, match="nothing has begun"):
        many.step(many.action_space.sample())
    many.reset(seed=9)
    assert many.seeds == [seed_of(9, arena) for arena in range(3)]
    assert len(set(many.seeds)) == 3
    keys, mouse = np.tile([1, 0, 0], (3, 1)), np.full((3, 1), 0.5)
    for _ in range(40):
        many.step((keys, mouse))
    before = many.simulation.arenas.at[:, :, 0].copy()
    many.reset()
    assert np.array_equal(many.simulation.arenas.at[:, :, 0], before)
    first, _ = many.reset(seed=9)
    again, _ = AimVector("train-goto", arenas=3).reset(seed=9)
    assert np.array_equal(first, again)


def test_panels_are_for_all_arenas_and_may_be_changed():
    panel = DifficultyProbabilities([0, 0, 0, 0, 1])
    many = AimVector("train-attack", arenas=8, odds={Target.ATTACK: panel})
    many.reset(seed=1)
    blocks = many.simulation.arenas.blocks
    assert {block.preset.difficulty for (block,) in blocks} == {5}
    panel.set(1, 1.0)
    many.reset()
    assert {block.preset.difficulty for (block,) in many.simulation.arenas.blocks} == {1}
    assert SetOdds("attack", 1, 1.0).value == 1.0


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"mode": "test"}, "many arenas at once are for training modes"),
        ({"arenas": 0}, "0 arenas"),
        ({"agents": 2, "rays": {"agent_1": RaySettings(side=2)}}, "all agents need equally many"),
    ],
)
def test_what_can_not_be_many_is_refused(settings, says):
    with pytest.raises(GameError, match=says):
        AimVector(**settings)
