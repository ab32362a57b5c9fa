"""How plans find their way through a level of Doom, and its cells for policies and coverage."""

import math

import numpy as np

from playhead.games.doom.plans.doom_navigation_map import DoomMap
from playhead.games.walkable_grid import NOWHERE, STEPS
from playhead.playback.pads.pad import Button

from ..levels import DOOR, Plan

ROOMS = ((0, 256, 0, 128), (256, 272, 0, 0), (272, 600, 0, 128), (600, 900, 64, 256))
"""A room, a door, another room, and a ledge that nobody steps up to."""


def map_of(tmp_path):
    return DoomMap(Plan(*ROOMS).does(DOOR, x=256).level(tmp_path))


def test_steps_of_the_cells_lead_where_a_player_can_walk(tmp_path):
    grid = map_of(tmp_path).grid()
    for x, y, direction in np.argwhere(grid.leads != NOWHERE).tolist():
        there = divmod(int(grid.leads[x, y, direction]), grid.free.shape[1])
        assert there == (x + STEPS[direction][0], y + STEPS[direction][1])
        assert grid.free[x, y]
        assert grid.free[there]
    start = grid.nearest_free_cell((64, 64, 0), 24)
    reached = grid.reached(start)
    assert reached[grid.nearest_free_cell((500, 64, 0), 24)]
    assert not reached[grid.nearest_free_cell((750, 64, 64), 24)]


def test_a_way_over_the_cells_exists_where_the_map_finds_a_path(tmp_path):
    ground = map_of(tmp_path)
    assert ground.path((64, 64, 0), (500, 64, 0), 32) is not None
    assert ground.path((64, 64, 0), (750, 64, 64), 32) is None


def test_a_place_just_beside_is_walked_to_straight_and_nobody_steps_off_a_ledge(tmp_path):
    ground = map_of(tmp_path)
    (there,) = ground.path((64, 64, 0), (64, 100, 0), 12)
    assert there.position == (64, 100, 0)
    assert ground.path((640, 64, 64), (560, 64, 64), 12) is None
    assert ground.path((64, 64, 0), (64, 126, 0), 8) is None  # in the wall


def test_the_cells_at_a_door_are_pressed_open(tmp_path):
    grid = map_of(tmp_path).grid()
    assert set(grid.press.values()) == {Button.X}
    middles = [grid.middle(cell)[0] for cell in grid.press]
    assert all(math.dist((x,), (264,)) < 3 * grid.size for x in middles)
    assert any(x < 256 for x in middles)
    assert any(x > 272 for x in middles)
