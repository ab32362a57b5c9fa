"""Scenarios by name."""

import pytest

from playhead.errors import GameError
from playhead.games.doom.scenario import SCENARIOS, find_scenario


def test_a_scenario_is_found_with_and_without_its_games_name():
    assert find_scenario("map01") is find_scenario("doom:map01") is SCENARIOS["map01"]


def test_an_unknown_scenario_names_the_known_ones():
    with pytest.raises(GameError) as caught:
        find_scenario("doom:map99")
    assert "map99" in str(caught.value)
    for name in SCENARIOS:
        assert f"doom:{name}" in str(caught.value)
