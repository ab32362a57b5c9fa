"""stable-baselines3 and SuperSuit take arenas as they are."""

import copy
import pickle
import sys
import warnings

import numpy as np
import pytest

from playhead.errors import GameError
from playhead.games.arena.fps.simulation.round_targets_and_modes import Target
from playhead.games.arena.fps.simulation.rules import Rules
from playhead.games.arena.pettingzoo_env import AimArena, AimGym
from playhead.games.arena.rl.gym import FeatureWrapper

from ....support.process import run_process

SHORT = Rules(round_time=1.0, hits=1, enemies=(1, 4))


@pytest.fixture(scope="module")
def sb3():
    """The module with `AimVecEnv`; its library comes with torch, which takes seconds to load."""
    pytest.importorskip("stable_baselines3")
    import torch

    from playhead.games.arena.rl import sb3_vec_env as sb3

    torch.set_num_threads(1)
    return sb3


@pytest.fixture
def envs(sb3):
    return sb3.AimVecEnv("train-mix", arenas=3, agents=2, rules=SHORT, direction=True)


def choices(env, rng):
    return rng.integers(0, env.action_space.nvec, (env.num_envs, 4))


# --- what stable-baselines3 asks of it ------------------------------------------------------------


@pytest.mark.parametrize("direction", [True, False])
@pytest.mark.filterwarnings("ignore:.*is different from the unwrapped version")
def test_the_check_of_stable_baselines3_passes(sb3, direction):
    from stable_baselines3.common.env_checker import check_env

    env = FeatureWrapper(AimGym(mode="train-goto", rules=SHORT), direction=direction)
    check_env(env, warn=True, skip_render_check=True)


@pytest.mark.slow
def test_it_learns_predicts_and_is_evaluated_without_a_warning(sb3, envs):
    from stable_baselines3 import PPO
    from stable_baselines3.common.evaluation import evaluate_policy
    from stable_baselines3.common.vec_env import VecCheckNan, VecNormalize

    learning = VecCheckNan(VecNormalize(envs, norm_obs=False), raise_exception=True)
    model = PPO("MlpPolicy", learning, n_steps=32, batch_size=96, n_epochs=1, seed=3, device="cpu")
    model.learn(200)
    assert model.num_timesteps == 384
    assert len(model.ep_info_buffer) == 18
    paid, lengths = evaluate_policy(model, envs, n_eval_episodes=6, return_episode_rewards=True)
    assert len(paid) == 6
    assert max(lengths) <= 20


def test_a_round_that_ends_says_so_as_a_monitor_does_and_the_next_begins(envs):
    rng = np.random.default_rng(1)
    envs.seed(4)
    first = envs.reset()
    assert (first.shape, first.dtype) == ((6, *envs.observation_space.shape), np.float32)
    total, ended = np.zeros(6), 0
    lengths = np.zeros(6)
    for _ in range(60):
        seen, rewards, done, infos = envs.step(choices(envs, rng))
        assert (rewards.dtype, done.dtype, len(infos)) == (np.float32, bool, 6)
        total += rewards
        lengths += 1
        for number, info in enumerate(infos):
            assert bool(info) == bool(done[number])
            if not info:
                continue
            ended += 1
            last = info["terminal_observation"]
            assert envs.observation_space.contains(last)
            time_left = envs.features.names.index("remaining_time")
            assert seen[number][time_left] == 1 > last[time_left]
            assert info["TimeLimit.truncated"] is False
            assert info["episode"]["r"] == pytest.approx(total[number], rel=1e-5)
            assert info["episode"]["l"] == lengths[number]
            assert info["episode"]["t"] >= 0
            assert info["is_success"] == (info["episode"]["r"] > 0)
            total[number] = lengths[number] = 0
    assert ended >= 18


