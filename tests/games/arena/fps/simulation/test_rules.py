"""The numbers that may be set, and those that make no sense."""

import math

import pytest

from playhead.errors import GameError
from playhead.games.arena.fps.simulation.rules import Rules, checked


def test_a_round_has_thirty_seconds_and_six_enemies():
    rules = checked(Rules())
    assert (rules.round_time, rules.enemies, rules.most_enemies) == (30.0, 6, 6)
    assert rules.limit == 600
    assert rules.rest_steps == 5
    assert Rules(enemies=(2, 9)).most_enemies == 9


def test_walking_to_a_target_pays_less_in_a_step_than_standing_in_it():
    assert Rules().speed * Rules().step * 20 < 5


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"step": 0.0}, "step 0.0"),
        ({"speed": math.nan}, "speed nan"),
        ({"round_time": math.inf}, "round_time inf"),
        ({"round_time": 0.01}, "a round has a step at least"),
        ({"step": 0.5}, "0.8 m at most"),
        ({"enemy_speed": -1.0}, "enemy_speed -1.0"),
        ({"hits": 0}, "hits 0"),
        ({"records": 0}, "records 0"),
        ({"enemies": 0}, "enemies 0"),
        ({"enemies": (5, 4)}, r"enemies \(5, 4\)"),
        ({"enemies": 65}, "1 to 64"),
        ({"centre": -0.5}, "centre -0.5"),
    ],
)
def test_numbers_that_make_no_sense_are_refused_by_name(wrong, says):
    with pytest.raises(GameError, match=says):
        checked(Rules(**wrong))
