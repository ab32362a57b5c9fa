"""The ground: lines of sight and routes around walls."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.games.arena.entity import distance
from playhead.games.arena.level import load_level
from playhead.games.arena.level_physics_and_routes import CLEARANCE, PhysicsSpace

LEVEL = load_level()


@pytest.fixture(scope="module")
def ground():
    return PhysicsSpace(LEVEL)


def free_points():
    points = st.tuples(st.floats(-19.4, 19.4), st.floats(-13.4, 13.4))
    return points.filter(lambda point: not any(wall.holds(point, 0.5) for wall in LEVEL.walls))


def test_a_wall_blocks_the_sight_through_it_and_not_past_it(ground):
    cart = next(wall for wall in LEVEL.walls if wall.name == "cart")
    x, y = cart.at
    assert not ground.clear((x, y - 3), (x, y + 3))
    assert ground.clear((x - 5, y - 3), (x + 5, y - 3))


def test_a_route_without_a_wall_between_is_straight(ground):
    assert ground.route((-2.0, -11.0), (2.0, -11.0)) == [(2.0, -11.0)]


@given(free_points(), free_points())
def test_every_leg_of_a_route_is_free_of_walls(ground, start, goal):
    route = ground.route(start, goal)
    assert route[-1] == goal
    for a, b in zip([start, *route], route, strict=False):
        assert ground.clear(a, b, CLEARANCE)


@given(free_points(), free_points())
def test_the_way_back_is_as_long_as_the_way_there(ground, start, goal):
    def length(a, b):
        stops = [a, *ground.route(a, b)]
        return sum(distance(p, q) for p, q in itertools.pairwise(stops))

    assert length(start, goal) == pytest.approx(length(goal, start))
    assert length(start, goal) >= distance(start, goal) - 1e-9


def test_the_fence_goes_once_round_the_ground(ground):
    lines = ground.fence_lines()
    assert lines.shape == (4, 2, 3)
    assert (lines[:, 1] == np.roll(lines[:, 0], -1, axis=0)).all()
    assert np.ptp(lines.reshape(-1, 3), axis=0).tolist() == [*LEVEL.size, 0.0]