def test_an_environment_of_many_goes_as_an_arena_with_its_seed_alone(sb3):
    many = sb3.AimVecEnv("train-goto", arenas=2, rules=SHORT, direction=True)
    seeds = many.seed(7)
    seen = many.reset()
    alone = FeatureWrapper(
        AimGym(mode="train-goto", tags="one-hot", rules=SHORT), direction=True
    )  # fmt: skip
    assert np.array_equal(alone.reset(seed=seeds[1])[0], seen[1])
    rng = np.random.default_rng(0)
    for _ in range(20):
        act = choices(many, rng)
        seen, rewards, done, infos = many.step(act)
        result, paid, over, _, info = alone.step(act[1])
        assert (rewards[1], done[1]) == (np.float32(paid), over)
        if over:
            assert np.array_equal(infos[1]["terminal_observation"], result)
            assert infos[1]["is_success"] == (info["result"] == "win")
        else:
            assert np.array_equal(seen[1], result)
            assert many.env_method("state_hash")[1] == alone.env.arena.match.arenas.state_hash()
    assert over


@pytest.mark.parametrize("skip", [3, 20])
def test_an_action_is_held_for_some_steps_whose_rewards_are_added_up(sb3, skip):
    settings = {"direction": True, "frame_skip": skip}
    many = sb3.AimVecEnv("train-free", arenas=8, rules=SHORT, **settings)
    seeds = many.seed(7)
    many.reset()
    alone = [
        FeatureWrapper(AimGym(mode="train-free", tags="one-hot", rules=SHORT), **settings)
        for _ in seeds
    ]
    for env, seed in zip(alone, seeds, strict=True):
        env.reset(seed=seed)
    rng, going = np.random.default_rng(0), set(range(8))
    while going:
        act = choices(many, rng)
        seen, rewards, done, infos = many.step(act)
        for number in sorted(going):
            result, paid, over, _, info = alone[number].step(act[number])
            assert (rewards[number], done[number]) == (np.float32(paid), over)
            last = infos[number]["terminal_observation"] if over else seen[number]
            assert np.array_equal(last, result)
            if over:
                assert infos[number]["is_success"] == (info["result"] == "win")
                assert infos[number]["episode"]["l"] == -(-20 // skip)
                going.remove(number)
        if over:
            # The rest of what it was held for has passed in the next round, standing still.
            assert set(many.vector.simulation.arenas.ticks.tolist()) == {-20 % skip}
    for wrong in (0, -1, 21):
        with pytest.raises(GameError, match=f"frame_skip {wrong}: .* 1 to 20 steps"):
            sb3.AimVecEnv("train-free", rules=SHORT, frame_skip=wrong)
        with pytest.raises(GameError, match=f"frame_skip {wrong}"):
            FeatureWrapper(AimGym(rules=SHORT), frame_skip=wrong)


def test_a_seed_is_for_the_next_reset_alone(envs):
    seeds = envs.seed(9)
    assert len(seeds) == 6
    assert seeds[0] == seeds[1] != seeds[2]
    first, hashes = envs.reset(), envs.env_method("state_hash")
    assert envs.get_attr("seed") == seeds
    envs.reset()
    assert envs.env_method("state_hash") != hashes
    envs.seed(9)
    assert np.array_equal(envs.reset(), first)
    assert envs.env_method("state_hash") == hashes
    assert envs.seed(None) == [None] * 6


def test_attributes_and_methods_are_asked_of_each_or_of_some(envs):
    envs.seed(1)
    envs.reset()
    assert envs.get_attr("agent") == ["agent_0", "agent_1"] * 3
    assert envs.get_attr("arena", [0, 5]) == [0, 2]
    assert envs.get_attr("render_mode") == [None] * 6
    assert envs.get_attr("target", 3)[0] in ("free", "goto", "attack")
    assert envs.get_attr("odds", np.array([0]))[0] is envs.vector.odds
    hashes = envs.env_method("state_hash")
    assert hashes[0] == hashes[1] != hashes[2]
    assert envs.env_method("state_hash", indices=range(2)) == hashes[:2]
    assert not envs.has_attr("action_masks")
    with pytest.raises(AttributeError, match="fly"):
        envs.env_method("fly")
    with pytest.raises(AttributeError, match=r"call env\.vector\.reset\(\)"):
        envs.env_method("reset", indices=[1])
    with pytest.raises(IndexError):
        envs.get_attr("agent", 6)


def test_attributes_of_ones_own_are_kept_apart_and_shared_ones_are_refused(envs):
    envs.set_attr("level", 2, [1, 2])
    assert envs.get_attr("level", [1, 2]) == [2, 2]
    assert not envs.has_attr("level")
    for name in ("odds", "agent", "seed", "target", "state_hash", "step"):
        with pytest.raises(GameError, match=f"set_attr '{name}': it is the arena's"):
            envs.set_attr(name, {})
    envs.vector.odds[Target.GOTO].set(5, 1.0)


def test_a_monitor_is_not_missing_and_there_is_nothing_to_render(envs):
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import VecMonitor

    assert envs.env_is_wrapped(Monitor) == [True] * 6
    assert envs.env_is_wrapped(FeatureWrapper, [0]) == [False]
    assert (envs.render_mode, envs.get_images()) == (None, [None] * 6)
    with pytest.warns(UserWarning, match="already wrapped with a `Monitor`"):
        VecMonitor(envs)
    envs.close()


def test_a_copy_goes_on_exactly_as_the_original(envs):
    rng = np.random.default_rng(5)
    envs.seed(2)
    envs.reset()
    for way in (copy.copy, copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))):
        other = way(envs)
        for _ in range(9):
            act = choices(envs, rng)
            here, there = envs.step(act), other.step(act)
            assert all(np.array_equal(here[part], there[part]) for part in range(3))
            assert [i.get("episode", {}).get("r") for i in here[3]] == [
                i.get("episode", {}).get("r") for i in there[3]
            ]
            assert envs.env_method("state_hash") == other.env_method("state_hash")
        other.reset()
        assert envs.env_method("state_hash") != other.env_method("state_hash")


