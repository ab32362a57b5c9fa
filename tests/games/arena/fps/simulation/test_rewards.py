"""The formulas of the rewards, by numbers that were worked out by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.errors import GameError
from playhead.games.arena.fps.simulation.rewards import (
    TERMS,
    RewardValues,
    checked_values,
    distance_reward,
    facing_reward,
    spin_penalty,
)


def test_what_things_are_worth():
    values = RewardValues()
    assert (values.non_target_hit, values.target_hit, values.move) == (3, 25, -0.5)
    assert (values.win, values.lose) == (999, -999)
    assert (values.in_area, values.suppressive, values.facing_area) == (5, 5, 2)
    assert len(TERMS) == len(set(TERMS)) == 11


@pytest.mark.parametrize(
    ("turns", "penalty"),
    [
        ([1.0] * 40, -0.06),
        ([3.125] * 40, -10.0),
        ([4.0] * 40, -12.8),
        ([4.0, -4.0] * 20, -0.24),
        ([-4.0] * 40, -12.8),
        ([0.0] * 40, 0.0),
    ],
)
def test_turning_on_and_on_costs_much_and_turning_to_and_fro_costs_little(turns, penalty):
    assert spin_penalty(turns[-1], sum(turns)) == pytest.approx(penalty)


def test_the_penalty_jumps_at_the_threshold():
    assert spin_penalty(3.0, 10.0 / 0.08) == -10.0
    assert spin_penalty(3.0, np.nextafter(10.0 / 0.08, 0.0)) == pytest.approx(-0.18)


@pytest.mark.parametrize(
    ("off", "reward"), [(0.0, 2.0), (0.2, 2.0), (0.5, 2.0), (2.0, 1.0), (8.0, 0.5), (np.inf, 0.0)]
)
def test_the_nearer_an_enemy_is_to_the_middle_of_the_view_the_more_it_pays(off, reward):
    assert facing_reward(off) == reward


@given(st.floats(0, 100), st.floats(0, 100))
def test_facing_pays_at_most_two_and_never_more_for_more(one, other):
    low, high = sorted((one, other))
    assert 0.0 < facing_reward(high) <= facing_reward(low) <= 2.0


@pytest.mark.parametrize(
    ("before", "now", "reward"), [(10.0, 9.5, 10.0), (9.5, 10.0, -10.0), (3.0, 3.0, 0.0)]
)
def test_coming_nearer_pays_and_going_away_costs(before, now, reward):
    assert distance_reward(before, now) == reward


def test_a_value_that_is_not_finite_is_refused():
    with pytest.raises(GameError, match="reward win is inf"):
        checked_values(RewardValues(win=np.inf))
