"""The panel of probabilities: whatever is done to it, they sum to 1 and none is below 0."""

import math
from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from playhead.errors import GameError
from playhead.games.arena.fps.simulation.block_difficulty_probabilities import (
    DIFFICULTIES,
    DifficultyProbabilities,
)

LEVELS = st.sampled_from(DIFFICULTIES)


def test_all_five_difficulties_are_equally_likely_at_first():
    assert DifficultyProbabilities().values == (0.2, 0.2, 0.2, 0.2, 0.2)
    assert DifficultyProbabilities().locked == (False,) * 5


def test_changing_one_shares_the_rest_among_the_others_in_proportion():
    odds = DifficultyProbabilities([0.1, 0.3, 0.2, 0.2, 0.2])
    assert odds.set(5, 0.6) == 0.6
    assert odds.values == pytest.approx((0.05, 0.15, 0.1, 0.1, 0.6))


def test_a_locked_one_stays_while_others_are_changed():
    odds = DifficultyProbabilities()
    odds.lock(1)
    odds.set(2, 0.4)
    assert odds.values == pytest.approx((0.2, 0.4, 0.4 / 3, 0.4 / 3, 0.4 / 3))
    odds.lock(1, False)
    odds.set(2, 1.0)
    assert odds.values == (0.0, 1.0, 0.0, 0.0, 0.0)


def test_it_stops_at_what_the_locked_ones_leave():
    odds = DifficultyProbabilities()
    odds.lock(1)
    odds.lock(2)
    assert odds.set(3, 0.9) == pytest.approx(0.6)
    assert odds.values == pytest.approx((0.2, 0.2, 0.6, 0.0, 0.0))


def test_what_is_given_back_is_shared_alike_if_the_others_have_nothing():
    odds = DifficultyProbabilities([1.0, 0.0, 0.0, 0.0, 0.0])
    odds.set(1, 0.2)
    assert odds.values == pytest.approx((0.2,) * 5)


def test_with_all_others_locked_a_change_is_refused():
    odds = DifficultyProbabilities()
    for difficulty in (1, 2, 3, 4):
        odds.lock(difficulty)
    with pytest.raises(GameError, match="all others are locked"):
        odds.set(5, 0.1)
    with pytest.raises(GameError, match="difficulty 1 is locked"):
        odds.set(1, 0.1)
    assert odds.values == (0.2,) * 5


@pytest.mark.parametrize("value", [-0.1, 1.1, math.nan, math.inf])
def test_a_value_that_is_no_probability_is_refused(value):
    odds = DifficultyProbabilities()
    with pytest.raises(GameError, match="give 0 to 1"):
        odds.set(1, value)
    assert odds.values == (0.2,) * 5


@pytest.mark.parametrize("difficulty", [0, 6, -1])
def test_an_unknown_difficulty_is_refused(difficulty):
    for change in (lambda odds: odds.set(difficulty, 0.5), lambda odds: odds.lock(difficulty)):
        with pytest.raises(GameError, match="they go from 1 to 5"):
            change(DifficultyProbabilities())


@pytest.mark.parametrize("values", [[1.0], [0.5] * 5, [0.2, 0.2, 0.2, 0.6, -0.2], [math.nan] * 5])
def test_a_panel_begins_with_five_probabilities(values):
    with pytest.raises(GameError, match="probabilities"):
        DifficultyProbabilities(values)


@given(st.lists(st.floats(0, 1), min_size=5, max_size=5).filter(lambda v: sum(v) > 0.1))
def test_it_draws_what_is_likely_and_never_what_is_not(weights):
    odds = DifficultyProbabilities([weight / math.fsum(weights) for weight in weights])
    rng = Random(1)
    drawn = Counter(odds.draw(rng) for _ in range(400))
    for difficulty, value in zip(DIFFICULTIES, odds.values, strict=True):
        if value == 0.0:
            assert drawn[difficulty] == 0
        assert abs(drawn[difficulty] / 400 - value) < 0.13


class Panel(RuleBasedStateMachine):
    """Any changes and locks in any order."""

    def __init__(self):
        super().__init__()
        self.odds = DifficultyProbabilities()

    @rule(difficulty=LEVELS, value=st.floats(0, 1))
    def change(self, difficulty, value):
        before, locked = self.odds.values, self.odds.locked
        try:
            became = self.odds.set(difficulty, value)
        except GameError:
            others = [lock for number, lock in enumerate(locked, 1) if number != difficulty]
            assert locked[difficulty - 1] or all(others)
            assert self.odds.values == before
            return
        assert self.odds.values[difficulty - 1] == became <= value
        for number in range(5):
            if locked[number]:
                assert self.odds.values[number] == before[number]

    @rule(difficulty=LEVELS, locked=st.booleans())
    def lock(self, difficulty, locked):
        before = self.odds.values
        self.odds.lock(difficulty, locked)
        assert self.odds.locked[difficulty - 1] is locked
        assert self.odds.values == before

    @invariant()
    def they_sum_to_one(self):
        assert abs(math.fsum(self.odds.values) - 1.0) < 1e-9
        assert all(0.0 <= value <= 1.0 for value in self.odds.values)


TestPanel = Panel.TestCase
