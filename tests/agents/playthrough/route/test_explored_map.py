"""The map that the agent makes of where it walked and what it met."""

import math
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from playhead.agents.playthrough.route.explored_map import ExploredMap


def explored_map():
    return ExploredMap(0.4, 0.6, 3.0)


def wall(map, x, bottom, top):
    """Met all along, from the left."""
    for at in range(round((top - bottom) / 0.4) + 1):
        map.meet((x, bottom + 0.4 * at, 0.0), 0.0)


def test_what_is_unknown_is_free():
    way = explored_map().way((0.0, 0.0, 0.0), {(5.0, 0.0, 0.0): 0.0})
    assert way[-1] == (5.0, 0.0, 0.0)
    assert all(abs(y) < 0.5 for _, y, _ in way)


def test_the_way_leads_round_what_was_met():
    map = explored_map()
    wall(map, 2.0, -2.0, 2.0)
    way = map.way((0.0, 0.0, 0.0), {(5.0, 0.0, 0.0): 0.0})
    assert way[-1] == (5.0, 0.0, 0.0)
    assert max(abs(y) for _, y, _ in way) > 2.0
    assert not map.is_open((0.0, 0.0, 0.0), (5.0, 0.0, 0.0))


def test_the_cheaper_of_two_goals_is_gone_to():
    map = explored_map()
    goals = {(4.0, 0.0, 0.0): 10.0, (-5.0, 0.0, 0.0): 0.0}
    assert map.way((0.0, 0.0, 0.0), goals)[-1] == (-5.0, 0.0, 0.0)


def test_another_floor_knows_nothing_of_it():
    map = explored_map()
    map.meet((2.0, 0.0, 0.0), 0.0)
    assert not map.is_open((0.0, 0.0, 0.0), (5.0, 0.0, 0.0))
    assert map.is_open((0.0, 0.0, 3.0), (5.0, 0.0, 3.0))


def test_where_the_player_walks_nothing_stands():
    map = explored_map()
    map.meet((2.0, 0.0, 0.0), 0.0)
    for at in range(20):
        for side in range(-4, 5):
            map.step((1.0 + 0.2 * at, 0.4 * side, 0.0))
    assert map.is_open((1.0, 0.0, 0.0), (4.0, 0.0, 0.0))


def test_where_the_player_fell_it_does_not_walk_again():
    map = explored_map()
    map.step((2.0, 0.0, 3.0))
    map.step((2.2, 0.0, 0.0))
    assert not map.is_open((0.0, 0.0, 3.0), (4.0, 0.0, 3.0))


def test_where_nothing_is_near_there_is_no_way():
    assert explored_map().way((0.0, 0.0, 0.0), {(1e6, 0.0, 0.0): 0.0}) == []


@given(st.lists(st.tuples(*[st.floats(-6, 6)] * 2, st.floats(-math.pi, math.pi)), max_size=30))
def test_a_way_goes_from_cell_to_cell_to_a_goal(met):
    map = explored_map()
    for x, y, heading in met:
        map.meet((x, y, 0.0), heading)
    way = map.way((0.0, 0.0, 0.0), {(6.0, 0.0, 0.0): 0.0, (0.0, 6.0, 0.0): 1.0})
    assert way[-1] in ((6.0, 0.0, 0.0), (0.0, 6.0, 0.0))
    # Cells are 0.4 m wide; the goal may be in any corner of the last one.
    steps = pairwise(way)
    assert all(math.dist(one, other) <= 0.4 * math.sqrt(2) * 1.5 + 1e-9 for one, other in steps)
