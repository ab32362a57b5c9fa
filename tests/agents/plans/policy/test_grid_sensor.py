"""What a policy sees: its grid, its trail, and the direction to its target."""

import numpy as np
import pytest

from playhead.agents.plans.policy.grid_sensor import TARGET, GridSensor, Trails

from .test_walk_grid import grid_of

GRID = grid_of(".....", ".#...", ".....", "..1..", ".....")


@pytest.fixture
def sensor():
    return GridSensor([GRID], reach=2, stride=3)


def seen(sensor, cell, goal, trails=None):
    places = np.array([sensor.place(0, cell)])
    goals = np.array([goal], np.float32)
    return sensor.observe(places, goals, trails or Trails(sensor, 1))[0]


def test_the_window_shows_what_is_blocked_around_and_beyond_the_border(sensor):
    observation = seen(sensor, (2, 2), (4.0, 2.0, 0.0))
    assert len(observation) == sensor.size
    blocked = sensor.window(observation, "blocked")
    assert np.argwhere(blocked).tolist() == [[1, 3]]
    corner = sensor.window(seen(sensor, (0, 0), (4.0, 2.0, 0.0)), "blocked")
    assert corner[:2].all()
    assert corner[:, :2].all()


def test_heights_are_seen_from_where_one_stands(sensor):
    below = sensor.window(seen(sensor, (2, 2), (4.0, 2.0, 0.0)), "rise")
    assert below[2, 1] == 0.25
    above = sensor.window(seen(sensor, (2, 1), (4.0, 2.0, 0.0)), "rise")
    assert above[2, 2] == 0.0
    assert above[2, 3] == -0.25


def test_a_trail_is_seen_until_it_is_forgotten(sensor):
    trails = Trails(sensor, 1)
    for cell in ((1, 2), (2, 2), (2, 2)):
        trails.visit(np.array([sensor.place(0, cell)]))
    trail = sensor.window(seen(sensor, (2, 2), (4.0, 2.0, 0.0), trails), "trail")
    assert (trail[1, 2], trail[2, 2], trail[3, 2]) == (0.25, 0.5, 0.0)
    trails.forget(0)
    assert not sensor.window(seen(sensor, (2, 2), (4.0, 2.0, 0.0), trails), "trail").any()


def test_the_target_is_a_direction_and_a_distance_of_which_twenty_cells_are_half(sensor):
    x, y, z, distance = seen(sensor, (2, 2), (2.0, 22.0, 0.0))[-len(TARGET) :]
    assert (x, y, z, distance) == (0.0, 1.0, 0.0, 0.5)


def test_places_lead_on_as_the_grid_does(sensor):
    place = np.array([sensor.place(0, (0, 3))])
    assert sensor.step(place, np.array([0])) == [-1]
    assert sensor.cell(int(sensor.step(place, np.array([2]))[0])) == (0, 4)