def test_a_step_needs_actions_that_make_sense(sb3, envs):
    with pytest.raises(GameError, match="step_async"):
        envs.step_wait()
    with pytest.raises(GameError, match="nothing has begun"):
        envs.step(np.zeros((6, 4), int))
    envs.reset()
    for act, says in (
        (np.zeros((6, 3), int), r"shape \(6, 3\)"),
        (np.zeros((5, 4), int), "actions of 5 agents: there are 6"),
        (np.zeros(4, int), "discrete actions of shape"),
        (np.full((6, 4), 9), "turn 9"),
        (np.full((6, 4), 0.5), "float64"),
    ):
        with pytest.raises(GameError, match=says):
            envs.step(act)
    before = envs.env_method("state_hash")
    with pytest.raises(GameError):
        envs.step_wait()
    assert envs.env_method("state_hash") == before
    with pytest.raises(GameError, match="many arenas at once are for training modes"):
        sb3.AimVecEnv("test")


def test_without_stable_baselines3_it_says_what_to_install():
    code = (
        "import sys; sys.modules['stable_baselines3'] = None\n"
        "import playhead.games.arena.pettingzoo_env, playhead.games.arena.rl.gym\n"
        "import playhead.games.arena.rl.sb3_vec_env"
    )
    done = run_process(sys.executable, "-c", code)
    assert done.stderr.rstrip().splitlines()[-1].endswith("pip install 'playhead[rl]'")


def test_nothing_else_of_the_arena_loads_it():
    code = "import sys, playhead.games.arena.pettingzoo_env, playhead.games.arena.rl.gym as _\n" + (
        "assert not {'torch', 'stable_baselines3', 'supersuit'} & set(sys.modules)"
    )
    run_process(sys.executable, "-c", code, check=True)


# --- SuperSuit ------------------------------------------------------------------------------------


@pytest.mark.parametrize("processes", [0, 2])
def test_supersuit_makes_many_of_one_arena(processes):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        supersuit = pytest.importorskip("supersuit")
    one = supersuit.pettingzoo_env_to_vec_env_v1(AimArena("train-goto", agents=3, rules=SHORT))
    many = supersuit.concat_vec_envs_v1(one, 4, num_cpus=processes, base_class="gymnasium")
    try:
        seen, _ = many.reset(seed=3)
        assert seen.shape == (12, 51)
        actions = np.ones((12, 3), int), np.zeros((12, 1), np.float32)
        ended = 0
        for _ in range(25):
            seen, rewards, over, _, _ = many.step(actions)
            ended += int(np.sum(over))
            assert np.shape(rewards) == (12,)
        assert ended == 12
    finally:
        many.close()
