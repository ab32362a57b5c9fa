"""What a network is given, and what its choices mean in the arena."""

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import given, settings
from hypothesis import strategies as st

from playhead.errors import GameError
from playhead.games.arena.fps.learning.observation import ObservationLayout
from playhead.games.arena.fps.simulation.ray_sensor import RaySettings
from playhead.games.arena.fps.simulation.round_targets_and_modes import ArenaMode
from playhead.games.arena.fps.simulation.rules import Rules
from playhead.games.arena.pettingzoo_env import AimArena, AimGym
from playhead.games.arena.rl.gym import FeatureWrapper
from playhead.games.arena.rl.observation_action_encoder import NEAR, TURNS, ObservationActionEncoder

SHORT = Rules(round_time=2.0)


def wrapped(mode="train-goto", tags="one-hot", direction=True, **settings):
    return FeatureWrapper(
        AimGym(mode=mode, tags=tags, rules=SHORT, **settings), direction=direction
    )


@pytest.mark.parametrize("mode", list(ArenaMode))
@pytest.mark.parametrize("tags", ["label", "one-hot"])
@pytest.mark.parametrize("direction", [True, False])
def test_observations_lie_between_minus_one_and_one_and_in_their_space(mode, tags, direction):
    env = wrapped(mode, tags, direction)
    env.action_space.seed(2)
    seen, _ = env.reset(seed=1)
    for _ in range(100):
        assert seen.dtype == np.float32
        assert seen.shape == (len(env.features.names),)
        assert env.observation_space.contains(seen)
        assert np.abs(seen).max() <= 1
        seen, _, over, _, _ = env.step(env.action_space.sample())
        if over:
            seen, _ = env.reset()


@pytest.mark.filterwarnings("ignore:.*is different from the unwrapped version")
def test_gymnasiums_checker_passes():
    check_env(wrapped(), skip_render_check=True)


def test_each_number_stays_in_its_place_and_near_distances_are_distinguished():
    env = wrapped()
    env.reset(seed=3)
    raw = env.env.arena.state()
    seen, names = env.features.observe(raw), env.features.names
    assert seen[names.index("x")] == pytest.approx(raw[8] / 47)
    assert seen[names.index("remaining_time")] == 1
    away = raw[env.features.layout.distances]
    result = seen[env.features.layout.distances]
    assert np.allclose(result, away / (away + NEAR))
    assert names[-3:] == ("goal_sin", "goal_cos", "goal_distance")


@given(
    st.floats(1, 46), st.floats(1, 46), st.floats(1, 46), st.floats(1, 46), st.floats(0, 7)
)  # fmt: skip
@settings(max_examples=50)
def test_who_turns_by_the_angle_that_is_reported_faces_the_goal(x, y, goal_x, goal_y, yaw):
    layout = ObservationLayout(RaySettings())
    features = ObservationActionEncoder(layout, Rules(), direction=True)
    raw = np.zeros(layout.length, np.float32)
    raw[[1, 3, 4, 8, 10, 11, 12]] = goal_x, goal_y, 5, x, y, np.cos(yaw), np.sin(yaw)
    sine, cosine, near = features.observe(raw)[-3:].tolist()
    away = np.hypot(goal_x - x, goal_y - y)
    assert near == pytest.approx(away / (away + NEAR), abs=1e-5)
    if away < 0.01:
        return
    facing = yaw + np.arctan2(sine, cosine)
    ahead = np.array([np.sin(facing), np.cos(facing)]) * away
    assert ahead == pytest.approx([goal_x - x, goal_y - y], abs=0.01)


def test_without_a_fire_base_and_in_the_middle_of_one_there_is_no_direction():
    layout = ObservationLayout(RaySettings())
    features = ObservationActionEncoder(layout, Rules(), direction=True)
    raw = np.zeros((2, layout.length), np.float32)
    raw[:, [8, 10, 11]] = 20, 20, 1
    raw[1, [1, 3, 4]] = 20, 20, 5
    assert not features.observe(raw)[:, -3:].any()


def test_what_is_given_to_observe_is_not_changed():
    env = wrapped()
    raw = env.env.reset(seed=1)[0]
    before = raw.copy()
    env.features.observe(raw)
    assert np.array_equal(raw, before)


def test_choices_are_keys_and_a_turn_from_the_list():
    features = ObservationActionEncoder(
        ObservationLayout(RaySettings()), Rules(), turns=(-30, 0, 2.5)
    )
    assert features.action_space.nvec.tolist() == [3, 3, 2, 3]
    keys, turn = features.act([1, 2, 0, 2])
    assert (keys.tolist(), turn.tolist()) == ([1, 2, 0], [2.5])
    keys, turn = features.act(np.array([[0, 0, 1, 0], [2, 2, 0, 1]]))
    assert (keys.tolist(), turn.tolist()) == ([[0, 0, 1], [2, 2, 0]], [[-30], [0]])
    assert tuple(-turn for turn in reversed(TURNS)) == TURNS


@pytest.mark.parametrize(
    ("choices", "says"),
    [
        ([1, 2, 0], r"actions of shape \(3,\)"),
        ([1.0, 2.0, 0.0, 1.0], "type float64"),
        ([[[0, 0, 0, 0]]], r"shape \(1, 1, 4\)"),
        ([0, 0, 0, 7], "turn 7: choices go from 0 to 6"),
        ([0, 0, 0, -1], "turn -1: choices go from 0 to 6"),
        ([3, 0, 0, 0], "discrete action 0 of agent 0 is 3"),
    ],
)
def test_what_is_no_choice_is_refused(choices, says):
    env = wrapped()
    env.reset(seed=1)
    with pytest.raises(GameError, match=says):
        env.step(np.array(choices))


@pytest.mark.parametrize("turns", [(), (float("nan"),), (float("inf"), 0), ((1, 2), (3, 4))])
def test_turns_that_nobody_can_choose_are_refused(turns):
    with pytest.raises(GameError, match="turns .*: give one or more finite numbers of degrees"):
        ObservationActionEncoder(ObservationLayout(RaySettings()), Rules(), turns=turns)


def test_a_wrapped_arena_may_be_a_recorded_one_with_others_in_it():
    env = FeatureWrapper(AimGym(AimArena("train-free", agents=3), agent="agent_2"))
    seen, info = env.reset(seed=1)
    assert (len(seen), info) == (51, {"target": "free"})
