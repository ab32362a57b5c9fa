"""Where a player can walk."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.games.doom.level_walk_grid import CELL, HEIGHT, RADIUS, STEP, LevelWalkGrid

from .levels import DOOR, Plan

ROOM = (0, 256, 0, 128)


def ways(ground, start, end):
    """The cost of the way, and whether there is one."""
    cost = ground.costs_to([ground.nearest_free_cell(*end)])
    return float(cost[ground.nearest_free_cell(*start)])


@pytest.mark.parametrize(
    ("up", "passes"), [(0, True), (STEP, True), (STEP + 1, False), (-200, True)]
)
def test_a_step_is_as_high_as_the_engine_lets_one_step(tmp_path, up, passes):
    level = Plan(ROOM, (256, 512, up, 128)).level(tmp_path)
    assert math.isfinite(ways(LevelWalkGrid(level), (100, 64), (400, 64))) == passes


@pytest.mark.parametrize(("headroom", "passes"), [(HEIGHT, True), (HEIGHT - 1, False)])
def test_a_passage_is_as_high_as_the_player(tmp_path, headroom, passes):
    rooms = (ROOM, (256, 320, 0, headroom), (320, 600, 0, 128))
    ground = LevelWalkGrid(Plan(*rooms).level(tmp_path))
    assert math.isfinite(ways(ground, (100, 64), (500, 64))) == passes


def test_who_steps_up_needs_the_headroom_there(tmp_path):
    # High enough each, but what is open between them is not.
    level = Plan(ROOM, (256, 512, -80, HEIGHT - 10)).level(tmp_path)
    assert math.isinf(ways(LevelWalkGrid(level), (100, 64), (400, 64)))


def test_a_door_is_a_wall_until_it_is_taken_to_be_open(tmp_path):
    rooms = (ROOM, (256, 272, 0, 0), (272, 600, 0, 128))
    level = Plan(*rooms).does(DOOR, x=256).level(tmp_path)
    assert math.isinf(ways(LevelWalkGrid(level), (100, 64), (500, 64)))
    assert math.isfinite(ways(LevelWalkGrid(level, opened=level.doors()), (100, 64), (500, 64)))


def test_a_player_keeps_its_width_from_walls(tmp_path):
    ground = LevelWalkGrid(Plan(ROOM).level(tmp_path))
    for row in range(ground.shape[0]):
        for column in range(ground.shape[1]):
            x, y = ground.point((row, column))
            inside = RADIUS <= x <= 256 - RADIUS and RADIUS <= y <= 128 - RADIUS
            assert ground.free[row, column] == inside


def test_what_stands_in_the_way_is_gone_around(tmp_path):
    level = Plan((0, 512, 0, 128), depth=256).level(tmp_path)
    free = LevelWalkGrid(level)
    blocked = LevelWalkGrid(level, solids=[(256.0, 128.0, 32.0)])
    assert ways(blocked, (64, 128), (448, 128)) > ways(free, (64, 128), (448, 128))
    assert free.open_way((64, 128, 0), (448, 128))
    assert not blocked.open_way((64, 128, 0), (448, 128))


def test_downhill_leads_to_the_goal_by_steps_that_can_be_made(tmp_path):
    level = Plan((0, 512, 0, 128), depth=256).level(tmp_path)
    ground = LevelWalkGrid(level, solids=[(256.0, 128.0, 64.0)])
    start, goal = ground.nearest_free_cell(64, 128), ground.nearest_free_cell(448, 128)
    way = ground.downhill(ground.costs_to([goal]), start, 1000)
    assert way[-1] == goal
    for here, there in zip([start, *way], way, strict=False):
        assert ground.passes(here, there)


def test_a_straight_way_down_is_none_back(tmp_path):
    level = Plan(ROOM, (256, 512, -64, 64)).level(tmp_path)
    ground = LevelWalkGrid(level)
    assert ground.open_way((100, 64, 0), (400, 64))
    assert not ground.open_way((100, 64, 0), (400, 64), back=True)
    assert not ground.open_way((400, 64, -64), (100, 64))


def test_a_ledge_right_beside_the_player_is_too_high_for_it(tmp_path):
    level = Plan(ROOM, (256, 512, 48, 176)).level(tmp_path)
    ground = LevelWalkGrid(level)
    assert not ground.open_way((256 - RADIUS, 64, 0), (300, 64))
    assert ground.open_way((256 - RADIUS, 64, 48), (300, 64))


@pytest.mark.parametrize("end", [(-500, 64), (5000, 64), (100, 5000), (100, -5000)])
def test_nobody_walks_out_of_the_level(tmp_path, end):
    assert not LevelWalkGrid(Plan(ROOM).level(tmp_path)).open_way((100, 64, 0), end)


@pytest.fixture(scope="module")
def ground(tmp_path_factory):
    return LevelWalkGrid(Plan(ROOM).level(tmp_path_factory.mktemp("level")))


@given(st.floats(-1e4, 1e4), st.floats(-1e4, 1e4))
def test_the_nearest_cell_is_one_of_the_levels(ground, x, y):
    row, column = ground.cell(x, y)
    assert 0 <= row < ground.shape[0]
    assert 0 <= column < ground.shape[1]
    if 0 < x < 256 and 0 < y < 128:
        assert math.dist(ground.point((row, column)), (x, y)) <= CELL
